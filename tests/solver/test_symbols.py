import pytest
from hypothesis import given
from safetensors import safe_open

from scratchwork import EXTENDED, Problem, execute, tokenise
from scratchwork.explaining.terse import explain_plan
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.number_words import numbers_in
from scratchwork.model_folder import WEIGHTS, model_folder
from scratchwork.plans.plan import (
    Argument,
    Given,
    Plan,
    PlanConstant,
    PlanStep,
    PlanUnknown,
    Result,
    plan_of,
)
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces, read_problem
from scratchwork.solver.symbols import (
    BEGIN,
    CHOICES,
    FINISH,
    FIRST_NUMERAL,
    FIRST_OPERATION,
    FIRST_RESULT,
    LONGEST_PLAN,
    MOST_NUMERALS,
    MOST_STEPS,
    SOLVER_OPERATIONS,
    SYMBOLS,
    InexpressibleError,
    plan_from_choices,
    plan_to_choices,
    rationale_to_choices,
)
from tests.plans.random_plans import PROBLEM, random_plans

PIECES = Pieces(SPECIAL_PIECES)
READING = read_problem(PROBLEM, PIECES)
TWO = Problem("Take 12 and 4.")
ADD = PlanStep("Add", (Given(2), Given(4)))


def by_value(plan: Plan, problem: Problem) -> list[tuple[str, tuple[float | Argument, ...]]]:
    """The steps of a plan with the values of their arguments."""
    values = numbers_in(tokenise(problem.question))

    def value(argument: Argument) -> float | Argument:
        if isinstance(argument, Given):
            return values[argument.place - 1]
        return CONSTANT_VALUES[argument.numeral] if isinstance(argument, PlanConstant) else argument

    return [(step.operation, tuple(map(value, step.arguments))) for step in plan.steps]


def choices_of_two(*steps: PlanStep, answer: Argument | None = None) -> list[int]:
    plan = Plan(steps, answer or Result(len(steps) - 1))
    return plan_to_choices(plan, read_problem(TWO, PIECES))


def test_the_symbols_are_those_that_the_shipped_weights_were_trained_with() -> None:
    with safe_open(model_folder("default") / WEIGHTS, "pt") as weights:
        assert weights.get_slice("choose_symbol.weight").get_shape()[0] == SYMBOLS
    trained = """Add Subtract Multiply Divide Power Log Sqrt Sine Cosine Tangent Factorial Choose
        Radians_to_Degrees Degrees_to_Radians Round Floor Ceiling Absolute Remainder Gcd Lcm
        Permutations Percent Min Max"""
    assert list(SOLVER_OPERATIONS) == trained.split()


@given(random_plans(most=MOST_STEPS, operations=SOLVER_OPERATIONS))
def test_choices_make_the_plan_they_were_made_from(plan: Plan) -> None:
    choices = plan_to_choices(plan, READING)
    assert (choices[0], choices[-1]) == (BEGIN, FINISH)
    assert len(choices) <= LONGEST_PLAN
    assert all(FIRST_OPERATION <= choice < CHOICES for choice in choices[1:-1])
    found = plan_from_choices(choices, READING)
    assert by_value(found, PROBLEM) == by_value(plan, PROBLEM)
    assert plan_to_choices(found, READING) == choices


def test_places_of_the_question_are_kept_and_constants_by_their_value() -> None:
    steps = (
        PlanStep("Multiply", (Given(4), PlanConstant("1,000"))),
        PlanStep("Power", (Result(0), PlanConstant("1/2"))),
    )
    plan = Plan(steps, Result(1))
    reading = read_problem(Problem("12 and 12 pens"), PIECES)
    with pytest.raises(InexpressibleError, match="at 4"):
        plan_to_choices(plan, reading)
    reading = read_problem(Problem("12 and also 12 pens"), PIECES)
    found = plan_from_choices(plan_to_choices(plan, reading), reading)
    assert found.steps[0].arguments[0] == Given(4)
    assert by_value(found, Problem("12 and also 12 pens")) == by_value(
        plan, Problem("12 and also 12 pens")
    )


def test_a_constant_that_the_question_gives_in_words_is_pointed_at() -> None:
    reading = read_problem(Problem("Twice as many as 7 pens"), PIECES)
    plan = Plan((PlanStep("Multiply", (PlanConstant("2"), Given(5))),), Result(0))
    pointed = Plan((PlanStep("Multiply", (Given(1), Given(5))),), Result(0))
    assert plan_from_choices(plan_to_choices(plan, reading), reading) == pointed


