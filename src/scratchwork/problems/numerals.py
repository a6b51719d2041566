"""How numbers are written and read: the one place where a string becomes a number or back.

Promises: numbers are 64-bit floats; whole numbers below 10^15 are exact and are written digit by
digit; other numbers are written to 12 significant digits, without exponent and without trailing
zeros (`0.3` for 0.1 + 0.2); a fraction is written `a/b` in lowest terms with b > 1.

Does not cover: exponents, units, words such as "three", or numbers of 10^15 and more. What cannot
be read or written raises `NumeralError`, which says whether the text, the domain or the range is
at fault.
"""

import math
import re
from typing import Literal

LARGEST_NUMBER = 1e15
"""Numbers stay below this in magnitude, so that every whole number among them is exact."""
SMALLEST_NUMBER = 1e-15
"""Numbers other than zero stay at or above this in magnitude."""
SIGNIFICANT_DIGITS = 12
LONGEST_NUMERAL = 40
"""No numeral that is read or written has more characters than this."""
LARGEST_FRACTION = 10**12
"""A fraction a/b is written only when a * b is at most this: beyond it floats cannot tell
neighbouring fractions apart."""

WHOLE_TOLERANCE = 1e-9
"""What is this near to a whole number, or to a half when rounding, is float noise away from it."""

_FRACTION_TOLERANCE = 4e-15

GROUPED_BY_COMMAS = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?"
GROUPED_BY_DOTS = r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}"
GROUPED_IN_LAKHS = r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"

_PLAIN = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_FRACTION = re.compile(r"(-?)([0-9]+)/([0-9]+)")
_GROUPED = re.compile(rf"-?(?:{GROUPED_BY_COMMAS}|{GROUPED_BY_DOTS}|{GROUPED_IN_LAKHS})")


class NumeralError(ValueError):
    """A numeral that cannot be read, or a number that cannot be written."""

    def __init__(self, kind: Literal["domain", "range"], reason: str) -> None:
        super().__init__(reason)
        self.kind: Literal["domain", "range"] = kind


def shown(text: str) -> str:
    """The text in quotes for an error message, shortened if long."""
    return f'"{text}"' if len(text) <= 40 else f'"{text[:37]}..."'


def in_range(number: float) -> float:
    """The number itself; NumeralError if it is too large, too small or not a number."""
    if SMALLEST_NUMBER <= number < LARGEST_NUMBER or -LARGEST_NUMBER < number <= -SMALLEST_NUMBER:
        return number
    if number == 0:
        return 0.0
    raise NumeralError("range", f"the number {number:.6g} is outside 1e-15 to 1e15")


def _matched(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str]:
    if len(text) > LONGEST_NUMERAL:
        raise NumeralError("range", f"{shown(text)} has more than {LONGEST_NUMERAL} characters")
    match = pattern.fullmatch(text)
    if match is None:
        raise NumeralError("domain", f"{shown(text)} is not {what}")
    return match


def read_number(text: str) -> float:
    """`52`, `0.75`, `.5`, `-5` as a number."""
    _matched(_PLAIN, text, "a plain number")
    return in_range(float(text))


def number_of(token: str) -> float | None:
    """The number that a token stands for, however it is written; None if it is no number."""
    for read in (read_number, read_fraction, read_thousands):
        try:
            return read(token)
        except NumeralError:
            continue
    return None


def write_number(number: float) -> str:
    """A number as a person would write it: `1326`, `0.3`, `-2.5`, never `1e-05`."""
    number = in_range(number)
    if number.is_integer():
        return str(int(number))
    text = f"{number:.{SIGNIFICANT_DIGITS}g}"
    if "e" in text:
        decimals = max(SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(abs(number))), 0)
        text = f"{number:.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if decimals else text
    return text


def write_decimal(number: float, places: int) -> str:
    """A number rounded half up and written with exactly `places` decimals: `12.50`."""
    return f"{round_half_up(number, places):.{places}f}"


def round_half_up(number: float, places: int) -> float:
    """Rounding as taught at school, 2.675 to two places being 2.68 whatever its binary digits."""
    scale = 10.0**places
    scaled = abs(number) * scale
    if scaled >= LARGEST_NUMBER:
        return in_range(number)
    whole = math.floor(scaled + 0.5 + WHOLE_TOLERANCE)
    return in_range(math.copysign(whole / scale, number) if whole else 0.0)


def is_writable_fraction(numerator: str, denominator: str) -> bool:
    """Whether `numerator/denominator` comes back unchanged from a number: lowest terms, b > 1."""
    if len(numerator) > 13 or len(denominator) > 13:
        return False
    if numerator[0] == "0" or denominator[0] == "0" or denominator == "1":
        return False
    a, b = int(numerator), int(denominator)
    return a * b <= LARGEST_FRACTION and math.gcd(a, b) == 1


def read_fraction(text: str) -> float:
    """`3/4`, `6/1326`, `-1/2` as a number."""
    match = _matched(_FRACTION, text, "a fraction of whole numbers")
    sign, numerator, denominator = match.groups()
    if int(denominator) == 0:
        raise NumeralError("domain", f"{shown(text)} divides by zero")
    number = int(numerator) / int(denominator)
    return in_range(-number if sign else number)


def write_fraction(number: float) -> str:
    """The fraction in lowest terms equal to the number up to float noise: 0.75 as `3/4`.

    Continued fractions: the first convergent within the tolerance is the only fraction with
    a * b <= LARGEST_FRACTION that close.
    """
    number = in_range(number)
    if number.is_integer():
        raise NumeralError("domain", f"{write_number(number)} is whole, not a fraction")
    magnitude = abs(number)
    rest_over, rest_under = magnitude.as_integer_ratio()
    a, a_before, b, b_before = 1, 0, 0, 1
    while rest_under:
        quotient, remainder = divmod(rest_over, rest_under)
        rest_over, rest_under = rest_under, remainder
        a, a_before = quotient * a + a_before, a
        b, b_before = quotient * b + b_before, b
        if a * b > LARGEST_FRACTION:
            break
        if abs(a / b - magnitude) <= _FRACTION_TOLERANCE * magnitude:
            if b == 1:
                break
            return f"{'-' if number < 0 else ''}{a}/{b}"
    raise NumeralError("domain", f"{write_number(number)} is not a fraction of small whole numbers")


def read_thousands(text: str) -> float:
    """`1,000,000`, `1.000.000`, `1,00,000` or `12,345.67` as a number."""
    _matched(_GROUPED, text, "a number grouped in thousands")
    plain = text.replace(",", "") if "," in text else text.replace(".", "")
    return in_range(float(plain))


def write_thousands(number: float) -> str:
    """The number with commas between thousands; it must have at least four whole digits."""
    text = write_number(number)
    whole, dot, decimals = text.partition(".")
    if len(whole.lstrip("-")) < 4:
        raise NumeralError("domain", f"{text} has no thousands to group")
    return f"{int(whole):,}{dot}{decimals}"
