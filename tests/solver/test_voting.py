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
    nearness,
    option_probabilities,
    plan_weights,
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


def probabilities(
    plans: Sequence[Plan], nearnesses: Sequence[float], weights: VoteWeights | None = None
) -> list[float]:
    ballot = Ballot(found(*plans), torch.zeros(1, len(plans)), torch.tensor([nearnesses]))
    return option_probabilities(ballot, weights or VoteWeights())[0].tolist()


plans = st.lists(
    st.one_of(
        st.just(NOBODY),
        st.tuples(st.floats(-30, 0), st.integers(-1, 4)),
    ),
    min_size=1,
    max_size=6,
)
nearnesses = st.lists(st.floats(-5, 5), min_size=5, max_size=5)


@given(plans, nearnesses)
def test_the_scores_are_probabilities_and_no_option_is_impossible(
    some: list[Plan], near: list[float]
) -> None:
    shares = probabilities(some, near)
    assert sum(shares) == pytest.approx(1)
    assert min(shares) > 0


@given(plans, nearnesses, st.permutations(range(5)))
def test_the_order_of_the_options_does_not_matter(
    some: list[Plan], near: list[float], order: list[int]
) -> None:
    moved = [(log, order.index(option) if option >= 0 else -1) for log, option in some]
    shares = probabilities(some, near)
    permuted = probabilities(moved, [near[k] for k in order])
    assert permuted == pytest.approx([shares[k] for k in order])


@given(plans, nearnesses, st.integers(0, 4))
def test_one_more_vote_makes_an_option_more_probable(
    some: list[Plan], near: list[float], option: int
) -> None:
    before = probabilities([*some, NOBODY], near)
    after = probabilities([*some, (-1.0, option)], near)
    assert after[option] >= before[option] - 1e-9
    nowhere = probabilities([*some, (-1.0, -1)], near)
    assert nowhere == pytest.approx(before)


def test_probable_plans_weigh_more() -> None:
    assert probabilities([(-1.0, 0), (-2.0, 1)], [0, 0])[0] > 0.5
    alike = [(-1.0, 0), (-1.0, 1)]
    assert probabilities(alike, [0, 0]) == pytest.approx([0.5, 0.5])


@given(nearnesses)
def test_where_no_plan_reaches_an_option_nearness_decides(near: list[float]) -> None:
    for nothing in ([NOBODY], [(-1.0, -1)]):
        shares = probabilities(nothing, near)
        assert shares == pytest.approx(probabilities([NOBODY, NOBODY], near))
        order = sorted(range(5), key=lambda k: near[k])
        assert [shares[k] for k in order] == sorted(shares)


def test_the_option_nearest_to_probable_results_is_nearest() -> None:
    results = torch.tensor([[100.0, 7.0, math.nan]], dtype=torch.float64)
    some = replace(found((-1.0, -1), (-6.0, -1), NOBODY), results=results)
    values = torch.tensor([[[90.0, math.nan], [7.0, 9.0], [math.nan, math.nan], [500.0, 104.0]]])
    is_option = torch.tensor([[True, True, True, True, False]])
    padded = torch.cat([values.double(), torch.full((1, 1, 2), math.nan)], 1)
    near = nearness(some, padded, is_option)[0].tolist()
    assert near[3] > near[0] > near[1] > near[2] > near[4] == -math.inf


def test_missing_options_get_no_probability() -> None:
    shares = probabilities([(-1.0, 1)], [0.3, 0.2, -math.inf])
    assert shares[2] == 0
    assert shares == pytest.approx([*probabilities([(-1.0, 1)], [0.3, 0.2]), 0])


def test_numbers_left_unused_make_a_vote_weigh_less() -> None:
    some, near = found((-1.0, 0), (-1.0, 1)), torch.zeros(1, 2)
    first, second = option_probabilities(Ballot(some, torch.tensor([[0, 2]]), near), VoteWeights())[
        0
    ].tolist()
    assert first > 0.55 > second
    weights = plan_weights(Ballot(some, torch.tensor([[0, 2]]), near), VoteWeights(unused=0.5))
    assert float(weights[0, 0] / weights[0, 1]) == pytest.approx(math.e)


def test_only_the_questions_numbers_in_digits_count_as_unused(tiny_solver: Path) -> None:
    pieces = load_solver(tiny_solver).pieces
    problem = Problem("Two men have 7 pens and 9 cups.", ("16", "63"))
    batch = collate([read_problem(problem, pieces)], torch.device("cpu"))
    at = [batch.read.numeral_values[0].tolist().index(value) for value in (7.0, 9.0)]
    choices = torch.full((1, 2, LONGEST_PLAN), -1)
    choices[0, 0, :4] = torch.tensor([0, FIRST_OPERATION, *(FIRST_NUMERAL + k for k in at)])
    some = replace(found((-1.0, 0), (-2.0, -1)), choices=choices)
    ballot = ballot_of(some, batch.read, batch.in_question, batch.option_values)
    assert ballot.unused.tolist() == [[0, 2]]


def test_a_missing_plan_has_no_weight() -> None:
    some = found((-1.0, 2), NOBODY)
    ballot = Ballot(some, torch.zeros(1, 2), torch.zeros(1, 5))
    weights = plan_weights(ballot, VoteWeights())[0].tolist()
    assert weights[0] > 0
    assert weights[1] == 0


def test_sharpness_moves_probabilities_but_not_their_order() -> None:
    some = [(-1.0, 0), (-1.5, 1)]
    blunt, plain, sharp = (
        probabilities(some, [0.1, 0, 0.2], VoteWeights(sharpness=by)) for by in (0.3, 1.0, 3.0)
    )
    assert max(blunt) < max(plain) < max(sharp)
    assert sorted(range(3), key=blunt.__getitem__) == sorted(range(3), key=sharp.__getitem__)


def test_weights_can_be_fitted_whatever_is_missing() -> None:
    given_weights = torch.tensor(VoteWeights(), requires_grad=True, dtype=torch.float64)
    weights = VoteWeights(*given_weights.unbind())
    near = torch.tensor([[0.3, 0.2, -math.inf]])
    ballot = Ballot(found((-1.0, 1), NOBODY), torch.tensor([[2, 0]]), near)
    some: Tensor = option_probabilities(ballot, weights)
    some[0, 1].log().backward()
    assert given_weights.grad is not None
    assert torch.isfinite(given_weights.grad).all()
