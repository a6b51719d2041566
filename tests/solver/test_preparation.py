from dataclasses import replace
from pathlib import Path

import pytest

from scratchwork import Problem, write_problems
from scratchwork.families.loading import load_families
from scratchwork.problems.tokens import is_number
from scratchwork.solver import preparation
from scratchwork.solver.preparation import (
    Tables,
    generated_lessons,
    lessons_of_files,
    words_of_files,
)
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces
from scratchwork.solver.tables import joined_lessons
from tests.solver.samples import TRIAL, made, pieces
from tests.solver.test_tables import assert_equal

NUMBERS = range(40)


@pytest.fixture(autouse=True)
def few_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them take long to load."""
    monkeypatch.setattr(preparation, "load_families", lambda _: load_families(TRIAL))
    monkeypatch.setattr(preparation, "_families", [])


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two files of problems with rationales, formulas left out; some do not fit."""
    problems = [generated.problem for generated in made(30, seed=6)]
    problems[7] = replace(problems[7], question="slices " * 400)
    problems[9] = Problem("Tim has 3 bags of 7 marbles. How many?", extra={"answer": "21"})
    paths = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    for path, some in zip(paths, (problems[:16], problems[16:]), strict=True):
        write_problems(path, some)
    return paths


def generated(numbers: range, left_out: tuple[int, ...] = (), seed: int = 5) -> Tables:
    return generated_lessons(pieces().pieces, seed, numbers, left_out)


def test_lessons_are_the_same_whatever_the_number_of_workers(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "_AT_ONCE", 7)
    one, two = (lessons_of_files(files, pieces(), n) for n in (1, 2))
    assert_equal(one, two)
    problems, plans = one
    assert len(problems) == 29
    assert len(set(plans.problems.tolist())) > 20
    monkeypatch.setattr(preparation, "_AT_ONCE", 100)
    assert_equal(lessons_of_files(files, pieces(), 1), one)


def test_a_generated_lesson_depends_on_its_seed_and_number_alone() -> None:
    whole = generated(NUMBERS)
    assert len(whole[0]) > 30
    assert_equal(joined_lessons([generated(NUMBERS[:11]), generated(NUMBERS[11:])]), whole)
    other = generated(NUMBERS, seed=6)
    assert other[0].pieces.tolist() != whole[0].pieces.tolist()


def test_every_generated_lesson_has_a_plan() -> None:
    problems, plans = generated(NUMBERS)
    assert set(plans.problems.tolist()) == set(range(len(problems)))


def test_what_is_near_to_a_held_out_problem_is_left_out() -> None:
    kept = [k for k in NUMBERS if k not in (3, 17, 18)]
    parts = [generated(range(k, k + 1)) for k in kept]
    assert_equal(generated(NUMBERS, (3, 17, 18, 999)), joined_lessons(parts))


def test_the_words_of_all_files_are_counted(files: list[Path]) -> None:
    words = words_of_files(files)
    assert all(words[word] > 1 for word in ("slices", "hours", "coins", "km"))
    assert not any(word != word.lower() or is_number(word) for word in words)
    assert words_of_files(files[:1]) + words_of_files(files[1:]) == words


def test_other_pieces_are_not_mistaken_for_those_used_before(files: list[Path]) -> None:
    bare = Pieces(SPECIAL_PIECES)
    generated(NUMBERS[:3])
    problems, _ = generated_lessons(bare.pieces, 5, NUMBERS[:3], ())
    assert problems.pieces.max() < len(SPECIAL_PIECES)
    read, _ = lessons_of_files(files[:1], bare, 1)
    assert read.pieces.max() < len(SPECIAL_PIECES)
