"""Units through the steps of a plan.

Promises: `quantities_in` gives for each step the units that its result may have, or that they are
not known, or why its arguments cannot be combined, in a sentence; `answer_clash` says why the
answer cannot be what the question asks for. A number without a unit fits every sum. Units of the
same kind but of different size clash in a sum (`2 km + 300 m`) unless a step has converted one.

Does not cover: whether a plan is right; most wrong plans have no clash. A step behind a clash is
not known, so that one mistake is told once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import radians

from scratchwork.machine.number_words import numbers_in
from scratchwork.plans.plan import Argument, Given, Plan, PlanConstant, PlanStep, Result
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number, tokenise
from scratchwork.quantities.asked import AskedQuantity, asked_in
from scratchwork.quantities.given import MERE, Quantity, quantities_of, silent_units
from scratchwork.quantities.likeness import answers, units_of_sum
from scratchwork.quantities.scaling import may_bring_unit, scaled_units
from scratchwork.quantities.units import NUMBER, PERCENT, Unit, unit_of
from scratchwork.quantities.wording import words_for

_OFTEN_MERE = (1.0, 2.0)
"""A plan that points at such a number often means the mere number."""
_LARGEST_CLAIMED = 3
"""Of a larger unit nothing is claimed: it was rather misread."""
_SHARED = tuple(map(unit_of, "s min h day week month".split()))
"""Times that many work, each all of it."""
_MOST_UNITS = 12
"""A result whose unit is one of more than so many has the likeliest of them."""


@dataclass(frozen=True, slots=True)
class StepQuantity:
    """What is known of the result of a step."""

    units: tuple[Unit, ...] = ()
    """The units it may have, the likeliest first; none if that is not known."""
    clash: str | None = None
    """Why the arguments cannot be combined."""
    constant: float | None = None
    """Its value, if it comes from constants alone."""
    is_mere: bool = False
    """Whether it is a mere number, which fits every sum."""
    is_sure: bool = True
    """False if a constant may have brought a unit of its own: the 1 of `1 / 20` may be a mile."""

    @property
    def unit(self) -> Unit | None:
        """The likeliest unit."""
        return self.units[0] if self.units else None


@dataclass(frozen=True, slots=True)
class ProblemQuantities:
    """What is read from a problem once, for all of its plans."""

    given: Mapping[int, Quantity]
    """By the place of a number, counted from 1."""
    meant: Mapping[int, StepQuantity]
    """What a plan may mean by a number: any of those with the same value."""
    in_words: frozenset[float]
    """Quantities that the question gives in words, which a plan may write as constants."""
    silent: tuple[Unit, ...]
    """Units by which a plan may multiply without saying so."""
    asked: AskedQuantity | None


UNKNOWN = StepQuantity()
_MERE = StepQuantity((NUMBER,), is_mere=True)


def read_quantities(problem: Problem) -> ProblemQuantities:
    """What the numbers of a problem measure, and what it asks for."""
    tokens = tokenise(problem.question)
    given = quantities_of(tokens)
    numbers = numbers_in(tokens)
    in_words = frozenset(
        value
        for k, value in numbers.items()
        if not is_number(tokens[k]) and k + 1 in given and given[k + 1] != MERE
    )
    return ProblemQuantities(
        given=given,
        meant=dict(_meant(numbers, given)),
        in_words=in_words,
        silent=silent_units(tokens, given),
        asked=asked_in(problem),
    )


def _meant(
    numbers: Mapping[int, float], given: Mapping[int, Quantity]
) -> Iterator[tuple[int, StepQuantity]]:
    places: dict[float, list[int]] = {}
    for k, value in numbers.items():
        places.setdefault(value, []).append(k + 1)
    for value, equal in places.items():
        known = [given[place].units if place in given else () for place in equal]
        mere = (NUMBER, PERCENT) if value == 100 else (NUMBER,) if value in _OFTEN_MERE else ()
        of_equals = tuple(dict.fromkeys(unit for units in known for unit in units))[:_MOST_UNITS]
        for place, units in zip(equal, known, strict=True):
            if units == (NUMBER,):
                yield place, _MERE
            elif all(known):
                likely_first = tuple(dict.fromkeys((*units, *of_equals, *mere)))
                yield place, StepQuantity(likely_first[:_MOST_UNITS])


def quantities_in(plan: Plan, known: ProblemQuantities) -> list[StepQuantity]:
    """What is known of the result of each step of a plan."""
    results: list[StepQuantity] = []
    for step in plan.steps:
        arguments = [_quantity_of(argument, known, results) for argument in step.arguments]
        results.append(_combined(step, arguments, known.silent))
    return results


def quantity_of_answer(
    plan: Plan, known: ProblemQuantities, steps: Sequence[StepQuantity]
) -> StepQuantity:
    """What is known of a plan's answer."""
    return _quantity_of(plan.answer, known, steps)


