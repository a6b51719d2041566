import pytest

from scratchwork.plans.expressions import PlanExpressionError, parse_plan
from scratchwork.plans.plan import Given, Plan, PlanConstant, PlanStep, PlanUnknown, Result

GAIN = "He bought 20 pens for 300 coins and sold two-thirds of them for 18 each."


def test_an_expression_is_a_plan_with_the_questions_numbers() -> None:
    steps = (
        PlanStep("Multiply", (Given(3), Given(10))),
        PlanStep("Multiply", (Result(0), Given(16))),
        PlanStep("Subtract", (Result(1), Given(6))),
        PlanStep("Divide", (Result(2), Given(6))),
        PlanStep("Multiply", (Result(3), PlanConstant("100"))),
    )
    plan = parse_plan("(n1 * n3 * n4 - n2) / n2 * 100", GAIN)
    assert plan == Plan(steps, Result(4))


def test_operations_are_called_by_their_names() -> None:
    plan = parse_plan("choose(n1, 2) + sqrt(n2) ** factorial(3)", GAIN)
    names = [step.operation for step in plan.steps]
    assert names == ["Choose", "Sqrt", "Factorial", "Power", "Add"]
    plan = parse_plan("digit_sum(n1) + prime(prime_count(n2) + 1)", GAIN)
    names = [step.operation for step in plan.steps]
    assert names == ["Digit_Sum", "Prime_Count", "Add", "Prime", "Add"]


def test_what_is_written_twice_is_computed_once() -> None:
    plan = parse_plan("(n1 + n2) / (n1 + n2 + n3)", GAIN)
    assert [step.operation for step in plan.steps] == ["Add", "Add", "Divide"]
    assert plan.steps[2] == PlanStep("Divide", (Result(0), Result(1)))


def test_documented_fractions_are_constants_and_others_are_divided() -> None:
    assert parse_plan("n1 * (5/18)", GAIN).steps[0].arguments[1] == PlanConstant("5/18")
    assert [step.operation for step in parse_plan("n1 * (7/9)", GAIN).steps] == [
        "Divide",
        "Multiply",
    ]
    assert parse_plan("n1 * 1000", GAIN).steps[0].arguments[1] == PlanConstant("1,000")


def test_a_letter_is_an_unknown() -> None:
    steps = (
        PlanStep("Multiply", (Given(3), PlanUnknown("x"))),
        PlanStep("Add", (Result(0), PlanConstant("3"))),
        PlanStep("Solve", (Result(1), Given(6))),
    )
    assert parse_plan("solve(n1 * x + 3, n2)", GAIN) == Plan(steps, Result(2))


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("n5 + 1", "has 4 numbers, and no n5"),
        ("n0 + 1", "no n0"),
        ("n1 + 37", "37 is no documented constant"),
        ("n1", "computes nothing"),
        ("n1 +", "no arithmetic"),
        ("choose(n1)", "choose takes 2 numbers"),
        ("letter_count(n1)", "cannot be part of a plan"),
        ("open('x')", "cannot be part of a plan"),
        ("n1 if n2 else n3", "cannot be part of a plan"),
        ("x + n1", "is no number, its unknown is not solved for"),
        ("sqrt(x) + n1", "'x' is no number, which sqrt takes"),
        ("solve(n1, n2)", "'n1' is no expression, which solve takes"),
        ("solve(x ** y, n2)", "'y' is no number, which power takes"),
        ("xy + n1", "cannot be part of a plan"),
        ("-n1 + n2", "cannot be part of a plan"),
        ("'a' + n1", "cannot be part of a plan"),
        ("(" * 5000, "no arithmetic"),
    ],
)
def test_what_is_no_plan_is_refused(expression: str, why: str) -> None:
    with pytest.raises(PlanExpressionError, match=why):
        parse_plan(expression, GAIN)
