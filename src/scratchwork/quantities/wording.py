"""How a number with its unit is written: `$7`, `45 km/h`, `3 days`.

Promises: `around` gives the tokens before and behind a number in a unit, as the question writes
that unit if it does so, in the singular for one; `words_for` names a unit in a message. A unit that
nobody would write (a dollar times a hat) gives nothing around a number.

Does not cover: how the number itself is written.
"""

from collections.abc import Iterable

from scratchwork.quantities.given import Quantity
from scratchwork.quantities.nouns import plural_of, singular_of
from scratchwork.quantities.unit_table import BASES, SPELLINGS
from scratchwork.quantities.units import THINGS, Unit

Around = tuple[tuple[str, ...], tuple[str, ...]]
"""The tokens before and behind a number."""

_POWERS = {2: "²", 3: "³"}
_POWER_WORDS = {2: "square", 3: "cubic"}
_SHORT = 3
"""Units with more letters are words, and have a plural."""
_CLIPPED = frozenset("mins secs mtrs kgs kms cms gms lbs ltrs yds yrs hrs".split())
"""Plurals of abbreviations, which nobody should write."""


class UnitStyle:
    """How a question writes its units."""

    def __init__(self, quantities: Iterable[Quantity]) -> None:
        self._words: dict[str, str] = {}
        self._per: dict[str, str] = {}
        for quantity in quantities:
            is_below = False
            for token in map(str.lower, quantity.after):
                is_below = is_below or token in ("/", "per")
                symbol = SPELLINGS.get(token)
                if symbol is not None:
                    (self._per if is_below else self._words).setdefault(symbol, token)

    def around(self, unit: Unit, value: float) -> Around | None:
        """What stands before and behind a value in a unit; None if nobody would write the unit."""
        factors = [factor for factor in unit.factors if factor[0] != THINGS]
        above = [(name, n) for name, n in factors if n > 0]
        below = [name for name, n in factors if n < 0]
        is_written = len(above) == 1 and len(below) < 2 and all(n >= -1 for _, n in factors)
        if not is_written:
            return None if factors else ((), ())
        (name, power) = above[0]
        before, after = self._beside(name, power, is_one=value == 1)
        if (before and value < 0) or not (before or after):
            return None
        for per in below:
            is_short = bool(after) and len(after[0]) <= _SHORT and per in BASES and after != ("%",)
            short = self._per.get(per, per)
            per_word = short if len(short) <= _SHORT or short == per else per
            after += ("/", per_word) if is_short else ("per", self._word(per, is_one=True))
        return before, after

    def _beside(self, name: str, power: int, *, is_one: bool) -> Around:
        """What stands before and behind a number of base units or nouns; nothing if that is never
        written."""
        is_length = name in BASES and BASES[name].dimension == (("length", 1),)
        if power > 1 and not (is_length and power in _POWERS):
            return (), ()
        if name in BASES and BASES[name].place == "before":
            return tuple(name.replace(".", " .").split()), ()
        word = self._word(name, is_one=is_one)
        if power == 1:
            return (), (word,)
        is_short = len(word) <= _SHORT
        return (), (word, _POWERS[power]) if is_short else (_POWER_WORDS[power], word)

    def _word(self, name: str, *, is_one: bool) -> str:
        """A base unit or a noun as it is written behind a number."""
        if name not in BASES:
            return name if is_one else plural_of(name)
        base = BASES[name]
        word = self._words.get(name, "")
        if word == name != base.singular and len(word) <= _SHORT:
            return word
        is_word = len(word) > _SHORT and word.isalpha() and word not in _CLIPPED
        if is_word and word not in (base.singular, base.plural):
            word = singular_of(word)
            return word if is_one else plural_of(word)
        # Without a word of the question, times are words and other units signs.
        if (
            is_word
            or base.dimension == (("time", 1),)
            or len(name) > _SHORT
            or name == base.singular
        ):
            return base.singular if is_one else base.plural
        return name


def words_for(unit: Unit) -> str:
    """The name of a unit in a message: `km per h`, `years`, `hats`."""
    if not unit.factors:
        return "a mere number"
    above = [_named(name, n) for name, n in unit.factors if n > 0]
    below = [
        word
        for name, n in unit.factors
        for word in _named(name, -n, is_one=True).split(" × ")
        if n < 0
    ]
    named = " × ".join(above) or "1"
    return f"{named} per {' and '.join(below)}" if below else named


def _named(name: str, power: int, *, is_one: bool = False) -> str:
    if name in BASES:
        base = BASES[name]
        word = base.singular if is_one else base.plural
    else:
        word = name if is_one else plural_of(name)
    if power > 1 and name in BASES and BASES[name].dimension == (("length", 1),):
        return f"{_POWER_WORDS[power]} {word}" if power in _POWER_WORDS else f"{word}^{power}"
    return " × ".join([word] * power)
