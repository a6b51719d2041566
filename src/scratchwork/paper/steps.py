"""One training step: gradients of a batch, captured as a graph where there is a GPU.

Promises: `Gradients` zeroes the gradients and adds those of a batch; what it does is the same with
and without capturing. On a GPU the many small kernels of a recurrence cost more to launch than to
run, so each shape of batch is captured once as a CUDA graph and replayed.

Memory: the graphs share one pool, of the size of the largest batch.
"""

from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from scratchwork.paper.batching import Batch
from scratchwork.paper.interface import ProgramModel
from scratchwork.paper.noise import Dropout, keys_of
from scratchwork.paper.staged import log_probs, staged_backward

_WARM_UPS = 2


class Gradients:
    """Computes the gradients of batches, leaving them with the parameters."""

    def __init__(self, model: ProgramModel, dropout: float, samples: int, stage: int) -> None:
        self.model = model
        self.dropout = dropout
        self.samples = samples
        self.stage = stage
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        self._captured: dict[tuple[int, ...], _Captured] = {}
        self._pool: Any = None

    def __call__(self, batch: Batch, seed: int, step: int, scale: float) -> Tensor:
        """The loss of a batch: minus the log-probability of its problems, times a scale."""
        first = next(self.model.parameters())
        keys = keys_of(seed, step, batch.examples)
        inputs = (batch, keys, torch.full((), scale, dtype=first.dtype, device=first.device))
        if first.device.type != "cuda":
            return self._compute(*inputs)
        shape = tuple(n for tensor in _tensors(inputs) for n in tensor.shape)
        if shape not in self._captured:
            self._captured[shape] = _Captured(self._compute, inputs, self._pool)
            self._pool = self._captured[shape].graph.pool()
        return self._captured[shape](inputs)

    def _compute(self, batch: Batch, keys: Tensor, scale: Tensor) -> Tensor:
        for parameter in self.model.parameters():
            assert parameter.grad is not None
            parameter.grad.zero_()
        dropout = Dropout(self.dropout, keys)
        if self.samples == 1:
            return staged_backward(self.model, batch, dropout, scale, self.stage)
        # The gradient of log(p1 + p2) is that of each log p, weighted by its share of the sum.
        scores, _ = log_probs(self.model, batch, dropout, self.stage)
        grouped = scores.masked_fill(batch.tokens == 0, -1e30).view(-1, self.samples)
        weights = torch.softmax(grouped, 1).flatten().masked_fill(batch.tokens == 0, 0)
        staged_backward(self.model, batch, dropout, scale, self.stage, weights)
        there = (batch.tokens > 0).view(-1, self.samples).any(1)
        return -torch.logsumexp(grouped, 1).masked_fill(~there, 0).sum() * scale


class _Captured:
    """A computation on batches of one shape, as a graph."""

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
    """The tensors in a nest of dataclasses and tuples, always in the same order."""
    if isinstance(thing, Tensor):
        return [thing]
    return [tensor for part in _parts(thing) for tensor in _tensors(part)]


def _copied(thing: Any) -> Any:
    """The same nest with tensors of its own."""
    if isinstance(thing, Tensor):
        return thing.clone()
    parts = [_copied(part) for part in _parts(thing)]
    return type(thing)(*parts) if is_dataclass(thing) else tuple(parts)


def _parts(thing: Any) -> list[Any]:
    if is_dataclass(thing):
        return [getattr(thing, f.name) for f in fields(thing)]
    return list(thing)
