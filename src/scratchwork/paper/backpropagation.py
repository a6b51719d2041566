"""Staged back-propagation (the paper's section 5): whole programs in the memory of a slice.

Promises: `staged_backward` adds the exact gradient, whatever the length of a slice. The recurrence
is built once; attention, pointers and softmax, which need most of the memory, run slice by slice on
detached states, whose gradients then go back through the recurrence in one pass. The paper updates
the parameters after each slice; here they are updated once per batch.

`Gradients` gives those of a batch. On a GPU, where the many small kernels of a recurrence take
longer to launch than to run, it captures each shape of batch once as a CUDA graph; the graphs share
one pool of memory, of the size of the largest batch.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import torch
from torch import Tensor

from scratchwork.paper.batching import ProgramBatch
from scratchwork.paper.layers import EncodedSource
from scratchwork.paper.noise import Dropout, random_keys
from scratchwork.paper.program_model import ProgramModel, States


@torch.no_grad()
def log_probs(
    model: ProgramModel, batch: ProgramBatch, dropout: Dropout, stage: int
) -> tuple[Tensor, Tensor]:
    """The log-probability of each program of a batch, and how many unknown words it needs."""
    encoded, states = _unrolled(model, batch, dropout)
    slices = _slices(model, batch, encoded, states, dropout, stage)
    scores, unknown = zip(*slices, strict=True)
    return torch.stack(scores).sum(0), torch.stack(unknown).sum(0)


def staged_backward(
    model: ProgramModel,
    batch: ProgramBatch,
    dropout: Dropout,
    scale: Tensor,
    stage: int,
    weights: Tensor | None = None,
) -> Tensor:
    """Add the gradient of the loss and return it: minus the sum of the log-probabilities, each
    times its weight, times the scale."""
    encoded, states = _unrolled(model, batch, dropout)
    built = [encoded.u, states.h, states.r, states.q]
    u, *leaves = [tensor.detach().requires_grad_() for tensor in built]
    total = torch.zeros_like(scale)
    detached = replace(encoded, u=u)
    for scores, _ in _slices(model, batch, detached, States(*leaves), dropout, stage):
        if weights is not None:
            scores = scores * weights
        loss = -scores.sum() * scale
        loss.backward()
        total = total + loss.detach()
    pairs = [(x, leaf.grad) for x, leaf in zip(built, [u, *leaves], strict=True)]
    reached = [(x, grad) for x, grad in pairs if grad is not None]
    torch.autograd.backward([x for x, _ in reached], [grad for _, grad in reached])
    return total


def _unrolled(
    model: ProgramModel, batch: ProgramBatch, dropout: Dropout
) -> tuple[EncodedSource, States]:
    encoded = model.encode(batch.source, dropout)
    return encoded, model.unroll(encoded, batch.values, batch.programs, dropout)


def _slices(
    model: ProgramModel,
    batch: ProgramBatch,
    encoded: EncodedSource,
    states: States,
    dropout: Dropout,
    stage: int,
) -> Iterator[tuple[Tensor, Tensor]]:
    """Slice by slice, the log-probability of that part of each program, and its unknown words."""
    for start in range(0, batch.programs.slot_mask.shape[1], stage):
        part = slice(start, start + stage)
        scores, unknown = model.slot_log_probs(
            encoded, batch.values, batch.programs, states, part, dropout
        )
        yield scores.sum(1), unknown.sum(1)


_WARM_UPS = 2


class Gradients:
    """Computes the gradients of a batch into `parameter.grad`."""

    def __init__(self, model: ProgramModel, dropout: float, samples: int, stage: int) -> None:
        self.model = model
        self.dropout = dropout
        self.samples = samples
        self.stage = stage
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        self._captured: dict[tuple[int, ...], _Captured] = {}
        self._pool: Any = None

    def __call__(self, batch: ProgramBatch, seed: int, step: int, scale: float) -> Tensor:
        """The loss of a batch: minus the log-probability of its problems, times the scale."""
        first = next(self.model.parameters())
        keys = random_keys(seed, step, batch.examples)
        inputs = (batch, keys, torch.full((), scale, dtype=first.dtype, device=first.device))
        if first.device.type != "cuda":
            return self._compute(*inputs)
        shape = tuple(n for tensor in _tensors(inputs) for n in tensor.shape)
        if shape not in self._captured:
            self._captured[shape] = _Captured(self._compute, inputs, self._pool)
            self._pool = self._captured[shape].graph.pool()
        return self._captured[shape](inputs)

    def _compute(self, batch: ProgramBatch, keys: Tensor, scale: Tensor) -> Tensor:
        for parameter in self.model.parameters():
            assert parameter.grad is not None
            parameter.grad.zero_()
        dropout = Dropout(self.dropout, keys)
        if self.samples == 1:
            return staged_backward(self.model, batch, dropout, scale, self.stage)
        # The gradient of log(p1 + p2) is that of each log p times its share of the sum.
        scores, _ = log_probs(self.model, batch, dropout, self.stage)
        grouped = scores.masked_fill(batch.tokens == 0, -1e30).view(-1, self.samples)
        weights = torch.softmax(grouped, 1).flatten().masked_fill(batch.tokens == 0, 0)
        staged_backward(self.model, batch, dropout, scale, self.stage, weights)
        there = (batch.tokens > 0).view(-1, self.samples).any(1)
        return -torch.logsumexp(grouped, 1).masked_fill(~there, 0).sum() * scale


class _Captured:
    """A computation on batches of one shape, as a CUDA graph."""

    def __init__(self, compute: Any, inputs: Any, pool: Any) -> None:
        self.inputs = _copied(inputs)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UPS):
                compute(*self.inputs)
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool):
            self.output = compute(*self.inputs)

    def __call__(self, inputs: Any) -> Tensor:
        for ours, given in zip(_tensors(self.inputs), _tensors(inputs), strict=True):
            ours.copy_(given)
        self.graph.replay()
        return self.output


def _tensors(thing: Any) -> list[Tensor]:
    """The tensors in nested dataclasses and tuples, always in the same order."""
    if isinstance(thing, Tensor):
        return [thing]
    return [tensor for part in _parts(thing) for tensor in _tensors(part)]


def _copied(thing: Any) -> Any:
    """A deep copy of nested dataclasses and tuples."""
    if isinstance(thing, Tensor):
        return thing.clone()
    parts = [_copied(part) for part in _parts(thing)]
    return type(thing)(*parts) if is_dataclass(thing) else tuple(parts)


def _parts(thing: Any) -> list[Any]:
    if is_dataclass(thing):
        return [getattr(thing, f.name) for f in fields(thing)]
    return list(thing)
