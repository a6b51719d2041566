"""The layers that the paper's model and its baselines share.

Promises: the paper's embedding of values, its encoder, its affinity f (equation 1), attention, and
its latent predictor network: an argument comes from the softmax over words, from a pointer to the
source or from one to earlier instructions. Padding never changes a result.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from scratchwork.paper.noise import Dropout
from scratchwork.paper.tensors import Tensors, ValueTensors
from scratchwork.paper.vocabulary import UNKNOWN_ID

NEVER = -1e30
"""The log-probability of the impossible, finite so that no sum is NaN."""

FLAGS = 4
"""Features of a value besides its word: is a string, is a number, sign, log of its magnitude."""

SOFTMAX, COPY_INPUT, COPY_OUTPUT = range(3)
"""Where an argument comes from: the paper's latent variable q."""


class Embedding(nn.Module):
    """Embeds words, and values: the vector of the word it is read as, and `FLAGS` features."""

    def __init__(self, words: int, size: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, size, padding_idx=0)
        nn.init.normal_(self.words.weight, std=size**-0.5)
        with torch.no_grad():
            self.words.weight[0] = 0
        self.size = size + FLAGS

    def values(self, values: ValueTensors) -> Tensor:
        """The vectors of all values: (example, value, size)."""
        is_number = values.is_number.unsqueeze(-1)
        numbers = values.numbers.unsqueeze(-1)
        flags = [~is_number, is_number, torch.sign(numbers), torch.log1p(numbers.abs()) / 10]
        vectors = self.words(values.words)
        return torch.cat([vectors, *(flag.to(vectors.dtype) for flag in flags)], -1)


class Encoder(nn.Module):
    """A bidirectional LSTM of two layers over the source: x to u."""

    def __init__(self, embedded: int, hidden: int) -> None:
        super().__init__()
        sizes = (embedded, 2 * hidden)
        self.forwards = nn.ModuleList(nn.LSTM(n, hidden, batch_first=True) for n in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(n, hidden, batch_first=True) for n in sizes)

    def forward(self, x: Tensor, lengths: Tensor, dropout: Dropout) -> tuple[Tensor, Tensor]:
        """The state at every place, and the last state of both directions."""
        places = torch.arange(x.shape[1], device=x.device)
        reverse = (lengths.unsqueeze(1) - 1 - places) % x.shape[1]
        for site, (ahead, back) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            x = dropout(x, site)
            one, _ = ahead(x)
            other, _ = back(taken(x, reverse))
            x = torch.cat([one, taken(other, reverse)], -1)
        half = x.shape[-1] // 2
        last = taken(x, (lengths - 1).unsqueeze(1)).squeeze(1)
        return x, torch.cat([last[:, :half], x[:, 0, half:]], -1)


@dataclass(frozen=True, slots=True)
class EncodedSource(Tensors):
    """An encoded source."""

    u: Tensor
    whole: Tensor
    mask: Tensor
    """False where a place is padding."""
    values: Tensor
    """The value at each place; `NOTHING` where there is none to copy."""


class Affinity(nn.Module):
    """The paper's f: a projection of place and context, tanh, and a projection to one score."""

    def __init__(self, place: int, context: int, hidden: int) -> None:
        super().__init__()
        self.of_place = nn.Linear(place, hidden)
        self.of_context = nn.Linear(context, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, keys: Tensor, context: Tensor) -> Tensor:
        """(example, context, place), from the places projected by `of_place`: (example, place,
        unit), or (example, context, place, unit) where each context has places of its own."""
        places = keys.unsqueeze(1) if keys.dim() == context.dim() else keys
        pairs = places + self.of_context(context).unsqueeze(2)
        return self.score(torch.tanh(pairs)).squeeze(-1)


class Attention(nn.Module):
    """Attention to the source."""

    def __init__(self, place: int, context: int, hidden: int) -> None:
        super().__init__()
        self.affinity = Affinity(place, context, hidden)

    def forward(self, encoded: EncodedSource, keys: Tensor, context: Tensor) -> Tensor:
        scores = self.affinity(keys, context)
        weights = torch.softmax(scores.masked_fill(~encoded.mask.unsqueeze(1), NEVER), -1)
        return weights @ encoded.u


@dataclass(frozen=True, slots=True)
class AttentionKeys:
    """The places to attend to and to copy from, each projected for its affinity."""

    attention: Tensor
    source: Tensor
    history: Tensor
    """Of the state after each instruction: (example, instruction, unit), or, where each context has
    a history of its own, (example, context, instruction, unit)."""


