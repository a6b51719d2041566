import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import EXTENDED, PAPER
from scratchwork.machine.operations import OperationError, Value
from scratchwork.machine.options import OptionIndex

PAPER_NAMES = """Id Add Subtract Multiply Divide Power Log Sqrt Sine Cosine Tangent Factorial Choose
    Radians_to_Degrees Degrees_to_Radians Str_to_Float Float_to_Str Fraction_to_Float
    Float_to_Fraction Thousands_to_Float Float_to_Thousands Check""".split()


def test_the_page_of_the_machine_lists_every_operation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "machine.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")]
    listed = {name for row in rows for name in re.findall(r"\w+", row)}
    assert listed >= EXTENDED.operations.keys()


def apply(name: str, *arguments: Value) -> Value:
    return EXTENDED[name].function(*arguments)


def test_the_paper_set_is_the_22_operations_of_the_paper() -> None:
    assert list(PAPER.operations) == PAPER_NAMES
    assert len(PAPER_NAMES) == 22


def test_the_extended_set_holds_the_paper_set() -> None:
    assert set(EXTENDED.operations) > set(PAPER.operations)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("Add", (0.1, 0.2), "0.3"),
        ("Subtract", (1000.1, 1000.0), "0.1"),
        ("Subtract", (100000.1, 100000.0), "0.1"),
        ("Subtract", (0.3, 0.1 * 3), "0"),
        ("Multiply", (1.1, 1.1), "1.21"),
        ("Divide", (1.0, 3.0), "0.333333333333"),
        ("Power", (3.0, 20.0), "3486784401"),
        ("Power", (1.1, 2.0), "1.21"),
        ("Power", (-2.0, 3.0), "-8"),
        ("Power", (8.0, 1 / 3), "2"),
        ("Log", (1000.0,), "3"),
        ("Sqrt", (2.25,), "1.5"),
        ("Sine", (math.pi,), "0"),
        ("Sine", (math.radians(30),), "0.5"),
        ("Cosine", (math.radians(60),), "0.5"),
        ("Tangent", (math.radians(45),), "1"),
        ("Factorial", (10.0,), "3628800"),
        ("Choose", (52.0, 2.0), "1326"),
        ("Choose", (270725.0, 270724.0), "270725"),
        ("Degrees_to_Radians", (180.0,), "3.14159265359"),
        ("Radians_to_Degrees", (math.pi,), "180"),
        ("Round", (2.675, 2.0), "2.68"),
        ("Floor", (2.9999999999999,), "3"),
        ("Floor", (-0.5,), "-1"),
        ("Ceiling", (4.0000000000001,), "4"),
        ("Ceiling", (4.2,), "5"),
        ("Absolute", (-5.0,), "5"),
        ("Remainder", (17.0, 5.0), "2"),
        ("Gcd", (12.0, 18.0), "6"),
        ("Lcm", (4.0, 6.0), "12"),
        ("Permutations", (5.0, 2.0), "20"),
        ("Percent", (15.0, 80.0), "12"),
        ("Min", (3.0, 2.0), "2"),
        ("Max", (3.0, 2.0), "3"),
        ("Digit", (4725.0, 1.0), "5"),
        ("Digit", (999999999999999.0, 15.0), "9"),
        ("Digit_Sum", (4725.0,), "18"),
        ("Digit_Count", (999999999999999.0,), "15"),
        ("Digit_Count", (0.0,), "1"),
        ("Digits_Reversed", (4720.0,), "274"),
        ("Divisor_Count", (360.0,), "24"),
        ("Divisor_Count", (1.0,), "1"),
        ("Divisor_Sum", (28.0,), "56"),
        ("Smallest_Prime_Factor", (91.0,), "7"),
        ("Smallest_Prime_Factor", (999999999989.0,), "999999999989"),
        ("Smallest_Prime_Factor", (999966000289.0,), "999983"),
        ("Prime", (1.0,), "2"),
        ("Prime", (78498.0,), "999983"),
        ("Prime_Count", (1.0,), "0"),
        ("Prime_Count", (1000000.0,), "78498"),
    ],
)
def test_operations_give_what_a_person_would_write(
    name: str, arguments: tuple[float, ...], result: str
) -> None:
    assert apply("Float_to_Str", apply(name, *arguments)) == result


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("Divide", (1.0, 0.0), "domain"),
        ("Log", (0.0,), "domain"),
        ("Sqrt", (-1.0,), "domain"),
        ("Power", (0.0, -1.0), "domain"),
        ("Power", (-8.0, 0.5), "domain"),
        ("Power", (9e14, 9e14), "range"),
        ("Multiply", (1e8, 1e8), "range"),
        ("Tangent", (math.pi / 2,), "domain"),
        ("Factorial", (2.5,), "domain"),
        ("Factorial", (9e14,), "range"),
        ("Choose", (2.0, 3.0), "domain"),
        ("Choose", (9e14, 4.5e14), "range"),
        ("Permutations", (9e14, 9e14), "range"),
        ("Remainder", (5.0, 0.0), "domain"),
        ("Round", (1.0, 7.0), "domain"),
        ("Float_to_Fraction", (4.0,), "domain"),
        ("Float_to_Thousands", (999.0,), "domain"),
        ("Digit", (4725.0, 5.0), "domain"),
        ("Digit", (4725.0, 0.0), "domain"),
        ("Digit_Sum", (0.5,), "domain"),
        ("Divisor_Count", (0.0,), "domain"),
        ("Divisor_Count", (1e12 + 1,), "range"),
        ("Smallest_Prime_Factor", (1.0,), "domain"),
        ("Prime", (0.0,), "domain"),
        ("Prime", (78499.0,), "range"),
        ("Prime_Count", (1000001.0,), "range"),
        ("Weekday_After", ("May", 1.0), "domain"),
        ("Weekday_After", ("Monday", 0.5), "domain"),
        ("Occurrences", ("banana", "an"), "domain"),
        ("Float_to_Digits", (-5.0, 2.0), "domain"),
        ("Float_to_Digits", (5.0, 1e14), "domain"),
    ],
)
def test_what_cannot_be_computed_says_why(
    name: str, arguments: tuple[Value, ...], kind: str
) -> None:
    with pytest.raises(OperationError) as refusal:
        apply(name, *arguments)
    assert refusal.value.kind == kind


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("Letter_Count", ("MATHEMATICS",), 11.0),
        ("Letter_Count", ("größer",), 6.0),
        ("Letter_Count", ("52",), 0.0),
        ("Occurrences", ("Mississippi", "S"), 4.0),
        ("Weekday_After", ("monday", 100.0), "Wednesday"),
        ("Weekday_After", ("Monday", -3.0), "Friday"),
        ("Float_to_Digits", (5.0, 2.0), "05"),
        ("Float_to_Digits", (215.0, 2.0), "215"),
    ],
)
def test_words_and_weekdays_are_counted(
    name: str, arguments: tuple[Value, ...], result: Value
) -> None:
    assert apply(name, *arguments) == result


