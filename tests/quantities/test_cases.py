"""Numbers, plans and questions with the units they should have: tests/cases/quantities.tsv."""

from pathlib import Path
from typing import NamedTuple

import pytest

from scratchwork import Problem, tokenise
from scratchwork.machine.number_words import numbers_in
from scratchwork.plans.expressions import parse_plan
from scratchwork.quantities.asked import asked_quantity
from scratchwork.quantities.combining import (
    answer_clash,
    quantities_in,
    quantity_of_answer,
    read_quantities,
)
from scratchwork.quantities.given import quantities_of
from scratchwork.quantities.units import Unit


class Case(NamedTuple):
    """A question, perhaps with a plan for it, and what must be said of their units."""

    kind: str
    question: str
    plan: str
    wanted: str


def read_cases() -> list[Case]:
    path = Path(__file__).parents[1] / "cases" / "quantities.tsv"
    rows = path.read_text("utf-8").splitlines()[1:]
    return [Case(*row.split("\t")[:4]) for row in rows]


CASES = read_cases()


def told(unit: Unit | None) -> str:
    """`km/h`, `m^2`, `boy*year`; `1` for a mere number, `?` for what is not known."""
    if unit is None:
        return "?"
    above = [name + (f"^{n}" if n > 1 else "") for name, n in unit.factors if n > 0]
    below = [name + (f"^{-n}" if n < -1 else "") for name, n in unit.factors if n < 0]
    return "/".join(["*".join(above) or "1", *below])


def cases(*kinds: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case.kind in kinds]
    return pytest.mark.parametrize("case", chosen, ids=[f"{c.question}-{c.plan}" for c in chosen])


@cases("numbers", "trap")
def test_each_number_has_its_unit_or_none(case: Case) -> None:
    tokens = tokenise(case.question)
    found = quantities_of(tokens)
    places = [k + 1 for k in sorted(numbers_in(tokens))]
    units = [told(found[place].unit if place in found else None) for place in places]
    assert " ".join(units) == case.wanted


@cases("plan", "plantrap")
def test_the_steps_of_a_plan_have_units_or_clash(case: Case) -> None:
    known = read_quantities(Problem(case.question))
    plan = parse_plan(case.plan, case.question)
    steps = quantities_in(plan, known)
    answer = quantity_of_answer(plan, known, steps)
    clashes = [step.clash for step in steps if step.clash]
    if answer_clash(answer, known):
        clashes.append("answer")
    assert ("clash" if clashes else told(answer.unit)) == case.wanted


@cases("asked", "askedtrap")
def test_what_is_asked_for_is_read(case: Case) -> None:
    asked = asked_quantity(tokenise(case.question))
    subject = " ".join(asked.subject) if asked and asked.subject else "?"
    assert f"{subject} | {told(asked.unit if asked else None)}" == case.wanted


def test_a_third_of_the_cases_are_traps() -> None:
    traps = sum(case.kind.endswith("trap") for case in CASES)
    assert len(CASES) >= 150
    assert 3 * traps >= len(CASES)
