"""How Alembic runs the migrations: on the connection it is given, in that one's transaction."""

from alembic import context

from scratchwork.collecting.schema import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite changes a table by copying it
    transactional_ddl=True,
)
context.run_migrations()
