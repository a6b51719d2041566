import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from scratchwork import Problem
from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.collating import collate
from scratchwork.solver.reading import read_problem
from scratchwork.solver.saving import load_solver
from scratchwork.solver.symbols import FIRST_NUMERAL, FIRST_OPERATION, LONGEST_PLAN
from scratchwork.solver.voting import (
    Ballot,
    VoteWeights,
    ballot_of,
    number_probabilities,
    option_probabilities,
    plan_weights,
    rounding,
)

NOBODY = (-math.inf, -1)
"""A place among a problem's plans that no plan takes."""
Plan = tuple[float, int]
"""The logarithm of its probability, the option reached."""


def found(*plans: Plan) -> FoundPlans:
    logs, reached = zip(*plans, strict=True)
    numbers = torch.tensor([logs], dtype=torch.float64)
    return FoundPlans(
        torch.full((1, len(plans), LONGEST_PLAN), -1),
        numbers,
        torch.where(torch.isfinite(numbers), 1.0, math.nan),
        torch.tensor([reached]),
    )


def ballot(
    *plans: Plan,
    options: int = 5,
    unused: Sequence[int] | None = None,
    rounding: Sequence[float] | None = None,
    clashes: Sequence[int] | None = None,
) -> Ballot:
    nothing = [0.0] * len(plans)
    return Ballot(
        found(*plans),
        torch.tensor([unused or nothing]),
        torch.tensor([rounding or nothing]),
        torch.tensor([clashes or nothing]),
        torch.arange(5)[None] < options,
    )


def probabilities(
    plans: Sequence[Plan], options: int = 5, weights: VoteWeights | None = None
) -> list[float]:
    some = option_probabilities(ballot(*plans, options=options), weights or VoteWeights())
    return some[0, :options].tolist()


plans = st.lists(
    st.one_of(
        st.just(NOBODY),
        st.tuples(st.floats(-30, 0), st.integers(-1, 4)),
    ),
    min_size=1,
    max_size=6,
)


@given(plans)
def test_the_scores_are_probabilities_and_no_option_is_impossible(some: list[Plan]) -> None:
    shares = probabilities(some)
    assert sum(shares) == pytest.approx(1)
    assert min(shares) > 0


@given(plans, st.permutations(range(5)))
def test_the_order_of_the_options_does_not_matter(some: list[Plan], order: list[int]) -> None:
    moved = [(log, order.index(option) if option >= 0 else -1) for log, option in some]
    shares = probabilities(some)
    assert probabilities(moved) == pytest.approx([shares[k] for k in order])


@given(plans, st.integers(0, 4))
def test_one_more_vote_makes_an_option_more_probable(some: list[Plan], option: int) -> None:
    before = probabilities([*some, NOBODY])
    after = probabilities([*some, (-1.0, option)])
    assert after[option] >= before[option] - 1e-9
    assert probabilities([*some, (-1.0, -1)]) == pytest.approx(before)


def test_probable_plans_weigh_more() -> None:
    assert probabilities([(-1.0, 0), (-2.0, 1)], 2)[0] > 0.5
    assert probabilities([(-1.0, 0), (-1.0, 1)], 2) == pytest.approx([0.5, 0.5])


@given(st.floats(0.1, 20))
def test_improbable_plans_make_nobody_sure(by: float) -> None:
    best, other = (-1.0, 0), (-3.0, 1)
    lower = [(log - by, option) for log, option in (best, other)]
    assert max(probabilities(lower)) < max(probabilities([best, other]))


def test_where_no_plan_reaches_an_option_all_are_as_probable() -> None:
    for nothing in ([NOBODY], [(-1.0, -1)]):
        assert probabilities(nothing) == pytest.approx([0.2] * 5)


def test_missing_options_get_no_probability() -> None:
    some = option_probabilities(ballot((-1.0, 1), options=3), VoteWeights())[0].tolist()
    assert some[3:] == [0, 0]
    assert sum(some[:3]) == pytest.approx(1)


