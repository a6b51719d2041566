"""The vote of plans for options.

Promises: each plan that reaches an option votes for it. A vote weighs more the more probable the
plan is and the fewer of the question's numbers it leaves unused. How near the plans' results come
to an option also counts, and decides alone where no plan reaches one. With fitted weights the
result is calibrated: of the answers with probability p, about a share p is right.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.network import ProblemBatch
from scratchwork.solver.reading import NUMBER_PIECE

_APART = 0.3
"""The scale on which nearness falls off, as a share of the larger number."""
_LEAST_NEARNESS = 1e-3

Weight = float | Tensor
"""A tensor while the vote is fitted."""


class VoteWeights(NamedTuple):
    """How votes are weighed; fitted on problems that the network was not trained on."""

    probability: Weight = 0.5
    """The power of a plan's probability."""
    unused: Weight = 0.3
    """How much a plan's log weight falls with each of the question's numbers in digits that it
    leaves unused."""
    nearness: Weight = 0.05
    """The power of an option's share of the nearness."""
    floor: Weight = 0.02
    """Added to each option's share of the votes."""
    sharpness: Weight = 1.0
    """The power of the whole score."""


class Ballot(NamedTuple):
    """The plans of problems, with what the vote needs to know of them."""

    found: FoundPlans
    unused: Tensor
    """[problem, plan]: how many of the question's numbers in digits a plan leaves unused"""
    near: Tensor
    """[problem, option]: the logarithm of how near the plans' results come to an option on
    average; minus infinity where there is no option"""


def ballot_of(
    found: FoundPlans, batch: ProblemBatch, in_question: Tensor, option_values: Tensor
) -> Ballot:
    """The ballot of plans found for a batch of problems."""
    at = batch.numeral_pieces.clamp(min=0)
    in_digits = in_question & (batch.pieces.gather(1, at) == NUMBER_PIECE)
    unused = (in_digits[:, None] & ~found.numerals_used()).sum(-1)
    return Ballot(found, unused, nearness(found, option_values, batch.option_pieces >= 0))


def plan_weights(ballot: Ballot, weights: VoteWeights) -> Tensor:
    """The weight of each plan, [problem, plan]; 0 where there is none."""
    found = ballot.found
    is_there = torch.isfinite(found.log_probabilities)
    # Minus infinity times a weight would make the weight's gradient NaN.
    probable = torch.where(is_there, found.log_probabilities, 0.0)
    logs = weights.probability * probable - weights.unused * ballot.unused
    return torch.where(is_there, torch.exp(logs), 0.0)


def nearness(found: FoundPlans, option_values: Tensor, is_option: Tensor) -> Tensor:
    """See `Ballot.near`."""
    results, values = found.results[:, :, None, None], option_values[:, None]
    apart = (results - values).abs() / torch.maximum(results.abs(), values.abs()).clamp(min=1e-9)
    near = torch.nan_to_num(torch.exp(-apart / _APART)).amax(-1)
    weight = torch.exp(0.5 * found.log_probabilities)[..., None]
    total = (weight * near).sum(1) / weight.sum(1).clamp(min=1e-30)
    return torch.log(total + _LEAST_NEARNESS).masked_fill(~is_option, -torch.inf)


def option_probabilities(ballot: Ballot, weights: VoteWeights) -> Tensor:
    """The probability of each option, [problem, option]."""
    near, reached = ballot.near, ballot.found.reached
    there = torch.isfinite(near)
    weight = torch.where(reached >= 0, plan_weights(ballot, weights), 0.0)
    votes = torch.zeros(near.shape, dtype=torch.float64, device=near.device)
    votes.scatter_add_(1, reached.clamp(min=0), weight)
    share = votes / votes.sum(1, keepdim=True).clamp(min=1e-30) + weights.floor
    of_near = torch.where(there, torch.log_softmax(near.double(), -1), 0.0)
    scores = torch.log(share) + weights.nearness * of_near
    return torch.softmax((scores * weights.sharpness).masked_fill(~there, -torch.inf), -1)
