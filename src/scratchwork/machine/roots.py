"""Equations in unknowns: the numbers that make them true.

Promises: `root` solves an equation in one unknown that is linear or quadratic once its denominators
are cleared. A rational root is exact, another one right to the last bits. Of two roots it gives the
positive one if only one is positive, else the whole one if only one is whole, else the larger. What
makes a denominator zero is no root. `expressed` turns an equation in two unknowns into the one by
the other. An equation without such an answer raises `NumeralError` with the reason.

Does not cover: powers above the second, and two equations at once: one is put into the other.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from scratchwork.machine.expressions import RationalExpression, Term, divide, subtract
from scratchwork.machine.polynomials import (
    Coefficients,
    coefficients_of,
    common_factor,
    polynomial,
    quotient,
)
from scratchwork.problems.numerals import NumeralError, in_range, shown, write_number

_ROOT_BITS = 1024
"""Bits after the point of a square root on the way: far more than roots have in common."""


def root(left: Term, right: Term) -> float:
    """The root that is meant by an equation: the positive, the whole, or the larger."""
    return _chosen(left, right, _meant)


def larger_root(left: Term, right: Term) -> float:
    """The larger root of an equation, or its only one."""
    return _chosen(left, right, max)


def smaller_root(left: Term, right: Term) -> float:
    """The smaller root of an equation, or its only one."""
    return _chosen(left, right, min)


def expressed(left: Term, right: Term) -> RationalExpression:
    """The first unknown, in alphabetical order, in which an equation in two is linear, by the
    other."""
    difference = subtract(left, right)
    unknowns = difference.numerator.unknowns
    if len(unknowns) < 2:
        reason = f"{_shown(left, right)} has fewer than two unknowns; Solve finds one"
        raise NumeralError("domain", reason)
    for unknown in unknowns:
        parts = difference.numerator.in_powers_of(unknown)
        if max(map(len, parts.values())) == 2:
            before = polynomial({others: part[1] for others, part in parts.items() if part[1:]})
            without = polynomial({others: -part[0] for others, part in parts.items()})
            over = RationalExpression(without, divisors=difference.divisors)
            return divide(over, RationalExpression(before))
    reason = f"{_shown(left, right)} is linear neither in {' nor in '.join(unknowns)}"
    raise NumeralError("domain", reason)


def _roots(left: Term, right: Term) -> list[Fraction]:
    """The one or two roots of an equation, the smaller first."""
    difference = subtract(left, right)
    unknowns = difference.numerator.unknowns
    if len(unknowns) > 1:
        reason = f"{_shown(left, right)} is one equation in two unknowns, {' and '.join(unknowns)}"
        raise NumeralError("domain", reason)
    if not difference.numerator.terms:
        raise NumeralError("domain", f"every number makes {_shown(left, right)} true")
    numbers = coefficients_of(difference.numerator)
    if unknowns:
        for divisor in difference.divisors:
            numbers = _without_factors(numbers, list(divisor.in_powers_of(*unknowns).values()))
    if len(numbers) > 3:
        raise NumeralError("domain", f"the unknown is in the power {len(numbers) - 1}")
    found = _real_roots(numbers)
    if not found:
        raise NumeralError("domain", f"no number makes {_shown(left, right)} true")
    return found


def _without_factors(numbers: Coefficients, parts: list[Coefficients]) -> Coefficients:
    """A polynomial without the roots that all the parts of a divisor have."""
    while len(numbers) > 1:
        shared = numbers
        for part in parts:
            shared = common_factor(shared, part)
        if len(shared) == 1:
            break
        numbers = quotient(numbers, shared)
    return numbers


def _real_roots(numbers: Coefficients) -> list[Fraction]:
    """The real roots of a constant, linear or quadratic polynomial, the smaller first."""
    if len(numbers) < 3:
        return [-numbers[0] / numbers[1]] if len(numbers) == 2 else []
    c, b, a = numbers
    middle, square = -b / (2 * a), (b * b - 4 * a * c) / (4 * a * a)
    if square < 0:
        return []
    half = _square_root(square)
    return [middle - half, middle + half] if half else [middle]


def _square_root(square: Fraction) -> Fraction:
    """The root of a number, exact where it is rational."""
    over, under = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if over * over == square.numerator and under * under == square.denominator:
        return Fraction(over, under)
    whole = math.isqrt((square.numerator << 2 * _ROOT_BITS) // square.denominator)
    return Fraction(whole, 1 << _ROOT_BITS)


def _meant(roots: list[Fraction]) -> Fraction:
    for few in ([x for x in roots if x > 0], [x for x in roots if x.denominator == 1]):
        if len(few) == 1:
            return few[0]
    return max(roots)


def _chosen(left: Term, right: Term, choose: Callable[[list[Fraction]], Fraction]) -> float:
    return in_range(float(choose(_roots(left, right))))


def _shown(left: Term, right: Term) -> str:
    sides = (write_number(side) if isinstance(side, float) else str(side) for side in (left, right))
    return shown(" = ".join(sides))
