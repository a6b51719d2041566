"""Solving problems with the default model, beside the paper's model with the paper's beam."""

import time
from collections.abc import Iterator

from benchmarks.samples import device, name_of
from scratchwork import Problem, Solver, generate, load, load_families

PROBLEMS = 16
FOR_PAPER = 2
"""The paper's model is timed on these alone: with such a beam some take long."""
BEAM = 200


def measure() -> Iterator[str]:
    """Solutions a second on generated problems, one by one and all in one call."""
    problems = [made.problem for made in generate(load_families(), PROBLEMS, seed=1)]
    yield f"on {name_of(device())}; solutions a second:"
    solver, paper = load("default"), load("paper")
    alone = _rate(solver, problems)
    began = time.perf_counter()
    solver.solve_all(problems)
    together = PROBLEMS / (time.perf_counter() - began)
    wide = _rate(paper, problems[:FOR_PAPER], BEAM)
    yield f"default, one by one{alone:>12.3f}{alone / wide:>8.1f} times as many"
    yield f"default, {PROBLEMS} at once{together:>12.3f}{together / wide:>8.1f} times as many"
    yield f"paper, beam {BEAM}{wide:>16.3f}"


def _rate(solver: Solver, problems: list[Problem], beam: int | None = None) -> float:
    """Solutions a second, one by one, once the solver is warm."""
    first = problems[0]
    solver.solve(first.question, first.options, 1)
    began = time.perf_counter()
    for problem in problems:
        solver.solve(problem.question, problem.options, beam)
    return len(problems) / (time.perf_counter() - began)
