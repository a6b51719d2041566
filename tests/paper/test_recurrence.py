"""LSTM cells, and products that are gone back through at once."""

import torch
from torch import Tensor, nn

from scratchwork.paper.recurrence import LSTMCell, Products


def test_a_cell_is_an_lstm_cell() -> None:
    cell, known = LSTMCell(5, 3).double(), nn.LSTMCell(5, 3).double()
    with torch.no_grad():
        known.weight_ih.copy_(cell.of_input.weight)
        known.weight_hh.copy_(cell.of_state.weight)
        known.bias_ih.copy_(cell.of_input.bias)
        known.bias_hh.zero_()
    x, h, c = torch.randn(2, 5).double(), torch.randn(2, 3).double(), torch.randn(2, 3).double()
    for ours, theirs in zip(cell(x, (h, c)), known(x, (h, c)), strict=True):
        torch.testing.assert_close(ours, theirs)


def run(weights: list[Tensor], start: Tensor, inputs: Tensor, at_once: bool) -> Tensor:
    products = Products(weights)
    state = products.begin(start) if at_once else start
    for x in inputs:
        if at_once:
            state = torch.tanh(products(0, state) + products(1, torch.sigmoid(state)) + x)
        else:
            state = torch.tanh(state @ weights[0].t() + torch.sigmoid(state) @ weights[1].t() + x)
    return state


def test_products_along_a_sequence_have_the_gradients_of_ordinary_ones() -> None:
    torch.manual_seed(0)
    weights = [torch.randn(4, 4).double().requires_grad_() for _ in range(3)]
    start = torch.randn(6, 4).double().requires_grad_()
    inputs = torch.randn(9, 6, 4).double().requires_grad_()
    found: list[tuple[Tensor | None, ...]] = []
    for at_once in (True, False):
        end = run(weights, start, inputs, at_once)
        of = [*weights, start, inputs]
        found.append(torch.autograd.grad((end**2).sum(), of, allow_unused=True))
    for ours, theirs in zip(*found, strict=True):
        if theirs is None:  # the weight that nothing was multiplied by
            assert ours is None
        else:
            assert ours is not None
            torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


def test_a_sequence_can_be_gone_through_again() -> None:
    weights = [torch.ones(2, 2).double().requires_grad_() for _ in range(2)]
    start, inputs = torch.ones(1, 2).double(), torch.zeros(3, 1, 2).double()
    grads = [
        torch.autograd.grad(run(weights, start.requires_grad_(), inputs, True).sum(), weights)
        for _ in range(2)
    ]
    assert all(torch.equal(one, two) for one, two in zip(*grads, strict=True))
