"""Reviewing what was handed in.

Promises: submissions in the sample or marked go to a reviewer, a tenth of the sample to two (see
`sampling`); no reviewer gets the same submission twice. Reviewers working in parallel mostly get
different ones: each gets one of the oldest that wait, in an order of their own. A verdict is stored
once: a reviewer's second verdict on a submission is refused unless it equals the first.

A submission's status follows from all its reviews: rejected if anyone rejected it, else corrected
if anyone corrected it (the latest correction counts), else accepted. When the status changes, so
does the contributor's review rate.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from scratchwork.collecting.forms import checked_text, written_problem
from scratchwork.collecting.sampling import goes_to_two, keyed_chance, standing_after
from scratchwork.collecting.schema import (
    MOST_IN_TEXT,
    Contributor,
    JsonObject,
    Review,
    Reviewer,
    SeedProblem,
    Submission,
    SubmissionStatus,
    Verdict,
)
from scratchwork.collecting.storing import Store, counts_of, existing, row_with_id
from scratchwork.errors import UserError
from scratchwork.problems.rows import row_from_problem

_STATUSES: tuple[SubmissionStatus, ...] = ("waiting", "accepted", "corrected", "rejected")
_SPREAD = 20
"""A reviewer gets one of this many that have waited longest."""


@dataclass(frozen=True, slots=True)
class ToReview:
    """A submission as a reviewer sees it."""

    submission_id: int
    contributor_id: int
    problem: JsonObject
    seed_id: int
    seed_problem: JsonObject
    topic: str
    relation: str
    mark_reason: str | None
    nearest: JsonObject | None
    nearest_problem: JsonObject | None
    """The seed or the submission that `nearest` names."""
    audit: JsonObject | None
    created: datetime


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict that was stored, and the submission's status now."""

    review_id: int
    status: SubmissionStatus


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two reviewers of the same submission agree."""

    pairs: int
    """Submissions with two reviews or more; the first two count."""
    raw: float | None
    """The share of equal verdicts; None without pairs."""
    kappa: float | None
    """Cohen's kappa; None where chance alone would always agree."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one submission, as its contributor sees it."""

    submission_id: int
    question: str
    status: SubmissionStatus
    reasons: tuple[str, ...]
    created: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of a contributor's work."""

    review_rate: float
    counts: dict[SubmissionStatus, int]
    outcomes: tuple[Outcome, ...]
    """The latest first."""


def next_for(store: Store, reviewer_id: int) -> ToReview | None:
    """The next submission for a reviewer; None if there is nothing to do."""
    rule, randomness = store.settings.sampling, store.settings.randomness

    def wanted(submission_id: int, in_sample: bool) -> int:
        return 2 if in_sample and goes_to_two(rule, randomness, submission_id) else 1

    def find(session: Session) -> ToReview | None:
        mine = select(Review.submission_id).where(Review.reviewer_id == reviewer_id)
        reviews = func.count(Review.id)
        rows = session.execute(
            select(Submission.id, Submission.in_sample, reviews)
            .outerjoin(Review, Review.submission_id == Submission.id)
            .where(or_(Submission.in_sample, Submission.marked), Submission.id.not_in(mine))
            .group_by(Submission.id, Submission.in_sample)
            .having(reviews < 2)
            .order_by(Submission.id)
        )
        waiting = [number for number, sampled, count in rows if count < wanted(number, sampled)]
        if not waiting:
            return None
        chosen = min(
            waiting[:_SPREAD], key=lambda k: keyed_chance(randomness, k, f"to {reviewer_id}")
        )
        return _shown(session, chosen)

    return store.read(find)


def to_review(store: Store, submission_id: int) -> ToReview:
    """Any submission as a reviewer sees it, such as the other one of two near copies."""
    return store.read(lambda session: _shown(session, submission_id))