@given(st.integers(1, 3000))
def test_divisors_and_primes_are_those_that_trying_all_numbers_finds(n: int) -> None:
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    assert apply("Divisor_Count", float(n)) == len(divisors)
    assert apply("Divisor_Sum", float(n)) == sum(divisors)
    if n > 1:
        assert apply("Smallest_Prime_Factor", float(n)) == divisors[1]
    primes = [m for m in range(2, n + 1) if all(m % d for d in range(2, math.isqrt(m) + 1))]
    assert apply("Prime_Count", float(n)) == len(primes)
    if primes:
        assert apply("Prime", float(len(primes))) == primes[-1]


@given(st.integers(0, 10**15 - 1), st.integers(1, 15))
def test_digits_are_those_that_are_written(n: int, place: int) -> None:
    written = str(n)
    assert apply("Digit_Sum", float(n)) == sum(map(int, written))
    assert apply("Digit_Count", float(n)) == len(written)
    if place <= len(written):
        assert apply("Digit", float(n), float(place)) == int(written[-place])


numbers = st.one_of(
    st.integers(-50, 200).map(float),
    st.floats(-1e15, 1e15, exclude_min=True, exclude_max=True).filter(lambda v: abs(v) >= 1e-15),
)


@given(st.sampled_from(sorted(EXTENDED.operations)), numbers, numbers)
def test_every_arithmetic_operation_stays_within_its_limits(name: str, a: float, b: float) -> None:
    operation = EXTENDED[name]
    if not {"number"}.issuperset(operation.takes):
        return
    try:
        result = operation.function(*(a, b)[: len(operation.takes)])
    except OperationError:
        return
    if isinstance(result, str):
        assert len(result) <= 40
    else:
        assert isinstance(result, float)
        assert result == 0 or 1e-15 <= abs(result) < 1e15


def test_check_finds_the_option_of_the_paper() -> None:
    options = OptionIndex(["2/1223", "1/122", "1/221", "3/1253", "2/153"])
    assert options.check("1/221") == "C"


def test_check_cannot_be_applied_to_equal_options() -> None:
    with pytest.raises(OperationError, match="more than one option"):
        OptionIndex(["12", "15", "12"]).check("12")


def test_check_prefers_the_option_equal_as_a_whole() -> None:
    assert OptionIndex(["12 or 15", "12", "15 and 12"]).check("12") == "B"


@pytest.mark.parametrize(
    ("options", "text", "letter"),
    [
        (["Rs.500", "Rs.600"], "600", "B"),
        (["1,000 km", "2,000 km"], "2000", "B"),
        (["1000", "2000"], "2,000", "B"),
        (["5", "-5"], "5", "A"),
        (["5 m", "-5 m"], "-5", "B"),
        (["3/4 hours", "1/2 hours"], "1/2", "B"),
    ],
)
def test_check_finds_whole_tokens(options: list[str], text: str, letter: str) -> None:
    assert OptionIndex(options).check(text) == letter


@pytest.mark.parametrize(
    ("options", "text"), [(["12", "15"], "1"), (["-5", "7"], "5"), (["52%"], "5"), ([], "5")]
)
def test_check_does_not_find_parts_of_tokens(options: list[str], text: str) -> None:
    with pytest.raises(OperationError, match="no option"):
        OptionIndex(options).check(text)


@pytest.mark.parametrize(
    ("options", "text", "letter"),
    [
        (["1/2", "1/3"], "0.5", "A"),
        (["0.25", "0.5"], "1/4", "A"),
        (["2 : 3", "3 : 2"], "1.5", "B"),
        (["2 h 30 min", "2 h 45 min"], "150", "A"),
        (["2 hours 30 minutes", "2 hours 45 minutes"], "2.75", "B"),
        (["3 1/2", "4 1/2"], "4.5", "B"),
        (["$12.50", "$13.50"], "12.5", "A"),
    ],
)
def test_the_extended_check_compares_values(options: list[str], text: str, letter: str) -> None:
    assert OptionIndex(options).check_by_value(text) == letter
    with pytest.raises(OperationError):
        OptionIndex(options).check(text)
