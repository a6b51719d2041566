"""Reading files of problems, one row at a time.

Promises: `read_problems` streams, however long the file. `.json` and `.jsonl` hold JSON lines (the
AQuA release) or one JSON array (MathQA), plain or `.gz`; `.parquet` needs the extra `parquet`. A
row without an id gets its line number (in an array, the line it starts on; in a table, its row).
A bad row raises `ProblemError` as `file:line: what is wrong`, or is passed over and told to
`on_bad`.

Memory: constant, but for the ids that rows state, of which a digest is kept to find repeats.
Does not cover: repairing text; see `normalise`.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.rows import problem_from_row, states_id

OnBad = Callable[[ProblemError], None]
"""Told of every bad row that is passed over."""
OnProgress = Callable[[str, int, int | None], None]
"""Told what is being done, how many problems are done, and of how many if that is known."""

_CHUNK = 1 << 16
_NOTHING_BUT_SPACE = frozenset(b" \t\r\n")
_DECODER = json.JSONDecoder()


@dataclass
class _Ids:
    """Which ids were given so far, stated by the row or taken from its line."""

    stated: set[int] = field(default_factory=set[int])
    counted: set[int] = field(default_factory=set[int])
    counted_up_to: int = 0
    """As long as no row states an id, all of 1 to this may be taken, and nothing need be kept."""

    def add_counted(self, line: int) -> bool:
        """Whether the line's own number is free as an id; from now on it is not."""
        if self.stated:
            self.counted.add(line)
        else:
            self.counted_up_to = line
        return hash(str(line)) not in self.stated

    def add_stated(self, name: str) -> bool:
        """Whether a stated id is free; from now on it is not."""
        key = hash(name)
        taken = key in self.stated
        if name.isascii() and name.isdigit() and len(name) < 18 and name == str(int(name)):
            taken = taken or 0 < int(name) <= self.counted_up_to or int(name) in self.counted
        self.stated.add(key)
        return not taken


def silent(what: str, done: int, total: int | None) -> None:
    """Tells nobody of the progress."""


def read_problems(path: Path, on_bad: OnBad | None = None) -> Iterator[Problem]:
    """The problems of a file in order."""
    rows = _parquet_rows(path) if path.suffix == ".parquet" else _json_rows(path)
    return _problems(rows, str(path), on_bad)


def problems_from_rows(
    rows: Iterable[Any], name: str = "rows", on_bad: OnBad | None = None
) -> Iterator[Problem]:
    """The problems of rows that are dicts already: a `datasets` object, a list, a cursor."""
    return _problems(enumerate(rows, 1), name, on_bad)


def _problems(
    rows: Iterable[tuple[int, object]], name: str, on_bad: OnBad | None
) -> Iterator[Problem]:
    ids = _Ids()
    for line, row in rows:
        try:
            if isinstance(row, ProblemError):
                raise row
            problem = problem_from_row(row, default_id=str(line))
            if states_id(row):
                if not ids.add_stated(problem.id):
                    raise ProblemError(f'the id "{problem.id}" was there before')
            elif not ids.add_counted(line):
                raise ProblemError(f'its line number is the id "{line}" of another row')
        except ProblemError as error:
            located = ProblemError(f"{name}:{line}: {error}")
            if on_bad is None:
                raise located from None
            on_bad(located)
        else:
            yield problem


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")


def _json_rows(path: Path) -> Iterator[tuple[int, object]]:
    """The rows with their lines; a row that is no JSON is a ProblemError in its place."""
    line = 1
    try:
        with _open(path) as file:
            first = b""
            for first in file:
                if not _NOTHING_BUT_SPACE.issuperset(first):
                    break
                line += 1
            if first.lstrip().startswith(b"["):
                yield from _array_rows(first, file, line)
                return
            while first:
                if not _NOTHING_BUT_SPACE.issuperset(first):
                    yield line, _parsed(first)
                first = file.readline()
                line += 1
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ProblemError(f"{path}:{line}: the gzip data is damaged or cut off") from error


def _parsed(line: bytes) -> object:
    try:
        text = line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return ProblemError(f"byte {error.start + 1} of the line is not UTF-8 text")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return ProblemError(f"not JSON: {error.msg} at column {error.colno}")
    except RecursionError:
        return ProblemError("not a problem: JSON nested too deeply")


def _array_rows(first: bytes, file: IO[bytes], line: int) -> Iterator[tuple[int, object]]:
    """The elements of one JSON array, decoded as the file is read."""
    undecoded = first.lstrip()[1:]
    text = ""
    ended = False
    while True:
        stripped = text.lstrip(" \t\r\n,")
        line += text.count("\n", 0, len(text) - len(stripped))
        text = stripped
        if text.startswith("]"):
            return
        try:
            row, end = _DECODER.raw_decode(text)
        except (json.JSONDecodeError, RecursionError) as error:
            if ended:
                yield line, ProblemError(f"not JSON: the array breaks off here ({error})")
                return
            more = file.read(max(_CHUNK, len(text)))
            ended = not more
            undecoded += more
            # A character may be cut in two at the end of a chunk.
            cut = len(undecoded) if ended else _whole_characters(undecoded)
            try:
                text += undecoded[:cut].decode("utf-8")
            except UnicodeDecodeError:
                yield line, ProblemError("not UTF-8 text from here on")
                return
            undecoded = undecoded[cut:]
        else:
            yield line, row
            line += text.count("\n", 0, end)
            text = text[end:]


def _whole_characters(data: bytes) -> int:
    """How many of the bytes are whole UTF-8 characters."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            return len(data) - back
        if byte < 0x80:
            break
    return len(data)


def _parquet_rows(path: Path) -> Iterator[tuple[int, object]]:
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise UserError(
            f"{path}: reading parquet needs pyarrow: pip install 'scratchwork[parquet]'"
        ) from error
    number = 0
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except arrow.ArrowInvalid as error:
        raise ProblemError(f"{path}:{number + 1}: not a parquet file, or damaged") from error
