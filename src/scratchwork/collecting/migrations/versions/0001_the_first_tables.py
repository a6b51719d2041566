"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "contributors",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("review_rate", sa.Double(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_contributors"),
    )
    op.create_table(
        "reviewers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reviewers"),
        sa.UniqueConstraint("name", name="uq_reviewers_name"),
    )
    op.create_table(
        "seeds",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("problem", sa.JSON(), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False),
        sa.Column("question_text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_seeds"),
    )
    op.create_index("ix_seeds_topic", "seeds", ["topic"])
    op.create_table(
        "settings",
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_settings"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("seed_ids", sa.JSON(), nullable=False),
        sa.Column("seeds_key", sa.String(length=200), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('open', 'done', 'skipped')", name="ck_tasks_state"),
        sa.ForeignKeyConstraint(
            ["contributor_id"], ["contributors.id"], name="fk_tasks_contributor_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
        sa.UniqueConstraint("seeds_key", name="uq_tasks_seeds_key"),
    )
    op.create_index("ix_tasks_contributor_id", "tasks", ["contributor_id"])
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
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("reason_code", sa.String(length=40), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("neighbour", sa.JSON(), nullable=True),
        sa.Column("problem", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["contributor_id"], ["contributors.id"], name="fk_refusals_contributor_id"
        ),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_refusals_task_id"),
        sa.PrimaryKeyConstraint("id", name="pk_refusals"),
    )
    op.create_index("ix_refusals_contributor_id", "refusals", ["contributor_id"])
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("seed_id", sa.Integer(), nullable=False),
        sa.Column("client_key", sa.String(length=100), nullable=False),
        sa.Column("problem", sa.JSON(), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False),
        sa.Column("relation", sa.String(length=10), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("in_sample", sa.Boolean(), nullable=False),
        sa.Column("marked", sa.Boolean(), nullable=False),
        sa.Column("mark_reason", sa.Text(), nullable=True),
        sa.Column("nearest", sa.JSON(), nullable=True),
        sa.Column("audit", sa.JSON(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("relation IN ('original', 'replica')", name="ck_submissions_relation"),
        sa.CheckConstraint(
            "status IN ('waiting', 'accepted', 'rejected', 'corrected')",
            name="ck_submissions_status",
        ),
        sa.ForeignKeyConstraint(
            ["contributor_id"], ["contributors.id"], name="fk_submissions_contributor_id"
        ),
        sa.ForeignKeyConstraint(["seed_id"], ["seeds.id"], name="fk_submissions_seed_id"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_submissions_task_id"),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.UniqueConstraint(
            "contributor_id", "client_key", name="uq_submissions_contributor_id_client_key"
        ),
        sa.UniqueConstraint("task_id", name="uq_submissions_task_id"),
    )
    op.create_index("ix_submissions_seed_id", "submissions", ["seed_id"])
    op.create_index("ix_submissions_status", "submissions", ["status"])
    op.create_table(
        "reviews",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("reviewer_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("corrected", sa.JSON(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("verdict IN ('accept', 'reject', 'correct')", name="ck_reviews_verdict"),
        sa.ForeignKeyConstraint(["reviewer_id"], ["reviewers.id"], name="fk_reviews_reviewer_id"),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name="fk_reviews_submission_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reviews"),
        sa.UniqueConstraint(
            "submission_id", "reviewer_id", name="uq_reviews_submission_id_reviewer_id"
        ),
    )
    op.create_index("ix_reviews_reviewer_id", "reviews", ["reviewer_id"])
