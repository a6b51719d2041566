"""`scratchwork induce`: the programs or lattices of a file of problems."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scratchwork.cli.options import RayOption, SkipBadOption, WorkersOption
from scratchwork.cli.reporting import count_of

if TYPE_CHECKING:
    from scratchwork.induction.corpus import InductionSettings


def induce(
    file: Annotated[Path, typer.Argument(help="A file of problems; see docs/formats.md.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The file to write, .jsonl or .jsonl.gz.")
    ],
    operations: Annotated[
        str | None,
        typer.Option(help="The operation set: paper (the 22, the default) or extended."),
    ] = None,
    depth: Annotated[
        int, typer.Option(min=0, max=2, help="The most operations to compute a number.")
    ] = 2,
    lattices: Annotated[
        bool,
        typer.Option("--lattices/--programs", help="Also write all paths, not only one program."),
    ] = False,
    from_formula: Annotated[
        bool, typer.Option("--from-formula", help="Translate MathQA's formulas instead.")
    ] = False,
    workers: WorkersOption = None,
    ray: RayOption = None,
    skip_bad: SkipBadOption = False,
    json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Find the programs that could have written the rationales.

    Writes a line of JSON for each problem. If a run is stopped, by Ctrl-C or otherwise, the same
    command continues it.

    Example: scratchwork induce train.json -o programs.jsonl.gz --operations extended
    """
    from scratchwork.cli.reporting import STOPPED, bad_rows
    from scratchwork.induction.corpus_file import write_corpus
    from scratchwork.parallel import Workers

    settings = _settings(operations, depth, lattices, from_formula)
    by = Workers(workers, ray)
    try:
        with bad_rows(skip_bad) as on_bad, _progress() as show:
            counts = write_corpus(file, output, settings, by, on_bad, show)
    except KeyboardInterrupt:
        print("stopped; the same command continues from here", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    if json:
        from json import dumps

        typer.echo(dumps({"file": str(output), **counts}, ensure_ascii=False))
    else:
        typer.echo(f"{output}: {_summary(counts, from_formula)}")


def _settings(
    operations: str | None, depth: int, lattices: bool, from_formula: bool
) -> "InductionSettings":
    from scratchwork.errors import UserError
    from scratchwork.induction.corpus import InductionSettings
    from scratchwork.machine.operations import OPERATION_SETS

    if operations not in (None, *OPERATION_SETS):
        raise UserError(f"--operations is {' or '.join(OPERATION_SETS)}, not {operations}")
    if not from_formula:
        return InductionSettings(operations or "paper", depth, lattices)
    if lattices:
        raise UserError("a formula is one program: leave out --lattices or --from-formula")
    if operations == "paper":
        raise UserError("formulas need more operations than the paper's: leave out --operations")
    return InductionSettings("extended", depth, from_formula=True)


def _summary(counts: dict[str, int], from_formula: bool) -> str:
    def of(name: str) -> int:
        return counts.get(name, 0)

    if from_formula:
        return (
            f"{count_of(of('problems'), 'problem')}, {of('translated'):,} formulas translated; "
            f"{of('label'):,} yield the label, {of('other_letter'):,} another letter, "
            f"{of('no_letter'):,} none; {of('failed'):,} failed"
        )
    summary = count_of(of("problems"), "problem")
    if of("without_rationale"):
        summary += f", {of('without_rationale'):,} of them without a rationale"
    if of("numerals"):
        explained = of("numerals") - of("unexplained")
        summary += f"; {explained:,} of {of('numerals'):,} numbers explained"
        summary += f" ({explained / of('numerals'):.2%})"
    return summary


@contextmanager
def _progress() -> Generator[Callable[[int, int], None]]:
    """A progress bar with the rate and the time left; without a terminal, where a run continues."""
    started: list[tuple[float, int]] = []

    def begin(done: int, total: int) -> None:
        started.append((time.monotonic(), done))
        if done:
            print(f"continuing after problem {done:,} of {total:,}", file=sys.stderr)

    if not sys.stderr.isatty():
        yield lambda done, total: None if started else begin(done, total)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("reading", total=None, rate="")

        def show(done: int, total: int) -> None:
            if not started:
                begin(done, total)
                # A reset, since what an earlier run has done says nothing about the time left.
                bar.reset(task, description="inducing", completed=done, total=total, rate="")
                return
            since, first = started[0]
            rate = (done - first) / (time.monotonic() - since)
            bar.update(task, completed=done, rate=f"{rate:.1f} problems/s")

        yield show
