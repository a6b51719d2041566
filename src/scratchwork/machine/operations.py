"""The typed operations, each declared once: name, argument types, result type, function.

Promises: `PAPER` is the 22 operations of the paper; `EXTENDED` adds what real rationales need, and
unknowns: there arithmetic takes expressions too, and equations of them are solved.
Every function is total on its argument types: it returns a value within the limits of `numerals`,
in bounded time, or raises `OperationError`. Grammar, documentation and tests follow from these
declarations.

Decisions the paper leaves open: `Log` is the common logarithm (school texts mean base 10 by "log";
another base is a quotient of two logarithms); angles of `Sine`, `Cosine`, `Tangent` are in radians;
whole results are exact; differences are freed of float noise (1000.1 - 1000 is 0.1).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from scratchwork.machine import expressions, roots, whole_numbers, words
from scratchwork.machine.expressions import RationalExpression
from scratchwork.machine.whole_numbers import whole
from scratchwork.problems.numerals import (
    LARGEST_NUMBER,
    WHOLE_TOLERANCE,
    NumeralError,
    in_range,
    read_fraction,
    read_number,
    read_thousands,
    round_half_up,
    write_decimal,
    write_fraction,
    write_number,
    write_thousands,
)

Value = str | float | RationalExpression
"""What instructions compute: a string, a number or an expression, never anything else."""

Type = Literal["string", "number", "expression", "any"]
"""Types of arguments and results; the result `any` is the type of the argument."""

OperationError = NumeralError
"""Raised by an operation that cannot be applied; its `kind` is `domain` or `range`."""

MOST_PLACES = 6
"""Numbers are rounded to at most this many decimals."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A typed function on values."""

    name: str
    takes: tuple[Type, ...]
    gives: Type
    function: Callable[..., Value]
    about: str
    reads_options: bool = False
    """Whether the function takes the problem's `OptionIndex` as a further argument."""
    converts: bool = False
    """Whether it only copies a value or changes how it is written."""
    commutes: bool = False
    """Whether exchanging its arguments changes nothing."""
    with_unknowns: "Operation | None" = None
    """The operation of the same name that is meant where an argument is an expression."""

    def applied_to(self, types: Sequence[Type]) -> "Operation":
        """What the operation is on arguments of these types: itself, or its like for unknowns."""
        return self.with_unknowns if self.with_unknowns and "expression" in types else self

    def misfit(self, types: Sequence[Type]) -> int | None:
        """The first argument of these types that the operation does not take, counted from 0.

        Beside an expression, a number may stand for another.
        """
        for k, (wanted, found) in enumerate(zip(self.takes, types, strict=True)):
            stands_for_one = (found, wanted) == ("number", "expression") and "expression" in types
            if wanted not in ("any", found) and not stands_for_one:
                return k
        return None


@dataclass(frozen=True, slots=True)
class OperationSet:
    """A named set of operations."""

    name: str
    operations: Mapping[str, Operation]

    def __getitem__(self, name: str) -> Operation:
        return self.operations[name]

    def __contains__(self, name: object) -> bool:
        return name in self.operations


def _without_noise(result: float, larger: float) -> float:
    """A small difference of large numbers, rounded to the digits that those numbers had."""
    if result == 0 or abs(result) >= 1e-3 * larger:
        return in_range(result)
    decimals = 14 - math.floor(math.log10(larger))
    return in_range(round(result, decimals))


def _add(a: float, b: float) -> float:
    return _without_noise(a + b, abs(a) if abs(a) > abs(b) else abs(b))


def _subtract(a: float, b: float) -> float:
    return _without_noise(a - b, abs(a) if abs(a) > abs(b) else abs(b))


def _divide(a: float, b: float) -> float:
    if b == 0:
        raise OperationError("domain", "division by zero")
    return in_range(a / b)


def _power(a: float, b: float) -> float:
    if a == 0 and b < 0:
        raise OperationError("domain", "zero to a negative power")
    if a < 0 and not b.is_integer():
        raise OperationError("domain", "a negative number to a power that is not whole")
    if abs(a) not in (0.0, 1.0) and abs(b * math.log10(abs(a))) > 16:
        raise OperationError("range", "the power is outside 1e-15 to 1e15")
    if a.is_integer() and b.is_integer() and 0 <= b <= 64:
        return in_range(float(int(a) ** int(b)))
    return in_range(a**b)


def _log(a: float) -> float:
    if a <= 0:
        raise OperationError("domain", f"the logarithm of {write_number(a)}")
    return in_range(math.log10(a))


def _sqrt(a: float) -> float:
    if a < 0:
        raise OperationError("domain", f"the square root of {write_number(a)}")
    return in_range(math.sqrt(a))


def _near_zero_is_zero(a: float) -> float:
    return 0.0 if abs(a) < 1e-13 else in_range(a)


def _bounded_angle(angle: float) -> float:
    if abs(angle) > 1e6:
        raise OperationError("range", "an angle of more than a million radians")
    return angle


