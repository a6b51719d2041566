"""The numbers of a question with what they measure or count.

Promises: `quantities_of` gives for each number of a question, by its place, its unit (`54 km/h`,
`$3.60`, `5 %`), what it counts (`120 slices`), that it is a mere number (`3 times`), or nothing
where that is not plain. Also what is measured where the text says so (`a speed of 45`), and the
words beside the number that say it. The time taken is linear in the text.

Does not cover: units that are said only elsewhere in the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scratchwork.machine.number_words import WrittenNumber, written_numbers
from scratchwork.problems.numerals import number_of
from scratchwork.problems.tokens import is_number
from scratchwork.quantities.nouns import STOP_WORDS, noun_phrase_at
from scratchwork.quantities.reading_units import (
    ReadUnit,
    money_before,
    read_rate,
    read_unit,
    unit_around,
    unit_of_noun,
)
from scratchwork.quantities.units import NUMBER, PERCENT, Unit, unit_of


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a number of a question is a number of."""

    units: tuple[Unit, ...] = ()
    """The units it may have, the likeliest first; none if that is not known."""
    phrase: tuple[str, ...] = ()
    """What is counted, as the question says it: `blue hats`."""
    measure: str | None = None
    """What is measured, if the question says so: `speed`."""
    before: tuple[str, ...] = ()
    """The tokens before the number that belong to it: `$`."""
    after: tuple[str, ...] = ()
    """The tokens behind the number that belong to it: `km / h`."""

    @property
    def unit(self) -> Unit | None:
        """The likeliest unit."""
        return self.units[0] if self.units else None


MEASURED_NAMES = frozenset(
    """
    speed length breadth width height depth age price cost weight mass distance radius diameter
    area volume perimeter circumference salary income wage profit loss discount interest rate
    principal capacity time temperature side base hypotenuse
    """.split()
)
_ADJECTIVES = {"long": "length", "wide": "width", "broad": "width", "high": "height"} | {
    "tall": "height", "deep": "depth", "old": "age", "thick": "thickness", "apart": "distance",
    "away": "distance",
}  # fmt: skip
_MERE = frozenset("times time fold th st nd rd".split())
_MULTIPLIERS = frozenset(
    "twice double doubled thrice triple tripled half quarter dozen hundred thousand million lakh"
    " lakhs".split()
)
_SCALES = frozenset("hundred thousand million billion lakh lakhs crore crores dozen".split())
_LISTED = frozenset({",", "and", "or", "to", "&", "–", "-", ", and", ", or"})
_LOOKED_BACK = 6
_OF_MONEY = frozenset("price prices cost costs paid pay pays salary earns £ pence".split())
_SINGLE = frozenset("one 1 first second".split())
_BEFORE_M = (["a", "."], ["p", "."])
_MOST_SILENT = 4
MERE = Quantity((NUMBER,))
"""A mere number: a part, a multiple, a term of a ratio."""


def quantities_of(tokens: Sequence[str]) -> Mapping[int, Quantity]:
    """What is known of each number of a question, by its place, counted from 1."""
    lower = [token.lower() for token in tokens]
    numbers = list(written_numbers(tokens))
    found: dict[int, Quantity] = {}
    taken = 0
    for n, number in enumerate(numbers):
        place = number.start + 1
        if place in found:
            continue
        if number.start < taken:
            # The exponent of a unit, as in `5 m ^ 2`.
            found[place] = MERE
            continue
        following = numbers[n + 1] if n + 1 < len(numbers) else None
        if following is not None and lower[number.end : following.start] == ["/"]:
            part = _part(tokens, lower, following.end)
            if part is not None:
                found[place], found[following.start + 1] = part, MERE
                continue
        quantity = _quantity(tokens, lower, numbers, n)
        if quantity is not None:
            found[place] = quantity
            taken = number.end + len(quantity.after)
    _share_units(lower, numbers, found)
    words = set(lower)
    if words & _OF_MONEY:
        # These pounds may be money.
        _also(found, unit_of("lb"), unit_of("£"))
    if "interest" in words:
        _also(found, PERCENT, Unit((("%", 1), ("year", -1))))
    return found


