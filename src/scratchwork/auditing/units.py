"""Units between the numbers of an equation: `560 m + 140 m = 700 m`, `72 km/h`, `$6 per hat`.

Promises: `with_units_marked` puts `UNIT` for every token of a unit that follows a number, so that
what is left is arithmetic. A single letter is a unit only where it cannot well be an unknown: it
follows numbers alone, every term of a sum has a unit, and so has the result.

Does not cover: units of one whole word, which arithmetic in prose skips by itself.
"""

from collections.abc import Sequence

from scratchwork.auditing.arithmetic import UNIT
from scratchwork.problems.signs import CLOSING, CURRENCIES, EQUALS, signs_of
from scratchwork.problems.tokens import is_number

_LETTERS = frozenset("m s h g l L".split())
_POWERS = frozenset("² ³".split())
_BEFORE_A_LENGTH = frozenset("square cubic sq cu".split())
_NO_NAMES = frozenset(
    "per a an the and or of in at is are was were to by for so then which that".split()
)
_SUMS = signs_of("Add", "Subtract")


def with_units_marked(tokens: Sequence[str]) -> list[str]:
    """The tokens of a line, with `UNIT` for those of units that are more than a word."""
    marked = list(tokens)
    letters = _LETTERS if _has_units_throughout(tokens) else frozenset[str]()
    for k, token in enumerate(tokens):
        if is_number(token):
            end = _end_of_unit(tokens, k + 1, letters)
            if end > k + 2 or (end == k + 2 and len(tokens[k + 1]) == 1 and tokens[k + 1] != "°"):
                marked[k + 1 : end] = [UNIT] * (end - k - 1)
    return marked


def _end_of_unit(tokens: Sequence[str], start: int, letters: frozenset[str]) -> int:
    """The place behind the unit that begins at a place; that place if none does."""
    at = start
    if at < len(tokens) and tokens[at] in _BEFORE_A_LENGTH:
        at += 1
    if _is_name(tokens, at, letters):
        at += 1
        if at < len(tokens) and tokens[at] in _POWERS:
            at += 1
    elif at > start:
        return start
    is_rate = at + 1 < len(tokens) and tokens[at] in ("/", "per")
    if is_rate and (at > start or tokens[at] == "per") and _is_name(tokens, at + 1, _LETTERS):
        at += 2
    return at


def _is_name(tokens: Sequence[str], k: int, letters: frozenset[str]) -> bool:
    """Whether a token may be the name of a unit."""
    if k >= len(tokens):
        return False
    token = tokens[k]
    is_word = len(token) > 1 and token.isalpha() and token.lower() not in _NO_NAMES
    is_rate = k + 2 < len(tokens) and tokens[k + 1] == "/" and tokens[k + 2] in _LETTERS
    return is_word or token in letters or (token in _LETTERS and is_rate)


def _has_units_throughout(tokens: Sequence[str]) -> bool:
    """Whether single letters behind numbers are units rather than unknowns."""
    for k, token in enumerate(tokens):
        is_behind = k > 0 and (is_number(tokens[k - 1]) or tokens[k - 1] in ("/", "per"))
        if token in _LETTERS and not is_behind:
            return False
    signs = [k for k, token in enumerate(tokens) if token in EQUALS]
    bounds = [-1, *signs, len(tokens)]
    for k in range(len(bounds) - 1):
        side = tokens[bounds[k] + 1 : bounds[k + 1]]
        ends = [j for j in range(1, len(side)) if side[j] in _SUMS and side[j - 1] not in "( ["]
        if ends and not all(_has_unit_before(side, end) for end in (*ends, len(side))):
            return False
    return bool(signs) and _has_unit_behind(tokens, signs[-1] + 1)


def _has_unit_before(side: Sequence[str], end: int) -> bool:
    """Whether a term that ends before a place has a unit, or a currency."""
    k = end - 1
    if side[k] in CLOSING or side[k] in _POWERS or side[k].isalpha() or side[k] == "%":
        return True
    return k > 0 and is_number(side[k]) and side[k - 1] in CURRENCIES


def _has_unit_behind(tokens: Sequence[str], k: int) -> bool:
    """Whether the number at a place has a unit."""
    while k < len(tokens) and not is_number(tokens[k]):
        k += 1
    return k + 1 < len(tokens) and (tokens[k + 1].isalpha() or tokens[k + 1] in ("%", "°"))
