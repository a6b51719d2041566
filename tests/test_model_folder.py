"""What the shipped default model promises."""

from dataclasses import replace

import pytest

from scratchwork import Problem, Solver, audit, load, read_problems
from scratchwork.examples import example_path
from scratchwork.model_folder import SHIPPED, default_model

BUNDLED = list(read_problems(example_path("problems.jsonl")))
AS_MANY = 16
"""Plans; fewer than usual, to be quick."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return load(device="cpu")


def test_it_is_the_default_and_small_enough_for_any_laptop() -> None:
    assert default_model() == "default"
    sizes = [file.stat().st_size for file in (SHIPPED / "default").iterdir()]
    assert sum(sizes) < 28_000_000


def test_it_solves_the_bundled_problems_and_its_equations_hold(solver: Solver) -> None:
    solutions = solver.solve_all(BUNDLED, AS_MANY)
    for problem, solution in zip(BUNDLED, solutions, strict=True):
        assert solution.answer == problem.correct
        assert solution.is_derived
        assert audit(replace(problem, rationale=solution.rationale, correct=None)).holds
    assert solutions[-1].value == "96"


def test_permuting_the_options_permutes_the_answer(solver: Solver) -> None:
    with_options = [problem for problem in BUNDLED if problem.options]
    turned = [Problem(p.question, p.options[2:] + p.options[:2]) for p in with_options]
    solutions = solver.solve_all(with_options, AS_MANY)
    for before, after in zip(solutions, solver.solve_all(turned, AS_MANY), strict=True):
        letters = "ABCDE"
        moved = letters[2:] + letters[:2]
        assert before.answer == moved[letters.index(after.answer or "")]
        assert before.confidence == pytest.approx(after.confidence, abs=1e-3)
