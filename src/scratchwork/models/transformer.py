"""The solver's network: it reads a problem, and writes a plan and a rationale choice by choice.

Promises: the encoder does not know the order of the options (each is read from the same position,
and sees the question, itself and the other options' first pieces). The decoder chooses among the
symbols, the problem's numbers, the results so far and, in a rationale, pieces of words (see
`symbols`); behind each step it is told the number that the step computed. `judge` says how likely a
finished plan is right.

Does not cover: which choices are allowed, and computing: see decoding.
"""

from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from scratchwork.models.digits import NumberEmbedding, SmallTable
from scratchwork.models.pieces import OPTION
from scratchwork.models.symbols import (
    FIRST_NUMERAL,
    FIRST_PIECE,
    FIRST_RESULT,
    MOST_NUMERALS,
    MOST_STEPS,
    SYMBOLS,
)


@dataclass(frozen=True)
class SolverConfig:
    """The size of the network."""

    pieces: int
    width: int = 384
    heads: int = 6
    encoder_layers: int = 6
    decoder_layers: int = 4
    dropout: float = 0.2
    hears_results: bool = True
    """Whether the decoder is told the number that a step computed."""


class Read(NamedTuple):
    """Problems as tensors; rows are padded."""

    pieces: Tensor
    """[problem, piece]"""
    segments: Tensor
    """[problem, piece]; -1 where there is none"""
    positions: Tensor
    """[problem, piece]"""
    numeral_pieces: Tensor
    """[problem, numeral]; -1 where there is none"""
    numeral_values: Tensor
    """[problem, numeral], float64"""
    option_pieces: Tensor
    """[problem, option]; the first piece of each option, -1 where there is none"""


class Encoded(NamedTuple):
    """What the encoder made of problems."""

    states: Tensor
    seen: Tensor
    """[problem, 1, 1, piece]: which pieces there are."""
    numerals: Tensor
    """[problem, numeral, width]"""
    numeral_values: Tensor
    option_states: Tensor
    """[problem, option, width]"""


class Told(NamedTuple):
    """What the decoder is told at each place of a plan: the last choice, and what followed."""

    choices: Tensor
    """[row, place]"""
    values: Tensor
    """[row, place], float64: the number that was chosen, not finite for other choices."""
    results: Tensor
    """[row, place], float64: the number that was computed then, not finite if none was."""
    ordinals: Tensor
    """[row, place]: how many results there are by then."""


