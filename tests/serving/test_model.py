"""A real model behind the server."""

import asyncio
import json
from pathlib import Path

import pytest

from scratchwork import Problem, UserError, load
from scratchwork.problems.rows import problem_from_row
from scratchwork.problems.tokens import source_tokens
from scratchwork.serving import queueing
from scratchwork.serving.limits import MOST_TOKENS
from scratchwork.serving.queueing import Job
from scratchwork.solution import Progress
from scratchwork.solving import search_of
from tests.serving.conftest import serving
from tests.serving.test_hostile import HOSTILE
from tests.serving.test_routes import events_of

STREAM = {"Accept": "text/event-stream"}


def test_a_model_answers_hostile_problems(adding_model: Path) -> None:
    problems: list[Problem] = []
    for text in HOSTILE:
        for options in ([], [text, "4"]):
            try:
                problems.append(problem_from_row({"question": text, "options": options}))
            except UserError:
                continue
    short = [problem for problem in problems if len(source_tokens(problem)) <= MOST_TOKENS]
    steps = search_of(adding_model, "cpu", 2).steps(short)
    solved = {step.place: step.solution.to_json() for step in steps if step.is_last}
    assert set(solved) == set(range(len(short)))
    assert len(short) > 10


def test_the_server_says_what_python_says(adding_model: Path, additions: list[Problem]) -> None:
    alone = load(adding_model, "cpu")
    with serving(lambda: search_of(adding_model, "cpu", 5)) as client:
        for problem in additions[:3]:
            body = {"question": problem.question, "options": list(problem.options)}
            *votes, (name, form) = events_of(client.post("/solve", json=body, headers=STREAM).text)
            assert name == "solution"
            assert {name for name, _ in votes} == {"votes"}
            solution = alone.solve(problem.question, problem.options, beam=5)
            assert form == json.loads(json.dumps(solution.to_json()))
            assert form["answer"] == problem.correct
            assert form["confidence"] == max(solution.to_json()["votes"].values())
            said = [(rival.answer, rival.rationale) for rival in solution.rivals]
            assert (solution.answer, solution.rationale) not in said
            assert len(set(said)) == len(said)
            assert all(0 <= rival.share <= 1 for rival in solution.rivals)


@pytest.mark.parametrize(("seconds", "count"), [(0.0, 4), (60.0, 2)])
def test_votes_are_told_while_programs_are_found_but_not_too_often(
    adding_model: Path,
    additions: list[Problem],
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    count: int,
) -> None:
    problem = additions[0]
    (solution,) = load(adding_model, "cpu").solve_all([problem], beam=5)
    monkeypatch.setattr(queueing, "VOTING_SECONDS", seconds)

    async def told() -> list[Progress]:
        job = Job(problem)
        for is_last in (False, False, False, True):
            job.tell(Progress(0, solution, is_last))
        await asyncio.sleep(0)
        return [job.events.get_nowait() for _ in range(job.events.qsize())]  # pyright: ignore

    events = asyncio.run(told())
    assert [event.is_last for event in events] == [False] * (count - 1) + [True]
    assert all(event.solution == solution for event in events)
