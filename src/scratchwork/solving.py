"""Solving problems with a trained model.

Promises: `load` gives a `Solver` for a model folder, or for the name of a model that comes with
this package, or for the default one of these; `Solver.solve` gives a `Solution`: the letter and the
rationale of the most probable program found, that program's trace, which shows where every number
comes from, and how the other programs found would vote. The same model, problem and beam give the
same solution.

Does not cover: whether the solution is right.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scratchwork.devices import chosen_device
from scratchwork.machine.execution import execute
from scratchwork.machine.programs import Cell, Program
from scratchwork.machine.traces import Trace
from scratchwork.model_folder import model_folder
from scratchwork.paper.decoded import Decoded
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import problem_from_row
from scratchwork.problems.tokens import is_number
from scratchwork.searching import Search, search_of


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solver says of a problem."""

    trace: Trace
    """The execution of the most probable program found."""
    log_probability: float
    """The natural logarithm of that program's probability."""
    votes: Mapping[str, float]
    """Each letter's share of the probability of all programs found, the largest first."""
    guess: bool
    """Whether the letter is little more than a guess: the rationale became too long and was cut, or
    no plan reached an option."""

    @property
    def confidence(self) -> float:
        """The answer's share of the votes; without options, that of the number."""
        if self.answer is None:
            return math.exp(self.log_probability)
        return self.votes.get(self.answer, 0.0)

    @property
    def answer(self) -> str | None:
        """The letter; none only where the problem has no options."""
        return self.trace.answer

    @property
    def value(self) -> str | None:
        """The number that the derivation ends in, as it is written; none for a guess."""
        for step in reversed(self.trace.steps):
            reference = step.instruction.arguments[0]
            if step.instruction.operation == "Check" and isinstance(reference, Cell):
                return next(str(s.value) for s in self.trace.steps if s.place == reference)
            if self.answer is None and step.place.room == "m" and isinstance(step.value, str):
                return step.value
        written = [token for token in self.trace.output if is_number(token)]
        return written[-1] if written and self.answer is None else None

    @property
    def rationale(self) -> str:
        """The derivation, as text."""
        return self.trace.rationale

    @property
    def program(self) -> Program:
        """The program that wrote it."""
        return self.trace.program

    def to_json(self) -> dict[str, Any]:
        """The solution as an object of stable form."""
        return {
            "answer": self.answer,
            "value": self.value,
            "rationale": self.rationale,
            "confidence": round(self.confidence, 4),
            "votes": {letter: round(share, 4) for letter, share in self.votes.items()},
            "guess": self.guess,
            "trace": self.trace.to_json(),
        }


def solution_of(decoded: Decoded) -> Solution:
    """What was decoded, as a solution."""
    best = decoded.best
    trace = execute(best.program, decoded.problem, decoded.operations)
    return Solution(trace, best.log_probability, decoded.votes(), best.forced)


class Solver:
    """A model that solves problems. One solver may be used by several threads at once."""

    def __init__(self, search: Search) -> None:
        self.search = search

    def solve(
        self, question: str, options: Sequence[str] = (), samples: int | None = None
    ) -> Solution:
        """Solve a problem; without options there is a rationale, but no letter.

        `samples` is how many programs are considered: the plans that the solver draws, or the beam
        of one of the paper's models. More take longer.
        """
        problem = normalise(problem_from_row({"question": question, "options": list(options)}))
        (solution,) = self.solve_all([problem], samples)
        return solution

    def solve_all(self, problems: Sequence[Problem], samples: int | None = None) -> list[Solution]:
        """Solve many problems, which is faster than one after the other."""
        found = dict(self.solving(problems, samples))
        return [found[k] for k in range(len(problems))]

    def solving(
        self, problems: Sequence[Problem], samples: int | None = None
    ) -> Iterator[tuple[int, Solution]]:
        """The solutions as they are found, each with the place of its problem."""
        search = self.search if samples is None else self.search.with_samples(samples)
        for step in search.steps(problems):
            if step.is_last:
                yield step.place, solution_of(step.decoded)


def load(folder_or_name: str | Path | None = None, device: str = "auto") -> Solver:
    """The solver of a model folder, or of a model that comes with this package.

    The device is `cpu`, `cuda`, or `auto`: a GPU if there is one.
    """
    return Solver(search_of(model_folder(folder_or_name), chosen_device(device)))
