import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import EXTENDED, Problem, Program, Trace, execute, parse_program
from scratchwork.errors import UserError
from scratchwork.scoring.accuracy import (
    Accuracy,
    Answer,
    Part,
    accuracy_from_json,
    answer_of,
    how_chosen,
    measure_accuracy,
    operations_in_gold,
    right_of_the_confident,
)
from scratchwork.scoring.intervals import wilson

OPTIONS = ("10", "12", "15", "16", "20")
ADDING = Problem("What is 7 + 5?", OPTIONS, "7 + 5 = 12", "B")
COPYING = Problem("Ann has 15 clips. How many clips has Ann?", OPTIONS, "15 clips. C", "C")
BARE = Problem("What is 4 * 4 + 4?", OPTIONS, correct="E")


def how_of(ending: str) -> str:
    """Where the letter came from, in a program that ends so."""
    program = parse_program(f'Id("so") -> y\n{ending}\nId("<EOS>") -> y')
    return how_chosen(program, sum(z.to == "y" for z in program) - 1)


def measured_example() -> Accuracy:
    problems = [ADDING, ADDING, COPYING, COPYING, BARE, Problem("No letter?", OPTIONS)]
    answers = [
        Answer("B", "check"),
        Answer("A", "literal"),
        Answer("C", "copy"),
        Answer("C", "forced"),
        Answer(None, "none"),
        Answer("A", "check"),
    ]
    return measure_accuracy(problems, answers)


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (91, 250, 0.3068, 0.4253),
    ],
)
def test_wilson_intervals_are_those_computed_by_hand(
    right: int, of: int, low: float, high: float
) -> None:
    assert wilson(right, of) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 1000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_intervals_hold_the_share_and_mirror(counts: tuple[int, int]) -> None:
    right, of = counts
    low, high = wilson(right, of)
    assert 0 <= low <= right / of + 1e-12
    assert right / of - 1e-12 <= high <= 1
    assert wilson(of - right, of) == pytest.approx((1 - high, 1 - low))


def test_figures_of_a_small_example() -> None:
    measured = measured_example()
    assert (measured.problems, measured.right) == (5, 3)
    assert measured.standard_error == pytest.approx(math.sqrt(0.6 * 0.4 / 5))
    assert measured.always_a == 0
    assert (measured.most_frequent, measured.always_most_frequent) == ("B", 0.4)
    assert measured.predicted == {"A": 1, "B": 1, "C": 2, "D": 0, "E": 0, "none": 1}
    assert measured.correct == {"A": 0, "B": 2, "C": 2, "D": 0, "E": 1}
    assert {how: (p.problems, p.right) for how, p in measured.by_how.items()} == {
        "check": (1, 1),
        "copy": (1, 1),
        "literal": (1, 0),
        "forced": (1, 1),
        "none": (1, 0),
    }
    assert (measured.answered.problems, measured.answered.right) == (3, 2)
    in_bins = {name: (p.problems, p.right) for name, p in measured.by_operations.items()}
    assert in_bins == {
        "0": (2, 2),
        "1": (2, 1),
        "2": (0, 0),
        "3": (0, 0),
        "4": (0, 0),
        "5+": (0, 0),
    }
    assert measured.by_operations["3"].share is None


def test_of_the_sure_answers_it_is_told_how_many_are_right(kings: Problem) -> None:
    answers = [("C", 0.9), ("A", 0.65), ("C", 0.5), ("C", 0.49), (None, 0.8)]
    assert right_of_the_confident([kings] * 5, answers) == {
        "0.5": Part(4, 2),
        "0.6": Part(3, 1),
        "0.7": Part(2, 1),
    }


def test_figures_survive_json() -> None:
    measured = measured_example()
    assert accuracy_from_json(measured.to_json()) == measured


def test_nothing_to_score_is_told() -> None:
    with pytest.raises(UserError, match="correct letter"):
        measure_accuracy([Problem("No letter?", OPTIONS)], [Answer("A", "check")])


def test_a_letter_comes_from_somewhere() -> None:
    with pytest.raises(ValueError, match="the letter None cannot come from forced"):
        Answer(None, "forced")
    with pytest.raises(ValueError, match="the letter A cannot come from none"):
        Answer("A", "none")


def test_the_worked_example_is_answered_by_check(
    kings_program: Program, kings_trace: Trace
) -> None:
    position = len(kings_trace.output) - 1
    assert kings_trace.output[position - 2 : position] == ("<EOR>", "C")
    assert how_chosen(kings_program, position) == "check"
    assert answer_of(kings_trace) == Answer("C", "check")


def test_where_a_letter_came_from() -> None:
    assert how_of('Id("<EOR>") -> y\nCheck(x7) -> y') == "check"
    assert how_of('Id("<EOR>") -> y\nId("C") -> y') == "literal"
    assert how_of('Id("C") -> y\nId("<EOR>") -> y\nId(y2) -> y') == "copy"
    assert how_of('Id("<EOR>") -> y\nId(x9) -> y') == "copy"
    assert how_of('Id("<EOR>") -> y\nFloat_to_Str(m1) -> y') == "none"
    assert how_chosen(parse_program('Id("so") -> y'), 2) == "none"


def test_copies_of_what_check_wrote_are_followed() -> None:
    assert how_of('Check(x7) -> y\nId("<EOR>") -> y\nId(y2) -> y') == "check"
    assert how_of('Check(x7) -> m\nId("<EOR>") -> y\nId(m1) -> y') == "check"
    assert how_of('Check(x7) -> y\nId(y2) -> y\nId("<EOR>") -> y\nId(y3) -> y') == "check"


def test_a_program_without_a_letter_has_no_answer(kings: Problem) -> None:
    trace = execute(parse_program('Id("so") -> y\nId("<EOS>") -> y'), kings)
    assert answer_of(trace) == Answer(None, "none")


def test_operations_of_the_gold_program_are_those_that_compute(kings: Problem) -> None:
    assert operations_in_gold(kings) == 3  # Choose, Choose, Divide
    assert operations_in_gold(kings, EXTENDED) == 3
    assert operations_in_gold(ADDING) == 1
    assert operations_in_gold(COPYING) == 0
    assert operations_in_gold(BARE) is None
