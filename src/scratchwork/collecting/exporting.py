"""Exporting a collection: files of problems in AQuA's form, divided, with a card.

Promises: one state of the database is exported, and the same state and seed give the same bytes.
What is exported:

- accepted: in; corrected: in, as the last reviewer to correct it left it; rejected: out.
- marked for review and not yet reviewed: out, and counted.
- waiting: in with `reviewed: 0` if the contributor's reviewed work was fine, that is if there is
  some and no more than one in ten was rejected (`MOST_REJECTED`); out, and counted, otherwise.

Every row has a `provenance`: submission, contributor's number (never the name), seed, relation,
by how many it was reviewed, and the verdict. Development and test problems are set aside in whole
replica clusters by `problems.tune`: near copies, near copies of these, and so on, chosen seeds
included, so neither train nor the other part has a replica of theirs. `README.md` is written
last: where it exists, the export is complete. A failed export leaves nothing, and what a killed one
left is replaced by the next.

Memory: the questions, a few times over, where there is something to set aside.
Does not cover: adding to an earlier export; the folder must be empty.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from scratchwork.collecting.card import CARD, LENGTHS_CHART, Contents, write_card
from scratchwork.collecting.reviewing import agreement
from scratchwork.collecting.schema import JsonObject, Review, SeedProblem, Submission
from scratchwork.collecting.status import CollectionStatus, status_in
from scratchwork.collecting.storing import Store, counts_of
from scratchwork.errors import UserError
from scratchwork.files import only_run
from scratchwork.problems.duplicates import Thresholds
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnProgress, silent
from scratchwork.problems.rows import problem_from_row, write_problems
from scratchwork.problems.tune import tune_problems

MOST_REJECTED = 0.1
"""If more of a contributor's reviewed work was rejected, the rest is not exported."""
COLLECTED = "collected"
"""The origin of exported problems."""
UNFINISHED = ".scratchwork-export"
"""The folder, inside the one to fill, that an export is written to."""

_FILES = ("train.jsonl", "dev.jsonl", "test.jsonl", LENGTHS_CHART, CARD)
_SEED = "seed"
_ROWS_AT_ONCE = 500


def export(
    store: Store,
    folder: Path,
    *,
    dev: int = 0,
    test: int = 0,
    seed: int = 0,
    on_progress: OnProgress = silent,
) -> Contents:
    """Write train.jsonl, dev.jsonl and test.jsonl (where asked for) and README.md into a folder."""
    was_there = folder.exists()
    unfinished = folder / UNFINISHED
    refusal = UserError(f"{folder} is not an empty folder: export to a new one")
    if was_there and not (folder.is_dir() and _may_be_filled(folder)):
        raise refusal
    try:
        with only_run(unfinished):
            try:
                if (folder / CARD).exists():  # a run that has ended in the meantime, or nearly
                    raise refusal
                return _export_to(store, folder, {"test": test, "dev": dev}, seed, on_progress)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    except BaseException:
        with suppress(OSError):  # where another run is at work, it is not empty
            unfinished.rmdir()
        if not was_there:
            with suppress(OSError):
                folder.rmdir()
        raise


def _may_be_filled(folder: Path) -> bool:
    """Whether a folder is empty, or holds only what a killed export has left."""
    found = {path.name for path in folder.iterdir()}
    return not found or (UNFINISHED in found and found <= {UNFINISHED, *_FILES})


def _export_to(
    store: Store, folder: Path, wanted: dict[str, int], seed: int, on_progress: OnProgress
) -> Contents:
    """Write everything beside where it will be, then move it there, the card last."""
    unfinished = folder / UNFINISHED
    _clear(folder)
    try:
        contents, status = _write_collected(store, unfinished)
        contents.seed = seed
        thresholds = store.settings.thresholds
        parts = _divide(unfinished, contents, wanted, thresholds, on_progress)
        files = write_card(unfinished, store.settings, status, contents, parts)
        for path in [*parts.values(), *files]:
            path.replace(folder / path.name)
    except BaseException:
        _clear(folder)
        raise
    return contents


def _clear(folder: Path) -> None:
    """Remove what an export that did not end has left."""
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)
    for path in (folder / UNFINISHED).iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != ".lock":
            path.unlink()


def _write_collected(store: Store, folder: Path) -> tuple[Contents, CollectionStatus]:
    """Write what is exported to collected.jsonl, and the seeds it was written from to seeds.jsonl.

    All of it, and the figures, are read in one transaction.
    """
    contents = Contents()
    agreed = agreement(store)
    with store.session() as session:
        work = _Work(session, contents)
        contents.problems = write_problems(folder / "collected.jsonl", work.problems())
        write_problems(folder / "seeds.jsonl", work.seeds())
        status = status_in(session, store.settings, agreed)
    if not contents.problems:
        raise UserError(
            f"{store.name} has no work to export: {status.handed_in} problems were handed in, "
            f"{contents.rejected} are rejected and the others wait for a reviewer"
        )
    return contents, status


