"""Disks that are really full: each hand-in is kept whole or refused, none is lost or doubled."""

import random
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import event, func, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from scratchwork.collecting.failures import StoreError
from scratchwork.collecting.handing_in import HandedIn, hand_in
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.schema import Contributor
from scratchwork.collecting.storing import Store
from tests.collecting.clients import ContributorClient, ReviewerClient, serving
from tests.collecting.postgres import Postgres, programs_folder
from tests.collecting.test_handing_in import refusals_of, submissions_of
from tests.collecting.test_storing import NO_ROOM
from tests.collecting.writing import Writer, row, seed
from tests.disks import disk_of, leave_room
from tests.processes import COMMAND_LINE, started

LARGE = 1 << 24
ROOM = 150_000
PEOPLE = 16
STOPPED = r"has stopped because its disk is full|is starting or stopping|cannot be reached"
"""The first if the writing process met the full disk itself, the others if another one did."""
SEEDS = [seed(k) for k in range(9)]

pytestmark = pytest.mark.usefixtures("cheap_hashes")


@dataclass(frozen=True)
class Small:
    """A collection, and the disk that its database is on."""

    store: Store
    disk: Path


@pytest.fixture(params=["sqlite", "postgres"])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Small]:
    """A collection of nine seeds on a disk of its own, on which there is room for now."""
    if request.param == "sqlite":
        with (
            disk_of(LARGE, tmp_path / "disk") as disk,
            Store.create(disk / "collection", SEEDS) as store,
        ):
            yield Small(store, disk)
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    with (
        postgres.small_database(LARGE) as (url, disk),
        Store.create(tmp_path / "collection", SEEDS, database=url) as store,
    ):
        yield Small(store, disk)


def bulky(k: int) -> dict[str, Any]:
    """Problem k with a rationale of nearly 10,000 characters that no database makes shorter."""
    chance = random.Random(k)
    return row(20 + k, rationale="".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=9_900)))


def questions_of(store: Store) -> list[str]:
    return [submission.problem["question"] for submission in submissions_of(store)]


def test_while_a_disk_is_full_each_hand_in_is_kept_whole_or_refused(small: Small) -> None:
    neighbours = Neighbours()
    writers = [Writer(small.store, neighbours, f"name {k}") for k in range(PEOPLE)]
    handed = [writer.prepare(bulky(k), f"key {k}") for k, writer in enumerate(writers)]
    leave_room(small.disk, ROOM)
    taken: dict[int, int] = {}
    for k, writer in enumerate(writers):
        try:
            result = hand_in(small.store, neighbours, writer.id, handed[k])
        except StoreError as refusal:
            assert NO_ROOM in str(refusal)
            assert not refusal.may_pass
        else:
            assert isinstance(result, HandedIn)
            taken[k] = result.submission_id
    assert 0 < len(taken) < PEOPLE
    assert [s.id for s in submissions_of(small.store)] == list(taken.values())

    leave_room(small.disk, LARGE)
    with Store.open(small.store.folder or "") as store:
        assert questions_of(store) == [bulky(k)["question"] for k in taken]
        for k, writer in enumerate(writers):
            result = hand_in(store, neighbours, writer.id, handed[k])
            assert isinstance(result, HandedIn)
            assert result.again == (k in taken)
            assert result.submission_id == taken.get(k, result.submission_id)
        assert sorted(questions_of(store)) == sorted(bulky(k)["question"] for k in range(PEOPLE))
        assert not refusals_of(store)


def test_the_pages_of_a_full_disk_say_503_and_take_the_same_once_there_is_room(
    small: Small,
) -> None:
    with serving(small.store) as url:
        people = [ContributorClient.invited(url, small.store, f"name {k}") for k in range(PEOPLE)]
        reviewer = ReviewerClient.added(url, small.store)
        handed = [one.prepare(bulky(k), f"key {k}") for k, one in enumerate(people)]
        leave_room(small.disk, ROOM)
        answers = [one.post("/api/hand-in", what) for one, what in zip(people, handed, strict=True)]
        taken = {k: answer.json() for k, answer in enumerate(answers) if answer.is_success}
        refused = [answer for answer in answers if not answer.is_success]
        assert taken
        assert refused
        assert {(answer.status_code, answer.json()["error"]) for answer in refused} == {
            (503, "the server cannot store anything now; nothing is lost, try again later")
        }
        assert people[0].get("/api/mine").json()["counts"]["waiting"] == 1
        assert reviewer.next() is not None

        leave_room(small.disk, LARGE)
        for k, (one, what) in enumerate(zip(people, handed, strict=True)):
            outcome = one.post("/api/hand-in", what).json()
            assert outcome["taken"]
            assert outcome["again"] == (k in taken)
    assert sorted(questions_of(small.store)) == sorted(bulky(k)["question"] for k in range(PEOPLE))


