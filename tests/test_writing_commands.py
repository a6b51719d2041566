"""Every command that writes: killed at any moment or stopped by a full disk, it can be given again.

SCRATCHWORK_FUZZ_MOMENTS is the number of moments and of sizes tried for each command; without it,
one for a few of them.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from scratchwork import generate, load_families
from scratchwork.problems.rows import write_problems
from tests.processes import COMMAND_LINE, are_alive, descendants, started
from tests.solver.samples import table_folder

MOMENTS = int(os.environ.get("SCRATCHWORK_FUZZ_MOMENTS", "0"))
FAMILIES = Path(__file__).parent / "solver" / "trial.toml"
ENDED = 5.0
"""So many seconds after its parent no process may live."""

Arguments = Callable[["Inputs"], tuple[object, ...]]


@dataclass(frozen=True)
class Inputs:
    """What the commands read."""

    problems: Path
    solver: Path
    paper: Path
    tables: Path
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
        "evaluate", i.paper, i.problems, "--limit", 4, "--to", i.to / "out.jsonl", "--beam", 2,
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
}  # fmt: skip


A_FEW = ("audit", "induce with workers", "solve")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file that a command left, but for logs, which hold times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "log.jsonl"
    }


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


@dataclass(frozen=True)
class Whole:
    """A run that nothing disturbed."""

    arguments: Callable[[Path], tuple[object, ...]]
    seconds: float
    contents: dict[str, bytes]


@pytest.fixture(scope="module", params=COMMANDS if MOMENTS else A_FEW)
def whole(
    request: pytest.FixtureRequest,
    problems: Path,
    tiny_solver: Path,
    adding_model: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Whole:
    tables = table_folder(tmp_path_factory.mktemp("tables"))

    def arguments(to: Path) -> tuple[object, ...]:
        return COMMANDS[request.param](Inputs(problems, tiny_solver, adding_model, tables, to))

    folder = tmp_path_factory.mktemp("whole")
    begun = time.monotonic()
    status, told = finished(arguments(folder))
    assert status == 0, told
    return Whole(arguments, time.monotonic() - begun, contents(folder))


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
    status, told = finished(whole.arguments(tmp_path))
    assert status == 0, told
    assert contents(tmp_path) == whole.contents


@contextmanager
def disk_of(size: int, folder: Path) -> Generator[Path]:
    """A file system of its own, which gets room once the block has ended well."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    try:
        subprocess.run(mount, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system cannot be mounted here; that takes root on Linux")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_whatever_room_there_is_a_full_disk_is_told_and_the_command_goes_on(
    whole: Whole, tmp_path: Path
) -> None:
    """A sentence that names the file, another exit status than 0, and then the same bytes."""
    page = os.sysconf("SC_PAGESIZE")
    # A file system has whole pages, and counts a page for each folder.
    most = sum(len(content) // page for content in whole.contents.values())
    if not most:
        pytest.skip("all that it writes fits into a page")
    sizes = random.Random(MOMENTS)
    for number in range(MOMENTS or 1):
        with disk_of(page * sizes.randint(1, most), tmp_path / f"disk{number}") as folder:
            status, told = finished(whole.arguments(folder))
            assert status not in (0, -signal.SIGKILL)
            assert "the disk is full" in told.splitlines()[-1]
            assert str(folder) in told
            assert "Traceback" not in told
            subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
            status, told = finished(whole.arguments(folder))
            assert status == 0, told
            assert contents(folder) == whole.contents
