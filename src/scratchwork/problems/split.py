"""Dividing problems into training, development and test sets that share no near copies.

Promises: the same seed and files give the same bytes. No held-out problem is a near copy of another
one: a drawn problem that is one is skipped. Training problems that are near copies of a held-out
problem, by the rule of `duplicates`, are removed; the paper did this by hand. `split.json` says
what was done; it is written last, so where it exists the split is complete.

Memory: a few times the held-out problems, and a digest per id. The files are read twice; more
often, and with more problems in memory, only where near copies abound.
Does not cover: stratifying; every problem of the files is equally likely to be drawn, whether or
not it has options, a letter or a rationale.
"""

import heapq
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scratchwork.errors import UserError
from scratchwork.files import json_lines_file, sha256_of, write_text
from scratchwork.parallel import blocks
from scratchwork.problems.duplicates import (
    BLOCK,
    HeldOut,
    JoinedIds,
    Match,
    Thresholds,
    passing_over,
    read_joined,
    refuse_overwriting,
)
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, OnProgress, silent
from scratchwork.problems.rows import problem_line, write_problems

_SPARE = 2  # candidates for each problem to be drawn, so that one reading is nearly always enough
_MORE = 8  # times as many candidates in the next reading, where it is not
_DRAWN_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class _Row:
    """A problem with its place among all problems, and the place of its file."""

    place: int
    file: int
    problem: Problem


def split_problems(
    files: Sequence[Path],
    directory: Path,
    *,
    dev: int = 250,
    test: int = 250,
    seed: int = 0,
    thresholds: Thresholds | None = None,
    on_bad: OnBad | None = None,
    on_progress: OnProgress = silent,
) -> dict[str, Any]:
    """Write train.jsonl, dev.jsonl, test.jsonl and split.json; the content of the last is returned.

    Problems keep the order of the files; see `JoinedIds` for their ids.
    """
    thresholds = thresholds or Thresholds()
    summary = directory / "split.json"
    parts = {part: directory / f"{part}.jsonl" for part in ("train", "dev", "test")}
    refuse_overwriting(files, [*parts.values(), summary])

    ids = JoinedIds(files)
    drawn, per_file = _draw(files, dev + test, seed, thresholds, ids, on_bad, on_progress)
    heldout = {
        "dev": sorted(drawn[:dev], key=lambda row: row.place),
        "test": sorted(drawn[dev:], key=lambda row: row.place),
    }

    summary.unlink(missing_ok=True)
    removed = _write_train(
        parts["train"], files, drawn, thresholds, ids, passing_over(on_bad), on_progress
    )
    for part, rows in heldout.items():
        write_problems(parts[part], (ids.renamed(row.file, row.problem) for row in rows))
    content = {
        "seed": seed,
        "thresholds": thresholds.as_json(),
        "inputs": [
            {"file": file.name, "sha256": sha256_of(file), "problems": problems}
            for file, problems in zip(files, per_file, strict=True)
        ],
        "problems": {
            "read": sum(per_file),
            "train": sum(per_file) - len(drawn) - len(removed),
            "dev": dev,
            "test": test,
            "removed": len(removed),
        },
        "removed": removed,
    }
    write_text(summary, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return content


def _draw(
    files: Sequence[Path],
    wanted: int,
    seed: int,
    thresholds: Thresholds,
    ids: JoinedIds,
    on_bad: OnBad | None,
    on_progress: OnProgress,
) -> tuple[list[_Row], list[int]]:
    """The held-out rows in the order they are drawn, and the number of rows of each file."""
    size = max(1, wanted * _SPARE)
    noted: JoinedIds | None = ids
    while True:
        rows, per_file = _first_rows(files, size, seed, noted, on_bad, on_progress)
        drawn = _without_near_copies(rows, wanted, thresholds)
        if len(drawn) == wanted:
            return drawn, per_file
        there = sum(per_file)
        if len(rows) == there:
            having = f"there are {there}"
            if len(drawn) < there:
                having += f", of which only {len(drawn)} are not near copies of one another"
            raise UserError(
                f"{wanted} held-out problems were asked for, but {having}: ask for fewer with "
                "--dev and --test"
            )
        size, noted, on_bad = size * _MORE, None, passing_over(on_bad)


def _first_rows(
    files: Sequence[Path],
    size: int,
    seed: int,
    ids: JoinedIds | None,
    on_bad: OnBad | None,
    on_progress: OnProgress,
) -> tuple[list[_Row], list[int]]:
    """The first rows in the order that the seed gives all rows, and each file's number of rows."""
    order = random.Random(seed)
    per_file = [0] * len(files)

    def ranked() -> Iterator[tuple[float, _Row]]:
        for place, (file, problem) in enumerate(read_joined(files, on_bad)):
            per_file[file] += 1
            if ids is not None:
                ids.note(problem)
            yield order.random(), _Row(place, file, problem)
            if place % BLOCK == 0:
                on_progress("drawing", place, None)

    first = heapq.nsmallest(size, ranked(), key=lambda pair: pair[0])
    return [row for _, row in first], per_file


def _without_near_copies(rows: Sequence[_Row], wanted: int, thresholds: Thresholds) -> list[_Row]:
    """The first rows, `wanted` of them, leaving out those that are near to one taken before."""
    taken: list[_Row] = []
    for block in blocks(rows, _DRAWN_AT_ONCE):
        known = {k for _, k in _near_pairs(taken, block, thresholds)}
        fresh = [row for k, row in enumerate(block) if k not in known]
        near = _near_pairs(fresh, fresh, thresholds)
        chosen: list[int] = []
        for k, row in enumerate(fresh):
            if len(taken) == wanted:
                return taken
            if not any((earlier, k) in near for earlier in chosen):
                chosen.append(k)
                taken.append(row)
    return taken


def _near_pairs(
    ones: Sequence[_Row], others: Sequence[_Row], thresholds: Thresholds
) -> set[tuple[int, int]]:
    """The places of rows of which one is a near copy of the other, whichever is held out."""
    one_side, other_side = (
        HeldOut([row.problem.question for row in rows], thresholds) for rows in (ones, others)
    )
    return one_side.near(other_side)


def _write_train(
    path: Path,
    files: Sequence[Path],
    drawn: Sequence[_Row],
    thresholds: Thresholds,
    ids: JoinedIds,
    on_bad: OnBad | None,
    on_progress: OnProgress,
) -> list[dict[str, Any]]:
    """Write the rows that are neither drawn nor near to a drawn one; tell which were removed."""
    questions = HeldOut([row.problem.question for row in drawn], thresholds)
    heldout_places = {row.place for row in drawn}
    removed: list[dict[str, Any]] = []
    place = 0
    with json_lines_file(path) as train:
        for block in blocks(read_joined(files, on_bad), BLOCK):
            nearest: dict[int, Match] = {}
            for match in questions.matches([problem.question for _, problem in block]):
                best = nearest.get(match.other)
                if best is None or match.nearness > best.nearness:
                    nearest[match.other] = match
            for k, (file, problem) in enumerate(block):
                if place + k in heldout_places:
                    continue
                match = nearest.get(k)
                if match is None:
                    train.write(problem_line(ids.renamed(file, problem)))
                else:
                    heldout = drawn[match.heldout]
                    removed.append(
                        {
                            "id": ids.of(file, problem),
                            "near": ids.of(heldout.file, heldout.problem),
                            "ratio": match.ratio,
                            "digit_free_ratio": match.digit_free_ratio,
                            "kind": match.kind,
                        }
                    )
            place += len(block)
            on_progress("removing near copies", place, None)
    return removed
