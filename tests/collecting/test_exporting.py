"""What an export holds, and that dev and test share no replicas with anything."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from scratchwork.collecting import exporting, handing_in
from scratchwork.collecting.auditing import audit_figures
from scratchwork.collecting.exporting import COLLECTED, export
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.reviewing import decide
from scratchwork.collecting.schema import JsonObject, Reviewer, Submission, Verdict
from scratchwork.collecting.storing import Store
from scratchwork.errors import UserError
from scratchwork.files import only_run
from scratchwork.problems.duplicates import HeldOut
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import problem_from_row, row_from_problem
from tests.collecting.conftest import MakeStore
from tests.collecting.writing import Writer, row

NAME = "Ottoline Whitfield-Marsh"


def add_reviewers(store: Store, count: int = 2) -> None:
    def add(session: Session) -> None:
        for k in range(1, count + 1):
            session.add(Reviewer(id=k, name=f"Reviewer {k} {NAME}", password_hash="none"))

    store.write(add)


def judge(store: Store, submission: int, verdict: Verdict, reviewer: int = 1) -> None:
    reason = "the answer is another" if verdict == "reject" else None
    decide(store, reviewer, submission, verdict, reason)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def questions_of(path: Path) -> list[str]:
    return [problem.question for problem in read_problems(path)]


def replica(k: int, numbers: int) -> dict[str, Any]:
    """The story of problem k with other numbers, and another rationale."""
    question = re.sub(r"\d+", lambda found: str(int(found[0]) + 100 * numbers), row(k)["question"])
    return row(k, question=question, rationale=f"Another way, {numbers}: 1 + 1 = 2.")


@cache
def audited_once(problem: str) -> JsonObject:
    """The figures of a problem, given as JSON: every collection is filled with the same ones."""
    return audit_figures(problem_from_row(json.loads(problem)))


@pytest.fixture
def full(make_store: MakeStore, neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A collection of 20 stories, of which every fifth has three replicas: 32 problems."""

    def figures(problem: Problem) -> JsonObject:
        return audited_once(json.dumps(row_from_problem(problem)))

    monkeypatch.setattr(handing_in, "audit_figures", figures)
    store = make_store(9)
    add_reviewers(store)
    writer = Writer(store, neighbours, NAME)
    for k in range(10, 30):
        judge(store, writer.submit(k), "accept")
        for numbers in (1, 2, 3) if k % 5 == 0 else ():
            handed = writer.send(replica(k, numbers), f"{k} {numbers}")
            assert handed.relation == "replica"
            judge(store, handed.submission_id, "accept")
    return store


def test_every_verdict_is_obeyed_and_told(store: Store, writer: Writer, tmp_path: Path) -> None:
    add_reviewers(store)
    accepted, rejected, corrected = (writer.submit(k) for k in (10, 11, 12))
    judge(store, accepted, "accept")
    judge(store, accepted, "accept", reviewer=2)
    judge(store, rejected, "reject")
    decide(store, 1, corrected, "correct", None, row(12, rationale="Better: 1 + 1 = 2."))
    decide(store, 2, corrected, "correct", None, row(12, rationale="Best: 1 + 1 = 2."))
    contents = export(store, tmp_path / "out")
    first, second = rows_of(tmp_path / "out" / "train.jsonl")
    assert first["question"] == row(10)["question"]
    assert first["provenance"] == {
        "submission": accepted,
        "contributor": writer.id,
        "seed": first["provenance"]["seed"],
        "relation": "original",
        "reviewed": 2,
        "verdict": "accepted",
    }
    assert second["rationale"] == "Best: 1 + 1 = 2."
    assert second["provenance"]["verdict"] == "corrected"
    assert (contents.problems, contents.rejected, contents.corrected) == (2, 1, 1)


def test_unreviewed_work_is_in_only_where_the_contributors_reviewed_work_was_fine(
    store: Store, neighbours: Neighbours, tmp_path: Path
) -> None:
    add_reviewers(store)
    fine, unknown, bad = (Writer(store, neighbours, name) for name in ("Ada", "Bo", "Cy"))
    judge(store, fine.submit(10), "accept")
    waiting = fine.submit(11)
    unknown.submit(12)
    judge(store, bad.submit(13), "reject")
    judge(store, bad.submit(14), "accept")
    bad.submit(15)
    contents = export(store, tmp_path / "out")
    exported = {
        row["provenance"]["submission"]: row for row in rows_of(tmp_path / "out/train.jsonl")
    }
    assert exported[waiting]["provenance"]["reviewed"] == 0
    assert exported[waiting]["provenance"]["verdict"] == "waiting"
    assert {row["question"] for row in exported.values()} == {
        row(k)["question"] for k in (10, 11, 14)
    }
    assert (contents.unproven, contents.rejected, contents.unreviewed) == (2, 1, 1)


def test_marked_work_is_out_until_it_is_reviewed(
    store: Store, writer: Writer, tmp_path: Path
) -> None:
    add_reviewers(store)
    judge(store, writer.submit(10), "accept")
    marked = writer.submit(11)

    def mark(session: Session) -> None:
        session.get_one(Submission, marked).marked = True

    store.write(mark)
    assert export(store, tmp_path / "before").marked == 1
    assert questions_of(tmp_path / "before/train.jsonl") == [row(10)["question"]]
    judge(store, marked, "accept")
    assert export(store, tmp_path / "after").marked == 0
    assert len(questions_of(tmp_path / "after/train.jsonl")) == 2


def test_no_name_is_in_any_file(full: Store, tmp_path: Path) -> None:
    export(full, tmp_path / "out", dev=3, test=3)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["README.md", "dev.jsonl", "lengths.svg", "test.jsonl", "train.jsonl"]
    for path in (tmp_path / "out").iterdir():
        assert NAME.split()[0] not in path.read_text("utf-8")


