"""How probable the solver finds given rationales.

Promises: only those count that the network could write, since they tell a plan and fit. The plan's
probability counts as well, and the letter follows from it.
"""

from collections.abc import Sequence
from functools import partial

from scratchwork.parallel import Workers
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnProgress
from scratchwork.problems.tokens import output_tokens
from scratchwork.solution import Likelihood
from scratchwork.solver.dataset import Dataset
from scratchwork.solver.examples import example_of, with_rationale
from scratchwork.solver.reading import Pieces
from scratchwork.solver.saving import SavedSolver
from scratchwork.solver.tables import Example, tables_of
from scratchwork.solver.teacher_forcing import log_probabilities

_AT_ONCE = 8


def likelihoods_of(
    saved: SavedSolver, problems: Sequence[Problem], workers: int | None, on_progress: OnProgress
) -> dict[str, Likelihood]:
    """Of the rationales of some problems, by their ids."""
    told: list[tuple[Problem, Example]] = []
    read = Workers(workers).map(partial(_example, saved.pieces), problems, _AT_ONCE)
    for done, (problem, example) in enumerate(zip(problems, read, strict=True), 1):
        if example is not None:
            told.append((problem, example))
        on_progress("finding plans", done, len(problems))
    if not told:
        return {}
    device = next(saved.model.parameters()).device
    dataset = Dataset(*tables_of(example for _, example in told), device)
    logs = log_probabilities(saved.model, dataset).tolist()
    return {
        problem.id: Likelihood(len(output_tokens(problem)), log)
        for (problem, _), log in zip(told, logs, strict=True)
    }


def _example(pieces: Pieces, problem: Problem) -> Example | None:
    """A rationale with the plan it tells; none if the network could not write it."""
    # Only plans that the rationale tells count, and an installed package has no annotations.
    example = example_of(problem, pieces, annotated=False)
    told = None if example is None else with_rationale(example)
    return told if told is not None and told.plans else None
