from dataclasses import replace
from pathlib import Path

import pytest

from scratchwork import Problem, UserError
from scratchwork.plans.expressions import PlanExpressionError, parse_plan
from scratchwork.solver import annotations
from scratchwork.solver.annotations import (
    annotated_plans,
    key_of_question,
    key_of_words,
    retellings,
)
from scratchwork.solver.examples import example_of, plans_for, retold
from tests.solver.samples import pieces

WALK = Problem("Walk 26 km in 2 hours. How fast is it?", ("13", "52", "24"), correct="A")
AGAIN = "If a walk of 26 km takes 2 hours, how fast is it?"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A formula and two retellings of the walk, one of which is wrong."""
    formulas, told = tmp_path / "formulas.tsv", tmp_path / "retellings.tsv"
    formulas.write_text(f"{key_of_words(WALK.question)}\tn1 / n2\n", "utf-8")
    key = key_of_question(WALK.question)
    told.write_text(f"{key}\t{AGAIN}\n{key}\tIn 2 hours, 26 km are walked. How fast?\n", "utf-8")
    monkeypatch.setattr(annotations, "FORMULAS", formulas)
    monkeypatch.setattr(annotations, "RETELLINGS", told)


@pytest.mark.usefixtures("written")
def test_a_formula_holds_for_the_question_with_other_numbers() -> None:
    other = Problem("walk 30 km in 5 hours . how fast is it ?", ("5", "6"), correct="B")
    assert [len(plan.steps) for plan in plans_for(WALK)] == [1]
    assert [len(plan.steps) for plan in plans_for(other)] == [1]
    assert annotated_plans(replace(WALK, question="Walk 26 km in 2 days. How fast is it?")) == []


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    "other",
    [
        replace(WALK, correct="B"),
        replace(WALK, options=("12", "52", "24")),
        replace(WALK, question="Walk km in 2 hours. How fast is it?"),
        replace(WALK, question="Walk 26 km in 0 hours. How fast is it?"),
    ],
)
def test_a_formula_that_does_not_reach_the_label_is_no_plan(other: Problem) -> None:
    assert annotated_plans(other) == []


@pytest.mark.usefixtures("written")
def test_a_problem_is_retold_with_the_plans_it_has_and_the_numbers_in_order() -> None:
    example = example_of(WALK, pieces())
    assert example is not None
    (again,) = retold(WALK, example, pieces())
    assert again.plans == example.plans
    assert again.label == "A"
    assert again.reading.pieces != example.reading.pieces
    assert [n.value for n in again.reading.numerals] == [26, 2, 13, 52, 24]


def test_a_question_is_known_by_its_words_or_by_words_and_numbers() -> None:
    other = "walk  27 km in 2 hours .  How fast is it"
    assert key_of_words(other) == key_of_words(WALK.question)
    assert key_of_question(other) != key_of_question(WALK.question)
    assert key_of_question(other.replace("27", "26")) == key_of_question(WALK.question)


def test_the_project_has_formulas_and_retellings_of_its_own() -> None:
    both = [annotations.listed(file) for file in (annotations.FORMULAS, annotations.RETELLINGS)]
    formulas, told = ([text for texts in lists.values() for text in texts] for lists in both)
    assert min(len(formulas), len(told)) > 2000
    assert all(len(key) == 12 for lists in both for key in lists)
    assert not any("  " in text or text != text.strip() for text in told)
    many = " ".join(map(str, range(1, 40)))
    for expression in formulas:
        try:
            parse_plan(expression, many)
        except PlanExpressionError as error:
            pytest.fail(str(error))
    assert retellings("No such question") == []


def test_a_missing_file_is_told_where_to_find(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"formulas\.tsv: no such file; .* in a clone"):
        annotations.listed(tmp_path / "formulas.tsv")
