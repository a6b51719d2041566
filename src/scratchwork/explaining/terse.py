"""A plan explained tersely: one line for each number that is computed, then the answer.

Promises: `explain_plan` compiles the plan with lines that are true equations or plain statements.
Only the answer may be rounded, to match its option. A step that cannot be applied, or an answer
that matches no option, raises `ExecutionError`.

Does not cover: whole sentences and units; see `sentences`.
"""

from collections.abc import Iterator
from types import MappingProxyType

from scratchwork.machine.traces import Trace
from scratchwork.plans.compiling import RationaleItem, StatedAnswer, compile_plan, results_of
from scratchwork.plans.equations import EQUATION_STEPS, EquationWriter
from scratchwork.plans.plan import Plan, PlanStep, Result
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import source_tokens, tokenise

LINES = MappingProxyType(
    {
        "Add": "{a} + {b} = {r}",
        "Subtract": "{a} - {b} = {r}",
        "Multiply": "{a} * {b} = {r}",
        "Divide": "{a} / {b} = {r}",
        "Power": "{a} ^ {b} = {r}",
        "Log": "log {a} = {r}",
        "Sqrt": "√ {a} = {r}",
        "Sine": "the sine of {a} is {r}",
        "Cosine": "the cosine of {a} is {r}",
        "Tangent": "the tangent of {a} is {r}",
        "Factorial": "{a} ! = {r}",
        "Choose": "choosing {b} out of {a} can be done in {r} ways",
        "Permutations": "arranging {b} out of {a} can be done in {r} ways",
        "Radians_to_Degrees": "{a} radians are {r} degrees",
        "Degrees_to_Radians": "{a} degrees are {r} radians",
        "Round": "{a} rounded to {b} decimals is {r}",
        "Floor": "{a} rounded down is {r}",
        "Ceiling": "{a} rounded up is {r}",
        "Absolute": "{a} without its sign is {r}",
        "Remainder": "the remainder of {a} divided by {b} is {r}",
        "Gcd": "the greatest common divisor of {a} and {b} is {r}",
        "Lcm": "the least common multiple of {a} and {b} is {r}",
        "Percent": "{a} % of {b} = {r}",
        "Min": "the smaller of {a} and {b} is {r}",
        "Max": "the larger of {a} and {b} is {r}",
        "Digit": "digit number {b} of {a} , from the ones , is {r}",
        "Digit_Sum": "the sum of the digits of {a} is {r}",
        "Digit_Count": "the number of digits of {a} is {r}",
        "Digits_Reversed": "the digits of {a} backwards give {r}",
        "Divisor_Count": "the number of divisors of {a} is {r}",
        "Divisor_Sum": "the sum of the divisors of {a} is {r}",
        "Smallest_Prime_Factor": "the smallest prime factor of {a} is {r}",
        "Prime": "prime number {a} is {r}",
        "Prime_Count": "the number of primes up to {a} is {r}",
        "Letter_Count": "the number of letters of {a} is {r}",
        "Occurrences": "the number of times that {b} stands in {a} is {r}",
        "Weekday_After": "{b} days after {a} is {r}",
    }
)
_BINDING = MappingProxyType(
    {"Add": (0, 1), "Subtract": (0, 1), "Multiply": (0, 1), "Divide": (0, 3), "Power": (4, 3)}
)
"""How strongly the arguments of a sign must bind to need no brackets: `5 - (-3)`, `(-2) ^ 2`,
`35 / (16/7)`."""


def explain_plan(plan: Plan, problem: Problem) -> Trace:
    """The executed program of a plan with its explanation as the rationale."""
    items: list[RationaleItem] = []
    results = results_of(plan.steps, problem)
    written = EquationWriter(source_tokens(problem), plan.steps, results)
    for k, step in enumerate(plan.steps):
        if step.operation in EQUATION_STEPS:
            items += [*written.line(k), "\n"]
        elif isinstance(results[k], float | str):
            items += [*line_of(step, k, written), "\n"]
    return compile_plan(plan, [*items, "Answer", ":", StatedAnswer()], problem)


def line_of(step: PlanStep, k: int, written: EquationWriter) -> Iterator[RationaleItem]:
    """The sentence for a step on numbers."""
    least = dict(zip("ab", _BINDING.get(step.operation, (0, 0)), strict=True)) | {"r": 0}
    parts = dict(zip("ab", step.arguments, strict=False)) | {"r": Result(k)}
    for word in LINES[step.operation].split():
        if word.startswith("{"):
            yield from written.bracketed(parts[word[1]], least[word[1]])
        else:
            yield from tokenise(word)
