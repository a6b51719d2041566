"""A collection's database: SQLite in its folder, or PostgreSQL.

Promises: `Store.create` makes a whole collection or none, `Store.open` brings an older one
up to date; a folder holds `secret` and either `collection.sqlite` or `database`, which names a
PostgreSQL database. `write` runs a function in one transaction that is on disk when it returns;
`read` shows one state throughout. Failures that may pass (a lock, a restarted server) are
tried again with a fresh connection for `patience` seconds. Others (a full disk), and those that
last longer, raise a `StoreError` of one sentence, and nothing of the transaction is kept, unless
the server went away while it committed.

A connection may be lost while it commits, and the function then runs again: functions given to
`write` must find what they did before (by a unique key) rather than do it twice.
"""

import os
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    create_engine,
    event,
    func,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import InstrumentedAttribute, Session

from scratchwork.collecting.failures import StoreError, failure_of
from scratchwork.collecting.schema import MOST_IN_NAME, Base, SeedProblem, Setting
from scratchwork.collecting.settings import FORMAT, CollectionSettings
from scratchwork.collecting.upgrading import upgrade
from scratchwork.errors import UserError
from scratchwork.files import not_written
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import row_from_problem

PATIENCE_SECONDS = 10.0
NO_TOPIC = "other"
"""The topic of a seed that names none."""

_LONGEST_PAUSE = 1.0
_LARGEST_ID = 2**31 - 1
_WRITES_ONE_BY_ONE = 7_261_017
"""The number of the lock that PostgreSQL's writers share; it is arbitrary."""

_OWN_FILE = re.compile(r"secret|database|collection\.sqlite(-wal|-shm|-journal)?")
_UNFINISHED_FILE = re.compile(r"\.(secret|database)\.[0-9a-f]{8}")
"""What a creation that was killed may leave, besides."""

_T = TypeVar("_T")
_Table = TypeVar("_Table", bound=Base)


class UnfinishedError(UserError):
    """A collection whose creation was interrupted; `Store.create` goes on with it."""


