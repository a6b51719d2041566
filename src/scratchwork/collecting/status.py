"""The figures of a collection: for the terminal, the reviewers' page and the card.

Promises: all figures are of one moment, except the reviewers' agreement, which is read right
before. Work is counted by its status, so the four counts add up to what was handed in; nothing is
counted twice. The audit's figures are those stored when the work was handed in: work that was
corrected since counts with the text that it had then. Names are not among the figures.

Does not cover: single pieces of work, and a contributor's standing; see `reviewing`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from sqlalchemy import ColumnExpressionArgument, func, select
from sqlalchemy.orm import Session

from scratchwork.collecting.reviewing import Agreement, agreement
from scratchwork.collecting.schema import (
    Contributor,
    Refusal,
    Relation,
    Review,
    Reviewer,
    SeedProblem,
    Submission,
    SubmissionStatus,
    Task,
    TaskState,
)
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.storing import Store, counts_of


@dataclass(frozen=True, slots=True)
class TopicCount:
    """A topic's seeds, and what was written on it."""

    topic: str
    seeds: int
    submissions: int
    """Without rejected ones."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What the audit found in the work that was not rejected, when it was handed in.

    Rationales that the audit could not take are not among them.
    """

    rationales: int = 0
    unsupported: int = 0
    """Rationales with a number that nothing supports; likewise the next two."""
    false_equations: int = 0
    not_following: int = 0


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    """The figures of a collection."""

    title: str
    created: str
    seeds: int
    contributors: int
    """Those invited."""
    revoked: int
    writing: int
    """Those who have handed something in."""
    reviewers: int
    tasks: Mapping[TaskState, int]
    submissions: Mapping[SubmissionStatus, int]
    relations: Mapping[Relation, int]
    """Without rejected ones."""
    marked_waiting: int
    sampled_waiting: int
    """Of those that wait: in the sample and not marked."""
    reviews: int
    refusals: Mapping[str, int]
    """What was sent back, by reason."""
    topics: tuple[TopicCount, ...]
    audited: Audited
    agreement: Agreement

    @property
    def handed_in(self) -> int:
        """How many problems were handed in."""
        return sum(self.submissions.values())

    @property
    def to_review(self) -> int:
        """How many problems wait for a reviewer."""
        return self.marked_waiting + self.sampled_waiting

    def as_json(self) -> dict[str, Any]:
        """The figures as an object of stable form."""
        return asdict(self) | {"handed_in": self.handed_in, "to_review": self.to_review}


def status_of(store: Store) -> CollectionStatus:
    """The figures of a collection."""
    agreed = agreement(store)
    settings = store.settings
    return store.read(lambda session: status_in(session, settings, agreed))


def status_in(
    session: Session, settings: CollectionSettings, agreed: Agreement
) -> CollectionStatus:
    """The figures of the collection that a transaction reads."""
    kept = Submission.status != "rejected"
    waiting = Submission.status == "waiting"
    return CollectionStatus(
        title=settings.title,
        created=settings.created,
        seeds=_count(session, SeedProblem.id),
        contributors=_count(session, Contributor.id),
        revoked=_count(session, Contributor.id, Contributor.revoked),
        writing=_count(session, Submission.contributor_id.distinct()),
        reviewers=_count(session, Reviewer.id, ~Reviewer.disabled),
        tasks=_zeros(TaskState) | counts_of(session, Task.state),
        submissions=_zeros(SubmissionStatus) | counts_of(session, Submission.status),
        relations=_zeros(Relation) | counts_of(session, Submission.relation, kept),
        marked_waiting=_count(session, Submission.id, waiting, Submission.marked),
        sampled_waiting=_count(
            session, Submission.id, waiting, ~Submission.marked, Submission.in_sample
        ),
        reviews=_count(session, Review.id),
        refusals=counts_of(session, Refusal.reason_code),
        topics=_topics(session),
        audited=_audited(session),
        agreement=agreed,
    )


def _count(
    session: Session, column: ColumnExpressionArgument[Any], *where: ColumnExpressionArgument[bool]
) -> int:
    return session.execute(select(func.count(column)).where(*where)).scalar_one()


def _zeros(states: object) -> dict[Any, int]:
    """A count for each of some literals, in order."""
    return dict.fromkeys(get_args(states), 0)


def _topics(session: Session) -> tuple[TopicCount, ...]:
    seeds = counts_of(session, SeedProblem.topic)
    written = counts_of(session, Submission.topic, Submission.status != "rejected")
    return tuple(
        TopicCount(topic, seeds.get(topic, 0), written.get(topic, 0))
        for topic in sorted(seeds.keys() | written.keys())
    )


def _audited(session: Session) -> Audited:
    stored = session.scalars(select(Submission.audit).where(Submission.status != "rejected"))
    figures = [audit for audit in stored if audit is not None and "left_out" not in audit]
    return Audited(
        rationales=len(figures),
        unsupported=sum(bool(audit["unsupported"]) for audit in figures),
        false_equations=sum(bool(audit["false_equations"]) for audit in figures),
        not_following=sum(audit["letter_follows"] is False for audit in figures),
    )
