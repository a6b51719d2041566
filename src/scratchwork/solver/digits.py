"""Numbers as a network sees them: digit by digit, and how large they are.

Promises: `digits_of` gives, for each number, a symbol for each decimal place from ten millions to
ten-thousandths, leading zeros and zeros behind the last decimal being blank, one for the sign, and
one that names small whole numbers. `NumberEmbedding` adds up what it has learned of each.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

_WHOLE_PLACES, _DECIMALS = 8, 4
_BLANK = 10
_SYMBOLS = 11
_NAMED = 128
"""Whole numbers below this have a symbol of their own."""
_PLACES = _WHOLE_PLACES + _DECIMALS
_SIGNS = _PLACES * _SYMBOLS
_NAMES = _SIGNS + 2
_KINDS = _NAMES + _NAMED + 1


def digits_of(values: Tensor) -> Tensor:
    """The symbols of numbers (float64), in a new last dimension."""
    size = values.abs().clamp(max=1e14)
    size = torch.round(size * 10**_DECIMALS) / 10**_DECIMALS
    whole = torch.floor(size)
    rest = torch.round((size - whole) * 10**_DECIMALS).long()
    whole = whole.long()
    symbols: list[Tensor] = []
    for k in range(_WHOLE_PLACES):
        digit = torch.div(whole, 10**k, rounding_mode="floor")
        symbols.append(torch.where((digit > 0) | (k == 0), digit % 10, _BLANK))
    for k in range(_DECIMALS):
        behind = rest % 10 ** (_DECIMALS - k)
        digit = torch.div(behind, 10 ** (_DECIMALS - 1 - k), rounding_mode="floor")
        symbols.append(torch.where(behind > 0, digit, _BLANK))
    places = [symbol + k * _SYMBOLS for k, symbol in enumerate(symbols)]
    is_named = (rest == 0) & (whole < _NAMED) & (values >= 0)
    name = torch.where(is_named, whole, _NAMED)
    return torch.stack([*places, (values < 0).long() + _SIGNS, name + _NAMES], -1)


class NumberEmbedding(nn.Module):
    """A vector for each number."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.symbols = nn.Parameter(torch.randn(_KINDS, width) * 0.02)
        self.size = nn.Linear(2, width)

    def forward(self, values: Tensor) -> Tensor:
        """Vectors for numbers in float64; what is not a number becomes zero."""
        is_number = torch.isfinite(values)
        values = torch.where(is_number, values, 0.0)
        size = torch.log1p(values.abs())
        sizes = torch.stack([size / 10, torch.log1p(size)], -1).to(self.symbols.dtype)
        # A product is much faster than looking each symbol up: the table is small.
        symbols = torch.zeros(*values.shape, _KINDS, device=values.device, dtype=sizes.dtype)
        symbols.scatter_(-1, digits_of(values), 1.0)
        vectors = symbols @ self.symbols + self.size(sizes)
        return vectors * is_number[..., None].to(vectors.dtype)


class SmallTable(nn.Module):
    """A vector for each of a few things, looked up by a product, which is fast both ways."""

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.randn(count, width) * 0.02)

    def forward(self, which: Tensor) -> Tensor:
        hot = functional.one_hot(which, len(self.vectors)).to(self.vectors.dtype)
        return hot @ self.vectors
