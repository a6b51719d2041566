"""What number a short text, such as an option, stands for as a whole.

Promises: `values_of` reads a number among words (`Rs. 40`, `four hours`), a fraction or ratio
(`3 : 2`), a mixed number (`3 1/2`, `7 ½`, `2(2/9)`), two units (`2 h 30 min` is 150 and 2.5), and
written arithmetic: powers, factorials, products, roots, pi, choices (`5!*6!`, `2^16 - 2`, `144√3`,
`9C5`). Any other text has no value. It never fails or takes long.

Does not cover: units (`2 km` and `2000 m` are different), variables, dates, ranges.
"""

from collections.abc import Sequence

from scratchwork.machine.arithmetic import (
    HALVES_AND_QUARTERS,
    OPERATORS,
    PI,
    ROOTS,
    NotArithmeticError,
    values_of_expression,
)
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
_ARITHMETIC = (OPERATORS - {"%", "of", "{", "}", "²", "³"}) | ROOTS | PI | {"c", "p", "and"}


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
        following = tokens[j + 1] if j + 1 < len(tokens) else ""
        return _pair(a, b, [token for token in tokens[i + 1 : j] if token != "."], following)
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
    return HALVES_AND_QUARTERS.get(token) or number_of(token)


def _pair(a: float, b: float, between: Sequence[str], following: str) -> list[float]:
    """What two numbers with something between them may be."""
    words = tuple(between)
    if words in ((":",), ("to",)) and b:
        return _in_range(a / b)
    for larger, smaller, count in _UNITS:
        if words and words[0] in larger and words[1:] in ((), ("and",)) and following in smaller:
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


def _arithmetic(tokens: Sequence[str]) -> float | None:
    """The value of what is written between words, if it is arithmetic."""
    known = [token in _ARITHMETIC or _value(token) is not None for token in tokens]
    if True not in known:
        return None
    first, last = known.index(True), len(known) - known[::-1].index(True)
    if not all(known[first:last]):
        return None
    try:
        (value,) = values_of_expression(tokens[first:last], in_prose=False)
        return in_range(value)
    except (NotArithmeticError, NumeralError):
        return None