def decide(
    store: Store,
    reviewer_id: int,
    submission_id: int,
    verdict: Verdict,
    reason: str | None = None,
    corrected: object = None,
) -> Decision:
    """Store a verdict. A rejection needs a reason; a correction needs the corrected problem."""
    reason = checked_text(reason or "", "the reason", MOST_IN_TEXT).strip() or None
    if verdict == "reject" and reason is None:
        raise UserError("a rejection needs a reason, which the contributor is shown")
    if (corrected is not None) != (verdict == "correct"):
        raise UserError("a correction needs the corrected problem, other verdicts have none")
    mended = None if corrected is None else row_from_problem(written_problem(corrected))

    def work(session: Session) -> Decision:
        reviewer = row_with_id(session, Reviewer, reviewer_id)
        if reviewer is None or reviewer.disabled:
            raise UserError("only reviewers can give verdicts")
        submission = existing(session, Submission, submission_id, lock=True)
        reviews = session.scalars(
            select(Review).where(Review.submission_id == submission_id).order_by(Review.id)
        ).all()
        for review in reviews:
            if review.reviewer_id == reviewer_id:
                if (review.verdict, review.reason, review.corrected) == (verdict, reason, mended):
                    return Decision(review.id, submission.status)
                raise UserError(
                    f"you have reviewed submission {submission_id} already: {review.verdict}"
                )
        if mended is not None and mended == submission.problem:
            raise UserError("nothing is corrected: the problem is unchanged")
        review = Review(
            submission_id=submission_id,
            reviewer_id=reviewer_id,
            verdict=verdict,
            reason=reason,
            corrected=mended,
        )
        session.add(review)
        session.flush()
        status = status_after([r.verdict for r in (*reviews, review)])
        if status != submission.status:
            submission.status = status
            contributor = session.get_one(
                Contributor, submission.contributor_id, with_for_update=True
            )
            contributor.review_rate, contributor.streak = standing_after(
                store.settings.sampling,
                contributor.review_rate,
                contributor.streak,
                status,
                submission.in_sample,
            )
        return Decision(review.id, status)

    return store.write(work)


def status_after(verdicts: Sequence[Verdict]) -> SubmissionStatus:
    """The status that follows from all verdicts."""
    if "reject" in verdicts:
        return "rejected"
    if "correct" in verdicts:
        return "corrected"
    return "accepted" if verdicts else "waiting"


def agreement(store: Store) -> Agreement:
    """How far the reviewers of the collection agree."""

    def find(session: Session) -> list[tuple[Verdict, Verdict]]:
        twice = (
            select(Review.submission_id)
            .group_by(Review.submission_id)
            .having(func.count(Review.id) > 1)
        )
        reviews: dict[int, list[Review]] = {}
        for review in session.scalars(
            select(Review).where(Review.submission_id.in_(twice)).order_by(Review.id)
        ):
            reviews.setdefault(review.submission_id, []).append(review)
        pairs: list[tuple[Verdict, Verdict]] = []
        for both in reviews.values():
            # The reviewer with the lower number is the first rater, whoever came first.
            one, other = sorted(both[:2], key=lambda review: review.reviewer_id)
            pairs.append((one.verdict, other.verdict))
        return pairs

    return agreement_of(store.read(find))


def agreement_of(pairs: Sequence[tuple[Verdict, Verdict]]) -> Agreement:
    """Raw agreement and Cohen's kappa of pairs of verdicts."""
    if not pairs:
        return Agreement(0, None, None)
    count = len(pairs)
    equal = sum(one == other for one, other in pairs)
    ones, others = (Counter(pair[k] for pair in pairs) for k in (0, 1))
    by_chance = sum(ones[verdict] * others[verdict] for verdict in ones)
    # In whole numbers up to the one division, so that full agreement is exactly 1.
    kappa = None
    if by_chance != count * count:
        kappa = (equal * count - by_chance) / (count * count - by_chance)
    return Agreement(count, equal / count, kappa)


def standing(store: Store, contributor_id: int, latest: int = 100) -> Standing:
    """The results of a contributor's work, with the reviewers' reasons."""

    def find(session: Session) -> Standing:
        contributor = existing(session, Contributor, contributor_id)
        mine = Submission.contributor_id == contributor_id
        counts = dict.fromkeys(_STATUSES, 0) | counts_of(session, Submission.status, mine)
        submissions = session.scalars(
            select(Submission).where(mine).order_by(Submission.id.desc()).limit(latest)
        ).all()
        reasons: dict[int, list[str]] = {}
        for number, reason in session.execute(
            select(Review.submission_id, Review.reason)
            .where(Review.submission_id.in_([s.id for s in submissions]))
            .where(Review.reason.is_not(None))
            .order_by(Review.id)
        ):
            reasons.setdefault(number, []).append(reason or "")
        return Standing(
            contributor.review_rate,
            counts,
            tuple(
                Outcome(
                    s.id, s.problem["question"], s.status, tuple(reasons.get(s.id, ())), s.created
                )
                for s in submissions
            ),
        )

    return store.read(find)


def _shown(session: Session, submission_id: int) -> ToReview:
    submission = existing(session, Submission, submission_id)
    seed = session.get_one(SeedProblem, submission.seed_id)
    nearest = submission.nearest or {}
    near: SeedProblem | Submission | None = None
    if "seed_id" in nearest:
        near = session.get(SeedProblem, nearest["seed_id"])
    elif "submission_id" in nearest:
        near = session.get(Submission, nearest["submission_id"])
    return ToReview(
        submission.id,
        submission.contributor_id,
        submission.problem,
        seed.id,
        seed.problem,
        submission.topic,
        submission.relation,
        submission.mark_reason,
        submission.nearest,
        None if near is None else near.problem,
        submission.audit,
        submission.created,
    )
