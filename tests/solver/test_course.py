import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from scratchwork import Solver
from scratchwork.solver.course import Course, CourseSettings, accuracies, find_all
from scratchwork.solver.dataset import Shelf
from scratchwork.solver.network import Transformer
from scratchwork.solver.saving import load_solver
from scratchwork.solver.search import PlanSearch, PlanSettings
from scratchwork.solver.studying import Study, StudySettings
from scratchwork.solver.tables import save_lessons
from tests.solver.samples import (
    CPU,
    HELD_OUT,
    half_of_the_plans,
    made,
    tables,
    texts_of,
    tiny_network,
)

SHORT = CourseSettings(
    steps=2,
    until=1.0,
    beam=4,
    renumbered=0.0,
    renumber_every=0.25,
    measure_every=1.0,
)


def course_of(
    folder: Path, settings: CourseSettings = SHORT, network: Transformer | None = None
) -> tuple[Course, list[dict[str, Any]]]:
    """A course on a few problems, and what it tells."""
    folder.mkdir(exist_ok=True)
    save_lessons(folder / "first.npz", *tables(made(10, seed=20)))
    told: list[dict[str, Any]] = []
    study = Study(network or tiny_network(), StudySettings(tokens=384, warm_up=1, rate=1e-4))
    real, tune = half_of_the_plans(tables(made(30, seed=21))), tables(made(6, seed=22))
    texts = texts_of(made(8, seed=24))
    return Course(study, settings, real, texts, {"tune": tune}, folder, told.append), told


def test_a_tiny_network_learns_to_solve_problems_it_has_not_seen(tiny_solver: Path) -> None:
    problems = [generated.problem for generated in made(40, HELD_OUT)]
    settings = PlanSettings(samples=16, words=False)
    solutions = Solver(PlanSearch(load_solver(tiny_solver), settings)).solve_all(problems)
    right = [s.answer == p.correct for s, p in zip(solutions, problems, strict=True)]
    assert sum(right) > 0.8 * len(problems)
    derived = [s for s, is_right in zip(solutions, right, strict=True) if is_right and not s.guess]
    assert len(derived) > 0.7 * len(problems)


def test_the_log_tells_how_it_was_learned(tiny_solver: Path) -> None:
    entries = [json.loads(line) for line in (tiny_solver / "log.jsonl").read_text().splitlines()]
    first, *_, last = (entry["tune"] for entry in entries if "tune" in entry)
    assert (first["done"], last["done"]) == (0.25, 1.0)
    assert last["votes"] > 0.8
    assert first["choices"] > 2 * last["choices"]
    assert last["among plans"] >= last["best plan"] > 0.8
    assert any("renumbered" in entry for entry in entries)


def test_lessons_are_taken_as_their_files_appear(tmp_path: Path) -> None:
    course, _ = course_of(tmp_path, replace(SHORT, steps=4, measure_every=0.25))

    def save() -> None:
        save_lessons(tmp_path / "later.npz", *tables(made(4, seed=23)))

    course.run(save)
    assert sorted(course.generated) == ["first.npz", "later.npz"]


def test_weights_are_measured_averaged_and_given_back(tmp_path: Path) -> None:
    course, _ = course_of(tmp_path)
    model = course.study.model
    before = [p.detach().clone() for p in model.parameters()]
    with torch.no_grad():
        for average in course.study.averaged:
            average += 1.0
    with course.averaged():
        assert not model.training
        for p, old in zip(model.parameters(), before, strict=True):
            torch.testing.assert_close(p.detach(), old + 1.0)
    assert model.training
    for p, old in zip(model.parameters(), before, strict=True):
        assert torch.equal(p, old)


def test_a_course_may_stop_on_the_way_with_the_rate_not_fallen(tmp_path: Path) -> None:
    settings = replace(SHORT, steps=10)
    course, _ = course_of(tmp_path, replace(settings, until=0.3))
    whole, _ = course_of(tmp_path, settings)
    for one in (course, whole):
        one.run(lambda: None)
    assert (course.study.step, whole.study.step) == (3, 10)
    rates = [one.study.optimiser.param_groups[0]["lr"] for one in (course, whole)]
    assert rates[0] > 0.85e-4 > 1e-5 > rates[1]


def test_it_ends_after_its_time_and_saves_whenever_it_measures(tmp_path: Path) -> None:
    endless = replace(SHORT, steps=10**9, seconds=0.5)
    course, told = course_of(tmp_path, endless)
    saved: list[int] = []
    course.run(lambda: saved.append(course.study.step))
    assert 0 < course.study.step < 1000
    assert saved == [course.study.step]
    assert [entry["tune"]["done"] for entry in told if "tune" in entry][-1] == 1.0


def test_accuracies_are_shares_of_right_answers(tiny_solver: Path) -> None:
    shelf = Shelf(*tables(made(20, HELD_OUT)), CPU)
    with torch.no_grad():
        ballot = find_all(load_solver(tiny_solver).model, shelf, 6)
    labels = shelf.labels.long()
    shares = accuracies(ballot, labels)
    assert shares["nearest"] == pytest.approx(
        float((ballot.near.argmax(1) == labels).double().mean()), abs=1e-4
    )
    best = [next((r for r in row if r >= 0), -1) for row in ballot.found.reached.tolist()]
    right = sum(a == b for a, b in zip(best, labels.tolist(), strict=True))
    assert shares["best plan"] == pytest.approx(right / len(labels), abs=1e-4)
    assert all(0 <= share <= 1 for share in shares.values())
    wrong = accuracies(ballot, (labels + 1) % 5)
    assert wrong["votes"] <= 1 - shares["votes"] + 1e-9
    assert wrong["answered"] == shares["answered"]
