"""Collections for tests, in SQLite and in a PostgreSQL server that the tests start themselves."""

import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import event

from scratchwork.collecting import passwords
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.storing import Store
from tests.collecting.postgres import Postgres, programs_folder
from tests.collecting.writing import Writer, seed

MakeStore = Callable[..., Store]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server, for as long as tests run."""
    programs = programs_folder()
    if programs is None:
        pytest.skip("PostgreSQL is not installed, so what needs its server is not tested")
    pytest.importorskip("psycopg")
    server = Postgres(programs)
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str | None:
    """The URL of a new database; None for SQLite."""
    if request.param == "sqlite":
        return None
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


def _write_quickly(store: Store) -> None:
    """Do not wait for the disk: that guards against a loss of power, which no test can make."""

    def hurry(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    event.listen(store.engine, "connect", hurry)
    store.close()  # the next connection hurries


@pytest.fixture
def make_store(tmp_path: Path, database: str | None) -> Generator[MakeStore]:
    """Makes a collection of a number of seeds; one a test."""
    with ExitStack() as opened:

        def make(
            seeds: int = 8, settings: CollectionSettings | None = None, patience: float = 10
        ) -> Store:
            store = Store.create(
                tmp_path / "collection",
                [seed(k) for k in range(seeds)],
                settings or CollectionSettings(randomness=7),
                database=database,
                patience=patience,
            )
            if database is None:
                _write_quickly(store)
            return opened.enter_context(store)

        yield make


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A collection of eight seeds in three topics."""
    return make_store()


@pytest.fixture
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that are quickly hashed, and badly; `test_passwords` has the real ones."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    nobody = hasher.hash("nobody")
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    monkeypatch.setattr(passwords, "_hash_of_nobody", lambda: nobody)


@pytest.fixture
def neighbours() -> Neighbours:
    """An index that knows nothing yet."""
    return Neighbours()


@pytest.fixture
def writer(store: Store, neighbours: Neighbours) -> Writer:
    """A contributor of that collection."""
    return Writer(store, neighbours)
