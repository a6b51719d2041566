import pytest

from scratchwork import Problem
from scratchwork.plans.plan import Given, Plan, PlanConstant, PlanStep, Result
from scratchwork.plans.statements import given_answer, plan_of_calculations, plan_of_statements

FARM = "A farm has 12 hens and 30 ducks in 6 pens. How many?"
HENS, DUCKS, PENS = Given(4), Given(7), Given(10)


def stated(program: str, asked: str, answer: str, question: str = FARM) -> Plan | None:
    extra = {"program": program, "asked": asked, "answer": answer}
    return plan_of_statements(Problem(question, extra=extra))


def calculated(question: str, answer: str, *calculations: str) -> Plan | None:
    extra = {"calculator": list(calculations), "answer": answer}
    return plan_of_calculations(Problem(question, extra=extra))


def steps(*some: PlanStep) -> Plan:
    return Plan(some, Result(len(some) - 1))


def test_statements_are_followed_in_order_and_only_what_is_needed_is_kept() -> None:
    total = PlanStep("Add", (HENS, DUCKS))
    share = PlanStep("Divide", (Result(0), PENS))
    assert stated("c = 12 + 30; n = c / 6", "n", "7") == steps(total, share)
    assert stated("c = 12 + 30; n = 6", "c / n", "7") == steps(total, share)
    assert stated("c = 12 + 30; d = 30 - 6", "c", "42") == steps(total)


@pytest.mark.parametrize(
    ("equation", "answer", "operation", "arguments"),
    [
        ("30 = 12 + u", "18", "Subtract", (DUCKS, HENS)),
        ("u - 12 = 30", "42", "Add", (DUCKS, HENS)),
        ("30 - u = 12", "18", "Subtract", (DUCKS, HENS)),
        ("30 = u * 6", "5", "Divide", (DUCKS, PENS)),
        ("12 = u / 6", "72", "Multiply", (HENS, PENS)),
        ("30 / u = 6", "5", "Divide", (DUCKS, PENS)),
        ("u = 30 % 12", "6", "Remainder", (DUCKS, HENS)),
    ],
)
def test_an_equation_is_rearranged(
    equation: str, answer: str, operation: str, arguments: tuple[Given, ...]
) -> None:
    assert stated(equation, "u", answer) == steps(PlanStep(operation, arguments))


def test_an_equation_is_rearranged_in_several_steps() -> None:
    question = "A triangle has a perimeter of 764 m, and sides of 265 m and 56 m. The third?"
    plan = stated("764 = (265 + j) + 56", "j", "443", question)
    assert plan is not None
    assert [step.operation for step in plan.steps] == ["Subtract", "Subtract"]
    cube = stated("125 = a ** 3", "a", "5", "A cube has a volume of 125. How long is its edge?")
    assert cube is not None
    assert [step.operation for step in cube.steps] == ["Divide", "Power"]


def test_a_fraction_of_the_question_is_one_number() -> None:
    question = "A turtle walks 47/41 miles an hour for 82 hours. How far?"
    times = PlanStep("Multiply", (Given(4), Given(9)))
    assert stated("d = 47/41 * 82", "d", "94", question) == steps(times)


def test_equal_numbers_are_used_one_after_the_other() -> None:
    question = "Tim has 5 red and 5 blue cards. How many?"
    assert stated("c = 5 + 5", "c", "10", question) == steps(PlanStep("Add", (Given(3), Given(6))))


@pytest.mark.parametrize(
    ("program", "asked", "answer"),
    [
        ("c = 12 + 30", "c", "41"),  # not the answer
        ("c = 12 + 33", "c", "45"),  # a number from nowhere
        ("x + y = 12; x - y = 30", "x", "21"),
        ("c = 12 +", "c", "12"),
        ("c = 12", "c", "12"),  # computes nothing
        ("c = 12 = 12", "c", "12"),
        ("c = f(12)", "c", "12"),
        ("c = 12 ** u", "u", "1"),
        ("(" * 5000, "c", "12"),
        ("c = 12 / (6 - 6)", "c", "12"),
    ],
)
def test_what_gives_no_answer_or_cannot_be_read_is_no_plan(
    program: str, asked: str, answer: str
) -> None:
    assert stated(program, asked, answer) is None


def test_problems_without_a_program_or_with_something_else_in_its_field_have_no_plan() -> None:
    for extra in ({}, {"program": 7, "asked": "c", "answer": "7"}, {"calculator": "2*3=6"}):
        problem = Problem(FARM, extra=extra)
        assert plan_of_statements(problem) is None
        assert plan_of_calculations(problem) is None


def test_calculations_use_the_results_before_them() -> None:
    question = "He buys 2 large pizzas of 16 slices and 2 small pizzas of 8 slices. How many?"
    plan = calculated(question, "48", "2*16=32", "2*8=16", "32+16=48")
    large = PlanStep("Multiply", (Given(3), Given(7)))
    small = PlanStep("Multiply", (Given(10), Given(14)))
    # The 16 that is added is the small pizzas', not that of the question.
    assert plan == steps(large, small, PlanStep("Add", (Result(0), Result(1))))


def test_percentages_are_those_of_the_question() -> None:
    question = "A vase cost $200 but went on sale for 25% off. What did Donna pay?"
    price, percent = Given(5), Given(11)
    off = PlanStep("Subtract", (PlanConstant("100"), percent))
    share = PlanStep("Divide", (Result(0), PlanConstant("100")))
    whole = PlanStep("Multiply", (price, Result(1)))
    assert calculated(question, "150", "200*.75=150") == steps(off, share, whole)
    plan = calculated(question, "150", "200*25/100=50", "$200-50=$150")
    assert plan is not None
    assert [step.operation for step in plan.steps] == ["Multiply", "Divide", "Subtract"]


@pytest.mark.parametrize("calculations", [("19=19",), (), ("12+30=42", "42/5"), ("7=7", "x")])
def test_calculations_that_do_not_compute_the_answer_are_no_plan(
    calculations: tuple[str, ...],
) -> None:
    assert calculated(FARM, "19", *calculations) is None


@pytest.mark.parametrize(
    ("answer", "value"), [("27", 27), ("2 1/2", 2.5), ("1/4", 0.25), ("-3", -3), ("blue", None)]
)
def test_an_answer_is_a_number_however_it_is_written(answer: str, value: float | None) -> None:
    assert given_answer(Problem("How many?", extra={"answer": answer})) == value