def _sine(angle: float) -> float:
    return _near_zero_is_zero(math.sin(_bounded_angle(angle)))


def _cosine(angle: float) -> float:
    return _near_zero_is_zero(math.cos(_bounded_angle(angle)))


def _tangent(angle: float) -> float:
    if abs(math.cos(_bounded_angle(angle))) < 1e-13:
        raise OperationError("domain", "the tangent of a right angle")
    return _near_zero_is_zero(math.tan(angle))


def _factorial(a: float) -> float:
    n = whole(a, "a factorial")
    if n > 17:
        raise OperationError("range", f"{n}! is 1e15 or more")
    return float(math.factorial(n))


def _choose(a: float, b: float) -> float:
    n, k = whole(a, "choosing"), whole(b, "choosing")
    if k > n:
        raise OperationError("domain", f"choosing {k} out of {n}")
    k = min(k, n - k)
    # C(n, k) >= (n / k)^k, so this bounds the work as well as the result.
    if k and k * math.log10(n / k) >= 15:
        raise OperationError("range", "the number of combinations is 1e15 or more")
    return in_range(float(math.comb(n, k)))


def _permutations(a: float, b: float) -> float:
    n, k = whole(a, "arranging"), whole(b, "arranging")
    if k > n:
        raise OperationError("domain", f"arranging {k} out of {n}")
    if k > 17 or n**k >= LARGEST_NUMBER * 1e15:
        raise OperationError("range", "the number of arrangements is 1e15 or more")
    return in_range(float(math.perm(n, k)))


def _places(b: float) -> int:
    places = whole(b, "rounding")
    if places > MOST_PLACES:
        raise OperationError("domain", f"rounding to more than {MOST_PLACES} decimals")
    return places


def _floor(a: float) -> float:
    return in_range(float(math.floor(a + WHOLE_TOLERANCE)))


def _ceiling(a: float) -> float:
    return in_range(float(math.ceil(a - WHOLE_TOLERANCE)))


def _remainder(a: float, b: float) -> float:
    dividend, divisor = whole(a, "a remainder"), whole(b, "a remainder")
    if divisor == 0:
        raise OperationError("domain", "the remainder of a division by zero")
    return float(dividend % divisor)


def _gcd(a: float, b: float) -> float:
    return float(math.gcd(whole(a, "a common divisor"), whole(b, "a common divisor")))


def _lcm(a: float, b: float) -> float:
    return in_range(float(math.lcm(whole(a, "a common multiple"), whole(b, "a common multiple"))))


def _declare(*operations: Operation) -> dict[str, Operation]:
    return {operation.name: operation for operation in operations}


def _arithmetic(
    name: str, takes: int, function: Callable[..., float], about: str, commutes: bool = False
) -> Operation:
    return Operation(name, ("number",) * takes, "number", function, about, commutes=commutes)


def _conversion(name: str, takes: Type, gives: Type, function: Any, about: str) -> Operation:
    return Operation(name, (takes,), gives, function, about, converts=True)


_PAPER = _declare(
    _conversion("Id", "any", "any", lambda value: value, "the value itself"),
    _arithmetic("Add", 2, _add, "a + b", commutes=True),
    _arithmetic("Subtract", 2, _subtract, "a - b"),
    _arithmetic("Multiply", 2, lambda a, b: in_range(a * b), "a * b", commutes=True),
    _arithmetic("Divide", 2, _divide, "a / b"),
    _arithmetic("Power", 2, _power, "a to the power b"),
    _arithmetic("Log", 1, _log, "the logarithm of a to base 10"),
    _arithmetic("Sqrt", 1, _sqrt, "the square root of a"),
    _arithmetic("Sine", 1, _sine, "the sine of a radians"),
    _arithmetic("Cosine", 1, _cosine, "the cosine of a radians"),
    _arithmetic("Tangent", 1, _tangent, "the tangent of a radians"),
    _arithmetic("Factorial", 1, _factorial, "a!"),
    _arithmetic("Choose", 2, _choose, "the number of ways to choose b out of a"),
    _arithmetic(
        "Radians_to_Degrees", 1, lambda a: in_range(math.degrees(a)), "a radians in degrees"
    ),
    _arithmetic(
        "Degrees_to_Radians", 1, lambda a: in_range(math.radians(a)), "a degrees in radians"
    ),
    _conversion("Str_to_Float", "string", "number", read_number, "52 from `52`"),
    _conversion("Float_to_Str", "number", "string", write_number, "`0.3` from 0.3"),
    _conversion("Fraction_to_Float", "string", "number", read_fraction, "0.75 from `3/4`"),
    _conversion("Float_to_Fraction", "number", "string", write_fraction, "`3/4` from 0.75"),
    _conversion("Thousands_to_Float", "string", "number", read_thousands, "1000 from `1,000`"),
    _conversion("Float_to_Thousands", "number", "string", write_thousands, "`1,000` from 1000"),
    Operation(
        "Check",
        ("string",),
        "string",
        lambda text, options: options.check(text),
        "the letter of the one option that is, or else contains, the string",
        reads_options=True,
    ),
)

