"""Solving problems with a trained model.

Promises: `load` gives a `Solver` for a model folder, or for the name of a model that comes with
this package, or for the default one of these; `Solver.solve` gives a `Solution`: the letter and the
rationale of the most probable program found, that program's trace, which shows where every number
comes from, and how the other programs found would vote. The same model, problem and beam give the
same solution.

Does not cover: whether the solution is right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scratchwork.decoding.beam import decode
from scratchwork.decoding.decoded import Decoded
from scratchwork.decoding.settings import SearchSettings
from scratchwork.errors import UserError
from scratchwork.learning.devices import chosen_device
from scratchwork.machine.execution import execute
from scratchwork.machine.programs import Program
from scratchwork.machine.traces import Trace
from scratchwork.models.interface import ProgramModel
from scratchwork.models.saving import SavedModel, load_model
from scratchwork.models.shipped import default_model, model_folder
from scratchwork.models.vocabulary import Vocabulary
from scratchwork.problems.rows import problem_from_row


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solver says of a problem."""

    trace: Trace
    """The execution of the most probable program found."""
    log_probability: float
    """The natural logarithm of that program's probability."""
    votes: Mapping[str, float]
    """Each letter's share of the probability of all programs found, the largest first."""
    forced: bool
    """Whether the rationale became too long and was cut: the letter is then little more than a
    guess."""

    @property
    def answer(self) -> str | None:
        """The letter; none only where the problem has no options."""
        return self.trace.answer

    @property
    def rationale(self) -> str:
        """The derivation, as text."""
        return self.trace.rationale

    @property
    def program(self) -> Program:
        """The program that wrote it."""
        return self.trace.program


def solution_of(decoded: Decoded) -> Solution:
    """What was decoded, as a solution."""
    best = decoded.best
    trace = execute(best.program, decoded.problem)
    return Solution(trace, best.log_probability, decoded.votes(), best.forced)


class Solver:
    """A model that solves problems."""

    def __init__(self, saved: SavedModel) -> None:
        self.model: ProgramModel = saved.model
        self.vocabulary: Vocabulary = saved.vocabulary

    def solve(self, question: str, options: Sequence[str] = (), beam: int = 4) -> Solution:
        """Solve a problem; without options there is a rationale, but no letter.

        A wider beam finds more probable programs and takes longer.
        """
        problem = problem_from_row({"question": question, "options": list(options)})
        (decoded,) = decode(self.model, self.vocabulary, [problem], SearchSettings(beam))
        return solution_of(decoded)


def load(folder_or_name: str | Path | None = None, device: str = "auto") -> Solver:
    """The solver of a model folder, or of a model that comes with this package.

    The device is `cpu`, `cuda`, or `auto`: a GPU if there is one.
    """
    chosen = default_model() if folder_or_name is None else folder_or_name
    if chosen is None:
        raise UserError("no default model is shipped with this release; name a model or its folder")
    return Solver(load_model(model_folder(chosen), chosen_device(device)))
