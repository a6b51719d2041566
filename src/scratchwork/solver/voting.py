"""Choosing an option from many plans.

Promises: each plan that reaches an option votes for it, with a weight made of its probability and
of how many of the question's numbers it leaves unused; how near the plans' results come to an
option is added, and decides alone where no plan reaches one. The scores are probabilities: the
weights are fitted so that of the answers given with probability p a share of about p is right.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.network import ProblemBatch
from scratchwork.solver.reading import NUMBER_PIECE

_APART = 0.3
"""So far apart, as a share of the larger one, two numbers are no longer near."""
_NOT_NEAR = 1e-3

Weight = float | Tensor
"""A tensor while it is fitted."""


class VoteWeights(NamedTuple):
    """How votes are weighed; fitted on problems that were not trained on."""

    probability: Weight = 0.5
    """The power of a plan's probability."""
    unused: Weight = 0.3
    """Each of the question's numbers, as digits, that a plan leaves unused makes its weight smaller
    by this power of e."""
    nearness: Weight = 0.05
    """The power of an option's share of all nearness."""
    floor: Weight = 0.02
    """The share of the votes that every option has from the start."""
    sharpness: Weight = 1.0
    """The power of the whole."""


class Ballot(NamedTuple):
    """The plans of problems, with what their votes are weighed by."""

    found: FoundPlans
    unused: Tensor
    """[problem, plan]: how many of the question's numbers, as digits, a plan leaves unused."""
    near: Tensor
    """[problem, option]: how near the plans' results come to an option, as the logarithm of a sum
    over the plans; minus infinity where there is no option."""


def ballot_of(
    found: FoundPlans, read: ProblemBatch, in_question: Tensor, option_values: Tensor
) -> Ballot:
    """The ballot of plans found for problems that were read."""
    at = read.numeral_pieces.clamp(min=0)
    in_digits = in_question & (read.pieces.gather(1, at) == NUMBER_PIECE)
    unused = (in_digits[:, None] & ~found.numerals_used()).sum(-1)
    return Ballot(found, unused, nearness(found, option_values, read.option_pieces >= 0))


def plan_weights(ballot: Ballot, weights: VoteWeights) -> Tensor:
    """The weight of each plan, [problem, plan]; 0 where there is none."""
    found = ballot.found
    is_there = torch.isfinite(found.log_probabilities)
    # What is infinite must not meet a weight: the weight's gradient would be no number.
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
    return torch.log(total + _NOT_NEAR).masked_fill(~is_option, -torch.inf)


def option_probabilities(ballot: Ballot, weights: VoteWeights) -> Tensor:
    """[problem, option]"""
    near, reached = ballot.near, ballot.found.reached
    there = torch.isfinite(near)
    weight = torch.where(reached >= 0, plan_weights(ballot, weights), 0.0)
    votes = torch.zeros(near.shape, dtype=torch.float64, device=near.device)
    votes.scatter_add_(1, reached.clamp(min=0), weight)
    share = votes / votes.sum(1, keepdim=True).clamp(min=1e-30) + weights.floor
    of_near = torch.where(there, torch.log_softmax(near.double(), -1), 0.0)
    scores = torch.log(share) + weights.nearness * of_near
    return torch.softmax((scores * weights.sharpness).masked_fill(~there, -torch.inf), -1)
