"""Reviewing: the right ones are given out, a verdict counts once, agreement is what it says."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from scratchwork.collecting.reviewing import (
    agreement,
    agreement_of,
    decide,
    next_for,
    standing,
    status_after,
    to_review,
)
from scratchwork.collecting.sampling import goes_to_two
from scratchwork.collecting.schema import Contributor, Review, Reviewer, Submission, Task, Verdict
from scratchwork.collecting.settings import CollectionSettings, SamplingRule
from scratchwork.collecting.storing import Store
from scratchwork.errors import UserError
from tests.collecting.conftest import MakeStore
from tests.collecting.test_storing import HOSTILE
from tests.collecting.writing import Writer, row


def add_reviewer(store: Store, name: str) -> int:
    """A reviewer who never logs in."""

    def add(session: Session) -> int:
        reviewer = Reviewer(name=name, password_hash="none")
        session.add(reviewer)
        session.flush()
        return reviewer.id

    return store.write(add)


def add_submissions(store: Store, *marks: tuple[bool, bool]) -> list[int]:
    """Submissions that are in the sample, marked, both or neither, without the cost of checks."""

    def add(session: Session) -> list[int]:
        contributor = Contributor(name="Mira")
        session.add(contributor)
        session.flush()
        numbers: list[int] = []
        for k, (in_sample, marked) in enumerate(marks):
            task = Task(contributor_id=contributor.id, seed_ids=[1], state="done")
            session.add(task)
            session.flush()
            submission = Submission(
                task_id=task.id, contributor_id=contributor.id, seed_id=1, client_key=str(k),
                problem=row(20 + k), topic="speed", relation="original",
                in_sample=in_sample, marked=marked,
            )  # fmt: skip
            session.add(submission)
            session.flush()
            numbers.append(submission.id)
        return numbers

    return store.write(add)


def review_all(store: Store, reviewer: int) -> list[int]:
    """Accept whatever is given out; the numbers in order."""
    numbers: list[int] = []
    while (item := next_for(store, reviewer)) is not None:
        decide(store, reviewer, item.submission_id, "accept")
        numbers.append(item.submission_id)
    return numbers


def rate_and_streak(store: Store) -> tuple[float, int]:
    mira = store.read(lambda s: s.scalars(select(Contributor)).one())
    return mira.review_rate, mira.streak


def test_what_is_sampled_or_marked_is_given_out_and_nothing_else(store: Store) -> None:
    marks = [(True, False), (False, False), (False, True), (True, True), (False, False)]
    numbers = add_submissions(store, *marks)
    ann = add_reviewer(store, "Ann")
    wanted = [number for number, mark in zip(numbers, marks, strict=True) if any(mark)]
    assert sorted(review_all(store, ann)) == wanted
    assert next_for(store, ann) is None


def test_a_tenth_of_the_sample_goes_to_two_and_nothing_to_three(store: Store) -> None:
    numbers = add_submissions(store, *[(True, False)] * 40, (False, True))
    ann, bob, eve = (add_reviewer(store, name) for name in ("Ann", "Bob", "Eve"))
    rule, randomness = store.settings.sampling, store.settings.randomness
    twice = [number for number in numbers[:40] if goes_to_two(rule, randomness, number)]
    assert 1 <= len(twice) <= 10
    assert sorted(review_all(store, ann)) == numbers
    assert sorted(review_all(store, bob)) == twice
    assert review_all(store, eve) == []


def test_reviewers_at_work_at_once_mostly_see_different_ones(store: Store) -> None:
    add_submissions(store, *[(True, False)] * 40)
    seen: list[int] = []
    for k in range(6):
        item = next_for(store, add_reviewer(store, f"name {k}"))
        assert item is not None
        seen.append(item.submission_id)
    assert len(set(seen)) >= 4
    assert max(seen) <= 20  # the oldest come first


def test_a_reviewer_sees_the_problem_with_its_seed_and_its_neighbour(
    store: Store, writer: Writer
) -> None:
    number = writer.submit(20)
    ann = add_reviewer(store, "Ann")
    item = next_for(store, ann)
    assert item is not None
    assert item == to_review(store, number)
    assert item.problem["question"] == row(20)["question"]
    assert item.seed_problem["question"] != item.problem["question"]
    assert item.nearest is not None
    assert item.nearest_problem is not None
    assert item.audit is not None
    for missing in (99, -1, 10**30):
        with pytest.raises(UserError, match="no submission"):
            to_review(store, missing)


def test_a_verdict_counts_once(store: Store) -> None:
    (number,) = add_submissions(store, (True, False))
    ann = add_reviewer(store, "Ann")
    with ThreadPoolExecutor(6) as pool:
        given = [pool.submit(decide, store, ann, number, "accept") for _ in range(12)]
        assert len({future.result() for future in given}) == 1
    assert rate_and_streak(store) == (0.2, 1)
    with pytest.raises(UserError, match="reviewed submission 1 already: accept"):
        decide(store, ann, number, "reject", "on second thoughts")
    assert len(store.read(lambda s: s.scalars(select(Review)).all())) == 1


def test_verdicts_of_many_at_once_all_count(store: Store) -> None:
    numbers = add_submissions(store, *[(True, False)] * 4)
    reviewers = [add_reviewer(store, f"name {k}") for k in range(3)]
    with ThreadPoolExecutor(6) as pool:
        given = [pool.submit(decide, store, r, n, "accept") for n in numbers for r in reviewers]
        assert {future.result().status for future in given} == {"accepted"}
    assert rate_and_streak(store) == (0.2, 4)  # four submissions, however many reviews


def test_a_contributors_rate_follows_the_verdicts(store: Store) -> None:
    numbers = add_submissions(store, *[(True, False)] * 7, (False, True))
    ann = add_reviewer(store, "Ann")
    for number in numbers[:5]:
        decide(store, ann, number, "accept")
    assert rate_and_streak(store) == (0.1, 0)
    decide(store, ann, numbers[5], "reject", "copied")
    assert rate_and_streak(store) == (0.5, 0)
    decide(store, ann, numbers[7], "accept")
    assert rate_and_streak(store) == (0.5, 0)
    decide(store, ann, numbers[6], "accept")
    assert rate_and_streak(store) == (0.5, 1)


def test_the_stricter_of_two_reviewers_decides(store: Store) -> None:
    (number,) = add_submissions(store, (True, False))
    ann, bob, eve = (add_reviewer(store, name) for name in ("Ann", "Bob", "Eve"))
    assert decide(store, ann, number, "accept").status == "accepted"
    corrected = row(20, correct="B")
    assert decide(store, bob, number, "correct", None, corrected).status == "corrected"
    assert decide(store, eve, number, "reject", "false").status == "rejected"
    assert rate_and_streak(store) == (0.5, 0)
    stored = store.read(
        lambda s: s.scalars(select(Review).where(Review.verdict == "correct")).one()
    )
    assert stored.corrected is not None
    assert stored.corrected["correct"] == "B"


def test_what_is_no_verdict_is_told_in_a_sentence(store: Store) -> None:
    (number,) = add_submissions(store, (True, False))
    ann, bob = add_reviewer(store, "Ann"), add_reviewer(store, "Bob")
    store.write(lambda s: setattr(s.get_one(Reviewer, bob), "disabled", True))
    verdicts: list[tuple[int, int, Verdict, str | None, object, str]] = [
        (ann, number, "reject", None, None, "needs a reason"),
        (ann, number, "reject", " \n ", None, "needs a reason"),
        (ann, number, "reject", "a\0b", None, "U\\+0000"),
        (ann, number, "reject", "x" * 10_001, None, "more than 10000"),
        (ann, number, "correct", None, None, "needs the corrected problem"),
        (ann, number, "accept", None, row(20), "needs the corrected problem"),
        (ann, number, "correct", None, row(20, options=["1"]), "one option only"),
        (ann, number, "correct", None, {}, "no question"),
        (ann, 99, "accept", None, None, "no submission"),
        (ann, 10**30, "accept", None, None, "no submission"),
        (bob, number, "accept", None, None, "only reviewers"),
        (99, number, "accept", None, None, "only reviewers"),
    ]
    for reviewer, submission, verdict, reason, corrected, sentence in verdicts:
        with pytest.raises(UserError, match=sentence):
            decide(store, reviewer, submission, verdict, reason, corrected)
    assert rate_and_streak(store) == (0.2, 0)
    assert next_for(store, ann) is not None


def test_a_correction_must_correct_something(store: Store, writer: Writer) -> None:
    number = writer.submit(20)
    ann = add_reviewer(store, "Ann")
    with pytest.raises(UserError, match="nothing is corrected"):
        decide(store, ann, number, "correct", None, row(20))


def test_whatever_a_reason_holds_is_told_to_the_contributor(store: Store) -> None:
    numbers = add_submissions(store, *[(True, False)] * len(HOSTILE))
    ann = add_reviewer(store, "Ann")
    for number, text in zip(numbers, HOSTILE, strict=True):
        decide(store, ann, number, "reject", text)
    mira = store.read(lambda s: s.scalars(select(Contributor.id)).one())
    found = standing(store, mira)
    assert [outcome.submission_id for outcome in found.outcomes] == numbers[::-1]
    assert [outcome.reasons for outcome in found.outcomes] == [(text,) for text in HOSTILE[::-1]]
    assert found.counts == {
        "waiting": 0, "accepted": 0, "corrected": 0, "rejected": len(HOSTILE),
    }  # fmt: skip
    assert [o.submission_id for o in standing(store, mira, latest=2).outcomes] == numbers[:-3:-1]
    with pytest.raises(UserError, match="no contributor"):
        standing(store, 10**30)


def test_agreement_counts_what_two_have_reviewed(make_store: MakeStore) -> None:
    store = make_store(settings=CollectionSettings(sampling=SamplingRule(twice=1.0)))
    numbers = add_submissions(store, *[(True, False)] * 4)
    ann, bob = add_reviewer(store, "Ann"), add_reviewer(store, "Bob")
    assert agreement(store) == agreement_of([])
    for number in numbers:
        decide(store, ann, number, "accept")
    for number in numbers[1:3]:
        decide(store, bob, number, "accept")
    decide(store, bob, numbers[0], "reject", "false")
    found = agreement(store)
    assert (found.pairs, found.raw, found.kappa) == (3, 2 / 3, 0)


verdicts_given = st.lists(st.sampled_from(["accept", "reject", "correct"]), max_size=4)
pairs_given = st.lists(st.tuples(*[st.sampled_from(["accept", "reject", "correct"])] * 2))


@given(verdicts_given)
def test_the_status_does_not_depend_on_the_order(verdicts: list[Verdict]) -> None:
    assert status_after(verdicts) == status_after(verdicts[::-1]) == status_after(sorted(verdicts))


@given(pairs_given)
def test_agreement_is_symmetric_bounded_and_one_if_all_agree(
    pairs: Sequence[tuple[Verdict, Verdict]],
) -> None:
    found = agreement_of(pairs)
    assert found == agreement_of([(other, one) for one, other in pairs])
    assert found.pairs == len(pairs)
    if found.kappa is None:
        assert found.raw in (None, 1)  # nobody, or one and the same verdict throughout
    else:
        assert found.raw is not None
        assert -1 <= found.kappa <= found.raw
        assert (found.kappa == 1) == (found.raw == 1)


def times(count: int, one: Verdict, other: Verdict) -> list[tuple[Verdict, Verdict]]:
    return [(one, other) for _ in range(count)]


def test_kappa_is_that_of_a_worked_example() -> None:
    agreed = times(20, "accept", "accept") + times(15, "reject", "reject")
    found = agreement_of(agreed + times(5, "accept", "reject") + times(10, "reject", "accept"))
    assert found.raw == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
