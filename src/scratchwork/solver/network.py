"""The solver's network: an encoder for problems, and a decoder for plans and rationales.

Promises: the encoder does not know the order of the options: each is read from the same position
and attends to the question, itself and the first pieces of the others. The decoder chooses among
the symbols, the problem's numbers, the results so far and, in a rationale, pieces of words (see
`symbols`). After each step of a plan its input holds the number that the step computed.

Does not cover: which choices are allowed, and computing the steps; see `plan_state`.
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
    """Problems as padded tensors."""

    pieces: Tensor
    """[problem, piece]"""
    segments: Tensor
    """[problem, piece]: 0 in the question, k in option k; -1 for padding"""
    positions: Tensor
    """[problem, piece]"""
    numeral_pieces: Tensor
    """[problem, numeral]; -1 where there is none"""
    numeral_values: Tensor
    """[problem, numeral], float64"""
    option_pieces: Tensor
    """[problem, option]: the first piece of each option; -1 where there is none"""


class EncodedProblems(NamedTuple):
    """The encoder's states for a batch."""

    states: Tensor
    """[problem, piece, width]"""
    mask: Tensor
    """[problem, 1, 1, piece]: False for padding"""
    numerals: Tensor
    """[problem, numeral, width]"""
    numeral_values: Tensor
    """[problem, numeral], float64"""
    option_states: Tensor
    """[problem, option, width]"""


class DecoderInput(NamedTuple):
    """The decoder's input at each place of a row: the last choice, and what came of it."""

    choices: Tensor
    """[row, place]"""
    values: Tensor
    """[row, place], float64: the number that was chosen; NaN for other choices"""
    results: Tensor
    """[row, place], float64: the number computed by a step that is now complete, else NaN"""
    result_counts: Tensor
    """[row, place]: how many results there are so far"""


