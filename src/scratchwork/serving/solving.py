"""What stands between the server and a model.

Promises: a `BatchSolver` solves many problems at once and tells each one's votes and solution as
soon as it has them; `ModelSolver` does it with a model of this package. `Solved.to_json` is the
answer of `/solve`.

Does not cover: which problems are solved together; see `queueing`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from scratchwork.machine.traces import Trace
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import END_OF_RATIONALE, detokenise

if TYPE_CHECKING:
    from scratchwork.paper.decoded import Decoded

MOST_OTHERS = 5
VOTING_SECONDS = 0.25
"""How long a problem's votes stand, at least, before newer ones are told."""

Votes = Mapping[str, float]
"""Each letter's share."""


@dataclass(frozen=True, slots=True)
class Other:
    """A program that was found, but is not the solution."""

    answer: str | None
    rationale: str
    share: float


@dataclass(frozen=True, slots=True)
class Solved:
    """The solution of a problem."""

    trace: Trace
    votes: Votes
    others: tuple[Other, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The solution as an object of stable form."""
        answer = self.trace.answer
        return {
            "answer": answer,
            "rationale": self.trace.rationale,
            "confidence": None if answer is None else round(self.votes.get(answer, 0.0), 4),
            "votes": votes_to_json(self.votes),
            "trace": self.trace.to_json(),
            "others": [
                {
                    "answer": other.answer,
                    "rationale": other.rationale,
                    "share": round(other.share, 4),
                }
                for other in self.others
            ],
        }


def votes_to_json(votes: Votes) -> dict[str, float]:
    """The votes as an object of stable form."""
    return {letter: round(share, 4) for letter, share in votes.items()}


class BatchSolver(Protocol):
    """Solves problems, several at once."""

    def solve_many(self, problems: Sequence[Problem]) -> Iterator[tuple[int, Votes | Solved]]:
        """For each problem, by its place, votes as they come and at last its solution."""
        ...


class ModelSolver:
    """Solves with a trained model; torch is needed from here on."""

    def __init__(self, name: str, samples: int | None) -> None:
        from scratchwork.solving import load

        search = load(name).search
        self._search = search if samples is None else search.with_samples(samples)

    def solve_many(self, problems: Sequence[Problem]) -> Iterator[tuple[int, Votes | Solved]]:
        """The votes of the programs found so far, now and then, and each solution once it is
        certain, whatever the other problems still need."""
        told = [-math.inf] * len(problems)
        for place, decoded, is_last in self._search.steps(problems):
            now = monotonic()
            if is_last or now - told[place] >= VOTING_SECONDS:
                told[place] = now
                yield place, decoded.votes()
            if is_last:
                yield place, _solved(decoded)


def _solved(decoded: "Decoded") -> Solved:
    from scratchwork.solving import solution_of

    solution = solution_of(decoded)
    highest = decoded.best.log_probability
    weights = [math.exp(found.log_probability - highest) for found in decoded.hypotheses]
    others: dict[str, Other] = {}
    for found, weight in zip(decoded.hypotheses, weights, strict=True):
        end = found.tokens.index(END_OF_RATIONALE)
        rationale = detokenise(found.tokens[:end])
        if rationale != solution.rationale and rationale not in others:
            others[rationale] = Other(found.letter, rationale, weight / sum(weights))
    return Solved(solution.trace, solution.votes, tuple(others.values())[:MOST_OTHERS])
