"""What a calculation is called, where units tell it: `the speed is the distance divided by ...`.

Promises: `words_for_calculation` gives the words before a calculation whose units are known, and
whether they open the sentence by themselves. They are true of every calculation with such units,
whatever the story; where units tell nothing, there are none.

Does not cover: calculations without units.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scratchwork.quantities.unit_table import Dimension
from scratchwork.quantities.units import NUMBER, PERCENT, Unit


class Told(NamedTuple):
    """The words before a calculation."""

    words: tuple[str, ...]
    opens: bool
    """Whether they begin the sentence, so that no `then` stands before them."""


_SPEED, _LENGTH, _TIME = (("length", 1), ("time", -1)), (("length", 1),), (("time", 1),)
_QUOTIENTS: Mapping[tuple[Dimension, ...], str] = {
    (_LENGTH, _SPEED): "the time is the distance divided by the speed :",
    (_LENGTH, _TIME): "the speed is the distance divided by the time :",
}
_PUT_TOGETHER = (_LENGTH, (("money", 1),), (("mass", 1),), (("length", 3),))
_PART_OF_WORK = frozenset(
    "work job task project wall tank cistern pool reservoir tub order assignment".split()
)


def words_for_calculation(
    operation: str,
    units: Sequence[Unit],
    result: Unit,
    question: frozenset[str],
    *,
    are_given: bool,
) -> Told:
    """The words before a calculation of numbers in these units; `question` has its words, and all
    numbers `are_given` by it, or not."""
    dimensions = tuple(unit.dimension for unit in units)
    match operation:
        case "Add" if result not in (NUMBER, PERCENT) and are_given:
            if result.is_count or result.dimension in _PUT_TOGETHER:
                return Told(("together", ":"), True)
        case "Subtract" if PERCENT not in units and result != NUMBER:
            return Told(("the", "difference", "is"), False)
        case "Multiply" if set(dimensions) == {_SPEED, _TIME} and len(units) == 2:
            return _told("the distance is the speed times the time :")
        case "Divide" if len(units) == 2:
            if dimensions in _QUOTIENTS:
                return _told(_QUOTIENTS[dimensions])
            if units[1].is_count and result.nouns == units[1].nouns:
                return Told(("for", "each", *units[1].nouns, ":"), True)
            is_part = units[0] == NUMBER and result.factors == ((_base(units[1]), -1),)
            if is_part and dimensions[1] == _TIME and question & _PART_OF_WORK:
                return _told(f"the part for one {_base(units[1])} is")
        case _:
            pass
    return Told((), False)


def _told(words: str) -> Told:
    return Told(tuple(words.split()), False)


def _base(unit: Unit) -> str:
    return unit.factors[0][0] if len(unit.factors) == 1 else ""
