from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given

from scratchwork import (
    EXTENDED,
    ExecutionError,
    Problem,
    Trace,
    audit,
    execute,
    normalise,
    read_problems,
    tokenise,
)
from scratchwork.auditing.equations import equations_in
from scratchwork.explaining.terse import explain_plan
from scratchwork.families.generator import Generated, generate
from scratchwork.families.loading import load_families
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.programs import Word
from scratchwork.machine.writing import decimals
from scratchwork.plans.expressions import parse_plan
from scratchwork.plans.formulas import FormulaError, translate
from scratchwork.plans.plan import Given, Plan, PlanConstant, PlanStep, Result, plan_of
from scratchwork.problems.numerals import number_of
from scratchwork.problems.tokens import is_number
from tests.plans.random_plans import ARITHMETIC, PROBLEM, plans_with_unknowns, random_plans

AUDITED = 25
"""Audits are slow."""
MOST_DECIMALS = 2
"""Answers are not rounded to more."""


@pytest.fixture(scope="module")
def made() -> list[tuple[Generated, Plan, Trace]]:
    """Generated problems with their plans, and the traces of their explanations."""
    return list(_made(300))


def _made(count: int) -> Iterator[tuple[Generated, Plan, Trace]]:
    for generated in generate(load_families(), count, seed=11):
        problem = generated.problem
        plan = plan_of(execute(generated.program, problem, EXTENDED))
        numerals = [token for option in problem.options for token in tokenise(option)]
        if plan is not None and max(map(decimals, numerals)) <= MOST_DECIMALS:
            yield generated, plan, followed(plan, problem)


def followed(plan: Plan, problem: Problem) -> Trace:
    return explain_plan(plan, problem)


def of_two(operation: str, *options: str) -> Trace:
    """The sentence for one step on the numbers 100 and 3."""
    plan = Plan((PlanStep(operation, (Given(2), Given(4))),), Result(0))
    return followed(plan, Problem("Take 100 and 3.", options))


def invented(trace: Trace) -> set[str]:
    """The numerals of a program that neither the question nor the constants know."""
    words = {a.text for z in trace.program for a in z.arguments if isinstance(a, Word)}
    known = set(numbers_in(tokenise(trace.problem.question)).values())
    known |= set(CONSTANT_VALUES.values())
    return {word for word in words if is_number(word) and number_of(word) not in known}


def false_equations(trace: Trace) -> list[str]:
    equations = equations_in(tokenise(trace.rationale))
    return [equation.text for equation in equations if not equation.holds]


def test_a_generated_problem_is_explained_to_the_letter_of_its_gold_program(
    made: list[tuple[Generated, Plan, Trace]],
) -> None:
    assert len(made) > 280
    for generated, _, trace in made:
        assert trace.answer == generated.problem.correct


def test_an_explanation_has_the_plan_it_explains(made: list[tuple[Generated, Plan, Trace]]) -> None:
    for _, plan, trace in made:
        assert plan_of(trace) == plan


def test_no_equation_is_false_and_no_number_invented(
    made: list[tuple[Generated, Plan, Trace]],
) -> None:
    for _, _, trace in made:
        assert false_equations(trace) == []
        assert invented(trace) == set()


def test_the_audit_finds_every_number_supported(
    made: list[tuple[Generated, Plan, Trace]],
) -> None:
    for generated, _, trace in made[:AUDITED]:
        found = audit(replace(generated.problem, rationale=trace.rationale))
        assert found.false_equations == ()
        assert [number.why for number in found.numbers if number.status == "unsupported"] == []


FREE = Problem(PROBLEM.question)


@given(random_plans())
@example(
    Plan(
        (
            PlanStep("Subtract", (PlanConstant("1"), PlanConstant("3"))),
            PlanStep("Power", (Result(0), PlanConstant("2"))),
        ),
        Result(1),
    )
)
def test_any_plan_is_explained_by_true_lines_or_refused(plan: Plan) -> None:
    for problem in (PROBLEM, FREE):
        try:
            trace = followed(plan, problem)
        except ExecutionError:
            continue
        assert false_equations(trace) == []
        assert invented(trace) == set()
        *lines, last = trace.rationale.split("\n")
        assert len(lines) == len(plan.steps)
        assert last.startswith("Answer: ")
        assert (trace.answer is None) == (problem is FREE)


@given(plans_with_unknowns())
def test_a_plan_with_unknowns_is_explained_by_true_lines_or_refused(plan: Plan) -> None:
    try:
        trace = followed(plan, FREE)
    except ExecutionError as error:
        assert error.kind in ("domain", "range")
        return
    assert false_equations(trace) == []
    assert invented(trace) == set()
    assert not any("  " in line for line in trace.rationale.split("\n"))


