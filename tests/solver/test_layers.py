import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.solver.layers import NumberEmbedding, SmallEmbedding, digits_of

WHOLE, DECIMALS = 8, 4
EMBEDDING = NumberEmbedding(16)

numbers = st.one_of(
    st.integers(-130, 130).map(float),
    st.integers(-(10**8) + 1, 10**8 - 1).map(float),
    st.integers(-(10**11), 10**11).map(lambda n: n / 10**DECIMALS),
)


def symbols(value: float) -> list[int]:
    return digits_of(torch.tensor(value, dtype=torch.float64)).tolist()


def spelling(value: float) -> list[str]:
    """The same by way of text: digits from the ones up, then from the tenths down, the sign, and
    the name of a small whole number."""
    whole, _, decimals = f"{abs(value):.{DECIMALS}f}".partition(".")
    places = [*whole[::-1].ljust(WHOLE), *decimals.rstrip("0").ljust(DECIMALS)]
    is_small = value >= 0 and not decimals.rstrip("0") and int(whole) < 128
    return [*places, "-" if value < 0 else "+", whole if is_small else ""]


@given(numbers, numbers)
def test_numbers_share_a_symbol_where_they_are_written_alike(a: float, b: float) -> None:
    alike = [x == y for x, y in zip(spelling(a), spelling(b), strict=True)]
    assert [x == y for x, y in zip(symbols(a), symbols(b), strict=True)] == alike


@given(numbers)
def test_no_symbol_stands_for_two_things(value: float) -> None:
    assert len(set(symbols(value))) == WHOLE + DECIMALS + 2
    other = symbols(-value + 1)
    assert all(symbol not in other[:k] + other[k + 1 :] for k, symbol in enumerate(symbols(value)))


@pytest.mark.parametrize(("noisy", "plain"), [(0.1 + 0.2, 0.3), (2.99999999, 3.0), (1e-9, 0.0)])
def test_float_noise_does_not_matter(noisy: float, plain: float) -> None:
    assert symbols(noisy) == symbols(plain)


def test_tables_of_numbers_get_one_more_dimension() -> None:
    values = torch.tensor([[1.0, 2.5, -3], [1e14, 0, 7]], dtype=torch.float64)
    found = digits_of(values)
    assert found.shape == (2, 3, WHOLE + DECIMALS + 2)
    assert found[0, 1].tolist() == symbols(2.5)


@given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=5))
def test_any_number_has_a_finite_vector_of_its_own(values: list[float]) -> None:
    with torch.no_grad():
        together = EMBEDDING(torch.tensor(values, dtype=torch.float64))
        alone = EMBEDDING(torch.tensor(values[:1], dtype=torch.float64))
    assert together.shape == (len(values), 16)
    assert torch.isfinite(together).all()
    torch.testing.assert_close(together[:1], alone)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_becomes_zero(value: float) -> None:
    embedding = NumberEmbedding(16)
    vectors = embedding(torch.tensor([value, 0.0], dtype=torch.float64))
    assert not vectors[0].any()
    assert vectors[1].any()
    vectors.sum().backward()
    assert embedding.symbols.grad is not None
    assert torch.isfinite(embedding.symbols.grad).all()


def test_numbers_too_large_for_their_digits_still_differ() -> None:
    with torch.no_grad():
        a, b = NumberEmbedding(16)(torch.tensor([5e9, 5e12], dtype=torch.float64))
    assert not torch.allclose(a, b)


def test_a_small_embedding_looks_up_its_vectors() -> None:
    embedding = SmallEmbedding(5, 3)
    which = torch.tensor([[4, 0], [2, 2]])
    assert torch.equal(embedding(which), embedding.vectors[which])