def test_steps_that_the_answer_does_not_need_are_left_out() -> None:
    choices = choices_of_two(ADD, PlanStep("Multiply", (Given(2), PlanConstant("3"))))
    plan = plan_from_choices(choices, read_problem(TWO, PIECES))
    assert plan == Plan((PlanStep("Multiply", (Given(2), PlanConstant("3"))),), Result(0))


@pytest.mark.parametrize(
    ("steps", "answer", "complaint"),
    [
        ((), Given(2), "not what the last step computes"),
        ((ADD,), Given(2), "not what the last step computes"),
        ((ADD, ADD), Result(0), "not what the last step computes"),
        ((ADD,) * (MOST_STEPS + 1), None, "more than 12 steps"),
        ((PlanStep("Float_to_Str", (Given(2),)),), None, "no operation Float_to_Str"),
        ((PlanStep("Add", (Given(1), Given(2))),), None, "at 1"),
        ((PlanStep("Add", (Given(2), PlanUnknown("x"))),), None, "no unknowns"),
        ((PlanStep("Solve", (PlanUnknown("x"), Given(2))),), None, "no operation Solve"),
        ((PlanStep("Add", (Given(2), PlanConstant("77"))),), None, "77 is no documented constant"),
    ],
)
def test_what_cannot_be_written_gets_a_reason(
    steps: tuple[PlanStep, ...], answer: Argument | None, complaint: str
) -> None:
    with pytest.raises(InexpressibleError, match=complaint):
        choices_of_two(*steps, answer=answer)


def test_numbers_of_options_and_those_past_the_limit_cannot_be_pointed_at() -> None:
    question = " and ".join(map(str, range(21, 21 + MOST_NUMERALS + 3)))
    reading = read_problem(Problem(question, ("1", "2")), PIECES)

    def choices(k: int) -> list[int]:
        plan = Plan((PlanStep("Sqrt", (Given(2 * k + 1),)),), Result(0))
        return plan_to_choices(plan, reading)

    assert FIRST_NUMERAL <= choices(MOST_NUMERALS - 1)[2] < FIRST_RESULT
    with pytest.raises(InexpressibleError):
        choices(MOST_NUMERALS)


def test_generated_plans_can_be_written() -> None:
    count = written = 0
    for generated in generate(load_families(), 150, seed=12):
        plan = plan_of(execute(generated.program, generated.problem, EXTENDED))
        if plan is None:
            continue
        count += 1
        reading = read_problem(generated.problem, PIECES)
        try:
            choices = plan_to_choices(plan, reading)
        except InexpressibleError:
            continue
        written += 1
        found = plan_from_choices(choices, reading)
        assert by_value(found, generated.problem) == by_value(plan, generated.problem)
    assert written > 0.9 * count


MIXED = Problem("It takes 2 1/2 hours for 45 km", ("18", "20"))
MIXED_READING = read_problem(MIXED, PIECES)
SPEED = Plan(
    (PlanStep("Add", (Given(3), Given(4))), PlanStep("Divide", (Given(7), Result(0)))), Result(1)
)


def test_a_mixed_number_is_one_choice_and_a_step_that_adds_its_parts() -> None:
    choices = plan_to_choices(SPEED, MIXED_READING)
    divide = FIRST_OPERATION + SOLVER_OPERATIONS.index("Divide")
    assert choices == [BEGIN, divide, FIRST_NUMERAL + 1, FIRST_NUMERAL, FINISH]
    assert plan_from_choices(choices, MIXED_READING) == SPEED
    trace = explain_plan(plan_from_choices(choices, MIXED_READING), MIXED)
    assert trace.answer == "A"
    assert trace.rationale.startswith("2 + 1/2 = 2.5\n")


def test_a_part_of_a_mixed_number_and_its_rationale_have_no_choices() -> None:
    half = Plan((PlanStep("Divide", (Given(7), Given(3))),), Result(0))
    with pytest.raises(InexpressibleError, match="part of a mixed number"):
        plan_to_choices(half, MIXED_READING)
    with pytest.raises(InexpressibleError, match="mixed number"):
        rationale_to_choices(["km"], MIXED_READING, PIECES)
