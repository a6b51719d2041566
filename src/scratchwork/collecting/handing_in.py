"""Handing in a problem.

Promises: `hand_in` checks and stores in one transaction. It returns the submission, which is then
on disk, or the reason why the problem was sent back, whose text is kept in `refusals`. A client
makes a key for each hand-in: the same key again (a double click, a retry after a crash or a lost
answer) gives the same submission. A task is handed in once: another key for it is sent back.

The checks, in this order: the contributor, the task and the chosen seed; the form (see `forms`);
an answer or a rationale that is the seed's; a copy (see `nearness`) of a seed or of the
contributor's own work. A copy of the contributor's own rejected work is accepted, since it may be
an improvement, and marked for review. A copy of another contributor's work, or a suspect, is
accepted too, as both may have the same source: both are marked for review, each with the number of
the other, and a later copy is labelled a replica. The audit refuses nothing; its figures are
stored.

Does not cover: near copies in other than Latin letters whose digits differ; `neighbours` looks for
candidates by Latin letters and digits.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scratchwork.collecting.auditing import audit_figures
from scratchwork.collecting.forms import answer_key, kept_row, written_problem
from scratchwork.collecting.nearness import NearnessRule, measured
from scratchwork.collecting.neighbours import Near, Neighbours, QuestionKind
from scratchwork.collecting.sampling import is_sampled
from scratchwork.collecting.schema import (
    MOST_IN_KEY,
    Contributor,
    JsonObject,
    Refusal,
    Relation,
    SeedProblem,
    Submission,
    Task,
    now,
)
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.storing import Store, existing, row_with_id
from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.rows import problem_from_row, row_from_problem

Code = Literal[
    "revoked", "no-task", "handed-in", "skipped", "seed", "form", "answer", "rationale", "copy"
]
"""Why a problem was sent back."""

_NEIGHBOURS_SEEN = 50
_LONGEST_SENTENCE = 500
_LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True)
class HandIn:
    """What a client hands in."""

    task_id: int
    seed_id: int
    """The seed that was chosen."""
    client_key: str
    """Made by the client, anew for each hand-in, the same for each retry of it."""
    row: object
    """`question`, `options` (five texts), `rationale`, `correct` (a letter)."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A problem that was accepted."""

    submission_id: int
    relation: Relation
    again: bool
    """Whether it was handed in before, with the same key."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The text that a problem nearly copies: a seed, or the contributor's own work."""

    kind: QuestionKind
    id: int
    question: str
    ratio: float
    digit_free: float

    def as_json(self) -> JsonObject:
        """The neighbour as an object of stable form."""
        return {
            f"{self.kind}_id": self.id,
            "question": self.question,
            "ratio": self.ratio,
            "digit_free": self.digit_free,
        }


@dataclass(frozen=True, slots=True)
class SentBack:
    """A problem that was not accepted; its text is kept under the refusal's number."""

    refusal_id: int
    code: Code
    sentence: str
    neighbour: Shown | None


class _RefusedError(Exception):
    def __init__(self, code: Code, sentence: str, neighbour: Shown | None = None) -> None:
        super().__init__(sentence)
        self.code: Code = code
        self.neighbour = neighbour


def hand_in(
    store: Store, neighbours: Neighbours, contributor_id: int, handed: HandIn
) -> HandedIn | SentBack:
    """Accept a problem, or send it back.

    UserError if the contributor is unknown or the client's key malformed: then nothing is kept.
    """
    key = handed.client_key
    if not (0 < len(key) <= MOST_IN_KEY and key.isascii() and key.isprintable()):
        raise UserError(
            f"the key of a hand-in is 1 to {MOST_IN_KEY} printable ASCII characters long"
        )
    settings = store.settings
    try:
        problem = written_problem(handed.row)
    except ProblemError as error:
        problem = error
    figures = audit_figures(problem) if isinstance(problem, Problem) else None

    def work(session: Session) -> HandedIn | SentBack:
        before = session.scalars(
            select(Submission).where(
                Submission.contributor_id == contributor_id, Submission.client_key == key
            )
        ).first()
        if before is not None:
            return HandedIn(before.id, before.relation, again=True)
        contributor = existing(session, Contributor, contributor_id)
        try:
            task, seed = _task_and_seed(session, contributor, handed)
            if isinstance(problem, ProblemError):
                raise _RefusedError("form", str(problem))
            _check_against_seed(problem, seed)
            # Nobody else hands in until this transaction ends: all earlier work is found.
            neighbours.catch_up(session)
            found = neighbours.nearest(problem.question, _NEIGHBOURS_SEEN)
            place = _placed(session, settings, contributor_id, problem.question, found)
        except _RefusedError as refused:
            return _send_back(session, contributor_id, handed, refused)
        task.state, task.done_at = "done", now()
        submission = Submission(
            task_id=task.id,
            contributor_id=contributor_id,
            seed_id=seed.id,
            client_key=key,
            problem=row_from_problem(problem),
            topic=seed.topic,
            relation=place.relation,
            nearest=place.nearest,
            audit=figures,
        )
        _store_in_sample(session, submission, settings, contributor)
        _mark(submission, place.reasons)
        for other in place.also_marked:
            _mark(other, [f"near copy of submission {submission.id}, by another contributor"])
        return HandedIn(submission.id, place.relation, again=False)

    result = store.write(work, in_order=True)
    if isinstance(result, HandedIn) and isinstance(problem, Problem):
        neighbours.add(("submission", result.submission_id), problem.question)
    return result


