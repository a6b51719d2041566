"""The value of arithmetic that is written in a text: `3 1/2 * 4`, `25% of 80`, `52C2`, `5! / 3!`.

Promises: `values_of_expression` reads tokens as one expression of numbers: sums, products, powers,
roots, factorials, choices, mixed numbers. A percent sign may or may not divide by 100, so there can
be several values. Anything else raises `NotArithmeticError`, in bounded time.

In prose, ambiguous expressions are refused (`2 / √3 * 5`, `1^3/2^3`, `5 + -3`), and currencies are
skipped, as are a word behind a number and several words that are marked as a `UNIT`. Elsewhere, as
in an option that stands by itself, everything is read as written: `2√3`, `5π`, `3 and 1/2`, `7 ½`.
"""

import math
import operator
from collections.abc import Callable, Sequence

from scratchwork.problems.numerals import LARGEST_NUMBER, number_of
from scratchwork.problems.signs import (
    CLOSING,
    CURRENCIES,
    EXPONENTS,
    LETTER_SIGNS,
    OPENING,
    SIGNS,
    signs_of,
)
from scratchwork.problems.tokens import is_number

PossibleValues = frozenset[float]
"""What an expression may mean: more than one value where a percent sign can be read two ways."""

LONGEST_EXPRESSION = 60
OPERATORS = SIGNS.keys() | LETTER_SIGNS.keys() | OPENING | CLOSING | {"of", "sqrt"}
ROOTS = frozenset({"√", "sqrt"})
PI = frozenset({"π", "pi"})
HALVES_AND_QUARTERS = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3}

_TIMES = signs_of("Multiply") | {"x", "X", "of"}
_OVER = signs_of("Divide")
_MINUS = signs_of("Subtract")
UNIT = "units"
"""Stands for any word or sign of a unit that has several: `km / h`, `m`, `per hat`."""
_UNCLEAR_BEHIND_ROOT = (_TIMES | _OVER) - {"×", "÷"}
_LARGEST_BETWEEN = 1e30
"""Numbers on the way to the result stay below this."""
_MOST_VALUES = 64
_UNIT_SIGNS = frozenset("° '".split())
_NO_UNITS = frozenset(
    """is are was were and or so then thus hence the an of in at for from to by with than that which
    will would has have had equals when if""".split()
)


class NotArithmeticError(Exception):
    """The tokens are not an expression of numbers alone."""


def values_of_expression(tokens: Sequence[str], in_prose: bool) -> PossibleValues:
    """What the tokens as a whole may mean; NotArithmeticError if they are not arithmetic."""
    if len(tokens) > LONGEST_EXPRESSION:
        raise NotArithmeticError
    return _Parser(tokens, in_prose).whole()


