import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from scratchwork import Problem, Solver, UserError, devices, load, model_folder
from scratchwork.files import row_file
from scratchwork.paper.search import PaperSearch
from scratchwork.parallel import Workers
from scratchwork.solution import SolutionRow
from scratchwork.solver.search import PlanSearch
from scratchwork.solver.voting import VoteWeights
from scratchwork.solving import ExactFirst, search_of, solve_rows, workers_for
from tests.solver.samples import HELD_OUT, made


@pytest.fixture(scope="module")
def solver(adding_model: Path) -> Solver:
    return load(adding_model, "cpu")


def test_a_problem_is_solved_with_its_work(solver: Solver, additions: list[Problem]) -> None:
    for problem in additions[:2]:
        solution = solver.solve(problem.question, problem.options, beam=5)
        assert (solution.answer, solution.rationale) == (problem.correct, problem.rationale)
        assert "Add" in {z.operation for z in solution.program}
        assert solution.trace.program is solution.program
        assert solution.trace.problem.options == problem.options
        assert solution.log_probability < 0
        assert max(solution.votes, key=lambda letter: solution.votes[letter]) == problem.correct
        assert sum(solution.votes.values()) == pytest.approx(1)
        assert not solution.guess


def test_options_may_be_labelled_or_missing(solver: Solver) -> None:
    labelled = solver.solve("Add 2 to 30.", ["A)31", "B)32"], beam=5)
    assert labelled.trace.problem.options == ("31", "32")
    assert labelled.answer == "B"
    free = solver.solve("Add 2 to 30.", beam=5)
    assert (free.answer, dict(free.votes)) == (None, {})
    with pytest.raises(UserError, match="the question is empty"):
        solver.solve(" ")


def test_a_model_is_loaded_by_folder_or_name(
    adding_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_folder, "SHIPPED", tmp_path / "weights")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as none:
        load("adding")
    assert str(none.value) == (
        "adding: there is no such model folder, and no model is shipped with this release"
    )
    shutil.copytree(adding_model, tmp_path / "weights" / "adding")
    (tmp_path / "weights" / "README.md").touch()
    assert model_folder.shipped_models() == ["adding"]
    assert load("adding").solve("Add 2 to 30.", ["31", "32"], beam=5).answer == "B"
    assert load(str(adding_model)).search.facts == load(adding_model).search.facts
    with pytest.raises(UserError, match=r"it is none of the shipped models, adding$"):
        load("paper")


def test_without_a_name_the_default_model_is_loaded(
    adding_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_folder, "SHIPPED", tmp_path)
    shutil.copytree(adding_model, tmp_path / "other")
    assert model_folder.default_model() is None
    with pytest.raises(UserError) as none:
        load()
    assert str(none.value) == (
        "no default model is shipped with this release; name a model or its folder"
    )
    for name in ("paper", "default"):
        shutil.copytree(adding_model, tmp_path / name)
        assert model_folder.default_model() == name
        assert load().solve("Add 2 to 30.", ["31", "32"], beam=5).answer == "B"


def test_a_name_is_not_mistaken_for_a_folder(
    adding_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_folder, "SHIPPED", adding_model.parent)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "adding").mkdir()
    assert model_folder.model_folder("adding") == adding_model
    for folder in ("./adding", Path("adding")):
        assert model_folder.model_folder(folder) == Path("adding")
    with pytest.raises(UserError, match=r"adding is no model folder: it has no config\.json"):
        load("./adding")


def with_votes(folder: Path, to: Path, votes: object) -> Path:
    shutil.copytree(folder, to)
    config = json.loads((to / "config.json").read_text("utf-8"))
    (to / "config.json").write_text(json.dumps({**config, "votes": votes}), "utf-8")
    return to


def test_each_kind_of_model_has_its_search(adding_model: Path, tiny_solver: Path) -> None:
    assert isinstance(search_of(adding_model, "cpu"), PaperSearch)
    search = search_of(tiny_solver, "cpu")
    assert isinstance(search, ExactFirst)
    assert isinstance(search.search, PlanSearch)


def test_only_the_solver_leaves_mathematics_to_the_machine(
    adding_model: Path, tiny_solver: Path
) -> None:
    problems = [
        Problem(question, id=str(k))
        for k, question in enumerate(
            ["Ann has 7 nuts and eats 6. How many are left?", "6 * 7", "hello"]
        )
    ]
    by_solver = load(tiny_solver, "cpu").solve_all(problems)
    assert [solution.is_exact for solution in by_solver] == [False, True, False]
    assert by_solver[1].value == "42"
    assert by_solver[2].note is not None
    by_paper = load(adding_model, "cpu").solve_all(problems)
    assert not any(solution.is_exact or solution.note for solution in by_paper)


