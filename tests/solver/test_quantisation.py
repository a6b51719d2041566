import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from scratchwork.solver.quantisation import quantise, restore

WEIGHTS = {
    "layer.weight": torch.randn(30, 40, generator=torch.Generator().manual_seed(1)),
    "layer.bias": torch.tensor([0.0, 0.1, -1 / 3]),
    "zeros": torch.zeros(2, 3),
}


def size(weights: dict[str, Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in weights.values())


def test_matrices_become_a_quarter_as_large_and_come_back_under_their_names() -> None:
    kept = quantise(WEIGHTS)
    assert kept["layer.weight"].dtype == torch.int8
    assert size(kept) < 0.3 * size(WEIGHTS)
    restored = restore(kept)
    assert list(restored) == list(WEIGHTS)
    assert {tensor.dtype for tensor in restored.values()} == {torch.float32}
    assert [tensor.shape for tensor in restored.values()] == [t.shape for t in WEIGHTS.values()]


def test_everything_but_matrices_is_kept_in_half_precision() -> None:
    restored = restore(quantise(WEIGHTS))
    torch.testing.assert_close(restored["layer.bias"], WEIGHTS["layer.bias"], rtol=1e-3, atol=0)
    assert torch.equal(restored["zeros"], WEIGHTS["zeros"])


rows = st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3)


@given(st.lists(rows, min_size=1, max_size=4))
def test_a_weight_is_off_by_half_a_step_of_its_row_at_most(matrix: list[list[float]]) -> None:
    weight = torch.tensor(matrix)
    kept = quantise({"w": weight})
    assert kept["w"].abs().max() <= 127
    step = weight.abs().amax(1, keepdim=True) / 127
    off = (restore(kept)["w"] - weight).abs()
    assert (off <= 0.5001 * step + 1e-8).all()


def test_what_was_restored_is_kept_exactly() -> None:
    once = restore(quantise(WEIGHTS))
    again = restore(quantise(once))
    for name, tensor in once.items():
        torch.testing.assert_close(again[name], tensor, rtol=1e-6, atol=0)
