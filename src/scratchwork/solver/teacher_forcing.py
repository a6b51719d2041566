"""How probable a network finds known plans and rationales, choice by choice.

Promises: `teacher_force` gives the network the choices of rows of a dataset, and its logits for
every next choice, minus infinity where the grammar forbids one. `log_probabilities` are those of
whole rows: a plan, and the rationale behind it if there is one.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.solver.dataset import Dataset
from scratchwork.solver.network import DecoderInput, EncodedProblems, Transformer
from scratchwork.solver.plan_state import plan_mask, rationale_mask
from scratchwork.solver.symbols import FINISH, LONGEST_PLAN


class ForcedLogits(NamedTuple):
    """What the network makes of rows of choices, place by place."""

    logits: Tensor
    """[row, place, choice]"""
    targets: Tensor
    """[row, place]; the next choice, -1 after the last one."""


def teacher_force(
    model: Transformer,
    dataset: Dataset,
    rows: Tensor,
    encoded: EncodedProblems,
    length: int,
    hidden: Tensor | None = None,
) -> ForcedLogits:
    """The logits for the first `length` choices of some rows, whose problems are encoded; where
    `hidden` is true, the plan reaches no option."""
    choices = dataset.choices[rows, :length].long()
    inputs = DecoderInput(
        choices.clamp(min=0),
        dataset.input_values[rows, :length],
        dataset.input_results[rows, :length],
        dataset.input_counts[rows, :length].long(),
    )
    reached, ends = dataset.reached[rows], choices == FINISH
    if hidden is not None:
        reached = reached.masked_fill(hidden, -1)
    states = encoded.option_states.gather(
        1, reached.clamp(min=0)[:, None, None].expand(-1, 1, encoded.option_states.shape[-1])
    )
    options = states * (ends & (reached >= 0)[:, None])[..., None]
    with_pieces = length > LONGEST_PLAN
    logits = model.decode(inputs, encoded, options, with_pieces)
    targets = torch.cat([choices[:, 1:], torch.full_like(choices[:, :1], -1)], 1)
    in_question = dataset.in_question[dataset.owners[rows]][:, None].expand(-1, length, -1)
    allowed = plan_mask(dataset.missing[rows, :length], inputs.result_counts, in_question)
    if with_pieces:
        count = model.config.pieces
        in_rationale = rationale_mask(inputs.result_counts, in_question, count)
        is_finished = (ends.cumsum(1) > 0)[..., None]
        padded = torch.nn.functional.pad(allowed, (0, count))
        allowed = torch.where(is_finished, in_rationale, padded)
    return ForcedLogits(logits.masked_fill(~allowed, float("-inf")), targets)


def target_logs(logits: Tensor, targets: Tensor) -> Tensor:
    """The logarithms of the targets' probabilities; 0 for a target that is negative."""
    logs = torch.log_softmax(logits.float(), -1)
    right = logs.gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    return torch.where(targets >= 0, right, 0.0)


@torch.no_grad()
def log_probabilities(model: Transformer, dataset: Dataset, at_once: int = 16) -> Tensor:
    """The logarithm of the probability of each row of a dataset."""
    sums = torch.zeros(len(dataset), device=dataset.device)
    for (reading, plan), bucket in dataset.buckets.items():
        for rows in bucket.split(at_once):
            encoded = model.encode(dataset.read_plans(rows, reading))
            forced = teacher_force(model, dataset, rows, encoded, plan)
            sums[rows] = target_logs(*forced).sum(1)
    return sums
