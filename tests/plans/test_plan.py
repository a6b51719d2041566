from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import EXTENDED, Problem, Trace, execute, parse_program
from scratchwork.explaining.terse import explain_plan
from scratchwork.induction.rationale_plan import plan_of_rationale
from scratchwork.plans.plan import (
    Given,
    Plan,
    PlanConstant,
    PlanStep,
    PlanWord,
    Result,
    plan_of,
    prune,
)
from tests.plans.random_plans import random_plans

KINGS = Plan(
    (
        PlanStep("Choose", (Given(5), PlanConstant("2"))),
        PlanStep("Choose", (PlanConstant("4"), PlanConstant("2"))),
        PlanStep("Divide", (Result(1), Result(0))),
    ),
    Result(2),
)
SHOP = Problem(
    "A pen costs 12 dollars and a book 30. Tom buys 4 pens and 2 books. How much is that?",
    ("72", "98", "108"),
    "4 pens cost 4 * 12 = 48 dollars. 2 books cost 2 * 30 = 60. In all it is 48 + 60 = 108.",
    "C",
)


def plan_of_text(program: str, problem: Problem) -> Plan | None:
    return plan_of(execute(parse_program(program), problem, EXTENDED))


ENDING = 'Float_to_Str(m4) -> y\nId("<EOR>") -> y\nCheck(y1) -> y\nId("<EOS>") -> y\n'
BOXES = Problem("12 boxes hold 4 pens each, and 5 are red", ("16", "48", "20", "60"), correct="B")


def test_the_worked_example_computes_what_it_says(kings_trace: Trace) -> None:
    assert plan_of(kings_trace) == KINGS


def test_steps_that_the_letter_does_not_need_are_left_out() -> None:
    reads = "Str_to_Float(x1) -> m\nStr_to_Float(x4) -> m\n"
    program = f"{reads}Add(m1, m2) -> m\nMultiply(m1, m2) -> m\n{ENDING}"
    wanted = Plan((PlanStep("Multiply", (Given(1), Given(4))),), Result(0))
    assert plan_of_text(program, BOXES) == wanted


def test_a_plan_computes_with_words_of_the_question_too() -> None:
    problem = Problem("A parcel comes 9 days after Monday. PARCEL has letters.", ("5", "6"))
    program = """
        Letter_Count(x9) -> m
        Float_to_Str(m1) -> m
        Id("<EOR>") -> y
        Check(m2) -> y
        Id("<EOS>") -> y
    """
    plan = Plan((PlanStep("Letter_Count", (PlanWord("PARCEL", 9),)),), Result(0))
    assert plan_of_text(program, problem) == plan
    rationale = "the number of letters of PARCEL is 6\nAnswer: 6"
    assert explain_plan(plan, problem).rationale == rationale
    weekday = PlanStep("Weekday_After", (PlanWord("Monday", 7), Given(4)))
    both = Plan((weekday, PlanStep("Letter_Count", (PlanWord("PARCEL", 9),))), Result(1))
    lines = explain_plan(both, problem).rationale.split("\n")
    assert lines[0] == "9 days after Monday is Wednesday"


def test_a_word_that_is_computed_itself_has_no_plan() -> None:
    program = """
        Str_to_Float("9") -> m
        Weekday_After("Monday", m1) -> m
        Letter_Count(m2) -> m
        Float_to_Str(m3) -> y
        Id("<EOR>") -> y
        Check(y1) -> y
        Id("<EOS>") -> y
    """
    assert plan_of_text(program, Problem("How many letters?", ("5", "9"))) is None


def test_what_is_computed_twice_is_one_step() -> None:
    reads = "Str_to_Float(x1) -> m\nStr_to_Float(x4) -> m\n"
    sums = "Divide(m1, m2) -> m\nDivide(m1, m2) -> m\nAdd(m3, m4) -> m\n"
    ending = ENDING.replace("m4", "m5")
    steps = (
        PlanStep("Divide", (Given(1), Given(4))),
        PlanStep("Add", (Result(0), Result(0))),
    )
    six = Problem(BOXES.question, ("6", "3"))
    assert plan_of_text(reads + sums + ending, six) == Plan(steps, Result(1))