_EXTENSION = _declare(
    _arithmetic(
        "Round", 2, lambda a, b: round_half_up(a, _places(b)), "a rounded half up to b decimals"
    ),
    _arithmetic("Floor", 1, _floor, "the largest whole number not above a"),
    _arithmetic("Ceiling", 1, _ceiling, "the smallest whole number not below a"),
    _arithmetic("Absolute", 1, math.fabs, "a without its sign"),
    _arithmetic("Remainder", 2, _remainder, "what is left of a after division by b"),
    _arithmetic("Gcd", 2, _gcd, "the greatest common divisor of a and b", commutes=True),
    _arithmetic("Lcm", 2, _lcm, "the least common multiple of a and b", commutes=True),
    _arithmetic("Permutations", 2, _permutations, "the number of ways to arrange b out of a"),
    _arithmetic("Percent", 2, lambda a, b: in_range(a * b / 100), "a percent of b"),
    _arithmetic("Min", 2, min, "the smaller of a and b", commutes=True),
    _arithmetic("Max", 2, max, "the larger of a and b", commutes=True),
    Operation(
        "Float_to_Decimal",
        ("number", "number"),
        "string",
        lambda a, b: write_decimal(a, _places(b)),
        "a written with exactly b decimals, `12.50` from 12.5 and 2",
        converts=True,
    ),
    Operation(
        "Check",
        ("string",),
        "string",
        lambda text, options: options.check_by_value(text),
        "the letter of the one option that is, contains, or has the value of the string",
        reads_options=True,
    ),
)


def _on_unknowns(name: str, takes: tuple[Type, Type], function: Callable[..., Value]) -> Operation:
    """An operation of the paper or the extension that takes expressions too."""
    plain = (_PAPER | _EXTENSION)[name]
    return replace(
        plain, with_unknowns=replace(plain, takes=takes, gives="expression", function=function)
    )


_TWO: tuple[Type, Type] = ("expression", "expression")
_UNKNOWNS = _declare(
    _on_unknowns("Add", _TWO, expressions.add),
    _on_unknowns("Subtract", _TWO, expressions.subtract),
    _on_unknowns("Multiply", _TWO, expressions.multiply),
    _on_unknowns("Divide", _TWO, expressions.divide),
    _on_unknowns("Power", ("expression", "number"), expressions.power),
    _on_unknowns("Percent", _TWO, expressions.percent),
    Operation(
        "Unknown", ("string",), "expression", expressions.unknown, "the unknown of that letter"
    ),
    Operation("Solve", _TWO, "number", roots.root, "the number that makes a = b true"),
    Operation("Larger_Root", _TWO, "number", roots.larger_root, "the larger root of a = b"),
    Operation("Smaller_Root", _TWO, "number", roots.smaller_root, "the smaller root of a = b"),
    Operation("Express", _TWO, "expression", roots.expressed, "one unknown of a = b by the other"),
    Operation(
        "Coefficient",
        ("expression", "number"),
        "number",
        expressions.coefficient,
        "the number before the power b of the unknown of a",
    ),
)

_FURTHER = _declare(
    _arithmetic("Digit", 2, whole_numbers.digit, "the digit of a at place b, from the ones"),
    _arithmetic("Digit_Sum", 1, whole_numbers.digit_sum, "the sum of the digits of a"),
    _arithmetic("Digit_Count", 1, whole_numbers.digit_count, "how many digits a has"),
    _arithmetic("Digits_Reversed", 1, whole_numbers.digits_reversed, "the digits of a backwards"),
    _arithmetic("Divisor_Count", 1, whole_numbers.divisor_count, "how many divisors a has"),
    _arithmetic("Divisor_Sum", 1, whole_numbers.divisor_sum, "the sum of the divisors of a"),
    _arithmetic(
        "Smallest_Prime_Factor",
        1,
        whole_numbers.smallest_prime_factor,
        "the smallest prime that divides a",
    ),
    _arithmetic("Prime", 1, whole_numbers.prime, "the a-th prime"),
    _arithmetic("Prime_Count", 1, whole_numbers.prime_count, "how many primes there are up to a"),
    Operation("Letter_Count", ("string",), "number", words.letter_count, "how many letters a has"),
    Operation(
        "Occurrences",
        ("string", "string"),
        "number",
        words.occurrences,
        "how often the letter b stands in a",
    ),
    Operation(
        "Weekday_After",
        ("string", "number"),
        "string",
        words.weekday_after,
        "the day of the week b days after the day a",
    ),
    Operation(
        "Float_to_Digits",
        ("number", "number"),
        "string",
        whole_numbers.write_digits,
        "a with zeros before it to b digits, `05` from 5 and 2",
        converts=True,
    ),
)

PAPER = OperationSet("paper", MappingProxyType(_PAPER))
EXTENDED = OperationSet("extended", MappingProxyType(_PAPER | _EXTENSION | _UNKNOWNS | _FURTHER))
OPERATION_SETS = MappingProxyType({one.name: one for one in (PAPER, EXTENDED)})