class _Parser:
    """Recursive descent over tokens; every rule gives the set of possible values."""

    def __init__(self, tokens: Sequence[str], in_prose: bool) -> None:
        self.tokens = tokens
        self.in_prose = in_prose
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        k = self.at + ahead
        return self.tokens[k] if 0 <= k < len(self.tokens) else ""

    def whole(self) -> PossibleValues:
        values = self.sum()
        self.units()
        if self.at < len(self.tokens) or any(abs(value) >= LARGEST_NUMBER for value in values):
            raise NotArithmeticError
        return values

    def sum(self) -> PossibleValues:
        values = self.product()
        while self.peek() == "+" or self.peek() in _MINUS:
            function = operator.add if self.peek() == "+" else operator.sub
            self.at += 1
            values = _combine(values, self.product(), function)
        return values

    def product(self) -> PossibleValues:
        values = self.signed()
        while True:
            token = self.peek()
            if token in _TIMES and (token != "of" or self._is_share(self.peek(-1))):
                self.at += 1
                values = _combine(values, self.signed(), operator.mul)
            elif token in _OVER:
                self.at += 1
                values = _combine(values, self.signed(), _quotient)
            elif self._implies_product(token, self.peek(-1)):
                values = _combine(values, self.power(), operator.mul)
            else:
                return values

    @staticmethod
    def _is_share(token: str) -> bool:
        """Whether `of` after this token means times: `25% of`, `3/4 of`, but not `4 of 9`."""
        return token == "%" or "/" in token

    def _implies_product(self, token: str, before: str) -> bool:
        """Whether a token is multiplied by what is before it without a sign: 2(3 + 4), 2√3."""
        if self.in_prose:
            return token in OPENING and not before.isalpha()
        if token in OPENING | ROOTS | PI:
            return True
        follows = before in CLOSING | PI or before == "!"
        return follows and token not in CLOSING | _MINUS | {"", "+"}

    def signed(self) -> PossibleValues:
        # In prose an en dash before a number may be a mere dash.
        if self.peek() not in (_MINUS - {"–"} if self.in_prose else _MINUS):
            return self.power()
        if self.in_prose and self.at > 0 and self.peek(-1) not in OPENING:
            raise NotArithmeticError
        self.at += 1
        return frozenset(-value for value in self.power())

    def power(self) -> PossibleValues:
        values = self.counted()
        if self.peek() != "^":
            return values
        # The sign may apply to the whole fraction or to a part of it: 1^3/2^3.
        if self.in_prose and ("/" in self.peek(-1) or "/" in self.peek(1)):
            raise NotArithmeticError
        self.at += 1
        return _combine(values, self.signed(), _power)

    def counted(self) -> PossibleValues:
        """A number or brackets with what follows closely: `52C2`, `5!`, `3²`, `20%`."""
        values = self.atom()
        choosing = ("C", "P") if self.in_prose else ("C", "P", "c", "p")
        while True:
            token = self.peek()
            if token in ("!", "%") or token in EXPONENTS:
                self.at += 1
                values = _followed_by(token, values)
            elif token in choosing and (not self.in_prose or is_number(self.peek(1))):
                self.at += 1
                values = _combine(values, self.atom(), _choose if token in "Cc" else _arrange)
            else:
                return values

    def atom(self) -> PossibleValues:
        while self.peek() in CURRENCIES or self._is_rupees():
            self.at += 1
            if self.peek() == "." and is_number(self.peek(1)):
                self.at += 1
        token = self.peek()
        self.at += 1
        if token in OPENING:
            values = self.sum()
            if self.peek() not in CLOSING:
                raise NotArithmeticError
            self.at += 1
            return values
        if token in ROOTS:
            is_bare = self.peek() not in OPENING
            values = self.atom()
            # How far a root without brackets reaches is unclear.
            reaches = self.in_prose and is_bare and self.peek() in _UNCLEAR_BEHIND_ROOT
            if reaches or any(value < 0 for value in values):
                raise NotArithmeticError
            return frozenset(math.sqrt(value) for value in values)
        if token in PI and (token == "π" or not self.in_prose):
            return frozenset({math.pi})
        return self.number(token)

    def _is_rupees(self) -> bool:
        """Whether `Rs` or `Rs.` stands before a number here."""
        is_dotted = self.peek(1) == "." and is_number(self.peek(2))
        return self.peek() in ("Rs", "rs") and (
            self.at == 0 or is_dotted or is_number(self.peek(1))
        )

    def number(self, token: str) -> PossibleValues:
        """A number, with the fraction after it if there is one, and its unit."""
        value = HALVES_AND_QUARTERS.get(token) if not self.in_prose else None
        value = number_of(token) if value is None else value
        if value is None:
            raise NotArithmeticError
        if token.removeprefix("-").replace(",", "").isdecimal():
            value += math.copysign(self._fraction_after(), value)
        self.units()
        return frozenset({value})

    def _fraction_after(self) -> float:
        """The fraction that makes the number before it a mixed one, or 0."""
        part = self._fraction(self.peek())
        if part:
            self.at += 1
        elif not self.in_prose and self.peek() == "and":
            part = self._fraction(self.peek(1))
            self.at += 2 if part else 0
        elif not self.in_prose and self.peek() in OPENING and self.peek(2) in CLOSING:
            part = self._fraction(self.peek(1))
            part = part if part < 1 else 0.0
            self.at += 3 if part else 0
        return part

    def _fraction(self, token: str) -> float:
        if token in HALVES_AND_QUARTERS:
            return 0.0 if self.in_prose else HALVES_AND_QUARTERS[token]
        return (number_of(token) or 0.0) if "/" in token else 0.0

    def units(self) -> None:
        """In prose, skip a unit after a number: one word, a sign such as °, or what is marked."""
        while self.in_prose and self.peek() == UNIT and self.peek(1) == UNIT:
            self.at += 1
        token = self.peek()
        is_word = len(token) > 1 and token.isalpha() and token.lower() not in _NO_UNITS
        if self.in_prose and (token in _UNIT_SIGNS or (is_word and token not in OPERATORS)):
            self.at += 1


def _combine(
    left: PossibleValues, right: PossibleValues, function: Callable[[float, float], float]
) -> PossibleValues:
    values = frozenset(function(a, b) for a in left for b in right)
    if any(abs(value) >= _LARGEST_BETWEEN for value in values) or len(values) > _MOST_VALUES:
        raise NotArithmeticError
    return values


def _followed_by(sign: str, values: PossibleValues) -> PossibleValues:
    """Values followed by a sign that needs no second number."""
    if sign == "!":
        return frozenset(map(_factorial, values))
    if sign == "%":
        return frozenset((*values, *(value / 100 for value in values)))
    return frozenset(_power(value, EXPONENTS[sign]) for value in values)


def _quotient(a: float, b: float) -> float:
    if b == 0:
        raise NotArithmeticError
    return a / b


def _power(a: float, b: float) -> float:
    if abs(b) > 100 or (a <= 0 and not b.is_integer()) or (a == 0 and b < 0) or abs(a) > 1e6:
        raise NotArithmeticError
    try:
        return math.pow(a, b)
    except (OverflowError, ValueError):
        raise NotArithmeticError from None


def _choose(a: float, b: float) -> float:
    return float(math.comb(*_whole(a, b)))


def _arrange(a: float, b: float) -> float:
    try:
        return float(math.perm(*_whole(a, b)))
    except OverflowError:
        raise NotArithmeticError from None


def _whole(a: float, b: float) -> tuple[int, int]:
    if not (a.is_integer() and b.is_integer() and 0 <= b <= a <= 1000):
        raise NotArithmeticError
    return int(a), int(b)


def _factorial(value: float) -> float:
    if not value.is_integer() or not 0 <= value <= 17:
        raise NotArithmeticError
    return float(math.factorial(int(value)))
