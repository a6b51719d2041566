from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest
import torch

from scratchwork import Problem, normalise, read_problems
from scratchwork.explaining.terse import explain_plan
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.induction.rationale_plan import plan_of_rationale
from scratchwork.plans.formulas import FORMULA_FIELD
from scratchwork.plans.plan import Given, Plan, PlanStep, Result
from scratchwork.problems.problem import LETTERS
from scratchwork.solver import examples
from scratchwork.solver.arithmetic import matching_option
from scratchwork.solver.examples import (
    example_of,
    generated_example,
    numbers_used,
    open_example,
    options_made,
    plans_for,
    right_number,
    text_of,
)
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.symbols import FINISH
from scratchwork.solver.tables import tables_of
from tests.solver.samples import pieces

BOXES = Problem("12 boxes hold 4 pens each. How many pens?", ("16", "48", "8"), correct="B")
TIMES = Plan((PlanStep("Multiply", (Given(1), Given(4))),), Result(0))
SHOP = Problem("Tim has 3 bags of 7 marbles and 6 more. How many in all?", extra={"answer": "27"})


def with_formula(formula: str, rationale: str | None = None, correct: str = "B") -> Problem:
    return replace(BOXES, rationale=rationale, correct=correct, extra={FORMULA_FIELD: formula})


def test_a_right_formula_is_a_plan_and_a_wrong_one_is_none() -> None:
    assert plans_for(with_formula("multiply(n0,n1)|")) == [TIMES]
    assert plans_for(with_formula("add(n0,n1)|")) == []
    assert plans_for(with_formula("multiply(n0,n9)|")) == []
    assert plans_for(with_formula("multiply(n0,n1)|", correct="C")) == []


def test_a_rationale_is_a_plan_if_it_leads_to_the_label() -> None:
    found = plans_for(replace(BOXES, rationale="Each of 12 boxes holds 4, so 12 * 4 = 48."))
    assert [step.operation for plan in found for step in plan.steps] == ["Multiply"]
    assert plans_for(replace(BOXES, rationale="12 + 4 = 16")) == []
    assert plans_for(BOXES) == []


def test_a_rationale_that_uses_fewer_than_two_numbers_of_the_question_is_luck() -> None:
    question = "A pen costs 12 dollars and a book 30. Tom buys 4 pens and 2 books. How much is it?"
    told = Problem(question, ("72", "108"), "It is easy to see that 108 is right.", "B")
    lucky = plan_of_rationale(told)
    assert lucky is not None
    assert numbers_used(lucky) < 2
    assert plans_for(told) == []
    assert numbers_used(TIMES) == 2
    square = Plan((PlanStep("Multiply", (Given(1), Given(1))),), Result(0))
    assert numbers_used(square) == 1


def test_the_same_plan_is_not_learned_twice() -> None:
    both = with_formula("multiply(n0,n1)|", "12 * 4 = 48")
    found = plans_for(both)
    assert TIMES in found
    assert len(found) == len(set(found)) <= 2


def test_free_form_problems_get_their_answer_among_five_options() -> None:
    made = options_made(replace(SHOP, rationale="3 * 7 = 21, 21 + 6 = 27"))
    assert made is not None
    assert len(set(made.options)) == len(made.options) == 5
    assert made.correct is not None
    assert made.options[LETTERS.index(made.correct)] == "27"
    assert (made.question, made.rationale) == (SHOP.question, "3 * 7 = 21, 21 + 6 = 27")


def test_options_are_the_same_whenever_they_are_made_and_the_right_one_moves() -> None:
    assert options_made(SHOP) == options_made(replace(SHOP))
    others = [options_made(replace(SHOP, question=f"{SHOP.question} {k}")) for k in range(40)]
    assert {made.correct for made in others if made is not None} == set("ABCDE")


@pytest.mark.parametrize("answer", [None, 27, "many", "", "-"])
def test_without_a_number_for_an_answer_there_are_no_options(answer: object) -> None:
    problem = replace(SHOP, extra={"answer": answer})
    assert options_made(problem) is None
    assert example_of(problem, pieces()) is None


def test_a_free_form_problem_with_a_rationale_is_a_example() -> None:
    example = example_of(replace(SHOP, rationale="3 * 7 = 21 marbles, 21 + 6 = 27"), pieces())
    assert example is not None
    assert example.label is not None
    assert len(example.reading.options) == 5
    assert example.plans


