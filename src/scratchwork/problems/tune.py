"""Setting tune problems aside before any training, in whole clusters of replicas.

Promises: a replica cluster is a connected component of the relation "one is a near copy of the
other", by the rule of `duplicates`, among all problems of all files. Clusters are drawn with equal
chances and taken whole: none of their problems is left for training, so no training problem is a
near copy of a tune problem, nor of a near copy of one, and so on. A cluster of more than
`MOST_MEMBERS` problems stays in training whole, as does one where no problem qualifies for tune.
There are exactly as many tune problems as asked for, unless no fitting cluster is left: then the
one that exceeds the number least is taken. The same seed and files give the same bytes.
`tune.json` says what was done; it is written last, so where it exists the parts are complete.

Time: the problems that are drawn, and their near copies, are compared with all; not all pairs are.
Memory: the questions of all files, a few times over, and the tune problems. The files are read
twice.
Does not cover: trying other clusters than those drawn first to meet the number exactly; problems
of the largest clusters, of which tune has none.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from scratchwork.errors import UserError
from scratchwork.files import json_lines_file, write_text
from scratchwork.parallel import blocks
from scratchwork.problems.duplicates import (
    BLOCK,
    HeldOut,
    JoinedFiles,
    Thresholds,
    refuse_overwriting,
)
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, OnProgress, silent
from scratchwork.problems.rows import problem_line, write_problems

MOST_MEMBERS = 50
"""A cluster of more problems is not drawn: a chain of near copies can reach thousands."""

_MOST_AT_ONCE = 1024  # seeds whose clusters grow together, so that few passes suffice
_FEWEST_AT_ONCE = 64
_SUFFIXES = re.compile(r"(\.(jsonl?|parquet))?(\.gz)?\Z")


@dataclass(frozen=True, slots=True)
class _Read:
    """What the first reading keeps of all problems, by their places among all."""

    questions: list[str]
    qualifying: set[int]


@dataclass(slots=True)
class _Written:
    """What became of the problems of one file."""

    train: int = 0
    tune: list[Problem] = field(default_factory=list[Problem])
    removed: list[str] = field(default_factory=list[str])
    """The ids of those that are neither in train nor in tune."""


def tune_problems(
    files: Sequence[Path],
    directory: Path,
    *,
    count: int = 1000,
    origin: str | None = None,
    without_options: bool = False,
    seed: int = 0,
    thresholds: Thresholds | None = None,
    on_bad: OnBad | None = None,
    on_progress: OnProgress = silent,
) -> dict[str, Any]:
    """Write tune.jsonl, a training file for each file, and tune.json, whose content is returned.

    A problem qualifies for tune if it has options, a letter and a rationale, or, if those
    `without_options` are wanted, no options and an answer; and if it is of the origin, where one is
    given. Problems keep the order of the files; see `JoinedFiles` for their ids, in all
    the files written.
    """
    thresholds = thresholds or Thresholds()
    tune, summary = directory / "tune.jsonl", directory / "tune.json"
    parts = _training_files(files, directory, tune)
    refuse_overwriting(files, [*parts, tune, summary])

    joined = JoinedFiles(files, on_bad)
    read = _read(joined, origin, without_options, on_progress)
    drawn = _draw(read, count, seed, thresholds, on_progress)
    taken = {place for cluster in drawn for place in cluster}

    summary.unlink(missing_ok=True)
    written: list[_Written] = []
    start = 0
    for k, part in enumerate(parts):
        on_progress("writing", start, len(read.questions))
        renamed = map(partial(joined.renamed, k), joined.one_again(k))
        written.append(_write_part(part, enumerate(renamed, start), taken, read.qualifying))
        start += joined.counts[k]
    write_problems(tune, (problem for part in written for problem in part.tune))
    content = {
        "seed": seed,
        "count": count,
        "origin": origin,
        "open": without_options,
        "thresholds": asdict(thresholds),
        "inputs": [
            row | {"train": part.train, "tune": len(part.tune), "removed": len(part.removed)}
            for row, part in zip(joined.as_json(), written, strict=True)
        ],
        "problems": {
            "read": len(read.questions),
            "train": len(read.questions) - len(taken),
            "tune": len(taken & read.qualifying),
            "removed": len(taken - read.qualifying),
        },
        "clusters": {
            "drawn": len(drawn),
            "largest": max(map(len, drawn), default=0),
            "most_members": MOST_MEMBERS,
        },
        "removed": [name for part in written for name in part.removed],
    }
    write_text(summary, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return content


def _training_files(files: Sequence[Path], directory: Path, tune: Path) -> list[Path]:
    """Where what is left of each file goes; UserError if two would go to the same place."""
    sources: dict[Path, Path] = {}
    for file in files:
        part = directory / f"{_SUFFIXES.sub('', file.name)}.jsonl"
        if part == tune:
            raise UserError(f"{file} would leave its training problems in {tune}: rename it")
        if part in sources:
            raise UserError(f"{sources[part]} and {file} would both leave {part}: rename one")
        sources[part] = file
    return list(sources)


def _read(
    joined: JoinedFiles, origin: str | None, without_options: bool, on_progress: OnProgress
) -> _Read:
    """Read all files once."""
    read = _Read([], set())
    for place, (_, problem) in enumerate(joined.read()):
        read.questions.append(problem.question)
        of_origin = origin is None or problem.origin == origin
        qualifies = _is_open(problem) if without_options else _is_complete(problem)
        if of_origin and qualifies:
            read.qualifying.add(place)
        if place % BLOCK == 0:
            on_progress("reading", place, None)
    return read


def _is_complete(problem: Problem) -> bool:
    """Whether a problem has options, a letter and a rationale."""
    return bool(problem.correct and (problem.rationale or "").strip())


def _is_open(problem: Problem) -> bool:
    """Whether a problem has no options, but an answer."""
    return not problem.options and bool(problem.extra.get("answer"))


def _draw(
    read: _Read, count: int, seed: int, thresholds: Thresholds, on_progress: OnProgress
) -> list[set[int]]:
    """Whole clusters that hold `count` problems that qualify, or as few more as can be."""
    asked = f"{count} tune problems were asked for"
    if len(read.qualifying) < count:
        raise UserError(f"{asked}, but {len(read.qualifying)} qualify: ask for fewer with --count")
    order = sorted(read.qualifying)
    random.Random(seed).shuffle(order)
    clusters = _Clusters(read, thresholds)
    drawn: list[set[int]] = []
    held = 0
    exceeding: set[int] | None = None  # the smallest of those that did not fit
    seeds = iter(order)
    while held < count:
        on_progress("drawing", held, count)
        at_once = min(max(count - held, _FEWEST_AT_ONCE), _MOST_AT_ONCE)
        some = list(islice(seeds, at_once))
        if not some:
            break
        for cluster in clusters.led_by(some):
            size = len(cluster & read.qualifying)
            if held + size <= count:
                drawn.append(cluster)
                held += size
            elif exceeding is None or size < len(exceeding & read.qualifying):
                exceeding = cluster
    if held < count:
        if exceeding is None:
            raise UserError(
                f"{asked}, but only {held} qualify and have at most {MOST_MEMBERS - 1} near "
                "copies, near copies of these, and so on: ask for fewer with --count"
            )
        drawn.append(exceeding)
    return drawn


class _Clusters:
    """The replica clusters of all problems, found when asked for."""

    def __init__(self, read: _Read, thresholds: Thresholds) -> None:
        self._questions = read.questions
        self._qualifying = read.qualifying
        self._thresholds = thresholds
        self._blocks = [HeldOut(block, thresholds) for block in blocks(read.questions, BLOCK)]
        self._near: dict[int, list[int]] = {}

    def led_by(self, seeds: Sequence[int]) -> list[set[int]]:
        """The clusters of which a seed is the first problem that qualifies, in the seeds' order.

        A cluster has one such seed however large it is; were any of its problems enough, large
        clusters would be drawn more often. Clusters of more than `MOST_MEMBERS` are left out.
        """
        while True:
            reached = [self._reached(seed) for seed in seeds]
            met = {place for members in reached for place in members}
            unknown = sorted(met - self._near.keys())
            if not unknown:
                return [members for members in reached if members]
            self._compare(unknown)

    def _reached(self, seed: int) -> set[int]:
        """What is known of the seed's cluster; nothing if it is not to be drawn by this seed."""
        members = {seed}
        growing = [seed]
        while growing:
            for place in self._near.get(growing.pop(), ()):
                if place < seed and place in self._qualifying:
                    return set()
                if place not in members:
                    members.add(place)
                    growing.append(place)
            if len(members) > MOST_MEMBERS:
                return set()
        return members

    def _compare(self, places: Sequence[int]) -> None:
        """Make known what the problems at these places are near to."""
        self._near.update((place, []) for place in places)
        questions = HeldOut([self._questions[place] for place in places], self._thresholds)
        for k, block in enumerate(self._blocks):
            for one, other in questions.near(block):
                self._near[places[one]].append(k * BLOCK + other)


def _write_part(
    path: Path, problems: Iterator[tuple[int, Problem]], taken: set[int], qualifying: set[int]
) -> _Written:
    """Write what is left of one file; keep what goes to tune, and the ids of what goes nowhere."""
    written = _Written()
    with json_lines_file(path) as train:
        for place, problem in problems:
            if place not in taken:
                train.write(problem_line(problem))
                written.train += 1
            elif place in qualifying:
                written.tune.append(problem)
            else:
                written.removed.append(problem.id)
    return written
