import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from scratchwork import Problem, generate, load_families
from scratchwork.collecting.neighbours import CANDIDATES, Near, Neighbours
from scratchwork.collecting.schema import Contributor, Submission, Task
from scratchwork.collecting.storing import Store
from scratchwork.problems.duplicates import HeldOut, Thresholds
from scratchwork.problems.rows import row_from_problem

TRAIN = "A train {} m long passes a pole in {} seconds. What is its speed in km per hour?"
CARDS = "Two cards are drawn from a pack of 52. What is the chance that both are kings?"


@pytest.fixture(scope="module")
def generated() -> list[str]:
    """Questions of all families: each family has about two, with other numbers and words."""
    made = (made.problem.question for made in generate(load_families(), 3000, seed=11))
    return list(dict.fromkeys(made))


def index_of(questions: list[str]) -> Neighbours:
    neighbours = Neighbours()
    for k, question in enumerate(questions):
        neighbours.add(("submission", k), question)
    return neighbours


def test_a_copy_is_found_first_and_whatever_its_case_and_spaces() -> None:
    neighbours = index_of([CARDS, TRAIN.format(150, 12)])
    assert neighbours.nearest(f"  {CARDS.upper()} ")[0] == Near(("submission", 0), 100.0, 100.0)


def test_other_numbers_lower_the_ratio_but_not_the_digit_free_one() -> None:
    (near,) = index_of([TRAIN.format(150, 12)]).nearest(TRAIN.format(270, 9))
    assert 75 < near.ratio < 100
    assert near.digit_free == 100


def test_of_two_questions_with_few_letters_there_is_no_digit_free_ratio() -> None:
    (near,) = index_of(["What is 34 + 62?"]).nearest("What is 17 + 55?")
    assert near.ratio > 50
    assert near.digit_free == 0


@pytest.mark.parametrize("question", ["", "?!", "Сколько будет два и два?"])
def test_what_has_nothing_to_compare_is_near_to_nothing(question: str) -> None:
    neighbours = index_of([CARDS, question])
    assert neighbours.nearest(question) == []
    assert [near.key for near in neighbours.nearest(CARDS)] == [("submission", 0)]


def test_one_letter_is_enough_to_be_found_among_many(generated: list[str]) -> None:
    neighbours = index_of(generated)
    neighbours.add(("seed", 1), "x = ?")
    assert neighbours.nearest("X?")[0].key == ("seed", 1)


def test_no_more_neighbours_come_than_asked_for(generated: list[str]) -> None:
    neighbours = index_of(generated)
    for limit in (0, 1, 5):
        assert len(neighbours.nearest(generated[0], limit)) == limit


def test_a_replica_is_not_hidden_by_neighbours_with_the_same_digits() -> None:
    digits = " ".join(map(str, range(100, 140)))
    question = f"Find the mean of the numbers {digits} that stand here."
    replica = f"Find the mean of the numbers {digits[::-1]} that stand here."
    others = [f"Give the {word} of all {digits}" for word in ("sum", "least", "greatest")]
    nearest = index_of([*others, replica]).nearest(question, limit=2)
    assert nearest[-1].key == ("submission", 3)
    assert nearest[-1].digit_free == 100


@given(st.lists(st.text("ab1 2.", max_size=40), max_size=12), st.text("ab1 2.", max_size=40))
def test_the_ratios_are_those_of_the_search_for_duplicates(
    questions: list[str], question: str
) -> None:
    expected = {
        match.other: match.ratio
        for match in HeldOut([question], Thresholds(0.01, 100)).matches(questions)
        if match.ratio
    }
    found = {near.key[1]: near.ratio for near in index_of(questions).nearest(question, 100)}
    assert {k: ratio for k, ratio in found.items() if ratio} == expected


def test_of_the_pairs_above_the_thresholds_99_in_100_are_found(generated: list[str]) -> None:
    order = random.Random(5)
    asked = order.sample(generated, 300)
    others = [question for question in generated if question not in set(asked)]
    # Near copies: some words dropped, so that pairs lie on both sides of the thresholds.
    for question in asked:
        words = question.split()
        others.append(" ".join(word for word in words if order.random() > 0.2))
    order.shuffle(others)
    assert len(others) > 5 * CANDIDATES
    neighbours = index_of(others)
    pairs = HeldOut(asked).pairs(others)
    found = {
        (k, near.key[1])
        for k, question in enumerate(asked)
        for near in neighbours.nearest(question, CANDIDATES)
    }
    assert len(pairs) > 200
    assert len(pairs & found) >= 0.99 * len(pairs)


def test_a_question_known_by_its_key_is_not_taken_in_twice() -> None:
    neighbours = index_of([CARDS])
    neighbours.add(("submission", 0), TRAIN.format(150, 12))
    assert len(neighbours) == 1
    assert neighbours.nearest(CARDS)[0].ratio == 100


def test_threads_may_add_and_search_at_once(generated: list[str]) -> None:
    neighbours = Neighbours()

    def add_and_find(k: int) -> bool:
        neighbours.add(("submission", k), generated[k])
        return any(near.ratio == 100 for near in neighbours.nearest(generated[k]))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(add_and_find, range(600)))
    assert len(neighbours) == 600


def hand_in(store: Store, number: int, question: str) -> None:
    row = row_from_problem(Problem(question, ("1", "2"), "It is 1.", "A"))

    def work(session: Session) -> None:
        if session.get(Contributor, 1) is None:
            session.add(Contributor(id=1, name="Ada"))
            session.flush()
        session.add(Task(id=number, contributor_id=1, seed_ids=[1, 2, 3, 4, 5], state="done"))
        session.flush()
        session.add(
            Submission(
                id=number, task_id=number, contributor_id=1, seed_id=1, client_key=str(number),
                problem=row, topic="other", relation="original",
            )
        )  # fmt: skip

    store.write(work)


def test_it_catches_up_with_what_others_store(tmp_path: Path) -> None:
    seeds = [Problem(f"{CARDS} {k}", ("1", "2"), "It is 1.", "A") for k in range(5)]
    with Store.create(tmp_path / "made", seeds) as store:
        neighbours = Neighbours()
        assert store.read(neighbours.catch_up) == 5
        hand_in(store, 1, "How long do three pipes take to fill a tank of 40 litres together?")
        hand_in(store, 2, TRAIN.format(150, 12))
        assert store.read(neighbours.catch_up) == 2
        assert store.read(neighbours.catch_up) == 0
    assert neighbours.nearest(TRAIN.format(150, 12))[0].key == ("submission", 2)
    assert neighbours.nearest(f"{CARDS} 3")[0].key == ("seed", 4)
