"""LSTM cells, and products along a sequence whose weights get their gradient once.

Promises: `LSTMCell` is an LSTM cell. `Products` multiplies, step by step, by weights that stay the
same; the gradients of the weights are those of ordinary products, but computed in one large product
each when the whole sequence has been gone back through. A recurrence of hundreds of small steps
spends most of its backward pass on them otherwise.

Does not cover: gradients of gradients.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

LSTMState = tuple[Tensor, Tensor]
"""Of an LSTM: h and c."""


class LSTMCell(nn.Module):
    """An LSTM cell."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.of_input = nn.Linear(size, 4 * hidden)
        self.of_state = nn.Linear(hidden, 4 * hidden, bias=False)

    def forward(self, x: Tensor, state: LSTMState) -> LSTMState:
        """The next state."""
        return gated(self.of_input(x), self.of_state(state[0]), state[1])


def gated(of_input: Tensor, of_state: Tensor, c: Tensor) -> LSTMState:
    """The next state of an LSTM from what input and state give to its gates."""
    if c.is_cuda:  # all of it in one kernel
        h, c, _ = torch.ops.aten._thnn_fused_lstm_cell(of_input, of_state, c)
        return h, c
    enters, stays, new, leaves = (of_input + of_state).chunk(4, -1)
    c = torch.sigmoid(stays) * c + torch.sigmoid(enters) * torch.tanh(new)
    return torch.sigmoid(leaves) * torch.tanh(c), c


class Products:
    """Products by a few fixed weights along one sequence."""

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = tuple(weights)
        self._fixed = [weight.detach() for weight in weights]
        self._taken: list[list[Tensor]] = [[] for _ in weights]
        self._given: list[list[Tensor]] = [[] for _ in weights]

    def begin(self, start: Tensor) -> Tensor:
        """The start of the sequence, which everything must come from: what is gone back to last."""
        return _Begin.apply(start, self, *self._weights)

    def __call__(self, number: int, x: Tensor) -> Tensor:
        """The product of `x` by a weight (of so many rows as the result has columns)."""
        return _Product.apply(x, self, number)

    def times(self, number: int, x: Tensor) -> Tensor:
        """What a product is, going forward."""
        return x @ self._fixed[number].t()

    def back(self, number: int, x: Tensor, grad: Tensor) -> Tensor:
        """Going back through a product: note what its weight needs."""
        self._taken[number].append(x)
        self._given[number].append(grad)
        return grad @ self._fixed[number]

    def gradients(self) -> list[Tensor | None]:
        """The gradients of the weights, from all that was noted."""
        found: list[Tensor | None] = []
        for taken, given in zip(self._taken, self._given, strict=True):
            found.append(torch.cat(given).t() @ torch.cat(taken) if taken else None)
            taken.clear()
            given.clear()
        return found


class _Begin(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, start: Tensor, products: Products, *weights: Tensor) -> Tensor:
        ctx.products = products
        return start.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return grad, None, *ctx.products.gradients()


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, products: Products, number: int) -> Tensor:
        ctx.save_for_backward(x)
        ctx.products, ctx.number = products, number
        return products.times(number, x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        (x,) = ctx.saved_tensors
        return ctx.products.back(ctx.number, x, grad), None, None
