import json
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
    Example,
    PlanTable,
    ProblemTable,
    TableFolder,
    fits,
    joined_tables,
    load_tables,
    save_tables,
    tables_of,
)
from tests.solver.samples import Tables, pieces, table_folder


def example(question: str, *options: str, label: str | None = None, plans: int = 0) -> Example:
    rows = [[0, 2, 5 + k, 1] for k in range(plans)]
    return Example(read_problem(Problem(question, options), pieces()), label, rows)


EXAMPLES = [
    example("12 slices of 3/4 cakes, twice", "9", "18 km", "1 : 2", label="B", plans=2),
    example("How many?", "7", "8", plans=0),
    example("7 km in half an hour", "1 h 30 min", "2", "3", "4", "5", label="E", plans=1),
]


def assert_equal(one: Tables, other: Tables) -> None:
    for mine, yours in zip(one, other, strict=True):
        for field in fields(mine):
            a, b = getattr(mine, field.name), getattr(yours, field.name)
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def test_a_table_holds_every_problem_as_it_was_read() -> None:
    problems, _ = tables_of(EXAMPLES)
    assert len(problems) == len(EXAMPLES)
    for k, example in enumerate(EXAMPLES):
        reading = example.reading
        length = int(problems.lengths[k])
        assert problems.pieces[k, :length].tolist() == reading.pieces
        assert problems.segments[k, :length].tolist() == reading.segments
        assert problems.positions[k, :length].tolist() == reading.positions
        assert set(problems.segments[k, length:].tolist()) == {-1}
        count = len(reading.numerals)
        assert problems.numeral_values[k, :count].tolist() == [n.value for n in reading.numerals]
        assert problems.numeral_pieces[k, :count].tolist() == [n.piece for n in reading.numerals]
        assert problems.in_question[k].sum() == sum(n.place > 0 for n in reading.numerals)
        for j, values in enumerate(reading.options):
            kept = problems.option_values[k, j]
            assert kept[~np.isnan(kept)].tolist() == values


def test_labels_are_places_and_unknown_ones_are_told() -> None:
    problems, _ = tables_of(EXAMPLES)
    wanted = [-1 if z.label is None else LETTERS.index(z.label) for z in EXAMPLES]
    assert problems.labels.tolist() == wanted


def test_every_plan_knows_its_problem_and_the_option_it_reaches() -> None:
    problems, plans = tables_of(EXAMPLES)
    assert plans.problems.tolist() == [0, 0, 2]
    assert plans.reached.tolist() == problems.labels[plans.problems].tolist() == [1, 1, 4]
    spoken = [plan for z in EXAMPLES for plan in z.plans]
    assert [[c for c in row if c >= 0] for row in plans.choices.tolist()] == spoken


def test_saved_tables_load_to_the_same_and_leave_nothing_half_written(tmp_path: Path) -> None:
    tables = tables_of(EXAMPLES)
    save_tables(tmp_path / "some.npz", tables)
    assert [path.name for path in tmp_path.iterdir()] == ["some.npz"]
    assert_equal(load_tables(tmp_path / "some.npz"), tables)


def test_tables_made_for_other_symbols_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "some.npz"
    save_tables(file, tables_of([]))
    monkeypatch.setattr(tables, "_LAYOUT", (7, 12, 37, 97, 137, 149))
    with pytest.raises(UserError, match=r"some\.npz was made for other symbols"):
        load_tables(file)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"no tables"])
def test_what_is_no_table_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "some.npz").write_bytes(content)
    with pytest.raises(UserError, match=r"some\.npz holds no tables, or is damaged; make it anew"):
        load_tables(tmp_path / "some.npz")


def test_a_folder_has_its_pieces_and_its_files_by_kind(tmp_path: Path) -> None:
    folder = TableFolder.read(table_folder(tmp_path / "one"))
    assert folder.pieces == pieces().pieces
    names = {kind: [file.name for file in files] for kind, files in folder.files.items()}
    assert names["generated"] == ["first.npz", "second.npz"]
    assert names["real"] == names["texts"] == ["some.npz"]
    assert names["tune"] == ["tune.npz"]
    again, other = table_folder(tmp_path / "again"), table_folder(tmp_path / "other", count=24)
    assert TableFolder.read(again).digest == folder.digest
    assert TableFolder.read(other).digest != folder.digest


def test_what_a_folder_lacks_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is no folder of tables.*scratchwork train tables"):
        TableFolder.read(tmp_path)
    (tmp_path / "pieces.json").write_text('["no", "special", "pieces"]', "utf-8")
    with pytest.raises(UserError, match="is no folder of tables"):
        TableFolder.read(tmp_path)
    (tmp_path / "pieces.json").write_text(json.dumps(pieces().pieces), "utf-8")
    with pytest.raises(
        UserError, match="has no tables to learn from, in real, generated or stories"
    ):
        TableFolder.read(tmp_path)


def test_tables_put_together_are_the_table_of_all() -> None:
    parts = [tables_of(EXAMPLES[:1]), tables_of([]), tables_of(EXAMPLES[1:])]
    assert_equal(joined_tables(parts), tables_of(EXAMPLES))


def test_no_examples_make_empty_tables() -> None:
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
    reading = example(question, *map(str, range(options))).reading
    assert fits(reading) == fit
