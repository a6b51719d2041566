"""Families that are solved with an unknown: the style `equation`."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import EXTENDED, Family, choose, execute, induce, output_tokens
from scratchwork.families.checking import check_family
from scratchwork.families.exact_values import exact_value
from scratchwork.families.expressions import compile_expression, parse_solution
from scratchwork.families.family import EQUATION
from scratchwork.families.generator import generate, generate_one
from scratchwork.families.loading import FamilyError, load_families, load_topic
from scratchwork.families.solved_equations import are_found_again, equations_solved
from scratchwork.problems.tokens import tokenise

HEAD = """topic = "trial"

[[family]]
name = "ducks"
numbers = { heads = "12..40", g0 = "3..11", legs = "= 2 * heads + 2 * g0" }
ask = [
  "There are {heads} goats and ducks with {legs} legs. How many goats are there?",
  "Goats and ducks have {heads} heads and {legs} legs. Find the number of goats.",
  "{legs} legs carry {heads} goats and ducks. How many of them are goats?",
]
answer = "{goats}"
"""
SPELLED = """spelled = [
  "2 * {heads} = {low = 2 * heads} legs, {legs} - {low} = {over = legs - low} are over",
  "{over} / 2 = {goats = over / 2}",
]
"""
SOLVED = """equation = [
  "Let x be goats.",
  "4x + 2 * ({heads} - x) = {legs}",
  "x = {goats = solve(4 * x + 2 * (heads - x), legs)}",
]
"""


def family_of(tmp_path: Path, steps: str) -> Family:
    path = tmp_path / "trial.toml"
    path.write_text(f"{HEAD}[family.steps]\n{steps}", "utf-8")
    (family,) = load_topic(path)
    return family


def with_equations() -> list[Family]:
    return [family for family in load_families() if EQUATION in family.styles]


def test_hundreds_of_families_can_be_said_with_an_unknown() -> None:
    assert len(with_equations()) >= 300


@pytest.mark.parametrize("family", with_equations()[::8], ids=lambda family: family.name)
def test_induction_finds_the_equation_of_the_gold_program_again(family: Family) -> None:
    generated = generate_one([family], 29, 0, EQUATION)
    problem = generated.problem
    gold = execute(generated.program, problem, EXTENDED)
    assert list(gold.output) == output_tokens(problem)
    chosen = execute(choose(induce(problem, EXTENDED)), problem, EXTENDED)
    solved = equations_solved(gold)
    assert solved
    assert are_found_again(solved, equations_solved(chosen))


def test_the_program_solves_the_equation_that_stands_in_the_rationale(tmp_path: Path) -> None:
    family = family_of(tmp_path, SPELLED + SOLVED)
    assert list(check_family(family, 40)) == []
    problem, program = (made := generate_one([family], 2, 0, EQUATION)).problem, made.program
    numbers = (int(token) for token in tokenise(problem.question) if token.isdigit())
    heads, legs = sorted(numbers)  # every animal has two legs or four
    (solved,) = equations_solved(execute(program, problem, EXTENDED))
    assert solved.root == (legs - 2 * heads) / 2
    lines = (problem.rationale or "").split("\n")
    assert lines[1:3] == [f"4x + 2 * ({heads} - x) = {legs}", f"x = {solved.root:.0f}"]


def test_it_is_written_only_where_it_is_asked_for(tmp_path: Path) -> None:
    plain, solved = family_of(tmp_path, SPELLED), family_of(tmp_path, SPELLED + SOLVED)
    assert list(generate([plain], 60, 4)) == list(generate([solved], 60, 4))
    asked = [one.problem.extra["style"] for one in generate([solved], 5, 4, EQUATION)]
    assert asked == [EQUATION] * 5


def test_no_numbers_are_drawn_that_make_the_equation_trivial(tmp_path: Path) -> None:
    path = tmp_path / "trial.toml"
    path.write_text(
        """topic = "trial"

