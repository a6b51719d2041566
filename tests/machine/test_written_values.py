import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.machine.written_values import values_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Rs. 1,200", 1200),
        ("-5 degrees", -5),
        ("– 3", -3),
        ("40 %", 40),
        ("Four hours", 4),
        ("twenty-five", 25),
        ("3 : 2", 1.5),
        ("2 to 1", 2),
        ("2 / 4", 0.5),
        ("3 1/2 km", 3.5),
        ("- 5 1/2", -5.5),
        ("7 ½", 7.5),
        ("7 and 1/2 min", 7.5),
        ("2(2/9)", 2 + 2 / 9),
        ("1[1/5]", 1.2),
        ("6 2⁄3 days", 6 + 2 / 3),
        ("2^16 - 2", 65534),
        ("5!*6! ways", 86400),
        ("4!x5!", 2880),
        ("10!/(5!5!)", 252),
        ("37(36^3)", 37 * 36**3),
        ("9.2 × 10^4", 92000),
        ("10^4(10^5 – 2)", 10**4 * (10**5 - 2)),
        ("15C5", 3003),
        ("5P2", 20),
        ("144√3 sq cm", 144 * math.sqrt(3)),
        ("sqrt(72)", math.sqrt(72)),
        ("7π/9", 7 * math.pi / 9),
        ("(64 * 36)/13", 64 * 36 / 13),
        ("8 - 2 - 1", 5),
        ("2 + 3 * 4", 14),
    ],
)
def test_a_text_stands_for_one_number_as_a_whole(text: str, value: float) -> None:
    assert values_of(text) == [pytest.approx(value)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 h 30 min", [150, 2.5]),
        ("1 hr. and 20 mins", [80, 4 / 3]),
        ("12 min. 30 sec.", [750, 12.5]),
        ("5 feet 3 inches", [63, 5.25]),
        ("2 years and 6 months", [30, 2.5]),
    ],
)
def test_what_has_two_units_stands_for_either(text: str, values: list[float]) -> None:
    assert values_of(text) == [pytest.approx(value) for value in values]


NO_NUMBERS = [
    "none", "", "x + y", "x^2 + 3", "(9, 9)", "4 : 3 : 5", "12 and 5", "2 km and 3", "1 / 0", "1:0",
    "5 (6", "((((", "9^9^9^9", "2^999", "10 - 20 men or 3",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_as_a_whole_has_no_value(text: str) -> None:
    assert values_of(text) == []


@given(st.text(alphabet="0123456789+-*/^!()√π½CP:. x and", max_size=40))
def test_whatever_is_written_is_read_without_failing(text: str) -> None:
    assert all(math.isfinite(value) and abs(value) <= 1e15 for value in values_of(text))


def test_values_that_no_number_may_have_are_left_out() -> None:
    huge = "9" * 15
    assert values_of(f"{huge} h 30 min") == [pytest.approx(float(huge))]
    assert values_of(f"{huge} : 0.000001") == []


def test_very_long_nonsense_is_read_without_failing() -> None:
    assert values_of("(" * 10_000 + "7") == []
    assert values_of("2^" * 5_000) == []
    assert values_of("km " * 5_000 + "7") == []