def _task_and_seed(
    session: Session, contributor: Contributor, handed: HandIn
) -> tuple[Task, SeedProblem]:
    if contributor.revoked:
        raise _RefusedError("revoked", "this link was revoked; ask those who sent it")
    task = row_with_id(session, Task, handed.task_id, lock=True)
    if task is None or task.contributor_id != contributor.id:
        raise _RefusedError("no-task", f"task {handed.task_id} is not one of yours")
    if task.state == "done":
        raise _RefusedError(
            "handed-in",
            "this task is handed in already, maybe in another window; this text is kept",
        )
    if task.state == "skipped":
        raise _RefusedError("skipped", "this task was skipped; this text is kept")
    seed = session.get(SeedProblem, handed.seed_id) if handed.seed_id in task.seed_ids else None
    if seed is None:
        raise _RefusedError("seed", "choose one of the five problems of the task")
    return task, seed


def _check_against_seed(problem: Problem, seed: SeedProblem) -> None:
    """The answer and the rationale must be the contributor's own."""
    source = problem_from_row(seed.problem)
    answer = _answer(source)
    if answer is not None and answer_key(answer) == answer_key(_answer(problem) or ""):
        raise _RefusedError(
            "answer", f'the answer "{answer}" is that of the problem you chose; change it'
        )
    if _bare(source.rationale or "") == _bare(problem.rationale or ""):
        raise _RefusedError(
            "rationale", "the rationale is that of the problem you chose; write your own"
        )


@dataclass(slots=True)
class _Place:
    """Where a problem stands among all others."""

    relation: Relation = "original"
    nearest: JsonObject | None = None
    reasons: list[str] = field(default_factory=list[str])
    also_marked: list[Submission] = field(default_factory=list[Submission])


def _placed(
    session: Session,
    settings: CollectionSettings,
    contributor_id: int,
    question: str,
    found: Iterable[Near],
) -> _Place:
    rule = NearnessRule(settings)
    place = _Place()
    for candidate in found:
        kind, number = candidate.key
        other = session.get(SeedProblem if kind == "seed" else Submission, number)
        if other is None:
            continue
        text = str(other.problem["question"])
        near = measured(question, text, candidate)
        if place.nearest is None or near.ratio > place.nearest["ratio"]:
            ratios = {"ratio": near.ratio, "digit_free": near.digit_free}
            place.nearest = {f"{kind}_id": number} | ratios
        nearness = rule.nearness(question, text, near)
        is_foreign = isinstance(other, Submission) and other.contributor_id != contributor_id
        is_mended = isinstance(other, Submission) and other.status == "rejected"
        if nearness == "copy" and not is_foreign and not is_mended:
            shown = Shown(kind, number, text, near.ratio, near.digit_free)
            whose = "one of the seeds" if kind == "seed" else "a problem you have handed in"
            raise _RefusedError(
                "copy",
                f"the question is nearly that of {whose}; write another, or change its numbers",
                shown,
            )
        if nearness in ("copy", "suspect"):
            source = ", by another contributor" if is_foreign else ""
            place.reasons.append(f"near copy of {kind} {number}{source}")
            if is_foreign and isinstance(other, Submission):
                place.also_marked.append(other)
        if nearness == "copy" or rule.is_replica(near):
            place.relation = "replica"
    return place


def _store_in_sample(
    session: Session, submission: Submission, settings: CollectionSettings, contributor: Contributor
) -> None:
    mine = Submission.contributor_id == contributor.id
    earlier = session.scalar(select(func.count()).select_from(Submission).where(mine)) or 0
    session.add(submission)
    session.flush()
    submission.in_sample = is_sampled(
        settings.sampling, settings.randomness, submission.id, earlier, contributor.review_rate
    )


def _mark(submission: Submission, reasons: list[str]) -> None:
    if reasons:
        submission.marked = True
        said = submission.mark_reason or ""
        if len(said) < _LONGEST_REASON:
            submission.mark_reason = "; ".join(filter(None, [said, *reasons]))


def _send_back(
    session: Session, contributor_id: int, handed: HandIn, refused: _RefusedError
) -> SentBack:
    sentence = "".join(c if c.isprintable() else "\ufffd" for c in str(refused))
    refusal = Refusal(
        contributor_id=contributor_id,
        task_id=None if refused.code in ("no-task", "revoked") else handed.task_id,
        reason_code=refused.code,
        sentence=sentence[:_LONGEST_SENTENCE],
        neighbour=None if refused.neighbour is None else refused.neighbour.as_json(),
        problem=kept_row(handed.row),
    )
    session.add(refusal)
    session.flush()
    return SentBack(refusal.id, refused.code, refusal.sentence, refused.neighbour)


def _answer(problem: Problem) -> str | None:
    if problem.correct is None:
        return None
    return problem.options[problem.letters.index(problem.correct)]


def _bare(text: str) -> str:
    """A text without case and white space."""
    return "".join(text.casefold().split())