class _Work:
    """The work of a collection that is exported; what is read is counted."""

    def __init__(self, session: Session, contents: Contents) -> None:
        self._session = session
        self._contents = contents
        self._fine = _fine_contributors(session)
        self._reviewed = counts_of(session, Review.submission_id)
        self._corrected: dict[int, JsonObject] = {
            number: row
            for number, row in session.execute(
                select(Review.submission_id, Review.corrected)
                .where(Review.verdict == "correct")
                .order_by(Review.id)
            )
            if row is not None
        }
        self._seeds: set[int] = set()
        self._contributors: set[int] = set()

    def problems(self) -> Iterator[Problem]:
        """The problems in the order they were handed in."""
        stored = select(Submission).order_by(Submission.id)
        for work in self._session.scalars(stored.execution_options(yield_per=_ROWS_AT_ONCE)):
            if self._is_exported(work):
                yield self._problem(work)
        self._contents.contributors = len(self._contributors)

    def seeds(self) -> Iterator[Problem]:
        """The seeds that the problems were written from, by which replicas are connected."""
        stored = (
            select(SeedProblem).order_by(SeedProblem.id).execution_options(yield_per=_ROWS_AT_ONCE)
        )
        for seed in self._session.scalars(stored):
            if seed.id in self._seeds:
                problem = problem_from_row(seed.problem)
                yield replace(problem, id=f"{_SEED}-{seed.id}", origin=_SEED)

    def _is_exported(self, work: Submission) -> bool:
        if work.status == "rejected":
            self._contents.rejected += 1
        elif work.status != "waiting":
            return True
        elif work.marked:
            self._contents.marked += 1
        elif work.contributor_id in self._fine:
            return True
        else:
            self._contents.unproven += 1
        return False

    def _problem(self, work: Submission) -> Problem:
        contents = self._contents
        reviewed = self._reviewed.get(work.id, 0)
        contents.reviewed += work.status != "waiting"
        contents.corrected += work.status == "corrected"
        contents.replicas += work.relation == "replica"
        contents.topics[work.topic] += 1
        self._seeds.add(work.seed_id)
        self._contributors.add(work.contributor_id)
        is_corrected = work.status == "corrected"
        row = self._corrected.get(work.id, work.problem) if is_corrected else work.problem
        return replace(
            problem_from_row(row),
            id=str(work.id),
            origin=COLLECTED,
            extra={
                "topic": work.topic,
                "provenance": {
                    "submission": work.id,
                    "contributor": work.contributor_id,
                    "seed": work.seed_id,
                    "relation": work.relation,
                    "reviewed": reviewed,
                    "verdict": work.status,
                },
            },
        )


def _fine_contributors(session: Session) -> set[int]:
    """Those with reviewed work of which hardly any was rejected."""
    who = Submission.contributor_id
    reviewed = counts_of(session, who, Submission.status != "waiting")
    rejected = counts_of(session, who, Submission.status == "rejected")
    return {k for k, count in reviewed.items() if rejected.get(k, 0) <= MOST_REJECTED * count}


def _divide(
    folder: Path,
    contents: Contents,
    wanted: dict[str, int],
    thresholds: Thresholds,
    on_progress: OnProgress,
) -> dict[str, Path]:
    """Set the parts that are wanted aside, one after the other; what is left is train."""
    left = [folder / "collected.jsonl", folder / "seeds.jsonl"]
    remaining = contents.problems
    parts: dict[str, Path] = {}
    sizes: dict[str, int] = {}
    for part, count in wanted.items():
        if not count:
            continue
        aside = folder / part
        try:
            summary = tune_problems(
                left,
                aside,
                count=count,
                origin=COLLECTED,
                seed=contents.seed,
                thresholds=thresholds,
                on_progress=on_progress,
            )
        except UserError as error:
            raise UserError(
                f"{count} {part} problems were asked for, but {remaining} problems are left for "
                f"them, in whole replica clusters: ask for fewer with --{part}"
            ) from error
        sizes[part] = summary["problems"]["tune"]
        remaining -= sizes[part]
        parts[part] = (aside / "tune.jsonl").rename(folder / f"{part}.jsonl")
        left = [aside / path.name for path in left]
    contents.parts = {"train": remaining} | {p: sizes[p] for p in ("dev", "test") if p in sizes}
    parts["train"] = left[0].rename(folder / "train.jsonl")
    return {part: parts[part] for part in contents.parts}