def collect(*arguments: object) -> tuple[int, list[str]]:
    """The exit status of a command, and the lines that it prints where it complains."""
    process = started(COMMAND_LINE, "collect", *arguments)
    told = process.communicate(timeout=60)[1]
    return process.returncode, told.splitlines()


def test_commands_say_that_the_disk_is_full_and_invite_all_or_nobody(small: Small) -> None:
    folder = small.store.folder
    small.store.close()
    leave_room(small.disk, 10 * 4096)
    status, told = collect("invite", folder, "--name", "x" * 150, "--count", 900)
    assert (status, len(told)) == (2, 1)
    assert NO_ROOM in told[0]
    leave_room(small.disk, LARGE)
    assert small.store.read(lambda s: s.scalar(select(func.count(Contributor.id)))) == 0


def test_a_disk_without_room_to_open_a_collection_is_told_to_be_full(tmp_path: Path) -> None:
    with disk_of(LARGE, tmp_path / "disk") as disk:
        Store.create(disk / "collection", SEEDS).close()
        leave_room(disk, 4096)
        with pytest.raises(StoreError, match=NO_ROOM):
            Store.open(disk / "collection")
        leave_room(disk, LARGE)
        Store.open(disk / "collection").close()


@contextmanager
def small_server() -> Generator[tuple[Postgres, Path]]:
    """A server that has its log on a disk of its own, too."""
    programs = programs_folder()
    if programs is None:
        pytest.skip("PostgreSQL is not installed, so what needs its server is not tested")
    pytest.importorskip("psycopg")
    above = Path(tempfile.mkdtemp(prefix="scratchwork-disk-"))
    above.chmod(0o755)
    try:
        with disk_of(1 << 28, above / "disk") as disk:
            server = Postgres(programs, disk)
            try:
                yield server, disk
            finally:
                server.stop()
    finally:
        shutil.rmtree(above)


def test_a_server_that_stops_on_a_full_disk_is_told_and_takes_the_same_once(
    tmp_path: Path,
) -> None:
    with (
        small_server() as (server, disk),
        Store.create(
            tmp_path / "there", SEEDS, database=server.new_database(), patience=0.3
        ) as store,
    ):
        writer = Writer(store, Neighbours())
        first = writer.submit(20)
        handed = writer.prepare(bulky(1))
        server.execute("SELECT pg_switch_wal()")  # what is written next takes a new file
        leave_room(disk, 1 << 20)
        with pytest.raises(StoreError, match=STOPPED) as caught:
            hand_in(store, writer.neighbours, writer.id, handed)
        assert caught.value.may_pass
        leave_room(disk, 4 * LARGE)
        server.start()
        result = hand_in(store, writer.neighbours, writer.id, handed)
        assert isinstance(result, HandedIn)
        assert [s.id for s in submissions_of(store)] == [first, result.submission_id]
        assert not refusals_of(store)


def test_what_a_server_kept_before_it_stopped_on_a_full_disk_is_found(writer: Writer) -> None:
    errors = pytest.importorskip("psycopg.errors")

    class Stopped(errors.DiskFull):
        """What psycopg raises when the server stops with a PANIC."""

        diag = SimpleNamespace(severity_nonlocalized="PANIC")

    handed = writer.prepare(row(20))
    stopped: list[bool] = []

    def stop(_: Session) -> None:
        if not stopped:
            stopped.append(True)
            raise OperationalError("COMMIT", {}, Stopped("could not write to pg_wal"))

    event.listen(Session, "after_commit", stop)
    try:
        result = hand_in(writer.store, writer.neighbours, writer.id, handed)
    finally:
        event.remove(Session, "after_commit", stop)
    assert stopped
    assert result == HandedIn(1, "original", again=True)
