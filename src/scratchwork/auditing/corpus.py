"""Auditing many rationales, with a summary.

Promises: audits come in the order of the problems, however many workers there are; the summary
counts findings by origin and keeps the worst rationales.
"""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scratchwork.auditing.audit import Audit, audit
from scratchwork.parallel import Workers
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem

_AT_ONCE = 20
_WORST = 10


def audit_all(problems: Iterable[Problem], workers: Workers) -> Iterator[Audit]:
    """The audits of all problems that have a rationale."""
    with_rationale = (problem for problem in problems if problem.rationale)
    return workers.map(_audited, with_rationale, _AT_ONCE)


def _audited(problem: Problem) -> Audit:
    return audit(normalise(problem))


@dataclass(slots=True)
class Tally:
    """What was found in the rationales of one origin."""

    rationales: int = 0
    holding: int = 0
    numbers: int = 0
    unsupported: int = 0
    equations: int = 0
    false_equations: int = 0
    letters: int = 0
    not_following: int = 0

    def add(self, audit: Audit) -> None:
        """Count one more rationale."""
        self.rationales += 1
        self.holding += audit.holds
        self.numbers += len(audit.numbers)
        self.unsupported += sum(n.status == "unsupported" for n in audit.numbers)
        self.equations += len(audit.equations)
        self.false_equations += len(audit.false_equations)
        if audit.answer is not None and audit.answer.follows is not None:
            self.letters += 1
            self.not_following += not audit.answer.follows

    def to_json(self) -> dict[str, Any]:
        """The counts as an object of stable form."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Summary:
    """Counts of findings by origin, and the worst rationales."""

    tallies: dict[str, Tally] = field(default_factory=dict[str, Tally])
    _worst: list[tuple[int, int, Audit]] = field(default_factory=list[tuple[int, int, Audit]])
    _seen: int = 0

    def add(self, audit: Audit) -> None:
        """Count one more audit."""
        self._seen += 1
        self.tallies.setdefault(audit.problem.origin or "unknown", Tally()).add(audit)
        faults = 3 * len(audit.false_equations)
        faults += sum(number.status == "unsupported" for number in audit.numbers)
        if faults:
            heapq.heappush(self._worst, (faults, -self._seen, audit))
            if len(self._worst) > _WORST:
                heapq.heappop(self._worst)

    def worst(self) -> list[Audit]:
        """The audits with the most faults, the worst first."""
        return [audit for _, _, audit in sorted(self._worst, key=lambda w: w[:2], reverse=True)]