@dataclass(frozen=True, slots=True)
class ArgumentScores:
    """Log-probabilities of an argument: (example, context, ...)."""

    choice: Tensor
    """Of softmax, copy-input and copy-output."""
    words: Tensor
    source: Tensor
    history: Tensor

    def of(
        self, value: Tensor, word: Tensor, source_values: Tensor, results: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Of given values, summed over all the places that hold them; and which of them no place
        holds: those count as the unknown word."""
        spelled = self.words.gather(-1, word.unsqueeze(-1)).squeeze(-1)
        spelled = spelled.masked_fill(word == 0, NEVER)
        copied = _sum_where(self.source, source_values.unsqueeze(1) == value.unsqueeze(-1))
        recalled = _sum_where(self.history, results.unsqueeze(1) == value.unsqueeze(-1))
        each = torch.stack([spelled, copied, recalled], -1)
        unknown = each.amax(-1) <= NEVER / 2
        instead = self.choice[..., SOFTMAX] + self.words[..., UNKNOWN_ID]
        return torch.where(unknown, instead, torch.logsumexp(self.choice + each, -1)), unknown

    def of_all(self, writing: Tensor, source_values: Tensor, results: Tensor) -> Tensor:
        """Of every value of an example, for one context each: (example, value)."""
        spelled = self.words.squeeze(1).gather(-1, writing).masked_fill(writing == 0, NEVER)
        choice = self.choice.squeeze(1)
        table = torch.exp(choice[:, :1] + spelled)
        for k, (scores, held) in enumerate(
            ((self.source, source_values), (self.history, results)), COPY_INPUT
        ):
            shares = torch.exp(choice[:, k : k + 1] + scores.squeeze(1))
            shares = shares.masked_fill(held < 0, 0)
            table = table.scatter_add(1, held.clamp_min(0), shares)
        return torch.log(table.clamp_min(1e-30))


def _sum_where(scores: Tensor, holds: Tensor) -> Tensor:
    return torch.logsumexp(scores.masked_fill(~holds, NEVER), -1)


class LatentPredictor(nn.Module):
    """The distribution of an argument.

    `copies` names the pointers that the model has; words are scored by the embedding's vectors.
    """

    absent: Tensor
    is_recalled: Tensor

    def __init__(
        self, embedding: Embedding, context: int, place: int, hidden: int, copies: tuple[int, ...]
    ) -> None:
        super().__init__()
        size = embedding.words.weight.shape[1]
        self.copies = copies
        absent = [k != SOFTMAX and k not in copies for k in range(3)]
        self.register_buffer("absent", torch.tensor(absent), persistent=False)
        self.register_buffer("is_recalled", torch.arange(3) == COPY_OUTPUT, persistent=False)
        self.choice = nn.Linear(context, 3)
        self.to_word = nn.Linear(context, size)
        self.bias = nn.Parameter(torch.zeros(embedding.words.weight.shape[0]))
        self.to_source = Affinity(place, context, hidden)
        self.to_history = Affinity(hidden, context, hidden)

    def forward(
        self,
        context: Tensor,
        keys: AttentionKeys,
        source_mask: Tensor,
        history_mask: Tensor,
        words: Tensor,
        dropout: Dropout,
    ) -> ArgumentScores:
        """The scores for each context; the masks are False at places that cannot be copied."""
        spelled = dropout(torch.tanh(self.to_word(context)), 7)
        return ArgumentScores(
            self._choice(context, history_mask),
            torch.log_softmax(functional.linear(spelled, words, self.bias), -1),
            self._pointed(COPY_INPUT, keys.source, context, source_mask.unsqueeze(1)),
            self._pointed(COPY_OUTPUT, keys.history, context, history_mask),
        )

    def copy_output(self, context: Tensor, history: Tensor, history_mask: Tensor) -> Tensor:
        """Log-probabilities of copying from each earlier instruction."""
        choice = self._choice(context, history_mask)[..., COPY_OUTPUT:]
        return choice + self._pointed(COPY_OUTPUT, history, context, history_mask)

    def _choice(self, context: Tensor, history_mask: Tensor) -> Tensor:
        """Log-probabilities of softmax, copy-input and copy-output."""
        no_history = ~history_mask.any(-1, keepdim=True)
        absent = self.absent | (no_history & self.is_recalled)
        return torch.log_softmax(self.choice(context).masked_fill(absent, NEVER), -1)

    def _pointed(self, choice: int, keys: Tensor, context: Tensor, mask: Tensor) -> Tensor:
        """Log-probabilities of places; `NEVER` if the model has no such pointer."""
        if choice not in self.copies:
            return context.new_full((*context.shape[:2], keys.shape[-2]), NEVER)
        affinity = self.to_source if choice == COPY_INPUT else self.to_history
        scores = torch.log_softmax(affinity(keys, context).masked_fill(~mask, NEVER), -1)
        return scores.masked_fill(~mask, NEVER)  # again, for rows that are masked throughout


def taken(x: Tensor, places: Tensor) -> Tensor:
    """The vectors at some places: (example, place, unit)."""
    return x.gather(1, places.unsqueeze(-1).expand(-1, -1, x.shape[-1]))
