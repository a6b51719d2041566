from dataclasses import replace

import pytest

from scratchwork import EXTENDED, Problem, execute
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.plans.compiling import StatedLetter, WrittenResult, compile_plan
from scratchwork.plans.plan import Given, Plan, PlanConstant, PlanStep, Result, plan_of
from scratchwork.problems.tokens import tokenise
from scratchwork.solver.alignment import items_of, with_whole_fractions
from scratchwork.solver.reading import Pieces, read_problem
from scratchwork.solver.symbols import (
    END,
    InexpressibleError,
    rationale_to_choices,
)
from tests.solver.spelling import pieces_of, rationale_from_choices

CAKES = Problem(
    "Billy cut up each cake into 10 slices, and ended up with 120 slices.",
    ("9", "12", "14"),
    rationale="120 / 10 = 12 cakes.\nThe answer is B.",
    correct="B",
)
DIVIDED = Plan((PlanStep("Divide", (Given(14), Given(7))),), Result(0))


def generated() -> list[tuple[Problem, Plan]]:
    found: list[tuple[Problem, Plan]] = []
    for made in generate(load_families(), 60, seed=17):
        plan = plan_of(execute(made.program, made.problem, EXTENDED))
        if plan is not None and plan.steps:
            found.append((made.problem, plan))
    return found


def pieces_for(problems: list[Problem]) -> Pieces:
    """Words of an odd length are one piece, others are spelled."""
    words = [word for problem in problems for word in tokenise(problem.rationale or "")]
    return pieces_of([*"".join(words), *(word for word in words if len(word) % 2)])


def test_a_rationale_is_read_as_the_telling_of_its_plan() -> None:
    items = items_of(CAKES, DIVIDED)
    assert items is not None
    assert items[:5] == [Given(14), "/", Given(7), "=", WrittenResult(Result(0))]
    assert StatedLetter() in items


def test_a_program_that_tells_a_plan_writes_the_rationale_and_checks_its_letter() -> None:
    told_ones = 0
    for problem, plan in [(CAKES, DIVIDED), *generated()]:
        items = items_of(problem, plan)
        if items is None:
            continue
        told_ones += 1
        trace = compile_plan(plan, items, problem)
        assert trace.answer == problem.correct
        assert tokenise(trace.rationale) == tokenise(problem.rationale or "")
        assert trace.steps[-2].instruction.operation == "Check"
    assert told_ones > 40


@pytest.mark.parametrize("number", ["13", "11", "120.5"])
def test_a_rationale_with_a_number_from_elsewhere_tells_no_plan(number: str) -> None:
    other = replace(CAKES, rationale=f"{CAKES.rationale} But 37 is {number}.")
    assert items_of(other, DIVIDED) is None


def test_a_rationale_survives_being_written_in_choices() -> None:
    pairs = generated()
    pieces = pieces_for([problem for problem, _ in pairs])
    spoken = 0
    for problem, plan in pairs:
        items = items_of(problem, plan)
        if items is None:
            continue
        reading = read_problem(problem, pieces)
        try:
            choices = rationale_to_choices(items, reading, pieces)
        except InexpressibleError:
            continue
        spoken += 1
        assert choices[-1] == END
        back = compile_plan(plan, list(rationale_from_choices(choices, reading, pieces)), problem)
        given = tokenise((problem.rationale or "").lower())
        assert [token.lower() for token in tokenise(back.rationale)] == given
    assert spoken > 40


def test_words_of_characters_never_seen_cannot_be_written() -> None:
    pieces = pieces_of(["cakes", "answer"])
    reading = read_problem(CAKES, pieces)
    with pytest.raises(InexpressibleError, match="unknown characters"):
        rationale_to_choices(["ω"], reading, pieces)


SHARE = Problem("of 60 men 1 / 3 leave and 3 left . how many ?", ("17", "20"), origin="mathqa")
THIRD = PlanStep("Divide", (Given(4), Given(6)))


def of(*steps: PlanStep) -> Plan:
    return Plan(steps, Result(len(steps) - 1))


def test_a_fraction_that_a_plan_divides_becomes_one_number() -> None:
    taken = PlanStep("Multiply", (Given(2), Result(0)))
    last = PlanStep("Subtract", (Result(1), Given(9)))
    problem, plans = with_whole_fractions(SHARE, [of(THIRD, taken, last)])
    assert problem.question == "of 60 men 1/3 leave and 3 left . how many ?"
    times = PlanStep("Multiply", (Given(2), Given(4)))
    assert plans == [of(times, PlanStep("Subtract", (Result(0), Given(7))))]


def test_the_one_of_a_fraction_by_itself_is_the_constant() -> None:
    rest = PlanStep("Subtract", (Given(4), Result(0)))
    _, plans = with_whole_fractions(
        SHARE, [of(THIRD, rest, PlanStep("Multiply", (Given(2), Result(1))))]
    )
    less = PlanStep("Subtract", (PlanConstant("1"), Given(4)))
    assert plans == [of(less, PlanStep("Multiply", (Given(2), Result(0))))]


def test_a_plan_that_uses_the_pieces_otherwise_keeps_its_problem() -> None:
    halved = of(PlanStep("Divide", (Given(2), Given(6))))
    assert with_whole_fractions(SHARE, [halved]) == (SHARE, [halved])
    alone = of(THIRD)
    assert with_whole_fractions(SHARE, [alone]) == (SHARE, [alone])
    both = with_whole_fractions(
        SHARE, [halved, of(THIRD, PlanStep("Multiply", (Given(2), Result(0))))]
    )
    assert [len(plan.steps) for plan in both[1]] == [1]


def test_other_problems_stay_as_they_are() -> None:
    plan = of(PlanStep("Multiply", (Given(2), Given(4))))
    other = Problem("Of 60 men 1/3 leave. How many?", ("20", "40"))
    assert with_whole_fractions(other, [plan]) == (other, [plan])
