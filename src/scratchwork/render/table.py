"""A trace as a table: the source tokens beside the instructions, their values and places.

Promises: the columns are those of the paper's table 2 (i, x, z, v, r); every source token and every
instruction has its row. Strings are in italics, numbers bold, memory cells underlined. Tokens are
shown literally: no markup is interpreted, and control characters are shown as escapes (`\\n`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from scratchwork.machine.operations import Value
from scratchwork.machine.traces import Trace, TraceStep
from scratchwork.problems.numerals import write_number

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("i", "x", "z", "v", "r")


@dataclass(frozen=True, slots=True)
class _Row:
    """One row in plain text."""

    i: int
    token: str = ""
    instruction: str = ""
    value: str = ""
    is_string: bool = False
    place: str = ""
    is_memory: bool = False


def trace_table(trace: Trace) -> "Table":
    """The trace as a table for the terminal."""
    # Commands that print no table do not load rich.
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("i", justify="right", style="dim", no_wrap=True)
    for name in COLUMNS[1:]:
        table.add_column(name, overflow="fold")
    for row in _rows(trace):
        table.add_row(
            Text(str(row.i)),
            Text(row.token),
            Text(row.instruction),
            Text(row.value, style="italic" if row.is_string else "bold"),
            Text(row.place, style="underline" if row.is_memory else ""),
        )
    return table


def trace_markdown(trace: Trace) -> str:
    """The trace as a table in GitHub's Markdown."""
    lines = [_markdown_line(*COLUMNS), _markdown_line("--:", ":--", ":--", ":--", ":--")]
    for row in _rows(trace):
        value = markdown_escape(row.value)
        mark = "*" if row.is_string else "**"
        lines.append(
            _markdown_line(
                str(row.i),
                markdown_escape(row.token),
                _code(row.instruction),
                f"{mark}{value}{mark}" if value.strip() else value,
                f"<ins>{row.place}</ins>" if row.is_memory else row.place,
            )
        )
    return "".join(f"{line}\n" for line in lines)


def _rows(trace: Trace) -> Iterator[_Row]:
    for i, (token, step) in enumerate(zip_longest(trace.source, trace.steps), 1):
        shown_token = "" if token is None else _visible(token)
        if step is None:
            yield _Row(i, shown_token)
        else:
            yield _Row(
                i,
                shown_token,
                _visible(_call(step)),
                _visible(_text(step.value)),
                isinstance(step.value, str),
                str(step.place),
                step.place.room == "m",
            )


def _call(step: TraceStep) -> str:
    """The instruction without its destination."""
    return f"{step.instruction.operation}({', '.join(map(str, step.instruction.arguments))})"


def _text(value: Value) -> str:
    return value if isinstance(value, str) else write_number(value)


def _visible(text: str) -> str:
    """The text on one line, with escapes for control characters."""
    if text.isprintable():
        return text
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
