"""Units read from a question's words: `km / hr`, `square feet`, `% per annum`, `$`.

Promises: `read_unit` reads the unit that begins at a place, `read_rate` goes on with what follows
it (`per kg`, `an hour`), `money_before` reads the currency before a number. Each looks at a few
tokens only.

Does not cover: single letters between signs of arithmetic, which are rather unknowns (`5 m + 3`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from scratchwork.problems.tokens import is_number
from scratchwork.quantities.nouns import STOP_WORDS, singular_of
from scratchwork.quantities.unit_table import BASES, SIGNS_BEFORE, SPEEDS, SPELLINGS
from scratchwork.quantities.units import PERCENT, Unit, unit_of


class ReadUnit(NamedTuple):
    """The units that some tokens may mean, the likeliest first, and the place behind them."""

    units: tuple[Unit, ...]
    end: int


class Paid(NamedTuple):
    """A currency before a number, and the place where it begins."""

    unit: Unit
    start: int


_SQUARES, _CUBES = frozenset("square sq squared".split()), frozenset("cubic cu cubed".split())
_JOINED = {
    f"{word}{short}": unit_of(symbol, power)
    for power, words in ((2, ("sq",)), (3, ("cu",)))
    for word in words
    for short, symbol in (("cm", "cm"), ("m", "m"), ("km", "km"), ("ft", "ft"), ("mm", "mm"))
} | {"cc": unit_of("cm", 3), "sqmt": unit_of("m", 2), "sqmtr": unit_of("m", 2)}
_PER = frozenset("per / every".split())
_ARTICLES = frozenset("a an each".split())
_EXPONENTS = {"²": 2, "³": 3, "2": 2, "3": 3}
_ALGEBRA = frozenset("+ - * × ÷ = ^ < > ≤ ≥ ² ³ ( √".split())
_FARTHEST = 8
_FOR_EACH = frozenset("per each every a an".split())
_ONE = frozenset("1 one a an the".split())
_ORDINALS = frozenset("first second third fourth next last other".split())
_BREAKS = frozenset(". , ; ? ! : (".split()) | {"\n"}
_TELLING = frozenset(
    "is = equals weighs weigh costs cost covers contains holds gives lasts needs".split()
)
_DAILY = {"daily": "day", "hourly": "h", "monthly": "month", "weekly": "week"}
_TIME = (("time", 1),)


def read_unit(lower: Sequence[str], start: int) -> ReadUnit | None:
    """The unit that begins at a place of a text in lower case, if one does."""
    if start < len(lower) and lower[start] == "-" and _spells(lower, start + 1):
        start += 1
    read = _read_power(lower, start)
    return None if read is None else read_rate(lower, read.end, read)


def _spells(lower: Sequence[str], k: int) -> bool:
    return k < len(lower) and len(lower[k]) > 1 and lower[k] in SPELLINGS


def _read_power(lower: Sequence[str], start: int) -> ReadUnit | None:
    """A base unit, perhaps squared or cubed."""
    if start >= len(lower):
        return None
    word = lower[start]
    if word in _JOINED:
        return ReadUnit((_JOINED[word],), start + 1)
    if word in SPEEDS:
        above, below = SPEEDS[word]
        return ReadUnit((Unit(tuple(sorted(((above, 1), (below, -1))))),), start + 1)
    power = 2 if word in _SQUARES else 3 if word in _CUBES else 1
    at = start
    if power > 1:
        at += 1
        at += lower[at : at + 1] == ["."]
        # Behind `square`, `in` can only be inches.
        if lower[at : at + 1] == ["in"]:
            return ReadUnit((unit_of("inch", power),), at + 1)
    if word == "per" and lower[start + 1 : start + 2] == ["cent"]:
        return ReadUnit((PERCENT,), start + 2)
    symbol = SPELLINGS.get(lower[at]) if at < len(lower) else None
    if lower[at : at + 1] == ["second"] and _begins_noun(lower, at + 1):
        return None  # `second class tickets`
    if symbol is None:
        is_rupees = word == "/" and lower[start + 1 : start + 2] == ["-"]
        return ReadUnit((unit_of("Rs."),), start + 2) if is_rupees else None
    if len(lower[at]) == 1 and lower[at].isalpha() and _is_unknown(lower, at):
        return None
    end = at + 1
    if symbol == "°" and lower[end : end + 1] in (["c"], ["celsius"], ["f"], ["fahrenheit"]):
        return ReadUnit((unit_of("°C" if lower[end].startswith("c") else "°F"),), end + 1)
    is_length = BASES[symbol].dimension == (("length", 1),)
    if power > 1 and not is_length:
        return None
    if is_length and power == 1:
        power, end = _exponent(lower, end)
    return ReadUnit((unit_of(symbol, power),), end)


def _is_unknown(lower: Sequence[str], k: int) -> bool:
    """Whether a single letter after a number is rather an unknown: signs of arithmetic stand
    around."""
    following = lower[k + 1] if k + 1 < len(lower) else ""
    before = lower[k - 2] if k > 1 else ""
    is_exponent = following == "^" or following in _EXPONENTS
    return (following in _ALGEBRA and not is_exponent) or before in _ALGEBRA


def _exponent(lower: Sequence[str], end: int) -> tuple[int, int]:
    """The exponent behind a length, and the place behind it."""
    at = end + 1 if lower[end : end + 1] == ["^"] else end
    if at >= len(lower):
        return 1, end
    if lower[at] in _EXPONENTS:
        # `5 m 2` has lost its sign of a power, but `5 m 2 men` has not.
        is_alone = at > end or not lower[at].isascii() or not _begins_noun(lower, at + 1)
        return (_EXPONENTS[lower[at]], at + 1) if is_alone else (1, end)
    if lower[at] in ("squared", "square"):
        return 2, at + 1
    return (3, at + 1) if lower[at] in ("cubed", "cube") else (1, end)


def _begins_noun(lower: Sequence[str], k: int) -> bool:
    if k >= len(lower):
        return False
    word = lower[k]
    return is_number(word) or word in "./:-" or (word.isalpha() and word not in STOP_WORDS)


def read_rate(lower: Sequence[str], start: int, above: ReadUnit) -> ReadUnit:
    """A unit with what it is counted per: `per kg`, `/ hour`, `a day`, `of cloth every second`."""
    at = start
    if lower[at : at + 1] == ["."] and lower[at + 1 : at + 2] in (["/"], ["per"]):
        at += 1
    if lower[at : at + 1] == ["of"] and at + 2 < len(lower) and lower[at + 2] in _PER - {"/"}:
        at += 2
    if any(n < 0 for _, n in above.units[0].factors):
        return above
    if lower[at : at + 1] == ["for"] and lower[at + 1 : at + 2] in (["each"], ["every"]):
        at += 1
        if lower[at + 1 : at + 2] == ["additional"]:
            at += 1
        return _after_each(lower, at + 1, above)
    if at + 1 >= len(lower):
        return above
    sign, word = lower[at], lower[at + 1]
    if sign == "p" and lower[at : at + 4] in (["p", ".", "a", "."], ["p", ".", "a"]):
        return _per(above, "year", at + 4)
    symbol = SPELLINGS.get(word)
    if sign == "on" and word in ("a", "one", "1"):
        below = _read_power(lower, at + 2)
        is_fuel = below is not None and below.units[0].dimension == (("length", 3),)
        return _divided(above, below.units[0], below.end) if below and is_fuel else above
    if sign in _ARTICLES or sign == "p":
        is_time = symbol is not None and BASES[symbol].dimension == _TIME
        is_bought = symbol in ("kg", "lb", "l", "gallon", "g", "ft", "m", "yard") and len(word) > 1
        is_rate = (
            symbol is not None and len(word) > 1 and (is_time or (sign != "each" and is_bought))
        )
        return _per(above, symbol, at + 2) if symbol is not None and is_rate else above
    if sign not in _PER:
        return above
    below = _read_power(lower, at + 1)
    if below is not None and below.units[0] != PERCENT:
        return _divided(above, below.units[0], below.end)
    if word == "annum":
        return _per(above, "year", at + 2)
    is_noun = symbol is None and word.isalpha() and len(word) > 2 and word not in STOP_WORDS
    if not is_noun or sign == "every":
        return above
    # What kilometres are counted per is a unit; a word that is none is mistyped.
    is_mistyped = above.units[0].dimension == (("length", 1),)
    return ReadUnit((), at + 2) if is_mistyped else _per(above, singular_of(word), at + 2)


def _after_each(lower: Sequence[str], at: int, above: ReadUnit) -> ReadUnit:
    """What stands behind `for each`: a unit or a noun."""
    below = _read_power(lower, at)
    if below is not None:
        return _divided(above, below.units[0], below.end)
    word = lower[at] if at < len(lower) else ""
    is_noun = word.isalpha() and len(word) > 2 and word not in STOP_WORDS
    return _per(above, singular_of(word), at + 1) if is_noun else above


def unit_around(lower: Sequence[str], start: int, end: int) -> Unit | None:
    """What a number between two places may be counted per, as words farther off say: `each hour it
    hops 3 ft`, `3 litres of petrol used every hour`, `80 km in the first hour`."""
    for k in range(end, min(end + _FARTHEST, len(lower) - 1)):
        word = lower[k]
        if word in _DAILY:
            return unit_of(_DAILY[word])
        at = k + 1 + (lower[k + 1] == "one")
        time = _time_at(lower, at) if word in _FOR_EACH else None
        if time is not None:
            return time
        if word == "in" and k == end:
            at = k + 1 + (lower[k + 1] in _ONE)
            at += at < len(lower) and lower[at] in _ORDINALS
            time = _time_at(lower, at) if at > k + 1 else None
            if time is not None:
                return time
        if not word.isalpha():
            break
    return _unit_before(lower, start)


def _unit_before(lower: Sequence[str], start: int) -> Unit | None:
    """What `each hour it hops`, `1 inch is` and `a pint of milk costs` say of the number behind
    them."""
    end = start - 1
    while end > 0 and (lower[end] in SIGNS_BEFORE or lower[end] in (".", "about")):
        end -= 1
    is_told = end > 0 and lower[end] in _TELLING
    for k in range(end, max(end - _FARTHEST, -1), -1):
        if lower[k] in _ONE or lower[k] in ("each", "every"):
            read = _read_power(lower, k + 1)
            if read is not None and (is_told or read.units[0].dimension == _TIME):
                return read.units[0] if is_told or lower[k] != "the" else None
        if k < end and lower[k] in _BREAKS:
            break
    return None


def _time_at(lower: Sequence[str], k: int) -> Unit | None:
    symbol = SPELLINGS.get(lower[k]) if k < len(lower) else None
    is_time = symbol is not None and BASES[symbol].dimension == _TIME
    return unit_of(symbol) if symbol is not None and is_time and len(lower[k]) > 1 else None


def unit_of_noun(noun: str) -> Unit:
    """The unit that a noun counts in: `consecutive months` are months."""
    symbol = SPELLINGS.get(noun)
    return unit_of(symbol if symbol is not None and len(noun) > 2 else singular_of(noun))


def _per(above: ReadUnit, name: str, end: int) -> ReadUnit:
    return _divided(above, unit_of(name), end)


def _divided(above: ReadUnit, below: Unit, end: int) -> ReadUnit:
    """The quotient; a percentage by the year may also be taken of the year's sum, without it."""
    unit = above.units[0].times(below, -1)
    if unit is None:
        return above
    also = (above.units[0],) if above.units[0] == PERCENT else ()
    return ReadUnit((unit, *also), end)


def money_before(lower: Sequence[str], start: int) -> Paid | None:
    """The currency that stands before a number."""
    at = start - 1
    if at > 0 and lower[at] in (".", ":") and lower[at - 1] in ("rs", "re"):
        at -= 1
    if at < 0 or lower[at] not in SIGNS_BEFORE:
        return None
    return Paid(unit_of(SIGNS_BEFORE[lower[at]]), at)
