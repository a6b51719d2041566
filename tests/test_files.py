import gzip
import json
import os
import resource
import stat
import threading
import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from scratchwork import UserError
from scratchwork.files import (
    atomic_file,
    json_lines_file,
    read_rows,
    resumable_file,
    row_file,
    sha256_of,
    write_tensors,
    write_text,
)

SETTINGS = {"weights": "1f", "data": "2e", "beam": 5}
LINE = b"a line of some length\n"


@dataclass(frozen=True)
class Mark:
    """A row."""

    id: str
    mark: str


MARKS = [Mark(str(k), "é" * k) for k in range(5)]


def marked(path: Path, *marks: Mark) -> None:
    with row_file(path, Mark, SETTINGS) as rows:
        for mark in marks:
            rows.append(mark)


@contextmanager
def files_end_at(size: int) -> Generator[None]:
    """No file can grow beyond this size: a longer write is a short one first, then an error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert sha256_of(tmp_path / "empty") == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "text"
    write_text(path, "old")

    def write_and_stop() -> None:
        with atomic_file(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_stop()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_run_left_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "text.partial").write_text("a long text that a killed run left")
    write_text(tmp_path / "text", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
    assert (tmp_path / "text").read_text() == "new"


def test_a_new_file_has_the_rights_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "text", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "text").stat().st_mode) == 0o640


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "text")
    for text in ("one", "two"):
        write_text(tmp_path / "link", text)
        assert (tmp_path / "text").read_text() == text
    assert (tmp_path / "link").is_symlink()


def test_pipes_and_devices_are_written_and_stay(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_text(pipe, "through the pipe")
    reader.join()
    assert read == [b"through the pipe"]
    assert pipe.is_fifo()
    write_text(Path(os.devnull), "into nothing")
    with pytest.raises(UserError, match="needs a plain file"), row_file(pipe, Mark, SETTINGS):
        pass


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic_file(path) as file:
        file.write(b"first")
        with pytest.raises(UserError, match=r"file\.partial: another run is writing this file"):
            write_text(path, "second")
    assert path.read_bytes() == b"first"
    rows = path.with_name("rows")
    with (
        row_file(rows, Mark, SETTINGS),
        pytest.raises(UserError, match="rows: another run is writing"),
    ):
        marked(rows, *MARKS)


@pytest.mark.parametrize("name", ["lines.jsonl", "lines.jsonl.gz"])
def test_a_full_disk_is_one_sentence_and_the_old_file_stays(small_disk: Path, name: str) -> None:
    path = small_disk / name
    with json_lines_file(path) as file:
        file.write(LINE)
    before = path.read_bytes()
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(40_000))
    with (
        pytest.raises(UserError, match=f"{name}: the disk is full; nothing of it is kept.*again$"),
        json_lines_file(path) as file,
    ):
        file.write(os.urandom(100_000))
    assert path.read_bytes() == before
    assert sorted(small_disk.iterdir()) == [ballast, path]


def test_tensors_that_find_no_room_leave_the_old_ones(small_disk: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file

    path = small_disk / "numbers.safetensors"
    write_tensors(path, {"a": torch.ones(3)})
    with pytest.raises(UserError, match=r"numbers.safetensors: the disk is full"):
        write_tensors(path, {"a": torch.zeros(100_000)})
    assert load_file(path)["a"].tolist() == [1, 1, 1]
    assert list(small_disk.iterdir()) == [path]


def test_a_full_device_is_told() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with pytest.raises(UserError, match="/dev/full: the disk is full"):
        write_text(Path("/dev/full"), "text")


def test_compressed_lines_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        with json_lines_file(tmp_path / name) as file:
            file.write(LINE)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == LINE


def test_wherever_rows_are_cut_off_those_that_are_whole_are_there(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    marked(path, *MARKS)
    content = path.read_bytes()
    for cut in range(len(content) + 1):
        path.write_bytes(content[:cut])
        with row_file(path, Mark, SETTINGS) as rows:
            whole = list(rows.rows.values())
            assert whole == MARKS[: content[:cut].count(b"\n")]
            for mark in MARKS[len(whole) :]:
                rows.append(mark)
        assert path.read_bytes() == content


def test_wherever_room_ends_no_row_is_lost_and_none_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    marked(path, *MARKS)
    content = path.read_bytes()
    for size in range(0, len(content), 7):
        path.unlink()
        kept = content[:size].count(b"\n")
        with (
            files_end_at(size),
            pytest.raises(UserError, match=rf"rows.jsonl: file too large; {kept} rows are kept"),
        ):
            marked(path, *MARKS)
        assert path.read_bytes() == b"".join(content.splitlines(keepends=True)[:kept])


def test_a_file_of_rows_goes_on_when_there_is_room_again(small_disk: Path) -> None:
    path, ballast = small_disk / "rows.jsonl", small_disk / "ballast"
    ballast.write_bytes(bytes(40_000))
    marks = [Mark(str(k), 50 * "x") for k in range(300)]
    with pytest.raises(UserError, match=r"the disk is full; \d+ rows are kept; make room and give"):
        marked(path, *marks)
    ballast.unlink()
    whole = read_rows(path, Mark)
    assert 50 < len(whole) < 300
    marked(path, *marks[len(whole) :])
    assert read_rows(path, Mark) == marks


@pytest.mark.parametrize(
    "content",
    [
        b'{"version": 1, "id": ' + b"[" * 100_000 + b"\n",
        b'{"question": "What?"}\n',
        b"[1, 2",
        b"\xff",
        b"[]\n",
        b"{}",
    ],
)
def test_files_of_anything_else_are_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"problems.jsonl:1: this is no row of this command"):
        marked(path)
    assert path.read_bytes() == content


def test_a_large_file_of_anything_else_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    with path.open("wb") as file:
        file.truncate(1_000_000_000)
    tracemalloc.start()
    with pytest.raises(UserError, match=r"problems.jsonl:1: this is no row of this command"):
        marked(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000
    assert path.stat().st_size == 1_000_000_000


@pytest.mark.parametrize(
    ("settings", "difference"),
    [
        ({"weights": "00"}, "begun with another model;"),
        ({"data": "00"}, "begun with other problems;"),
        ({"beam": 6}, r"begun with beam 5 \(now 6\);"),
    ],
)
def test_rows_of_other_settings_are_refused(
    settings: dict[str, object], difference: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    marked(path, *MARKS)
    before = path.read_bytes()
    with (
        pytest.raises(UserError, match=f"rows.jsonl was {difference}"),
        row_file(path, Mark, {**SETTINGS, **settings}),
    ):
        pass
    assert path.read_bytes() == before


def test_a_pipe_or_device_is_written_chunk_by_chunk_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with resumable_file(pipe, SETTINGS) as file:
        for chunk in CHUNKS:
            file.append(chunk, {"chunks": 1})
        assert file.counts == {"chunks": 4}
    reader.join()
    assert read == [b"".join(CHUNKS)]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


class Stop(BaseException):
    """Stands for whatever ends a run early."""


CHUNKS = [LINE * 3, LINE * 5, b"", LINE]


def chunked(path: Path, stop_after: int = len(CHUNKS)) -> int:
    """Write the chunks that are not there; how many were."""
    with resumable_file(path, SETTINGS) as file:
        done = file.counts["chunks"]
        for number, chunk in enumerate(CHUNKS[done:], done):
            if number == stop_after:
                raise Stop
            file.append(chunk, {"chunks": 1, "lines": chunk.count(b"\n")})
        assert file.counts == {"chunks": 4, "lines": 9}
    assert path.read_bytes() == b"".join(CHUNKS)
    return done


def test_wherever_the_parts_of_a_stopped_run_are_cut_it_goes_on(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        chunked(tmp_path / "out", stop_after=3)
    names = ("out.partial", "out.partial.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    stopped = {name: (tmp_path / name).read_bytes() for name in names}
    for cut in names:
        for size in range(len(stopped[cut]) + 1):
            for name in names:
                (tmp_path / name).write_bytes(stopped[name])
            (tmp_path / cut).write_bytes(stopped[cut][:size])
            assert chunked(tmp_path / "out") <= 3
            assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_damage_in_the_middle_is_written_anew(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        chunked(tmp_path / "out", stop_after=3)
    part = tmp_path / "out.partial"
    part.write_bytes(part.read_bytes()[:-3] + b"xyz")
    assert chunked(tmp_path / "out") == 1


def test_a_part_without_its_journal_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out.partial").write_bytes(LINE)
    with pytest.raises(UserError, match="no journal of what it holds"):
        chunked(tmp_path / "out")
    (tmp_path / "out.partial.json").write_text("nonsense")
    with pytest.raises(UserError, match=r"out.partial.json:1: this is no row"):
        chunked(tmp_path / "out")
    assert (tmp_path / "out.partial").read_bytes() == LINE


def test_a_part_that_another_run_is_writing_is_refused(tmp_path: Path) -> None:
    with (
        resumable_file(tmp_path / "out", SETTINGS),
        pytest.raises(UserError, match="another run is writing this file"),
    ):
        chunked(tmp_path / "out")


def test_wherever_room_ends_a_resumable_file_goes_on(tmp_path: Path) -> None:
    chunked(tmp_path / "whole")
    for size in range(0, 9 * len(LINE), 11):
        with files_end_at(size), pytest.raises(UserError, match=r"file too large; .* are kept"):
            chunked(tmp_path / "out")
        assert not (tmp_path / "out").exists()
        assert chunked(tmp_path / "out") < 4
        (tmp_path / "out").unlink()


def test_a_journal_is_plain_json(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        chunked(tmp_path / "out", stop_after=1)
    (entry,) = (tmp_path / "out.partial.json").read_text().splitlines()
    assert json.loads(entry)["settings"] == SETTINGS