def answer_clash(answer: StepQuantity, known: ProblemQuantities) -> str | None:
    """Why an answer cannot be what is asked for, if that is certain."""
    asked = known.asked
    if asked is None or asked.dimension is None or not answer.units or answer.is_mere:
        return None
    units = [other for unit in answer.units for other in (unit, *_silently(unit, known.silent))]
    if not answer.is_sure or any(answers(unit, asked) for unit in units):
        return None
    if max(map(_size, answer.units)) > _LARGEST_CLAIMED:
        return None
    return f"the result is in {words_for(answer.units[0])}, which is not what is asked for"


def _quantity_of(
    argument: Argument, known: ProblemQuantities, results: Sequence[StepQuantity]
) -> StepQuantity:
    match argument:
        case Result(step):
            return results[step]
        case PlanConstant(numeral) if number_of(numeral) in known.in_words:
            return UNKNOWN
        case PlanConstant(numeral):
            return StepQuantity((NUMBER,), constant=number_of(numeral), is_mere=True)
        case Given(place):
            return known.meant.get(place, UNKNOWN)
        case _:
            return UNKNOWN


def _combined(
    step: PlanStep, arguments: Sequence[StepQuantity], silent: Sequence[Unit]
) -> StepQuantity:
    first = arguments[0]
    match step.operation:
        case "Add" | "Subtract" | "Min" | "Max":
            return _sum(step.operation, first, arguments[1], silent)
        case "Solve" | "Larger_Root" | "Smaller_Root":
            # Both sides of an equation are alike, but what is found may be something else.
            sides = _sum(step.operation, first, arguments[1], silent)
            return sides if sides.clash else UNKNOWN
        case "Gcd" | "Lcm" | "Remainder":
            return _like(first, arguments[1])
        case "Multiply":
            return _product(first, arguments[1])
        case "Divide":
            return _quotient(first, arguments[1])
        case "Percent":
            return arguments[1] if not arguments[1].is_mere else UNKNOWN
        case "Round" | "Floor" | "Ceiling" | "Absolute":
            return first
        case "Power":
            return _power(first, arguments[1])
        case "Sqrt":
            return _root(first)
        case "Degrees_to_Radians" if first.constant is not None:
            return StepQuantity((NUMBER,), constant=radians(first.constant), is_mere=True)
        case _:
            return UNKNOWN


def _constant(operation: str, a: float, b: float) -> float | None:
    if operation == "Add":
        return a + b
    if operation == "Subtract":
        return a - b
    if operation == "Multiply":
        return a * b
    return a / b if b else None


def _folded(operation: str, one: StepQuantity, other: StepQuantity) -> StepQuantity:
    """The result of two mere numbers."""
    if one.constant is None or other.constant is None:
        return _MERE
    value = _constant(operation, one.constant, other.constant)
    return StepQuantity((NUMBER,), constant=value, is_mere=True)


def _sum(
    operation: str, one: StepQuantity, other: StepQuantity, silent: Sequence[Unit]
) -> StepQuantity:
    if one.is_mere and other.is_mere:
        return _folded(operation, one, other) if operation in ("Add", "Subtract") else _MERE
    if not one.units or other.is_mere:
        return other if not one.units and not other.is_mere else one
    if not other.units or one.is_mere:
        return one if not other.units and not one.is_mere else other
    sums = (unit for u, v in product(one.units, other.units) for unit in units_of_sum(u, v))
    found = tuple(dict.fromkeys(sums))
    if found:
        return StepQuantity(found[:_MOST_UNITS], is_sure=one.is_sure and other.is_sure)
    if any(
        units_of_sum(silently, v)
        for u, v in (*product(one.units, other.units), *product(other.units, one.units))
        for silently in _silently(u, silent)
    ):
        return UNKNOWN
    is_sure = one.is_sure and other.is_sure
    if not is_sure or max(map(_size, (*one.units, *other.units))) > _LARGEST_CLAIMED:
        return UNKNOWN
    return StepQuantity(clash=_reason(operation, one.units[0], other.units[0]))


