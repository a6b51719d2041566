"""Bringing a database to the tables of this version, by the migrations in this package."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from scratchwork.errors import UserError

_MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, name: str) -> None:
    """Run the migrations that are missing, in the connection's transaction."""
    config = Config()  # without a file of it
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    if current == scripts.get_current_head():
        return
    if current is not None and current not in {s.revision for s in scripts.walk_revisions()}:
        raise UserError(f"{name} was made by a newer version of scratchwork; upgrade this one")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
