"""How the tests of `scratchwork solve` call it."""

from pathlib import Path

import typer
from typer.testing import CliRunner

from scratchwork.cli.solve import solve

WALK = "How far does Ann get in 6 hours, at 7 km an hour?"

app = typer.Typer()
app.command()(solve)


def run(model: Path | None, *arguments: object, code: int = 0) -> tuple[str, str]:
    """What it prints, to both streams; without a model, with the default one."""
    given = [*map(str, arguments), "--beam", "8", "--device", "cpu"]
    given += [] if model is None else ["--model", str(model)]
    result = CliRunner().invoke(app, given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code
    return result.stdout, result.stderr
