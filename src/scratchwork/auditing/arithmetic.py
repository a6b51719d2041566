"""The value of arithmetic in prose: `3 1/2 * 4`, `25% of 80`, `52C2`, `5! / 3!`, `24 clips + 48`.

Promises: `values_of_expression` reads tokens as one expression of numbers: sums, products, powers,
roots, factorials, choices, mixed numbers. A percent sign may or may not divide by 100, so there can
be several values. Units and currencies are skipped, and ambiguous expressions are refused, as an
audit must not complain of what may be right (`2 / √3 * 5`, `1^3/2^3`, `5 + -3`). Anything else
raises `NotArithmeticError`, in bounded time.

A word behind a number is skipped as a unit, and so are several words that are marked as a `UNIT`.

Does not cover: expressions that stand by themselves, which have one value; see `machine.grammar`.
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
_ROOTS = frozenset({"√", "sqrt"})

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


def values_of_expression(tokens: Sequence[str]) -> PossibleValues:
    """What the tokens as a whole may mean; NotArithmeticError if they are not arithmetic."""
    if len(tokens) > LONGEST_EXPRESSION:
        raise NotArithmeticError
    return _Parser(tokens).whole()


class _Parser:
    """Recursive descent over tokens; every rule gives the set of possible values."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
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
            elif token in OPENING and not self.peek(-1).isalpha():  # 2(3 + 4)
                values = _combine(values, self.power(), operator.mul)
            else:
                return values

    @staticmethod
    def _is_share(token: str) -> bool:
        """Whether `of` after this token means times: `25% of`, `3/4 of`, but not `4 of 9`."""
        return token == "%" or "/" in token

    def signed(self) -> PossibleValues:
        # An en dash before a number may be a mere dash.
        if self.peek() not in _MINUS - {"–"}:
            return self.power()
        if self.at > 0 and self.peek(-1) not in OPENING:
            raise NotArithmeticError
        self.at += 1
        return frozenset(-value for value in self.power())

    def power(self) -> PossibleValues:
        values = self.counted()
        if self.peek() != "^":
            return values
        # The sign may apply to the whole fraction or to a part of it: 1^3/2^3.
        if "/" in self.peek(-1) or "/" in self.peek(1):
            raise NotArithmeticError
        self.at += 1
        return _combine(values, self.signed(), _power)

    def counted(self) -> PossibleValues:
        """A number or brackets with what follows closely: `52C2`, `5!`, `3²`, `20%`."""
        values = self.atom()
        while True:
            token = self.peek()
            if token in ("!", "%") or token in EXPONENTS:
                self.at += 1
                values = _followed_by(token, values)
            elif token in ("C", "P") and is_number(self.peek(1)):
                self.at += 1
                values = _combine(values, self.atom(), _choose if token == "C" else _arrange)
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
        if token in _ROOTS:
            is_bare = self.peek() not in OPENING
            values = self.atom()
            # How far a root without brackets reaches is unclear.
            reaches = is_bare and self.peek() in _UNCLEAR_BEHIND_ROOT
            if reaches or any(value < 0 for value in values):
                raise NotArithmeticError
            return frozenset(math.sqrt(value) for value in values)
        if token == "π":
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
        value = number_of(token)
        if value is None:
            raise NotArithmeticError
        if token.removeprefix("-").replace(",", "").isdecimal():
            value += math.copysign(self._fraction_after(), value)
        self.units()
        return frozenset({value})

    def _fraction_after(self) -> float:
        """The fraction that makes the number before it a mixed one, or 0."""
        part = number_of(self.peek()) if "/" in self.peek() else None
        if not part:
            return 0.0
        self.at += 1
        return part

    def units(self) -> None:
        """Skip a unit after a number: one word, a sign such as °, or what is marked."""
        while self.peek() == UNIT and self.peek(1) == UNIT:
            self.at += 1
        token = self.peek()
        is_word = len(token) > 1 and token.isalpha() and token.lower() not in _NO_UNITS
        if token in _UNIT_SIGNS or (is_word and token not in OPERATORS):
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