def _silently(unit: Unit, silent: Sequence[Unit]) -> Iterator[Unit]:
    """What a unit becomes when it is multiplied or divided by one that is not written."""
    for other in silent:
        for sign in (1, -1):
            found = unit.times(other, sign)
            if found is not None:
                yield found


def _reason(operation: str, one: Unit, other: Unit) -> str:
    a, b = words_for(one), words_for(other)
    match operation:
        case "Add":
            return f"{a} and {b} cannot be added"
        case "Subtract":
            return f"{b} cannot be taken from {a}"
        case _:
            return f"{a} and {b} cannot be compared"


def _like(one: StepQuantity, other: StepQuantity) -> StepQuantity:
    """The result of an operation that keeps a unit that both have."""
    if one.units == other.units and not one.is_mere:
        return one
    return one if other.is_mere else UNKNOWN


def _product(one: StepQuantity, other: StepQuantity) -> StepQuantity:
    if one.is_mere and other.is_mere:
        return _folded("Multiply", one, other)
    if not one.units or not other.units:
        return UNKNOWN
    if one.is_mere:
        one, other = other, one
    if other.is_mere:
        return _scaled(one, other.constant)
    units = [w for u, v in product(one.units, other.units) for w in _products(u, v)]
    return _of(units, is_sure=one.is_sure and other.is_sure)


def _products(one: Unit, other: Unit) -> Iterator[Unit | None]:
    """The units of a product. So many pieces at so much each are money, so many boys of some age
    are years, but men and days make man-days."""
    count, size = (one, other) if one.is_count else (other, one)
    if count.is_count and not size.nouns and size.dimension and size not in _SHARED:
        yield size
    yield one.times(other)


def _quotient(one: StepQuantity, other: StepQuantity) -> StepQuantity:
    if one.is_mere and other.is_mere:
        return _folded("Divide", one, other)
    if not one.units or not other.units:
        return UNKNOWN
    if other.is_mere:
        return _scaled(one, None if not other.constant else 1 / other.constant)
    above = (PERCENT, NUMBER) if one.constant == 100 else one.units
    units = [u.times(v, -1) for u, v in product(above, other.units)]
    if any(name == "%" for unit in above for name, _ in unit.factors):
        units.sort(key=_complexity)
    # What is done in 20 minutes is done by 1/20 a minute; another 1 may be a mile.
    is_work = all(unit.dimension == (("time", 1),) for unit in other.units)
    is_sure = one.is_sure and other.is_sure and (one.constant is None or is_work)
    return _of(units, is_sure=is_sure)


def _size(unit: Unit) -> int:
    """How large the exponents of a unit are together."""
    return sum(abs(n) for _, n in unit.measured.factors)


def _complexity(unit: Unit | None) -> int:
    """What a quotient rather is: a unit of few factors, but a percentage before a mere number."""
    if unit is None:
        return 0
    above = [name for name, n in unit.factors if n > 0]
    return len(unit.factors) - (2 if above == ["%"] else 0)


def _scaled(one: StepQuantity, factor: float | None) -> StepQuantity:
    """A quantity times a mere number, which may convert it."""
    if factor is None:
        return one
    units = (other for unit in one.units for other in scaled_units(unit, factor))
    # The 60 of `60 minutes` or the 360 of `360°` may have brought its unit along.
    brings = may_bring_unit(factor) and any(not unit.dimension for unit in one.units)
    return _of(units, is_sure=one.is_sure and not brings)


def _of(units: Iterable[Unit | None], *, is_sure: bool = True) -> StepQuantity:
    found: dict[Unit, None] = {}
    for unit in units:
        if unit is None:
            return UNKNOWN
        found[unit] = None
    return StepQuantity(tuple(found)[:_MOST_UNITS], is_sure=is_sure)


def _power(one: StepQuantity, exponent: StepQuantity) -> StepQuantity:
    if one.is_mere:
        return _MERE
    n = exponent.constant
    if not one.units or n is None or not n.is_integer() or abs(n) > 4:
        return UNKNOWN
    return _of(unit.to_power(int(n)) for unit in one.units)


def _root(one: StepQuantity) -> StepQuantity:
    if one.is_mere:
        return _MERE
    if not one.units:
        return UNKNOWN
    roots = [root for unit in one.units if (root := unit.root) is not None]
    return _of(roots) if roots else UNKNOWN
