"""The command line: `scratchwork COMMAND`.

One thin module per command; each imports what it needs when it runs, so that `--help` is quick.
"""

import os
import sys

import typer

from scratchwork.cli import (
    audit,
    collect,
    data,
    evaluate,
    execute,
    generate,
    induce,
    serve,
    solve,
    train,
)
from scratchwork.errors import UserError, printable
from scratchwork.files import reason_of

app = typer.Typer(
    name="scratchwork",
    help="Solve algebra word problems and show where every number comes from.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(audit.audit)
app.command()(evaluate.evaluate)
app.command()(execute.execute)
app.command()(generate.generate)
app.command()(induce.induce)
app.command()(serve.serve)
app.command()(solve.solve)
app.add_typer(collect.app, name="collect")
app.add_typer(data.app, name="data")
app.add_typer(train.app, name="train")


def main() -> None:
    """Run the command line; a user's error becomes one sentence and exit code 2."""
    try:
        app()
    except UserError as error:
        sys.exit(_complain(str(error)))
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        where = "reading or writing failed" if error.filename is None else error.filename
        sys.exit(_complain(f"{where}: {reason_of(error)}"))


def _complain(sentence: str) -> int:
    print(f"scratchwork: {printable(sentence)}", file=sys.stderr)
    return 2
