"""Every command that writes: killed at any moment or stopped by a full disk, it can be given again.

SCRATCHWORK_FUZZ_MOMENTS is the number of moments and of sizes tried for each command; without it,
one for a few of them.
"""

import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from scratchwork import generate, load_families, read_problems
from scratchwork.collecting.schema import Contributor, Submission, Task
from scratchwork.collecting.storing import Store
from scratchwork.problems.rows import row_from_problem, write_problems
from tests.disks import disk_of, leave_room
from tests.processes import COMMAND_LINE, are_alive, descendants, started
from tests.solver.samples import table_folder

MOMENTS = int(os.environ.get("SCRATCHWORK_FUZZ_MOMENTS", "0"))
PAGE = os.sysconf("SC_PAGESIZE")
"""A file system has whole pages, and counts a page for each folder."""
FAMILIES = Path(__file__).parent / "solver" / "trial.toml"
ENDED = 5.0
"""So many seconds after its parent no process may live."""
FILLED = "is not an empty folder"
"""What `collect init` and `collect export` say where they have been before, and ended whole."""

Arguments = Callable[["Inputs"], tuple[object, ...]]


@dataclass(frozen=True)
class Inputs:
    """What the commands read."""

    problems: Path
    solver: Path
    paper: Path
    tables: Path
    collection: Path
    to: Path
    """The folder that they write to."""


COMMANDS: dict[str, Arguments] = {
    "generate": lambda i: ("generate", "-n", 400, "--families", FAMILIES, "-o", i.to / "out.jsonl"),
    "generate with workers": lambda i: (
        "generate", "-n", 400, "--families", FAMILIES, "-o", i.to / "out.jsonl.gz", "--workers", 2,
    ),
    "generate a worksheet": lambda i: (
        "generate", "-n", 60, "--families", FAMILIES, "--format", "html", "-o", i.to / "out.html",
    ),
    "induce": lambda i: ("induce", i.problems, "-o", i.to / "out.jsonl", "--workers", 1),
    "induce with workers": lambda i: (
        "induce", i.problems, "-o", i.to / "out.jsonl.gz", "--lattices", "--workers", 2,
    ),
    "audit": lambda i: (
        "audit", i.problems, "--keep", i.to / "out.jsonl", "--html", i.to / "out.html",
        "--workers", 2,
    ),
    "data tune": lambda i: (
        "data", "tune", i.problems, "--to", i.to, "--count", 5
    ),
    "data split": lambda i: ("data", "split", i.problems, "--to", i.to, "--dev", 5, "--test", 5),
    "solve": lambda i: (
        "solve", "--file", i.problems, "--to", i.to / "out.jsonl", "--model", i.solver,
        "--beam", 4, "--device", "cpu",
    ),
    "evaluate": lambda i: (
        "evaluate", i.paper, i.problems, "--limit", 20, "--to", i.to / "out.jsonl", "--beam", 2,
        "--device", "cpu",
    ),
    "train paper": lambda i: (
        "train", "paper", "--preset", "tiny", "--data", i.problems, "--to", i.to,
        "--device", "cpu", "--set", "epochs=2", "--set", "hidden=8", "--set", "embedding=8",
        "--set", "save_every=2",
    ),
    "train tables": lambda i: (
        "train", "tables", "--data", i.problems, "--tune", i.problems, "--generated", 40,
        "--to", i.to, "--workers", 2,
    ),
    "train solver": lambda i: (
        "train", "solver", "--preset", "tiny", "--data", i.tables, "--to", i.to, "--device", "cpu",
        "--set", "steps=12", "--set", "save_every=2", "--set", "tokens=400", "--set", "vote_beam=4",
    ),
    "collect init": lambda i: (
        "collect", "init", i.to / "out", "--seeds", i.problems, "--title", "Ours",
    ),
    "collect export": lambda i: (
        "collect", "export", i.collection, "--to", i.to / "out", "--dev", 5, "--test", 5,
    ),
}  # fmt: skip


