"""LSTM cells, and the products of a recurrence with its weights.

Promises: `Products` gives the same products and gradients as `x @ weight.t()`, but computes the
gradient of each weight in one large product at the end of the backward pass. A recurrence of
hundreds of small steps spends most of its backward pass on these gradients otherwise.

Does not cover: gradients of gradients.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

LSTMState = tuple[Tensor, Tensor]
"""h and c."""


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
    """The next state, from the products of the input and of the state with the gates' weights."""
    if c.is_cuda:  # in one kernel
        h, c, _ = torch.ops.aten._thnn_fused_lstm_cell(of_input, of_state, c)
        return h, c
    input, forget, new, output = (of_input + of_state).chunk(4, -1)
    c = torch.sigmoid(forget) * c + torch.sigmoid(input) * torch.tanh(new)
    return torch.sigmoid(output) * torch.tanh(c), c


class Products:
    """Products with a few weights along one sequence."""

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = tuple(weights)
        self._fixed = [weight.detach() for weight in weights]
        self._inputs: list[list[Tensor]] = [[] for _ in weights]
        self._grads: list[list[Tensor]] = [[] for _ in weights]

    def begin(self, start: Tensor) -> Tensor:
        """The initial state, which every product must depend on: its backward pass comes last."""
        return _Begin.apply(start, self, *self._weights)

    def __call__(self, number: int, x: Tensor) -> Tensor:
        """`x @ weight.t()`, for the weight of this number."""
        return _Product.apply(x, self, number)

    def times(self, number: int, x: Tensor) -> Tensor:
        """The forward pass of a product."""
        return x @ self._fixed[number].t()

    def back(self, number: int, x: Tensor, grad: Tensor) -> Tensor:
        """The backward pass of a product, which notes what the weight's gradient needs."""
        self._inputs[number].append(x)
        self._grads[number].append(grad)
        return grad @ self._fixed[number]

    def gradients(self) -> list[Tensor | None]:
        """The gradients of the weights."""
        found: list[Tensor | None] = []
        for inputs, grads in zip(self._inputs, self._grads, strict=True):
            found.append(torch.cat(grads).t() @ torch.cat(inputs) if inputs else None)
            inputs.clear()
            grads.clear()
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
