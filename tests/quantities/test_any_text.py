"""Whatever a question says and a plan computes, units are read to the end."""

from hypothesis import given
from hypothesis import strategies as st

from scratchwork import Problem, tokenise
from scratchwork.plans.plan import Plan
from scratchwork.quantities.asked import asked_quantity
from scratchwork.quantities.combining import (
    answer_clash,
    quantities_in,
    quantity_of_answer,
    read_quantities,
)
from scratchwork.quantities.given import quantities_of
from scratchwork.quantities.wording import UnitStyle
from tests.plans.random_plans import PROBLEM, plans_with_unknowns, random_plans

WORDS = st.sampled_from(
    """5 12 1/2 2.5 100 half twice dozen km m h hr / per a an each every $ rs . , : - and or to of
    % percent hats men days hour hours sq square ^ 2 3 in is the speed how many much what find one
    first p a m old long £ ratio times ( ) ? ² total number between average""".split()
)


@given(st.lists(WORDS, max_size=40))
def test_any_words_are_read(tokens: list[str]) -> None:
    found = quantities_of(tokens)
    assert all(1 <= place <= len(tokens) for place in found)
    style = UnitStyle(found.values())
    for quantity in found.values():
        for unit in quantity.units:
            style.around(unit, 3)
    asked_quantity(tokens)


@given(st.text(min_size=1, max_size=80).filter(str.strip))
def test_any_text_is_read(text: str) -> None:
    read_quantities(Problem(text))


@given(random_plans() | plans_with_unknowns())
def test_any_plan_has_a_quantity_for_each_step(plan: Plan) -> None:
    known = read_quantities(PROBLEM)
    steps = quantities_in(plan, known)
    assert len(steps) == len(plan.steps)
    answer = quantity_of_answer(plan, known, steps)
    clash = answer_clash(answer, known)
    assert not (answer.clash and clash)


@given(random_plans(), st.lists(WORDS, min_size=1, max_size=30))
def test_any_plan_for_any_words_has_its_quantities(plan: Plan, words: list[str]) -> None:
    problem = Problem(f"{PROBLEM.question} {' '.join(words)}")
    steps = quantities_in(plan, read_quantities(problem))
    assert all(step.clash is None or not step.units for step in steps)


def test_a_very_long_question_is_read() -> None:
    text = "5 km and 3 hats for $ 4 each , half of a mile " * 8000
    tokens = tokenise(text)
    assert len(tokens) > 100_000
    assert len(quantities_of(tokens)) > 30_000
    assert asked_quantity(tokens) is None
