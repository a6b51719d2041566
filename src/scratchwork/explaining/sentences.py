"""A plan explained in sentences: one for each calculation, then the answer to the question.

Promises: `explain_in_sentences` compiles the plan with a sentence a line. Every equation is true as
it is written, with `≈` where something is rounded; every number is copied, computed or a documented
constant. The last sentence states the answer, says if it was rounded to match its option, and names
that option. A step that cannot be applied, or an answer that matches no option, raises
`ExecutionError`.

Does not cover: why a step is taken.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from scratchwork.explaining.calculations import (
    CALCULATED,
    RAISED_DIGITS,
    Calculations,
    value_of,
    written_with_sign,
)
from scratchwork.explaining.closing import closing_sentence, is_cut, is_rounded, writing_of_answer
from scratchwork.explaining.joining import has_parts, joining_of, resolved
from scratchwork.explaining.labels import Labels
from scratchwork.explaining.notation import is_short, notation_for, places_of
from scratchwork.explaining.telling import words_for_calculation
from scratchwork.machine.operations import Value
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
from scratchwork.plans.equations import EQUATION_STEPS, EquationWriter
from scratchwork.plans.plan import (
    Argument,
    Given,
    Plan,
    PlanConstant,
    PlanStep,
    PlanUnknown,
    Result,
)
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import source_tokens, tokenise
from scratchwork.quantities.units import NUMBER, PERCENT

Items = list[RationaleItem]

_SHOW_UNITS = frozenset("Add Subtract Multiply Divide Percent".split())
_SIGNS = {"*": "×", "/": "÷", "-": "−"}


def explain_in_sentences(plan: Plan, problem: Problem) -> Trace:
    """The executed program of a plan with its explanation as the rationale."""
    stated = compile_plan(plan, [StatedAnswer()], problem)
    answer = option = None
    if stated.answer is not None:
        answer, option = stated.output[0], problem.options[problem.letters.index(stated.answer)]
    sentences = _Explainer(plan, problem, answer, option).sentences()
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


def calculation_sentences(
    plan: Plan, results: Sequence[Value], source: Sequence[str], written: str | None
) -> Iterator[tuple[int, Items]]:
    """The calculations of a plan without units, each with its step; `written` is how the answer
    will be written."""
    joining = joining_of(plan, results, lambda _: False)
    last = resolved(plan.answer, joining.same)
    between = [results[k] for k in joining.stated if Result(k) != last]
    value = value_of(plan.answer, results, source)
    notation = notation_for(plan, source, between, value, written, prefers_decimals=False)
    calculations = Calculations(plan.steps, results, source, notation, joining)
    for k in joining.stated:
        if plan.steps[k].operation not in EQUATION_STEPS:
            yield k, calculations.equation(k)


class _Told(NamedTuple):
    """What is said of a step."""

    items: Items
    opens: bool = False
    """Whether it is a sentence by itself."""


class _Explainer:
    """Says what a plan computes."""

    def __init__(
        self, plan: Plan, problem: Problem, answer: str | None, option: str | None
    ) -> None:
        self.plan, self.answer, self.option = plan, answer, option
        self.source = source = source_tokens(problem)
        self.results = results_of(plan.steps, problem)
        self.labels = Labels(plan, problem)
        self.question = frozenset(token.lower() for token in tokenise(problem.question))
        structure = joining_of(plan, self.results, self.labels.is_percentage)
        self.last = resolved(plan.answer, structure.same)
        between = [self.results[k] for k in structure.stated if Result(k) != self.last]
        value = value_of(plan.answer, self.results, source)
        self.notation = notation_for(
            plan,
            source,
            between,
            value,
            answer,
            prefers_decimals=self.labels.prefer_decimals,
            has_parts=has_parts(plan, structure),
        )
        self.joining = joining_of(
            plan,
            self.results,
            self.labels.is_percentage,
            lambda value: not self.notation.is_exact(value),
        )
        self.calculations = Calculations(
            plan.steps, self.results, source, self.notation, self.joining
        )
        self.equations = EquationWriter(source, plan.steps, self.results)

    def sentences(self) -> Iterator[Items]:
        """The sentences, the last of which states the answer."""
        letters = {
            one.letter
            for step in self.plan.steps
            for one in step.arguments
            if isinstance(one, PlanUnknown)
        }
        if letters:
            names = [item for letter in sorted(letters) for item in ("and", letter)][1:]
            yield ["let", *names, "be", "the", "unknown" if len(letters) == 1 else "unknowns"]
        bodies = list(self.bodies())
        for k, (goes_on, told) in enumerate(bodies):
            is_whole = told.opens or (len(bodies) == 1 and _begins_with_word(told.items))
            opening = [] if is_whole else _opening(k, len(bodies), goes_on)
            yield [*opening, *told.items]
        yield closing_sentence(
            self.plan,
            self.answer,
            self.option,
            self.calculations,
            self.labels,
            follows=bool(bodies),
        )

    def bodies(self) -> Iterator[tuple[bool, _Told]]:
        """What is said of each step, and whether it goes on with the result of the one before."""
        said: set[tuple[RationaleItem, ...]] = set()
        before: int | None = None
        for k, step in enumerate(self.plan.steps):
            if step.operation in EQUATION_STEPS:
                told = _Told(as_at_school(self.equations.line(k), self.results, self.source))
            elif k in self.joining.stated:
                told = self.told(k, step)
            else:
                continue
            if tuple(told.items) not in said:
                said.add(tuple(told.items))
                yield before is not None and self.uses(k, before), told
            before = k

    def told(self, k: int, step: PlanStep) -> _Told:
        """The calculation of a step, with units and what it is called where these are known."""
        plain = self.calculation(k, self.calculations)
        numbers = self.calculations.numbers(k)
        given = [one for one in numbers if not self.is_constant(one)]
        if self.is_made_percentage(k, step, numbers):
            return _Told([*"as a percentage , that is".split(), *plain, "%"])
        units = [unit for one in numbers if (unit := self.labels.unit(one)) is not None]
        result = self.labels.unit(Result(k))
        is_known = result is not None and len(units) == len(numbers)
        if result is None or not is_known or step.operation not in _SHOW_UNITS:
            return _Told(plain)
        if len(given) == 1 and len(numbers) > 1:
            converted = self.converted(k, given[0], plain)
            if converted is not None:
                return converted
        is_product = step.operation in ("Multiply", "Divide") and k not in self.joining.shares
        is_mixed = 1 < len(given) < len(numbers)
        is_joined = any(Result(j) in step.arguments for j in self.joining.joined)
        is_unclear = (is_product and is_mixed) or (PERCENT in units and (is_product or is_joined))
        if is_unclear or not all(map(self.is_written, (*numbers, Result(k)))):
            return _Told(plain)
        whole = "%" if result == PERCENT and not is_product else None
        with_units = self.calculation(k, self.calculations.with_units(self.labels, whole))
        if k in self.joining.shares:
            return _Told(with_units)
        are_given = all(isinstance(one, Given) for one in numbers)
        words = words_for_calculation(
            step.operation, units, result, self.question, are_given=are_given
        )
        return _Told([*words.words, *with_units], words.opens)

    def is_made_percentage(self, k: int, step: PlanStep, numbers: Sequence[Argument]) -> bool:
        """Whether a step makes the percentage that is asked for by multiplying with 100."""
        asked = self.labels.asked
        is_asked = self.last == Result(k) and asked is not None and asked.unit == PERCENT
        return is_asked and step.operation == "Multiply" and PlanConstant("100") in numbers

    def converted(self, k: int, given: Argument, plain: Items) -> _Told | None:
        """The sentence of a step that only changes the unit of a number."""
        unit, result = self.labels.unit(given), self.labels.unit(Result(k))
        assert unit is not None
        assert result is not None
        if unit == PERCENT and result == NUMBER:
            return _Told([*self.calculations.bare(given).items, "%", "is", *plain])
        if unit == result or unit.dimension != result.dimension or not unit.dimension:
            return None
        _, name = self.labels.around(result, 2.0) or ((), ())
        if not name:
            return None
        with_units = self.calculations.with_units(self.labels)
        start, end = with_units.side(given), with_units.result(k)
        sign = max(j for j, item in enumerate(plain) if item in ("=", "≈"))
        calculation = [*plain[: sign + 1], *end.items]
        return _Told(["in", *name, ":", *start.items, "=", *calculation], True)

    def is_constant(self, argument: Argument) -> bool:
        """Whether a number is a constant or a quotient of constants."""
        is_factor = isinstance(argument, Result) and argument.step in self.joining.factors
        return is_factor or isinstance(argument, PlanConstant)

    def is_written(self, argument: Argument) -> bool:
        """Whether a number can be written with its unit."""
        unit = self.labels.unit(argument)
        if unit is None:
            return False
        return self.labels.around(unit, self.calculations.value(argument)) is not None

    def calculation(self, k: int, calculations: Calculations) -> Items:
        """The calculation of a step with its result."""
        if self.last != Result(k):
            return calculations.equation(k)
        value = calculations.value(Result(k))
        is_exact = self.notation.is_exact(value)
        writing = None if is_exact else self.writing_of_answer(value)
        is_told = self.plan.steps[k].operation not in CALCULATED
        return [*calculations.equation(k, writing), *([] if is_told else self.rounded(value))]

    def writing_of_answer(self, value: float) -> Writing | None:
        """How the last calculation writes the answer, if in a way of its own."""
        return writing_of_answer(value, self.answer, self.option)

    def rounded(self, value: float) -> Items:
        """What a calculation's result is rounded to in its option, if that shows little of it."""
        if self.answer is None or not is_rounded(value, self.answer):
            return []
        is_shown = self.notation.is_fraction(value) or (
            not self.notation.is_exact(value) and self.writing_of_answer(value) is not None
        )
        return [] if is_shown or is_cut(value, self.answer) else ["≈", StatedAnswer()]

    def uses(self, k: int, before: int) -> bool:
        """Whether a step, with what stands inside it, uses the result of another."""
        waiting: list[Argument] = [*self.plan.steps[k].arguments]
        while waiting:
            argument = resolved(waiting.pop(), self.joining.same)
            if argument == Result(before):
                return True
            if isinstance(argument, Result) and argument.step not in self.joining.stated:
                waiting += self.plan.steps[argument.step].arguments
        return False


