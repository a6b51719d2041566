"""What every model of programs can do: score given programs, and predict one step at a time.

Promises: for given programs, `encode` reads the sources, `unroll` runs the recurrence with teacher
forcing, and `slot_log_probs` gives the log-probabilities of any slice of slots from the states
alone; those of all slots add up to the program's. For drawing and decoding, `operations`,
`destination`, `first_slot`, `argument`, `second_slot` and `advance` give the same distributions
step by step.

Attention is the paper's late fusion (section 5): it enters the output layers, never the recurrence.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from scratchwork.paper.layers import (
    COPY_INPUT,
    COPY_OUTPUT,
    ArgumentScores,
    Attention,
    AttentionKeys,
    Embedding,
    EncodedSource,
    Encoder,
    LatentPredictor,
    taken,
)
from scratchwork.paper.noise import NO_DROPOUT, Dropout
from scratchwork.paper.tensors import Programs, Source, ValueTensors

ModelKind = Literal["program", "seq2seq", "copy-input", "copy-output"]

_COPIES: dict[str, tuple[int, ...]] = {
    "program": (COPY_INPUT, COPY_OUTPUT),
    "seq2seq": (),
    "copy-input": (COPY_INPUT,),
    "copy-output": (COPY_INPUT, COPY_OUTPUT),
}
"""The pointers of each kind."""


@dataclass(frozen=True)
class ModelConfig:
    """The kind and size of a network."""

    kind: ModelKind
    words: int
    """The size of the vocabulary."""
    hidden: int
    """H, the size of every state."""
    embedding: int


class Recurrent(NamedTuple):
    """The state of a two-layer LSTM: (example, unit) each."""

    lower: tuple[Tensor, Tensor]
    upper: tuple[Tensor, Tensor]

    @property
    def h(self) -> Tensor:
        """The state that the output layers see."""
        return self.upper[0]

    def rows(self, index: Tensor) -> "Recurrent":
        """The states of some examples."""
        (a, b), (c, d) = self
        return Recurrent((a[index], b[index]), (c[index], d[index]))


@dataclass(frozen=True, slots=True)
class States:
    """The states of the recurrence over programs."""

    h: Tensor
    """(example, instruction + 1, unit): before each instruction, and after the last."""
    r: Tensor
    """(example, instruction, unit): for the destination."""
    q: Tensor
    """(example, 2 x instruction, unit): for each argument slot."""


class ProgramModel(nn.Module, ABC):
    """A network that gives every program for a problem its probability."""

    context_size = 4
    """The size of what an argument is predicted from, in units of H: q, h, and u twice as large."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.config = config
        self.embedding = Embedding(config.words, config.embedding)
        self.encoder = Encoder(config.embedding, hidden)
        self.begin = nn.Linear(2 * hidden, 4 * hidden)
        self.attention = Attention(2 * hidden, hidden, hidden)
        copies = _COPIES[config.kind]
        context = self.context_size * hidden
        self.predictor = LatentPredictor(self.embedding, context, 2 * hidden, hidden, copies)

    @property
    def computes(self) -> bool:
        """Whether programs may have instructions other than `Id` to the output."""
        return self.config.kind == "program"

    def encode(self, source: Source, dropout: Dropout = NO_DROPOUT) -> EncodedSource:
        """Encode a batch of sources."""
        x = self.embedding.words(source.words)
        u, whole = self.encoder(x, source.lengths, dropout)
        places = torch.arange(source.words.shape[1], device=u.device)
        return EncodedSource(u, whole, places < source.lengths.unsqueeze(1), source.values)

    def start(self, encoded: EncodedSource) -> Recurrent:
        """The state before the first instruction."""
        a, b, c, d = torch.tanh(self.begin(encoded.whole)).chunk(4, -1)
        return Recurrent((a.contiguous(), b.contiguous()), (c.contiguous(), d.contiguous()))

    def attention_keys(self, encoded: EncodedSource, history: Tensor) -> AttentionKeys:
        """The projected places; `history` holds the state after each instruction so far."""
        return AttentionKeys(
            self.attention.affinity.of_place(encoded.u),
            self.predictor.to_source.of_place(encoded.u),
            self.predictor.to_history.of_place(history),
        )

    def attend(self, encoded: EncodedSource, keys: Tensor, h: Tensor) -> Tensor:
        """The state h with its attention vector, which all predictions are conditioned on."""
        return torch.cat([h, self.attention(encoded, keys, h)], -1)

    @abstractmethod
    def unroll(
        self,
        encoded: EncodedSource,
        values: ValueTensors,
        programs: Programs,
        dropout: Dropout = NO_DROPOUT,
    ) -> States:
        """The states over given programs."""

    def slot_log_probs(
        self,
        encoded: EncodedSource,
        values: ValueTensors,
        programs: Programs,
        states: States,
        part: slice = slice(None),
        dropout: Dropout = NO_DROPOUT,
    ) -> tuple[Tensor, Tensor]:
        """The log-probabilities of a slice of slots, (example, slot), 0 for padding; and which of
        them only the unknown word can fill."""
        at = programs.slot_instruction[:, part]
        is_second = programs.slot_is_second[:, part]
        h = taken(states.h, at)
        q = taken(states.q, 2 * at + is_second)
        keys = self.attention_keys(encoded, states.h[:, 1:])
        attended = self.attend(encoded, keys.attention, h)
        earlier = torch.arange(programs.results.shape[1], device=h.device) < at.unsqueeze(-1)
        scores = self.argument(q, attended, encoded.values >= 0, keys, earlier, dropout)
        arguments = programs.arguments.flatten(1).gather(1, 2 * at + is_second)
        words = values.writing.gather(1, arguments)
        log_probs, unknown = scores.of(arguments, words, encoded.values, programs.results)
        heads = self.head_log_probs(
            attended,
            taken(states.r, at),
            programs.operations.gather(1, at),
            programs.to_output.gather(1, at),
        )
        log_probs = log_probs + heads.masked_fill(is_second, 0)
        mask = programs.slot_mask[:, part]
        return log_probs.masked_fill(~mask, 0), unknown & mask

    @abstractmethod
    def head_log_probs(
        self, attended: Tensor, r: Tensor, operations: Tensor, to_output: Tensor
    ) -> Tensor:
        """The log-probabilities of given operations and destinations."""

    def argument(
        self,
        q: Tensor,
        attended: Tensor,
        source_mask: Tensor,
        keys: AttentionKeys,
        history_mask: Tensor,
        dropout: Dropout = NO_DROPOUT,
    ) -> ArgumentScores:
        """The distribution of a slot's argument."""
        context = dropout(self.context(q, attended), 6)
        words = self.embedding.words.weight
        return self.predictor(context, keys, source_mask, history_mask, words, dropout)

    def copy_output(
        self, q: Tensor, attended: Tensor, history: Tensor, history_mask: Tensor
    ) -> Tensor:
        """The part of `argument` that copies from earlier instructions, the only one of numbers."""
        return self.predictor.copy_output(self.context(q, attended), history, history_mask)

    def context(self, q: Tensor, attended: Tensor) -> Tensor:
        """What an argument is predicted from."""
        return torch.cat([q, attended], -1)

    @abstractmethod
    def operations(self, attended: Tensor) -> Tensor:
        """Log-probabilities of the next operation: (example, operation)."""

    @abstractmethod
    def destination(self, state: Recurrent, operations: Tensor) -> tuple[Tensor, Tensor]:
        """The state r, and the log-probabilities of memory and output: (example, 2)."""

    @abstractmethod
    def first_slot(self, state: Recurrent, r: Tensor, to_output: Tensor) -> tuple[Tensor, Tensor]:
        """The LSTM state q of the first slot."""

    @abstractmethod
    def second_slot(self, q: tuple[Tensor, Tensor], argument: Tensor) -> tuple[Tensor, Tensor]:
        """The LSTM state q of the second slot, after the first argument's vector."""

    @abstractmethod
    def advance(self, state: Recurrent, q: Tensor, value: Tensor) -> Recurrent:
        """The state after an instruction, from its last slot's state and its value's vector."""
