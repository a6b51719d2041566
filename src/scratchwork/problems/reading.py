"""Reading files of problems, one row at a time.

Promises: `read_problems` streams, however long the file. `.json` and `.jsonl` hold JSON lines (the
AQuA release) or one JSON array (MathQA), plain or `.gz`; `.parquet` needs the extra `parquet`. A
row without an id gets its line number (in an array, the line it starts on; in a table, its row).
A bad row, or one beyond the bounds, raises `ProblemError` as `file:line: what is wrong`, or is
passed over and told to `on_bad`. What cannot be passed over, such as a line without an end, is
always raised.

Memory: constant, but for the ids that rows state, of which a digest is kept to find repeats.
Does not cover: repairing text (see `normalise`), and how much a table in parquet unfolds to.
"""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from scratchwork.errors import UserError, quoted
from scratchwork.problems.bounds import BOUNDS, Bounds
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.rows import problem_from_row, states_id

OnBad = Callable[[ProblemError], None]
"""Told of every bad row that is passed over."""
OnProgress = Callable[[str, int, int | None], None]
"""Told what is being done, how many problems are done, and of how many if that is known."""

_CHUNK = 1 << 16
_NOT_BLANK = re.compile(rb"[^ \t\r\n]")
_SEPARATORS = re.compile(r"[ \t\r\n,]*")
_NOT_READ = "what follows it was not read"
_GIVEN_UP = 16
"""A line so many times longer than allowed is not read to its end, wherever that may be."""
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


def read_problems(
    path: Path, on_bad: OnBad | None = None, bounds: Bounds = BOUNDS
) -> Iterator[Problem]:
    """The problems of a file in order."""
    is_table = path.suffix == ".parquet"
    rows = _parquet_rows(path) if is_table else _json_rows(path, bounds.row)
    return _problems(rows, str(path), on_bad, bounds)


def problems_from_rows(
    rows: Iterable[Any],
    name: str = "rows",
    on_bad: OnBad | None = None,
    bounds: Bounds = BOUNDS,
) -> Iterator[Problem]:
    """The problems of rows that are dicts already: a `datasets` object, a list, a cursor."""
    return _problems(enumerate(rows, 1), name, on_bad, bounds)


def _problems(
    rows: Iterable[tuple[int, object]], name: str, on_bad: OnBad | None, bounds: Bounds
) -> Iterator[Problem]:
    ids = _Ids()
    for line, row in rows:
        try:
            if isinstance(row, ProblemError):
                raise row
            problem = problem_from_row(row, default_id=str(line))
            bounds.check(problem)
            if states_id(row):
                if not ids.add_stated(problem.id):
                    raise ProblemError(f"the id {quoted(problem.id)} was there before")
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


def _json_rows(path: Path, longest: int) -> Iterator[tuple[int, object]]:
    """The rows with their lines; a row that is no JSON is a ProblemError in its place."""
    with _open(path) as file:
        text = _Text(file, longest)
        try:
            if text.skip_blanks() and text.block.startswith(b"[", text.at):
                text.at += 1
                yield from _array_rows(text)
                return
            while text.skip_blanks():
                number = text.line
                yield number, text.parsed_line()
        except _EndlessError as error:
            raise ProblemError(f"{path}:{text.line}: {error}") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            damage = "the gzip data is damaged or cut off"
            raise ProblemError(f"{path}:{text.line}: {damage}") from error


class _EndlessError(Exception):
    """A line that goes on and on."""


class _Text:
    """A file that is read block by block; the text at hand is `block` from `at` on."""

    def __init__(self, file: IO[bytes], longest: int) -> None:
        self.file, self.longest = file, longest
        self.block, self.at = b"", 0
        self.line = 1
        """The line of what comes next."""

    def skip_blanks(self) -> bool:
        """Go on to what is not white space; whether there is anything."""
        while True:
            found = _NOT_BLANK.search(self.block, self.at)
            end = len(self.block) if found is None else found.start()
            self.line += self.block.count(b"\n", self.at, end)
            if found is not None:
                self.at = max(self.block.rfind(b"\n", self.at, end) + 1, self.at)
                return True
            self.block, self.at = self.file.read(_CHUNK), 0
            if not self.block:
                return False

    def parsed_line(self) -> object:
        """The content of the next line; a ProblemError if it is no JSON, or too long."""
        parts: list[bytes] = []
        length = 0
        while self.block:
            end = self.block.find(b"\n", self.at)
            part = self.block[self.at : end if end >= 0 else None]
            length += len(part)
            if length <= self.longest:
                parts.append(part)
            elif length > _GIVEN_UP * self.longest:
                raise _EndlessError(
                    f"{_too_long('line', self.longest)}; its end was not looked for"
                )
            if end >= 0:
                self.at = end + 1
                self.line += 1
                break
            self.block, self.at = self.file.read(_CHUNK), 0
        if length > self.longest:
            return ProblemError(_too_long("line", self.longest))
        return _parsed(b"".join(parts))


def _too_long(what: str, longest: int) -> str:
    return f"the {what} is longer than the {longest:,} bytes allowed"


def _parsed(line: bytes) -> object:
    try:
        text = line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return ProblemError(f"byte {error.start + 1} of the line is not UTF-8 text")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return ProblemError(f"not JSON: {error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:
        return _unreadable(error)


def _unreadable(error: ValueError | RecursionError) -> ProblemError:
    """What is wrong with JSON that is well formed, but no row."""
    if isinstance(error, RecursionError):
        return ProblemError("not a problem: JSON nested too deeply")
    return ProblemError("not a problem: a number has too many digits")


def _array_rows(source: _Text) -> Iterator[tuple[int, object]]:
    """The elements of one JSON array, decoded as the file is read."""
    undecoded = source.block[source.at :]
    text, at = "", 0
    line, longest = source.line, source.longest
    ended = False
    while True:
        start = cast(re.Match[str], _SEPARATORS.match(text, at)).end()
        line += text.count("\n", at, start)
        at = start
        if text.startswith("]", at):
            return
        try:
            row, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            text, at = text[at:], 0
            if len(text) > longest:
                yield line, ProblemError(f"{_too_long('element', longest)}; {_NOT_READ}")
                return
            if ended:
                fault = f"not JSON: the array breaks off here ({error.msg})"
                yield line, ProblemError(fault)
                return
            # By doubling, or an element would be parsed anew for every chunk of it.
            more = source.file.read(max(_CHUNK, len(text)))
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
        except (ValueError, RecursionError) as error:
            yield line, ProblemError(f"{_unreadable(error)}; {_NOT_READ}")
            return
        else:
            too_long = end - at > longest
            yield line, ProblemError(_too_long("element", longest)) if too_long else row
            line += text.count("\n", at, end)
            at = end


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