def _begins_with_word(items: Items) -> bool:
    return isinstance(items[0], str) and len(items[0]) > 1 and items[0].isalpha()


def as_at_school(
    items: Iterable[RationaleItem], results: Sequence[Value], source: Sequence[str]
) -> Items:
    """An equation with × and ÷ as signs, raised digits, minus signs apart, and no long decimals."""
    written: Items = []
    for item in items:
        exponent = RAISED_DIGITS.get(_numeral(item, source))
        if exponent is not None and written[-1:] == ["^"]:
            written[-1] = exponent
        elif isinstance(item, WrittenResult) and isinstance(
            value := results[item.result.step], float
        ):
            writing = item.writing
            places = None if writing != PLAIN or is_short(value) else places_of(value)
            if places is not None:
                writing = Writing("Float_to_Decimal", places)
                written[-1:] = ["≈" if sign == "=" else sign for sign in written[-1:]]
            written += written_with_sign(item.result, value, writing)
        else:
            written.append(_SIGNS.get(item, item) if isinstance(item, str) else item)
    return written


def _numeral(item: RationaleItem, source: Sequence[str]) -> str:
    match item:
        case PlanConstant(numeral):
            return numeral
        case Given(place):
            return source[place - 1]
        case _:
            return ""


def _opening(k: int, count: int, goes_on: bool) -> list[str]:
    """The words that join a sentence to those before it."""
    if count == 1:
        return ["we", "have"]
    if k == 0:
        return ["first", ","]
    if k == count - 1 and count > 2:
        return ["finally", ","]
    return ["then"] if goes_on else ["next", ","]