class Layer(nn.Module):
    """Attention to its own sequence, to another one if it has one, and a feed-forward part."""

    def __init__(self, config: SolverConfig, crosses: bool) -> None:
        super().__init__()
        width = config.width
        self.heads, self.dropout = config.heads, config.dropout
        self.before_self, self.before_forward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.to_self = nn.Linear(width, 3 * width)
        self.from_self = nn.Linear(width, width)
        self.crosses = crosses
        if crosses:
            self.before_cross = nn.LayerNorm(width)
            self.to_query, self.to_memory = nn.Linear(width, width), nn.Linear(width, 2 * width)
            self.from_cross = nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def _drop(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)

    def split(self, x: Tensor) -> Tensor:
        rows, places, width = x.shape
        return x.view(rows, places, self.heads, width // self.heads).transpose(1, 2)

    def memory(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the other sequence."""
        keys, values = self.to_memory(states).chunk(2, -1)
        return self.split(keys), self.split(values)

    def self_attention(self, x: Tensor, turn: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of its own sequence."""
        queries, keys, values = map(self.split, self.to_self(self.before_self(x)).chunk(3, -1))
        return turned(queries, turn), turned(keys, turn), values

    def forward(
        self,
        x: Tensor,
        turn: Tensor,
        mask: Tensor | None,
        states: Tensor | None = None,
        seen: Tensor | None = None,
    ) -> Tensor:
        """Whole sequences: each place sees those that the mask allows or, without one, those
        before it; and of the other sequence's states the places that are seen."""
        own = self.self_attention(x, turn)
        x = x + self._drop(self.from_self(_attend(*own, mask, mask is None)))
        if states is not None:
            queries = self.split(self.to_query(self.before_cross(x)))
            x = x + self._drop(self.from_cross(_attend(queries, *self.memory(states), seen)))
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
        x = x + self.from_self(_attend(*own, None))
        together = x.view(rows // samples, samples, width)
        queries = self.split(self.to_query(self.before_cross(together)))
        x = x + self.from_cross(_attend(queries, *memory, seen)).view(rows, 1, width)
        return self._widened(x)

    def _widened(self, x: Tensor) -> Tensor:
        hidden = functional.gelu(self.widen(self.before_forward(x)))
        return x + self._drop(self.narrow(self._drop(hidden)))


def _attend(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool = False
) -> Tensor:
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


class Transformer(nn.Module):
    """Encoder, decoder, and what is read off their states."""

    def __init__(self, config: SolverConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.pieces = nn.Embedding(config.pieces, width)
        nn.init.normal_(self.pieces.weight, std=0.05)
        self.parts = SmallTable(2, width)
        self.numbers = NumberEmbedding(width)
        self.encoder = nn.ModuleList(
            Layer(config, crosses=False) for _ in range(config.encoder_layers)
        )
        self.after_encoder = nn.LayerNorm(width)
        self.ask_word = nn.Linear(width, width)
        self.symbols = SmallTable(SYMBOLS + 3, width)
        self.ordinals = SmallTable(MOST_STEPS + 1, width)
        self.results = SmallTable(MOST_STEPS + 1, width)
        self.computed = NumberEmbedding(width)
        self.from_numeral = nn.Linear(width, width)
        self.from_option = nn.Linear(width, width)
        self.from_piece = nn.Linear(width, width)
        self.decoder = nn.ModuleList(
            Layer(config, crosses=True) for _ in range(config.decoder_layers)
        )
        self.after_decoder = nn.LayerNorm(width)
        self.choose_symbol = nn.Linear(width, SYMBOLS)
        self.ask_piece = nn.Linear(width, width)
        self.ask_numeral, self.be_numeral = nn.Linear(width, width), nn.Linear(width, width)
        self.ask_result, self.be_result = nn.Linear(width, width), nn.Linear(width, width)
        self.judge = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    @property
    def decoding_layers(self) -> list[Layer]:
        """The decoder's layers, for those who go through them place by place."""
        return [layer for layer in self.decoder if isinstance(layer, Layer)]

    def encode(self, read: Read) -> Encoded:
        """Read problems."""
        x = self.pieces(read.pieces) + self.parts((read.segments > 0).long())
        places = read.numeral_pieces.clamp(min=0)[..., None].expand(-1, -1, x.shape[-1])
        is_there = (read.numeral_pieces >= 0)[..., None]
        numbers = self.numbers(read.numeral_values) * is_there
        x = x.scatter_add(1, places, numbers.to(x.dtype))
        x = functional.dropout(x, self.config.dropout, self.training)
        mask = _visible(read)
        turn = turns(read.positions, self.config.width // self.config.heads)
        for layer in self.encoder:
            x = layer(x, turn, mask)
        x = self.after_encoder(x)
        at_options = read.option_pieces.clamp(min=0)[..., None].expand(-1, -1, x.shape[-1])
        return Encoded(
            states=x,
            seen=(read.segments >= 0)[:, None, None],
            numerals=x.gather(1, places),
            numeral_values=read.numeral_values,
            option_states=x.gather(1, at_options),
        )

    def tell(self, told: Told, numerals: Tensor, options: Tensor) -> Tensor:
        """The decoder's input at each place.

        `options` is the state of the option that the plan's result is, where the plan ends.
        """
        choices = told.choices
        is_piece = choices >= FIRST_PIECE
        is_numeral = (choices >= FIRST_NUMERAL) & (choices < FIRST_RESULT)
        is_result = (choices >= FIRST_RESULT) & ~is_piece
        symbols = torch.where(is_numeral, SYMBOLS, torch.where(is_result, SYMBOLS + 1, choices))
        symbols = torch.where(is_piece, SYMBOLS + 2, symbols)
        which = (choices - FIRST_NUMERAL).clamp(0, MOST_NUMERALS - 1)
        pointed = numerals.gather(1, which[..., None].expand(-1, -1, numerals.shape[-1]))
        ordinal = torch.where(is_result, choices - FIRST_RESULT + 1, 0)
        was_born = torch.isfinite(told.results)
        words = self.pieces((choices - FIRST_PIECE).clamp(min=0)) * is_piece[..., None]
        heard = told.results if self.config.hears_results else torch.full_like(told.results, nan)
        return (
            self.symbols(symbols)
            + self.from_piece(words)
            + self.from_numeral(pointed) * is_numeral[..., None]
            + self.ordinals(ordinal)
            + self.numbers(told.values)
            + self.computed(heard)
            + self.results(torch.where(was_born, told.ordinals, 0))
            + self.from_option(options)
        )

    def decode(
        self, told: Told, encoded: Encoded, options: Tensor, speaks: bool = False
    ) -> tuple[Tensor, Tensor]:
        """For whole plans, a row for each problem: how much each choice is liked at each place,
        [row, place, choice], and the states that `judge` reads; pieces are choices only if it
        `speaks`."""
        x = self.tell(told, encoded.numerals, options)
        x = functional.dropout(x, self.config.dropout, self.training)
        places = torch.arange(x.shape[1], device=x.device)[None]
        turn = turns(places, self.config.width // self.config.heads)
        for layer in self.decoder:
            x = layer(x, turn, None, encoded.states, encoded.seen)
        x = self.after_decoder(x)
        born_at = _born_at(told)
        results = x.gather(1, born_at[..., None].expand(-1, -1, x.shape[-1]))
        to_numerals = self.point(self.ask_numeral(x), self.be_numeral(encoded.numerals))
        to_results = self.point(self.ask_result(x), self.be_result(results))
        likings = [self.choose_symbol(x), to_numerals, to_results]
        if speaks:
            likings.append(self.speak(x))
        return torch.cat(likings, -1).float(), x

    def speak(self, x: Tensor) -> Tensor:
        """How much each piece is liked as the next of a rationale."""
        return self.ask_piece(x) @ self.pieces.weight.t()

    def recall(self, states: Tensor) -> Tensor:
        """How much each piece is liked where the encoder, in these states, read an unknown one."""
        return self.ask_word(states) @ self.pieces.weight.t()

    def point(self, asking: Tensor, keys: Tensor) -> Tensor:
        """How much each key is liked by those who ask."""
        return asking @ keys.transpose(1, 2) * self.config.width**-0.5


def _visible(read: Read) -> Tensor:
    """Which pieces each piece sees: the question, its own option, and where options begin."""
    asking, seen = read.segments[:, :, None], read.segments[:, None, :]
    begins = (read.pieces == OPTION)[:, None, :]
    return ((seen == 0) | (seen == asking) & (seen > 0) | begins)[:, None]


def _born_at(told: Told) -> Tensor:
    """The place at which each result was computed; 0 for results that are not there."""
    born = torch.isfinite(told.results)
    rows, places = born.shape
    at = torch.zeros(rows, MOST_STEPS + 1, dtype=torch.long, device=born.device)
    ordinal = torch.where(born, told.ordinals, 0).clamp(max=MOST_STEPS)
    where = torch.arange(places, device=born.device).expand(rows, -1) * born
    return at.scatter_reduce(1, ordinal, where, "amax")[:, 1:]
