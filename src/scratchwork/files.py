"""Files that survive a killed run, a full disk and two runs at once.

Promises:
- `atomic_file`, and what builds on it, writes `PATH.partial` and renames it once the bytes have
  reached the disk: a run that ends early leaves what was there before. The next run overwrites the
  `.partial` that a killed one left. Links are followed; devices and pipes are written directly.
- `RowFile` and `ResumableFile` grow, and a stopped run is continued: what was cut off is removed;
  what another command, or the same one with other settings, has begun is refused.
- A file that another run is writing is refused, on systems that have locks.
- Every byte is written, or a `UserError` names the file and says what was kept and how to go on.

Does not cover: a partial file that another version of this package has begun.
"""

import errno
import gzip
import hashlib
import io
import json
import os
import sys
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from scratchwork.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

ROW_VERSION = 1
_START = f'{{"version": {ROW_VERSION}, "id": '.encode()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes as they lie on the disk, in the form `sha256sum` prints."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_small(path: Path, most: int) -> str:
    """The text of a file that is expected to be small; what it cannot hold is not read."""
    with path.open("rb") as file:
        return text_in(file.read(most + 1), str(path), most)


def text_in(content: bytes, name: str, most: int) -> str:
    """The text in what was read of a file, up to one byte more than `most`."""
    if len(content) > most:
        raise UserError(f"{name}: the file is larger than the {most:,} bytes allowed")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: byte {error.start + 1} is not UTF-8 text") from error


class _Output(io.FileIO):
    """An unbuffered file to write, created if need be; what goes wrong carries its name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = "r+" if path.is_file() or not path.exists() else "w"
        super().__init__(path, mode, opener=lambda p, flags: os.open(p, flags | os.O_CREAT, 0o666))

    def write(self, content: Any) -> int:
        with self._named():
            return super().write(content) or 0

    def sync(self) -> None:
        """Wait for the bytes to reach the disk, which may turn out to be full only then."""
        with self._named():
            os.fsync(self.fileno())

    @contextmanager
    def _named(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error


@contextmanager
def _locked(path: Path, refusal: str | None = None) -> Generator[_Output]:
    """The file, kept from other runs until the block ends."""
    refusal = refusal or f"{path}: another run is writing this file"
    while True:
        with _Output(path) as file:
            _lock(file, refusal)
            # The run that held the lock before may have renamed the file in the meantime.
            if path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno())):
                yield file
                return


def _lock(file: _Output, refusal: str) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UserError(f"{refusal}; wait for it to end") from error


def is_full(error: OSError) -> bool:
    """Whether it says that there is no room left on a disk."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def reason_of(error: OSError) -> str:
    """What the system says of a file, in a few words."""
    if is_full(error):
        return "the disk is full"
    return (error.strerror or str(error) or "it cannot be used").lower()


def not_written(path: Path, error: OSError, kept: str) -> UserError:
    """What is said of a file that could not be written, and of what of it is kept."""
    advice = "make room and give" if is_full(error) else "mend that and give"
    return UserError(f"{path}: {reason_of(error)}; {kept}; {advice} the same command again")


def _write(file: _Output, block: bytes, kept: str) -> None:
    """Write the whole block where the file stands."""
    left = memoryview(block)
    try:
        while left:
            left = left[file.write(left) :]
    except OSError as error:
        raise not_written(file.path, error, kept) from error


def _append(file: _Output, block: bytes, kept: str) -> None:
    """Add the whole block to the end, or nothing."""
    end = file.seek(0, os.SEEK_END)
    left = memoryview(block)
    try:
        while left:
            left = left[file.write(left) :]
    except OSError as error:
        with suppress(OSError):
            file.truncate(end)
        raise not_written(file.path, error, kept) from error


@contextmanager
def only_run(folder: Path) -> Generator[None]:
    """Keep other runs out of a folder until the block ends."""
    with _locked(folder / ".lock", f"{folder}: another run is writing into this folder"):
        yield


@contextmanager
def atomic_file(path: Path) -> Generator[IO[bytes]]:
    """A binary file that becomes `path` when the block ends well, and vanishes otherwise."""
    is_plain = path.is_file() or not path.exists()
    target = Path(os.path.realpath(path)) if is_plain else path
    partial = target.with_name(f"{target.name}.partial")
    with _locked(partial) if is_plain else _Output(path) as raw:
        file = io.BufferedWriter(raw)
        try:
            if is_plain:
                raw.truncate(0)
            yield file
            file.flush()
            if is_plain:
                raw.sync()
                partial.replace(target)
        except BaseException as error:
            if is_plain:
                partial.unlink(missing_ok=True)
            if isinstance(error, OSError) and error.filename == str(raw.path):
                kept = "nothing of it is kept, and a file that was there stays"
                raise not_written(path, error, kept) from error
            raise


def write_text(path: Path, text: str) -> None:
    """A text file, atomically."""
    with atomic_file(path) as file:
        file.write(text.encode("utf-8"))


def write_tensors(path: Path, tensors: "Mapping[str, Tensor]") -> None:
    """A safetensors file, atomically."""
    from safetensors.torch import save

    content = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
    with atomic_file(path) as file:
        file.write(content)


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


