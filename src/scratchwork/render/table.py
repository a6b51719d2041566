"""A trace as a table: the source tokens beside the instructions, their values and places.

Promises: the columns are those of the paper's table 2 (i, x, z, v, r); every source token and every
instruction has its row. Strings are in italics, numbers and expressions bold, memory cells
underlined. Tokens are shown literally: no markup is interpreted, and control characters are shown
as escapes (`\\n`).
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from scratchwork.machine.traces import Trace, TraceStep, value_text

if TYPE_CHECKING:
    from rich.table import Table

TABLE_COLUMNS = ("i", "x", "z", "v", "r")


def trace_table(trace: Trace) -> "Table":
    """The trace as a table for the terminal."""
    # Commands that print no table do not load rich.
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("i", justify="right", style="dim", no_wrap=True)
    for name in TABLE_COLUMNS[1:]:
        table.add_column(name, overflow="fold")
    for i, token, step in _rows(trace):
        cells = [Text(i), Text(token)]
        if step is not None:
            cells += [
                Text(_call(step)),
                Text(_value(step), style="italic" if isinstance(step.value, str) else "bold"),
                Text(str(step.place), style="underline" if step.place.room == "m" else ""),
            ]
        table.add_row(*cells)
    return table


def trace_markdown(trace: Trace) -> str:
    """The trace as a table in GitHub's Markdown."""
    lines = [_markdown_line(*TABLE_COLUMNS), _markdown_line("--:", ":--", ":--", ":--", ":--")]
    for i, token, step in _rows(trace):
        cells = [i, markdown_escape(token), "", "", ""]
        if step is not None:
            value = markdown_escape(_value(step))
            mark = "*" if isinstance(step.value, str) else "**"
            cells[2:] = [
                _code(_call(step)),
                f"{mark}{value}{mark}" if value.strip() else value,
                f"<ins>{step.place}</ins>" if step.place.room == "m" else str(step.place),
            ]
        lines.append(_markdown_line(*cells))
    return "".join(f"{line}\n" for line in lines)


def _rows(trace: Trace) -> Iterator[tuple[str, str, TraceStep | None]]:
    """The number, the source token and the step of each row."""
    for i, (token, step) in enumerate(zip_longest(trace.source, trace.steps), 1):
        yield str(i), _visible(token or ""), step


def _call(step: TraceStep) -> str:
    """The instruction without its destination."""
    arguments = ", ".join(map(str, step.instruction.arguments))
    return _visible(f"{step.instruction.operation}({arguments})")


def _value(step: TraceStep) -> str:
    return _visible(value_text(step.value))


def _visible(text: str) -> str:
    """The text on one line, with escapes for control characters."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


_MARKDOWN_SIGNS = re.compile(r"[\\`*_\[\]<>|~&$#]")


def markdown_escape(text: str) -> str:
    """The text with a backslash before each sign that Markdown reads."""
    return _MARKDOWN_SIGNS.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    """A code span, unless the text has a ` or |, which no span in a table cell can hold."""
    return markdown_escape(text) if not text or "`" in text or "|" in text else f"`{text}`"


def _markdown_line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
