"""A plan explained in sentences: one for each calculation, then the answer to the question.

Promises: `explain_in_sentences` compiles the plan with a sentence a line. Every equation is true as
it is written, with `≈` where something is rounded; every number is copied, computed or a documented
constant. The last sentence states the answer, says if it was rounded to match its option, and names
that option. A step that cannot be applied, or an answer that matches no option, raises
`ExecutionError`.

Does not cover: why a step is taken.
"""

from collections.abc import Iterable, Iterator

from scratchwork.explaining.calculations import CALCULATED, Calculations, Side, value_of
from scratchwork.explaining.closing import closing_sentence, is_cut, is_rounded, writing_of_answer
from scratchwork.explaining.joining import layout_of, resolved
from scratchwork.explaining.notation import notation_for
from scratchwork.explaining.terse import LINES
from scratchwork.machine.traces import Trace
from scratchwork.plans.compiling import RationaleItem, StatedAnswer, compile_plan, results_of
from scratchwork.plans.equations import EQUATION_STEPS, EquationWriter
from scratchwork.plans.plan import Argument, Plan, PlanStep, Result
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import source_tokens, tokenise

Items = list[RationaleItem]

_SIGNS = {"*": "×", "/": "÷", "-": "−"}


def explain_in_sentences(plan: Plan, problem: Problem) -> Trace:
    """The executed program of a plan with its explanation as the rationale."""
    stated = compile_plan(plan, [StatedAnswer()], problem)
    answer = option = None
    if stated.answer is not None:
        answer, option = stated.output[0], problem.options[problem.letters.index(stated.answer)]
    sentences = _Explainer(plan, problem, answer).sentences(option)
    return compile_plan(plan, lines_of(sentences), problem)


def lines_of(sentences: Iterable[Items]) -> Items:
    """Sentences as lines, each with its capital letter and its full stop."""
    items: Items = []
    for first, *rest in sentences:
        if isinstance(first, str) and first.isalpha() and len(first) > 1:
            first = first[0].upper() + first[1:]
        items += ["\n"] if items else []
        items += [first, *rest, "."]
    return items


class _Explainer:
    """Says what a plan computes."""

    def __init__(self, plan: Plan, problem: Problem, answer: str | None) -> None:
        self.plan, self.answer = plan, answer
        source = source_tokens(problem)
        self.results = results_of(plan.steps, problem)
        structure = layout_of(plan, self.results)
        self.last = resolved(plan.answer, structure.same)
        between = [self.results[k] for k in structure.stated if Result(k) != self.last]
        value = value_of(plan.answer, self.results, source)
        self.notation = notation_for(plan, source, between, value, answer)
        self.layout = layout_of(plan, self.results, lambda value: not self.notation.is_exact(value))
        self.calculations = Calculations(
            plan.steps, self.results, source, self.notation, self.layout
        )
        self.equations = EquationWriter(source, plan.steps, self.results)

    def sentences(self, option: str | None) -> Iterator[Items]:
        """The sentences, the last of which states the answer."""
        bodies = list(self.bodies())
        for k, (goes_on, body) in enumerate(bodies):
            is_told = len(bodies) == 1 and isinstance(body[0], str) and body[0].isalpha()
            yield body if is_told else [*_opening(k, len(bodies), goes_on), *body]
        yield closing_sentence(self.plan, self.answer, option, self.calculations)

    def bodies(self) -> Iterator[tuple[bool, Items]]:
        """What is said of each step, and whether it goes on with the result of the one before."""
        said: set[tuple[RationaleItem, ...]] = set()
        before: int | None = None
        for k, step in enumerate(self.plan.steps):
            if step.operation in EQUATION_STEPS:
                body = with_school_signs(self.equations.line(k))
            elif k in self.layout.stated:
                body = self.calculation(k, step)
            else:
                continue
            if tuple(body) not in said:
                said.add(tuple(body))
                yield before is not None and self.uses(k, before), body
            before = k

    def calculation(self, k: int, step: PlanStep) -> Items:
        """The calculation of a step with its result."""
        value = self.calculations.value(Result(k))
        is_last = self.last == Result(k)
        is_exact = self.notation.is_exact(value)
        writing = writing_of_answer(value, self.answer) if is_last and not is_exact else None
        result = self.calculations.result(k, writing)
        if step.operation not in CALCULATED:
            return list(self.in_words(step, result))
        left = self.calculations.left(k)
        sign = "=" if left.is_exact and result.is_exact else "≈"
        return [*left.items, sign, *result.items, *(self.rounded(value) if is_last else [])]

    def rounded(self, value: float) -> Items:
        """What a calculation's result is rounded to in its option, if that shows little of it."""
        if self.answer is None or not is_rounded(value, self.answer):
            return []
        is_shown = self.notation.is_fraction(value) or writing_of_answer(value, self.answer)
        return [] if is_shown or is_cut(value, self.answer) else ["≈", StatedAnswer()]

    def in_words(self, step: PlanStep, result: Side) -> Iterator[RationaleItem]:
        """The sentence of a step that has no sign."""
        sides = map(self.calculations.side, step.arguments)
        parts = dict(zip("ab", sides, strict=False)) | {"r": result}
        for word in LINES[step.operation].split():
            if not word.startswith("{"):
                yield from tokenise(word)
                continue
            part = parts[word[1]]
            if part is result and not result.is_exact:
                yield "about"
            yield from part.items

    def uses(self, k: int, before: int) -> bool:
        """Whether a step, with what stands inside it, uses the result of another."""
        waiting: list[Argument] = [*self.plan.steps[k].arguments]
        while waiting:
            argument = resolved(waiting.pop(), self.layout.same)
            if argument == Result(before):
                return True
            if isinstance(argument, Result) and argument.step not in self.layout.stated:
                waiting += self.plan.steps[argument.step].arguments
        return False


def with_school_signs(items: Iterable[RationaleItem]) -> Items:
    """With × and ÷ as signs."""
    return [_SIGNS.get(item, item) if isinstance(item, str) else item for item in items]


def _opening(k: int, count: int, goes_on: bool) -> list[str]:
    """The words that join a sentence to those before it."""
    if count == 1:
        return ["we", "have"]
    if k == 0:
        return ["first", ","]
    if k == count - 1 and count > 2:
        return ["finally", ","]
    return ["then"] if goes_on else ["next", ","]
