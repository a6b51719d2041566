from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.families.drawing import Draw, parse_numbers
from scratchwork.families.exact_values import exact_value
from scratchwork.families.expressions import (
    FUNCTIONS,
    FamilySyntaxError,
    compile_expression,
    count_operations,
    expression_text,
    names_in,
    parse_condition,
    parse_expression,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("10 - 4 - 3", 3),
        ("2 ^ 3 ^ 2", 512),
        ("17 mod 5 + 1", 3),
        ("choose(52, 2)", 1326),
        ("percent(15, 80)", 12),
        ("round(2.675, 2)", 2.68),
        ("a * b / 100", 6),
    ],
)
def test_expressions_mean_what_they_say(text: str, value: float) -> None:
    assert compile_expression(parse_expression(text))({"a": 20.0, "b": 30.0}) == value


@pytest.mark.parametrize(
    "text", ["", "2 +", "(2", "2 3", "foo(1)", "choose(1)", "-2", "a = 2", "2 ** 3", "'x'", "a.b"]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(FamilySyntaxError):
        parse_expression(text)


@pytest.mark.parametrize("text", ["(" * 10_000 + "a" + ")" * 10_000, "a" + " + a" * 10_000])
def test_an_expression_that_goes_on_and_on_is_refused(text: str) -> None:
    with pytest.raises(FamilySyntaxError, match="more than 150 signs"):
        parse_expression(text)


leaves = st.one_of(st.integers(1, 9).map(str), st.sampled_from("ab"))
expressions = st.recursive(
    leaves,
    lambda inner: st.builds(
        "({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner
    ),
    max_leaves=6,
)


@given(expressions)
def test_the_machine_and_exact_fractions_agree(text: str) -> None:
    tree = parse_expression(text)
    try:
        exact = exact_value(tree, {"a": Fraction(7), "b": Fraction(3)})
        machine = compile_expression(tree)({"a": 7.0, "b": 3.0})
    except (ZeroDivisionError, ValueError):
        return
    assert machine == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


@given(expressions)
def test_an_expression_written_out_is_read_back_the_same(text: str) -> None:
    tree = parse_expression(text)
    assert parse_expression(expression_text(tree).replace("{", "").replace("}", "")) == tree


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_every_function_agrees_with_an_independent_evaluation(function: str) -> None:
    for text in (f"{function}(12, 5)", f"{function}(2, 1)", f"{function}(9)", f"{function}(1)"):
        try:
            tree = parse_expression(text)
        except FamilySyntaxError:
            continue
        machine = compile_expression(tree)({})
        assert machine == pytest.approx(float(exact_value(tree, {})), rel=1e-12)


def test_operations_and_names_are_counted() -> None:
    tree = parse_expression("(a + b) * sqrt(a)")
    assert count_operations(tree) == 3
    assert names_in(tree) == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "holds"),
    [("a < b", True), ("a = 7", True), ("a != 7", False), ("a / 2 is whole", False)],
)
def test_conditions_compare(text: str, holds: bool) -> None:
    condition, names = parse_condition(text)
    assert condition({"a": 7.0, "b": 8.0}) is holds
    assert "a" in names


@pytest.mark.parametrize("text", ["a", "a < ", "a is odd", "< 3", "a == 3"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(FamilySyntaxError):
        parse_condition(text)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2..5", {2, 3, 4, 5}),
        ("0.1..0.5 step 0.2", {0.1, 0.3, 0.5}),
        ("5, 12.5, 3/4", {5, 12.5, 0.75}),
    ],
)
def test_ranges_draw_each_of_their_numbers(text: str, numbers: set[float]) -> None:
    source = parse_numbers(text)
    assert {source.draw(Draw(1, k)) for k in range(200)} == numbers


@pytest.mark.parametrize("text", ["", "5..2", "1..5 step 0", "a..b", "1..9999999 step 0.001"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(FamilySyntaxError):
        parse_numbers(text)


def test_draws_are_fixed_for_ever() -> None:
    draw = Draw(7, 3)
    assert [draw.below(1000) for _ in range(4)] == [498, 34, 715, 362]
    assert Draw(7, 3).shuffled("abcde") == list("bdeac")
