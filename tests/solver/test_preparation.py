from dataclasses import replace
from pathlib import Path

import pytest
import torch

from scratchwork import Problem, UserError, read_problems, write_problems
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import load_families
from scratchwork.parallel import Workers
from scratchwork.plans.plan import Given, Plan, PlanStep, Result
from scratchwork.problems.duplicates import HeldOut, Thresholds
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import LETTERS
from scratchwork.problems.tokens import is_number
from scratchwork.solver import preparation
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.preparation import (
    GENERATOR_SEED,
    TableSources,
    far_problems,
    generated_tables,
    make_tables,
    story_tables,
    tables_of_problems,
    words_of_files,
)
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces
from scratchwork.solver.symbols import FINISH
from scratchwork.solver.tables import TableFolder, Tables, joined_tables, load_tables
from scratchwork.stories.story import Story, story
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


def told(seed: int, number: int) -> Story:
    """A stand-in for the grammar of stories."""
    a, b, c = (number * k % 17 + 2 for k in (3, 5, 7))
    kind = chr(97 + number // 20) + chr(97 + number % 20)
    question = f"Ann has {a} pens, finds {b} and loses {c} of them in {kind}. How many now?"
    steps = (PlanStep("Add", (Given(3), Given(7))), PlanStep("Subtract", (Result(0), Given(10))))
    if number % 10 == 9:
        return Story(Problem("pens " * 500, extra={"answer": "1"}), Plan(steps, Result(1)))
    return Story(Problem(question, extra={"answer": str(a + b - c)}), Plan(steps, Result(1)))


@pytest.fixture
def stories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "story", told)


@pytest.mark.usefixtures("stories")
def test_a_story_is_a_problem_without_options_whose_plan_gives_its_answer() -> None:
    problems, plans = story_tables(pieces().pieces, NUMBERS)
    assert len(problems) == len(plans) == 36
    assert (problems.option_pieces == -1).all()
    assert (problems.labels == -1).all()
    assert (plans.reached == -1).all()
    rows, values = torch.as_tensor(plans.choices), torch.as_tensor(problems.numeral_values)
    computed, _ = decoder_inputs(rows, values[plans.problems])
    at = (rows == FINISH).long().argmax(1, keepdim=True) - 1
    results = computed.results.gather(1, at).squeeze(1)
    torch.testing.assert_close(results, torch.as_tensor(problems.answers)[plans.problems])


def test_stories_that_are_told_have_plans_that_give_their_answers() -> None:
    problems, plans = story_tables(pieces().pieces, NUMBERS)
    assert len(problems) > 35
    assert len(plans) == len(problems)
    first = story(GENERATOR_SEED, 0).problem.extra["answer"]
    assert problems.answers[0] == number_of(first)


@pytest.mark.usefixtures("stories")
def test_stories_near_to_a_held_out_problem_are_left_out() -> None:
    copied = told(0, 7).problem.question
    copies = HeldOut([copied], Thresholds(99.9, 100))
    others = [number for number in NUMBERS if number != 7]
    assert_equal(
        story_tables(pieces().pieces, NUMBERS, [copies]), story_tables(pieces().pieces, others)
    )
    near, _ = story_tables(pieces().pieces, NUMBERS, [HeldOut([copied])])
    assert len(near) == 0


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


@pytest.fixture
def with_all(sources: TableSources, tmp_path: Path) -> TableSources:
    """The same with stories, and with problems without options to measure on."""
    school = [
        Problem(LONG, extra={"answer": "3 1/2"}),
        Problem(LONG, ("7", "8"), None, "B"),
        Problem(LONG, extra={"answer": "blue"}),
        Problem(LONG),
    ]
    write_problems(tmp_path / "school.jsonl.gz", school)
    return replace(sources, without_options=[tmp_path / "school.jsonl.gz"], stories=25)


@pytest.mark.usefixtures("stories")
def test_stories_and_problems_without_options_have_tables_of_their_own(
    with_all: TableSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "_SHARD", 20)
    shown: list[tuple[str, int, int | None]] = []
    make_tables(with_all, tmp_path / "tables", 1, lambda *seen: shown.append(seen))
    folder = TableFolder.read(tmp_path / "tables")
    assert [file.stem for file in folder.files["stories"]] == ["000000000", "000000020"]
    assert [file.stem for file in folder.files["tune"]] == ["school", "tune", "tune-far"]
    assert shown[-1] == ("generating", 55, 55)
    problems, plans = load_tables(folder.files["tune"][0])
    assert (problems.answers.tolist(), problems.labels.tolist()) == ([3.5, 8], [-1, -1])
    assert (problems.option_pieces == -1).all()
    assert len(plans) == 0
    before = contents(tmp_path / "tables")
    (tmp_path / "tables" / "stories" / "000000020.npz").unlink()
    make_tables(with_all, tmp_path / "tables", 1)
    assert contents(tmp_path / "tables") == before
    with pytest.raises(UserError, match="holds tables of other problems; give the same again"):
        make_tables(replace(with_all, stories=26), tmp_path / "tables", 1)


def test_a_file_to_measure_on_may_not_have_the_name_of_the_tune_problems(
    sources: TableSources, tmp_path: Path
) -> None:
    named = replace(sources, without_options=[tmp_path / "other" / "tune.jsonl"])
    with pytest.raises(UserError, match="two files of problems have the name tune; rename one"):
        make_tables(named, tmp_path / "tables")


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
        "stories": [],
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