def test_a_problem_whose_plan_is_not_known_is_still_a_example_of_its_label() -> None:
    example = example_of(BOXES, pieces())
    assert example is not None
    assert (example.label, example.plans) == ("B", [])


def test_a_program_or_calculations_are_a_plan_of_a_free_form_problem() -> None:
    program = {"program": "b = 3 * 7; c = b + 6", "asked": "c"}
    for extra in (program, {"calculator": ["3*7=21", "21+6=27"]}):
        problem = replace(SHOP, extra={"answer": "27", **extra})
        (plan,) = plans_for(problem)
        assert [step.operation for step in plan.steps] == ["Multiply", "Add"]
        assert numbers_used(plan) == 3
        # They are trusted more than what a rationale seems to do.
        assert plans_for(replace(problem, rationale="3 * 7 + 6 = 27")) == [plan]
        example = example_of(problem, pieces())
        assert example is not None
        assert len(example.plans) == 1


def test_without_options_only_a_problem_with_a_checked_plan_is_an_example(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(examples, "options_made", lambda _: None)
    extra = {"answer": "27", "calculator": ["3*7=21", "21+6=27"]}
    example = example_of(replace(SHOP, extra=extra), pieces())
    assert example is not None
    assert example.reading.options == []
    assert (example.label, len(example.plans)) == (None, 1)
    assert example_of(replace(SHOP, extra={**extra, "answer": "28"}), pieces()) is None
    problems, plans = tables_of([example])
    assert (problems.labels.tolist(), plans.reached.tolist()) == ([-1], [-1])


@pytest.mark.parametrize(
    ("problem", "number"),
    [
        (BOXES, 48),
        (replace(BOXES, correct=None), None),
        (SHOP, 27),
        (Problem("How much?", ("1/2 kg", "none of these"), correct="A"), 0.5),
        (Problem("How much?", ("1/2 kg", "none of these"), correct="B"), None),
        (Problem("How much?"), None),
    ],
)
def test_the_right_number_is_the_answer_or_that_of_the_right_option(
    problem: Problem, number: float | None
) -> None:
    assert right_number(problem) == number
    example = open_example(problem, pieces())
    assert (example is None) == (number is None)
    if example is not None:
        assert (example.answer, example.reading.options, example.label) == (number, [], None)


def test_a_table_holds_the_right_number_of_every_problem() -> None:
    shown = [example_of(problem, pieces()) for problem in (BOXES, SHOP)]
    measured = [open_example(BOXES, pieces()), text_of(replace(BOXES, rationale="48"), pieces())]
    problems, _ = tables_of(example for example in [*shown, *measured] if example is not None)
    assert problems.answers[:3].tolist() == [48, 27, 48]
    assert isnan(problems.answers[3])


def test_what_does_not_fit_is_no_example() -> None:
    many = Problem(BOXES.question, tuple(map(str, range(6))))
    assert example_of(many, pieces()) is None
    assert example_of(replace(BOXES, question="pens " * 500), pieces()) is None


def test_the_plans_of_generated_examples_reach_their_labels() -> None:
    made = [generated_example(g, pieces()) for g in generate(load_families(), 120, seed=41)]
    examples = [example for example in made if example is not None and example.plans]
    assert len(examples) > 90
    problems, plans = tables_of(examples)
    rows = torch.as_tensor(plans.choices)
    told, _ = decoder_inputs(rows, torch.as_tensor(problems.numeral_values[plans.problems]))
    finish = (rows == FINISH).long().argmax(1, keepdim=True)
    last = told.results.gather(1, finish - 1).squeeze(1)
    options = torch.as_tensor(problems.option_values[plans.problems])
    reached = matching_option(last, options)
    right = reached == torch.as_tensor(problems.labels[plans.problems])
    # An option of three decimals, say, is found by nobody.
    assert right.double().mean() > 0.98


def test_the_plans_of_real_problems_reach_their_labels(data_folder: Path) -> None:
    count = right = 0
    problems = read_problems(data_folder / "mathqa" / "heldout.jsonl.gz")
    for _, problem in zip(range(40), map(normalise, problems), strict=False):
        for plan in plans_for(problem):
            trace = explain_plan(plan, problem)
            assert trace.answer in (problem.correct, None)
            right += trace.answer == problem.correct
            count += 1
    assert count > 12
    # Some options have more decimals than an answer is rounded to.
    assert right > 0.9 * count
