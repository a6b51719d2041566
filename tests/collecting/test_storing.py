"""The database: made wholly or not at all, brought up to date, its failures told in a sentence."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from threading import Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scratchwork.collecting.failures import StoreError
from scratchwork.collecting.schema import Base, Contributor, SeedProblem, Setting, Task
from scratchwork.collecting.settings import CollectionSettings, SamplingRule
from scratchwork.collecting.storing import NO_TOPIC, Store
from scratchwork.errors import UserError
from scratchwork.problems.duplicates import Thresholds
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import problem_from_row
from tests.collecting.conftest import MakeStore
from tests.collecting.postgres import Postgres
from tests.collecting.writing import seed

HOSTILE = [
    "'; DROP TABLE submissions; --",
    '" OR 1=1 --',
    "<script>alert('x')</script>&amp;<img src=x onerror=y>",
    "%s %(name)s {0} ${x} :name ?",
    "\\u0000 \\x00 \\' \\",
    "مرحبا שלום 你好 👩‍👩‍👧 e\u0301 \u202eabc ½ ²",
    "null",
    "{}",
]
"""Texts that come back as they were."""

SEEDS = [seed(k) for k in range(6)]

NO_ROOM = "the disk is full; nothing of this is kept; make room, then try again"


def names_of(store: Store) -> list[str]:
    return store.read(lambda s: list(s.scalars(select(Contributor.name).order_by(Contributor.id))))


def add(name: str) -> Callable[[Session], None]:
    return lambda session: session.add(Contributor(name=name))


def test_a_collection_comes_back_as_it_was_made(make_store: MakeStore) -> None:
    settings = CollectionSettings(
        title="'Ours' <b>",
        thresholds=Thresholds(70, 85.5),
        copy=95.0,
        shared_seeds=True,
        sampling=SamplingRule(start=0.3, first=2),
        randomness=12,
    )
    made = make_store(6, settings)
    assert made.folder is not None
    with Store.open(made.folder) as store:
        assert store.settings == settings
        assert store.secret == made.secret
        rows = store.read(lambda s: list(s.scalars(select(SeedProblem).order_by(SeedProblem.id))))
        assert [row.id for row in rows] == [1, 2, 3, 4, 5, 6]
        assert [problem_from_row(row.problem) for row in rows] == SEEDS
        assert {row.topic for row in rows} == {"speed", "money", "sets"}


def test_the_migrations_make_the_tables_that_the_schema_declares(store: Store) -> None:
    with store.engine.connect() as connection:
        assert not compare_metadata(MigrationContext.configure(connection), Base.metadata)


def test_a_collection_is_not_made_over_another(store: Store, database: str | None) -> None:
    assert store.folder is not None
    with pytest.raises(UserError, match="holds a collection already"):
        Store.create(store.folder, SEEDS, database=database)
    assert store.read(lambda s: s.scalar(select(func.count(SeedProblem.id)))) == 8


def test_making_that_broke_off_can_be_done_again(
    tmp_path: Path, database: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(CollectionSettings, "as_rows", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Store.create(tmp_path, SEEDS, database=database)
    with pytest.raises(UserError, match="its creation was interrupted"):
        Store.open(tmp_path)
    with Store.create(tmp_path, SEEDS, database=database) as store:
        assert store.read(lambda s: s.scalar(select(func.count(SeedProblem.id)))) == 6


def test_what_cannot_be_opened_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no collection; make one"):
        Store.open(tmp_path)
    with pytest.raises(UserError, match="4 seeds, but each task shows five"):
        Store.create(tmp_path / "few", SEEDS[:4])
    for url, sentence in (("mysql://a/b", "not supported"), ("://", "cannot be read")):
        with pytest.raises(UserError, match=sentence):
            Store.open(url)
    (tmp_path / "collection.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match="damaged or not a database"):
        Store.open(tmp_path)


def test_a_database_that_is_not_there_is_told_in_a_sentence(postgres: Postgres) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        Store.open(postgres.url("nothing"), patience=1)
    with pytest.raises(StoreError, match="cannot be reached; try again") as caught:
        Store.open("postgresql://me:geheim@127.0.0.1:1/x", patience=0.2)
    assert "geheim" not in str(caught.value)


def test_a_store_opened_by_its_url_has_no_secret(postgres: Postgres, tmp_path: Path) -> None:
    url = postgres.new_database()
    Store.create(tmp_path, SEEDS, database=url).close()
    with Store.open(url) as store:
        assert store.read(lambda s: s.scalar(select(func.count(SeedProblem.id)))) == 6
        with pytest.raises(UserError, match="folder"):
            _ = store.secret


@pytest.mark.parametrize("content", ["", "abcd", "not hexadecimal"])
def test_a_spoilt_secret_is_told_in_a_sentence(tmp_path: Path, content: str) -> None:
    with Store.create(tmp_path, SEEDS) as store:
        (tmp_path / "secret").write_text(content)
        with pytest.raises(UserError, match="secret"):
            _ = store.secret


def test_a_newer_collection_is_refused(store: Store) -> None:
    assert store.folder is not None
    store.write(lambda s: setattr(s.get_one(Setting, "format"), "value", 99))
    with pytest.raises(UserError, match="newer version"):
        Store.open(store.folder)
    store.write(lambda s: s.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(UserError, match="newer version"):
        Store.open(store.folder)


def test_a_seed_without_a_topic_gets_one(tmp_path: Path) -> None:
    bare = [Problem(f"What is {k} and {k}?", extra={"topic": 3}) for k in range(5)]
    with Store.create(tmp_path, bare) as store:
        assert set(store.read(lambda s: s.scalars(select(SeedProblem.topic)).all())) == {NO_TOPIC}


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    def work(session: Session) -> None:
        add("Mira")(session)
        session.flush()
        raise UserError("no")

    with pytest.raises(UserError):
        store.write(work)
    with pytest.raises(IntegrityError):
        store.write(lambda s: s.add(Task(contributor_id=99, seed_ids=[], seeds_key="x")))
    assert names_of(store) == []


def test_times_come_back_in_utc(store: Store) -> None:
    there = datetime(2024, 5, 6, 7, 8, 9, 123456, timezone(timedelta(hours=5)))
    store.write(lambda s: s.add(Contributor(name="Mira", created=there)))
    created = store.read(lambda s: s.scalars(select(Contributor.created)).one())
    assert created == there
    assert created.tzinfo is UTC


def test_a_reading_sees_one_state_throughout(store: Store) -> None:
    def work(session: Session) -> tuple[int, int]:
        count = select(func.count(Contributor.id))
        before = session.scalar(count) or 0
        other = Thread(target=store.write, args=(add("Mira"),))
        other.start()
        other.join()
        return before, session.scalar(count) or 0

    assert store.read(work) == (0, 0)
    assert names_of(store) == ["Mira"]


@contextmanager
def filled_up(store: Store) -> Generator[None]:
    """SQLite lets no file grow beyond so many pages: a full disk, as far as it can tell."""
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    store.close()
    event.listen(store.engine, "connect", limit)
    yield
    event.remove(store.engine, "connect", limit)
    store.close()


def _fill(store: Store) -> None:
    for _ in range(1000):
        store.write(lambda s: s.add_all(Contributor(name="n" * 200) for _ in range(99)))


def test_a_full_disk_is_told_and_nothing_of_before_is_lost(tmp_path: Path) -> None:
    with Store.create(tmp_path, SEEDS) as store:
        store.write(add("Mira"))
        with filled_up(store):
            with pytest.raises(StoreError, match=NO_ROOM):
                _fill(store)
            before = names_of(store)
            assert before[0] == "Mira"
            assert len(before) % 99 == 1  # all of a transaction or nothing of it
        store.write(add("Ann"))
        assert names_of(store) == [*before, "Ann"]


def test_a_lock_that_passes_is_waited_for_and_one_that_lasts_is_told(tmp_path: Path) -> None:
    with Store.create(tmp_path, SEEDS, patience=0.3) as store:
        other = sqlite3.connect(tmp_path / "collection.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another process; try again"):
            store.write(add("Mira"))
        assert names_of(store) == []
        writing = Thread(target=store.write, args=(add("Ann"),))
        writing.start()
        other.execute("ROLLBACK")
        other.close()
        writing.join()
        assert names_of(store) == ["Ann"]


def test_sqlite_is_kept_safe(tmp_path: Path) -> None:
    with Store.create(tmp_path, SEEDS) as store, store.engine.connect() as connection:
        for pragma, value in (("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 2)):
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value


def test_many_may_open_and_write_at_once(store: Store) -> None:
    assert store.folder is not None
    folder = store.folder

    def work(k: int) -> None:
        with Store.open(folder) as another:
            another.write(add(f"name {k}"))

    threads = [Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names_of(store)) == [f"name {k}" for k in range(8)]
