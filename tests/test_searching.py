import json
import shutil
from pathlib import Path

import pytest
import torch

from scratchwork import Problem, UserError, load
from scratchwork.searching import BeamSearch, search_of
from scratchwork.solver.search import PlanSearch
from scratchwork.solver.voting import VoteWeights

CPU = torch.device("cpu")


def with_votes(folder: Path, to: Path, votes: object) -> Path:
    shutil.copytree(folder, to)
    config = json.loads((to / "config.json").read_text("utf-8"))
    (to / "config.json").write_text(json.dumps({**config, "votes": votes}), "utf-8")
    return to


def test_each_kind_of_model_has_its_search(adding_model: Path, tiny_solver: Path) -> None:
    assert isinstance(search_of(adding_model, CPU), BeamSearch)
    assert isinstance(search_of(tiny_solver, CPU), PlanSearch)


def test_one_solver_speaks_for_both(
    adding_model: Path, tiny_solver: Path, additions: list[Problem]
) -> None:
    known = Problem("At 7 km an hour, how far does Ann walk in 6 hours?", ("13 km", "42 km"), id="")
    for folder, problem in ((adding_model, additions[0]), (tiny_solver, known)):
        solution = load(folder, "cpu").solve(problem.question, problem.options, samples=5)
        assert solution.answer == "B"
        assert not solution.guess
        assert solution.value is None or solution.value in problem.options[1]
        assert list(solution.to_json()) == [
            "answer",
            "value",
            "rationale",
            "confidence",
            "votes",
            "guess",
            "trace",
        ]


def test_votes_are_weighed_as_the_folder_says(tiny_solver: Path, tmp_path: Path) -> None:
    assert search_of(tiny_solver, CPU).facts["votes"] == VoteWeights()._asdict()
    folder = with_votes(tiny_solver, tmp_path / "fitted", {"nearness": 0.7, "sharpness": 2.0})
    weights = search_of(folder, CPU).facts["votes"]
    assert weights == VoteWeights(nearness=0.7, sharpness=2.0)._asdict()


@pytest.mark.parametrize("votes", [{"heads": 2}, None, 7, ["nearness"]])
def test_votes_that_make_no_sense_are_told_in_one_sentence(
    votes: object, tiny_solver: Path, tmp_path: Path
) -> None:
    folder = with_votes(tiny_solver, tmp_path / "damaged", votes)
    with pytest.raises(UserError, match="is a damaged model folder") as raised:
        search_of(folder, CPU)
    assert "\n" not in str(raised.value)


def test_the_number_of_samples_is_all_that_changes(adding_model: Path, tiny_solver: Path) -> None:
    for folder, name in ((adding_model, "beam"), (tiny_solver, "samples")):
        search = search_of(folder, CPU)
        other = search.with_samples(3)
        assert other.facts == {**search.facts, name: 3}
        assert other.about == search.about