@pytest.mark.parametrize(
    ("question", "expression", "option", "lines"),
    [
        (
            "A number times 2, and 30 more, is 150.",
            "solve(n1*x + n2, n3)",
            "60",
            "2x + 30 = 150, so x = 60",
        ),
        (
            "A train would take 3 hours less for 300 km if it were 5 km/h faster.",
            "solve(n2/x - n2/(x + n3), n1)",
            "20",
            "300 / x - 300 / (x + 5) = 3, so x = 20",
        ),
        (
            "Two-thirds of a number less 5 is 7. What is its square?",
            "solve(n1*x - n2, n3) ** 2",
            "324",
            "2/3 * x - 5 = 7, so x = 18\n18 ^ 2 = 324",
        ),
        (
            "Two numbers are 10 together, and 2 times the larger less the smaller is 5.",
            "solve(n3 * express(x + y, n2) - y, n4)",
            "5",
            "x + y = 10, so x = 10 - y\n2 * (10 - y) - y = 5, so y = 5",
        ),
        (
            "The product is 12 and the sum is 7.",
            "larger_root(x * (n2 - x), n1)",
            "4",
            "x * (7 - x) = 12, and the larger root is x = 4",
        ),
        (
            "15 % of a number is 12 more than 60.",
            "solve(percent(n1, x), n2 + n3)",
            "480",
            "12 + 60 = 72\n15% of x = 72, so x = 480",
        ),
        (
            "Take 5 and 7.",
            "solve((n1 - n2) * x, n2)",
            "-3.5",
            "5 - 7 = -2\n( -2 ) * x = 7, so x = -3.5",
        ),
    ],
)
def test_an_equation_is_told_as_a_pupil_writes_it(
    question: str, expression: str, option: str, lines: str
) -> None:
    problem = Problem(question, ("1", option))
    plan = parse_plan(expression, question)
    trace = followed(plan, problem)
    assert trace.rationale == f"{lines}\nAnswer: {option}"
    assert trace.answer == "B"
    told = plan_of(trace)
    assert told is not None
    assert [step.operation for step in told.steps] == [step.operation for step in plan.steps]
    found = audit(replace(problem, rationale=trace.rationale))
    assert found.complaints == ()


def test_every_operation_has_a_line_that_shows_its_numbers_and_its_result() -> None:
    problem = Problem("Take 17 and 2.")
    for operation in ARITHMETIC:
        arguments = (Given(2), Given(4))[: len(operation.takes)]
        trace = followed(Plan((PlanStep(operation.name, arguments),), Result(0)), problem)
        computed = operation.function(*(17.0, 2.0)[: len(arguments)])
        assert isinstance(computed, float)
        line = trace.output[: trace.output.index("\n")]
        shown = [value for token in line if (value := number_of(token)) is not None]
        assert shown[-1] == pytest.approx(computed, rel=1e-10), operation.name
        assert {17.0, 2.0}.issuperset(shown[:-1])
        assert len(shown) == len(arguments) + 1


def test_results_are_not_rounded_before_the_last_line() -> None:
    divide = PlanStep("Divide", (Given(2), Given(4)))
    plan = Plan((divide, PlanStep("Multiply", (Result(0), Given(4)))), Result(1))
    trace = followed(plan, Problem("Take 100 and 3.", ("99", "100")))
    assert trace.rationale == "100 / 3 = 100/3\n100/3 * 3 = 100\nAnswer: 100"
    assert trace.answer == "B"


@pytest.mark.parametrize(
    ("option", "written"),
    [
        ("33.33", "33.33"),
        ("33.3 km", "33.3"),
        ("about 33", "33"),
        ("100/3", "100/3"),
        ("33.3333333333", "33.3333333333"),
    ],
)
def test_the_answer_is_written_as_its_option_writes_it(option: str, written: str) -> None:
    trace = of_two("Divide", "7", option, "34")
    assert (trace.answer, trace.rationale.split("\n")[-1]) == ("B", f"Answer: {written}")


def test_the_answer_of_the_worked_example_is_a_fraction(kings: Problem, kings_trace: Trace) -> None:
    plan = plan_of(kings_trace)
    assert plan is not None
    trace = followed(plan, kings)
    assert trace.answer == "C"
    assert trace.rationale.endswith("6/1326 = 1/221\nAnswer: 1/221")


@pytest.mark.parametrize("options", [("7", "34"), ("33.4", "12"), ("33.33 m", "33.33 km")])
def test_an_answer_that_is_no_option_is_refused(options: tuple[str, ...]) -> None:
    with pytest.raises(ExecutionError, match="option"):
        of_two("Divide", *options)


def test_without_options_the_answer_is_written_plainly_and_there_is_no_letter() -> None:
    trace = of_two("Divide")
    assert trace.answer is None
    assert trace.rationale == "100 / 3 = 100/3\nAnswer: 33.3333333333"


def test_numbers_in_words_are_shown_as_numerals() -> None:
    plan = Plan((PlanStep("Multiply", (Given(1), Given(4))),), Result(0))
    trace = followed(plan, Problem("Twenty-five dozen eggs", ("300", "60")))
    assert trace.rationale == "25 * 12 = 300\nAnswer: 300"
    assert trace.answer == "A"


def test_parts_in_words_are_shown_as_fractions() -> None:
    plan = Plan((PlanStep("Multiply", (Given(1), Given(5))),), Result(0))
    trace = followed(plan, Problem("Two-thirds of 42", ("28", "21")))
    assert trace.rationale == "2/3 * 42 = 28\nAnswer: 28"


def test_a_step_that_cannot_be_applied_is_refused() -> None:
    steps = (
        PlanStep("Subtract", (Given(2), Given(2))),
        PlanStep("Divide", (PlanConstant("1"), Result(0))),
    )
    with pytest.raises(ExecutionError, match="division by zero") as refusal:
        explain_plan(Plan(steps, Result(1)), Problem("Take 100 and 3."))
    assert refusal.value.kind == "domain"


def test_real_formulas_are_explained_to_their_letter(data_folder: Path) -> None:
    count = 0
    for problem in map(normalise, read_problems(data_folder / "mathqa" / "heldout.jsonl.gz")):
        try:
            translated = translate(problem)
        except FormulaError:
            continue
        plan = plan_of(execute(translated.program, problem, EXTENDED))
        assert (plan is None) == (translated.letter is None)
        if plan is None:
            continue
        trace = followed(plan, problem)
        assert trace.answer == translated.letter
        assert false_equations(trace) == []
        assert invented(trace) == set()
        count += 1
    assert count > 100