def _also(found: dict[int, Quantity], unit: Unit, other: Unit) -> None:
    """Let what is in a unit be in another one, too."""
    for place, quantity in found.items():
        if quantity.units == (unit,):
            found[place] = replace(quantity, units=(unit, other))


def silent_units(tokens: Sequence[str], given: Mapping[int, Quantity]) -> tuple[Unit, ...]:
    """The units by which a plan may multiply without saying so, since there is one of each: `one
    hour later`, `1 kg of honey`, `after 60 minutes`, and the hours between two times of the day."""
    found: dict[Unit, None] = {}
    lower = [token.lower() for token in tokens]
    for k, word in enumerate(lower):
        read = read_unit(lower, k + 1) if word in _SINGLE else None
        if read is not None and len(read.units) == 1:
            found[read.units[0]] = None
        if word in ("am", "pm") or (word == "m" and lower[max(0, k - 2) : k] in _BEFORE_M):
            found[unit_of("h")] = None
    for place, quantity in given.items():
        if quantity.unit is not None and number_of(tokens[place - 1]) == 1:
            found[quantity.unit] = None
        if tokens[place - 1] == "60" and quantity.unit == unit_of("min"):
            found[unit_of("h")] = None
    return tuple(found)[:_MOST_SILENT]


def _quantity(
    tokens: Sequence[str], lower: Sequence[str], numbers: Sequence[WrittenNumber], n: int
) -> Quantity | None:
    """What is known of a number."""
    number = numbers[n]
    quantity = _alone(tokens, lower, number)
    if quantity is None and _is_mere(lower, numbers, n):
        return MERE
    quantity = quantity or _counted(tokens, lower, number)
    measure = _measure_before(lower, number.start)
    if quantity is None:
        return Quantity(measure=measure) if measure else None
    units = _with_rate_around(lower, number, quantity)
    return replace(quantity, units=units, measure=quantity.measure or measure)


def _part(tokens: Sequence[str], lower: Sequence[str], end: int) -> Quantity | None:
    """What the numerator of a fraction written in three tokens is a number of."""
    if lower[end : end + 1] == ["of"]:
        at = end + 1 + (lower[end + 1 : end + 2] in (["a"], ["an"], ["one"]))
        read = read_unit(lower, at) if at > end + 1 else None
        return MERE if read is None else Quantity(read.units, after=tuple(tokens[end : read.end]))
    if lower[end : end + 1] in (["th"], ["rd"], ["full"], ["filled"], ["as"], ["times"]):
        return MERE
    read = read_unit(lower, end)
    return None if read is None else Quantity(read.units, after=tuple(tokens[end : read.end]))


def _with_rate_around(
    lower: Sequence[str], number: WrittenNumber, quantity: Quantity
) -> tuple[Unit, ...]:
    """The units of a quantity, with the rate that words farther off may make of it."""
    if len(quantity.units) != 1 or any(n < 0 for _, n in quantity.units[0].factors):
        return quantity.units
    (unit,) = quantity.units
    below = unit_around(lower, number.start, number.end + len(quantity.after))
    rate = None if below is None or below == unit else unit.times(below, -1)
    return (unit,) if rate is None else (unit, rate)


