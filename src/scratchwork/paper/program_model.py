"""What every model of programs can do: score whole programs, and go one step at a time.

Promises: `encode` a batch of sources; `unroll` the recurrence over whole programs; then
`slot_log_probs` for any stretch of slots, from the states alone, so that the output layers can be
run in slices. The log-probabilities of a program's slots add up to that of the program. For
drawing and decoding the same distributions come step by step: `operations`, `destination`, `open`,
`argument`, `next_slot`, `advance`. Both ways give the same numbers.

Attention enters the output layers only (the paper's late fusion): it never feeds the recurrence.
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
from scratchwork.paper.noise import Dropout, NoDropout
from scratchwork.paper.tensors import Programs, Source, ValueTensors

ModelKind = Literal["program", "seq2seq", "copy-input", "copy-output"]

_COPIES: dict[str, tuple[int, ...]] = {
    "program": (COPY_INPUT, COPY_OUTPUT),
    "seq2seq": (),
    "copy-input": (COPY_INPUT,),
    "copy-output": (COPY_INPUT, COPY_OUTPUT),
}
"""What an argument can be copied from."""


@dataclass(frozen=True)
class ModelConfig:
    """The size of a network."""

    kind: ModelKind
    words: int
    """How many words the vocabulary has."""
    hidden: int = 200
    """H, the size of every state."""
    embedding: int = 200


class Recurrent(NamedTuple):
    """The state of a two-layer LSTM: (example, unit) each."""

    lower: tuple[Tensor, Tensor]
    upper: tuple[Tensor, Tensor]

    @property
    def h(self) -> Tensor:
        """The state that the output layers see."""
        return self.upper[0]


@dataclass(frozen=True, slots=True)
class States:
    """The recurrence over programs: all that the output layers need of it."""

    h: Tensor
    """(example, instruction + 1, unit): before each instruction, and behind the last."""
    r: Tensor
    """(example, instruction, unit): of the destination."""
    q: Tensor
    """(example, 2 x instruction, unit): of each argument slot."""


class ProgramModel(nn.Module, ABC):
    """A network that gives every program for a problem a probability."""

    NO_DROPOUT = NoDropout()
    context_size = 4
    """What an argument is predicted from, in units of H: q, h, and twice that of attention."""

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
        """Whether programs may have other instructions than `Id` to the output."""
        return self.config.kind == "program"

    def encode(self, source: Source, dropout: Dropout = NO_DROPOUT) -> EncodedSource:
        """Read a batch of sources."""
        x = self.embedding.words(source.words)
        u, whole = self.encoder(x, source.lengths, dropout)
        places = torch.arange(source.words.shape[1], device=u.device)
        return EncodedSource(u, whole, places < source.lengths.unsqueeze(1), source.values)

    def start(self, encoded: EncodedSource) -> Recurrent:
        """The state before the first instruction."""
        a, b, c, d = torch.tanh(self.begin(encoded.whole)).chunk(4, -1)
        return Recurrent((a.contiguous(), b.contiguous()), (c.contiguous(), d.contiguous()))

    def prepare(self, encoded: EncodedSource, behind: Tensor) -> AttentionKeys:
        """Project the places to attend to and to point at; `behind` are the states behind the
        instructions so far."""
        return AttentionKeys(
            self.attention.affinity.of_place(encoded.u),
            self.predictor.to_source.of_place(encoded.u),
            self.predictor.to_history.of_place(behind),
        )

    def attend(self, encoded: EncodedSource, prepared: Tensor, h: Tensor) -> Tensor:
        """What all predictions are conditioned on: the state h, and what it attends to."""
        return torch.cat([h, self.attention(encoded, prepared, h)], -1)

    @abstractmethod
    def unroll(
        self,
        encoded: EncodedSource,
        values: ValueTensors,
        programs: Programs,
        dropout: Dropout = NO_DROPOUT,
    ) -> States:
        """The recurrence over given programs."""

    def slot_log_probs(
        self,
        encoded: EncodedSource,
        values: ValueTensors,
        programs: Programs,
        states: States,
        part: slice = slice(None),
        dropout: Dropout = NO_DROPOUT,
    ) -> tuple[Tensor, Tensor]:
        """The log-probabilities of a stretch of slots: (example, slot), 0 where there is none; and
        which of them only the unknown word could fill."""
        at = programs.slot_instruction[:, part]
        is_second = programs.slot_is_second[:, part]
        h = taken(states.h, at)
        q = taken(states.q, 2 * at + is_second)
        prepared = self.prepare(encoded, states.h[:, 1:])
        attended = self.attend(encoded, prepared.attention, h)
        earlier = torch.arange(programs.results.shape[1], device=h.device) < at.unsqueeze(-1)
        scores = self.argument(q, attended, encoded.values >= 0, prepared, earlier, dropout)
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
        counts = programs.slot_counts[:, part]
        return log_probs.masked_fill(~counts, 0), unknown & counts

    def log_probs(
        self, source: Source, values: ValueTensors, programs: Programs
    ) -> tuple[Tensor, Tensor]:
        """The log-probability of each program of a batch, and how many unknown words it needs."""
        encoded = self.encode(source)
        states = self.unroll(encoded, values, programs)
        scores, unknown = self.slot_log_probs(encoded, values, programs, states)
        return scores.sum(1), unknown.sum(1)

    @abstractmethod
    def head_log_probs(
        self, attended: Tensor, r: Tensor, operations: Tensor, to_output: Tensor
    ) -> Tensor:
        """Of given operations and destinations."""

    def argument(
        self,
        q: Tensor,
        attended: Tensor,
        given: Tensor,
        prepared: AttentionKeys,
        earlier: Tensor,
        dropout: Dropout = NO_DROPOUT,
    ) -> ArgumentScores:
        """The distribution of a slot's argument; `given` are the places of the source to point at,
        `earlier` the instructions."""
        context = dropout(self.context(q, attended), 6)
        words = self.embedding.words.weight
        return self.predictor(context, prepared, given, earlier, words, dropout)

    def recalled(self, q: Tensor, attended: Tensor, history: Tensor, earlier: Tensor) -> Tensor:
        """Of `argument`, the log-probabilities of the earlier instructions alone: numbers come
        from nowhere else."""
        return self.predictor.recalled(self.context(q, attended), history, earlier)

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
    def open(self, state: Recurrent, r: Tensor, to_output: Tensor) -> tuple[Tensor, Tensor]:
        """The state q of the first slot, as of an LSTM."""

    @abstractmethod
    def next_slot(self, q: tuple[Tensor, Tensor], argument: Tensor) -> tuple[Tensor, Tensor]:
        """The state q of the second slot, behind the first argument's vector."""

    @abstractmethod
    def advance(self, state: Recurrent, q: Tensor, value: Tensor) -> Recurrent:
        """The state behind an instruction, by its last slot's state and its value's vector."""
