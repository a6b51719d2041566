from dataclasses import replace

import pytest

from scratchwork import EXTENDED, Problem, execute
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.plans.plan import Given, Plan, PlanStep, Result, plan_of
from scratchwork.plans.rationale import Letter, Written, told
from scratchwork.problems.tokens import tokenise
from scratchwork.solver.alignment import items_of
from scratchwork.solver.pieces import Pieces
from scratchwork.solver.rationale_symbols import choices_of_items, items_from
from scratchwork.solver.reading import read_problem
from scratchwork.solver.symbols import END, UnspeakableError
from tests.solver.spelling import pieces_of

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
    assert items[:5] == [Given(14), "/", Given(7), "=", Written(Result(0))]
    assert Letter() in items


def test_a_program_that_tells_a_plan_writes_the_rationale_and_checks_its_letter() -> None:
    told_ones = 0
    for problem, plan in [(CAKES, DIVIDED), *generated()]:
        items = items_of(problem, plan)
        if items is None:
            continue
        told_ones += 1
        trace = execute(told(plan, items, problem), problem, EXTENDED)
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
            choices = choices_of_items(items, reading, pieces)
        except UnspeakableError:
            continue
        spoken += 1
        assert choices[-1] == END
        back = execute(
            told(plan, list(items_from(choices, reading, pieces)), problem), problem, EXTENDED
        )
        given = tokenise((problem.rationale or "").lower())
        assert [token.lower() for token in tokenise(back.rationale)] == given
    assert spoken > 40


def test_words_of_characters_never_seen_cannot_be_written() -> None:
    pieces = pieces_of(["cakes", "answer"])
    reading = read_problem(CAKES, pieces)
    with pytest.raises(UnspeakableError, match="unknown characters"):
        choices_of_items(["ω"], reading, pieces)