[[family]]
name = "bags"
numbers = { k = "1..4", n = "0..5", x0 = "1..9", total = "= k * x0 + n" }
ask = [
  "{k} bags and {n} loose nuts make {total} nuts. How many are in a bag?",
  "With {n} loose nuts, {k} equal bags make {total} nuts. What does a bag hold?",
  "{total} nuts are in {k} equal bags, all but {n}. Find the number in a bag.",
]
answer = "{each}"
[family.steps]
spelled = ["{total} - {n} = {in = total - n}", "{in} / {k} = {each = in / k}"]
equation = ["{k}x + {n} = {total}", "x = {each = solve(k * x + n, total)}"]
""",
        "utf-8",
    )
    for generated in generate(load_topic(path), 60, 7, EQUATION):
        equation, root = (generated.problem.rationale or "").split("\n")[:2]
        assert not equation.startswith("1x")
        assert "+ 0 =" not in equation
        assert root.removeprefix("x = ") not in tokenise(equation)


SIDE = "4 * x + 2 * (heads - x)"


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        (SPELLED + SOLVED.replace(SIDE, "4 * x + y"), "has x and y"),
        (SPELLED + SOLVED.replace(SIDE, "4 * ox"), "a single letter that names no number"),
        (SPELLED + SOLVED.replace(SIDE, "4 * heads"), "has none"),
        (SPELLED + SOLVED.replace(SIDE, "sqrt(x)"), "compute Sqrt before it"),
        (SPELLED + SOLVED.replace(SIDE, "2 ^ x"), "the unknown x stands in an exponent"),
        (SPELLED + SOLVED.replace(SIDE, "x" + " + heads" * 25), "goats is too long"),
        (SPELLED + SOLVED.replace("solve(", "2 * solve("), "solve stands alone in a slot"),
        (SPELLED + SOLVED.replace(", legs)", ")"), "',' is missing"),
        (SPELLED + SOLVED.replace("solve(4 * x +", "solve(low * x +"), "has low and x"),
        (SPELLED + SOLVED.replace("equation", "algebra"), "only the style equation has them"),
        (SPELLED + 'equation = ["{goats = legs - heads}"]', "the steps of equation solve none"),
        (SOLVED + SPELLED, "put another style before it"),
    ],
)
def test_a_wrong_equation_is_told_in_one_sentence(
    tmp_path: Path, steps: str, complaint: str
) -> None:
    with pytest.raises(FamilyError) as error:
        family_of(tmp_path, steps)
    assert str(error.value).startswith(f"{tmp_path / 'trial.toml'}:")
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("4x + 2 *", "4x + 3 *", "the text does not state the equation that is solved"),
        ("x = {goats", "that is {goats", "the text does not state the equation that is solved"),
        ("legs)}", "legs + 2)}", "the styles reach different answers"),
        (SIDE, "x * x * x", "the unknown is in the power 3"),
        (SIDE, "x + heads - x", "no number makes"),
    ],
)
def test_the_check_finds_what_is_wrong_with_an_equation(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in SOLVED
    family = family_of(tmp_path, SPELLED + SOLVED.replace(old, new))
    assert complaint in " ".join(map(str, check_family(family, 40)))


sides = st.recursive(
    st.one_of(st.integers(1, 9).map(str), st.just("x")),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
    max_leaves=4,
)


@given(sides, sides)
def test_the_machine_and_exact_fractions_agree_on_roots(left: str, right: str) -> None:
    if "x" not in left + right:
        return
    tree = parse_solution(f"solve({left}, {right})", set())
    assert tree is not None
    try:
        machine = compile_expression(tree)({})
        exact = exact_value(tree, {})
    except (ZeroDivisionError, ValueError):
        return
    assert machine == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


def test_the_root_that_is_asked_for_is_taken() -> None:
    for function, root in (("solve", 5), ("larger_root", 5), ("smaller_root", -3)):
        tree = parse_solution(f"{function}(x * x, 2 * x + a)", {"a"})
        assert tree is not None
        assert compile_expression(tree)({"a": 15.0}) == root
        assert exact_value(tree, {"a": Fraction(15)}) == root
