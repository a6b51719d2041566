"""Staged back-propagation: the gradient of whole programs in the memory of a slice.

Promises: `staged_backward` adds to the parameters' gradients exactly what back-propagation through
the whole graph would, for any length of slices. The recurrence h is built once; the output layers
(attention, pointers, the softmax), which need most of the memory, run slice by slice on detached
states, and what they leave as gradients of the states goes back through the recurrence in one pass.

The paper's staged back-propagation updates the parameters after each slice; here they are updated
once per batch, so that the length of a slice changes memory and time but not the result.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from scratchwork.paper.batching import Batch
from scratchwork.paper.interface import ProgramModel, States
from scratchwork.paper.layers import Encoded
from scratchwork.paper.noise import Dropout


@dataclass(frozen=True)
class _Unrolled:
    """A batch, encoded and unrolled."""

    encoded: Encoded
    states: States

    def detached(self) -> "_Unrolled":
        """The same numbers, with gradients that end here."""
        states = self.states
        return _Unrolled(
            replace(self.encoded, u=_leaf(self.encoded.u)),
            States(_leaf(states.h), _leaf(states.r), _leaf(states.q)),
        )

    def tensors(self) -> list[Tensor]:
        return [self.encoded.u, self.states.h, self.states.r, self.states.q]


def _leaf(tensor: Tensor) -> Tensor:
    return tensor.detach().requires_grad_()


@torch.no_grad()
def log_probs(
    model: ProgramModel, batch: Batch, dropout: Dropout, stage: int
) -> tuple[Tensor, Tensor]:
    """The log-probability of each program of a batch and how many unknown words it needs, slice by
    slice, without gradients."""
    unrolled = _unrolled(model, batch, dropout)
    parts = [_slice(model, batch, unrolled, part, dropout) for part in _parts(batch, stage)]
    scores, unknown = zip(*parts, strict=True)
    return torch.stack(scores).sum(0), torch.stack(unknown).sum(0)


def staged_backward(
    model: ProgramModel,
    batch: Batch,
    dropout: Dropout,
    scale: Tensor,
    stage: int,
    weights: Tensor | None = None,
) -> Tensor:
    """Add the gradient of the loss: minus the sum of all log-probabilities, times a scale.

    Returns that loss. `weights` weigh the programs of a batch against each other.
    """
    unrolled = _unrolled(model, batch, dropout)
    leaves = unrolled.detached()
    total = torch.zeros_like(scale)
    for part in _parts(batch, stage):
        scores, _ = _slice(model, batch, leaves, part, dropout)
        if weights is not None:
            scores = scores * weights
        loss = -scores.sum() * scale
        loss.backward()
        total = total + loss.detach()
    pairs = zip(unrolled.tensors(), leaves.tensors(), strict=True)
    reached = [(built, leaf.grad) for built, leaf in pairs if leaf.grad is not None]
    torch.autograd.backward([built for built, _ in reached], [grad for _, grad in reached])
    return total


def _unrolled(model: ProgramModel, batch: Batch, dropout: Dropout) -> _Unrolled:
    encoded = model.encode(batch.source, dropout)
    return _Unrolled(encoded, model.unroll(encoded, batch.values, batch.programs, dropout))


def _parts(batch: Batch, stage: int) -> list[slice]:
    slots = batch.programs.slot_instruction.shape[1]
    return [slice(start, start + stage) for start in range(0, slots, stage)]


def _slice(
    model: ProgramModel, batch: Batch, unrolled: _Unrolled, part: slice, dropout: Dropout
) -> tuple[Tensor, Tensor]:
    """The log-probability of one slice of each program, and its unknown words."""
    scores, unknown = model.slot_log_probs(
        unrolled.encoded, batch.values, batch.programs, unrolled.states, part, dropout
    )
    return scores.sum(1), unknown.sum(1)
