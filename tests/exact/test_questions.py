"""Questions in fixed words, against what Python's own calendar and arithmetic say."""

from datetime import datetime, timedelta
from math import factorial, prod
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scratchwork import Problem, audit
from scratchwork.errors import UserError
from scratchwork.exact.answering import exact_solution, solution_without_model
from scratchwork.exact.patterns import MOST_WORDS, procedure_for
from scratchwork.exact.questions import QUESTIONS
from scratchwork.machine.lexing import lexemes_of
from scratchwork.problems.typed import typed_problem
from scratchwork.solution import Solution
from tests.exact.test_typed import CASES

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NOON = datetime(2024, 1, 1, 12)
ODD = ["0", "-5", "1/2", "2.5", "999999999999999", "10^12", "1/0", "x", "twelve", "13", "60", "-"]
"""What may stand where a number was."""
ASKED = [
    case.problem.question
    for kind in "digits primes weekday letters statistics series time units trap-alike".split()
    for case in CASES[kind]
]


def solved(question: str) -> Solution:
    solution = exact_solution(typed_problem(question))
    assert solution is not None, question
    read = solution.trace.problem
    told = Problem(read.question, rationale=solution.rationale)
    assert audit(told).false_equations == ()
    return solution


def clock(time: datetime) -> str:
    hour = time.hour % 12 or 12
    return f"{hour}:{time.minute:02} {'am' if time.hour < 12 else 'pm'}"


def duration(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours} h"] if hours else []
    return " ".join([*parts, *([f"{rest} min"] if rest else [])])


minutes_of_day = st.integers(0, 1439)


@settings(deadline=None)
@given(minutes_of_day, st.integers(1, 1439))
def test_times_are_those_of_the_calendar(start: int, span: int) -> None:
    begin = NOON + timedelta(minutes=start)
    end = begin + timedelta(minutes=span)
    assert solved(f"How long is it from {clock(begin)} to {clock(end)}?").value == duration(span)
    asked = duration(span)
    assert solved(f"What time is it {asked} after {clock(begin)}?").value == clock(end)
    assert solved(f"What time is {asked} before {clock(end)}?").value == clock(begin)


@settings(deadline=None)
@given(st.sampled_from(DAYS), st.integers(0, 10_000))
def test_days_of_the_week_are_those_of_the_calendar(day: str, days: int) -> None:
    start = NOON + timedelta(days=DAYS.index(day))
    after, before = (f"{start + timedelta(days=sign * days):%A}" for sign in (1, -1))
    assert solved(f"What day is {days} days after {day}?").value == after
    assert solved(f"Today is {day}. What day was it {days} days ago?").value == before


@settings(deadline=None)
@given(st.integers(2, 10**12))
def test_prime_factors_multiply_to_the_number(n: int) -> None:
    value = solved(f"prime factors of {n}").value
    assert value is not None
    factors = [int(factor) for factor in value.split(" × ")]
    assert prod(factors) == n
    assert factors == sorted(factors)
    assert all(solved(f"is {factor} prime?").value == "yes" for factor in {*factors})
    assert solved(f"is {n} prime?").value == ("yes" if len(factors) == 1 else "no")


@settings(deadline=None)
@given(st.integers(-50, 50), st.integers(1, 20), st.booleans(), st.integers(4, 40))
def test_series_are_what_their_terms_are_one_by_one(
    first: int, step: int, falls: bool, count: int
) -> None:
    step = -step if falls else step
    terms = [first + k * step for k in range(count)]
    given = ", ".join(map(str, terms[:3]))
    assert solved(f"What is the {count}th term of {given}, ...?").value == str(terms[-1])
    assert solved(f"sum of the first {count} terms of {given}, ...").value == str(sum(terms))
    asked = f"How many terms are in the sequence {given}, ..., {terms[-1]}?"
    assert solved(asked).value == str(count)
    if min(terms) >= 0:
        written = " + ".join(map(str, terms[:3]))
        assert solved(f"{written} + ... + {terms[-1]}").value == str(sum(terms))


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(2, 4), st.integers(4, 10))
def test_geometric_series_are_what_their_terms_are(first: int, ratio: int, count: int) -> None:
    terms = [first * ratio**k for k in range(count)]
    given = ", ".join(map(str, terms[:3]))
    assert solved(f"the {count}th term of {given}, ...").value == str(terms[-1])
    written = " + ".join(map(str, terms[:3]))
    assert solved(f"{written} + ... + {terms[-1]}").value == str(sum(terms))


@settings(deadline=None)
@given(st.lists(st.integers(0, 99), min_size=2, max_size=9))
def test_the_median_is_that_of_the_sorted_list(numbers: list[int]) -> None:
    value = solved(f"What is the median of {', '.join(map(str, numbers))}?").value
    assert value is not None
    assert float(value) == median(numbers)


@settings(deadline=None)
@given(st.integers(2, 99), st.integers(1, 10**6))
def test_the_last_digit_of_a_power_is_that_of_the_whole_power(base: int, exponent: int) -> None:
    assert solved(f"last digit of {base}^{exponent}").value == str(pow(base, exponent, 10))


@given(st.text(st.sampled_from("abcxyz"), min_size=2, max_size=9))
def test_letters_are_arranged_in_as_many_ways_as_differ(word: str) -> None:
    ways = factorial(len(word)) // prod(factorial(word.count(one)) for one in {*word})
    asked = f"In how many ways can the letters of the word {word} be arranged?"
    assert solved(asked).value == str(ways)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("sum of the digits of 4725", "4 + 7 + 2 + 5 = 18.\nSo the answer is 18."),
        ("is 91 prime?", "91 = 7 × 13.\nSo the answer is no."),
        ("median of 3, 9, 4, 7, 5", "In order: 3, 4, 5, 7, 9.\nThe number in the middle is 5.\n"),
        ("150 minutes in hours and minutes", "150 min = 2 h 30 min.\nSo the answer is 2 h 30 min."),
        (
            "how many letters are in the word CAT",
            "The number of letters of CAT is 3.\nSo the answer is 3.",
        ),
    ],
)
def test_steps_are_told_as_a_teacher_tells_them(question: str, lines: str) -> None:
    assert solved(question).rationale.startswith(lines)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_no_question_with_an_odd_number_or_word_in_it_fails(data: st.DataObject) -> None:
    words = data.draw(st.sampled_from(ASKED)).split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at : at + 1] = data.draw(
            st.sampled_from([[], [words[at]] * 2, [data.draw(st.sampled_from(ODD))]])
        )
        words = words or ["?"]
    try:
        solution = solution_without_model(typed_problem(" ".join(words)))
    except UserError:
        return  # nothing is left of the question
    assert solution is None or solution.is_exact or solution.note


@pytest.mark.parametrize(
    "text",
    [
        "what is " * 29,
        "from 1 to " * 19,
        "1 + " * 29 + "...",
        "median of " + "1 of " * 28,
        "is " * 58,
    ],
)
def test_a_question_of_repeated_words_is_no_question(text: str) -> None:
    assert procedure_for(QUESTIONS, lexemes_of(text)) is None


def test_a_question_of_very_many_words_is_left() -> None:
    numbers = ", ".join(map(str, range(MOST_WORDS)))
    assert procedure_for(QUESTIONS, lexemes_of(f"median of {numbers}")) is None