def test_numbers_that_were_written_and_read_again_are_the_same_numbers() -> None:
    program = (
        "Str_to_Float(x1) -> m\nStr_to_Float(x4) -> m\nMultiply(m1, m2) -> m\n"
        'Float_to_Str(m3) -> y\nId("\\n") -> y\nStr_to_Float(y1) -> m\nStr_to_Float("1") -> m\n'
        'Divide(m4, m5) -> m\nFloat_to_Decimal(m6, m5) -> y\nId("<EOR>") -> y\n'
        'Float_to_Str(m6) -> m\nCheck(m7) -> m\nId(m8) -> y\nId("<EOS>") -> y\n'
    )
    steps = (
        PlanStep("Multiply", (Given(1), Given(4))),
        PlanStep("Divide", (Result(0), PlanConstant("1"))),
    )
    assert plan_of_text(program, BOXES) == Plan(steps, Result(1))


@pytest.mark.parametrize(
    "ending",
    [
        'Id("<EOR>") -> y\nId("B") -> y\nId("<EOS>") -> y\n',
        'Id("<EOR>") -> y\nId("<EOS>") -> y\n',
        'Id("48") -> y\nCheck(y1) -> y\n',
    ],
    ids=["a stated letter", "no letter", "a letter that is not the last word"],
)
def test_a_letter_that_was_not_derived_has_no_plan(ending: str) -> None:
    assert plan_of_text(f"Str_to_Float(x1) -> m\n{ending}", BOXES) is None


def test_a_copied_number_is_a_plan_without_steps() -> None:
    program = 'Id("48") -> y\nId("<EOR>") -> y\nCheck(y1) -> y\nId("<EOS>") -> y\n'
    assert plan_of_text(program, BOXES) == Plan((), PlanConstant("48"))


def test_the_plan_of_a_rationale_is_what_it_computes(kings: Problem) -> None:
    assert plan_of_rationale(kings) == KINGS
    plan = plan_of_rationale(SHOP)
    assert plan is not None
    assert {step.operation for step in plan.steps[:2]} == {"Multiply"}
    used = {frozenset(step.arguments) for step in plan.steps}
    # `12`, `30`, `4` and `2` are tokens 4, 9, 13 and 16 of the question.
    assert used == {
        frozenset({Given(4), Given(13)}),
        frozenset({Given(9), Given(16)}),
        frozenset({Result(0), Result(1)}),
    }


@pytest.mark.parametrize("rationale", ["Clearly C.", "", None])
def test_a_rationale_without_numbers_has_no_plan(rationale: str | None) -> None:
    assert plan_of_rationale(Problem(SHOP.question, SHOP.options, rationale, "C")) is None


def test_a_rationale_that_reaches_another_option_has_no_plan() -> None:
    wrong = Problem(SHOP.question, SHOP.options, "30 * 2 + 12 = 72", "C")
    assert plan_of_rationale(wrong) is None


@given(random_plans(), st.data())
def test_prune_keeps_the_steps_the_answer_needs_in_order_and_no_others(
    plan: Plan, data: st.DataObject
) -> None:
    steps = list(plan.steps)
    step = data.draw(st.integers(0, len(steps) - 1))
    kept = prune(steps, Result(step))
    assert kept.answer == Result(len(kept.steps) - 1)
    assert prune(kept.steps, kept.answer) == kept
    used = set(chain.from_iterable(z.arguments for z in kept.steps)) | {kept.answer}
    assert {r.step for r in used if isinstance(r, Result)} == set(range(len(kept.steps)))
    remaining = iter(z.operation for z in steps)
    assert all(z.operation in remaining for z in kept.steps)
    assert unfolded(kept.steps, kept.answer) == unfolded(steps, Result(step))


def unfolded(steps: tuple[PlanStep, ...] | list[PlanStep], argument: object) -> object:
    """What an argument is computed from, without numbers of steps."""
    if not isinstance(argument, Result):
        return argument
    step = steps[argument.step]
    return step.operation, tuple(unfolded(steps, a) for a in step.arguments)
