"""A real model behind the server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scratchwork import Problem, UserError, load
from scratchwork.paper import stack_decoder
from scratchwork.problems.rows import problem_from_row
from scratchwork.problems.tokens import source_tokens
from scratchwork.searching import BeamSearch
from scratchwork.serving import solving
from scratchwork.serving.limits import MOST_TOKENS
from scratchwork.serving.solving import ModelSolver, Solved
from tests.serving.test_hostile import HOSTILE


def test_a_model_answers_hostile_problems(adding_model: Path) -> None:
    problems: list[Problem] = []
    for text in HOSTILE:
        for options in ([], [text, "4"]):
            try:
                problems.append(problem_from_row({"question": text, "options": options}))
            except UserError:
                continue
    short = [problem for problem in problems if len(source_tokens(problem)) <= MOST_TOKENS]
    events = ModelSolver(str(adding_model), samples=2).solve_many(short)
    solved = {place for place, event in events if isinstance(event, Solved)}
    assert solved == set(range(len(short)))
    assert len(short) > 10


def test_a_model_solves_a_batch_as_it_would_each_by_itself(
    adding_model: Path, additions: list[Problem]
) -> None:
    problems = additions[:3]
    told: dict[int, list[object]] = {place: [] for place in range(3)}
    for place, event in ModelSolver(str(adding_model), samples=5).solve_many(problems):
        told[place].append(event)
    alone = load(adding_model)
    for place, (*votes, solved) in told.items():
        problem = problems[place]
        assert isinstance(solved, Solved)
        assert votes[-1] == solved.votes
        form = solved.to_json()
        solution = alone.solve(problem.question, problem.options, samples=5)
        assert form["answer"] == solution.answer == problem.correct
        assert form["rationale"] == solution.rationale
        assert form["confidence"] == max(form["votes"].values())
        assert form["rationale"] not in [other["rationale"] for other in form["others"]]
        assert all(0 <= other["share"] <= 1 for other in form["others"])


@pytest.mark.parametrize(("seconds", "count"), [(0.0, 4), (60.0, 2)])
def test_votes_are_told_while_programs_are_found_but_not_too_often(
    adding_model: Path,
    additions: list[Problem],
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    count: int,
) -> None:
    solver = ModelSolver(str(adding_model), samples=5)
    alone = load(adding_model)
    (last,) = [step for step in alone.search.with_samples(5).steps(additions[:1]) if step.is_last]
    decoded = last.decoded

    def steps(*_: object) -> Iterator[stack_decoder.Step]:
        for is_last in (False, False, False, True):
            yield stack_decoder.Step(0, decoded, is_last)

    monkeypatch.setattr(BeamSearch, "steps", steps)
    monkeypatch.setattr(solving, "VOTING_SECONDS", seconds)
    *votes, (_, solved) = solver.solve_many(additions[:1])
    assert isinstance(solved, Solved)
    assert votes == [(0, solved.votes)] * count
