"""`scratchwork execute`: run a program on a problem and show its trace."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scratchwork.machine.programs import Program
    from scratchwork.machine.traces import Trace
    from scratchwork.problems.problem import Problem


def execute(
    program: Annotated[
        Path | None,
        typer.Argument(
            help="The program, as text or JSON; - reads it from standard input. "
            "Without one, the bundled worked example is executed."
        ),
    ] = None,
    problem: Annotated[
        Path | None, typer.Option(help="A file of problems; see docs/formats.md.")
    ] = None,
    id: Annotated[
        str | None, typer.Option(help="Which problem of the file; by default the first.")
    ] = None,
    operations: Annotated[
        str, typer.Option(help="The operation set: paper (the 22) or extended.")
    ] = "paper",
    json: Annotated[bool, typer.Option("--json", help="Print the trace as JSON.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the trace as a markdown table.")
    ] = False,
    graph: Annotated[
        Path | None,
        typer.Option(help="Also write the graph of the numbers: .svg, .dot or .mmd (Mermaid)."),
    ] = None,
) -> None:
    """Execute a program on a problem and show every instruction with its value.

    Example: scratchwork execute kings.program --problem kings.json --graph kings.svg
    """
    from scratchwork.cli.graphs import write_graph
    from scratchwork.errors import UserError
    from scratchwork.examples import example_path
    from scratchwork.machine.execution import execute as run
    from scratchwork.machine.operations import OPERATION_SETS

    if operations not in OPERATION_SETS:
        raise UserError(f"--operations is {' or '.join(OPERATION_SETS)}, not {operations}")
    if program is None and problem is not None:
        raise UserError("--problem needs a program to execute; give its file first")
    if program is not None and problem is None:
        raise UserError(f"{program}: the program needs a problem to read; give --problem FILE")
    chosen = _find_problem(problem or example_path("kings.json"), id)
    instructions = _read_program(program or example_path("kings.program"))
    trace = run(instructions, chosen, OPERATION_SETS[operations])
    if graph is not None:
        write_graph(trace, graph)
    _show(trace, json, markdown)


def _find_problem(path: Path, id: str | None) -> "Problem":
    from scratchwork.errors import UserError
    from scratchwork.problems.reading import read_problems

    for problem in read_problems(path):
        if id is None or problem.id == id:
            return problem
    if id is None:
        raise UserError(f"{path}: there is no problem in the file")
    raise UserError(f'{path}: there is no problem with the id "{id}"')


def _read_program(path: Path) -> "Program":
    from json import JSONDecodeError, loads

    from scratchwork.files import text_in
    from scratchwork.machine.programs import (
        LARGEST_PROGRAM_FILE,
        ProgramSyntaxError,
        parse_program,
        program_from_json,
    )

    name = "standard input" if str(path) == "-" else str(path)
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(LARGEST_PROGRAM_FILE + 1)
        else:
            with path.open("rb") as file:
                content = file.read(LARGEST_PROGRAM_FILE + 1)
        text = text_in(content, name, LARGEST_PROGRAM_FILE)
        if text.lstrip().startswith("{"):
            return program_from_json(loads(text))
        return parse_program(text)
    except JSONDecodeError as error:
        raise ProgramSyntaxError(f"{name}:{error.lineno}: not JSON: {error.msg}") from error
    except ValueError as error:
        raise ProgramSyntaxError(f"{name}: a number has too many digits") from error
    except RecursionError as error:
        raise ProgramSyntaxError(f"{name}: JSON nested too deeply") from error
    except ProgramSyntaxError as error:
        raise ProgramSyntaxError(f"{name}: {error}") from error


def _show(trace: "Trace", json: bool, markdown: bool) -> None:
    if json:
        from json import dumps

        print(dumps(trace.to_json(), ensure_ascii=False))
        return
    from scratchwork.render.table import trace_markdown, trace_table

    if markdown:
        print(trace_markdown(trace))
        return
    from rich.console import Console
    from rich.markup import escape

    from scratchwork.errors import printable

    console = Console()
    console.print(trace_table(trace))
    console.print(escape(printable(trace.rationale)), highlight=False)
    answer = "no letter" if trace.answer is None else trace.answer
    console.print(f"[bold]Answer: {answer}[/bold]", highlight=False)
