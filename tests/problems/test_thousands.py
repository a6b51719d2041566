import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.problems.thousands import with_clear_thousands


@pytest.mark.parametrize(
    ("text", "clear"),
    [
        ("1 200 / 4", "1,200 / 4"),
        ("$24 000 and 15%", "$24,000 and 15%"),
        ("1 000 000 people", "1,000,000 people"),
        ("the numbers 72,108", "the numbers 72, 108"),
        ("H.C.F. of 72,108 and 2710", "H.C.F. of 72, 108 and 2710"),
        ("the average of 100,200 and 3000", "the average of 100, 200 and 3000"),
    ],
)
def test_commas_stand_in_thousands_and_spaces_in_lists(text: str, clear: str) -> None:
    assert with_clear_thousands(text) == clear


@pytest.mark.parametrize(
    "text",
    [
        "80 370 860 1550",
        "in 1999 200 people came",
        "call 020 7946 0958",
        "room 5, 100 200 people",
        "an average of 18,000 tickets",
        "the HCF of 1,200 and 1,500",
        "numbers from 100 to 10,000",
        "1,200 of 2,400",
        "x = 1.5 200",
    ],
)
def test_other_numbers_stay_as_they_are(text: str) -> None:
    assert with_clear_thousands(text) == text


@given(st.text(alphabet="0123456789, andofnumbers.\u00a0", max_size=60))
def test_no_digit_is_lost_and_nothing_is_left_to_do(text: str) -> None:
    clear = with_clear_thousands(text)
    assert [c for c in clear if c.isdigit()] == [c for c in text if c.isdigit()]
    assert with_clear_thousands(clear) == clear
