"""The sampling rule, whatever the verdicts are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.collecting.sampling import goes_to_two, is_sampled, keyed_chance, standing_after
from scratchwork.collecting.schema import SubmissionStatus
from scratchwork.collecting.settings import SamplingRule

RULE = SamplingRule()
Judged = tuple[SubmissionStatus, bool]
"""A status, and whether the submission was in the sample."""
ACCEPTED: Judged = ("accepted", True)
REJECTED: Judged = ("rejected", True)
CORRECTED: Judged = ("corrected", True)
MARKED: Judged = ("accepted", False)

statuses = st.sampled_from(["accepted", "rejected", "corrected", "waiting"])
verdicts = st.lists(st.tuples(statuses, st.booleans()), max_size=60)


def after(verdicts: list[Judged]) -> tuple[float, int]:
    rate, streak = RULE.start, 0
    for status, in_sample in verdicts:
        rate, streak = standing_after(RULE, rate, streak, status, in_sample)
    return rate, streak


@given(verdicts)
def test_rate_and_streak_stay_in_their_bounds(verdicts: list[Judged]) -> None:
    rate, streak = after(verdicts)
    assert 0.1 <= rate <= 1
    assert 0 <= streak < 5


@given(verdicts)
def test_after_a_rejection_the_rate_has_doubled_and_is_at_least_a_half(
    verdicts: list[Judged],
) -> None:
    before, _ = after(verdicts)
    assert after([*verdicts, REJECTED]) == (max(0.5, min(1, 2 * before)), 0)


@given(verdicts)
def test_five_accepted_samples_in_a_row_halve_the_rate(verdicts: list[Judged]) -> None:
    broken = [*verdicts, CORRECTED]
    before, streak = after(broken)
    assert streak == 0
    assert after([*broken, *[ACCEPTED] * 4])[0] == before
    assert after([*broken, *[ACCEPTED] * 5]) == (max(0.1, before / 2), 0)


@given(verdicts)
def test_what_was_reviewed_beside_the_sample_is_no_merit(
    verdicts: list[Judged],
) -> None:
    assert after([*verdicts, *[MARKED] * 10]) == after(verdicts)


def test_a_careful_contributor_ends_at_a_tenth_and_a_careless_one_at_all() -> None:
    assert after([ACCEPTED] * 50)[0] == 0.1
    assert after([REJECTED] * 3)[0] == 1


@given(st.integers(0, 2**32), st.integers(1, 10**6), st.floats(0, 1), st.floats(0, 1))
def test_a_choice_can_be_made_again_and_a_higher_rate_only_adds(
    randomness: int, submission_id: int, rate: float, other: float
) -> None:
    chosen = is_sampled(RULE, randomness, submission_id, 3, rate)
    assert chosen == is_sampled(RULE, randomness, submission_id, 3, rate)
    assert 0 <= keyed_chance(randomness, submission_id, "sample") < 1
    if chosen and other >= rate:
        assert is_sampled(RULE, randomness, submission_id, 3, other)
    assert is_sampled(RULE, randomness, submission_id, 2, 0)
    assert is_sampled(RULE, randomness, submission_id, 3, 1)


def test_the_share_that_is_chosen_is_the_rate() -> None:
    numbers = range(1, 20_001)
    for rate in (0.1, 0.2, 0.5):
        share = sum(is_sampled(RULE, 7, k, 3, rate) for k in numbers) / len(numbers)
        assert share == pytest.approx(rate, abs=0.015)
    sample = [k for k in numbers if is_sampled(RULE, 7, k, 3, 0.2)]
    twice = sum(goes_to_two(RULE, 7, k) for k in sample) / len(sample)
    assert twice == pytest.approx(0.1, abs=0.02)