def test_rows_read_back_as_what_was_handed_in(full: Store, tmp_path: Path) -> None:
    export(full, tmp_path / "out")
    first = next(read_problems(tmp_path / "out" / "train.jsonl"))
    written = problem_from_row(row(10))
    assert (first.question, first.options) == (written.question, written.options)
    assert (first.rationale, first.correct) == (written.rationale, written.correct)
    assert first.origin == COLLECTED


def test_dev_and_test_hold_whole_clusters_as_many_as_asked_for(full: Store, tmp_path: Path) -> None:
    for seed in range(4):
        out = tmp_path / str(seed)
        contents = export(full, out, dev=7, test=6, seed=seed)
        assert contents.parts == {"train": 19, "dev": 7, "test": 6}
        parts = {part: questions_of(out / f"{part}.jsonl") for part in contents.parts}
        assert [len(part) for part in parts.values()] == list(contents.parts.values())
        assert len({question for part in parts.values() for question in part}) == 32
        assert not HeldOut(parts["dev"]).near(HeldOut(parts["train"]))
        assert not HeldOut(parts["test"]).near(HeldOut(parts["train"]))
        assert not HeldOut(parts["test"]).near(HeldOut(parts["dev"]))


def test_replicas_of_one_seed_stay_together_though_they_are_not_near_each_other(
    make_store: MakeStore, neighbours: Neighbours, tmp_path: Path
) -> None:
    store = make_store(9)
    add_reviewers(store)
    writer = Writer(store, neighbours)
    others = [writer.submit(k) for k in range(10, 16)]
    task = writer.prepare(row(16))
    chosen = row(task.seed_id - 1)["question"]
    size = len(chosen) // 5
    halves = [f"{chosen[size:]} {'zq' * (size // 2)}", f"{chosen[:-size]} {'xv' * (size // 2)}"]
    assert not HeldOut([halves[0]]).near(HeldOut([halves[1]]))
    assert HeldOut([chosen]).near(HeldOut([halves[0]]))
    assert HeldOut([chosen]).near(HeldOut([halves[1]]))

    def rewrite(session: Session) -> None:
        for number, half in zip(others, halves, strict=False):
            work = session.get_one(Submission, number)
            work.problem = work.problem | {"question": half}
            work.seed_id = task.seed_id

    store.write(rewrite)
    for number in others:
        judge(store, number, "accept")
    for seed in range(8):
        export(store, tmp_path / str(seed), dev=2, seed=seed)
        dev = questions_of(tmp_path / str(seed) / "dev.jsonl")
        assert (halves[0] in dev) == (halves[1] in dev)


def test_the_same_seed_gives_the_same_bytes_another_one_others(full: Store, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("one", "same", "other")]
    for out, seed in zip(outs, (1, 1, 2), strict=True):
        export(full, out, dev=3, test=3, seed=seed)
    one, same, other = ({p.name: p.read_bytes() for p in out.iterdir()} for out in outs)
    assert one == same
    assert one["dev.jsonl"] != other["dev.jsonl"]


@pytest.mark.parametrize(("dev", "test"), [(33, 0), (20, 20)])
def test_asking_for_too_many_is_told_in_a_sentence(
    full: Store, tmp_path: Path, dev: int, test: int
) -> None:
    with pytest.raises(UserError, match="ask for fewer with --dev"):
        export(full, tmp_path / "out", dev=dev, test=test)
    assert not (tmp_path / "out").exists()


def test_a_collection_without_work_is_not_exported(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no work to export: 0 problems were handed in"):
        export(store, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_empty_is_left_as_it_is(full: Store, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="not an empty folder"):
        export(full, tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_failed_export_leaves_nothing(
    full: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(exporting, "write_card", fail)
    for out in (tmp_path / "new", tmp_path / "empty"):
        with pytest.raises(OSError, match="No space"):
            export(full, out, dev=2)
    assert not (tmp_path / "new").exists()
    assert list((tmp_path / "empty").iterdir()) == []


def contents_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def leave_as_if_killed(folder: Path) -> Path:
    """What an export leaves that was killed while it moved its files to their places."""
    unfinished = folder / exporting.UNFINISHED
    (unfinished / "test").mkdir(parents=True)
    for left in (".lock", "collected.jsonl", "test/tune.jsonl.partial", "../train.jsonl"):
        (unfinished / left).write_text("half a ro")
    return unfinished


def test_what_a_killed_export_left_is_replaced_by_the_next(full: Store, tmp_path: Path) -> None:
    export(full, tmp_path / "whole", dev=3)
    leave_as_if_killed(tmp_path / "again")
    export(full, tmp_path / "again", dev=3)
    assert contents_of(tmp_path / "again") == contents_of(tmp_path / "whole")


@pytest.mark.parametrize("mine", ["notes.txt", "README.md"])
def test_what_is_beside_a_killed_export_is_left_as_it_is(
    full: Store, tmp_path: Path, mine: str
) -> None:
    leave_as_if_killed(tmp_path / "out")
    (tmp_path / "out" / mine).write_text("mine")
    with pytest.raises(UserError, match="not an empty folder"):
        export(full, tmp_path / "out")
    assert (tmp_path / "out" / mine).read_text() == "mine"
    assert (tmp_path / "out" / "train.jsonl").exists()


def test_a_folder_that_another_export_fills_is_left_to_it(full: Store, tmp_path: Path) -> None:
    unfinished = leave_as_if_killed(tmp_path / "out")
    before = contents_of(tmp_path / "out")
    with only_run(unfinished), pytest.raises(UserError, match="another run is writing"):
        export(full, tmp_path / "out")
    assert contents_of(tmp_path / "out") == before
