"""Polynomials in at most two unknowns, with exact fractions before the unknowns.

Promises: sums, products and powers are exact; what would be of a degree above 4, have a third
unknown, or numbers of more than 30 digits raises `NumeralError`, so that every operation is
short. A polynomial is written as at school: `x^2 - 4x`, `(3/4)x`, `12 - y`, `2x + 3y`.

Does not cover: quotients of polynomials; see `expressions`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scratchwork.problems.numerals import NumeralError, write_fraction, write_number

HIGHEST_DEGREE = 4
MOST_UNKNOWNS = 2
LARGEST_PART = 10**30
"""Numerators and denominators stay below this."""
_LONGEST_DENOMINATOR = 1000
"""Fractions with a larger denominator are written as decimals."""

Coefficients = list[Fraction]
"""A polynomial in one unknown: the numbers before its powers, from the power 0 on; no zero last."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of terms: a number times unknowns, which are single letters."""

    terms: tuple[tuple[str, Fraction], ...]
    """The unknowns of each term (`xxy` is x^2y, none is the empty string) and its number, the
    highest degree first."""

    @property
    def degree(self) -> int:
        """The degree of the highest term."""
        return len(self.terms[0][0]) if self.terms else 0

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The letters of the unknowns, in alphabetical order."""
        return tuple(sorted({letter for letters, _ in self.terms for letter in letters}))

    def in_powers_of(self, unknown: str) -> "dict[str, Coefficients]":
        """The polynomial as one in an unknown, for each product of the others before it."""
        parts: dict[str, Coefficients] = {}
        for letters, number in reversed(self.terms):
            others = letters.replace(unknown, "")
            power = len(letters) - len(others)
            part = parts.setdefault(others, [])
            part += [Fraction()] * (power + 1 - len(part))
            part[power] = number
        return parts

    def __add__(self, other: "Polynomial") -> "Polynomial":
        return polynomial(_collected((*self.terms, *other.terms)))

    def __sub__(self, other: "Polynomial") -> "Polynomial":
        return self + other.times(Fraction(-1))

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        if self.degree + other.degree > HIGHEST_DEGREE:
            raise _too_high(self.degree + other.degree)
        return polynomial(
            _collected(
                ("".join(sorted(letters + more)), number * factor)
                for letters, number in self.terms
                for more, factor in other.terms
            )
        )

    def times(self, factor: Fraction) -> "Polynomial":
        """The product with a number."""
        return polynomial({letters: number * factor for letters, number in self.terms})

    @property
    def as_written(self) -> tuple[tuple[str, Fraction], ...]:
        """The terms with a positive one first, if there is one: `12 - x` rather than `-x + 12`."""
        first = next((term for term in self.terms if term[1] > 0), None)
        return tuple(sorted(self.terms, key=lambda term: term != first))

    def __str__(self) -> str:
        terms = enumerate(self.as_written)
        return "".join(_written(*term, is_first=not k) for k, term in terms) or "0"


def polynomial(terms: Mapping[str, Fraction]) -> Polynomial:
    """The polynomial with these terms; NumeralError if it is beyond the limits."""
    kept = sorted((t for t in terms.items() if t[1]), key=lambda t: (-len(t[0]), t[0]))
    found = Polynomial(tuple(kept))
    if found.degree > HIGHEST_DEGREE:
        raise _too_high(found.degree)
    if len(found.unknowns) > MOST_UNKNOWNS:
        raise NumeralError("domain", f"{', '.join(found.unknowns)} are more than two unknowns")
    if any(max(abs(n.numerator), n.denominator) >= LARGEST_PART for _, n in kept):
        raise NumeralError("range", "the expression has numbers of more than 30 digits")
    return found


def _too_high(degree: int) -> NumeralError:
    reason = f"the expression is of degree {degree}, more than {HIGHEST_DEGREE}"
    return NumeralError("domain", reason)


def _collected(terms: Iterable[tuple[str, Fraction]]) -> dict[str, Fraction]:
    sums: dict[str, Fraction] = {}
    for letters, number in terms:
        sums[letters] = sums.get(letters, Fraction()) + number
    return sums


def _written(letters: str, number: Fraction, is_first: bool) -> str:
    """A term with the sign before it."""
    sign = "-" if number < 0 else "+"
    sign = sign.strip("+") if is_first else f" {sign} "
    size = _number_text(abs(number))
    if letters:
        size = "" if size == "1" else f"({size})" if "/" in size else size
    return f"{sign}{size}{''.join(_powers(letters))}"


def _powers(letters: str) -> Iterator[str]:
    for letter in dict.fromkeys(letters):
        power = letters.count(letter)
        yield letter if power == 1 else f"{letter}^{power}"


def _number_text(number: Fraction) -> str:
    if number.denominator > _LONGEST_DENOMINATOR:
        try:
            return write_number(float(number))
        except NumeralError:
            pass
    return str(number)


def exact(number: float) -> Fraction:
    """The fraction that a number of the machine stands for: 1/10 for 0.1, 1/3 for 1/3; what is no
    fraction of small whole numbers is cut to the digits that the machine writes."""
    if number.is_integer():
        return Fraction(int(number))
    try:
        return Fraction(write_fraction(number))
    except NumeralError:
        return Fraction(write_number(number))


def coefficients_of(one: Polynomial) -> Coefficients:
    """The numbers of a polynomial in at most one unknown."""
    return one.in_powers_of("".join(one.unknowns)).get("", [])


def polynomial_in(unknown: str, coefficients: Sequence[Fraction]) -> Polynomial:
    """The polynomial in an unknown with these numbers."""
    return polynomial({unknown * power: number for power, number in enumerate(coefficients)})


def common_factor(a: Sequence[Fraction], b: Sequence[Fraction]) -> Coefficients:
    """The greatest common divisor of two polynomials in one unknown, by Euclid."""
    a, b = list(a), list(b)
    while b:
        a, b = b, _divided(a, b)[1]
    return [number / a[-1] for number in a]


def quotient(a: Sequence[Fraction], b: Sequence[Fraction]) -> Coefficients:
    """What a polynomial in one unknown is divided by a factor of it."""
    return _divided(a, b)[0]


def _divided(a: Sequence[Fraction], b: Sequence[Fraction]) -> tuple[Coefficients, Coefficients]:
    """Quotient and remainder."""
    found, rest = [Fraction()] * max(len(a) - len(b) + 1, 0), list(a)
    for k in reversed(range(len(found))):
        found[k] = rest[k + len(b) - 1] / b[-1]
        for i, number in enumerate(b):
            rest[k + i] -= found[k] * number
    while rest and not rest[-1]:
        rest.pop()
    return found, rest
