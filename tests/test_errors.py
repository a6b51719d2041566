import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.errors import MOST_QUOTED, printable, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\x9b2J and \u202e and \ud800", r"\x9b2J and \u202e and \ud800"),
        ("two\tand\nthree é ½ 数", "two\tand\nthree é ½ 数"),
        ("\r", r"\r"),
    ],
)
def test_what_steers_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_what_is_printable_stays_so_and_can_be_written(text: str) -> None:
    once = printable(text)
    assert printable(once) == once
    once.encode("utf-8")


@given(st.text(max_size=1_000))
def test_a_quotation_is_one_short_line(text: str) -> None:
    assert "\n" not in quoted(text)
    assert len(quoted("x" * len(text))) <= MOST_QUOTED + 2
