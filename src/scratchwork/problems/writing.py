"""Writing files, so that a killed run leaves the old file or the new one, never half of one.

Promises: `atomic_file` writes beside the target and renames at the end, after the bytes have
reached the disk; `write_problems` writes JSON lines in AQuA's form, compressed when the name ends
in `.gz`, the same bytes for the same problems; `lock` keeps other runs from a file that grows.
"""

import gzip
import json
import os
import sys
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import row_from_problem


@contextmanager
def atomic_file(path: Path) -> Generator[IO[bytes]]:
    """A binary file that becomes `path` when the block ends well, and vanishes otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """A text file, atomically."""
    with atomic_file(path) as file:
        file.write(text.encode("utf-8"))


@contextmanager
def json_lines_file(path: Path) -> Generator[IO[bytes]]:
    """An atomic file of lines, compressed when the name ends in `.gz`."""
    with atomic_file(path) as file:
        if path.suffix != ".gz":
            yield file
            return
        # Neither name nor time go into the header: the same problems give the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
            yield compressed  # pyright: ignore[reportReturnType]


def problem_line(problem: Problem) -> bytes:
    """A problem as one line of JSON."""
    return json.dumps(row_from_problem(problem), ensure_ascii=False).encode("utf-8") + b"\n"


def write_problems(path: Path, problems: Iterable[Problem]) -> int:
    """Write the problems and say how many there were."""
    count = 0
    with json_lines_file(path) as file:
        for problem in problems:
            file.write(problem_line(problem))
            count += 1
    return count


def lock(file: IO[bytes], path: Path) -> None:
    """Keep other runs from the file until it is closed, on systems that have such locks."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UserError(f"{path}: another run is writing this file; let it end first") from error
