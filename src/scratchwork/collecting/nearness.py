"""Which questions are too near to others: copies, replicas, originals.

Two questions are compared by the ratios of `problems.duplicates`, and by the multisets of their
numbers (by value: `1,000` is `1000`).

- A *copy* of another question: the ratio with digits is 100; or it is at least `copy` (92) and the
  numbers are equal.
- A *replica*: the ratio without digits is at least `thresholds.digit_free` (80), and it is not
  a copy: the same or much the same story with other numbers.
- *Suspect*: not a copy, but the ratio with digits is at least `thresholds.text` (75) and the
  numbers are equal. It is accepted, and always reviewed.
- An *original*: neither copy nor replica of any question.

Those ratios see Latin letters only, so that two questions in another script would be alike as soon
as their digits are. For such questions `measured` gives the ratios of all their letters instead.
"""

from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from scratchwork.collecting.forms import numbers_of
from scratchwork.collecting.neighbours import Near
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.problems.duplicates import FEWEST_LETTERS

Nearness = Literal["copy", "suspect", "replica", "far"]
"""`suspect` says nothing on whether it is a replica too; see `is_replica`."""


@dataclass(frozen=True, slots=True)
class NearnessRule:
    """The thresholds of a collection."""

    settings: CollectionSettings

    def nearness(self, question: str, other: str, near: Near) -> Nearness:
        """How near a question is to another, whose ratios are given."""
        if near.ratio >= 100:
            return "copy"
        if near.ratio >= min(self.settings.copy, self.settings.thresholds.text):
            equal = numbers_of(question) == numbers_of(other)
            if equal and near.ratio >= self.settings.copy:
                return "copy"
            if equal and near.ratio >= self.settings.thresholds.text:
                return "suspect"
        return "replica" if self.is_replica(near) else "far"

    def is_replica(self, near: Near) -> bool:
        """Whether the ratio without digits makes it a replica, if it is not a copy."""
        return near.digit_free >= self.settings.thresholds.digit_free


def measured(question: str, other: str, near: Near) -> Near:
    """The ratios of two questions: those of the index, unless both are in other letters."""
    if _is_latin(question) or _is_latin(other):
        return near
    texts = ["".join(c for c in q.casefold() if c.isalnum()) for q in (question, other)]
    letters = ["".join(c for c in text if not c.isdecimal()) for text in texts]
    is_long = max(map(len, letters)) >= FEWEST_LETTERS
    return near._replace(
        ratio=fuzz.ratio(*texts), digit_free=fuzz.ratio(*letters) if is_long else 0.0
    )


def _is_latin(question: str) -> bool:
    letters = [c for c in question.lower() if c.isalpha()]
    return 2 * sum("a" <= c <= "z" for c in letters) >= len(letters)
