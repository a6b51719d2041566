"""Layers of attention: of the solver's encoder, which reads, and of its decoder, which writes.

Promises: a `ReadingLayer` computes what a layer of BERT does, so that published weights can be put
in. A `WritingLayer` sees what was written before a place, and what was read; for one place of
several samples at once (`of_samples`) it does the same as for whole sequences.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

READING_EPSILON = 1e-12
"""As BERT has it."""


class ReadingLayer(nn.Module):
    """Attention to its own sequence and a feed-forward part, each normalised behind its sum."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(dropout)
        self.to_self, self.from_self = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.after_self = nn.LayerNorm(width, eps=READING_EPSILON)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.after_forward = nn.LayerNorm(width, eps=READING_EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Each place sees those that the mask allows."""
        queries, keys, values = self.to_self(x).chunk(3, -1)
        own = (split(queries, self.heads), split(keys, self.heads), split(values, self.heads))
        x = self.after_self(x + self.drop(self.from_self(attend(*own, mask))))
        hidden = functional.gelu(self.widen(x))
        return self.after_forward(x + self.drop(self.narrow(self.drop(hidden))))


class WritingLayer(nn.Module):
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
        return split(keys, self.heads), split(values, self.heads)

    def self_attention(self, x: Tensor, turn: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of its own sequence."""
        parts = self.to_self(self.before_self(x)).chunk(3, -1)
        queries, keys, values = (split(part, self.heads) for part in parts)
        return turned(queries, turn), turned(keys, turn), values

    def forward(self, x: Tensor, turn: Tensor, states: Tensor, seen: Tensor) -> Tensor:
        """Whole sequences: each place sees itself and those before it, and of the other
        sequence's states the places that are seen."""
        own = self.self_attention(x, turn)
        x = x + self.drop(self.from_self(attend(*own, None, causal=True)))
        queries = split(self.to_query(self.before_cross(x)), self.heads)
        x = x + self.drop(self.from_cross(attend(queries, *self.memory(states), seen)))
        return self._widened(x)

    def of_samples(
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
        queries = split(self.to_query(self.before_cross(together)), self.heads)
        x = x + self.from_cross(attend(queries, *memory, seen)).view(rows, 1, width)
        return self._widened(x)

    def _widened(self, x: Tensor) -> Tensor:
        hidden = functional.gelu(self.widen(self.before_forward(x)))
        return x + self.drop(self.narrow(self.drop(hidden)))


def split(x: Tensor, heads: int) -> Tensor:
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


def turns(positions: Tensor, size: int) -> Tensor:
    """The angles by which positions turn queries and keys (rotary embedding), [row, 1, place, k]"""
    rates = 10_000 ** (-torch.arange(0, size, 2, device=positions.device) / size)
    return (positions[:, None, :, None].float() * rates).to(torch.float32)


def turned(x: Tensor, turn: Tensor) -> Tensor:
    """Queries or keys, each pair of its numbers turned by the angles."""
    a, b = x.float().chunk(2, -1)
    sine, cosine = turn.sin(), turn.cos()
    return torch.cat([a * cosine - b * sine, a * sine + b * cosine], -1).to(x.dtype)
