"""What the stories promise to those who learn from them."""

import re
from collections import Counter

import pytest

from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.operations import Value
from scratchwork.plans.compiling import compile_plan, results_of
from scratchwork.plans.expressions import parse_plan, write_plan
from scratchwork.plans.plan import Given, PlanConstant
from scratchwork.problems.numerals import number_of
from scratchwork.problems.tokens import tokenise
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces, read_problem
from scratchwork.solver.symbols import plan_from_choices, plan_to_choices
from scratchwork.stories.plan_shapes import plan_shape
from scratchwork.stories.story import Story, story
from scratchwork.stories.wordings import all_wordings
from scratchwork.stories.world import things

MANY = [story(11, number) for number in range(3000)]


def answer_of(one: Story) -> float:
    answer = number_of(one.problem.extra["answer"])
    assert answer is not None
    return answer


def givens_of(one: Story) -> set[int]:
    arguments = (argument for step in one.plan.steps for argument in step.arguments)
    return {argument.place for argument in arguments if isinstance(argument, Given)}


def test_the_machine_computes_the_answer_of_every_plan() -> None:
    for one in MANY:
        results: list[Value] = results_of(one.plan.steps, one.problem)
        assert results[-1] == pytest.approx(answer_of(one), abs=1e-9), one.problem.question


def test_a_plan_becomes_a_program_that_writes_nothing_but_computes() -> None:
    for one in MANY[:100]:
        assert compile_plan(one.plan, [], one.problem).answer is None


def test_every_number_of_a_plan_stands_in_the_question_where_it_says() -> None:
    for one in MANY:
        numbers = numbers_in(tokenise(one.problem.question))
        assert {place - 1 for place in givens_of(one)} <= numbers.keys(), one.problem.question


def test_a_plan_written_as_an_expression_is_read_back() -> None:
    for one in MANY:
        written = write_plan(one.plan, one.problem.question)
        assert parse_plan(written, one.problem.question) == one.plan, written


def test_the_solver_can_express_every_plan_and_reads_it_back() -> None:
    pieces = Pieces(SPECIAL_PIECES)
    for one in MANY:
        reading = read_problem(one.problem, pieces)
        choices = plan_to_choices(one.plan, reading)
        # A constant that the question gives as well would be read as the question's number.
        again = plan_from_choices(choices, reading)
        assert [step.operation for step in again.steps] == [s.operation for s in one.plan.steps]


def test_no_needed_constant_is_given_by_the_way() -> None:
    for one in MANY:
        numbers = set(numbers_in(tokenise(one.problem.question)).values())
        arguments = [argument for step in one.plan.steps for argument in step.arguments]
        constants = {number_of(a.numeral) for a in arguments if isinstance(a, PlanConstant)}
        # "On average, each of the three" gives the three that is divided by.
        if " the two" not in one.problem.question and " these " not in one.problem.question:
            assert not constants & numbers - {2.0, 3.0, 4.0}, one.problem.question


def test_a_seed_gives_the_same_stories_in_any_order() -> None:
    assert [story(11, number) for number in (7, 3, 2999)] == [MANY[7], MANY[3], MANY[2999]]
    assert story(12, 7) != MANY[7]


def test_no_story_is_told_twice() -> None:
    assert len({one.problem.question for one in MANY}) == len(MANY)


def test_most_stories_are_short_and_some_have_many_steps() -> None:
    steps = Counter(len(one.plan.steps) for one in MANY)
    assert set(steps) == set(range(1, 9))
    assert 0.3 < steps[1] / len(MANY) < 0.4
    assert 0.2 < steps[2] / len(MANY) < 0.3


def test_about_a_third_of_the_stories_have_a_number_that_is_not_needed() -> None:
    unneeded = sum(
        len(numbers_in(tokenise(one.problem.question))) > len(givens_of(one)) for one in MANY
    )
    assert 0.27 < unneeded / len(MANY) < 0.42


def test_no_number_of_the_question_is_the_answer() -> None:
    for one in MANY:
        numbers = numbers_in(tokenise(one.problem.question))
        assert answer_of(one) not in {numbers[place - 1] for place in givens_of(one)}


def test_answers_are_positive_and_money_has_two_decimals_at_most() -> None:
    for one in MANY:
        answer = one.problem.extra["answer"]
        assert answer_of(one) > 0
        assert re.fullmatch(r"\d+(\.\d\d?)?|\d+/\d+", answer), answer


@pytest.mark.parametrize(
    "fault",
    [
        r"[{}<>|\[\]\ue000-\uf8ff]",
        r"  | [.,?!]|\.\.|,,",
        r"\ba [aeio]\w|\ban [bcdfgjklmnpqrstvwxyz]",
        r"\b(?:with|to|for|by|from|takes?|took|leaves?) (?:he|she)\b",
        r"\b(?:than|as) (?:he|she)[.?,]",
        r"\b(?:he|she|it)'s\b",
        r"\b(\w+) \1\b",
        r"(?<!Mr)(?<!Mrs)(?<!Ms)[.?] [a-z]",
        r"^[a-z]",
        r"[^.?]$",
    ],
)
def test_the_text_has_no_fault_that_a_machine_can_see(fault: str) -> None:
    found = [one.problem.question for one in MANY if re.search(fault, one.problem.question)]
    assert found == []


def test_everything_can_be_said_in_six_ways() -> None:
    for move, (present, past) in all_wordings().items():
        assert len(set(present)) >= 6, move
        assert len(present) == len(past)


def test_there_are_many_things_and_only_food_is_eaten() -> None:
    assert len(things()) > 300
    eaten = {
        thing.kind.name for thing in things() for verb in thing.kind.losses if verb.base == "eat"
    }
    assert eaten == {"fruit", "baked", "sweets", "snacks"}


def test_the_shape_of_a_plan_is_the_same_for_other_numbers() -> None:
    shapes = Counter(plan_shape(one.plan) for one in MANY)
    assert shapes["Subtract(n, n)"] > 20
    assert shapes["Add(Multiply(n, n), n)"] > 20
    assert shapes["Add(n, Multiply(n, n))"] == 0
    assert shapes["Add(n, n)"] > 20
    assert len(shapes) > 300
