import hashlib
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scratchwork.errors import UserError
from scratchwork.problems.download import (
    CHECKSUMS,
    RELEASE,
    Fetched,
    ReleaseFile,
    download_release,
)

CONTENT = b"".join(b'{"question": "What is %d + 1?"}\n' % k for k in range(20_000))
SHORT = b'{"question": "What is 1 + 1?"}\n'
COUNTED = ReleaseFile("train.json", 20_000)
KNOWN = ReleaseFile("dev.json", 1, hashlib.sha256(SHORT).hexdigest())


@dataclass
class Mirror:
    """A server of our own, with the faults of others."""

    files: dict[str, bytes] = field(
        default_factory=lambda: {"train.json": CONTENT, "dev.json": SHORT}
    )
    url: str = ""
    knows_ranges: bool = True
    stop_after: int | None = None
    """Close the connection after so many bytes of a body."""
    status: int | None = None
    requests: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])


def answer(mirror: Mirror, handler: BaseHTTPRequestHandler) -> None:
    name, wanted = handler.path.removeprefix("/"), handler.headers["Range"]
    mirror.requests.append((name, wanted))
    content = mirror.files.get(name)
    if content is None or mirror.status is not None:
        handler.send_error(mirror.status or 404)
        return
    start = 0
    if wanted and mirror.knows_ranges:
        match = re.fullmatch("bytes=([0-9]+)-", wanted)
        assert match is not None
        start = int(match[1])
        if start >= len(content):
            handler.send_error(416)
            return
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
    else:
        handler.send_response(200)
    handler.send_header("Content-Length", str(len(content) - start))
    handler.end_headers()
    with suppress(ConnectionError):  # a client that fails hangs up
        handler.wfile.write(content[start:][: mirror.stop_after])


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    mirror = Mirror()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(mirror, self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        mirror.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield mirror
        server.shutdown()
        thread.join()


def download(mirror: Mirror, folder: Path, *files: ReleaseFile) -> list[Fetched]:
    return download_release(folder, mirror.url, files=files)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_files_are_fetched_checked_and_recorded(mirror: Mirror, tmp_path: Path) -> None:
    progress: list[tuple[str, int, int | None]] = []

    def note(name: str, done: int, total: int | None) -> None:
        progress.append((name, done, total))

    results = download_release(tmp_path / "new", mirror.url + "/", note, (COUNTED, KNOWN))
    assert [(file.name, file.rows, file.fetched) for file in results] == [
        ("train.json", 20_000, True),
        ("dev.json", 1, True),
    ]
    assert results[0].verified_by.startswith("no published checksum")
    assert results[1].verified_by == "checksum as released"
    assert (tmp_path / "new" / "train.json").read_bytes() == CONTENT
    sums = (tmp_path / "new" / CHECKSUMS).read_text("utf-8")
    assert sums == f"{hashlib.sha256(CONTENT).hexdigest()}  train.json\n{KNOWN.sha256}  dev.json\n"
    assert ("train.json", len(CONTENT), len(CONTENT)) in progress
    assert names(tmp_path / "new") == {"train.json", "dev.json", CHECKSUMS}


def test_a_second_run_verifies_and_asks_the_server_for_nothing(
    mirror: Mirror, tmp_path: Path
) -> None:
    download(mirror, tmp_path, COUNTED, KNOWN)
    mirror.requests.clear()
    results = download(mirror, tmp_path, COUNTED, KNOWN)
    assert mirror.requests == []
    assert [file.fetched for file in results] == [False, False]
    assert results[0].verified_by == f"checksum as in {CHECKSUMS}"


def test_a_file_changed_since_it_was_recorded_is_told(mirror: Mirror, tmp_path: Path) -> None:
    download(mirror, tmp_path, COUNTED)
    changed = CONTENT.replace(b"What", b"That", 1)
    (tmp_path / "train.json").write_bytes(changed)
    with pytest.raises(UserError, match=f"not the one in {CHECKSUMS}; move it away"):
        download(mirror, tmp_path, COUNTED)
    assert (tmp_path / "train.json").read_bytes() == changed


def test_a_file_put_there_by_hand_is_checked_by_its_rows(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "train.json").write_bytes(CONTENT)
    assert not download(mirror, tmp_path, COUNTED)[0].fetched
    assert CHECKSUMS in names(tmp_path)
    (tmp_path / "dev.json").write_bytes(SHORT * 2)
    with pytest.raises(UserError, match="not that of the released file"):
        download(mirror, tmp_path, KNOWN)


def test_a_download_that_stopped_midway_is_resumed(mirror: Mirror, tmp_path: Path) -> None:
    mirror.stop_after = 100_000
    with pytest.raises(UserError, match=r"ended after 100,000 of [0-9,]+ bytes; run again"):
        download(mirror, tmp_path, COUNTED)
    assert names(tmp_path) == {"train.json.part"}
    mirror.stop_after = None
    download(mirror, tmp_path, COUNTED)
    assert mirror.requests[-1] == ("train.json", "bytes=100000-")
    assert (tmp_path / "train.json").read_bytes() == CONTENT
    assert names(tmp_path) == {"train.json", CHECKSUMS}


@pytest.mark.parametrize("at", [1, 65_536, len(CONTENT) - 1])
def test_resuming_gives_the_same_bytes_wherever_it_stopped(
    mirror: Mirror, tmp_path: Path, at: int
) -> None:
    (tmp_path / "train.json.part").write_bytes(CONTENT[:at])
    download(mirror, tmp_path, COUNTED)
    assert (tmp_path / "train.json").read_bytes() == CONTENT


def test_a_server_without_ranges_sends_the_whole_again(mirror: Mirror, tmp_path: Path) -> None:
    mirror.knows_ranges = False
    (tmp_path / "train.json.part").write_bytes(CONTENT[:5000])
    download(mirror, tmp_path, COUNTED)
    assert (tmp_path / "train.json").read_bytes() == CONTENT


def test_a_part_as_long_as_the_file_or_longer_is_fetched_anew(
    mirror: Mirror, tmp_path: Path
) -> None:
    (tmp_path / "dev.json.part").write_bytes(b"x" * (len(SHORT) + 1))
    download(mirror, tmp_path, KNOWN)
    assert [wanted for _, wanted in mirror.requests] == [f"bytes={len(SHORT) + 1}-", None]
    assert (tmp_path / "dev.json").read_bytes() == SHORT


@pytest.mark.parametrize(
    ("file", "content", "fault"),
    [
        (KNOWN, SHORT.replace(b"1", b"2"), "not that of the released file"),
        (COUNTED, CONTENT[: len(CONTENT) // 2], r"rows, not 20,000"),
        (COUNTED, b"<html>Please log in</html>", "it has 1 rows, not 20,000"),
    ],
)
def test_wrong_content_never_gets_the_real_name(
    mirror: Mirror, tmp_path: Path, file: ReleaseFile, content: bytes, fault: str
) -> None:
    mirror.files[file.name] = content
    with pytest.raises(UserError, match=f"{fault}.*; what was downloaded is discarded"):
        download(mirror, tmp_path, file)
    assert names(tmp_path) == set()


def test_a_lost_file_must_come_back_as_it_was_recorded(mirror: Mirror, tmp_path: Path) -> None:
    download(mirror, tmp_path, COUNTED)
    (tmp_path / "train.json").unlink()
    mirror.files["train.json"] = CONTENT.replace(b"What", b"That", 1)
    with pytest.raises(UserError, match=f"not the one in {CHECKSUMS}"):
        download(mirror, tmp_path, COUNTED)
    assert names(tmp_path) == {CHECKSUMS}


def test_files_fetched_before_an_error_are_recorded(mirror: Mirror, tmp_path: Path) -> None:
    del mirror.files["train.json"]
    with pytest.raises(UserError):
        download(mirror, tmp_path, KNOWN, COUNTED)
    assert (tmp_path / CHECKSUMS).read_text("utf-8") == f"{KNOWN.sha256}  dev.json\n"


@pytest.mark.parametrize(
    ("status", "sentence"), [(404, "no such file \\(404\\)"), (503, "answered 503")]
)
def test_a_refusal_is_one_sentence(
    mirror: Mirror, tmp_path: Path, status: int, sentence: str
) -> None:
    mirror.status = status
    with pytest.raises(UserError, match=sentence):
        download(mirror, tmp_path, KNOWN)


def test_no_network_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UserError, match=r"cannot be reached \(.*[Rr]efused\); check the network"):
        download_release(tmp_path, f"http://127.0.0.1:{port}", files=(KNOWN,))
    assert names(tmp_path) == set()


def test_only_web_addresses_are_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="must start with https://"):
        download_release(tmp_path, "file:///etc", files=(KNOWN,))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_sentence(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "train.json.part").symlink_to("/dev/full")
    with pytest.raises(UserError, match="the disk is full; make room and run again"):
        download(mirror, tmp_path, COUNTED)
    assert not (tmp_path / "train.json").exists()


def test_a_spoilt_record_of_checksums_is_one_sentence(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / CHECKSUMS).write_text("what is this\n", "utf-8")
    with pytest.raises(UserError, match=f"{CHECKSUMS}:1: not a checksum and a name"):
        download(mirror, tmp_path, KNOWN)


def test_the_known_checksums_are_those_of_the_released_files(data_folder: Path) -> None:
    known = [file for file in RELEASE if file.sha256 is not None]
    assert [file.name for file in known] == ["dev.json", "dev.tok.json"]
    for file in known:
        content = (data_folder / "aqua" / file.name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file.sha256
        assert content.count(b"\n") == file.rows
