import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scratchwork.problems.numerals import (
    LARGEST_NUMBER,
    NumeralError,
    is_writable_fraction,
    read_fraction,
    read_number,
    read_thousands,
    round_half_up,
    write_decimal,
    write_fraction,
    write_number,
    write_thousands,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1326.0, "1326"),
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333333333"),
        (1e-5, "0.00001"),
        (123456789012345.0, "123456789012345"),
        (-2.50, "-2.5"),
        (0.0, "0"),
        (-0.0, "0"),
        (1.1 * 1.1 * 1.1, "1.331"),
        (1e14 + 0.5, "100000000000000"),
    ],
)
def test_numbers_are_written_as_a_person_would(number: float, text: str) -> None:
    assert write_number(number) == text


@given(st.integers(0, 10**15 - 1))
def test_every_whole_number_below_the_limit_comes_back_exactly(n: int) -> None:
    assert write_number(read_number(str(n))) == str(n)


@given(st.integers(0, 10**6 - 1), st.text("0123456789", max_size=5), st.integers(1, 9))
def test_a_decimal_of_up_to_12_digits_comes_back_exactly(
    whole: int, decimals: str, last: int
) -> None:
    token = f"{whole}.{decimals}{last}"
    assert write_number(read_number(token)) == token


@pytest.mark.parametrize(
    ("token", "back"), [(".5", "0.5"), ("007", "7"), ("5.0", "5"), ("2.50", "2.5")]
)
def test_documented_exceptions_come_back_in_plain_spelling(token: str, back: str) -> None:
    assert write_number(read_number(token)) == back


@given(st.floats())
def test_whatever_is_written_is_short_and_has_no_exponent(number: float) -> None:
    try:
        text = write_number(number)
    except NumeralError as error:
        assert error.kind == "range"
        assert not 1e-15 <= abs(number) < 1e15
    else:
        assert len(text) <= 40
        assert "e" not in text.lower()
        assert math.isclose(read_number(text), number, rel_tol=1e-11)


@given(st.integers(1, 10**7), st.integers(1, 10**7))
@example(1, 221)
@example(6, 1326)
@example(999_999, 1_000_000)
def test_a_fraction_is_writable_exactly_when_it_comes_back_unchanged(a: int, b: int) -> None:
    try:
        comes_back = write_fraction(read_fraction(f"{a}/{b}")) == f"{a}/{b}"
    except NumeralError:
        comes_back = False
    assert is_writable_fraction(str(a), str(b)) == comes_back


@pytest.mark.parametrize("number", [math.pi, math.sqrt(2), math.e * 1000, 12345.678901234567])
def test_numbers_that_are_no_small_fraction_are_not_written_as_one(number: float) -> None:
    with pytest.raises(NumeralError, match="is not a fraction"):
        write_fraction(number)


@given(st.integers(1000, 10**15 - 1))
def test_grouped_numbers_come_back(n: int) -> None:
    assert write_thousands(read_thousands(f"{n:,}")) == f"{n:,}"


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,000,000", 1e6), ("1.000.000", 1e6), ("1,00,000", 1e5), ("12,345.67", 12345.67)],
)
def test_grouped_numbers_of_several_customs_are_read(text: str, number: float) -> None:
    assert read_thousands(text) == number


@pytest.mark.parametrize("text", ["", "abc", "1e5", "٣", "1_000", "--5", "5.", "inf", "nan", "½"])
def test_what_is_no_plain_number_is_refused(text: str) -> None:
    with pytest.raises(NumeralError, match="not a plain number"):
        read_number(text)


@pytest.mark.parametrize("read", [read_number, read_fraction, read_thousands])
def test_ten_thousand_digits_are_refused_by_their_length(read: object) -> None:
    assert callable(read)
    with pytest.raises(NumeralError) as refusal:
        read("9" * 10_000)
    assert refusal.value.kind == "range"


@pytest.mark.parametrize(
    ("number", "places", "rounded"),
    [
        (2.675, 2, 2.68),
        (2.5, 0, 3),
        (-2.5, 0, -3),
        (0.004, 2, 0),
        (1 / 3, 2, 0.33),
        (1e14, 6, 1e14),
    ],
)
def test_halves_are_rounded_up_as_at_school(number: float, places: int, rounded: float) -> None:
    assert round_half_up(number, places) == rounded


@given(st.floats(-LARGEST_NUMBER / 2, LARGEST_NUMBER / 2), st.integers(0, 6))
def test_a_decimal_has_exactly_the_places_asked_for(number: float, places: int) -> None:
    _, _, decimals = write_decimal(number, places).partition(".")
    assert len(decimals) == places
