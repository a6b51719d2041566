import hashlib
import json
import random
from pathlib import Path

import pytest

from scratchwork.errors import UserError
from scratchwork.problems.duplicates import HeldOut, Thresholds
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import write_problems
from scratchwork.problems.split import split_problems

PARTS = ("train.jsonl", "dev.jsonl", "test.jsonl", "split.json")


def distinct_questions(count: int, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        " ".join("".join(draw.choices(letters, k=draw.randint(3, 8))) for _ in range(12)) + "?"
        for _ in range(count)
    ]


def write_questions(path: Path, questions: list[str]) -> Path:
    write_problems(path, (Problem(q, ("1", "2"), correct="A") for q in questions))
    return path


def with_replicas(count: int) -> list[str]:
    """Every question three times, with other numbers."""
    return [f"{q} Take {k} and {k * 37}." for q in distinct_questions(count) for k in (1, 2, 3)]


def contents(folder: Path) -> list[bytes]:
    return [(folder / part).read_bytes() for part in PARTS]


def questions_of(path: Path) -> list[str]:
    return [problem.question for problem in read_problems(path)]


def test_parts_share_no_near_copies_and_nothing_is_lost(tmp_path: Path) -> None:
    questions = with_replicas(60)
    source = write_questions(tmp_path / "all.jsonl", questions)
    summary = split_problems([source], tmp_path / "out", dev=10, test=15)
    train, dev, test = (questions_of(tmp_path / "out" / part) for part in PARTS[:3])
    assert (len(dev), len(test)) == (10, 15)
    heldout = dev + test
    assert HeldOut(heldout).matches(train) == []
    near = HeldOut(heldout).matches(heldout)
    assert {(match.heldout, match.other) for match in near} == {(k, k) for k in range(25)}
    removed = {int(removal["id"]) for removal in summary["removed"]}
    assert len(removed) == summary["problems"]["removed"] == 2 * 25
    assert sorted([*heldout, *train, *(questions[k - 1] for k in removed)]) == sorted(questions)
    assert [questions.index(question) for question in train] == sorted(
        questions.index(question) for question in train
    )


def test_removals_name_the_held_out_problem_they_are_near_to(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", with_replicas(5))
    summary = split_problems([source], tmp_path / "out", dev=1, test=0)
    (heldout,) = read_problems(tmp_path / "out" / "dev.jsonl")
    assert [removal["near"] for removal in summary["removed"]] == [heldout.id] * 2
    assert {removal["kind"] for removal in summary["removed"]} == {"text"}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", with_replicas(40))
    for name, seed in (("one", 7), ("two", 7), ("three", 8)):
        split_problems([source], tmp_path / name, dev=5, test=5, seed=seed)
    one, two, three = (contents(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert one[1] != three[1]


def test_the_summary_tells_what_was_done(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", distinct_questions(20))
    returned = split_problems(
        [source], tmp_path / "out", dev=2, test=3, seed=5, thresholds=Thresholds(70, 90)
    )
    summary = json.loads((tmp_path / "out" / "split.json").read_text("utf-8"))
    assert summary == returned
    assert summary["seed"] == 5
    assert summary["thresholds"] == {"text": 70, "digit_free": 90}
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    assert summary["inputs"] == [{"file": "all.jsonl", "sha256": sha256, "problems": 20}]
    assert summary["problems"] == {"read": 20, "train": 15, "dev": 2, "test": 3, "removed": 0}


def test_more_held_out_problems_than_there_are_is_one_clear_sentence(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", distinct_questions(5))
    with pytest.raises(UserError, match=r"6 held-out problems were asked for, but there are 5:"):
        split_problems([source], tmp_path / "out", dev=3, test=3)
    assert not (tmp_path / "out").exists()


def test_near_copies_do_not_count_as_problems_to_hold_out(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", with_replicas(5))
    with pytest.raises(UserError, match=r"there are 15, of which only 5 are not near copies"):
        split_problems([source], tmp_path / "out", dev=3, test=3)


def test_rare_problems_are_found_among_many_near_copies(tmp_path: Path) -> None:
    (common, *rare) = distinct_questions(8)
    questions = [f"{common} Take {k}." for k in range(1500)] + rare
    source = write_questions(tmp_path / "all.jsonl", questions)
    summary = split_problems([source], tmp_path / "out", dev=4, test=4)
    assert summary["problems"] == {"read": 1507, "train": 0, "dev": 4, "test": 4, "removed": 1499}


def test_holding_out_nothing_copies_everything(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", with_replicas(4))
    split_problems([source], tmp_path / "out", dev=0, test=0)
    assert questions_of(tmp_path / "out" / "train.jsonl") == questions_of(source)
    assert (tmp_path / "out" / "dev.jsonl").read_bytes() == b""


def test_ids_of_several_files_stay_apart(tmp_path: Path) -> None:
    one = write_questions(tmp_path / "one.jsonl", distinct_questions(10, 1))
    two = write_questions(tmp_path / "two.jsonl", distinct_questions(10, 2))
    split_problems([one, two], tmp_path / "out", dev=3, test=3)
    ids = [p.id for part in PARTS[:3] for p in read_problems(tmp_path / "out" / part)]
    assert sorted(ids) == sorted(f"{name}:{k}" for name in ("one", "two") for k in range(1, 11))


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "train.jsonl", distinct_questions(10))
    with pytest.raises(UserError, match="would be overwritten"):
        split_problems([source], tmp_path, dev=1, test=1)


def test_bad_rows_are_told_once_though_files_are_read_more_often(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", distinct_questions(10))
    source.write_bytes(b"no problem\n" + source.read_bytes())
    bad: list[ProblemError] = []
    summary = split_problems([source], tmp_path / "out", dev=1, test=1, on_bad=bad.append)
    assert [str(error).rpartition("all.jsonl")[2][:2] for error in bad] == [":1"]
    assert summary["problems"]["read"] == 10


def test_a_failed_split_does_not_look_whole(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "all.jsonl", distinct_questions(10))
    split_problems([source], tmp_path / "out", dev=1, test=1)

    def stop(what: str, done: int, total: int | None) -> None:
        if what != "drawing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        split_problems([source], tmp_path / "out", dev=2, test=2, on_progress=stop)
    assert not (tmp_path / "out" / "split.json").exists()
    assert len(questions_of(tmp_path / "out" / "train.jsonl")) == 8
