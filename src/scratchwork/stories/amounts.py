"""The amounts of a story: numbers that its text gives, constants, and what is computed from them.

Promises: an amount knows its exact value, so that a story can choose what comes next by it.
`plan_of_amount` gives the plan that computes an amount, each step once, the answer last.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from scratchwork.plans.plan import Argument, Given, Plan, PlanBuilder, PlanConstant, Result

Exact = int | Fraction
"""A value without rounding; whole numbers are `int`."""


class UnfitError(Exception):
    """A draw that makes no sensible story; draw another."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A number that the text gives."""

    value: Exact
    text: str
    """As it is written, which may be in words."""
    mark: str
    """The character that stands for it until the text is whole."""

    def __str__(self) -> str:
        return self.mark

    def __format__(self, spec: str) -> str:
        return self.mark


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A number that needs no source."""

    value: Exact
    numeral: str


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """The result of an operation."""

    value: Exact
    operation: str
    arguments: tuple["Amount", ...]


Amount = Known | Constant | Computed


def simplified(value: Fraction) -> Exact:
    """The value, as an `int` if it is whole."""
    return value.numerator if value.denominator == 1 else value


def constant(value: int) -> Constant:
    """A whole number that needs no source."""
    return Constant(value, str(value))


def plus(*amounts: Amount) -> Amount:
    """The sum of amounts, from left to right."""
    total = amounts[0]
    for amount in amounts[1:]:
        total = Computed(total.value + amount.value, "Add", (total, amount))
    return total


def minus(a: Amount, b: Amount) -> Computed:
    """The difference; it must not be negative."""
    if a.value < b.value:
        raise UnfitError
    return Computed(a.value - b.value, "Subtract", (a, b))


def times(a: Amount, b: Amount) -> Computed:
    """The product."""
    value = a.value * b.value
    return Computed(value if isinstance(value, int) else simplified(value), "Multiply", (a, b))


def over(a: Amount, b: Amount) -> Computed:
    """The quotient."""
    if b.value == 0:
        raise UnfitError
    return Computed(simplified(Fraction(a.value) / b.value), "Divide", (a, b))


def percent_of(rate: Amount, of: Amount) -> Computed:
    """So many percent of an amount."""
    return Computed(simplified(Fraction(rate.value * of.value) / 100), "Percent", (rate, of))


def remainder(a: Amount, b: Amount) -> Computed:
    """What is left over when whole numbers are divided."""
    return Computed(int(a.value) % int(b.value), "Remainder", (a, b))


def rounded_down(a: Amount) -> Computed:
    """The whole part."""
    return Computed(int(a.value // 1), "Floor", (a,))


def rounded_up(a: Amount) -> Computed:
    """The next whole number, unless it is whole."""
    return Computed(int(-(-a.value // 1)), "Ceiling", (a,))


def plan_of_amount(answer: Amount, places: Mapping[str, int]) -> Plan:
    """The plan that computes an amount; `places` has the place of each mark in the source."""
    builder = PlanBuilder()

    def argument_of(amount: Amount) -> Argument:
        match amount:
            case Known():
                return Given(places[amount.mark])
            case Constant():
                return PlanConstant(amount.numeral)
            case Computed():
                arguments = [argument_of(one) for one in amount.arguments]
                return builder.step(amount.operation, *arguments)

    last = argument_of(answer)
    assert last == Result(len(builder.steps) - 1)
    return Plan(tuple(builder.steps), last)


def marks_in(answer: Amount) -> set[str]:
    """The marks of the numbers that an amount is computed from."""
    if isinstance(answer, Known):
        return {answer.mark}
    if isinstance(answer, Constant):
        return set()
    return set[str]().union(*map(marks_in, answer.arguments))


def steps_in(*amounts: Amount) -> int:
    """How many steps it takes to compute all of these amounts."""
    seen: set[int] = set()

    def visit(amount: Amount) -> None:
        if isinstance(amount, Computed) and id(amount) not in seen:
            seen.add(id(amount))
            for argument in amount.arguments:
                visit(argument)

    for amount in amounts:
        visit(amount)
    return len(seen)
