"""Traces as tables."""

import re
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from scratchwork.machine.execution import execute
from scratchwork.machine.programs import Instruction, Program, Word
from scratchwork.machine.traces import Trace
from scratchwork.problems.problem import Problem
from scratchwork.render.table import trace_markdown, trace_table


def writing(*words: str, question: str = "How many ?") -> Trace:
    program = Program(tuple(Instruction("Id", (Word(word),), "y") for word in words))
    return execute(program, Problem(question))


def cells(trace: Trace, column: int) -> list[Text]:
    return [cell for cell in trace_table(trace).columns[column].cells if isinstance(cell, Text)]


def printed(trace: Trace) -> str:
    stream = StringIO()
    Console(file=stream, width=200, force_terminal=False).print(trace_table(trace))
    return stream.getvalue()


def split_row(line: str) -> list[str]:
    """The cells of a Markdown row, as GitHub finds them: a backslash protects what follows."""
    return re.findall(r"\|((?:\\.|[^|\\])*)(?=\|)", line)


def test_the_table_reads_like_the_papers(kings_trace: Trace) -> None:
    lines = [line.split() for line in printed(kings_trace).splitlines()]
    assert ["i", "x", "z", "v", "r"] in lines
    assert ["5", "52", 'Id("sample")', "sample", "y5"] in lines
    assert ["21", "both", "Choose(m1,", "m2)", "1326", "m3"] in lines
    assert ["8", "two", r'Id("\n")', r"\n", "y8"] in lines


def test_strings_are_italic_numbers_bold_and_cells_underlined(kings_trace: Trace) -> None:
    values, places = cells(kings_trace, 3), cells(kings_trace, 4)
    assert (values[13].style, values[14].style) == ("italic", "bold")
    assert (places[13].style, places[14].style) == ("", "underline")


def test_the_longer_of_source_and_program_decides_the_rows(kings_trace: Trace) -> None:
    assert trace_table(kings_trace).row_count == 65
    assert trace_table(writing("one", question="How many are there in all ?")).row_count == 7
    assert len(trace_markdown(writing("one", question="How many ?")).splitlines()) == 2 + 3


def test_markup_in_tokens_is_shown_literally() -> None:
    text = printed(writing("[bold]loud[/bold]", ":smile:"))
    assert "[bold]loud[/bold]" in text
    assert ":smile:" in text


def test_terminals_get_no_control_characters() -> None:
    text = printed(writing("\x1b[31mred", "\x9b2J", "\u202e"))
    assert not set(text) & {"\x1b", "\x9b", "\u202e"}
    assert r"\x1b[31mred" in text


def test_markdown_marks_strings_numbers_and_cells(kings_trace: Trace) -> None:
    lines = trace_markdown(kings_trace).splitlines()
    assert lines[:2] == ["| i | x | z | v | r |", "| --: | :-- | :-- | :-- | :-- |"]
    assert "| 15 | . | `Str_to_Float(x5)` | **52** | <ins>m1</ins> |" in lines
    assert r'| 27 | \<O\> | `Id("of")` | *of* | y24 |' in lines


def test_markdown_keeps_pipes_and_backticks_in_their_cells() -> None:
    line = trace_markdown(writing("a|b`c\n\\|")).splitlines()[2]
    assert len(split_row(line)) == 5
    assert r"*a\|b\`c\\n\\\|*" in line


@given(st.lists(st.text(max_size=30), max_size=6))
def test_markdown_rows_have_five_cells_whatever_the_tokens(words: list[str]) -> None:
    lines = trace_markdown(writing(*words)).splitlines()
    assert len(lines) == 2 + max(3, len(words))
    assert {len(split_row(line)) for line in lines} == {5}


@given(st.lists(st.text(max_size=30), max_size=6))
def test_tables_print_whatever_the_tokens(words: list[str]) -> None:
    assert all(line.isprintable() for line in printed(writing(*words)).splitlines())