class Transformer(nn.Module):
    """Encoder, decoder, and the heads on top of them."""

    def __init__(self, config: SolverConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        size = (width, config.heads, config.dropout)
        # The encoder's input, the encoder, and the head for masked pieces.
        self.pieces = nn.Embedding(config.pieces, width)
        self.places = nn.Embedding(POSITIONS, width)
        nn.init.normal_(self.pieces.weight, std=0.05)
        nn.init.normal_(self.places.weight, std=0.02)
        self.parts = SmallEmbedding(2, width)
        self.before_encoder = nn.LayerNorm(width, eps=BERT_EPSILON)
        self.encoder = nn.ModuleList(EncoderLayer(*size) for _ in range(config.encoder_layers))
        self.numbers = NumberEmbedding(width)
        self.ask_word = nn.Linear(width, width)
        # The decoder's input, and the decoder.
        self.symbols = SmallEmbedding(SYMBOLS + 3, width)
        self.ordinals = SmallEmbedding(MOST_STEPS + 1, width)
        self.results = SmallEmbedding(MOST_STEPS + 1, width)
        self.computed = NumberEmbedding(width)
        self.from_numeral = nn.Linear(width, width)
        self.from_option = nn.Linear(width, width)
        self.from_piece = nn.Linear(width, width)
        self.decoder = nn.ModuleList(DecoderLayer(*size) for _ in range(config.decoder_layers))
        self.after_decoder = nn.LayerNorm(width)
        # The heads for each kind of choice; pointers have queries (ask) and keys (be).
        self.choose_symbol = nn.Linear(width, SYMBOLS)
        self.ask_piece = nn.Linear(width, width)
        self.ask_numeral, self.be_numeral = nn.Linear(width, width), nn.Linear(width, width)
        self.ask_result, self.be_result = nn.Linear(width, width), nn.Linear(width, width)

    @property
    def decoding_layers(self) -> list[DecoderLayer]:
        """The decoder's layers, typed."""
        return [layer for layer in self.decoder if isinstance(layer, DecoderLayer)]

    def encoder_parameters(self) -> list[nn.Parameter]:
        """Those that may start from a published encoder."""
        parts = (self.pieces, self.places, self.parts, self.before_encoder, self.encoder)
        return [parameter for part in parts for parameter in part.parameters()]

    def encode(self, batch: ProblemBatch) -> EncodedProblems:
        """The states of a batch of problems."""
        x = self.pieces(batch.pieces) + self.places(batch.positions)
        x = x + self.parts((batch.segments > 0).long())
        places = batch.numeral_pieces.clamp(min=0)[..., None].expand(-1, -1, x.shape[-1])
        is_there = (batch.numeral_pieces >= 0)[..., None]
        numbers = self.numbers(batch.numeral_values) * is_there
        x = x.scatter_add(1, places, numbers.to(x.dtype))
        x = functional.dropout(self.before_encoder(x), self.config.dropout, self.training)
        mask = _encoder_mask(batch)
        for layer in self.encoder:
            x = layer(x, mask)
        at_options = batch.option_pieces.clamp(min=0)[..., None].expand(-1, -1, x.shape[-1])
        return EncodedProblems(
            states=x,
            mask=(batch.segments >= 0)[:, None, None],
            numerals=x.gather(1, places),
            numeral_values=batch.numeral_values,
            option_states=x.gather(1, at_options),
        )

    def embed(self, inputs: DecoderInput, numerals: Tensor, options: Tensor) -> Tensor:
        """The vector at each place. `options` is the state of the option that the plan reaches,
        where the plan ends, and zero elsewhere."""
        choices = inputs.choices
        is_piece = choices >= FIRST_PIECE
        is_numeral = (choices >= FIRST_NUMERAL) & (choices < FIRST_RESULT)
        is_result = (choices >= FIRST_RESULT) & ~is_piece
        symbols = torch.where(is_numeral, SYMBOLS, torch.where(is_result, SYMBOLS + 1, choices))
        symbols = torch.where(is_piece, SYMBOLS + 2, symbols)
        which = (choices - FIRST_NUMERAL).clamp(0, MOST_NUMERALS - 1)
        pointed = numerals.gather(1, which[..., None].expand(-1, -1, numerals.shape[-1]))
        ordinal = torch.where(is_result, choices - FIRST_RESULT + 1, 0)
        has_result = torch.isfinite(inputs.results)
        words = self.pieces((choices - FIRST_PIECE).clamp(min=0)) * is_piece[..., None]
        return (
            self.symbols(symbols)
            + self.from_piece(words)
            + self.from_numeral(pointed) * is_numeral[..., None]
            + self.ordinals(ordinal)
            + self.numbers(inputs.values)
            + self.computed(inputs.results)
            + self.results(torch.where(has_result, inputs.result_counts, 0))
            + self.from_option(options)
        )

    def decode(
        self,
        inputs: DecoderInput,
        encoded: EncodedProblems,
        options: Tensor,
        with_pieces: bool = False,
    ) -> Tensor:
        """The logits of each place's next choice, [row, place, choice], for a whole row of each
        problem; those of pieces come last, and only `with_pieces`."""
        x = self.embed(inputs, encoded.numerals, options)
        x = functional.dropout(x, self.config.dropout, self.training)
        places = torch.arange(x.shape[1], device=x.device)[None]
        angles = rotation_angles(places, self.config.width // self.config.heads)
        for layer in self.decoder:
            x = layer(x, angles, encoded.states, encoded.mask)
        x = self.after_decoder(x)
        computed_at = _result_places(inputs)
        results = x.gather(1, computed_at[..., None].expand(-1, -1, x.shape[-1]))
        to_numerals = self.pointer_logits(self.ask_numeral(x), self.be_numeral(encoded.numerals))
        to_results = self.pointer_logits(self.ask_result(x), self.be_result(results))
        logits = [self.choose_symbol(x), to_numerals, to_results]
        if with_pieces:
            logits.append(self.piece_logits(x))
        return torch.cat(logits, -1).float()

    def piece_logits(self, x: Tensor) -> Tensor:
        """The logits of each piece as the next one of a rationale."""
        return self.ask_piece(x) @ self.pieces.weight.t()

    def masked_piece_logits(self, states: Tensor) -> Tensor:
        """The logits of each piece where the encoder read a masked one."""
        return self.ask_word(states) @ self.pieces.weight.t()

    def pointer_logits(self, queries: Tensor, keys: Tensor) -> Tensor:
        """The logits of pointing at each key."""
        return queries @ keys.transpose(1, 2) * self.config.width**-0.5


def _encoder_mask(batch: ProblemBatch) -> Tensor:
    """Each piece sees the question, its own option and the first piece of every option."""
    query, key = batch.segments[:, :, None], batch.segments[:, None, :]
    begins = (batch.pieces == OPTION_PIECE)[:, None, :]
    return ((key == 0) | (key == query) & (key > 0) | begins)[:, None]


def _result_places(inputs: DecoderInput) -> Tensor:
    """The place at which each result was computed; 0 for results that are not there."""
    computed = torch.isfinite(inputs.results)
    rows, places = computed.shape
    at = torch.zeros(rows, MOST_STEPS + 1, dtype=torch.long, device=computed.device)
    ordinal = torch.where(computed, inputs.result_counts, 0).clamp(max=MOST_STEPS)
    where = torch.arange(places, device=computed.device).expand(rows, -1) * computed
    return at.scatter_reduce(1, ordinal, where, "amax")[:, 1:]
