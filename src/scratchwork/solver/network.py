"""The solver's network: it reads a problem, and writes a plan and a rationale choice by choice.

Promises: the encoder does not know the order of the options (each is read from the same position,
and sees the question, itself and the other options' first pieces). The decoder chooses among the
symbols, the problem's numbers, the results so far and, in a rationale, pieces of words (see
`symbols`); behind each step it is told the number that the step computed.

Does not cover: which choices are allowed, and computing: see decoding.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from scratchwork.solver.layers import (
    BERT_EPSILON,
    DecoderLayer,
    EncoderLayer,
    NumberEmbedding,
    SmallEmbedding,
    rotation_angles,
)
from scratchwork.solver.reading import OPTION_PIECE, POSITIONS
from scratchwork.solver.symbols import (
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
    heads: int = 12
    encoder_layers: int = 6
    decoder_layers: int = 4
    dropout: float = 0.2


class ProblemBatch(NamedTuple):
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


class EncodedProblems(NamedTuple):
    """What the encoder made of problems."""

    states: Tensor
    mask: Tensor
    """[problem, 1, 1, piece]: which pieces there are."""
    numerals: Tensor
    """[problem, numeral, width]"""
    numeral_values: Tensor
    option_states: Tensor
    """[problem, option, width]"""


class DecoderInput(NamedTuple):
    """What the decoder is told at each place of a plan: the last choice, and what followed."""

    choices: Tensor
    """[row, place]"""
    values: Tensor
    """[row, place], float64: the number that was chosen, not finite for other choices."""
    results: Tensor
    """[row, place], float64: the number that was computed then, not finite if none was."""
    result_counts: Tensor
    """[row, place]: how many results there are by then."""


class Transformer(nn.Module):
    """Encoder, decoder, and what is read off their states."""

    def __init__(self, config: SolverConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        size = (width, config.heads, config.dropout)
        self.pieces = nn.Embedding(config.pieces, width)
        self.places = nn.Embedding(POSITIONS, width)
        nn.init.normal_(self.pieces.weight, std=0.05)
        nn.init.normal_(self.places.weight, std=0.02)
        self.parts = SmallEmbedding(2, width)
        self.before_encoder = nn.LayerNorm(width, eps=BERT_EPSILON)
        self.encoder = nn.ModuleList(EncoderLayer(*size) for _ in range(config.encoder_layers))
        self.numbers = NumberEmbedding(width)
        self.ask_word = nn.Linear(width, width)
        self.symbols = SmallEmbedding(SYMBOLS + 3, width)
        self.ordinals = SmallEmbedding(MOST_STEPS + 1, width)
        self.results = SmallEmbedding(MOST_STEPS + 1, width)
        self.computed = NumberEmbedding(width)
        self.from_numeral = nn.Linear(width, width)
        self.from_option = nn.Linear(width, width)
        self.from_piece = nn.Linear(width, width)
        self.decoder = nn.ModuleList(DecoderLayer(*size) for _ in range(config.decoder_layers))
        self.after_decoder = nn.LayerNorm(width)
        self.choose_symbol = nn.Linear(width, SYMBOLS)
        self.ask_piece = nn.Linear(width, width)
        self.ask_numeral, self.be_numeral = nn.Linear(width, width), nn.Linear(width, width)
        self.ask_result, self.be_result = nn.Linear(width, width), nn.Linear(width, width)

    @property
    def decoding_layers(self) -> list[DecoderLayer]:
        """The decoder's layers, for those who go through them place by place."""
        return [layer for layer in self.decoder if isinstance(layer, DecoderLayer)]

    def encoder_parameters(self) -> list[nn.Parameter]:
        """Those that can be taken over from a published encoder."""
        parts = (self.pieces, self.places, self.parts, self.before_encoder, self.encoder)
        return [parameter for part in parts for parameter in part.parameters()]

    def encode(self, read: ProblemBatch) -> EncodedProblems:
        """Read problems."""
        x = self.pieces(read.pieces) + self.places(read.positions)
        x = x + self.parts((read.segments > 0).long())
        places = read.numeral_pieces.clamp(min=0)[..., None].expand(-1, -1, x.shape[-1])
        is_there = (read.numeral_pieces >= 0)[..., None]
        numbers = self.numbers(read.numeral_values) * is_there
        x = x.scatter_add(1, places, numbers.to(x.dtype))
        x = functional.dropout(self.before_encoder(x), self.config.dropout, self.training)
        mask = _visible(read)
        for layer in self.encoder:
            x = layer(x, mask)
        at_options = read.option_pieces.clamp(min=0)[..., None].expand(-1, -1, x.shape[-1])
        return EncodedProblems(
            states=x,
            mask=(read.segments >= 0)[:, None, None],
            numerals=x.gather(1, places),
            numeral_values=read.numeral_values,
            option_states=x.gather(1, at_options),
        )

    def embed(self, told: DecoderInput, numerals: Tensor, options: Tensor) -> Tensor:
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
        return (
            self.symbols(symbols)
            + self.from_piece(words)
            + self.from_numeral(pointed) * is_numeral[..., None]
            + self.ordinals(ordinal)
            + self.numbers(told.values)
            + self.computed(told.results)
            + self.results(torch.where(was_born, told.result_counts, 0))
            + self.from_option(options)
        )

    def decode(
        self,
        told: DecoderInput,
        encoded: EncodedProblems,
        options: Tensor,
        with_pieces: bool = False,
    ) -> Tensor:
        """For whole plans, a row for each problem: how much each choice is liked at each place,
        [row, place, choice]; pieces are choices only `with_pieces`."""
        x = self.embed(told, encoded.numerals, options)
        x = functional.dropout(x, self.config.dropout, self.training)
        places = torch.arange(x.shape[1], device=x.device)[None]
        turn = rotation_angles(places, self.config.width // self.config.heads)
        for layer in self.decoder:
            x = layer(x, turn, encoded.states, encoded.mask)
        x = self.after_decoder(x)
        born_at = _born_at(told)
        results = x.gather(1, born_at[..., None].expand(-1, -1, x.shape[-1]))
        to_numerals = self.pointer_logits(self.ask_numeral(x), self.be_numeral(encoded.numerals))
        to_results = self.pointer_logits(self.ask_result(x), self.be_result(results))
        likings = [self.choose_symbol(x), to_numerals, to_results]
        if with_pieces:
            likings.append(self.piece_logits(x))
        return torch.cat(likings, -1).float()

    def piece_logits(self, x: Tensor) -> Tensor:
        """How much each piece is liked as the next of a rationale."""
        return self.ask_piece(x) @ self.pieces.weight.t()

    def masked_piece_logits(self, states: Tensor) -> Tensor:
        """How much each piece is liked where the encoder, in these states, read an unknown one."""
        return self.ask_word(states) @ self.pieces.weight.t()

    def pointer_logits(self, asking: Tensor, keys: Tensor) -> Tensor:
        """How much each key is liked by those who ask."""
        return asking @ keys.transpose(1, 2) * self.config.width**-0.5


def _visible(read: ProblemBatch) -> Tensor:
    """Which pieces each piece sees: the question, its own option, and where options begin."""
    asking, seen = read.segments[:, :, None], read.segments[:, None, :]
    begins = (read.pieces == OPTION_PIECE)[:, None, :]
    return ((seen == 0) | (seen == asking) & (seen > 0) | begins)[:, None]


def _born_at(told: DecoderInput) -> Tensor:
    """The place at which each result was computed; 0 for results that are not there."""
    born = torch.isfinite(told.results)
    rows, places = born.shape
    at = torch.zeros(rows, MOST_STEPS + 1, dtype=torch.long, device=born.device)
    ordinal = torch.where(born, told.result_counts, 0).clamp(max=MOST_STEPS)
    where = torch.arange(places, device=born.device).expand(rows, -1) * born
    return at.scatter_reduce(1, ordinal, where, "amax")[:, 1:]