def test_numbers_left_unused_make_a_vote_weigh_less() -> None:
    some = ballot((-1.0, 0), (-1.0, 1), options=2, unused=[0, 2])
    first, second = option_probabilities(some, VoteWeights())[0, :2].tolist()
    assert first > 0.55 > second
    weights = plan_weights(some, VoteWeights(unused=0.5))
    assert float(weights[0, 0] / weights[0, 1]) == pytest.approx(math.e)


def test_clashing_units_make_a_vote_weigh_less() -> None:
    some = ballot((-1.0, 0), (-1.0, 1), options=2, clashes=[0, 1])
    first, second = option_probabilities(some, VoteWeights())[0, :2].tolist()
    assert first > 0.55 > second


def test_a_result_that_is_rounded_to_its_option_weighs_less_the_more_it_is() -> None:
    some = ballot((-1.0, 0), (-1.0, 1), (-1.0, 2), options=3, rounding=[0, 0.001, 0.05])
    first, second, third = option_probabilities(some, VoteWeights())[0, :3].tolist()
    assert first > second > third
    assert third < 0.5 * first


def test_how_much_is_rounded_is_seen_from_the_value_of_the_option() -> None:
    results = torch.tensor([[12.5, 16.2, 7.0, math.nan]], dtype=torch.float64)
    some = replace(found((-1.0, 1), (-2.0, 0), (-3.0, -1), NOBODY), results=results)
    values = torch.tensor([[[16.0, math.nan, 16.0], [math.nan, math.nan, 12.5]]])
    assert rounding(some, values.double())[0].tolist() == pytest.approx([0, 0.0125, 0, 0])


def test_only_the_questions_numbers_in_digits_count_as_unused(tiny_solver: Path) -> None:
    pieces = load_solver(tiny_solver).pieces
    problem = Problem("Two men have 7 pens and 9 cups.", ("16", "63"))
    batch = collate([read_problem(problem, pieces)], torch.device("cpu"))
    at = [batch.read.numeral_values[0].tolist().index(value) for value in (7.0, 9.0)]
    choices = torch.full((1, 2, LONGEST_PLAN), -1)
    choices[0, 0, :4] = torch.tensor([0, FIRST_OPERATION, *(FIRST_NUMERAL + k for k in at)])
    some = replace(found((-1.0, 0), (-2.0, -1)), choices=choices)
    seen = ballot_of(some, batch.read, batch.in_question, batch.option_values)
    assert seen.unused.tolist() == [[0, 2]]


def test_a_missing_plan_has_no_weight() -> None:
    weights = plan_weights(ballot((-1.0, 2), NOBODY), VoteWeights())[0].tolist()
    assert weights[0] > 0
    assert weights[1] == 0


def test_sharpness_moves_probabilities_but_not_their_order() -> None:
    some = [(-1.0, 0), (-1.5, 1)]
    blunt, plain, sharp = (
        probabilities(some, 3, VoteWeights(sharpness=by)) for by in (0.3, 1.0, 3.0)
    )
    assert max(blunt) < max(plain) < max(sharp)
    assert sorted(range(3), key=blunt.__getitem__) == sorted(range(3), key=sharp.__getitem__)


@given(st.dictionaries(st.floats(-100, 100), st.floats(1e-6, 5), min_size=1, max_size=6))
def test_numbers_with_more_votes_come_first_and_another_number_is_always_possible(
    votes: dict[float, float],
) -> None:
    shares = number_probabilities(votes, VoteWeights())
    assert sorted(shares.values(), reverse=True) == list(shares.values())
    assert sorted(shares) == sorted(votes)
    assert 0 < sum(shares.values()) < 1
    assert max(votes.values()) == votes[next(iter(shares))]


def test_weights_can_be_fitted_whatever_is_missing() -> None:
    given_weights = torch.tensor(VoteWeights(), requires_grad=True, dtype=torch.float64)
    weights = VoteWeights(*given_weights.unbind())
    some: Tensor = option_probabilities(
        ballot((-1.0, 1), NOBODY, options=3, unused=[2, 0]), weights
    )
    some[0, 1].log().backward()
    assert given_weights.grad is not None
    assert torch.isfinite(given_weights.grad).all()
