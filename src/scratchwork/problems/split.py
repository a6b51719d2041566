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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scratchwork.errors import UserError
from scratchwork.files import json_lines_file, write_text
from scratchwork.parallel import blocks
from scratchwork.problems.duplicates import (
    BLOCK,
    HeldOut,
    JoinedFiles,
    Match,
    Thresholds,
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

    Problems keep the order of the files; see `JoinedFiles` for their ids.
    """
    thresholds = thresholds or Thresholds()
    summary = directory / "split.json"
    parts = {part: directory / f"{part}.jsonl" for part in ("train", "dev", "test")}
    refuse_overwriting(files, [*parts.values(), summary])

    joined = JoinedFiles(files, on_bad)
    drawn = _draw(joined, dev + test, seed, thresholds, on_progress)
    heldout = {
        "dev": sorted(drawn[:dev], key=lambda row: row.place),
        "test": sorted(drawn[dev:], key=lambda row: row.place),
    }

    summary.unlink(missing_ok=True)
    removed = _write_train(parts["train"], joined, drawn, thresholds, on_progress)
    for part, rows in heldout.items():
        write_problems(parts[part], (joined.renamed(row.file, row.problem) for row in rows))
    count = sum(joined.counts)
    content = {
        "seed": seed,
        "thresholds": asdict(thresholds),
        "inputs": joined.as_json(),
        "problems": {
            "read": count,
            "train": count - len(drawn) - len(removed),
            "dev": dev,
            "test": test,
            "removed": len(removed),
        },
        "removed": removed,
    }
    write_text(summary, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return content


def _draw(
    joined: JoinedFiles, wanted: int, seed: int, thresholds: Thresholds, on_progress: OnProgress
) -> list[_Row]:
    """The held-out rows in the order they are drawn."""
    size = max(1, wanted * _SPARE)
    problems = joined.read()
    while True:
        rows = _first_rows(problems, size, seed, on_progress)
        drawn = _without_near_copies(rows, wanted, thresholds)
        if len(drawn) == wanted:
            return drawn
        there = sum(joined.counts)
        if len(rows) == there:
            having = f"there are {there}"
            if len(drawn) < there:
                having += f", of which only {len(drawn)} are not near copies of one another"
            raise UserError(
                f"{wanted} held-out problems were asked for, but {having}: ask for fewer with "
                "--dev and --test"
            )
        size, problems = size * _MORE, joined.again()


def _first_rows(
    problems: Iterator[tuple[int, Problem]], size: int, seed: int, on_progress: OnProgress
) -> list[_Row]:
    """The first rows in the order that the seed gives all rows."""
    order = random.Random(seed)

    def ranked() -> Iterator[tuple[float, _Row]]:
        for place, (file, problem) in enumerate(problems):
            yield order.random(), _Row(place, file, problem)
            if place % BLOCK == 0:
                on_progress("drawing", place, None)

    first = heapq.nsmallest(size, ranked(), key=lambda pair: pair[0])
    return [row for _, row in first]


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
    joined: JoinedFiles,
    drawn: Sequence[_Row],
    thresholds: Thresholds,
    on_progress: OnProgress,
) -> list[dict[str, Any]]:
    """Write the rows that are neither drawn nor near to a drawn one; tell which were removed."""
    questions = HeldOut([row.problem.question for row in drawn], thresholds)
    heldout_places = {row.place for row in drawn}
    removed: list[dict[str, Any]] = []
    place = 0
    with json_lines_file(path) as train:
        for block in blocks(joined.again(), BLOCK):
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
                    train.write(problem_line(joined.renamed(file, problem)))
                else:
                    heldout = drawn[match.heldout]
                    removed.append(
                        {
                            "id": joined.id_of(file, problem),
                            "near": joined.id_of(heldout.file, heldout.problem),
                            "ratio": match.ratio,
                            "digit_free_ratio": match.digit_free_ratio,
                            "kind": match.kind,
                        }
                    )
            place += len(block)
            on_progress("removing near copies", place, None)
    return removed
