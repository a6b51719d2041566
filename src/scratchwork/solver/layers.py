"""The layers of the solver's network.

Promises: an `EncoderLayer` computes what a layer of BERT does, so it can take published weights. A
`DecoderLayer` attends to earlier places and to the encoder's states; `step` gives for one place of
several rows what `forward` gives for whole rows. A `NumberEmbedding` encodes a number's digits and
its size.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

BERT_EPSILON = 1e-12
"""That of BERT."""


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward part, each normalised after the residual sum."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(dropout)
        self.to_self, self.from_self = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.after_self = nn.LayerNorm(width, eps=BERT_EPSILON)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.after_forward = nn.LayerNorm(width, eps=BERT_EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`mask` says which places each place attends to."""
        parts = self.to_self(x).chunk(3, -1)
        queries, keys, values = (split_heads(part, self.heads) for part in parts)
        attended = self.from_self(attend(queries, keys, values, mask))
        x = self.after_self(x + self.drop(attended))
        hidden = functional.gelu(self.widen(x))
        return self.after_forward(x + self.drop(self.narrow(self.drop(hidden))))


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention and a feed-forward part, each normalised before."""

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
        """The keys and values of cross-attention to the encoder's states."""
        keys, values = self.to_memory(states).chunk(2, -1)
        return split_heads(keys, self.heads), split_heads(values, self.heads)

    def self_attention(self, x: Tensor, angles: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The queries, keys and values of self-attention."""
        parts = self.to_self(self.before_self(x)).chunk(3, -1)
        queries, keys, values = (split_heads(part, self.heads) for part in parts)
        return rotated(queries, angles), rotated(keys, angles), values

    def forward(self, x: Tensor, angles: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        """Whole rows: each place attends to itself, to those before it and to the states that the
        mask allows."""
        own = self.self_attention(x, angles)
        x = x + self.drop(self.from_self(attend(*own, None, causal=True)))
        queries = split_heads(self.to_query(self.before_cross(x)), self.heads)
        x = x + self.drop(self.from_cross(attend(queries, *self.memory(states), mask)))
        return self._feed_forward(x)

    def step(
        self,
        x: Tensor,
        own: tuple[Tensor, Tensor, Tensor],
        memory: tuple[Tensor, Tensor],
        mask: Tensor,
        beam: int,
    ) -> Tensor:
        """As `forward`, for one place of `beam` rows of each problem, [problem x beam, 1, width];
        the rows of a problem attend to its memory together."""
        rows, _, width = x.shape
        x = x + self.from_self(attend(*own, None))
        together = x.view(rows // beam, beam, width)
        queries = split_heads(self.to_query(self.before_cross(together)), self.heads)
        x = x + self.from_cross(attend(queries, *memory, mask)).view(rows, 1, width)
        return self._feed_forward(x)

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = functional.gelu(self.widen(self.before_forward(x)))
        return x + self.drop(self.narrow(self.drop(hidden)))


def split_heads(x: Tensor, heads: int) -> Tensor:
    """[row, place, width] to [row, head, place, width of a head]"""
    rows, places, width = x.shape
    return x.view(rows, places, heads, width // heads).transpose(1, 2)


def attend(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool = False
) -> Tensor:
    """Scaled dot-product attention, heads joined again: [row, place, width]"""
    mixed = functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=mask, is_causal=causal
    )
    return mixed.transpose(1, 2).flatten(2)


def rotation_angles(positions: Tensor, size: int) -> Tensor:
    """The angles of rotary embedding, [row, 1, place, k]"""
    rates = 10_000 ** (-torch.arange(0, size, 2, device=positions.device) / size)
    return (positions[:, None, :, None].float() * rates).to(torch.float32)


def rotated(x: Tensor, angles: Tensor) -> Tensor:
    """Queries or keys, with each pair of their numbers rotated by its angle."""
    a, b = x.float().chunk(2, -1)
    sine, cosine = angles.sin(), angles.cos()
    return torch.cat([a * cosine - b * sine, a * sine + b * cosine], -1).to(x.dtype)


_WHOLE_PLACES, _DECIMALS = 8, 4
_BLANK = 10
_DIGITS = 11
"""The digits, and a blank where a number has none."""
_NAMED = 128
"""Each smaller whole number has a symbol of its own."""
_SIGNS = (_WHOLE_PLACES + _DECIMALS) * _DIGITS
_NAMES = _SIGNS + 2
_SYMBOLS = _NAMES + _NAMED + 1


def digits_of(values: Tensor) -> Tensor:
    """The symbols of float64 numbers, in a new last dimension: one for each digit, the sign and
    the name of a small whole number."""
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
        remaining = rest % 10 ** (_DECIMALS - k)
        digit = torch.div(remaining, 10 ** (_DECIMALS - 1 - k), rounding_mode="floor")
        symbols.append(torch.where(remaining > 0, digit, _BLANK))
    places = [symbol + k * _DIGITS for k, symbol in enumerate(symbols)]
    is_named = (rest == 0) & (whole < _NAMED) & (values >= 0)
    name = torch.where(is_named, whole, _NAMED)
    return torch.stack([*places, (values < 0).long() + _SIGNS, name + _NAMES], -1)


class NumberEmbedding(nn.Module):
    """A vector for each number, made of its digits, its sign, its name and its size."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.symbols = nn.Parameter(torch.randn(_SYMBOLS, width) * 0.02)
        self.size = nn.Linear(2, width)

    def forward(self, values: Tensor) -> Tensor:
        """The vectors of float64 numbers; zero where one is not finite."""
        is_number = torch.isfinite(values)
        values = torch.where(is_number, values, 0.0)
        size = torch.log1p(values.abs())
        sizes = torch.stack([size / 10, torch.log1p(size)], -1).to(self.symbols.dtype)
        # The table is small, so a product is much faster than a lookup.
        symbols = torch.zeros(*values.shape, _SYMBOLS, device=values.device, dtype=sizes.dtype)
        symbols.scatter_(-1, digits_of(values), 1.0)
        vectors = symbols @ self.symbols + self.size(sizes)
        return vectors * is_number[..., None].to(vectors.dtype)


class SmallEmbedding(nn.Module):
    """An embedding of few entries, as a product with one-hot vectors: fast in both directions."""

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.randn(count, width) * 0.02)

    def forward(self, which: Tensor) -> Tensor:
        hot = functional.one_hot(which, len(self.vectors)).to(self.vectors.dtype)
        return hot @ self.vectors
