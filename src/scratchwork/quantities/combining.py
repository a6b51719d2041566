"""Units through the steps of a plan.

Promises: `quantities_in` gives for each step the units that its result may have, or that they are
not known, or why its arguments cannot be combined, in a sentence; `answer_clash` says why the
answer cannot be what the question asks for. A number without a unit fits every sum. Units of the
same kind but of different size clash in a sum (`2 km + 300 m`) unless a step has converted one.

Does not cover: whether a plan is right; most wrong plans have no clash. A step behind a clash is
not known, so that one mistake is told once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from scratchwork.plans.plan import Argument, Given, Plan, PlanConstant, PlanStep, Result
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise
from scratchwork.quantities.asked import AskedQuantity, asked_in
from scratchwork.quantities.given import Quantity, quantities_of
from scratchwork.quantities.units import NUMBER, PERCENT, Unit
from scratchwork.quantities.wording import words_for

_MOST_UNITS = 4
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

    @property
    def unit(self) -> Unit | None:
        """The likeliest unit."""
        return self.units[0] if self.units else None


@dataclass(frozen=True, slots=True)
class ProblemQuantities:
    """What is read from a problem once, for all of its plans."""

    given: dict[int, Quantity]
    """By the place of a number, counted from 1."""
    asked: AskedQuantity | None


UNKNOWN = StepQuantity()
_MERE = StepQuantity((NUMBER,), is_mere=True)


def read_quantities(problem: Problem) -> ProblemQuantities:
    """What the numbers of a problem measure, and what it asks for."""
    return ProblemQuantities(dict(quantities_of(tokenise(problem.question))), asked_in(problem))


def quantities_in(plan: Plan, known: ProblemQuantities) -> list[StepQuantity]:
    """What is known of the result of each step of a plan."""
    results: list[StepQuantity] = []
    for step in plan.steps:
        arguments = [_quantity_of(argument, known, results) for argument in step.arguments]
        results.append(_combined(step, arguments))
    return results


def quantity_of_answer(
    plan: Plan, known: ProblemQuantities, steps: Sequence[StepQuantity]
) -> StepQuantity:
    """What is known of a plan's answer."""
    return _quantity_of(plan.answer, known, steps)


def answer_clash(answer: StepQuantity, asked: AskedQuantity | None) -> str | None:
    """Why an answer cannot be what is asked for, if that is certain."""
    if asked is None or asked.dimension is None or not answer.units or answer.is_mere:
        return None
    if any(_answers(unit, asked) for unit in answer.units):
        return None
    return f"the result is in {words_for(answer.units[0])}, which is not what is asked for"


def _answers(unit: Unit, asked: AskedQuantity) -> bool:
    if not asked.dimension:
        # A count, a percentage or a ratio is asked for.
        return not unit.dimension
    return unit.dimension == asked.dimension


def _quantity_of(
    argument: Argument, known: ProblemQuantities, results: Sequence[StepQuantity]
) -> StepQuantity:
    match argument:
        case Result(step):
            return results[step]
        case PlanConstant(numeral):
            return StepQuantity((NUMBER,), constant=number_of(numeral), is_mere=True)
        case Given(place):
            quantity = known.given.get(place)
            if quantity is None or not quantity.units:
                return UNKNOWN
            return _MERE if quantity.units == (NUMBER,) else StepQuantity(quantity.units)
        case _:
            return UNKNOWN


def _combined(step: PlanStep, arguments: Sequence[StepQuantity]) -> StepQuantity:
    first = arguments[0]
    match step.operation:
        case "Add" | "Subtract" | "Min" | "Max" | "Solve" if len(arguments) == 2:
            return _sum(step.operation, first, arguments[1])
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
            return StepQuantity(
                (NUMBER,), constant=first.constant * 0.017453292519943295, is_mere=True
            )
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


def _sum(operation: str, one: StepQuantity, other: StepQuantity) -> StepQuantity:
    if one.is_mere and other.is_mere:
        return _folded(operation, one, other) if operation in ("Add", "Subtract") else _MERE
    if not one.units or other.is_mere:
        return other if not one.units and not other.is_mere else one
    if not other.units or one.is_mere:
        return one if not other.units and not one.is_mere else other
    pairs = list(product(one.units, other.units))
    like = [u for u, v in pairs if u == v]
    if like:
        return StepQuantity(tuple(dict.fromkeys(like)))
    # Boys and girls are children, and what one pays for pens and for books is money.
    alike = [u.measured for u, v in pairs if u.measured == v.measured]
    if alike:
        return StepQuantity(tuple(dict.fromkeys(alike))) if alike[0].factors else UNKNOWN
    if any(not u.dimension and not v.dimension for u, v in pairs):
        return UNKNOWN
    return StepQuantity(clash=_reason(operation, one.units[0], other.units[0]))


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
    return _of(u.times(v) for u, v in product(one.units, other.units))


def _quotient(one: StepQuantity, other: StepQuantity) -> StepQuantity:
    if one.is_mere and other.is_mere:
        return _folded("Divide", one, other)
    if not one.units or not other.units:
        return UNKNOWN
    if other.is_mere:
        return _scaled(one, None if not other.constant else 1 / other.constant)
    return _of(u.times(v, -1) for u, v in product(one.units, other.units))


def _scaled(one: StepQuantity, factor: float | None) -> StepQuantity:
    """A quantity times a mere number, which may convert it."""
    if factor is None:
        return one
    converted = [
        other
        for unit in one.units
        for other in _percent_converted(unit, factor) or unit.converted(factor)
    ]
    return _of([*converted, *one.units])


def _percent_converted(unit: Unit, factor: float) -> tuple[Unit, ...]:
    """What 100 does to a percentage."""
    if abs(factor - 100) > 1e-9 and abs(factor - 0.01) > 1e-9:
        return ()
    sign = -1 if factor < 1 else 1
    exponent = dict(unit.factors).get("%", 0)
    if exponent * sign < 0:
        other = unit.times(PERCENT, sign)
        return () if other is None else (other,)
    if not unit.factors and sign > 0:
        return (PERCENT,)
    return ()


def _of(units: Iterable[Unit | None]) -> StepQuantity:
    found: dict[Unit, None] = {}
    for unit in units:
        if unit is None:
            return UNKNOWN
        found[unit] = None
    return StepQuantity(tuple(found)[:_MOST_UNITS])


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
