"""Random draws that are the same on every machine and Python version, and number ranges.

Promises: a `Draw` depends on its seed and index alone, so that any worker can make problem i; of
`random` it uses only `random()`, whose values are the same in every Python version. A range
(`20..400 step 5`, `0.5..4 step 0.5`) or list (`5, 10, 12.5, 3/4`) draws uniformly.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from scratchwork.families.expressions import FamilySyntaxError
from scratchwork.problems.numerals import NumeralError, read_fraction, read_number

_Item = TypeVar("_Item")

_MOST_NUMBERS = 1_000_000
_RANGE = re.compile(r"([0-9.]+)\s*\.\.\s*([0-9.]+)(?:\s+step\s+([0-9.]+))?")


class Draw:
    """A stream of random choices, fixed by a seed and an index."""

    def __init__(self, seed: int, index: int) -> None:
        self._random = random.Random((seed << 64) ^ index).random

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1."""
        return int(self._random() * count)

    def pick(self, items: Sequence[_Item]) -> _Item:
        """One of the items."""
        return items[int(self._random() * len(items))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """The items in random order."""
        order = list(items)
        for k in range(len(order) - 1, 0, -1):
            j = int(self._random() * (k + 1))
            order[k], order[j] = order[j], order[k]
        return order


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers a family's number may be."""

    first: float
    step: float
    count: int

    def draw(self, draw: Draw) -> float:
        # Rounding keeps 0.1 + 2 * 0.1 from being 0.30000000000000004.
        return round(self.first + self.step * draw.below(self.count), 9)


@dataclass(frozen=True, slots=True)
class NumberList:
    """The numbers a family's number may be, listed."""

    numbers: tuple[float, ...]

    def draw(self, draw: Draw) -> float:
        return draw.pick(self.numbers)


def parse_numbers(text: str) -> NumberRange | NumberList:
    """A range or list of numbers from its text."""
    match = _RANGE.fullmatch(text.strip())
    try:
        if match is None:
            return NumberList(tuple(_number(part) for part in text.split(",")))
        first, last, step = (read_number(part) for part in (match[1], match[2], match[3] or "1"))
    except NumeralError as error:
        raise FamilySyntaxError(
            f"{text!r} is not a range such as 2..9 or list such as 2, 3"
        ) from error
    if step <= 0 or last < first:
        raise FamilySyntaxError(f"the range {text!r} is empty")
    count = int((last - first) / step + 1e-9) + 1
    if count > _MOST_NUMBERS:
        raise FamilySyntaxError(f"the range {text!r} holds more than a million numbers")
    return NumberRange(first, step, count)


def _number(text: str) -> float:
    stripped = text.strip()
    return read_fraction(stripped) if "/" in stripped else read_number(stripped)
