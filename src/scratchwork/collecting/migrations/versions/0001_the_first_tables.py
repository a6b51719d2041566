"""The first tables; their constraints are named as `schema.Base` has it."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "contributors",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("review_rate", sa.Double(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
    )
    op.create_table(
        "reviewers",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(length=200), nullable=False, unique=True),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "seeds",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("problem", sa.JSON(), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False, index=True),
        sa.Column("question_text", sa.Text(), nullable=False),
    )
    op.create_table(
        "settings",
        sa.Column("key", sa.String(length=200), primary_key=True),
        sa.Column("value", sa.JSON(), nullable=False),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer(), primary_key=True),
        _reference("contributor_id", "contributors", index=True),
        sa.Column("seed_ids", sa.JSON(), nullable=False),
        sa.Column("seeds_key", sa.String(length=200), unique=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("state IN ('open', 'done', 'skipped')", name="state"),
    )
    op.create_index(
        "uq_tasks_one_open",
        "tasks",
        ["contributor_id"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "refusals",
        sa.Column("id", sa.Integer(), primary_key=True),
        _reference("contributor_id", "contributors", index=True),
        _reference("task_id", "tasks", nullable=True),
        sa.Column("reason_code", sa.String(length=40), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("neighbour", sa.JSON()),
        sa.Column("problem", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), primary_key=True),
        _reference("task_id", "tasks", unique=True),
        _reference("contributor_id", "contributors"),
        _reference("seed_id", "seeds", index=True),
        sa.Column("client_key", sa.String(length=100), nullable=False),
        sa.Column("problem", sa.JSON(), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False),
        sa.Column("relation", sa.String(length=10), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False, index=True),
        sa.Column("in_sample", sa.Boolean(), nullable=False),
        sa.Column("marked", sa.Boolean(), nullable=False),
        sa.Column("mark_reason", sa.Text()),
        sa.Column("nearest", sa.JSON()),
        sa.Column("audit", sa.JSON()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("relation IN ('original', 'replica')", name="relation"),
        sa.CheckConstraint(
            "status IN ('waiting', 'accepted', 'rejected', 'corrected')", name="status"
        ),
        sa.UniqueConstraint("contributor_id", "client_key"),
    )
    op.create_table(
        "reviews",
        sa.Column("id", sa.Integer(), primary_key=True),
        _reference("submission_id", "submissions"),
        _reference("reviewer_id", "reviewers", index=True),
        sa.Column("verdict", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("corrected", sa.JSON()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("verdict IN ('accept', 'reject', 'correct')", name="verdict"),
        sa.UniqueConstraint("submission_id", "reviewer_id"),
    )


def _reference(
    name: str, table: str, *, nullable: bool = False, index: bool = False, unique: bool = False
) -> sa.Column[int]:
    """A column that holds an id of another table."""
    key = sa.ForeignKey(f"{table}.id")
    return sa.Column(name, sa.Integer(), key, nullable=nullable, index=index, unique=unique)
