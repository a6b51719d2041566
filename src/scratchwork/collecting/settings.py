"""What is fixed when a collection is made: title, thresholds, rules, the seed of randomness.

Promises: settings are kept in the table `settings`, a row each, and come back equal; a setting
that is missing has its default, so that older collections can be opened.
"""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter

from scratchwork.collecting.schema import now
from scratchwork.problems.duplicates import Thresholds

FORMAT = 1
"""The version of what the settings mean."""


@dataclass(frozen=True, slots=True)
class SamplingRule:
    """Which share of a contributor's submissions is reviewed; see `reviewing`."""

    start: float = 0.2
    first: int = 3
    """How many of a contributor's first submissions are always reviewed."""
    least: float = 0.1
    after_rejection: float = 0.5
    """The rate is at least this after a rejection."""
    streak: int = 5
    """After this many accepted samples in a row the rate is halved."""
    twice: float = 0.1
    """The share of the sample that two reviewers see."""


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """The settings of a collection."""

    title: str = "A collection of word problems"
    created: str = field(default_factory=lambda: now().isoformat(timespec="seconds"))
    format: int = FORMAT
    thresholds: Thresholds = field(default_factory=Thresholds)
    """The ratios at which two questions are near; see `problems.duplicates`."""
    copy: float = 92.0
    """The ratio at which a question with equal numbers is a copy; see `handing_in`."""
    shared_seeds: bool = False
    """Whether two contributors may be given the same five seeds."""
    sampling: SamplingRule = field(default_factory=SamplingRule)
    randomness: int = field(default_factory=lambda: secrets.randbits(32))
    """What all random choices of the collection are keyed by."""

    def as_rows(self) -> dict[str, Any]:
        """The settings as keys and JSON values."""
        return asdict(self)

    @classmethod
    def from_rows(cls, rows: Mapping[str, Any]) -> "CollectionSettings":
        """The settings of keys and JSON values."""
        return TypeAdapter(cls).validate_python(rows)
