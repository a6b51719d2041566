"""Choosing an option from many plans.

Promises: each plan that reaches an option votes for it, with a weight made of its probability and
of the network's verdict on it; how near the plans' results come to an option is added, and decides
alone where no plan reaches one. The scores are probabilities: the weights are fitted so that of the
answers given with probability p a share of about p is right.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.decoding.plan_beam import Found

_APART = 0.3
"""So far apart, as a share of the larger one, two numbers are no longer near."""
_NOT_NEAR = 1e-3

Weight = float | Tensor
"""A tensor while it is fitted."""


class VoteWeights(NamedTuple):
    """How votes are weighed; fitted on problems that were not trained on."""

    probability: Weight = 0.5
    """The power of a plan's probability."""
    verdict: Weight = 0.5
    """The power of the verdict's probability."""
    nearness: Weight = 0.05
    """The power of an option's share of all nearness."""
    floor: Weight = 0.02
    """The share of the votes that every option has from the start."""
    sharpness: Weight = 1.0
    """The power of the whole."""


def plan_weights(found: Found, weights: VoteWeights) -> Tensor:
    """The weight of each plan, [problem, plan]; 0 where there is none."""
    is_there = torch.isfinite(found.log_probabilities)
    # What is infinite must not meet a weight: the weight's gradient would be no number.
    probable = torch.where(is_there, found.log_probabilities, 0.0)
    verdicts = torch.where(is_there, found.verdicts.double(), 0.0)
    judged = torch.nn.functional.logsigmoid(verdicts)
    logs = weights.probability * probable + weights.verdict * judged
    return torch.where(is_there, torch.exp(logs), 0.0)


def nearness(found: Found, option_values: Tensor, is_option: Tensor) -> Tensor:
    """How near the plans' results come to each option, [problem, option], as the logarithm of a sum
    over the plans; minus infinity where there is no option."""
    results, values = found.results[:, :, None, None], option_values[:, None]
    apart = (results - values).abs() / torch.maximum(results.abs(), values.abs()).clamp(min=1e-9)
    near = torch.nan_to_num(torch.exp(-apart / _APART)).amax(-1)
    weight = torch.exp(0.5 * found.log_probabilities)[..., None]
    total = (weight * near).sum(1) / weight.sum(1).clamp(min=1e-30)
    return torch.log(total + _NOT_NEAR).masked_fill(~is_option, -torch.inf)


def option_probabilities(found: Found, near: Tensor, weights: VoteWeights) -> Tensor:
    """[problem, option], given how near the plans come to each option."""
    there = torch.isfinite(near)
    reached = found.reached
    weight = torch.where(reached >= 0, plan_weights(found, weights), 0.0)
    votes = torch.zeros(near.shape, dtype=torch.float64, device=near.device)
    votes.scatter_add_(1, reached.clamp(min=0), weight)
    share = votes / votes.sum(1, keepdim=True).clamp(min=1e-30) + weights.floor
    of_near = torch.where(there, torch.log_softmax(near.double(), -1), 0.0)
    scores = torch.log(share) + weights.nearness * of_near
    return torch.softmax((scores * weights.sharpness).masked_fill(~there, -torch.inf), -1)
