"""How the expressions and equations of a plan are written: `2x + 3 = 15, so x = 6`.

Promises: `EquationWriter` writes an expression as its steps made it, so that every number in it is
copied or computed, with the brackets that it needs and no others. `line` is the sentence of a step
that solves an equation. What cannot be written so, or only at great length, is left out of it.

Does not cover: the sentences of steps on numbers alone; see `explaining`.
"""

from collections.abc import Iterator, Sequence

from scratchwork.machine.expressions import RationalExpression
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.operations import Value
from scratchwork.machine.writing import Writing
from scratchwork.plans.compiling import (
    AS_IT_IS,
    PLAIN,
    RationaleItem,
    WrittenCoefficient,
    WrittenResult,
)
from scratchwork.plans.plan import (
    Argument,
    Given,
    PlanConstant,
    PlanStep,
    PlanUnknown,
    PlanWord,
    Result,
)
from scratchwork.problems.numerals import NumeralError, write_fraction, write_number
from scratchwork.problems.tokens import is_number

EQUATION_STEPS = frozenset({"Solve", "Larger_Root", "Smaller_Root", "Express", "Coefficient"})
"""The operations whose sentences have an expression in them."""

_MOST_DECIMALS = 6
_LARGEST_DENOMINATOR = 1000
_LONGEST_SIDE = 40
"""Items of the longest expression that is written."""
_SIGNS = {
    "Add": (1, "+", 1, 1),
    "Subtract": (1, "-", 1, 2),
    "Multiply": (2, "*", 2, 3),
    "Divide": (2, "/", 2, 3),
    "Power": (3, "^", 4, 4),
    "Percent": (2, "% of", 4, 3),
}
"""How strongly an operation binds, its sign, and how strongly its arguments must bind."""
_ALONE, _SUM, _PRODUCT, _ATOM = 0, 1, 2, 4

_Written = tuple[list[RationaleItem], int]
"""The items of an expression, and how strongly what is on top of it binds."""


def writing_of(value: float) -> Writing:
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


def written_value(value: float, writing: Writing | None = None) -> str:
    """A result as it is written, plainly or as a fraction."""
    is_plain = (writing or writing_of(value)) == PLAIN
    return write_number(value) if is_plain else write_fraction(value)


def sign_before(value: float) -> str:
    """The sign before a result: `≈` where it is not written in full, as a root may be."""
    is_plain = writing_of(value) == PLAIN
    return "≈" if is_plain and float(write_number(value)) != value else "="


