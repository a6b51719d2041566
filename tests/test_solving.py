import shutil
from pathlib import Path

import pytest

from scratchwork import Problem, Solver, UserError, load, model_folder


@pytest.fixture(scope="module")
def solver(adding_model: Path) -> Solver:
    return load(adding_model, "cpu")


def test_a_problem_is_solved_with_its_work(solver: Solver, additions: list[Problem]) -> None:
    for problem in additions[:2]:
        solution = solver.solve(problem.question, problem.options, samples=5)
        assert (solution.answer, solution.rationale) == (problem.correct, problem.rationale)
        assert "Add" in {z.operation for z in solution.program}
        assert solution.trace.program is solution.program
        assert solution.trace.problem.options == problem.options
        assert solution.log_probability < 0
        assert max(solution.votes, key=lambda letter: solution.votes[letter]) == problem.correct
        assert sum(solution.votes.values()) == pytest.approx(1)
        assert not solution.guess


def test_options_may_be_labelled_or_missing(solver: Solver) -> None:
    labelled = solver.solve("Add 2 to 30.", ["A)31", "B)32"], samples=5)
    assert labelled.trace.problem.options == ("31", "32")
    assert labelled.answer == "B"
    free = solver.solve("Add 2 to 30.", samples=5)
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
    assert load("adding").solve("Add 2 to 30.", ["31", "32"], samples=5).answer == "B"
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
        assert load().solve("Add 2 to 30.", ["31", "32"], samples=5).answer == "B"


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
