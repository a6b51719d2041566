"""The tables of a collection.

Promises: one declaration for SQLite and PostgreSQL, the same as the migrations build. All times
are UTC and come back aware of it. Problems are kept as rows of the AQuA form (`problems.rows`).

Does not cover: checking what goes in; see `handing_in`, `reviewing`, `inviting`.
"""

from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import (
    JSON,
    CheckConstraint,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

MOST_IN_TEXT = 10_000
"""Characters of a question, a rationale or a reason."""
MOST_IN_OPTION = 1_000
MOST_IN_NAME = 200
"""Characters of a name, a title or a topic."""
MOST_IN_KEY = 100
"""Characters of the key that a client makes for a hand-in."""

TaskState = Literal["open", "done", "skipped"]
Relation = Literal["original", "replica"]
SubmissionStatus = Literal["waiting", "accepted", "rejected", "corrected"]
Verdict = Literal["accept", "reject", "correct"]

JsonObject = dict[str, Any]
"""A problem as a row, or another JSON object."""


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets the zone, which is put back here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Everything is stored in UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """A time without a zone was stored in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """All tables; constraints are named alike in every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012, read by SQLAlchemy as it stands
        JsonObject: JSON(none_as_null=True),
        list[int]: JSON(none_as_null=True),
        datetime: UtcTime(),
        str: Text(),
    }


class Setting(Base):
    """One setting of the collection; see `settings.CollectionSettings`."""

    __tablename__ = "settings"

    key: Mapped[str] = mapped_column(String(MOST_IN_NAME), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)


class SeedProblem(Base):
    """A problem that contributors start from."""

    __tablename__ = "seeds"

    id: Mapped[int] = mapped_column(primary_key=True)
    problem: Mapped[JsonObject]
    topic: Mapped[str] = mapped_column(String(MOST_IN_NAME), index=True)
    question_text: Mapped[str]


class Contributor(Base):
    """Someone who was invited to write problems."""

    __tablename__ = "contributors"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(MOST_IN_NAME))
    created: Mapped[datetime] = mapped_column(default=now)
    revoked: Mapped[bool] = mapped_column(default=False)
    review_rate: Mapped[float] = mapped_column(default=0.2)
    """The share of later submissions that is reviewed; see `reviewing`."""
    streak: Mapped[int] = mapped_column(default=0)
    """Accepted samples in a row."""


class Task(Base):
    """Five seeds given to a contributor, who chooses one."""

    __tablename__ = "tasks"
    __table_args__ = (
        CheckConstraint("state IN ('open', 'done', 'skipped')", name="state"),
        Index(
            "uq_tasks_one_open",
            "contributor_id",
            unique=True,
            sqlite_where=text("state = 'open'"),
            postgresql_where=text("state = 'open'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    contributor_id: Mapped[int] = mapped_column(ForeignKey("contributors.id"), index=True)
    seed_ids: Mapped[list[int]]
    seeds_key: Mapped[str | None] = mapped_column(String(MOST_IN_NAME), unique=True)
    """The five in order, as text; NULL where five may be given to several contributors."""
    state: Mapped[TaskState] = mapped_column(String(10), default="open")
    created: Mapped[datetime] = mapped_column(default=now)
    done_at: Mapped[datetime | None]


class Submission(Base):
    """A problem that was handed in."""

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("contributor_id", "client_key"),
        CheckConstraint("relation IN ('original', 'replica')", name="relation"),
        CheckConstraint(
            "status IN ('waiting', 'accepted', 'rejected', 'corrected')", name="status"
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"), unique=True)
    contributor_id: Mapped[int] = mapped_column(ForeignKey("contributors.id"))
    seed_id: Mapped[int] = mapped_column(ForeignKey("seeds.id"), index=True)
    client_key: Mapped[str] = mapped_column(String(MOST_IN_KEY))
    problem: Mapped[JsonObject]
    topic: Mapped[str] = mapped_column(String(MOST_IN_NAME))
    relation: Mapped[Relation] = mapped_column(String(10))
    status: Mapped[SubmissionStatus] = mapped_column(String(10), default="waiting", index=True)
    in_sample: Mapped[bool] = mapped_column(default=False)
    marked: Mapped[bool] = mapped_column(default=False)
    """Reviewed whatever the sample says."""
    mark_reason: Mapped[str | None]
    nearest: Mapped[JsonObject | None]
    """`submission_id` or `seed_id`, `ratio`, `digit_free`."""
    audit: Mapped[JsonObject | None]
    created: Mapped[datetime] = mapped_column(default=now)


class Reviewer(Base):
    """Someone who reviews submissions."""

    __tablename__ = "reviewers"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(MOST_IN_NAME), unique=True)
    password_hash: Mapped[str]
    created: Mapped[datetime] = mapped_column(default=now)
    disabled: Mapped[bool] = mapped_column(default=False)


class Review(Base):
    """What a reviewer decided on a submission."""

    __tablename__ = "reviews"
    __table_args__ = (
        UniqueConstraint("submission_id", "reviewer_id"),
        CheckConstraint("verdict IN ('accept', 'reject', 'correct')", name="verdict"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    reviewer_id: Mapped[int] = mapped_column(ForeignKey("reviewers.id"), index=True)
    verdict: Mapped[Verdict] = mapped_column(String(10))
    reason: Mapped[str | None]
    corrected: Mapped[JsonObject | None]
    """The problem as corrected, if the verdict is `correct`."""
    created: Mapped[datetime] = mapped_column(default=now)


class Refusal(Base):
    """What was sent back to a contributor, kept so that no text is lost."""

    __tablename__ = "refusals"

    id: Mapped[int] = mapped_column(primary_key=True)
    contributor_id: Mapped[int] = mapped_column(ForeignKey("contributors.id"), index=True)
    task_id: Mapped[int | None] = mapped_column(ForeignKey("tasks.id"))
    reason_code: Mapped[str] = mapped_column(String(40))
    sentence: Mapped[str]
    neighbour: Mapped[JsonObject | None]
    problem: Mapped[JsonObject]
    created: Mapped[datetime] = mapped_column(default=now)
