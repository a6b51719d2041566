"""What number a short text, such as an option, stands for as a whole.

Promises: `values_of` reads a number among words (`Rs. 40`, `four hours`), a fraction or ratio
(`3 : 2`), a mixed number (`3 1/2`, `7 ½`, `2(2/9)`), two units (`2 h 30 min` is 150 and 2.5), and
arithmetic that is written out: powers, factorials, products, roots, pi, choices (`5!*6!`,
`2^16 - 2`, `144√3`, `9C5`). A text that is none of these has no value. Nothing that is written
makes it fail or take long.

Does not cover: units (`2 km` and `2000 m` are different), variables, dates, ranges.
"""

import math
from collections.abc import Sequence

from scratchwork.machine.number_words import numbers_in
from scratchwork.problems.numerals import NumeralError, in_range, number_of

_MINUTES = frozenset({"m", "min", "mins", "minute", "minutes"})
_UNITS = (
    (frozenset({"h", "hr", "hrs", "hour", "hours"}), _MINUTES, 60),
    (_MINUTES, frozenset({"s", "sec", "secs", "second", "seconds"}), 60),
    (frozenset({"foot", "feet", "ft"}), frozenset({"inch", "inches", "in"}), 12),
    (frozenset({"year", "years", "yr", "yrs"}), frozenset({"month", "months"}), 12),
)
"""Units that stand together, and how many of the smaller make one of the larger."""
_SIGNS = {
    "×": "*", "x": "*", "X": "*", "∗": "*", "·": "*", "⋅": "*", "÷": "/", "⁄": "/", "–": "-",
    "−": "-", "[": "(", "]": ")", "sqrt": "√", "pi": "π", "c": "C", "p": "P",
}  # fmt: skip
_PARTS = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3}
_OPERATORS = frozenset("+-*/^!√πCP()")
_LARGEST_FACTORIAL = 17
_LARGEST_POWER = 60


def values_of(tokens: Sequence[str]) -> list[float]:
    """The numbers that the tokens as a whole may stand for."""
    tokens = _closed(tokens)
    numbers = [(k, value) for k, token in enumerate(tokens) if (value := _value(token)) is not None]
    if not numbers:
        in_words = list(numbers_in(tokens).values())
        return in_words if len(in_words) == 1 else []
    computed = _arithmetic(tokens)
    if computed is not None:
        return [computed]
    if len(numbers) == 1:
        return [numbers[0][1]]
    if len(numbers) == 2:
        (i, a), (j, b) = numbers
        behind = tokens[j + 1] if j + 1 < len(tokens) else ""
        return _pair(a, b, [token for token in tokens[i + 1 : j] if token != "."], behind)
    return []


def _closed(tokens: Sequence[str]) -> list[str]:
    """The tokens with fractions such as `2 ⁄ 3` put together."""
    closed: list[str] = []
    for token in tokens:
        if len(closed) > 1 and closed[-1] == "⁄" and token.isdecimal() and closed[-2].isdecimal():
            closed[-2:] = [f"{closed[-2]}/{token}"]
        else:
            closed.append(token)
    return closed


def _value(token: str) -> float | None:
    return _PARTS[token] if token in _PARTS else number_of(token)


def _pair(a: float, b: float, between: Sequence[str], behind: str) -> list[float]:
    """What two numbers with something between them may be."""
    words = tuple(between)
    if words in ((":",), ("to",)) and b:
        return _in_range(a / b)
    for larger, smaller, count in _UNITS:
        if words and words[0] in larger and words[1:] in ((), ("and",)) and behind in smaller:
            return _in_range(a * count + b, a + b / count)
    return []


def _in_range(*values: float) -> list[float]:
    """Those values that a number may have."""
    kept: list[float] = []
    for value in values:
        try:
            kept.append(in_range(value))
        except NumeralError:
            continue
    return kept


class _NoArithmeticError(ValueError):
    """The tokens are not arithmetic."""


def _arithmetic(tokens: Sequence[str]) -> float | None:
    """The value of what is written between words, if it is arithmetic."""
    signs = [_SIGNS.get(token, token) for token in tokens]
    known = [token in _OPERATORS or _value(token) is not None or token == "and" for token in signs]
    if True not in known:
        return None
    first, last = known.index(True), len(known) - known[::-1].index(True)
    if not all(known[first:last]):
        return None
    parser = _Parser(signs[first:last])
    try:
        value = in_range(parser.sum())
    except (_NoArithmeticError, NumeralError, ArithmeticError, ValueError, RecursionError):
        return None
    return value if parser.at == len(parser.tokens) else None


class _Parser:
    """Sums of products of powers, read from left to right."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at = tokens, 0

    def next_is(self, *signs: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at] in signs

    def take(self) -> str:
        if self.at >= len(self.tokens):
            raise _NoArithmeticError
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self) -> float:
        value = self.product()
        while self.next_is("+", "-"):
            value += self.product() if self.take() == "+" else -self.product()
        return value

    def product(self) -> float:
        value = self.signed()
        while self.at < len(self.tokens) and not self.next_is("+", "-", ")"):
            if self.next_is("/"):
                self.take()
                value /= self.signed()
            elif self.next_is("*"):
                self.take()
                value *= self.signed()
            elif self.next_is("(", "√", "π") or self.tokens[self.at - 1] in (")", "!", "π"):
                value *= self.power()
            else:
                raise _NoArithmeticError
        return value

    def signed(self) -> float:
        if self.next_is("-"):
            self.take()
            return -self.power()
        return self.power()

    def power(self) -> float:
        value = self.chosen()
        if self.next_is("^"):
            self.take()
            exponent = self.signed()
            if abs(exponent) > _LARGEST_POWER:
                raise _NoArithmeticError
            value = math.pow(value, exponent)
        return value

    def chosen(self) -> float:
        value = self.factorial()
        if self.next_is("C", "P"):
            count = math.comb if self.take() == "C" else math.perm
            value = float(count(_small(value), _small(self.factorial())))
        return value

    def factorial(self) -> float:
        value = self.mixed()
        while self.next_is("!"):
            self.take()
            value = float(math.factorial(_small(value)))
        return value

    def mixed(self) -> float:
        """A number, with the fraction behind it if there is one."""
        value = self.single()
        if not self.tokens[self.at - 1].removeprefix("-").isdecimal():
            return value
        match self.tokens[self.at : self.at + 3]:
            case ["(", fraction, ")"] if (part := self._part(fraction)) and part < 1:
                self.at += 3
            case ["and", fraction, *_] if part := self._part(fraction):
                self.at += 2
            case [fraction, *_] if part := self._part(fraction):
                self.at += 1
            case _:
                return value
        return value + math.copysign(part, value)

    def _part(self, token: str) -> float | None:
        return _value(token) if "/" in token or token in _PARTS else None

    def single(self) -> float:
        token = self.take()
        if token == "(":
            value = self.sum()
            if self.take() != ")":
                raise _NoArithmeticError
            return value
        if token == "√":
            return math.sqrt(self.single())
        if token == "π":
            return math.pi
        value = _value(token)
        if value is None:
            raise _NoArithmeticError
        return value


def _small(value: float) -> int:
    """A whole number that may be counted with."""
    if not (value.is_integer() and 0 <= value <= _LARGEST_FACTORIAL):
        raise _NoArithmeticError
    return int(value)
