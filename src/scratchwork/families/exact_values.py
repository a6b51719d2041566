"""The values of expressions in exact fractions, to check the machine's numbers by.

Promises: `exact_value` shares no arithmetic with the machine. Sums, products, counts and the roots
of linear and quadratic equations are exact, other roots and functions right up to floats. An
equation without a root raises `ValueError`.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from scratchwork.families.expressions import (
    Apply,
    Expression,
    Name,
    NumberLiteral,
    UnknownLetter,
    is_root,
)


def exact_value(expression: Expression, values: Mapping[str, Fraction]) -> Fraction:
    """The value of an expression in exact fractions, without the machine's operations."""
    match expression:
        case NumberLiteral(text):
            return Fraction(text)
        case Name(name):
            return values[name]
        case UnknownLetter(letter):
            raise ValueError(f"{letter} is unknown")
        case Apply(operation, (left, right)) if is_root(expression):
            roots = _roots(_quotient(left, values), _quotient(right, values))
            return _CHOSEN[operation](roots)
        case Apply(operation, arguments):
            return _exact(operation, [exact_value(argument, values) for argument in arguments])


_EXACT: Mapping[str, Callable[..., Any]] = {
    **{"Add": operator.add, "Subtract": operator.sub, "Multiply": operator.mul},
    **{"Divide": operator.truediv, "Remainder": operator.mod, "Floor": math.floor},
    **{"Ceiling": math.ceil, "Absolute": abs, "Min": min, "Max": max},
    "Percent": lambda a, b: a / 100 * b,
}
_INEXACT = {
    **{"Log": math.log10, "Sine": math.sin, "Cosine": math.cos, "Tangent": math.tan},
    **{"Degrees_to_Radians": math.radians, "Radians_to_Degrees": math.degrees},
}


def _exact(operation: str, operands: list[Fraction]) -> Fraction:
    if operation in _EXACT:
        return Fraction(_EXACT[operation](*operands))
    a = operands[0]
    b = operands[-1]
    match operation:
        case "Power":
            return a ** int(b) if b.denominator == 1 else Fraction(float(a) ** float(b))
        case "Round":
            scale = 10 ** int(b)
            return Fraction(math.floor(2 * a * scale + 1) // 2, scale)
        case "Gcd" | "Lcm":
            divisor = Fraction(math.gcd(int(a), int(b)))
            return divisor if operation == "Gcd" else a * b / divisor
        case "Choose" | "Permutations" | "Factorial":
            count = a if operation == "Factorial" else b
            ways = Fraction(1)
            for k in range(int(count)):
                ways *= (a - k) / (k + 1 if operation == "Choose" else 1)
            return ways
        case "Sqrt":
            return _square_root(a)
        case _:
            return Fraction(_INEXACT[operation](float(a)))


def _square_root(a: Fraction) -> Fraction:
    root = Fraction(math.isqrt(a.numerator), math.isqrt(a.denominator))
    return root if root * root == a else Fraction(math.sqrt(a))


_Numbers = list[Fraction]
"""A polynomial: the numbers before its powers, from the power 0 on."""
_Quotient = tuple[_Numbers, _Numbers]
"""A polynomial over another."""


def _sum(a: _Numbers, b: _Numbers) -> _Numbers:
    total = [x + y for x, y in zip_longest(a, b, fillvalue=Fraction())]
    while len(total) > 1 and not total[-1]:
        total.pop()
    return total


def _product(a: _Numbers, b: _Numbers) -> _Numbers:
    total = [Fraction()]
    for power, factor in enumerate(a):
        total = _sum(total, [Fraction()] * power + [factor * number for number in b])
    return total


def _at(a: _Numbers, x: Fraction) -> Fraction:
    return sum((number * x**power for power, number in enumerate(a)), Fraction())


def _quotient(side: Expression, values: Mapping[str, Fraction]) -> _Quotient:
    """A side of an equation as a polynomial over another."""
    one = [Fraction(1)]
    match side:
        case UnknownLetter():
            return [Fraction(), Fraction(1)], one
        case Apply(operation, (left, right)):
            a, b = _quotient(left, values), _quotient(right, values)
            match operation:
                case "Add" | "Subtract":
                    second = _product([Fraction(1 if operation == "Add" else -1)], b[0])
                    if a[1] == b[1]:
                        return _sum(a[0], second), a[1]
                    over = _sum(_product(a[0], b[1]), _product(second, a[1]))
                    return over, _product(a[1], b[1])
                case "Divide":
                    return _product(a[0], b[1]), _product(a[1], b[0])
                case "Power":
                    raised = one, one
                    for _ in range(int(b[0][0] / b[1][0])):
                        raised = _product(raised[0], a[0]), _product(raised[1], a[1])
                    return raised
                case _:  # a product, or a percentage
                    hundred = Fraction(100 if operation == "Percent" else 1)
                    under = _product([hundred], _product(a[1], b[1]))
                    return _product(a[0], b[0]), under
        case _:
            return [exact_value(side, values)], one


def _roots(left: _Quotient, right: _Quotient) -> list[Fraction]:
    """What makes two sides equal, and nothing on the way zero that divides."""
    minus = _product([Fraction(-1)], right[0])
    over, under = _sum(_product(left[0], right[1]), _product(minus, left[1])), left[1]
    under = _product(under, right[1])
    while len(over) > 3 and not over[0]:
        over = over[1:]  # zero, which the higher powers of a denominator bring in
    match over:
        case [c, b, a]:
            middle, square = -b / (2 * a), b * b / (4 * a * a) - c / a
            if square < 0:
                raise ValueError("no number makes the equation true")
            half = _square_root(square)
            found = [middle - half, middle + half] if half else [middle]
        case [b, a] if a:
            found = [-b / a]
        case _:
            raise ValueError("the equation is neither linear nor quadratic")
    found = [root for root in found if _at(under, root)]
    if not found:
        raise ValueError("no number makes the equation true")
    return found


def _meant(roots: Sequence[Fraction]) -> Fraction:
    """The only root, or the only positive or whole one, or the larger."""
    for some in ([x for x in roots if x > 0], [x for x in roots if x.denominator == 1]):
        if len(some) == 1:
            return some[0]
    return max(roots)


_CHOSEN: Mapping[str, Callable[[list[Fraction]], Fraction]] = {
    **{"Solve": _meant, "Larger_Root": max, "Smaller_Root": min}
}
