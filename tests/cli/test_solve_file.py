import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scratchwork import Problem, UserError, write_problems
from scratchwork.paper.search import PaperSearch
from scratchwork.solver.search import PlanSearch
from tests.cli.solving import WALK, app, run
from tests.solver.samples import HELD_OUT, made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Some problems with options, and one without."""
    problems = [generated.problem for generated in made(4, HELD_OUT)]
    write_problems(tmp_path / "problems.jsonl", [*problems, Problem(WALK, id="free")])
    return tmp_path / "problems.jsonl"


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_file_of_problems_gets_a_row_each(tiny_solver: Path, file: Path, tmp_path: Path) -> None:
    to = tmp_path / "new" / "answers.jsonl"
    told, shown = run(tiny_solver, "--file", file, "--to", to)
    assert (told, shown) == ("", f"{to}: 5 answers\n")
    rows = rows_of(to)
    assert [row["id"] for row in rows] == [row["id"] for row in rows_of(file)]
    assert list(rows[0]) == [
        "version",
        "id",
        "answer",
        "value",
        "rationale",
        "program",
        "confidence",
        "log_probability",
        "votes",
        "guess",
        "derived",
        "unread",
        "exact",
        "note",
        "settings",
    ]
    right = [
        row["answer"] == known.get("correct")
        for row, known in zip(rows, rows_of(file), strict=True)
    ]
    assert sum(right) >= 4
    assert rows[-1]["answer"] is None
    assert rows[0]["settings"]["beam"] == 8


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the problems that are solved from now on."""
    ids: list[str] = []
    steps = PlanSearch.steps

    def noted(search: PlanSearch, problems: list[Problem]) -> Iterator[Any]:
        for step in steps(search, problems):
            ids.append(problems[step.place].id)
            yield step

    monkeypatch.setattr(PlanSearch, "steps", noted)
    return ids


def test_a_run_that_was_stopped_is_taken_up_where_it_was(
    tiny_solver: Path,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    solved: list[str],
) -> None:
    monkeypatch.setattr(PlanSearch, "at_once", 2)
    to, whole = tmp_path / "answers.jsonl", tmp_path / "whole.jsonl"
    given = [row["id"] for row in rows_of(file)]
    run(tiny_solver, "--file", file, "--to", whole, "--workers", 1)
    assert solved == given
    solved.clear()
    steps = PlanSearch.steps
    with monkeypatch.context() as stopping:

        def stopped(search: PlanSearch, problems: list[Problem]) -> Iterator[Any]:
            if given[2] in [problem.id for problem in problems]:
                raise KeyboardInterrupt
            return steps(search, problems)

        stopping.setattr(PlanSearch, "steps", stopped)
        assert run(tiny_solver, "--file", file, "--to", to, "--workers", 1, code=130) == (
            "",
            "stopped; the same command continues from here\n",
        )
    assert [row["id"] for row in rows_of(to)] == given[:2]
    with to.open("ab") as rows:
        rows.write(b'{"version": 1, "id": "cut of')
    solved.clear()
    run(tiny_solver, "--file", file, "--to", to, "--workers", 1)
    assert solved == given[2:]
    assert to.read_bytes() == whole.read_bytes()
    solved.clear()
    before = to.read_bytes()
    run(tiny_solver, "--file", file, "--to", to)
    assert (solved, to.read_bytes()) == ([], before)


def test_bad_rows_are_passed_over_on_request(tiny_solver: Path, file: Path, tmp_path: Path) -> None:
    with file.open("a") as rows:
        rows.write("not JSON\n")
    to = tmp_path / "answers.jsonl"
    with pytest.raises(UserError, match=r"problems\.jsonl:6: not JSON"):
        run(tiny_solver, "--file", file, "--to", to)
    assert (
        "1 bad row was skipped\n" in run(tiny_solver, "--file", file, "--to", to, "--skip-bad")[1]
    )
    assert len(rows_of(to)) == 5


def test_rows_of_another_search_are_refused(tiny_solver: Path, file: Path, tmp_path: Path) -> None:
    to = tmp_path / "answers.jsonl"
    run(tiny_solver, "--file", file, "--to", to)
    result = CliRunner().invoke(
        app,
        ["--file", str(file), "--to", str(to), "--model", str(tiny_solver), "--beam", "9"],
    )
    assert "begun with beam 8 (now 9)" in str(result.exception)


def test_several_processes_write_the_same(
    adding_model: Path,
    additions: list[Problem],
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(PaperSearch, "at_once", 2)
    write_problems(file, additions)
    written: list[bytes] = []
    for count in (1, 2):
        to = tmp_path / f"{count}.jsonl"
        run(adding_model, "--file", file, "--to", to, "--workers", count)
        written.append(to.read_bytes())
    assert len(written[0].splitlines()) == len(additions)
    assert written[0] == written[1]