A_FEW = ("audit", "induce with workers", "solve")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file that a command left, but for logs, which hold times, and what SQLite has beside.

    Of a collection, whose secret is drawn, it is what people see.
    """
    return {
        str(path.relative_to(folder)): _content(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("log.jsonl", ".sqlite-wal", ".sqlite-shm"))
    }


def _content(path: Path) -> bytes:
    if path.name == "secret":
        return str(path.stat().st_size).encode()
    if path.name != "collection.sqlite":
        return path.read_bytes()
    with closing(sqlite3.connect(path)) as collection:
        seeds = collection.execute("SELECT id, problem FROM seeds ORDER BY id").fetchall()
        title = collection.execute("SELECT value FROM settings WHERE key = 'title'").fetchall()
    return repr((title, seeds)).encode()


def finished(arguments: tuple[object, ...]) -> tuple[int, str]:
    """The exit status, and what was said on standard error."""
    process = started(COMMAND_LINE, *arguments)
    told = process.communicate(timeout=300)[1]
    return process.returncode, told


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty problems of many kinds."""
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    write_problems(path, (made.problem for made in generate(load_families(), 60, seed=2)))
    return path


@pytest.fixture(scope="module")
def collection(problems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection whose every problem was handed in and accepted."""
    folder = tmp_path_factory.mktemp("collection") / "workshop"
    seeds = list(read_problems(problems))

    def fill(session: Session) -> None:
        session.add(Contributor(id=1, name="Mira"))
        session.flush()
        for k, seed in enumerate(seeds, 1):
            five = [(k + n) % len(seeds) + 1 for n in range(5)]
            session.add(Task(id=k, contributor_id=1, seed_ids=five, seeds_key=None, state="done"))
            session.flush()
            session.add(
                Submission(
                    task_id=k, contributor_id=1, seed_id=five[0], client_key=str(k),
                    problem=row_from_problem(seed), topic="all", relation="original",
                    status="accepted",
                )
            )  # fmt: skip

    with Store.create(folder, seeds) as store:
        store.write(fill)
    return folder


@dataclass(frozen=True)
class Whole:
    """A run that nothing disturbed."""

    arguments: Callable[[Path], tuple[object, ...]]
    seconds: float
    contents: dict[str, bytes]
    pages: int
    """That its files fill."""


@pytest.fixture(scope="module", params=COMMANDS if MOMENTS else A_FEW)
def whole(
    request: pytest.FixtureRequest,
    problems: Path,
    tiny_solver: Path,
    adding_model: Path,
    collection: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Whole:
    tables = table_folder(tmp_path_factory.mktemp("tables"))

    def arguments(to: Path) -> tuple[object, ...]:
        return COMMANDS[request.param](
            Inputs(problems, tiny_solver, adding_model, tables, collection, to)
        )

    folder = tmp_path_factory.mktemp("whole")
    begun = time.monotonic()
    status, told = finished(arguments(folder))
    assert status == 0, told
    seconds = time.monotonic() - begun
    left = contents(folder)
    pages = sum((folder / name).stat().st_size // PAGE for name in left)
    return Whole(arguments, seconds, left, pages)


@pytest.mark.skipif(not Path("/proc").exists(), reason="descendants are read in /proc")
def test_killed_at_any_moment_it_ends_whole_when_given_again(whole: Whole, tmp_path: Path) -> None:
    """No process outlives the killed one, and no file is left behind, nor other bytes."""
    moments = random.Random(MOMENTS)
    for _ in range(MOMENTS or 1):
        process = started(COMMAND_LINE, *whole.arguments(tmp_path))
        time.sleep(moments.uniform(0, whole.seconds))
        below = descendants(process.pid)
        process.send_signal(signal.SIGKILL)
        end = time.monotonic() + ENDED
        told = process.communicate(timeout=ENDED)[1]
        while are_alive(below):
            assert time.monotonic() < end
            time.sleep(0.01)
        assert "Traceback" not in told
        if FILLED in told:
            assert contents(tmp_path) == whole.contents
            shutil.rmtree(tmp_path / "out")
    status, told = finished(whole.arguments(tmp_path))
    assert status == 0 or FILLED in told, told
    assert contents(tmp_path) == whole.contents


def test_whatever_room_there_is_a_full_disk_is_told_and_the_command_goes_on(
    whole: Whole, tmp_path: Path
) -> None:
    """A sentence that names the file, another exit status than 0, and then the same bytes."""
    if not whole.pages:
        pytest.skip("all that it writes fits into a page")
    sizes = random.Random(MOMENTS)
    for number in range(MOMENTS or 1):
        with disk_of(PAGE * sizes.randint(1, whole.pages), tmp_path / f"disk{number}") as folder:
            status, told = finished(whole.arguments(folder))
            assert status not in (0, -signal.SIGKILL)
            assert "the disk is full" in told.splitlines()[-1]
            assert str(folder) in told
            assert "Traceback" not in told
            leave_room(folder, 1 << 26)
            status, told = finished(whole.arguments(folder))
            assert status == 0, told
            assert contents(folder) == whole.contents
