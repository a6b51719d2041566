"""An output in the making that survives being killed.

Promises: chunks are appended to `OUT.partial`, and count from the moment that `OUT.partial.json`,
the journal, has their length and checksum. Opened again with the same heading, everything behind
the last whole chunk is cut away and writing goes on there; with another heading it refuses. Two
runs cannot write the same file.
"""

import json
import os
import zlib
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from scratchwork.errors import UserError
from scratchwork.induction.corpus import Written
from scratchwork.problems.writing import lock, write_text


class PartialFile:
    """The output in the making, with its journal; locked while it is open."""

    def __init__(self, output: Path, heading: dict[str, Any]) -> None:
        self.counts: Counter[str] = Counter()
        self._output = output
        self._path = output.with_name(f"{output.name}.partial")
        self._journal_path = output.with_name(f"{output.name}.partial.json")
        self._heading = heading

    def __enter__(self) -> Self:
        self._output.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+b")
        try:
            lock(self._file, self._path)
            whole = self._whole_chunks()
            self._file.truncate(sum(entry["bytes"] for entry in whole))
            journal = (self._heading, *whole)
            write_text(self._journal_path, "".join(json.dumps(line) + "\n" for line in journal))
            self._journal = self._journal_path.open("a", encoding="utf-8")
        except BaseException:
            self._file.close()
            raise
        for entry in whole:
            self.counts.update(entry["counts"])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._journal.close()
        self._file.close()

    def _whole_chunks(self) -> list[dict[str, Any]]:
        """The journal's entries of the chunks that are there whole, from the first one on."""
        if not self._journal_path.exists():
            if self._path.stat().st_size:
                raise UserError(
                    f"{self._path}: the file is there, but no journal of what it holds; "
                    "remove it to start anew"
                )
            return []
        with self._journal_path.open(encoding="utf-8", errors="replace") as lines:
            heading, *entries = map(_entry, lines.read().split("\n"))
        if heading != self._heading:
            raise UserError(
                f"{self._path}: this was begun with {self._difference(heading)}; give the same "
                f"again to go on, or remove {self._path} and {self._journal_path} to start anew"
            )
        whole: list[dict[str, Any]] = []
        self._file.seek(0)
        for entry in entries:
            content = b"" if entry is None else self._file.read(entry["bytes"])
            if entry is None or entry["crc32"] != zlib.crc32(content):
                break
            whole.append(entry)
        return whole

    def _difference(self, heading: dict[str, Any] | None) -> str:
        if heading is None:
            return "a journal that cannot be read"
        if heading.get("input") != self._heading["input"]:
            return "another input file"
        return ", ".join(
            f"{name} {heading.get(name)} (now {now})"
            for name, now in self._heading.items()
            if heading.get(name) != now
        )

    def append(self, written: Written) -> None:
        """Take one more chunk; it counts from the moment that the journal has it."""
        self._file.write(written.content)
        self._file.flush()
        size, checksum = len(written.content), zlib.crc32(written.content)
        entry = {"bytes": size, "crc32": checksum, "counts": written.counts}
        self._journal.write(json.dumps(entry) + "\n")
        self._journal.flush()
        self.counts.update(written.counts)

    def finish(self) -> None:
        """Make the partial file the output."""
        os.fsync(self._file.fileno())
        self._path.replace(self._output)
        self._journal_path.unlink()


def _entry(line: str) -> dict[str, Any] | None:
    """A line of the journal, or None if it was cut off."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return None
    return cast(dict[str, Any], entry) if isinstance(entry, dict) else None
