"""Expressions in unknowns, and the equations they make."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scratchwork import EXTENDED, ExecutionError, Problem, Trace, execute, parse_program
from scratchwork.machine.expressions import RationalExpression, Term
from scratchwork.machine.operations import OperationError, Type, Value
from scratchwork.machine.polynomials import Polynomial

SIGNS = {"+": "Add", "-": "Subtract", "*": "Multiply", "/": "Divide"}
Tree = str | float | tuple["Tree", str, "Tree"]
"""A letter, a number, or two parts with a sign between them."""


def apply(name: str, *arguments: Term) -> Value:
    types: list[Type] = ["number" if isinstance(a, float) else "expression" for a in arguments]
    return EXTENDED[name].applied_to(types).function(*arguments)


def made(tree: Tree) -> Term:
    """The tree by the machine's operations."""
    if isinstance(tree, float | int):
        return tree
    if isinstance(tree, str):
        found = EXTENDED["Unknown"].function(tree)
    else:
        left, sign, right = tree
        found = apply(SIGNS[sign], made(left), made(right))
    assert not isinstance(found, str)
    return found


def computed(tree: Tree, **unknowns: Fraction) -> Fraction:
    """The tree computed with numbers in place of its letters; ZeroDivisionError if that fails."""
    if isinstance(tree, float | int):
        return Fraction(str(tree))
    if isinstance(tree, str):
        return unknowns[tree]
    left, sign, right = tree
    a, b = computed(left, **unknowns), computed(right, **unknowns)
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[sign]()


def put_into(expression: RationalExpression, **unknowns: Fraction) -> Fraction:
    """An expression with numbers in place of its unknowns."""

    def total(polynomial: Polynomial) -> Fraction:
        found = Fraction()
        for letters, number in polynomial.terms:
            for letter in letters:
                number *= unknowns[letter]
            found += number
        return found

    return total(expression.numerator) / total(expression.denominator)


numbers = st.integers(-20, 20).map(float) | st.integers(-200, 200).map(lambda n: n / 10)
fractions = st.fractions(-20, 20, max_denominator=12)


def trees(letters: str) -> st.SearchStrategy[Tree]:
    leaves: st.SearchStrategy[Tree] = numbers | st.sampled_from(letters)
    signs = st.sampled_from(sorted(SIGNS))
    return st.recursive(leaves, lambda part: st.tuples(part, signs, part), max_leaves=6)


def of(text: str) -> Tree:
    """A tree from words with brackets around every pair: `( 2 * x ) + 3`."""
    waiting: list[list[Tree]] = [[]]
    for word in text.split():
        if word == "(":
            waiting.append([])
            continue
        if word == ")":
            left, sign, right = waiting.pop()
            assert isinstance(sign, str)
            waiting[-1].append((left, sign, right))
            continue
        waiting[-1].append(word if word in SIGNS or word.isalpha() else float(word))
    (found,) = waiting
    if len(found) == 1:
        return found[0]
    left, sign, right = found
    assert isinstance(sign, str)
    return left, sign, right


@given(trees("xy"), fractions, fractions)
def test_arithmetic_with_unknowns_is_arithmetic_with_whatever_they_are(
    tree: Tree, x: Fraction, y: Fraction
) -> None:
    try:
        expression = made(tree)
        value = computed(tree, x=x, y=y)
    except (OperationError, ZeroDivisionError):
        return
    if isinstance(expression, float | int):
        assert expression == pytest.approx(float(value), abs=1e-9)
    else:
        assert put_into(expression, x=x, y=y) == value


@given(trees("x"), trees("x"), st.sampled_from(["Solve", "Larger_Root", "Smaller_Root"]))
def test_a_root_makes_both_sides_equal(left: Tree, right: Tree, name: str) -> None:
    try:
        sides = made(left), made(right)
        assume(not all(isinstance(side, float) for side in sides))
        root = apply(name, *sides)
    except OperationError:
        return
    assert isinstance(root, float)
    rational = Fraction(root).limit_denominator(10**9)
    try:
        if computed(left, x=rational) == computed(right, x=rational):
            return
    except ZeroDivisionError:
        pass  # near a root that is not rational
    below, above = (
        computed(left, x=Fraction(x)) - computed(right, x=Fraction(x))
        for x in (root - 1e-9 * abs(root), root + 1e-9 * abs(root))
    )
    assert below * above <= 0


