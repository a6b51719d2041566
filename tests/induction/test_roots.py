"""Roots that a rationale states after their equation."""

import pytest

from scratchwork import EXTENDED, PAPER, Problem, audit, choose, execute, induce
from scratchwork.explaining.terse import explain_plan
from scratchwork.induction.rationale_plan import plan_of_rationale
from scratchwork.induction.roots import SOLVING, EquationStep
from scratchwork.plans.expressions import parse_plan


def solved(rationale: str) -> list[tuple[str, object]]:
    """The equations that the chosen program solves: left side and root."""
    problem = Problem("What is it?", rationale=rationale)
    trace = execute(choose(induce(problem, EXTENDED)), problem, EXTENDED)
    assert trace.rationale == rationale
    values = {step.place: step.value for step in trace.steps}
    return [
        (str(values[step.instruction.arguments[0]]), step.value)  # pyright: ignore[reportArgumentType]
        for step in trace.steps
        if step.instruction.operation in SOLVING
    ]


@pytest.mark.parametrize(
    ("rationale", "equations"),
    [
        ("Let x be the number. 2x + 30 = 150, so x = 60.", [("2x + 30", 60)]),
        ("2x + 3 = 15\n2x = 12\nx = 6", [("2x", 6)]),
        ("3y + 7 = 22. The value of y is 5.", [("3y + 7", 5)]),
        ("300 / x - 300 / (x + 5) = 3, hence x = 20", [("1500/(x^2 + 5x)", 20)]),
        ("x² - 5x + 6 = 0. Then x = 3 or x = 2", [("x^2 - 5x + 6", 3), ("x^2 - 5x + 6", 2)]),
        ("15% of x = 30 and x = 200", [("(3/20)x", 200)]),
        ("0.75 * n = $60 => n = $80", [("(3/4)n", 80)]),
        ("3x = 7, so x = 2.33", [("3x", 7 / 3)]),
        ("2 (x + 4) = 3x - 61, x = 69, and x = 69", [("2x + 8", 69)]),
    ],
)
def test_a_root_is_solved_for(rationale: str, equations: list[tuple[str, float]]) -> None:
    assert solved(rationale) == equations


@pytest.mark.parametrize(
    "rationale",
    [
        "2x + 30 = 150, so x = 61.",
        "2x + 30 = 150, so 2x = 120.",
        "2x + 30 = 150, so y = 60.",
        "x = 60, so x = 60.",
        "x + y = 90, so x = 60.",
        "2x + 30 =, so x = 60.",
        "(2x + 30 = 150, so x = 60.",
        "The price of 2x and 30 is 150, so x = 60.",
        "x ^ 3 = 216000, so x = 60.",
        "2x + 30 = 150, so x = 60 + 1.",
    ],
)
def test_nothing_is_solved_without_an_equation_that_has_the_root(rationale: str) -> None:
    assert solved(rationale) == []


def test_the_papers_operations_solve_nothing() -> None:
    problem = Problem("What is it?", rationale="2x + 30 = 150, so x = 60.")
    assert all(paths.root is None for paths in induce(problem, PAPER).tokens)


def test_the_audit_says_which_equation_gives_the_root() -> None:
    problem = Problem("Twice a number and 31 is 157.", rationale="2x + 31 = 157, so x = 63.")
    found = audit(problem)
    assert found.complaints == ()
    (root,) = [number for number in found.numbers if number.token == "63"]
    assert (root.status, root.how) == ("computed", "Solve(Add(Multiply(y1, x), y4), y6)")
    assert root.sources == ("y1", "y4", "y6")


def test_a_plan_that_solves_an_equation_is_found_again_in_its_explanation() -> None:
    problem = Problem("A number times 7, and 31 more, is 472.", ("61", "63"))
    explained = explain_plan(
        parse_plan("solve(n1*x + n2, n3)", problem.question), problem
    ).rationale
    read = Problem(problem.question, problem.options, explained, "B")
    (step,) = {paths.root for paths in induce(read, EXTENDED).tokens if paths.root is not None}
    sides = (EquationStep("Add", (EquationStep("Multiply", (7.0, "x")), 31.0)), 472.0)
    assert step == EquationStep("Solve", sides)


def test_the_plan_of_a_rationale_has_no_equations() -> None:
    rationale = "7x + 31 = 472, so x = 63. Answer: B"
    problem = Problem("Times 7 and 31 more is 472.", ("61", "63"), rationale, "B")
    plan = plan_of_rationale(problem)
    assert plan is not None
    assert {step.operation for step in plan.steps}.isdisjoint(SOLVING)