class Store:
    """An open collection; may be used by many threads."""

    def __init__(self, url: URL, folder: Path | None, patience: float) -> None:
        self.folder = folder
        self.name = url.render_as_string(hide_password=True) if folder is None else str(folder)
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._patience = patience
        self.engine = _engine_of(url, patience)
        self._readers = self.engine
        if not self.is_sqlite:
            self._readers = self.engine.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        self._writers = self.engine.execution_options(scratchwork_writes=True)

    @classmethod
    def create(
        cls,
        folder: Path | str,
        seeds: Iterable[Problem],
        settings: CollectionSettings | None = None,
        *,
        database: str | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> "Store":
        """Make a collection in a folder, which is made too; `database` is a PostgreSQL URL.

        A seed's topic is its field `topic`, or else `NO_TOPIC`.
        """
        folder = Path(folder)
        rows = [_seed_of(problem) for problem in seeds]
        if len(rows) < 5:
            raise UserError(f"there are {len(rows)} seeds, but each task shows five")
        folder.mkdir(parents=True, exist_ok=True)
        wanted = _sqlite_url(folder) if database is None else _parsed_url(database)
        begun = (folder / "collection.sqlite").exists() or (folder / "database").exists()
        if begun and wanted != _url_of(folder):
            raise UserError(
                f"{folder} was begun with another database: give that one, or remove it"
            )
        if database is not None:
            _write_private(folder / "database", database + "\n")
        _write_private(folder / "secret", secrets.token_hex(32) + "\n")
        with ExitStack() as unfinished:
            store = unfinished.enter_context(cls(_url_of(folder), folder, patience))
            store._upgrade()
            store.write(
                lambda session: _fill(session, rows, settings or CollectionSettings(), folder)
            )
            for left in folder.glob(".*.*"):
                if _UNFINISHED_FILE.fullmatch(left.name):
                    left.unlink(missing_ok=True)
            unfinished.pop_all()
        return store

    @classmethod
    def open(cls, place: Path | str, *, patience: float = PATIENCE_SECONDS) -> "Store":
        """The collection of a folder, or of a database's URL, which has no folder and no secret."""
        folder = None if "://" in str(place) else Path(place)
        if folder is not None and not any(
            (folder / name).is_file() for name in ("collection.sqlite", "database")
        ):
            raise UserError(f"{folder} holds no collection; make one with scratchwork collect init")
        url = _parsed_url(str(place)) if folder is None else _url_of(folder)
        with ExitStack() as unfinished:
            store = unfinished.enter_context(cls(url, folder, patience))
            store._upgrade()
            if store.settings.format > FORMAT:
                raise UserError(
                    f"{store.name} was made by a newer version of scratchwork; upgrade this one"
                )
            unfinished.pop_all()
        return store

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def settings(self) -> CollectionSettings:
        """What was fixed when the collection was made."""
        rows = self.read(lambda session: {s.key: s.value for s in session.scalars(select(Setting))})
        if not rows:
            raise UnfinishedError(f"{self.name} holds no collection; its creation was interrupted")
        return CollectionSettings.from_rows(rows)

    @property
    def secret(self) -> bytes:
        """The key that links and sessions are signed with."""
        if self.folder is None:
            raise UserError("links need the collection's folder, which holds the secret")
        try:
            key = bytes.fromhex((self.folder / "secret").read_text("ascii").strip())
        except (OSError, ValueError) as error:
            raise UserError(f"{self.folder / 'secret'} cannot be read or is not a key") from error
        if len(key) < 32:
            raise UserError(f"{self.folder / 'secret'} is too short for a key")
        return key

    @contextmanager
    def session(self) -> Generator[Session]:
        """One transaction for reading, tried once: for streams and long readings."""
        with self._failures_explained(), Session(self._readers) as session:
            yield session

    def read(self, work: Callable[[Session], _T]) -> _T:
        """What a function reads, in one transaction."""

        def once() -> _T:
            with Session(self._readers) as session:
                return work(session)

        return self._patiently(once)

    def write(self, work: Callable[[Session], _T], *, in_order: bool = False) -> _T:
        """What a function writes, in one transaction.

        Breaking a constraint raises IntegrityError. With `in_order`, as always in SQLite, such
        transactions run one after another: each sees all before it, and ids are given in the order
        of commits.
        """

        def once() -> _T:
            with Session(self._writers, expire_on_commit=False) as session:
                if in_order and not self.is_sqlite:
                    session.execute(text(f"SELECT pg_advisory_xact_lock({_WRITES_ONE_BY_ONE})"))
                result = work(session)
                session.commit()
                return result

        return self._patiently(once)

    def _patiently(self, once: Callable[[], _T]) -> _T:
        started = time.monotonic()
        pause = 0.05
        first: StoreError | None = None
        while True:
            try:
                with self._failures_explained():
                    return once()
            except StoreError as failure:
                if not failure.may_pass:
                    raise
                # What came first says why: a server that stopped is only out of reach later.
                first = first or failure
                if time.monotonic() - started + pause > self._patience:
                    raise first from first.__cause__
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    @contextmanager
    def _failures_explained(self) -> Generator[None]:
        try:
            yield
        except DBAPIError as error:
            failure = failure_of(error, self.name)
            if failure is None:
                raise
            raise failure from error

    def _upgrade(self) -> None:
        def once() -> None:
            with self._writers.connect() as connection:
                if not self.is_sqlite:
                    connection.execute(text(f"SELECT pg_advisory_xact_lock({_WRITES_ONE_BY_ONE})"))
                upgrade(connection, self.name)
                connection.commit()

        self._patiently(once)


def is_unfinished(folder: Path) -> bool:
    """Whether a folder holds only what an interrupted creation has left, maybe nothing."""
    names = [path.name for path in folder.iterdir()]
    if not all(_OWN_FILE.fullmatch(name) or _UNFINISHED_FILE.fullmatch(name) for name in names):
        return False
    if not any((folder / name).exists() for name in ("collection.sqlite", "database")):
        return True
    try:
        Store.open(folder).close()
    except UnfinishedError:
        return True
    return False


def row_with_id(
    session: Session, table: type[_Table], number: int, *, lock: bool = False
) -> _Table | None:
    """The row of a number from a client, if it exists; `lock` keeps others from changing it.

    SQLite needs no such lock, since its transactions write one at a time.
    """
    if not 0 < number <= _LARGEST_ID:
        return None
    return session.get(table, number, with_for_update=lock)


def existing(session: Session, table: type[_Table], number: int, *, lock: bool = False) -> _Table:
    """The row of a number from a client; UserError if there is none."""
    row = row_with_id(session, table, number, lock=lock)
    if row is None:
        raise UserError(f"there is no {table.__name__.lower()} {number}")
    return row


def counts_of(
    session: Session, column: InstrumentedAttribute[_T], *where: ColumnElement[bool]
) -> dict[_T, int]:
    """How many rows have each value of a column, in the order of the values."""
    counts = select(column, func.count()).where(*where).group_by(column).order_by(column)
    return dict(session.execute(counts).all())


def _url_of(folder: Path) -> URL:
    named = folder / "database"
    if named.is_file():
        return _parsed_url(named.read_text("utf-8").strip())
    return _sqlite_url(folder)


def _sqlite_url(folder: Path) -> URL:
    return URL.create("sqlite", database=str(folder.absolute() / "collection.sqlite"))


def _parsed_url(database: str) -> URL:
    try:
        url = make_url(database)
    except ArgumentError:
        raise UserError("the database's URL cannot be read; postgresql://user@host/name") from None
    if url.get_backend_name() == "sqlite":
        return url
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise UserError(f"{url.get_backend_name()} databases are not supported; use PostgreSQL")
    return url.set(drivername="postgresql+psycopg")


def _engine_of(url: URL, patience: float) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": patience})

        @event.listens_for(engine, "connect")
        def prepare(connection: sqlite3.Connection, _: object) -> None:
            connection.isolation_level = None  # transactions begin as below
            for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL"):
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            # A transaction that will write waits for its turn here, not in its middle.
            writes = connection.get_execution_options().get("scratchwork_writes")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    else:
        try:
            engine = create_engine(
                url, pool_pre_ping=True, connect_args={"connect_timeout": max(2, int(patience))}
            )
        except ModuleNotFoundError as error:
            raise UserError(
                "PostgreSQL needs psycopg: pip install 'scratchwork[postgres]'"
            ) from error

        @event.listens_for(engine, "begin")
        def limit_waiting(connection: Connection) -> None:
            if connection.get_execution_options().get("scratchwork_writes"):
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(1000 * patience)}")

    return engine


def _write_private(path: Path, content: str) -> None:
    """Write a file, whole, that only its owner may read; an existing one is left unchanged."""
    if path.exists():
        return
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was first
            os.link(unfinished, path)
    except OSError as error:
        raise not_written(path, error, "nothing of it is kept") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _seed_of(problem: Problem) -> dict[str, Any]:
    topic = problem.extra.get("topic")
    named = topic.strip()[:MOST_IN_NAME] if isinstance(topic, str) else ""
    return {
        "problem": row_from_problem(problem),
        "topic": named or NO_TOPIC,
        "question_text": problem.question,
    }


def _fill(
    session: Session, seeds: list[dict[str, Any]], settings: CollectionSettings, folder: Path
) -> None:
    if session.scalars(select(Setting).limit(1)).first() is not None:
        raise UserError(f"{folder} holds a collection already")
    for key, value in replace(settings, format=FORMAT).as_rows().items():
        session.add(Setting(key=key, value=value))
    session.add_all(SeedProblem(id=k, **seed) for k, seed in enumerate(seeds, 1))
