"""Crashes, restarts, full disks: what was acknowledged is there, what was not can be done again."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from scratchwork.collecting.assigning import task_for
from scratchwork.collecting.failures import StoreError, failure_of
from scratchwork.collecting.handing_in import HandedIn, hand_in
from scratchwork.collecting.neighbours import Near, Neighbours
from scratchwork.collecting.schema import Task
from scratchwork.collecting.storing import Store
from tests.collecting.postgres import Postgres
from tests.collecting.test_handing_in import refusals_of, submissions_of
from tests.collecting.test_storing import NO_ROOM, filled_up
from tests.collecting.writing import Writer, row, seed


@pytest.mark.parametrize(("when", "stored"), [("before_commit", 0), ("after_commit", 1)])
def test_a_process_that_dies_has_handed_in_wholly_or_not_at_all(
    writer: Writer, when: str, stored: int
) -> None:
    handed = writer.prepare(row(20))
    sent = json.dumps(asdict(handed) | {"contributor_id": writer.id})
    command = [sys.executable, "-m", "tests.collecting.dying", str(writer.store.folder), when, sent]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert len(submissions_of(writer.store)) == stored
    states = writer.store.read(lambda s: list(s.scalars(select(Task.state))))
    assert states == (["done"] if stored else ["open"])

    result = hand_in(writer.store, writer.neighbours, writer.id, handed)
    assert isinstance(result, HandedIn)
    assert result.again == bool(stored)
    again = hand_in(writer.store, writer.neighbours, writer.id, handed)
    assert again == replace(result, again=True)
    assert [s.id for s in submissions_of(writer.store)] == [result.submission_id]
    assert not refusals_of(writer.store)


def test_an_answer_lost_while_committing_hands_in_once(writer: Writer) -> None:
    handed = writer.prepare(row(20))
    lost: list[bool] = []

    def lose(_: Session) -> None:
        if not lost:
            lost.append(True)
            raise OperationalError("COMMIT", {}, Exception("server closed the connection"))

    event.listen(Session, "after_commit", lose)
    try:
        result = hand_in(writer.store, writer.neighbours, writer.id, handed)
    finally:
        event.remove(Session, "after_commit", lose)
    assert lost
    assert result == HandedIn(1, "original", again=True)
    assert len(submissions_of(writer.store)) == 1


def _fill(writer: Writer, taken: list[int]) -> None:
    for k in range(50):
        taken.append(writer.send(_long(k), f"key {k}").submission_id)


def _long(k: int) -> dict[str, Any]:
    return row(20 + k, rationale=f"All of this is the one long thought {k}. " * 200)


def test_a_full_disk_refuses_a_hand_in_with_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    with Store.create(tmp_path, [seed(k) for k in range(9)]) as store:
        writer = Writer(store, Neighbours())
        taken: list[int] = []
        with filled_up(store):
            with pytest.raises(StoreError, match=NO_ROOM) as caught:
                _fill(writer, taken)
            assert not caught.value.may_pass
            assert [s.id for s in submissions_of(store)] == taken
        result = writer.send(_long(len(taken)), f"key {len(taken)}")
        assert isinstance(result, HandedIn)
        assert not result.again
        assert [s.id for s in submissions_of(store)] == [*taken, result.submission_id]


class Interrupted(Neighbours):
    """An index whose first search takes so long that the database is gone when it ends."""

    def __init__(self, postgres: Postgres) -> None:
        super().__init__()
        self._postgres = postgres
        self.searches = 0

    def nearest(self, question: str, limit: int = 5) -> list[Near]:
        """The nearest questions, and the first time a crash of the server."""
        self.searches += 1
        if self.searches == 1:
            self._postgres.restart()
        return super().nearest(question, limit)


@pytest.fixture
def there(postgres: Postgres, tmp_path: Path) -> Iterator[Store]:
    """A collection in PostgreSQL whose server will be restarted."""
    seeds = [seed(k) for k in range(8)]
    with Store.create(tmp_path, seeds, database=postgres.new_database(), patience=20) as store:
        yield store


def test_a_database_that_restarts_loses_and_doubles_nothing(
    there: Store, postgres: Postgres
) -> None:
    interrupted = Interrupted(postgres)
    writer = Writer(there, interrupted)
    writer.submit(20)  # restarted in its middle
    assert interrupted.searches == 2
    postgres.restart()
    writer.submit(21)
    postgres.restart()
    task = task_for(there, writer.id)
    postgres.restart()
    assert task_for(there, writer.id) == task
    assert [s.problem["question"] for s in submissions_of(there)] == [
        row(20)["question"], row(21)["question"],
    ]  # fmt: skip
    assert not refusals_of(there)


def test_a_database_that_stays_away_is_told_and_the_hand_in_can_be_done_again(
    there: Store, postgres: Postgres
) -> None:
    with Store.open(there.folder or "", patience=0.3) as store:
        writer = Writer(store, Neighbours())
        handed = writer.prepare(row(20))
        postgres.stop()
        try:
            with pytest.raises(StoreError, match="try again") as caught:
                hand_in(store, writer.neighbours, writer.id, handed)
        finally:
            postgres.start()
        assert caught.value.may_pass
        assert submissions_of(store) == []
        result = hand_in(store, writer.neighbours, writer.id, handed)
        assert isinstance(result, HandedIn)
        assert not result.again


def test_a_full_disk_of_postgres_is_told_in_a_sentence() -> None:
    errors = pytest.importorskip("psycopg.errors")
    failure = failure_of(OperationalError("INSERT", {}, errors.DiskFull("no space")), "x")
    assert failure is not None
    assert "the disk is full" in str(failure)
    assert not failure.may_pass
