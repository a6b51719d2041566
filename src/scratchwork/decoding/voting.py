"""Choosing an option from many plans.

Promises: each plan that reaches an option votes for it, with a weight made of its probability and
of the network's verdict on it; the option head's opinion is added, and decides alone where no plan
reaches an option. The scores are probabilities: the weights are fitted so that of the answers given
with probability p a share of about p is right.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.decoding.plan_beam import Found

Weight = float | Tensor
"""A tensor while it is fitted."""


class VoteWeights(NamedTuple):
    """How votes are weighed; fitted on problems that were not trained on."""

    probability: Weight = 0.5
    """The power of a plan's probability."""
    verdict: Weight = 0.5
    """The power of the verdict's probability."""
    head: Weight = 0.02
    """The power of the option head's probability."""
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


def option_probabilities(found: Found, options: Tensor, weights: VoteWeights) -> Tensor:
    """[problem, option], given the option head's likings."""
    there = torch.isfinite(options)
    reached = found.reached
    weight = torch.where(reached >= 0, plan_weights(found, weights), 0.0)
    votes = torch.zeros(options.shape, dtype=torch.float64, device=options.device)
    votes.scatter_add_(1, reached.clamp(min=0), weight)
    share = votes / votes.sum(1, keepdim=True).clamp(min=1e-30) + weights.floor
    likings = torch.where(there, torch.log_softmax(options.double(), -1), 0.0)
    scores = torch.log(share) + weights.head * likings
    return torch.softmax((scores * weights.sharpness).masked_fill(~there, -torch.inf), -1)
