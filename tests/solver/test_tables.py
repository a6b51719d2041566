from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from scratchwork import Problem
from scratchwork.errors import UserError
from scratchwork.problems.problem import LETTERS
from scratchwork.solver import tables
from scratchwork.solver.reading import read_problem
from scratchwork.solver.tables import (
    LONGEST_READING,
    MOST_INSIDE,
    Lesson,
    PlanTable,
    ProblemTable,
    fits,
    joined_lessons,
    load_lessons,
    save_lessons,
    tables_of,
)
from tests.solver.samples import Tables, pieces


def lesson(question: str, *options: str, label: str | None = None, plans: int = 0) -> Lesson:
    rows = [[0, 2, 5 + k, 1] for k in range(plans)]
    return Lesson(read_problem(Problem(question, options), pieces()), label, rows)


LESSONS = [
    lesson("12 slices of 3/4 cakes, twice", "9", "18 km", "1 : 2", label="B", plans=2),
    lesson("How many?", "7", "8", plans=0),
    lesson("7 km in half an hour", "1 h 30 min", "2", "3", "4", "5", label="E", plans=1),
]


def assert_equal(one: Tables, other: Tables) -> None:
    for mine, yours in zip(one, other, strict=True):
        for field in fields(mine):
            a, b = getattr(mine, field.name), getattr(yours, field.name)
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def test_a_table_holds_every_problem_as_it_was_read() -> None:
    problems, _ = tables_of(LESSONS)
    assert len(problems) == len(LESSONS)
    for k, lesson in enumerate(LESSONS):
        reading = lesson.reading
        length = int(problems.lengths[k])
        assert problems.pieces[k, :length].tolist() == reading.pieces
        assert problems.segments[k, :length].tolist() == reading.segments
        assert problems.positions[k, :length].tolist() == reading.positions
        assert set(problems.segments[k, length:].tolist()) == {-1}
        count = len(reading.numerals)
        assert problems.numeral_values[k, :count].tolist() == [n.value for n in reading.numerals]
        assert problems.numeral_pieces[k, :count].tolist() == [n.piece for n in reading.numerals]
        assert problems.in_question[k].sum() == sum(n.place > 0 for n in reading.numerals)
        for j, (wholes, inside) in enumerate(reading.options):
            kept = problems.option_values[k, j]
            assert kept[: len(wholes)].tolist() == wholes
            assert kept[~np.isnan(kept)].tolist() == [*wholes, *inside[:MOST_INSIDE]]


def test_labels_are_places_and_unknown_ones_are_told() -> None:
    problems, _ = tables_of(LESSONS)
    wanted = [-1 if z.label is None else LETTERS.index(z.label) for z in LESSONS]
    assert problems.labels.tolist() == wanted


def test_every_plan_knows_its_problem_and_the_option_it_reaches() -> None:
    problems, plans = tables_of(LESSONS)
    assert plans.problems.tolist() == [0, 0, 2]
    assert plans.reached.tolist() == problems.labels[plans.problems].tolist() == [1, 1, 4]
    spoken = [plan for z in LESSONS for plan in z.plans]
    assert [[c for c in row if c >= 0] for row in plans.choices.tolist()] == spoken


def test_saved_tables_load_to_the_same_and_leave_nothing_half_written(tmp_path: Path) -> None:
    tables = tables_of(LESSONS)
    save_lessons(tmp_path / "lessons.npz", *tables)
    assert [path.name for path in tmp_path.iterdir()] == ["lessons.npz"]
    assert_equal(load_lessons(tmp_path / "lessons.npz"), tables)


def test_tables_made_for_other_symbols_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lessons.npz"
    save_lessons(file, *tables_of([]))
    monkeypatch.setattr(tables, "_LAYOUT", (7, 12, 37, 97, 137, 149))
    with pytest.raises(UserError, match=r"lessons\.npz was made for other symbols"):
        load_lessons(file)


def test_tables_put_together_are_the_table_of_all() -> None:
    parts = [tables_of(LESSONS[:1]), tables_of([]), tables_of(LESSONS[1:])]
    assert_equal(joined_lessons(parts), tables_of(LESSONS))


def test_no_lessons_make_empty_tables() -> None:
    problems, plans = tables_of([])
    assert (len(problems), len(plans)) == (0, 0)
    assert isinstance(problems, ProblemTable)
    assert isinstance(plans, PlanTable)


@pytest.mark.parametrize(
    ("question", "options", "fit"),
    [
        ("slices " * (LONGEST_READING // 2), 0, True),
        ("7 " * (LONGEST_READING - 1), 0, True),
        ("7 " * LONGEST_READING, 0, False),
        ("7 " * (LONGEST_READING - 1), 2, False),
        ("7", 5, True),
        ("7", 6, False),
    ],
)
def test_what_is_too_long_or_has_too_many_options_does_not_fit(
    question: str, options: int, fit: bool
) -> None:
    reading = lesson(question, *map(str, range(options))).reading
    assert fits(reading) == fit