def test_one_solver_speaks_for_both(
    adding_model: Path, tiny_solver: Path, additions: list[Problem]
) -> None:
    known = Problem("At 7 km an hour, how far does Ann walk in 6 hours?", ("13 km", "42 km"), id="")
    for folder, problem in ((adding_model, additions[0]), (tiny_solver, known)):
        solution = load(folder, "cpu").solve(problem.question, problem.options, beam=5)
        assert solution.answer == "B"
        assert not solution.guess
        assert solution.value is None or solution.value in problem.options[1]
        assert solution.to_json()["trace"] == solution.trace.to_json()


def test_votes_are_weighed_as_the_folder_says(tiny_solver: Path, tmp_path: Path) -> None:
    plain = with_votes(tiny_solver, tmp_path / "plain", {})
    assert search_of(plain, "cpu").facts["votes"] == VoteWeights()._asdict()
    folder = with_votes(tiny_solver, tmp_path / "fitted", {"rounding": 70.0, "sharpness": 2.0})
    weights = search_of(folder, "cpu").facts["votes"]
    assert weights == VoteWeights(rounding=70.0, sharpness=2.0)._asdict()


@pytest.mark.parametrize("votes", [{"heads": 2}, None, 7, ["rounding"]])
def test_votes_that_make_no_sense_are_told_in_one_sentence(
    votes: object, tiny_solver: Path, tmp_path: Path
) -> None:
    folder = with_votes(tiny_solver, tmp_path / "damaged", votes)
    with pytest.raises(UserError, match="is a damaged model folder") as raised:
        search_of(folder, "cpu")
    assert "\n" not in str(raised.value)


def test_the_beam_is_all_that_changes(adding_model: Path, tiny_solver: Path) -> None:
    for folder in (adding_model, tiny_solver):
        search = search_of(folder, "cpu")
        other = search.with_beam(3)
        assert other.facts == {**search.facts, "beam": 3} == search_of(folder, "cpu", 3).facts
        assert other.about == search.about


def test_solving_with_one_model_loads_nothing_of_the_other(
    adding_model: Path, tiny_solver: Path
) -> None:
    for folder, own, other in (
        (adding_model, "paper", "solver"),
        (tiny_solver, "solver", "paper"),
    ):
        program = (
            "import sys; from scratchwork import load; "
            f"solution = load({str(folder)!r}, 'cpu').solve('Add 2 to 30.', ['31', '32'], beam=2); "
            "solution.to_json(); print(*sys.modules)"
        )
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        rooms = {".".join(name.split(".")[:2]) for name in run.stdout.split()}
        assert f"scratchwork.{own}" in rooms
        assert f"scratchwork.{other}" not in rooms


@pytest.mark.parametrize("at_once", [1, 2])
def test_rows_are_the_same_whoever_makes_them_and_however_often_it_is_stopped(
    tiny_solver: Path, tmp_path: Path, at_once: int
) -> None:
    search = search_of(tiny_solver, "cpu", 4)
    assert isinstance(search, ExactFirst)
    assert isinstance(search.search, PlanSearch)
    search.search.settings = replace(search.search.settings, at_once=at_once)
    problems = [generated.problem for generated in made(5, HELD_OUT)]

    def rows_by(count: int, path: Path) -> list[SolutionRow]:
        with row_file(path, SolutionRow, search.facts) as kept:
            return solve_rows(search, problems, SolutionRow.of, Workers(count), kept)

    alone, many = tmp_path / "alone.jsonl", tmp_path / "many.jsonl"
    rows = rows_by(1, alone)
    assert [row.id for row in rows] == [problem.id for problem in problems]
    lines = alone.read_bytes().splitlines(keepends=True)
    for stopped_after in (0, 3):
        many.write_bytes(b"".join(lines[:stopped_after]) + lines[stopped_after][:20])
        assert rows_by(2, many) == rows
        assert many.read_bytes() == alone.read_bytes()


def test_one_process_has_the_gpu_and_a_cluster_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers_for("cpu", None, None) == Workers()
    assert workers_for("cpu", 3, None) == Workers(3)
    monkeypatch.setattr(devices, "chosen_device", lambda _: torch.device("cuda"))
    assert workers_for("auto", None, None) == Workers(1)
    assert workers_for("auto", 2, None) == Workers(2)
    with pytest.raises(UserError, match="--ray works on processors: give --device cpu as well"):
        workers_for("auto", None, "local")