class EquationWriter:
    """Writes the expressions and equations of a plan."""

    def __init__(
        self, source: Sequence[str], steps: Sequence[PlanStep], results: Sequence[Value]
    ) -> None:
        self.source = source
        self.steps = steps
        self.results = results
        self._known: dict[int, _Written | None] = {}
        """What is written for each step that gives an expression."""

    def line(self, k: int) -> Iterator[RationaleItem]:
        """The sentence of a step that solves an equation or takes a number out of an expression."""
        operation, unknown = self.steps[k].operation, self._unknown(k)
        first, second = (self.side(argument) for argument in self.steps[k].arguments)
        found = self.side(Result(k))
        if operation == "Coefficient":
            yield from (*(first or ["it"]), "has", *found, "before", *unknown, "^", *second)
            return
        is_written = bool(first and second)
        if is_written:
            yield from (*first, "=", *second, ",")
        if operation in ("Larger_Root", "Smaller_Root"):
            size = operation.partition("_")[0].lower()
            yield from ("and" if is_written else "so", "the", size, "root", "is")
        else:
            yield "so"
        yield from (*unknown, "=", *found) if found else (*unknown, "is", "known")

    def number(self, argument: Argument) -> RationaleItem:
        """A number of the plan as it is written."""
        match argument:
            case Result(k):
                result = self.results[k]
                assert isinstance(result, float | str)
                is_word = isinstance(result, str)
                return WrittenResult(argument, AS_IT_IS if is_word else writing_of(result))
            case PlanUnknown(letter):
                return letter
            case _:
                return argument

    def _is_negative(self, result: Result) -> bool:
        """Whether a result is a number below zero."""
        value = self.results[result.step]
        return isinstance(value, float) and value < 0

    def side(self, argument: Argument) -> list[RationaleItem]:
        """An expression or a number that stands alone; nothing if it cannot be written."""
        return self.bracketed(argument, _ALONE)

    def bracketed(self, argument: Argument, least: int) -> list[RationaleItem]:
        """An expression or a number, in brackets if it does not bind strongly enough."""
        written = self._written(argument)
        if written is None:
            return []
        items, strength = written
        return items if strength >= least else ["(", *items, ")"]

    def _written(self, argument: Argument) -> _Written | None:
        is_result = isinstance(argument, Result)
        if not is_result or isinstance(self.results[argument.step], float | str):
            return [self.number(argument)], self._strength(argument)
        k = argument.step
        if k not in self._known:
            is_expressed = self.steps[k].operation == "Express"
            written = self._from_value(k) if is_expressed else self._from_step(self.steps[k])
            self._known[k] = written if written and len(written[0]) <= _LONGEST_SIDE else None
        return self._known[k]

    def _strength(self, number: Argument) -> int:
        """How strongly a number binds: one with a sign not at all, a fraction as a quotient."""
        match number:
            case Result() if self._is_negative(number):
                return _ALONE
            case Result(k):
                value = self.results[k]
                is_plain = isinstance(value, float) and writing_of(value) == PLAIN
                return _ATOM if is_plain else _PRODUCT
            case PlanConstant(numeral):
                return _PRODUCT if "/" in numeral else _ATOM
            case Given(place):
                numeral = self.source[place - 1]
                if is_number(numeral):
                    return _PRODUCT if "/" in numeral else _ATOM
                return _ATOM if numbers_in(self.source)[place - 1].is_integer() else _PRODUCT
            case PlanUnknown() | PlanWord():
                return _ATOM

    def _from_step(self, step: PlanStep) -> _Written | None:
        """An expression as its last operation makes it."""
        strength, sign, least, least_after = _SIGNS[step.operation]
        first, second = step.arguments
        if step.operation == "Multiply" and self._is_number(second):
            first, second = second, first  # 2x rather than x * 2
        left, right = self.bracketed(first, least), self.bracketed(second, least_after)
        if not left or not right:
            return None
        is_plain_number = self._is_number(first) and self._strength(first) == _ATOM
        begins_with_letter = isinstance(right[0], str) and right[0].isalpha()
        if step.operation == "Multiply" and is_plain_number and begins_with_letter:
            return [*left, *right], strength
        return [*left, *sign.split(), *right], strength

    def _is_number(self, argument: Argument) -> bool:
        if isinstance(argument, Result):
            return isinstance(self.results[argument.step], float)
        return not isinstance(argument, PlanUnknown)

    def _from_value(self, k: int) -> _Written | None:
        """A polynomial in one unknown by its coefficients."""
        value = self.results[k]
        assert isinstance(value, RationalExpression)
        if not value.is_polynomial or not value.numerator.terms:
            return None
        terms = value.numerator.as_written
        items: list[RationaleItem] = []
        for letters, number in terms:
            items += ["-"] if number < 0 else ["+"] if items else []
            power = len(letters)
            if not letters or abs(number) != 1:
                size = writing_of(float(abs(number)))
                item = WrittenCoefficient(Result(k), power, size)
                items += ["(", item, ")"] if letters and size != PLAIN else [item]
            items += [letters[0]] if letters else []
            items += ["^", PlanConstant(str(power))] if power > 1 else []
        return items, _SUM if len(items) > 2 or items[0] == "-" else _PRODUCT

    def _unknown(self, k: int) -> list[str]:
        """The letter that a step solves for."""
        letters = {letter for part in self.steps[k].arguments for letter in self._letters(part)}
        letters -= self._letters(Result(k))
        return sorted(letters) if len(letters) == 1 else ["the", "unknown"]

    def _letters(self, argument: Argument) -> set[str]:
        match argument:
            case PlanUnknown(letter):
                return {letter}
            case Result(k) if isinstance(value := self.results[k], RationalExpression):
                return set(value.numerator.unknowns) | set(value.denominator.unknowns)
            case _:
                return set()