def _alone(tokens: Sequence[str], lower: Sequence[str], number: WrittenNumber) -> Quantity | None:
    """The quantity of a number with a unit."""
    end = number.end
    while end < len(lower) and lower[end] in _SCALES and end < number.end + 2:
        end += 1
    paid = money_before(lower, number.start)
    if paid is not None:
        rate = read_rate(lower, end, ReadUnit((paid.unit,), end))
        before = tuple(tokens[paid.start : number.start])
        return Quantity(rate.units, before=before, after=tuple(tokens[number.end : rate.end]))
    if lower[end : end + 1] in (["pi"], ["π"]):
        end += 1
    words = lower[end : end + 2]
    is_part = lower[number.start] in ("half", "quarter") or "/" in lower[number.start]
    if is_part and words[:1] in (["a"], ["an"]):
        end += 1
    elif is_part and words in (["of", "a"], ["of", "an"], ["of", "one"]):
        end += 2
    read = read_unit(lower, end)
    if read is None:
        return None
    after = tuple(tokens[number.end : read.end])
    adjective = lower[read.end] if read.end < len(lower) else ""
    measure = _ADJECTIVES.get(adjective)
    is_time = any(unit.dimension == (("time", 1),) for unit in read.units)
    if measure and is_time != (measure == "age"):
        measure = None
    return Quantity(read.units, measure=measure, after=after)


def _is_mere(lower: Sequence[str], numbers: Sequence[WrittenNumber], n: int) -> bool:
    """Whether a number is a part, a multiple, an ordinal or a term of a ratio."""
    number = numbers[n]
    first = lower[number.start]
    following = lower[number.end] if number.end < len(lower) else ""
    if first in _MULTIPLIERS or following in _MERE:
        return True
    if "/" in first and following in ("of", "th", "rd", "full", "filled", "as"):
        return True
    has_next = n + 1 < len(numbers) and numbers[n + 1].start == number.end + 1
    has_last = n > 0 and numbers[n - 1].end == number.start - 1
    joins = (following if has_next else "", lower[number.start - 1] if has_last else "")
    if ":" in joins:
        return True
    return "to" in joins and "ratio" in lower[max(0, number.start - 10) : number.start]


def _counted(tokens: Sequence[str], lower: Sequence[str], number: WrittenNumber) -> Quantity | None:
    """The quantity of a number before a noun."""
    end = number.end
    if lower[end : end + 1] in (["dozen"], ["dozens"]):
        return Quantity((unit_of("dozen"),), ("dozen",), after=(tokens[end],))
    before = lower[number.start - 1] if number.start else ""
    is_year = is_number(lower[number.start]) and 1800 <= number.value < 2100
    if is_year and before in ("in", "of", "since", "year", "during", "by", "from", ","):
        return None
    phrase = noun_phrase_at(tokens, end)
    if not phrase or phrase[-1].lower() == "units":
        return None
    noun = unit_of_noun(phrase[-1].lower())
    rate = read_rate(lower, end + len(phrase), ReadUnit((noun,), end + len(phrase)))
    return Quantity(rate.units, phrase, after=tuple(tokens[number.end : rate.end]))


def _measure_before(lower: Sequence[str], start: int) -> str | None:
    """What is measured, if the words before a number say so: `a speed of`, `his age is`."""
    for k in range(start - 1, max(start - 1 - _LOOKED_BACK, -1), -1):
        word = lower[k]
        if word in MEASURED_NAMES:
            return word
        is_between = word in STOP_WORDS or word in _SIGNS_BETWEEN or word in ("equal", "equals")
        if not is_between:
            return None
    return None


_SIGNS_BETWEEN = frozenset("= : $ rs . £ € ₹ '".split())


def _share_units(
    lower: Sequence[str], numbers: Sequence[WrittenNumber], found: dict[int, Quantity]
) -> None:
    """Give the unit behind the last number of a list, or of a mixed number, to those before it."""
    for number, following in zip(numbers[-2::-1], numbers[:0:-1], strict=True):
        place, place_after = number.start + 1, following.start + 1
        known, after = found.get(place), found.get(place_after)
        if after is None or not after.units or after.before or after == MERE:
            continue
        if known is not None and known.units:
            continue
        between = " ".join(lower[number.end : following.start])
        is_mixed = not between and "/" in "".join(lower[following.start : following.end + 1])
        if is_mixed or between in _LISTED:
            measure = known.measure if known else after.measure
            found[place] = replace(after, measure=measure)
