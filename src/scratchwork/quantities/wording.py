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
from scratchwork.quantities.units import Unit

Around = tuple[tuple[str, ...], tuple[str, ...]]
"""The tokens before and behind a number."""
_POWERS = {2: "²", 3: "³"}


class UnitStyle:
    """How a question writes its units."""

    def __init__(self, quantities: Iterable[Quantity]) -> None:
        self._words: dict[str, str] = {}
        for quantity in quantities:
            for token in quantity.after:
                symbol = SPELLINGS.get(token.lower())
                if symbol is not None and symbol != "%":
                    self._words.setdefault(symbol, token)

    def around(self, unit: Unit, value: float) -> Around | None:
        """What stands before and behind a value in a unit; None if nobody would write the unit."""
        above = [(name, n) for name, n in unit.factors if n > 0]
        below = [(name, -n) for name, n in unit.factors if n < 0]
        if not above:
            return ((), ()) if not below else None
        if len(above) > 1 or len(below) > 1 or any(n > 1 for _, n in below):
            return None
        (name, power), is_one = above[0], value == 1
        before: tuple[str, ...] = ()
        after: tuple[str, ...] = ()
        is_sign = name in BASES and BASES[name].place == "before"
        if is_sign:
            if power > 1 or value < 0:
                return None
            before = ("Rs", ".") if name == "Rs." else (name,)
        else:
            if power > 1 and (name not in BASES or power > 3):
                return None
            after = self._name(name, is_one=is_one, power=power)
        for per, _ in below:
            is_short = bool(after) and len(after[0]) < 4 and len(self._word(per)) < 4
            sign = "/" if is_short and per in BASES else "per"
            after = (*after, sign, *self._name(per, is_one=True, power=1))
        return before, after

    def _word(self, name: str) -> str:
        return self._words.get(name, name)

    def _name(self, name: str, *, is_one: bool, power: int) -> tuple[str, ...]:
        if name not in BASES:
            return (singular_of(name) if is_one else plural_of(name),)
        base = BASES[name]
        word = self._words.get(name)
        if word is None:
            is_word = base.family in ("time",) or base.symbol in base.singular
            word = base.symbol if not is_word or len(base.symbol) < 3 else base.plural
        if len(word) > 3 and word.isalpha() and word.lower() not in ("celsius",):
            word = _in_number(word.lower(), is_one=is_one)
            return (("square", "cubic")[power - 2], word) if power > 1 else (word,)
        word = {"hrs": "hours", "secs": "seconds", "mins": "minutes", "yrs": "years"}.get(
            word, word
        )
        return (word, _POWERS[power]) if power > 1 else (word,)


def _in_number(word: str, *, is_one: bool) -> str:
    base = BASES.get(SPELLINGS.get(word, ""))
    if base is not None and word in (base.singular, base.plural):
        return base.singular if is_one else base.plural
    singular = singular_of(word)
    return singular if is_one else plural_of(singular)


def words_for(unit: Unit) -> str:
    """The name of a unit in a message: `km per h`, `years`, `hats`."""
    if not unit.factors:
        return "a mere number"
    above = [_named(name, n) for name, n in unit.factors if n > 0]
    below = [_named(name, -n, is_one=True) for name, n in unit.factors if n < 0]
    named = " × ".join(above) or "1"
    return f"{named} per {' and '.join(below)}" if below else named


def _named(name: str, power: int, *, is_one: bool = False) -> str:
    if name in BASES:
        base = BASES[name]
        word = base.singular if is_one else base.plural
    else:
        word = name if is_one else plural_of(name)
    return word if power == 1 else f"{word}^{power}"
