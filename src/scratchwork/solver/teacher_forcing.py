"""What a network says of known plans and rationales, choice by choice.

Promises: `follow` leads the network along rows of a dataset and gives its likings for every next
choice, minus infinity where the grammar forbids one. `log_probabilities` adds up what it says of
the rationales told on a dataset, plan included.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.solver.dataset import Dataset
from scratchwork.solver.network import DecoderInput, EncodedProblems, Transformer
from scratchwork.solver.plan_state import plan_mask, rationale_mask
from scratchwork.solver.symbols import FINISH, LONGEST_PLAN


class Followed(NamedTuple):
    """What became of rows of choices, place by place."""

    likings: Tensor
    """[row, place, choice]"""
    targets: Tensor
    """The next choices, -1 behind the last one."""


def follow(
    model: Transformer, dataset: Dataset, rows: Tensor, encoded: EncodedProblems, plan: int
) -> Followed:
    """Lead a network along the first `plan` choices of some rows, whose problems are encoded."""
    choices = dataset.choices[rows, :plan].long()
    told = DecoderInput(
        choices.clamp(min=0),
        dataset.input_values[rows, :plan],
        dataset.input_results[rows, :plan],
        dataset.input_counts[rows, :plan].long(),
    )
    reached, ends = dataset.reached[rows], choices == FINISH
    states = encoded.option_states.gather(
        1, reached.clamp(min=0)[:, None, None].expand(-1, 1, encoded.option_states.shape[-1])
    )
    options = states * (ends & (reached >= 0)[:, None])[..., None]
    speaks = plan > LONGEST_PLAN
    likings = model.decode(told, encoded, options, speaks)
    targets = torch.cat([choices[:, 1:], torch.full_like(choices[:, :1], -1)], 1)
    in_question = dataset.in_question[dataset.owners[rows]][:, None].expand(-1, plan, -1)
    allowed = plan_mask(dataset.missing[rows, :plan], told.result_counts, in_question)
    if speaks:
        count = model.config.pieces
        tellable = rationale_mask(told.result_counts, in_question, count)
        is_finished = (ends.cumsum(1) > 0)[..., None]
        padded = torch.nn.functional.pad(allowed, (0, count))
        allowed = torch.where(is_finished, tellable, padded)
    return Followed(likings.masked_fill(~allowed, float("-inf")), targets)


def logs_of(likings: Tensor, targets: Tensor) -> Tensor:
    """The logarithms of the targets' probabilities; 0 for a target that is negative."""
    logs = torch.log_softmax(likings.float(), -1)
    right = logs.gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    return torch.where(targets >= 0, right, 0.0)


@torch.no_grad()
def log_probabilities(model: Transformer, dataset: Dataset, at_once: int = 16) -> Tensor:
    """The logarithm of the probability of each row of a dataset."""
    sums = torch.zeros(len(dataset), device=dataset.device)
    for (reading, plan), bucket in dataset.buckets.items():
        for rows in bucket.split(at_once):
            encoded = model.encode(dataset.read_plans(rows, reading))
            followed = follow(model, dataset, rows, encoded, plan)
            sums[rows] = logs_of(followed.likings, followed.targets).sum(1)
    return sums
