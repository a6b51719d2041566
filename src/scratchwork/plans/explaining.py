"""A plan explained by fixed sentences: one line for each step, then the answer.

Promises: `explain_plan` compiles the plan with lines that are true equations or plain statements.
Only the answer may be rounded, to match its option. A step that cannot be applied, or an answer
that matches no option, raises `ExecutionError`.

Does not cover: why a step is taken; the lines say what is computed, not what for.
"""

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from scratchwork.machine.traces import Trace
from scratchwork.machine.writing import Writing
from scratchwork.plans.compiling import (
    PLAIN,
    RationaleItem,
    StatedAnswer,
    WrittenResult,
    compile_plan,
    results_of,
)
from scratchwork.plans.plan import Plan, PlanStep, Result
from scratchwork.problems.numerals import NumeralError, write_fraction, write_number
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise

_LINES = MappingProxyType(
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
    }
)
_NEGATIVE_POWER = "( {a} ) ^ {b} = {r}"
"""Without the parentheses `-2 ^ 2` would be -4."""
_MOST_DECIMALS = 6
_LARGEST_DENOMINATOR = 1000


def explain_plan(plan: Plan, problem: Problem) -> Trace:
    """The executed program of a plan with its explanation as the rationale."""
    items: list[RationaleItem] = []
    results = results_of(plan, problem)
    for k, step in enumerate(plan.steps):
        items += _line(step, k, results)
    return compile_plan(plan, [*items, "Answer", ":", StatedAnswer()], problem)


def _line(step: PlanStep, k: int, results: Sequence[float]) -> Iterator[RationaleItem]:
    """The sentence for a step."""
    parts = dict(zip("ab", step.arguments, strict=False)) | {"r": Result(k)}
    line = _LINES[step.operation]
    match step:
        case PlanStep("Power", (Result(base), _)) if results[base] < 0:
            line = _NEGATIVE_POWER
        case _:
            pass
    for word in line.split():
        if word.startswith("{"):
            argument = parts[word[1]]
            is_result = isinstance(argument, Result)
            yield (
                WrittenResult(argument, _writing(results[argument.step])) if is_result else argument
            )
        else:
            yield from tokenise(word)
    yield "\n"


def _writing(value: float) -> Writing:
    """How to write a result: as a fraction if its decimals would be long, else plainly. It is never
    rounded, since later lines compute with it."""
    if len(write_number(value).partition(".")[2]) > _MOST_DECIMALS:
        try:
            fraction = write_fraction(value)
            if int(fraction.partition("/")[2]) <= _LARGEST_DENOMINATOR:
                return Writing("Float_to_Fraction")
        except NumeralError:
            pass
    return PLAIN
