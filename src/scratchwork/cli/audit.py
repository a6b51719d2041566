"""`scratchwork audit`: check a rationale, or a corpus of them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from scratchwork.cli.options import RayOption, SkipBadOption, WorkersOption

if TYPE_CHECKING:
    from scratchwork.auditing.audit import Audit
    from scratchwork.auditing.corpus import Summary
    from scratchwork.problems.problem import Problem, ProblemError

_MOST_ON_A_PAGE = 500


def audit(
    file: Annotated[Path | None, typer.Argument(help="A file of problems with rationales.")] = None,
    question: Annotated[
        str | None, typer.Option(help="A question, to audit one rationale by itself.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("-o", "--option", help="An option of the question; repeat it for each."),
    ] = None,
    rationale: Annotated[
        str | None, typer.Option(help="The rationale; by default, standard input.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, in order.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that shows where each number comes from.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Write the problems whose rationale holds to this file.")
    ] = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Find numbers from nowhere, false equations and letters that do not follow.

    Example: scratchwork audit --question "What is 2 + 3?" --rationale "2 + 3 = 6"
    """
    from scratchwork.auditing.corpus import Summary, audit_all
    from scratchwork.cli.reporting import bad_rows, progress
    from scratchwork.errors import UserError
    from scratchwork.files import json_lines_file
    from scratchwork.parallel import Workers

    if (file is None) == (question is None):
        raise UserError("give a file of problems, or one --question with its --rationale")
    if file is not None and (option or rationale is not None):
        raise UserError("--option and --rationale belong to a --question, not to a file")
    summary = Summary()
    shown: list[Audit] = []
    with ExitStack() as stack:
        on_bad = stack.enter_context(bad_rows(skip_bad))
        show = stack.enter_context(progress())
        problems = _problems(file, question, option or [], rationale, on_bad)
        kept = None if keep is None else stack.enter_context(json_lines_file(keep))
        for done, one in enumerate(audit_all(problems, Workers(workers, ray)), 1):
            summary.add(one)
            if html is not None or file is None:
                shown.append(one)
                if len(shown) > _MOST_ON_A_PAGE:
                    raise UserError(
                        f"a page holds at most {_MOST_ON_A_PAGE} audits; give fewer rationales"
                    )
            if kept is not None and one.holds:
                _keep(one, kept)
            if json:
                _print_json(one)
            show("auditing", done, None)
    if html is not None:
        _write_page(shown, html)
    if json:
        return
    if file is None:
        _show_one(shown[0])
    else:
        _show_summary(summary)


def _problems(
    file: Path | None,
    question: str | None,
    options: list[str],
    rationale: str | None,
    on_bad: "Callable[[ProblemError], None] | None",
) -> "Iterator[Problem]":
    from scratchwork.errors import UserError
    from scratchwork.problems.reading import problems_from_rows, read_problems

    if file is not None:
        return read_problems(file, on_bad)
    text = sys.stdin.read() if rationale is None else rationale
    if not text.strip():
        raise UserError("the rationale is empty; give --rationale or standard input")
    row = {"question": question, "options": options, "rationale": text}
    return problems_from_rows([row], "command line")


def _keep(one: "Audit", file: IO[bytes]) -> None:
    from scratchwork.problems.rows import problem_line

    file.write(problem_line(one.problem))


def _print_json(one: "Audit") -> None:
    from json import dumps

    print(dumps(one.to_json(), ensure_ascii=False))


def _write_page(audits: "list[Audit]", path: Path) -> None:
    from scratchwork.files import write_text
    from scratchwork.render.audit import audit_page

    write_text(path, audit_page(audits))


def _show_one(one: "Audit") -> None:
    from rich.console import Console

    from scratchwork.errors import printable
    from scratchwork.render.audit import audit_text, summary

    console = Console(highlight=False)
    console.print(audit_text(one))
    for complaint in one.complaints:
        console.print(printable(complaint), style="red", markup=False)
    console.print(summary(one), style="dim", markup=False)


def _show_summary(summary: "Summary") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scratchwork.errors import printable, quoted

    console = Console(highlight=False)
    table = Table(box=SIMPLE_HEAD)
    heads = "origin", "rationales", "hold", "numbers supported", "equations true", "letters follow"
    for head in heads:
        table.add_column(head, justify="left" if head == "origin" else "right")
    for origin, t in summary.tallies.items():
        table.add_row(
            Text(quoted(origin)[1:-1]),
            f"{t.rationales:,}",
            _share(t.holding, t.rationales),
            _share(t.numbers - t.unsupported, t.numbers),
            _share(t.equations - t.false_equations, t.equations),
            _share(t.letters - t.not_following, t.letters),
        )
    console.print(table)
    for one in summary.worst():
        found = one.complaints
        more = f" (and {len(found) - 2} more)" if len(found) > 2 else ""
        line = f"{quoted(one.problem.id)[1:-1]}: {' '.join(found[:2])}{more}"
        console.print(printable(line), markup=False)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % of {whole:,}" if whole else "-"
