"""The numbers of a question with what they measure or count.

Promises: `quantities_of` gives for each number of a question, by its place, its unit (`54 km/h`,
`$3.60`, `5 %`), what it counts (`120 slices`), that it is a mere number (`3 times`), or nothing
where that is not plain. Also what is measured where the text says so (`a speed of 45`), and the
words beside the number that say it. The time taken is linear in the text.

Does not cover: units that are said only elsewhere in the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scratchwork.machine.number_words import WrittenNumber, written_numbers
from scratchwork.problems.tokens import is_number
from scratchwork.quantities.nouns import STOP_WORDS, noun_phrase_at, singular_of
from scratchwork.quantities.reading_units import ReadUnit, money_before, read_rate, read_unit
from scratchwork.quantities.units import NUMBER, Unit, unit_of


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
_NUMBER = Quantity((NUMBER,))


def quantities_of(tokens: Sequence[str]) -> Mapping[int, Quantity]:
    """What is known of each number of a question, by its place, counted from 1."""
    lower = [token.lower() for token in tokens]
    numbers = list(written_numbers(tokens))
    found: dict[int, Quantity] = {}
    for n, number in enumerate(numbers):
        quantity = _alone(tokens, lower, number)
        if quantity is None and not _is_mere(lower, number, numbers, n):
            quantity = _counted(tokens, lower, number)
        elif quantity is None:
            quantity = _NUMBER
        measure = _measure_before(lower, number.start)
        if quantity is not None and quantity.measure is None and quantity != _NUMBER:
            quantity = replace(quantity, measure=measure)
        elif quantity is None and measure:
            quantity = Quantity(measure=measure)
        if quantity is not None:
            found[number.start + 1] = quantity
    _share_units(lower, numbers, found)
    return found


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
    is_half_of = lower[number.start] in ("half", "quarter") and lower[end : end + 1] in (
        ["a"],
        ["an"],
    )
    read = read_unit(lower, end + 1 if is_half_of else end)
    if read is None:
        return None
    after = tuple(tokens[number.end : read.end])
    adjective = lower[read.end] if read.end < len(lower) else ""
    measure = _ADJECTIVES.get(adjective)
    is_time = read.units[0].dimension == (("time", 1),)
    if measure and is_time != (measure == "age"):
        measure = None
    return Quantity(read.units, measure=measure, after=after)


def _is_mere(
    lower: Sequence[str], number: WrittenNumber, numbers: Sequence[WrittenNumber], n: int
) -> bool:
    """Whether a number is a part, a multiple, an ordinal or a term of a ratio."""
    first = lower[number.start]
    following = lower[number.end] if number.end < len(lower) else ""
    if first in _MULTIPLIERS or following in _MERE:
        return True
    if "/" in first and following in ("of", "th", "rd", "full", "filled"):
        return True
    has_next = n + 1 < len(numbers) and numbers[n + 1].start == number.end + 1
    has_last = n > 0 and numbers[n - 1].end == number.start - 1
    joins = (following if has_next else "", lower[number.start - 1] if has_last else "")
    if ":" in joins:
        return True
    if has_last and joins[1] == "/":
        return True
    if has_next and joins[0] == "/":
        end = numbers[n + 1].end
        return lower[end : end + 1] in (["of"], ["th"], ["rd"], ["full"])
    if "to" in joins:
        return "ratio" in lower[max(0, number.start - 10) : number.start]
    return False


def _counted(tokens: Sequence[str], lower: Sequence[str], number: WrittenNumber) -> Quantity | None:
    """The quantity of a number before a noun."""
    end = number.end
    if end < len(lower) and lower[end] == "of" and lower[end - 1] in ("dozen", "dozens"):
        end += 1
    before = lower[number.start - 1] if number.start else ""
    is_year = is_number(lower[number.start]) and 1800 <= number.value < 2100
    if is_year and before in ("in", "of", "since", "year", "during", "by", "from", ","):
        return None
    phrase = noun_phrase_at(tokens, end)
    if not phrase:
        return None
    noun = unit_of(singular_of(phrase[-1].lower()))
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
        if after is None or not after.units or after.before:
            continue
        between = lower[number.end : following.start]
        is_mixed = not between and "/" in lower[following.start]
        is_fraction = between == ["/"] and known is None
        if is_mixed and after == _NUMBER:
            continue
        is_listed = " ".join(between) in _LISTED
        is_open = known is None or not known.units
        if is_open and after.units != (NUMBER,) and (is_mixed or is_listed or is_fraction):
            measure = known.measure if known else after.measure
            found[place] = replace(after, measure=measure)
    for number, following in pairwise(numbers):
        # In `1 / 2 hour` the hour belongs to the one, and the two is a mere number.
        if lower[number.end : following.start] == ["/"] and number.start + 1 not in found:
            after = found.get(following.start + 1)
            if after is not None and after.units and after != _NUMBER:
                found[number.start + 1] = after
                found[following.start + 1] = _NUMBER
