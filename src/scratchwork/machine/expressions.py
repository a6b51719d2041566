"""Expressions in unknowns: what `Unknown` gives, and what arithmetic makes of it.

Promises: a `RationalExpression` is a polynomial in at most two unknowns or a quotient of two, kept
exactly (0.1 is 1/10) and in lowest terms where it has one unknown. It is written as at school:
`2x + 3`, `x^2 - 4x`, `(3/4)x`, `300/(x + 5)`. The functions here are what the extended operations
do where an argument is an expression; they take numbers beside expressions and give an expression,
also where the unknown cancels, or raise `NumeralError`. Every one of them is short.

Does not cover: roots and other functions of an unknown, or unknowns in an exponent; equations, see
`roots`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from scratchwork.machine.polynomials import (
    HIGHEST_DEGREE,
    Polynomial,
    coefficients_of,
    common_factor,
    exact,
    polynomial,
    polynomial_in,
    quotient,
)
from scratchwork.problems.numerals import NumeralError, in_range, shown

MOST_DIVISORS = 8
"""At most this many different expressions may have divided on the way to one."""
_ONE = polynomial({"": Fraction(1)})


@dataclass(frozen=True, slots=True)
class RationalExpression:
    """A polynomial over a polynomial."""

    numerator: Polynomial
    denominator: Polynomial = _ONE
    divisors: frozenset[Polynomial] = frozenset()
    """What divided on the way here, cancelled or not: where one of them is zero, the expression
    means nothing."""

    @property
    def is_polynomial(self) -> bool:
        """Whether no unknown divides."""
        return self.denominator == _ONE

    def __str__(self) -> str:
        if self.is_polynomial:
            return str(self.numerator)
        factor = Fraction(math.lcm(*(number.denominator for _, number in self.numerator.terms)))
        try:
            over, under = self.numerator.times(factor), self.denominator.times(factor)
        except NumeralError:  # numbers that would be too long
            over, under = self.numerator, self.denominator
        top, bottom = str(over), str(under)
        top = f"({top})" if len(over.terms) > 1 or "/" in top else top
        return f"{top}/{bottom}" if len(bottom) == 1 else f"{top}/({bottom})"


Term = RationalExpression | float
"""What arithmetic with unknowns takes."""


def unknown(name: str) -> RationalExpression:
    """The unknown of a name, which is a letter."""
    if len(name) != 1 or not name.isalpha():
        raise NumeralError("domain", f"{shown(name)} is not a single letter")
    return RationalExpression(polynomial({name: Fraction(1)}))


def expression_of(term: Term) -> RationalExpression:
    """A number as an expression; an expression as it is."""
    if isinstance(term, RationalExpression):
        return term
    return RationalExpression(polynomial({"": exact(term)}))


def add(a: Term, b: Term) -> RationalExpression:
    """a + b"""
    left, right = expression_of(a), expression_of(b)
    divisors = left.divisors | right.divisors
    if left.denominator == right.denominator:
        return ratio(left.numerator + right.numerator, left.denominator, divisors)
    return ratio(
        left.numerator * right.denominator + right.numerator * left.denominator,
        left.denominator * right.denominator,
        divisors,
    )


def subtract(a: Term, b: Term) -> RationalExpression:
    """a - b"""
    right = expression_of(b)
    minus = RationalExpression(
        right.numerator.times(Fraction(-1)), right.denominator, right.divisors
    )
    return add(a, minus)


def multiply(a: Term, b: Term) -> RationalExpression:
    """a * b"""
    left, right = expression_of(a), expression_of(b)
    return ratio(
        left.numerator * right.numerator,
        left.denominator * right.denominator,
        left.divisors | right.divisors,
    )


def divide(a: Term, b: Term) -> RationalExpression:
    """a / b"""
    left, right = expression_of(a), expression_of(b)
    if not right.numerator.terms:
        raise NumeralError("domain", "division by zero")
    return ratio(
        left.numerator * right.denominator,
        left.denominator * right.numerator,
        left.divisors | right.divisors | {_primitive(right.numerator)[0]},
    )


def power(a: RationalExpression, b: float) -> RationalExpression:
    """a to the power b"""
    if not 0 <= b <= HIGHEST_DEGREE or not b.is_integer():
        reason = f"an expression is raised to whole powers from 0 to {HIGHEST_DEGREE}"
        raise NumeralError("domain", reason)
    result = RationalExpression(_ONE, divisors=a.divisors)
    for _ in range(int(b)):
        result = multiply(result, a)
    return result


def percent(a: Term, b: Term) -> RationalExpression:
    """a percent of b"""
    return divide(multiply(a, b), 100.0)


def coefficient(a: RationalExpression, b: float) -> float:
    """The number before the power b of the one unknown."""
    if not a.is_polynomial or len(a.numerator.unknowns) > 1:
        raise NumeralError("domain", f"{shown(str(a))} is no sum of powers of one unknown")
    if b < 0 or not b.is_integer():
        raise NumeralError("domain", "the powers of an unknown are whole numbers from 0 on")
    numbers = coefficients_of(a.numerator)
    return in_range(float(numbers[int(b)])) if b < len(numbers) else 0.0


def ratio(
    numerator: Polynomial, denominator: Polynomial, divisors: frozenset[Polynomial]
) -> RationalExpression:
    """A quotient in lowest terms."""
    unknowns = {*numerator.unknowns, *denominator.unknowns}
    if denominator.degree and len(unknowns) == 1:
        over, under = coefficients_of(numerator), coefficients_of(denominator)
        shared = common_factor(over, under)
        (letter,) = unknowns
        numerator = polynomial_in(letter, quotient(over, shared))
        denominator = polynomial_in(letter, quotient(under, shared))
    plain, factor = _primitive(denominator)
    kept = frozenset(divisor for divisor in divisors if divisor.degree)
    if len(kept) > MOST_DIVISORS:
        raise NumeralError("domain", f"more than {MOST_DIVISORS} expressions have divided here")
    return RationalExpression(numerator.times(1 / factor), plain, kept)


def _primitive(denominator: Polynomial) -> tuple[Polynomial, Fraction]:
    """A polynomial with whole numbers without a common divisor, the first of them positive, and
    the factor that was taken out."""
    numbers = [number for _, number in denominator.terms]
    factor = Fraction(
        math.gcd(*(number.numerator for number in numbers)),
        math.lcm(*(number.denominator for number in numbers)),
    )
    factor = factor if numbers[0] > 0 else -factor
    return denominator.times(1 / factor), factor
