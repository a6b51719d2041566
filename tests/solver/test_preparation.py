from dataclasses import replace
from pathlib import Path

import pytest

from scratchwork import Problem, UserError, read_problems, write_problems
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import load_families
from scratchwork.parallel import Workers
from scratchwork.problems.duplicates import HeldOut, Thresholds
from scratchwork.problems.problem import LETTERS
from scratchwork.problems.tokens import is_number
from scratchwork.solver import preparation
from scratchwork.solver.preparation import (
    GENERATOR_SEED,
    TableSources,
    far_problems,
    generated_tables,
    make_tables,
    tables_of_problems,
    words_of_files,
)
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces
from scratchwork.solver.tables import TableFolder, Tables, joined_tables, load_tables
from tests.solver.samples import TRIAL, made, pieces
from tests.solver.test_tables import assert_equal

NUMBERS = range(40)
LONG = "A shop sells pencils in boxes of 12 and pens in boxes of 8, how many boxes are needed?"


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


def from_files(files: list[Path], known: Pieces, workers: int) -> Tables:
    problems = (problem for file in files for problem in read_problems(file))
    return tables_of_problems(problems, known, Workers(workers))


def test_examples_are_the_same_whatever_the_number_of_workers(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "_AT_ONCE", 7)
    one, two = (from_files(files, pieces(), n) for n in (1, 2))
    assert_equal(one, two)
    problems, plans = one
    assert len(problems) == 29
    assert len(set(plans.problems.tolist())) > 20
    monkeypatch.setattr(preparation, "_AT_ONCE", 100)
    assert_equal(from_files(files, pieces(), 1), one)


def test_a_generated_example_depends_on_its_number_alone() -> None:
    whole = generated_tables(pieces().pieces, NUMBERS)
    assert len(whole[0]) > 30
    parts = [generated_tables(pieces().pieces, some) for some in (NUMBERS[:11], NUMBERS[11:])]
    assert_equal(joined_tables(parts), whole)


def test_every_generated_example_has_a_plan() -> None:
    problems, plans = generated_tables(pieces().pieces, NUMBERS)
    assert set(plans.problems.tolist()) == set(range(len(problems)))


def test_what_is_near_to_a_held_out_problem_is_left_out() -> None:
    families = load_families(TRIAL)
    copied = generate_one(families, GENERATOR_SEED, 17).problem.question
    unlike = "Something else altogether, about nothing."
    everything = generated_tables(pieces().pieces, NUMBERS)
    copies = HeldOut([copied, unlike], Thresholds(99.9, 100))
    kept = [number for number in NUMBERS if number != 17]
    assert_equal(
        generated_tables(pieces().pieces, NUMBERS, [HeldOut([unlike]), copies]),
        joined_tables([generated_tables(pieces().pieces, [number]) for number in kept]),
    )
    near = generated_tables(pieces().pieces, NUMBERS, [HeldOut([copied])])
    assert 0 < len(near[0]) < len(everything[0]) - 1
    assert_equal(generated_tables(pieces().pieces, NUMBERS, [HeldOut([unlike])]), everything)


def test_far_problems_resemble_no_training_question_whatever_the_numbers() -> None:
    near, far = Problem(LONG.replace("12", "30"), ()), Problem("Find x if x + 3 is 5.", ())
    assert far_problems([near, far], [Problem(LONG, ())]) == [far]
    assert far_problems([near, far], []) == [near, far]


def test_the_words_of_all_files_are_counted(files: list[Path]) -> None:
    words = words_of_files(files)
    assert all(words[word] > 1 for word in ("slices", "hours", "coins", "km"))
    assert not any(word != word.lower() or is_number(word) for word in words)
    assert words_of_files(files[:1]) + words_of_files(files[1:]) == words


def test_other_pieces_are_not_mistaken_for_those_used_before(files: list[Path]) -> None:
    bare = Pieces(SPECIAL_PIECES)
    generated_tables(pieces().pieces, NUMBERS[:3])
    problems, _ = generated_tables(bare.pieces, NUMBERS[:3])
    assert problems.pieces.max() < len(SPECIAL_PIECES)
    read, _ = from_files(files[:1], bare, 1)
    assert read.pieces.max() < len(SPECIAL_PIECES)


@pytest.fixture
def sources(files: list[Path], tmp_path: Path) -> TableSources:
    tune = [generated.problem for generated in made(8, seed=7)]
    unlabelled = replace(tune[0], id="unlabelled", correct=None)
    far = Problem("Find x if x + 3 is 5.", ("1", "2"), None, "B")
    write_problems(tmp_path / "tune.jsonl", [*tune, unlabelled, far])
    return TableSources(
        files, tmp_path / "tune.jsonl", held_out=[tmp_path / "tune.jsonl"], generated=30
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_of_tables_has_all_that_a_training_needs(
    sources: TableSources, tmp_path: Path
) -> None:
    make_tables(sources, tmp_path / "tables", workers=1)
    folder = TableFolder.read(tmp_path / "tables")
    assert {kind: [file.stem for file in files] for kind, files in folder.files.items()} == {
        "real": ["first", "second"],
        "generated": ["000000000"],
        "texts": ["first", "second"],
        "tune": ["tune", "tune-far"],
    }
    (tune, _), (far, _) = (load_tables(file) for file in folder.files["tune"])
    assert (len(tune), len(far)) == (9, 1)
    assert set(tune.labels.tolist()) <= set(range(len(LETTERS)))
    # Words that are frequent are pieces, and others are spelled.
    assert "slices" in folder.pieces
    assert "marbles" not in folder.pieces
    assert {"m", "##s"} < set(folder.pieces)


def test_a_stopped_run_goes_on_and_keeps_what_is_there(
    sources: TableSources, tmp_path: Path
) -> None:
    make_tables(sources, tmp_path / "tables", workers=1)
    before = contents(tmp_path / "tables")
    (tmp_path / "tables" / "real" / "second.npz").unlink()
    (tmp_path / "tables" / "pieces.json").unlink()
    first = tmp_path / "tables" / "texts" / "first.npz"
    first.write_bytes(b"kept")
    make_tables(sources, tmp_path / "tables", workers=1)
    assert contents(tmp_path / "tables") == before | {"texts/first.npz": b"kept"}


def test_tables_of_other_problems_are_refused(sources: TableSources, tmp_path: Path) -> None:
    make_tables(sources, tmp_path / "tables", workers=1)
    with pytest.raises(UserError, match="holds tables of other problems; give the same again"):
        make_tables(replace(sources, generated=31), tmp_path / "tables")
    write_problems(sources.data[0], [generated.problem for generated in made(3, seed=8)])
    with pytest.raises(UserError, match="holds tables of other problems; give the same again"):
        make_tables(sources, tmp_path / "tables")


def test_two_files_of_one_name_are_refused(sources: TableSources, tmp_path: Path) -> None:
    twice = [*sources.data, tmp_path / "other" / "first.json.gz"]
    with pytest.raises(UserError, match="two files of problems have the name first; rename"):
        make_tables(replace(sources, data=twice), tmp_path / "tables")
    assert not (tmp_path / "tables").exists()
