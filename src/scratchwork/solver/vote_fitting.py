"""Fitting how plans vote, on problems that the network was not trained on.

Promises: `fit_votes` finds the weights under which the labelled options are most probable; so the
probabilities are calibrated, as far as five weights allow. The same plans give the same weights.
"""

import torch
from torch import Tensor

from scratchwork.solver.voting import Ballot, VoteWeights, option_probabilities

_STEPS, _RATE = 300, 0.05


def fit_votes(ballot: Ballot, labels: Tensor) -> VoteWeights:
    """The weights for plans found for problems with labels."""
    logs = torch.tensor(VoteWeights(), dtype=torch.float64, device=labels.device).log()
    logs.requires_grad_()
    optimiser = torch.optim.Adam([logs], _RATE)
    for _ in range(_STEPS):
        optimiser.zero_grad()
        weights = VoteWeights(*logs.exp().unbind())
        probabilities = option_probabilities(ballot, weights)
        loss = -torch.log(probabilities.gather(1, labels[:, None])).mean()
        loss.backward()
        optimiser.step()
    return VoteWeights(*(round(float(weight), 4) for weight in logs.detach().exp()))
