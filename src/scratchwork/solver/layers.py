"""The layers that the solver's network is made of.

Promises: an `EncoderLayer` computes what a layer of BERT does, so that published weights can be put
in. A `DecoderLayer` sees what was written before a place, and what the encoder read; for one place
of several rows of a problem at once (`step`) it does the same as for whole sequences.
`NumberEmbedding` shows a network a number digit by digit, and how large it is.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

BERT_EPSILON = 1e-12
"""As BERT has it."""


class EncoderLayer(nn.Module):
    """Attention to its own sequence and a feed-forward part, each normalised behind its sum."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(dropout)
        self.to_self, self.from_self = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.after_self = nn.LayerNorm(width, eps=BERT_EPSILON)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.after_forward = nn.LayerNorm(width, eps=BERT_EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Each place sees those that the mask allows."""
        queries, keys, values = self.to_self(x).chunk(3, -1)
        own = (
            split_heads(queries, self.heads),
            split_heads(keys, self.heads),
            split_heads(values, self.heads),
        )
        x = self.after_self(x + self.drop(self.from_self(attend(*own, mask))))
        hidden = functional.gelu(self.widen(x))
        return self.after_forward(x + self.drop(self.narrow(self.drop(hidden))))


class DecoderLayer(nn.Module):
    """Attention to its own sequence, to another one, and a feed-forward part."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(dropout)
        self.before_self, self.before_forward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.to_self, self.from_self = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.before_cross = nn.LayerNorm(width)
        self.to_query, self.to_memory = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.from_cross = nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def memory(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the other sequence."""
        keys, values = self.to_memory(states).chunk(2, -1)
        return split_heads(keys, self.heads), split_heads(values, self.heads)

    def self_attention(self, x: Tensor, turn: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of its own sequence."""
        parts = self.to_self(self.before_self(x)).chunk(3, -1)
        queries, keys, values = (split_heads(part, self.heads) for part in parts)
        return rotated(queries, turn), rotated(keys, turn), values

    def forward(self, x: Tensor, turn: Tensor, states: Tensor, seen: Tensor) -> Tensor:
        """Whole sequences: each place sees itself and those before it, and of the other
        sequence's states the places that are seen."""
        own = self.self_attention(x, turn)
        x = x + self.drop(self.from_self(attend(*own, None, causal=True)))
        queries = split_heads(self.to_query(self.before_cross(x)), self.heads)
        x = x + self.drop(self.from_cross(attend(queries, *self.memory(states), seen)))
        return self._widened(x)

    def step(
        self,
        x: Tensor,
        own: tuple[Tensor, Tensor, Tensor],
        memory: tuple[Tensor, Tensor],
        seen: Tensor,
        samples: int,
    ) -> Tensor:
        """As `forward` for one place of several samples of each problem, [problem x sample, 1,
        width], which ask their problem's memory together."""
        rows, _, width = x.shape
        x = x + self.from_self(attend(*own, None))
        together = x.view(rows // samples, samples, width)
        queries = split_heads(self.to_query(self.before_cross(together)), self.heads)
        x = x + self.from_cross(attend(queries, *memory, seen)).view(rows, 1, width)
        return self._widened(x)

    def _widened(self, x: Tensor) -> Tensor:
        hidden = functional.gelu(self.widen(self.before_forward(x)))
        return x + self.drop(self.narrow(self.drop(hidden)))


def split_heads(x: Tensor, heads: int) -> Tensor:
    """[row, place, width] as [row, head, place, part of the width]"""
    rows, places, width = x.shape
    return x.view(rows, places, heads, width // heads).transpose(1, 2)


def attend(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool = False
) -> Tensor:
    """What each place gathers from those it may see, [row, place, width]"""
    mixed = functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=mask, is_causal=causal
    )
    return mixed.transpose(1, 2).flatten(2)


def rotation_angles(positions: Tensor, size: int) -> Tensor:
    """The angles by which positions turn queries and keys (rotary embedding), [row, 1, place, k]"""
    rates = 10_000 ** (-torch.arange(0, size, 2, device=positions.device) / size)
    return (positions[:, None, :, None].float() * rates).to(torch.float32)


def rotated(x: Tensor, turn: Tensor) -> Tensor:
    """Queries or keys, each pair of its numbers rotated by the angles."""
    a, b = x.float().chunk(2, -1)
    sine, cosine = turn.sin(), turn.cos()
    return torch.cat([a * cosine - b * sine, a * sine + b * cosine], -1).to(x.dtype)


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


class SmallEmbedding(nn.Module):
    """A vector for each of a few things, looked up by a product, which is fast both ways."""

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.randn(count, width) * 0.02)

    def forward(self, which: Tensor) -> Tensor:
        hot = functional.one_hot(which, len(self.vectors)).to(self.vectors.dtype)
        return hot @ self.vectors
