"""What the numbers of a plan measure, as far as a derivation may say so.

Promises: `Labels` gives the unit of a number of a plan where it is certain enough to be shown, and
the words around a number in that unit. Where units clash, where a constant is added, or where a
product with a constant may have made something else of what is counted, nothing is shown.

Does not cover: the sentences themselves.
"""

from collections.abc import Sequence
from types import MappingProxyType

from scratchwork.plans.plan import Argument, Given, Plan, PlanConstant, PlanStep, Result
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise
from scratchwork.quantities.asked import AskedQuantity
from scratchwork.quantities.combining import (
    answer_clash,
    quantities_in,
    quantity_of_answer,
    read_quantities,
)
from scratchwork.quantities.units import NUMBER, PERCENT, THINGS, Unit
from scratchwork.quantities.wording import Around, UnitStyle

_CONVERTING = frozenset(round(n, 9) for n in (60, 3600, 1000, 3.6, 5 / 18))
"""Constants that change a unit far more often than they do anything else."""
_SUMS = frozenset("Add Subtract Min Max".split())
_PRODUCTS = MappingProxyType({"Multiply": 1, "Divide": -1})
_GOES_ON = frozenset("( [ ^ + - − * × / ÷ = ² ³ !".split())
_SCALES = frozenset("hundred thousand million billion lakh lakhs crore crores dozen".split())
_ROUNDS = frozenset("Round Floor Ceiling Absolute".split())


class Labels:
    """The units of one plan's numbers."""

    def __init__(self, plan: Plan, problem: Problem) -> None:
        known = read_quantities(problem)
        self._tokens = tokenise(problem.question)
        self._given = known.given
        self._style = UnitStyle(known.given.values())
        self.plan = plan
        results = quantities_in(plan, known)
        answer = quantity_of_answer(plan, known, results)
        has_clash = any(one.clash for one in results)
        self.asked: AskedQuantity | None = known.asked
        self.is_consistent = not has_clash and answer_clash(answer, known) is None
        self._units: list[Unit | None] = []
        for k in range(len(plan.steps)):
            self._units.append(self._certain(k) if self.is_consistent else None)

    def unit(self, argument: Argument) -> Unit | None:
        """The unit of a number; None if it is not certain."""
        match argument:
            case Given(place):
                quantity = self._given.get(place)
                is_scaled = {*self._tokens[place : place + 1]} & _SCALES
                unit = None if quantity is None or is_scaled else quantity.unit
                return None if unit is None or THINGS in unit.nouns else unit
            case PlanConstant():
                return NUMBER
            case Result(k):
                return self._units[k]
            case _:
                return None

    @property
    def prefer_decimals(self) -> bool:
        """Whether there is money, or a percentage, in the question."""
        units = [quantity.unit for quantity in self._given.values()]
        return any(
            unit is not None and (unit == PERCENT or ("money", 1) in unit.dimension)
            for unit in units
        ) or (self.asked is not None and self.asked.unit == PERCENT)

    def is_percentage(self, argument: Argument) -> bool:
        """Whether the question gives a number in per cent."""
        return isinstance(argument, Given) and self.unit(argument) == PERCENT

    def is_money(self, argument: Argument) -> bool:
        """Whether a number is an amount of money, or a price."""
        unit = self.unit(argument)
        return unit is not None and ("money", 1) in unit.dimension

    def goes_on_behind(self, words: Sequence[str]) -> bool:
        """Whether a bracket or sign follows words of the question, so that they are not all: `the
        value of f (5)`."""
        tokens, count = self._tokens, len(words)
        return any(
            tokens[k : k + count] == [*words] and {*tokens[k + count : k + count + 1]} & _GOES_ON
            for k in range(len(tokens) - count + 1)
        )

    def around(self, unit: Unit, value: float) -> Around | None:
        """The tokens before and behind a value; None if nobody would write the unit."""
        if len(unit.factors) > 1 and any(abs(n) > 1 for _, n in unit.factors):
            return None
        if unit.nouns and not value.is_integer() and ("money", 1) not in unit.dimension:
            return None
        if unit.nouns and ("time", 1) in unit.dimension:
            return None
        around = self._style.around(unit, value)
        return ((), ("%",)) if unit == PERCENT and around is not None else around

    def _certain(self, k: int) -> Unit | None:
        """The unit of a step's result, if it is certain."""
        step = self.plan.steps[k]
        units = [self.unit(argument) for argument in step.arguments]
        known = [unit for unit in units if unit is not None]
        if len(known) < len(units):
            return None
        if step.operation in _ROUNDS:
            return known[0]
        if step.operation in _SUMS:
            constants = [one.numeral for one in step.arguments if isinstance(one, PlanConstant)]
            return _of_sum(known, constants)
        if step.operation in _PRODUCTS:
            return self._of_product(step, known)
        is_whole = step.operation == "Percent" and known[0] in (PERCENT, NUMBER)
        return known[1] if is_whole else known[0].root if step.operation == "Sqrt" else None

    def _of_product(self, step: PlanStep, units: Sequence[Unit]) -> Unit | None:
        sign = _PRODUCTS[step.operation]
        factors = [self._constant(argument) for argument in step.arguments]
        constants = [factor for factor in factors if factor is not None]
        if len(constants) != 1:
            return units[0].times(units[1], sign)
        unit = units[1] if factors[0] is not None else units[0]
        if unit == NUMBER:
            return NUMBER
        if sign < 0 and factors[0] is not None:
            # The 3600 of `3600 / speed` has a unit of its own.
            return NUMBER.times(unit, -1) if factors[0] == 1 else None
        if unit == PERCENT:
            return NUMBER if (sign, constants[0]) == (-1, 100.0) else None
        if constants[0] == 100:
            return None  # a percentage in the making, or centimetres
        converted = unit.converted(constants[0] ** sign) if constants[0] else ()
        if converted:
            return converted[0] if round(constants[0], 9) in _CONVERTING else None
        # What is counted may become something else when it is multiplied.
        return None if unit.nouns else unit

    def _constant(self, argument: Argument) -> float | None:
        """The value of a constant or a quotient of two; None of other numbers."""
        if isinstance(argument, PlanConstant):
            return number_of(argument.numeral)
        if not isinstance(argument, Result):
            return None
        step = self.plan.steps[argument.step]
        values = [self._constant(one) for one in step.arguments]
        known = [value for value in values if value is not None]
        is_quotient = step.operation == "Divide" and len(known) == 2 and known[1] != 0
        return known[0] / known[1] if is_quotient else None


def _of_sum(units: Sequence[Unit], constants: Sequence[str]) -> Unit | None:
    """The unit of a sum: that of all its terms, 100 being a whole beside a percentage."""
    if PERCENT in units and constants:
        is_whole = all(one == "100" for one in constants)
        return PERCENT if is_whole and set(units) <= {PERCENT, NUMBER} else None
    if constants:
        return NUMBER if set(units) == {NUMBER} else None
    measured = {unit.measured for unit in units}
    if len(set(units)) == 1:
        return units[0]
    is_measured = len(measured) == 1 and NUMBER not in measured
    return units[0].measured if is_measured else None