@given(st.integers(-30, 30), st.integers(-30, 30), st.integers(1, 9))
def test_both_roots_of_a_quadratic_are_found(p: int, q: int, a: int) -> None:
    x = made("x")
    product = apply(
        "Multiply",
        float(a),
        made((("x", "-", float(p)), "*", ("x", "-", float(q)))),  # a (x - p) (x - q)
    )
    assert isinstance(x, RationalExpression)
    assert isinstance(product, RationalExpression)
    assert apply("Larger_Root", product, 0.0) == max(p, q)
    assert apply("Smaller_Root", product, 0.0) == min(p, q)
    assert [apply("Coefficient", product, k) for k in (0.0, 1.0, 2.0, 3.0)] == [
        a * p * q,
        -a * (p + q),
        a,
        0,
    ]


@pytest.mark.parametrize(
    ("left", "right", "root"),
    [
        ("( 2 * x ) + 3", "15", 6),
        ("15", "( 2 * x ) + 3", 6),
        ("x / 3", "x - 4", 6),
        ("0.15 * x", "12", 80),
        ("( x * x ) - ( 4 * x )", "140", 14),
        ("( 300 / x ) - ( 300 / ( x + 5 ) )", "3", 20),
        ("x * x", "2", 2**0.5),
        ("x * x", "4 * x", 4),
        ("( 2 * ( x * x ) ) + 3", "7 * x", 3),  # 3 and 1/2: both positive, one whole
        ("( x * x ) + 6", "5 * x", 3),  # 3 and 2
        ("( x * x ) + ( 5 * x )", "-6", -2),  # -3 and -2
        ("( x * x ) + 1", "2 * x", 1),
        ("x + ( x * x )", "x * x", 0),
        ("( ( x * x ) - ( 5 * x ) ) / x", "0", 5),
    ],
)
def test_the_root_that_a_problem_means(left: str, right: str, root: float) -> None:
    assert apply("Solve", made(of(left)), made(of(right))) == root


@pytest.mark.parametrize(
    ("left", "right", "complaint"),
    [
        ("x", "x + 1", r'no number makes "x = x \+ 1" true'),
        ("( x * x ) + 1", "0", "no number makes"),
        ("( ( x * x ) - 1 ) / ( x - 1 )", "2", "no number makes"),  # but for 1, which divides by 0
        ("6 / ( 1 / x )", "0", "no number makes"),
        ("2 * x", "x + x", 'every number makes "2x = 2x" true'),
        ("x * ( 300 / x )", "300", "every number makes"),
        ("x + y", "10", "one equation in two unknowns, x and y"),
        ("x * ( x * x )", "8", "the unknown is in the power 3"),
    ],
)
def test_an_equation_without_the_root_asked_for_says_why(
    left: str, right: str, complaint: str
) -> None:
    with pytest.raises(OperationError, match=complaint) as refusal:
        apply("Solve", made(of(left)), made(of(right)))
    assert refusal.value.kind == "domain"


@pytest.mark.parametrize(
    ("tree", "written"),
    [
        ("( 2 * x ) + 3", "2x + 3"),
        ("( x * x ) - ( 4 * x )", "x^2 - 4x"),
        ("0.75 * x", "(3/4)x"),
        ("x + 0.1", "x + 1/10"),
        ("300 / x", "300/x"),
        ("100 / ( 3 * x )", "100/(3x)"),
        ("300 / ( x + 5 )", "300/(x + 5)"),
        ("( x + 1 ) / ( x - 1 )", "(x + 1)/(x - 1)"),
        ("( 2 * x ) + ( 3 * y )", "2x + 3y"),
        ("( 3 * y ) + ( 2 * x )", "2x + 3y"),
        ("x * y", "xy"),
        ("12 - x", "12 - x"),
        ("0 - x", "-x"),
        ("x - x", "0"),
        ("x + 1.41421356237", "x + 1.41421356237"),
        ("x * ( 300 / x )", "300"),
    ],
)
def test_an_expression_is_written_as_a_pupil_would(tree: str, written: str) -> None:
    assert str(made(of(tree))) == written


