"""The calculations of a derivation: which steps share one, and how it is written.

Promises: `Calculations` writes a step on numbers as its calculation, `45 × 1000 ÷ 3600`, with the
brackets that it needs and no others. A step that only prepares the next is written inside it; one
that changes nothing, such as a product with 1, is not written at all. `sign` is `=` only where
everything on both sides is written in full, else `≈`.

Does not cover: expressions in unknowns; see `plans.equations`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from scratchwork.explaining.joining import Joining, is_pi, resolved
from scratchwork.explaining.labels import Labels
from scratchwork.explaining.notation import FRACTION, Notation
from scratchwork.explaining.terse import LINES
from scratchwork.machine.number_words import numbers_in, numeral_of
from scratchwork.machine.operations import Value
from scratchwork.machine.writing import Writing
from scratchwork.plans.compiling import PLAIN, RationaleItem, WrittenResult, WrittenSize
from scratchwork.plans.plan import Argument, Given, PlanConstant, PlanStep, Result
from scratchwork.problems.numerals import number_of, write_number
from scratchwork.problems.tokens import is_number, tokenise

_ALONE, _SUM, _PRODUCT, _POWER, _ATOM = range(5)
_NOISE = 1e-9
_SIGNS = MappingProxyType(
    {
        "Add": (_SUM, "+", _SUM, _SUM),
        "Subtract": (_SUM, "−", _SUM, _PRODUCT),
        "Multiply": (_PRODUCT, "×", _PRODUCT, _PRODUCT),
        "Divide": (_PRODUCT, "÷", _PRODUCT, _POWER),
        "Power": (_POWER, "^", _ATOM, _ATOM),
        "Choose": (_POWER, "C", _ATOM, _ATOM),
        "Permutations": (_POWER, "P", _ATOM, _ATOM),
    }
)
"""How strongly an operation binds, its sign, and how strongly its arguments must bind."""
_WAYS = MappingProxyType({"Choose": "choose", "Permutations": "arrange"})
RAISED_DIGITS = MappingProxyType({"2": "²", "3": "³"})
"""The powers that are written with a raised digit."""
CALCULATED = _SIGNS.keys() | {"Percent", "Sqrt", "Factorial"}
"""The operations that are written with signs; the others take words."""


@dataclass(frozen=True, slots=True)
class Side:
    """A calculation or a number, as it is written."""

    items: tuple[RationaleItem, ...]
    strength: int
    """How strongly what is on top of it binds."""
    is_exact: bool = True
    """Whether all its numbers are written in full."""

    def bracketed(self, least: int) -> "Side":
        """In brackets, if it does not bind strongly enough."""
        if self.strength >= least:
            return self
        return Side(("(", *self.items, ")"), _ATOM, self.is_exact)


class Calculations:
    """Writes the calculations of a plan in one notation."""

    def __init__(
        self,
        steps: Sequence[PlanStep],
        results: Sequence[Value],
        source: Sequence[str],
        notation: Notation,
        joining: Joining,
        labels: Labels | None = None,
        whole: str | None = None,
    ) -> None:
        self.steps, self.results, self.source = steps, results, source
        self.notation, self.joining = notation, joining
        self.labels, self.whole = labels, whole

    def with_units(self, labels: Labels, whole: str | None = None) -> "Calculations":
        """The same with the unit of every number beside it; with `whole`, a sign behind constants
        as well."""
        return Calculations(
            self.steps, self.results, self.source, self.notation, self.joining, labels, whole
        )

    def left(self, k: int) -> Side:
        """The calculation of a step, without its result."""
        step = self.steps[k]
        if k in self.joining.shares:
            percentage, whole = self.joining.shares[k]
            share = self.bare(percentage).bracketed(_ATOM)
            base = self.side(whole).bracketed(_POWER)
            return Side((*share.items, "%", "of", *base.items), _PRODUCT, base.is_exact)
        if step.operation == "Sqrt":
            inner = self.side(step.arguments[0]).bracketed(_ATOM)
            return Side(("√", *inner.items), _POWER, inner.is_exact)
        if step.operation == "Degrees_to_Radians":
            inner = self.side(step.arguments[0]).bracketed(_ATOM)
            return Side((*inner.items, "°"), _ATOM, inner.is_exact)
        if step.operation == "Factorial":
            inner = self.side(step.arguments[0]).bracketed(_ATOM)
            return Side((*inner.items, "!"), _POWER, inner.is_exact)
        strength, sign, least, least_after = _SIGNS[step.operation]
        first, second = step.arguments
        left = self.side(first).bracketed(least)
        if step.operation == "Power":
            exponent = RAISED_DIGITS.get(write_number(self.value(second)))
            if exponent is not None:
                return Side((*left.items, exponent), strength, left.is_exact)
        right = self.side(second).bracketed(least_after)
        items = (*left.items, *sign.split(), *right.items)
        return Side(items, strength, left.is_exact and right.is_exact)

    def side(self, argument: Argument) -> Side:
        """A number, or the calculation that stands for it, with its unit where units are shown."""
        is_written = not (
            isinstance(argument, Result)
            and (argument.step in self.joining.same or argument.step in self.joining.joined)
        )
        bare = self.bare(argument)
        return self.labelled(argument, bare) if is_written else bare

    def labelled(self, argument: Argument, side: Side) -> Side:
        """A number with its unit, where units are shown."""
        unit = None if self.labels is None else self.labels.unit(argument)
        if self.labels is None or unit is None:
            return side
        if isinstance(argument, PlanConstant) and self.whole is not None:
            return Side((*side.items, self.whole), side.strength, side.is_exact)
        before, after = self.labels.around(unit, self.value(argument)) or ((), ())
        return Side((*before, *side.items, *after), side.strength, side.is_exact)

    def bare(self, argument: Argument) -> Side:
        """A number, or the calculation that stands for it, without a unit of its own."""
        match argument:
            case Result(k) if k in self.joining.same:
                return self.side(self.joining.same[k])
            case Result(k) if is_pi(self.steps[k]):
                return Side(("π",), _ATOM, is_exact=False)
            case Result(k) if k in self.joining.factors:
                return Side((WrittenResult(argument, FRACTION),), _PRODUCT)
            case Result(k) if k in self.joining.joined:
                return self.left(k)
            case Result(k):
                value = self.value(argument)
                is_exact = self.notation.is_exact(value)
                items = written_with_sign(argument, value, self.writing(argument))
                strength = _PRODUCT if self.notation.is_fraction(value) else _ATOM
                return Side(items, _ALONE if value < 0 else strength, is_exact)
            case PlanConstant(numeral):
                numeral = self.notation.of_constant(numeral)
                return Side((PlanConstant(numeral),), _PRODUCT if "/" in numeral else _ATOM)
            case Given(place):
                numeral = self.source[place - 1]
                if not is_number(numeral):
                    numeral = numeral_of(numbers_in(self.source)[place - 1])
                    if self.notation.of_constant(numeral) != numeral:
                        return self.side(PlanConstant(numeral))
                return Side((argument,), _PRODUCT if "/" in numeral else _ATOM)
            case _:
                raise AssertionError(f"{argument} is no number")

    def result(self, k: int, writing: Writing | None = None) -> Side:
        """The result of a step, in the notation or in a way of its own."""
        value = self.value(Result(k))
        is_exact = (
            self.notation.is_exact(value) if writing is None else writes_fully(value, writing)
        )
        items = written_with_sign(Result(k), value, writing or self.writing(Result(k)))
        return self.labelled(Result(k), Side(items, _ATOM, is_exact))

    def writing(self, result: Result) -> Writing:
        """How a result is written: amounts of money with their cents."""
        value = self.value(result)
        is_money = self.labels is not None and self.labels.is_money(result)
        return self.notation.of_money(value) if is_money else self.notation.of_value(value)

    def equation(self, k: int, writing: Writing | None = None) -> list[RationaleItem]:
        """A step with its result, which may be written in a way of its own."""
        step, result = self.steps[k], self.result(k, writing)
        if step.operation in CALCULATED:
            left = self.left(k)
            sign = "=" if left.is_exact and result.is_exact else "≈"
            equation = [*left.items, sign, *result.items]
            doing = _WAYS.get(step.operation)
            if doing is None:
                return equation
            all_of, some = map(self.side, step.arguments)
            ways = [*equation, "ways", "to", doing, *some.items, "out", "of", *all_of.items]
            return ["there", "are", *ways]
        sides = map(self.side, step.arguments)
        parts = dict(zip("ab", sides, strict=False))
        items: list[RationaleItem] = []
        for word in LINES[step.operation].split():
            if word == "{r}":
                if not result.is_exact:
                    items[-1:] = ["≈"] if items[-1] == "=" else [items[-1], "about"]
                items += result.items
            elif word.startswith("{"):
                items += parts[word[1]].items
            else:
                items += tokenise(word)
        return items

    def numbers(self, k: int) -> list[Argument]:
        """The numbers in the calculation of a step, those of steps inside it among them."""
        found: list[Argument] = []
        for argument in self.joining.shares.get(k, self.steps[k].arguments):
            number = resolved(argument, self.joining.same)
            if isinstance(number, Result) and number.step in self.joining.joined:
                found += self.numbers(number.step)
            else:
                found.append(number)
        return found

    def value(self, argument: Argument) -> float:
        """The value of a number."""
        return value_of(argument, self.results, self.source)


def written_with_sign(result: Result, value: float, writing: Writing) -> tuple[RationaleItem, ...]:
    """A result as it is written, the minus sign apart."""
    if value < 0:
        return "-", WrittenSize(result, writing)
    return (WrittenResult(result, writing),)


def writes_fully(value: float, writing: Writing) -> bool:
    """Whether a number is not rounded when it is written in this way."""
    if writing == PLAIN:
        return abs(float(write_number(value)) - value) <= _NOISE * max(abs(value), 1)
    return writing.operation != "Float_to_Decimal"


def value_of(argument: Argument, results: Sequence[Value], source: Sequence[str]) -> float:
    """The value of a number of a plan."""
    match argument:
        case Result(k):
            value = results[k]
        case Given(place):
            value = numbers_in(source)[place - 1]
        case PlanConstant(numeral):
            value = number_of(numeral)
        case _:
            value = None
    assert isinstance(value, float)
    return value
