"""What commands print on standard error while they work: progress, and the bad rows skipped."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import typer

from scratchwork.errors import printable, printable_json

if TYPE_CHECKING:
    from scratchwork.problems.problem import ProblemError

STOPPED = 130
"""The exit code of a command that was stopped with Ctrl-C."""
_BAD_ROWS_SHOWN = 5
_SHOWN_EVERY = 1000

T = TypeVar("T")
Show = Callable[[str, int, int | None], None]
"""Shows what is being done, how much of it is done, and how much there is if that is known."""


@contextmanager
def progress(*, in_bytes: bool = False) -> Generator[Show]:
    """A progress bar, or nothing at all without a terminal."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )

    amount = (
        [DownloadColumn(), TransferSpeedColumn()]
        if in_bytes
        else [TextColumn("{task.completed:,.0f} problems")]
    )
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *amount,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None)
        current = ""

        def show(what: str, done: int, total: int | None) -> None:
            nonlocal current
            if what != current:
                bar.reset(task, description=what)
                current = what
            bar.update(task, completed=done, total=total)

        yield show


def counted(things: Iterable[T], what: str, show: Show) -> Iterator[T]:
    """The things, counted in the progress shown."""
    for count, thing in enumerate(things, 1):
        yield thing
        if count % _SHOWN_EVERY == 0:
            show(what, count, None)


def print_json(content: object) -> None:
    """Print one JSON object."""
    from json import dumps

    typer.echo(printable_json(dumps(content, ensure_ascii=False)))


def count_of(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun, such as `1 problem` or `2 families`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


@contextmanager
def bad_rows(skip: bool) -> Generator["Callable[[ProblemError], None] | None"]:
    """What to do with bad rows: nothing (the first one is an error), or skip and report them.

    The first few are printed as they come, and their number at the end.
    """
    if not skip:
        yield None
        return
    count = 0

    def tell(error: "ProblemError") -> None:
        nonlocal count
        count += 1
        if count <= _BAD_ROWS_SHOWN:
            print(f"skipped: {printable(str(error))}", file=sys.stderr)

    yield tell
    if count:
        rows = "bad row was" if count == 1 else "bad rows were"
        print(f"{count:,} {rows} skipped", file=sys.stderr)
