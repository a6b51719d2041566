"""Expressions of any shape have the value that fractions give, and nothing is evaluated as code."""

import string
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scratchwork.exact.answering import solution_without_model
from scratchwork.machine.operations import EXTENDED
from scratchwork.problems.numerals import read_fraction, read_number
from scratchwork.problems.typed import typed_problem
from scratchwork.solution import Solution


class Written:
    """An expression as text, with its value and how strongly it binds."""

    def __init__(self, text: str, value: Fraction, rank: int = 3) -> None:
        self.text, self.value, self.rank = text, value, rank

    def __repr__(self) -> str:
        return self.text

    def within(self, rank: int) -> str:
        return self.text if self.rank >= rank else f"({self.text})"


def sum_of(a: Written, b: Written) -> Written:
    return Written(f"{a.within(1)} + {b.within(2)}", a.value + b.value, 1)


def difference_of(a: Written, b: Written) -> Written:
    return Written(f"{a.within(1)} - {b.within(2)}", a.value - b.value, 1)


def product_of(a: Written, b: Written) -> Written:
    return Written(f"{a.within(2)} * {b.within(3)}", a.value * b.value, 2)


def quotient_of(a: Written, b: Written) -> Written:
    assume(b.value != 0)
    return Written(f"{a.within(2)} ÷ {b.within(3)}", a.value / b.value, 2)


def square_of(a: Written) -> Written:
    return Written(f"{a.within(4)}²", a.value**2, 3)


numbers = st.integers(1, 99).map(lambda n: Written(str(n), Fraction(n), 4)) | st.integers(
    1, 99
).map(lambda n: Written(f"0.{n:02}", Fraction(n, 100), 4))
expressions = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.builds(sum_of, inner, inner),
        st.builds(difference_of, inner, inner),
        st.builds(product_of, inner, inner),
        st.builds(quotient_of, inner, inner),
        st.builds(square_of, inner),
    ),
    max_leaves=7,
).filter(lambda written: written.rank < 4)


def answered(question: str) -> Solution | None:
    return solution_without_model(typed_problem(question))


@given(expressions)
def test_an_expression_has_the_value_that_fractions_give(written: Written) -> None:
    assume(written.value == 0 or 1e-6 < abs(written.value) < 1e12)
    solution = answered(f"What is {written.text}?")
    assert solution is not None
    if solution.value is None:
        assert "too large" in (solution.note or "")
        return
    read = read_fraction if "/" in solution.value else read_number
    assert read(solution.value) == pytest.approx(float(written.value), rel=1e-9, abs=1e-9)


@given(a=st.integers(1, 99), b=st.integers(-99, 99), root=st.integers(-99, 99))
def test_a_linear_equation_has_the_root_that_it_was_made_with(a: int, b: int, root: int) -> None:
    sign = "+" if b >= 0 else "-"
    solution = answered(f"{a}x {sign} {abs(b)} = {a * root + b}")
    assert solution is not None
    assert solution.value == f"x = {root}"


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=2, unique=True))
def test_both_roots_of_a_quadratic_equation_are_told(roots: list[int]) -> None:
    small, large = sorted(roots)
    middle, last = -(small + large), small * large
    text = f"x^2 {'+' if middle >= 0 else '-'} {abs(middle)}x = {-last}"
    solution = answered(text)
    assert solution is not None
    assert solution.value == f"x = {small} or x = {large}"


PIECES = st.sampled_from(
    [*"0123456789+-*/^()=.,?!%√xy½² \n", "12", "3/4", " of ", " what ", " is ", "percent", " and ",
     "sum of ", "\\frac{", "}", "**", "\x00", "A) ", " half ", " dozen ", "sqrt", " more than "]
)  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=40).map("".join))
def test_any_text_is_answered_refused_or_left_to_the_model(text: str) -> None:
    assume(text.strip())
    solution = answered(text)
    if solution is not None and solution.is_exact:
        assert solution.value
        assert {z.operation for z in solution.program} <= {*EXTENDED.operations}


@given(st.text(string.printable, min_size=1, max_size=60))
def test_printable_text_never_breaks_the_reader(text: str) -> None:
    assume(text.strip())
    answered(text)


@pytest.mark.parametrize(
    "question",
    ["__import__('os').system('true')", "().__class__", "open('x').read()", "eval('2+3')"],
)
def test_code_is_not_mathematics(question: str) -> None:
    solution = answered(question)
    assert solution is not None
    assert solution.value is None


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("9**9**9**9", "too large"),
        ("(" * 10_000 + "1" + ")" * 10_000, "too long"),
        ("(" * 60 + "1" + ")" * 60, "nested"),
        ("2+" * 5_000 + "2", "too long"),
        ("1/0", "divided by zero"),
        ("2 + \x00 3", "nothing to compute"),
    ],
)
def test_hostile_expressions_end_in_a_sentence(question: str, reason: str) -> None:
    solution = answered(question)
    assert solution is not None
    assert solution.value is None
    assert solution.note is not None
    assert reason in solution.note
    assert "\n" not in solution.note