def run(*lines: str) -> Trace:
    return execute(parse_program("\n".join(lines)), Problem("If 2 x + 3 = 15 , x ?"), EXTENDED)


def test_the_pupils_way_through_two_equations() -> None:
    trace = run(
        'Unknown("x") -> m',
        'Unknown("y") -> m',
        'Str_to_Float("2") -> m',
        'Str_to_Float("12") -> m',
        "Multiply(m3, m1) -> m",
        "Add(m5, m2) -> m",
        "Express(m6, m4) -> m",
        "Subtract(m7, m2) -> m",
        "Solve(m8, m3) -> m",
        "Float_to_Fraction(m9) -> y",
    )  # 2x + y = 12 and x - y = 2
    assert list(map(str, trace.values[5:8])) == ["2x + y", "6 - (1/2)y", "6 - (3/2)y"]
    assert trace.output == ("8/3",)


def test_an_unknown_may_be_named_by_the_question() -> None:
    trace = run("Unknown(x3) -> m", "Str_to_Float(x2) -> m", "Multiply(m1, m2) -> m")
    assert [step["value"] for step in trace.to_json()["steps"]] == ["x", 2.0, "2x"]


X = 'Unknown("x") -> m'
TWO = 'Str_to_Float("2") -> m'


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ((X, "Sqrt(m1) -> m"), "m1 is an expression, Sqrt takes a number"),
        ((X, "Float_to_Str(m1) -> y"), "m1 is an expression, Float_to_Str takes a number"),
        ((X, TWO, "Power(m2, m1) -> m"), "m1 is an expression, Power takes a number"),
        ((TWO, "Solve(m1, m1) -> m"), "m1 is a number, Solve takes an expression"),
        ((TWO, "Coefficient(m1, m1) -> m"), "m1 is a number, Coefficient takes an expression"),
        ((X, "Coefficient(m1, m1) -> m"), "m1 is an expression, Coefficient takes a number"),
        ((X, "Add(m1, x1) -> m"), "x1 is a string, Add takes an expression"),
        ((X, "Id(m1) -> y"), "an expression stays in the memory"),
    ],
)
def test_an_expression_in_the_wrong_place_is_a_type_error(
    lines: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(ExecutionError, match=complaint) as refusal:
        run(*lines)
    assert refusal.value.kind == "type"
    assert refusal.value.position == len(lines)


@pytest.mark.parametrize(
    ("compute", "kind", "complaint"),
    [
        (lambda: made("xy"), "domain", '"xy" is not a single letter'),
        (lambda: made(of("( x * y ) + z")), "domain", "more than two unknowns"),
        (lambda: made(of("2 / ( x - x )")), "domain", "division by zero"),
        (lambda: apply("Power", made("x"), 0.5), "domain", "whole powers from 0 to 4"),
        (lambda: apply("Power", made("x"), 5.0), "domain", "whole powers from 0 to 4"),
        (lambda: apply("Coefficient", made(of("2 / x")), 1.0), "domain", "no sum of powers"),
        (lambda: apply("Coefficient", made("x"), -1.0), "domain", "from 0 on"),
        (lambda: apply("Express", made("x"), 3.0), "domain", "fewer than two unknowns"),
        (
            lambda: apply("Express", made(of("( x * x ) + ( y * y )")), 25.0),
            "domain",
            "linear neither in x nor in y",
        ),
        (lambda: apply("Solve", made(of("0.0000001 * x")), 9e14), "range", "outside"),
    ],
)
def test_what_is_no_such_expression_says_why(
    compute: Callable[[], Value], kind: str, complaint: str
) -> None:
    with pytest.raises(OperationError, match=complaint) as refusal:
        compute()
    assert refusal.value.kind == kind


def test_numbers_that_grow_too_long_are_refused() -> None:
    tree: Tree = "x"
    for _ in range(3):
        tree = (tree, "*", 1.41421356237)
    with pytest.raises(OperationError, match="more than 30 digits"):
        made(tree)
