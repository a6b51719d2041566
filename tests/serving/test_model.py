"""A real model behind the server."""

from pathlib import Path

from scratchwork import Problem, UserError, load
from scratchwork.problems.rows import problem_from_row
from scratchwork.problems.tokens import source_tokens
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
    events = ModelSolver(str(adding_model), beam=2).solve_many(short)
    solved = {place for place, event in events if isinstance(event, Solved)}
    assert solved == set(range(len(short)))
    assert len(short) > 10


def test_a_model_solves_a_batch_as_it_would_each_by_itself(
    adding_model: Path, additions: list[Problem]
) -> None:
    problems = additions[:3]
    told: dict[int, list[object]] = {place: [] for place in range(3)}
    for place, event in ModelSolver(str(adding_model), beam=5).solve_many(problems):
        told[place].append(event)
    alone = load(adding_model)
    for place, (votes, solved) in told.items():
        problem = problems[place]
        assert isinstance(solved, Solved)
        assert votes == solved.votes
        form = solved.to_json()
        solution = alone.solve(problem.question, problem.options, beam=5)
        assert form["answer"] == solution.answer == problem.correct
        assert form["rationale"] == solution.rationale
        assert form["confidence"] == max(form["votes"].values())
        assert form["rationale"] not in [other["rationale"] for other in form["others"]]
        assert all(0 <= other["share"] <= 1 for other in form["others"])
