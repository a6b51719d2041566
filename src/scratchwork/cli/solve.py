"""`scratchwork solve`: the answer to a problem, with its derivation."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scratchwork.cli.options import (
    BeamOption,
    DeviceOption,
    ModelOption,
    RayOption,
    SkipBadOption,
    StyleOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scratchwork.explaining.styles import Style
    from scratchwork.problems.problem import Problem
    from scratchwork.solution import Solution


NOTHING = 3
"""The exit status where there is no value."""


def solve(
    question: Annotated[
        str | None, typer.Argument(help="The question; without one, a few bundled problems.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", help="An option; give 2 to 10 of them, or none."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="Solve the problems of a file; see docs/formats.md.")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="OUT.jsonl", help="With --file: where the answers go."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show every instruction with its value.")
    ] = False,
    graph: Annotated[
        Path | None,
        typer.Option(help="Also write the graph of the numbers: .svg, .dot or .mmd (Mermaid)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the solution as JSON.")] = False,
    style: StyleOption = "sentences",
    beam: BeamOption = None,
    model: ModelOption = None,
    device: DeviceOption = "auto",
    workers: WorkersOption = None,
    ray: RayOption = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Solve a problem, or those of a file, and show the work.

    Without options the answer is the number itself. A run over a file that was stopped is taken up
    by the same command.

    Example: scratchwork solve "How many 10-slice cakes make 120 slices?" -o 9 -o 12 -o 14
    """
    from scratchwork.errors import UserError
    from scratchwork.solving import load, solve_without_model

    if file is not None:
        if question is not None or option:
            raise UserError("--file takes its problems from the file: leave the question out")
        if explain or json or graph is not None:
            raise UserError("--explain, --graph and --json are for one question, not for --file")
        if to is None:
            raise UserError("--file needs --to OUT.jsonl, where the answers go")
        _solve_file(model, device, beam, style, file, to, workers, ray, skip_bad)
        return
    if to is not None or workers is not None or ray is not None:
        name = "--to" if to is not None else "--workers" if workers is not None else "--ray"
        raise UserError(f"{name} is for the answers to a file of problems; give --file as well")
    if question is None and option:
        raise UserError("there are options, but no question; give the question first")
    if question is None and graph is not None:
        raise UserError("--graph draws one solution; give a question as well")
    if question is None:
        solver = load(model, device)
        for problem in _bundled():
            print(problem.question, *problem.options, sep="\n- ", file=sys.stderr, flush=True)
            solution = solver.solve(problem.question, problem.options, beam, style)
            _show(solution, json, explain)
            print(file=sys.stderr, flush=True)
        return
    # With the default model, what needs none is answered before it is loaded.
    solution = None if model else solve_without_model(question, option or (), style)
    solution = solution or load(model, device).solve(question, option or (), beam, style)
    if graph is not None:
        from scratchwork.cli.graphs import write_graph

        write_graph(solution.trace, graph)
    _show(solution, json, explain)
    if solution.note is not None and solution.answer is None and solution.value is None:
        raise typer.Exit(NOTHING)


def _bundled() -> "Iterator[Problem]":
    """The problems that come with the package."""
    from scratchwork.examples import example_path
    from scratchwork.problems.reading import read_problems

    return read_problems(example_path("problems.jsonl"))


def _show(solution: "Solution", json: bool, explain: bool) -> None:
    if json:
        from json import dumps

        print(dumps(solution.to_json(), ensure_ascii=False))
        return
    from rich.console import Console
    from rich.markup import escape

    from scratchwork.errors import printable

    console = Console()
    if explain:
        from scratchwork.render.table import trace_table

        console.print(trace_table(solution.trace))
    if solution.note is not None:
        console.print(escape(printable(solution.note)), highlight=False)
    if solution.rationale:
        console.print(escape(printable(solution.rationale)), highlight=False, soft_wrap=True)
    if not solution.is_derived and solution.answer:
        console.print("No derivation was found.", highlight=False)
    if solution.unread:
        console.print(
            f"The problem is too long for the model: {solution.unread:,} of its words and signs "
            "were not read.",
            highlight=False,
        )
    answer = solution.answer or solution.value or "none"
    if solution.note is None or solution.answer is not None:
        sure = "exact" if solution.is_exact else f"{100 * solution.confidence:.0f} % sure"
        kind = "A guess" if solution.guess else "Answer"
        console.print(f"[bold]{kind}: {escape(printable(answer))}[/bold] ({sure})", highlight=False)


def _solve_file(
    model: str | None,
    device: str,
    beam: int | None,
    style: "Style",
    file: Path,
    to: Path,
    workers: int | None,
    ray: str | None,
    skip_bad: bool,
) -> None:
    from scratchwork.cli.reporting import STOPPED, bad_rows, progress
    from scratchwork.files import row_file, sha256_of
    from scratchwork.model_folder import WEIGHTS, model_folder
    from scratchwork.problems.normalise import normalise
    from scratchwork.problems.reading import read_problems
    from scratchwork.solution import SolutionRow
    from scratchwork.solving import search_of, solve_rows, workers_for

    folder = model_folder(model)
    by = workers_for(device, workers, ray)
    search = search_of(folder, device, beam, style)
    with bad_rows(skip_bad) as on_bad:
        problems = [normalise(problem) for problem in read_problems(file, on_bad)]
    facts = {"weights": sha256_of(folder / WEIGHTS), "data": sha256_of(file), **search.facts}
    try:
        with progress() as show, row_file(to, SolutionRow, facts) as kept:
            solve_rows(search, problems, SolutionRow.of, by, kept, show)
    except KeyboardInterrupt:
        print("stopped; the same command continues from here", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    print(f"{to}: {len(problems):,} answers", file=sys.stderr)