class HasId(Protocol):
    """A dataclass of plain values, one of them an id."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str:
        """What the row is about."""
        ...


Kind = TypeVar("Kind", bound=HasId)


class RowFile(Generic[Kind]):
    """A file of rows of one kind that grows; each row also holds the settings that it came from."""

    def __init__(self, file: _Output, kind: type[Kind], settings: Mapping[str, Any]) -> None:
        self._file, self._settings = file, dict(settings)
        begin = file.read(len(_START)) or b""
        if not begin.startswith(_START[: len(begin)]):
            raise _no_row(file.path, 1)  # before all of some other file is in memory
        content = begin + file.readall()
        whole = content[: content.rfind(b"\n") + 1]
        rest = content[len(whole) :]
        if not rest.startswith(_START[: len(rest)]):
            raise _no_row(file.path, whole.count(b"\n") + 1)
        found = _parsed(whole, file.path, kind, self._settings)
        self.rows: dict[str, Kind] = {row.id: row for row in found}
        """The rows that are there, by their ids."""
        file.truncate(len(whole))

    def append(self, row: Kind) -> None:
        """Add a row; it will be there whatever happens from now on."""
        form = {"version": ROW_VERSION, **asdict(row), "settings": self._settings}
        line = json.dumps(form, ensure_ascii=False).encode("utf-8") + b"\n"
        _append(self._file, line, f"{len(self.rows):,} rows are kept")
        self.rows[row.id] = row

    def keep_first(self, count: int) -> None:
        """Remove all rows but the first ones."""
        kept = list(self.rows.values())[:count]
        self._file.truncate(0)
        self.rows = {}
        for row in kept:
            self.append(row)


@contextmanager
def row_file(path: Path, kind: type[Kind], settings: Mapping[str, Any]) -> Generator[RowFile[Kind]]:
    """A file of rows to add to, with those that an earlier run with the same settings wrote."""
    if path.suffix == ".gz" or (path.exists() and not path.is_file()):
        raise UserError(f"{path}: rows are added one by one, which needs a plain file: .jsonl")
    with _locked(path) as file:
        yield RowFile(file, kind, settings)


def read_rows(path: Path, kind: type[Kind]) -> list[Kind]:
    """The rows of a file."""
    return list(_parsed(path.read_bytes(), path, kind))


def _parsed(
    content: bytes, path: Path, kind: type[Kind], settings: Mapping[str, Any] | None = None
) -> Iterable[Kind]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            form = json.loads(line)
            if form.pop("version") != ROW_VERSION:
                raise ValueError("version")
            given = form.pop("settings")
            row = kind(**form)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise _no_row(path, number) from error
        if settings is not None and given != settings:
            raise UserError(
                f"{path} was begun with {_difference(given, settings)}; give the same again to go "
                "on, name another file, or remove this one to start anew"
            )
        yield row


def _no_row(path: Path, number: int) -> UserError:
    return UserError(f"{path}:{number}: this is no row of this command; name another file")


def _difference(given: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    for name, what in (("weights", "another model"), ("data", "other problems")):
        if given.get(name) != settings.get(name):
            return what
    return ", ".join(
        f"{name} {given.get(name)} (now {now})"
        for name, now in settings.items()
        if given.get(name) != now
    )


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A part of a resumable file that was written whole."""

    id: str
    bytes: int
    crc32: int
    counts: dict[str, int]


class ResumableFile:
    """`PATH.partial` on its way to be `PATH`, and the journal of its chunks beside it."""

    def __init__(self, file: _Output, journal: RowFile[_Chunk] | None) -> None:
        self._file, self._journal = file, journal
        self.counts = Counter[str]()
        """What was counted in all chunks so far."""
        self._size = 0
        if journal is None:
            return
        for whole, chunk in enumerate(journal.rows.values()):
            if zlib.crc32(file.read(chunk.bytes)) != chunk.crc32:
                journal.keep_first(whole)
                break
            self._size += chunk.bytes
            self.counts.update(chunk.counts)
        file.truncate(self._size)

    def append(self, content: bytes, counts: dict[str, int]) -> None:
        """Add a chunk; it counts from the moment that the journal has it."""
        kept = f"the first {self._size:,} bytes are kept"
        if self._journal is None:
            _write(self._file, content, kept)
        else:
            _append(self._file, content, kept)
            number = str(len(self._journal.rows))
            self._journal.append(_Chunk(number, len(content), zlib.crc32(content), counts))
        self._size += len(content)
        self.counts.update(counts)


@contextmanager
def resumable_file(path: Path, settings: Mapping[str, Any]) -> Generator[ResumableFile]:
    """A file that becomes `path` when the block ends well.

    Otherwise it is kept for the next run with the same settings, which finds all chunks that were
    written whole. Devices and pipes are written directly, from the start every time.
    """
    if path.exists() and not path.is_file():
        with _Output(path) as file:
            yield ResumableFile(file, None)
        return
    path = Path(os.path.realpath(path))
    partial = path.with_name(f"{path.name}.partial")
    journal_path = path.with_name(f"{path.name}.partial.json")
    if partial.exists() and partial.stat().st_size and not journal_path.exists():
        raise UserError(
            f"{partial}: the file is there, but no journal of what it holds; "
            "remove it to start anew"
        )
    with row_file(journal_path, _Chunk, settings) as journal, _Output(partial) as file:
        yield ResumableFile(file, journal)
        try:
            file.sync()
        except OSError as error:
            raise not_written(partial, error, "what had reached the disk is kept") from error
        partial.replace(path)
        journal_path.unlink()
