"""Downloading the official AQuA release from its public home.

Promises: a file stands under its real name only when it is whole and checked; until then it is
`FILE.part`, which a later run resumes. A file whose checksum is known must have it. For the others
the release publishes none: their rows are counted, and their checksums are written to SHA256SUMS,
which later runs verify them against. Every failure is one sentence.

Does not cover: damaged rows of a file with neither a known nor a recorded checksum; a file changed
upstream between two halves of a resumed download.
"""

import errno
import hashlib
import http.client
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scratchwork.errors import UserError
from scratchwork.files import write_text

RELEASE_URL = "https://raw.githubusercontent.com/google-deepmind/AQuA/master"
CHECKSUMS = "SHA256SUMS"

_CHUNK = 1 << 16
_TIMEOUT = 30
_CHECKSUM_LINE = re.compile(r"([0-9a-f]{64}) [ *](\S.*)")

OnBytes = Callable[[str, int, int | None], None]
"""Told which file is being fetched, how many bytes there are, and of how many if that is known."""


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A file of the release, and what is known of it."""

    name: str
    rows: int
    sha256: str | None = None


RELEASE = (
    ReleaseFile("train.json", 97_467),
    ReleaseFile(
        "dev.json", 254, "4a52301d8a49ae0b286f8e697f9c5da1b109b247b825b47b4c6de34312dceec5"
    ),
    ReleaseFile("test.json", 254),
    ReleaseFile("train.tok.json", 97_467),
    ReleaseFile(
        "dev.tok.json", 254, "16baf52dde06481b0cf92150d6e4caae2d80446138aba0362a30e9254d1b8658"
    ),
    ReleaseFile("test.tok.json", 254),
)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that is there and in order."""

    name: str
    rows: int
    fetched: bool
    """False if it was there already."""
    verified_by: str
    """What the file was checked against, in words."""


@dataclass(frozen=True, slots=True)
class _Content:
    sha256: str
    rows: int


def download_release(
    directory: Path,
    base_url: str = RELEASE_URL,
    on_progress: OnBytes = lambda name, done, total: None,
    files: tuple[ReleaseFile, ...] = RELEASE,
) -> list[Fetched]:
    """Fetch the files that are not there, check all of them, and record their checksums."""
    if not base_url.startswith(("https://", "http://")):
        raise UserError(f"{base_url}: the address must start with https:// or http://")
    directory.mkdir(parents=True, exist_ok=True)
    recorded = _recorded_checksums(directory / CHECKSUMS)
    results: list[Fetched] = []
    for file in files:
        path = directory / file.name
        there = path.exists()
        if there:
            content = _content_of(path)
            fault = _fault(file, content, recorded.get(file.name))
            if fault:
                raise UserError(f"{path}: {fault}; move it away and download again")
        else:
            content = _fetch(file, path, base_url, recorded.get(file.name), on_progress)
        verified_by = _verified_by(file, recorded.get(file.name))
        results.append(Fetched(file.name, content.rows, not there, verified_by))
        if recorded.get(file.name) != content.sha256:
            recorded[file.name] = content.sha256
            lines = [f"{sha256}  {name}\n" for name, sha256 in recorded.items()]
            with _full_disk_explained(directory / CHECKSUMS):
                write_text(directory / CHECKSUMS, "".join(lines))
    return results


def _recorded_checksums(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    recorded: dict[str, str] = {}
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        match = _CHECKSUM_LINE.fullmatch(line)
        if match is None:
            raise UserError(f"{path}:{number}: not a checksum and a name; fix or remove the file")
        recorded[match[2]] = match[1]
    return recorded


def _content_of(path: Path) -> _Content:
    """The checksum of a file and its number of lines that are not blank."""
    digest = hashlib.sha256()
    rows = 0
    with path.open("rb") as file:
        for line in file:
            digest.update(line)
            rows += not line.isspace()
    return _Content(digest.hexdigest(), rows)


def _fault(file: ReleaseFile, content: _Content, recorded: str | None) -> str | None:
    """What is wrong with a file, if anything is."""
    if file.sha256 is not None and content.sha256 != file.sha256:
        return "its checksum is not that of the released file"
    if recorded is not None and content.sha256 != recorded:
        return f"its checksum is not the one in {CHECKSUMS}"
    if content.rows != file.rows:
        return f"it has {content.rows:,} rows, not {file.rows:,}"
    return None


def _verified_by(file: ReleaseFile, recorded: str | None) -> str:
    if file.sha256 is not None:
        return "checksum as released"
    if recorded is not None:
        return f"checksum as in {CHECKSUMS}"
    return f"no published checksum, now recorded in {CHECKSUMS}"


def _fetch(
    file: ReleaseFile, path: Path, base_url: str, recorded: str | None, on_progress: OnBytes
) -> _Content:
    """Download a file, check it, and give it its name."""
    url = f"{base_url.rstrip('/')}/{file.name}"
    part = path.with_name(f"{file.name}.part")
    with _full_disk_explained(path):
        for done, total in _download(url, part):
            on_progress(file.name, done, total)
    content = _content_of(part)
    fault = _fault(file, content, recorded)
    if fault:
        # Which bytes are wrong is unknown, so there is nothing to resume.
        part.unlink()
        raise UserError(f"{url}: {fault}; what was downloaded is discarded")
    part.replace(path)
    return content


def _download(url: str, part: Path) -> Iterator[tuple[int, int | None]]:
    """Append what the part lacks of the file; yields the bytes there are, and of how many."""
    done = part.stat().st_size if part.exists() else 0
    with _network_errors_explained(url):
        response = _request(url, done)
    with response, part.open("ab") as sink:
        if done and response.status != http.client.PARTIAL_CONTENT:
            sink.truncate(0)  # the server sends the whole file
            done = 0
        total = None if response.length is None else done + response.length
        yield done, total
        while True:
            with _network_errors_explained(url):
                chunk = response.read(_CHUNK)
            if not chunk:
                break
            sink.write(chunk)
            done += len(chunk)
            yield done, total
        sink.flush()
        os.fsync(sink.fileno())
    if total is not None and done < total:
        raise UserError(
            f"{url}: the connection ended after {done:,} of {total:,} bytes; "
            "run again to resume the download"
        )


def _request(url: str, start: int) -> http.client.HTTPResponse:
    """The server's answer when asked for the bytes from `start` on."""
    if start:
        ranged = urllib.request.Request(url, headers={"Range": f"bytes={start}-"})
        try:
            response = urllib.request.urlopen(ranged, timeout=_TIMEOUT)
        except urllib.error.HTTPError as error:
            if error.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise
            error.close()  # the part is longer than the file, so it is not a part of it
        else:
            if _starts_at(response, start):
                return response
            response.close()
    return urllib.request.urlopen(url, timeout=_TIMEOUT)


def _starts_at(response: http.client.HTTPResponse, start: int) -> bool:
    """Whether the answer is the range that was asked for, or else the whole file."""
    sent = response.headers.get("Content-Range", "")
    return response.status != http.client.PARTIAL_CONTENT or sent.startswith(f"bytes {start}-")


@contextmanager
def _network_errors_explained(url: str) -> Generator[None]:
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.NOT_FOUND:
            raise UserError(f"{url}: there is no such file (404); check --base-url") from error
        raise UserError(f"{url}: the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        reason = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        raise UserError(
            f"{url}: the server cannot be reached ({reason}); check the network and run again"
        ) from error


@contextmanager
def _full_disk_explained(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise UserError(f"{path}: the disk is full; make room and run again to resume") from error
