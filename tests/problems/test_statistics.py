import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import read_problems
from scratchwork.problems.statistics import Statistics, statistics_of
from scratchwork.problems.tokens import OPTION_TAG, source_tokens, tokenise

TEXTS = st.text("aB 1.,/\n", min_size=1).filter(str.strip)
PROBLEMS = st.builds(
    Problem,
    question=TEXTS,
    options=st.one_of(st.just(()), st.tuples(TEXTS, TEXTS)),
    rationale=st.none() | st.text("aB 1.,/\n"),
)


def test_a_problem_is_counted_by_hand() -> None:
    problem = Problem("Add 2 and 2 .", ("4", "5 or 1/2"), rationale="2 + 2 = 4\nA", correct="A")
    statistics = statistics_of([problem])
    question = statistics.question.measures()
    # Add 2 and 2 . | 4 | 5 or 1/2
    assert (question["numeric"].average_length, question["numeric"].vocabulary) == (5, 4)
    assert (question["non_numeric"].average_length, question["non_numeric"].vocabulary) == (4, 4)
    rationale = statistics.rationale.measures()
    # 2 + 2 = 4 \n A
    assert (rationale["all"].average_length, rationale["all"].vocabulary) == (7, 6)
    assert statistics.lengths == {16: 1}


@given(st.lists(PROBLEMS, max_size=5))
def test_question_lengths_are_source_lengths_without_tags_and_labels(
    problems: list[Problem],
) -> None:
    expected = 0
    for problem in problems:
        tokens = source_tokens(problem)
        expected += len(tokens) - 2 * len(problem.options)
        assert tokens.count(OPTION_TAG) == len(problem.options)
    assert statistics_of(problems).question.occurrences.total() == expected


@given(st.lists(PROBLEMS, max_size=5), st.lists(PROBLEMS, max_size=5))
def test_merging_is_counting_everything_at_once(ones: list[Problem], others: list[Problem]) -> None:
    merged = Statistics()
    merged.merge(statistics_of(ones))
    merged.merge(statistics_of(others))
    assert merged == statistics_of(ones + others)


@given(st.lists(PROBLEMS, max_size=5))
def test_numeric_and_other_tokens_make_up_all(problems: list[Problem]) -> None:
    statistics = statistics_of(problems)
    for side in (statistics.question, statistics.rationale):
        numeric, other, both = side.measures().values()
        assert numeric.vocabulary + other.vocabulary == both.vocabulary
        assert numeric.average_length + other.average_length == pytest.approx(both.average_length)
    assert statistics.lengths.total() == statistics.examples == len(problems)


def test_rationale_averages_leave_out_problems_without_a_rationale() -> None:
    statistics = statistics_of([Problem("How many?", rationale="3 + 4 = 7"), Problem("How few?")])
    assert statistics.examples == 2
    assert statistics.rationale.texts == 1
    assert statistics.rationale.measures()["all"].average_length == 5


def test_no_problems_have_no_statistics_to_divide_by() -> None:
    assert statistics_of([]).as_json()["question"]["all"] == {
        "average_length": 0.0,
        "vocabulary": 0,
    }


def test_texts_are_not_kept() -> None:
    def problems() -> Iterator[Problem]:
        for k in range(1000):
            yield Problem(f"How many are {k % 10} of these? " + "and so on " * 100)

    tracemalloc.start()
    statistics_of(problems())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300_000  # the texts are 1 MB


def test_statistics_of_the_released_development_set(data_folder: Path) -> None:
    problems = list(read_problems(data_folder / "aqua" / "dev.json"))
    statistics = statistics_of(problems)
    assert statistics.examples == statistics.rationale.texts == 254
    words = {token for problem in problems for token in tokenise(problem.rationale or "")}
    assert statistics.rationale.measures()["all"].vocabulary == len(words)
    assert 50 < statistics.question.measures()["all"].average_length < 60
