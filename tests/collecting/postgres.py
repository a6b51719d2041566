"""A PostgreSQL server of the tests' own, in a temporary folder on a free port."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tests.disks import disk_of

_INSTALLED = Path("/usr/lib/postgresql")
_QUICK = "-c fsync=off -c full_page_writes=off -c shared_buffers=16MB -c max_connections=60"


def programs_folder() -> Path | None:
    """Where PostgreSQL's programs are, if it is installed."""
    found = shutil.which("pg_ctl")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(_INSTALLED.glob("*/bin/pg_ctl"))
    return folders[-1].parent if folders else None


class Postgres:
    """A running server; `user` is whom it runs as, since it refuses to run as root."""

    def __init__(self, programs: Path, folder: Path | None = None) -> None:
        self._programs = programs
        self._user = "postgres" if os.geteuid() == 0 else None
        self._folder = folder or Path(tempfile.mkdtemp(prefix="scratchwork-postgres-"))
        self._give(self._folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port: int = free.getsockname()[1]
        self._numbers = count(1)
        data = str(self._folder / "data")
        self._run("initdb", "-D", data, "-U", "scratchwork", "-A", "trust", "-N", "-E", "UTF8")
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = f"-p {self._port} -k {self._folder} -h 127.0.0.1 {_QUICK}"
        self._control("start", "-w", "-l", str(self._folder / "log"), "-o", options)

    def stop(self) -> None:
        """Stop the server as if it crashed."""
        self._control("stop", "-m", "immediate")

    def restart(self) -> None:
        """Let the server crash, and start it again."""
        self._control("restart", "-w", "-m", "immediate", "-l", str(self._folder / "log"))

    def remove(self) -> None:
        """Stop the server and remove all it had."""
        self.stop()
        shutil.rmtree(self._folder)

    def new_database(self) -> str:
        """The URL of an empty place for tables: a schema, which is made faster than a database."""
        return self._with_options(search_path=self._new_schema())

    @contextmanager
    def small_database(self, size: int) -> Generator[tuple[str, Path]]:
        """The same in a file system of so many bytes, whose folder is given too."""
        schema = self._new_schema()
        with disk_of(size, self._folder / schema) as disk:
            self._give(disk)
            self.execute(f"CREATE TABLESPACE {schema} LOCATION '{disk}'")
            yield self._with_options(search_path=schema, default_tablespace=schema), disk
            self.execute(f"DROP SCHEMA {schema} CASCADE", f"DROP TABLESPACE {schema}")

    def _new_schema(self) -> str:
        name = f"collection_{next(self._numbers)}"
        self.execute(f"CREATE SCHEMA {name}")
        return name

    def _with_options(self, **options: str) -> str:
        given = "%20".join(f"-c{name}%3D{value}" for name, value in options.items())
        return f"{self.url('postgres')}?options={given}"

    def execute(self, *commands: str) -> None:
        """Let the server execute some SQL."""
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            for command in commands:
                connection.execute(command.encode())

    def url(self, name: str) -> str:
        """The URL of a database."""
        return f"postgresql://scratchwork@127.0.0.1:{self._port}/{name}"

    def _give(self, folder: Path) -> None:
        if self._user is not None:
            shutil.chown(folder, self._user)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._programs / program, *arguments],
            user=self._user,
            group=self._user,
            extra_groups=None if self._user is None else [],
            cwd=self._folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
