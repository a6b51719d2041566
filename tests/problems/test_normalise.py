from pathlib import Path

import pytest

from scratchwork import Problem, normalise, read_problems, tokenise
from scratchwork.problems.normalise import repair_text


@pytest.mark.parametrize(
    ("broken", "repaired"),
    [
        ("he paid 1 / 30 of it", "he paid 1/30 of it"),
        ("9 2 / 3 %", "9 2/3 %"),
        ("x / 5", "x / 5"),
        ("60 / 3 / 4", "60 / 3 / 4"),
        ("2.5 / 10", "2.5 / 10"),
        ("40 â € ” 316", "40 — 316"),
        ("5 ã — 12 ã · 3", "5 × 12 ÷ 3"),
        ("suv ã ¢ â ‚ ¬ â „ ¢ s", "suv ’ s"),
        ("â ˆ š 400", "√ 400"),
        ("2 â ½ hours", "2 ½ hours"),
        ("é lan", "é lan"),
    ],
)
def test_texts_are_repaired(broken: str, repaired: str) -> None:
    assert repair_text(broken) == repaired


@pytest.mark.parametrize(
    ("rationale", "closing"),
    [
        ("answer : b", "answer : B"),
        ("the answer is c .", "the answer is C ."),
        ("answer : option d", "answer : option D"),
        ("so ( a )", "so ( a )"),
        ("answer ( a )", "answer ( A )"),
        ("answer : b ) 1683", "answer : B ) 1683"),
        ("ans : e . .", "ans : E . ."),
        ("= 50 % b", "= 50 % B"),
        ("volume = a * b * c", "volume = a * b * c"),
    ],
)
def test_the_closing_letter_is_upper_cased(rationale: str, closing: str) -> None:
    problem = Problem("?", ("1", "2", "3", "4", "5"), rationale, "B", origin="mathqa")
    assert normalise(problem).rationale == closing


def test_other_origins_stay_as_they_are() -> None:
    problem = Problem("1 / 30 ?", ("1 / 2", "2"), "answer : b", "B", origin="aqua")
    assert normalise(problem) is problem


def test_a_mathqa_rationale_of_an_aqua_problem_is_repaired_alone() -> None:
    problem = Problem(
        "1 / 30 ?", rationale="1 / 30 . answer : b", extra={"rationale_origin": "mathqa"}
    )
    assert normalise(problem).question == "1 / 30 ?"
    assert normalise(problem).rationale == "1/30 . answer : B"


def test_normalising_twice_changes_nothing_more(data_folder: Path) -> None:
    for problem in read_problems(data_folder / "mathqa" / "heldout.jsonl.gz"):
        once = normalise(Problem(problem.question, rationale=problem.rationale, origin="mathqa"))
        assert normalise(once) == once
        assert once.origin == "mathqa"
        assert tokenise(once.question)
