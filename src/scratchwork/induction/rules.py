"""What counts as a path: the rules of induction.

A number is *derived* from leaves (numbers of the source, of the output so far, and constants) by
one operation, or by two with one intermediate value between them, as the paper's section 4 has it.
Out of what could be tried, these rules leave out what explains nothing:

- of two operations, neither gives back one of its arguments (`a + 0`, `a * 1`) unless it rounds,
  takes a magnitude, a common divisor or multiple, and the number that is derived is not among the
  operands: a single `a * 1` or `30 - 15 = 15` may be meant, but with a second operation it only
  hides a copy;
- exponents are whole, from 2 to 20, or a half to a fifth; bases and roots are positive;
- combinations and arrangements are of 1 or more out of at most 60 things;
- the intermediate value is used once;
- what has no inverse (remainders, divisors and multiples) takes leaves only, except the common
  divisor or multiple of three; sine, cosine and tangent take leaves, or leaves of up to 360 turned
  into radians;
  rounding down, up, or to the number of places written (or four, as in tables) takes a leaf, or a
  quotient, product, percentage, root, power or logarithm; a magnitude is taken of a leaf or a
  difference.

`finding` finds by inverting the second operation what trying everything within these rules finds.
"""

from collections.abc import Sequence
from itertools import repeat

from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.operations import EXTENDED, OperationSet

OPERAND_CONSTANTS = tuple("1 2 3 4 5 6 7 10 12 18 22 60 100 1000".split())
"""The constants that may be operands, fewer than may be written: every one of them makes wrong
explanations more likely."""
OPERAND_VALUES = tuple(CONSTANT_VALUES[numeral] for numeral in OPERAND_CONSTANTS)

ARITHMETIC = ("Add", "Subtract", "Multiply", "Divide", "Power", "Percent")
"""Operations of two numbers that have an inverse, and so may take an intermediate value."""
COUNTING = ("Choose", "Permutations")
WHOLE_NUMBERS = ("Remainder", "Gcd", "Lcm")
UNARY = ("Sqrt", "Log", "Factorial", "Degrees_to_Radians", "Radians_to_Degrees", "Absolute")
ANGULAR = ("Sine", "Cosine", "Tangent")
ROUNDING = ("Floor", "Ceiling")
ROUNDED = ("Divide", "Sqrt", "Log", "Power", "Multiply", "Percent")
"""What may be rounded by an operation."""
WRITTEN_ROUNDED = ("Divide", "Sqrt")
"""What may be written rounded to a whole number, its full value being kept."""
WRITTEN_WITH_DECIMALS = ("Divide", "Sqrt", "Multiply", "Percent")
"""What may be written rounded to a number of decimals."""
NESTED = ("Gcd", "Lcm")
"""What may be taken of three numbers."""
MAY_KEEP = frozenset({"Floor", "Ceiling", "Round", "Absolute", *NESTED})
"""Operations that may give back one of their arguments."""

_RESTRICTED = frozenset(
    {"Power", "Sqrt", "Log", "Factorial", "Degrees_to_Radians", *COUNTING, *NESTED}
)
"""Operations that may not be applied to all numbers they could be."""
_FUNCTIONS = {name: operation.function for name, operation in EXTENDED.operations.items()}

MOST_THINGS = 60
LARGEST_EXPONENT = 20
SMALLEST_ROOT = 5
TABLE_PLACES = 4


def of_set(names: tuple[str, ...], operations: OperationSet) -> tuple[str, ...]:
    """Those of the names that are operations of the set."""
    return tuple(name for name in names if name in operations)


def same(a: float, b: float) -> bool:
    """Whether two numbers are the same up to float noise."""
    return abs(a - b) <= 1e-11 * max(abs(a), abs(b))


def is_exponent(number: float) -> bool:
    """Whether a number may be an exponent."""
    if number < 1:
        return (
            number > 0
            and 2 <= round(1 / number) <= SMALLEST_ROOT
            and same(number, 1 / round(1 / number))
        )
    return number.is_integer() and 2 <= number <= LARGEST_EXPONENT


def is_admissible(operation: str, a: float, b: float | None) -> bool:
    """Whether an operation may be applied to these numbers by the rules above."""
    if operation not in _RESTRICTED:
        return True
    if operation == "Power":
        return b is not None and a > 0 and is_exponent(b)
    if operation in COUNTING:
        return b is not None and 1 <= b <= a <= MOST_THINGS
    if operation in ("Sqrt", "Log", "Factorial"):
        return a > 0
    if operation in NESTED:
        return a > 0 and b is not None and b > 0
    return 0 < a <= 360


def apply(operation: str, a: float, b: float | None = None) -> float | None:
    """The result of an admissible operation; None if it cannot be applied."""
    if not is_admissible(operation, a, b):
        return None
    function = _FUNCTIONS[operation]
    try:
        result = function(a) if b is None else function(a, b)
    except ValueError:
        return None
    assert isinstance(result, float)
    return result


def is_new(result: float, arguments: Sequence[float]) -> bool:
    """Whether a result is none of the arguments."""
    return not any(map(same, arguments, repeat(result)))


def may_nest(outer: str, inner: str) -> bool:
    """Whether an operation may take the result of another as its argument."""
    if outer in ROUNDING or outer == "Round":
        return inner in ROUNDED
    if outer in NESTED:
        return inner == outer
    if outer == "Absolute":
        return inner == "Subtract"
    if outer in ANGULAR:
        return inner == "Degrees_to_Radians"
    return outer in ARITHMETIC or outer in COUNTING or outer in UNARY
