"""Hypotheses: programs that have been begun, and the instructions they are made of.

Promises: a `Stack` holds the hypotheses of several problems as tensors, (problem, hypothesis, ...).
`History` holds every instruction of living hypotheses once, however many of them share it; a
hypothesis is the list of its instructions' places there. What only dead ones used is dropped by
`keep`.
"""

from dataclasses import dataclass, fields, replace
from typing import Self

import torch
from torch import Tensor
from torch.nn import functional

from scratchwork.paper.layers import NEVER
from scratchwork.paper.program_model import Recurrent
from scratchwork.paper.tensors import NOTHING, Tensors


def picked(x: Tensor, index: Tensor) -> Tensor:
    """For each problem the entries at some places: (problem, place, ...)."""
    return x[torch.arange(len(x), device=x.device).unsqueeze(1), index]


@dataclass(frozen=True, slots=True)
class Scored(Tensors):
    """What competes: (problem, competitor, ...), `NEVER` being the score of an empty place."""

    score: Tensor
    """The log-probability, in double precision."""

    @property
    def there(self) -> Tensor:
        """Which places are taken."""
        return self.score > NEVER / 2

    def picked(self, index: Tensor) -> Self:
        """Some competitors of each problem."""
        return self.each(lambda x: picked(x, index))

    def best(self, count: int) -> Self:
        """The best ones, the best first, in no more places than needed."""
        scores, order = self.score.topk(min(count, self.score.shape[1]), 1)
        needed = int((scores > NEVER / 2).sum(1).amax()) if scores.numel() else 0
        return self.picked(order[:, :needed])

    def above(self, floor: Tensor) -> Self:
        """The same without those that are not better than a floor for each problem."""
        kept = self.score > floor.unsqueeze(1)
        return replace(self, score=torch.where(kept, self.score, NEVER))

    def joined(self, other: Self) -> Self:
        """Both together."""
        both = {
            f.name: torch.cat([getattr(self, f.name), getattr(other, f.name)], 1)
            for f in fields(self)
        }
        return replace(self, **both)


@dataclass(frozen=True, slots=True)
class Stack(Scored):
    """Hypotheses that have written the same number of tokens."""

    state: Tensor
    """(problem, hypothesis, 4, unit): of the recurrence, behind the last instruction."""
    past: Tensor
    """(problem, hypothesis, instruction): places in the history, `NOTHING` behind the end."""
    length: Tensor
    """How many instructions there are."""
    phase: Tensor

    @property
    def h(self) -> Tensor:
        """The state that the output layers see."""
        return self.state[:, :, 2]

    def widened(self, size: int) -> "Stack":
        """The same with room for so many instructions."""
        room = size - self.past.shape[2]
        return replace(self, past=functional.pad(self.past, (0, room), value=NOTHING))

    def narrowed(self) -> "Stack":
        """The same with no more room than needed."""
        size = max(int(self.length.amax()), 1)
        return replace(self, past=self.past[:, :, :size])


def recurrent(state: Tensor) -> Recurrent:
    """The state of rows, (row, 4, unit), as a model takes it."""
    a, b, c, d = (part.contiguous() for part in state.unbind(1))
    return Recurrent((a, b), (c, d))


def stacked(state: Recurrent) -> Tensor:
    """The state of rows as one tensor: (row, 4, unit)."""
    return torch.stack([*state.lower, *state.upper], 1)


COLUMNS = "operation to_output first first_from second second_from result place".split()
"""What a history holds of an instruction: the fields of a draft (see `expansion.Drafts`), and the
first place that holds the result: its own, unless the value was there before."""


class History:
    """The instructions of the hypotheses of some problems."""

    def __init__(self, problems: int, key_size: int, like: Tensor) -> None:
        shape = problems, 1, len(COLUMNS)
        self._columns = torch.zeros(shape, dtype=torch.int64, device=like.device)
        self._keys = like.new_zeros(problems, 1, key_size)
        self._count = 0

    def add(self, problems: Tensor, instructions: list[Tensor], keys: Tensor) -> Tensor:
        """Enter as many instructions, by columns, for each of some problems; where they lie now."""
        first, self._count = self._count, self._count + keys.shape[1]
        if self._count > self._keys.shape[1]:
            room = 2 * self._count - self._keys.shape[1]
            self._keys = functional.pad(self._keys, (0, 0, 0, room))
            self._columns = functional.pad(self._columns, (0, 0, 0, room))
        self._keys[problems, first : self._count] = keys
        self._columns[problems, first : self._count] = torch.stack(instructions, -1)
        places = torch.arange(first, self._count, device=keys.device)
        return places.expand(keys.shape[:2])

    def keys(self, problems: Tensor, past: Tensor) -> Tensor:
        """What pointers to the instructions of hypotheses look at: (..., instruction, unit)."""
        return self._keys[problems[:, None, None], past.clamp_min(0)]

    def values(self, problems: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """The results of the instructions of hypotheses, and the first places that hold them."""
        columns = self._columns[problems[:, None, None], past.clamp_min(0), -2:]
        result, place = columns.unbind(-1)
        return result.masked_fill(past < 0, NOTHING), place.masked_fill(past < 0, 0)

    def instructions(self, problems: Tensor, past: Tensor) -> Tensor:
        """The instructions of one hypothesis of each problem: (problem, instruction, column)."""
        return self._columns[problems.unsqueeze(1), past.clamp_min(0)]

    def keep(self, problems: Tensor, past: Tensor) -> Tensor:
        """Drop all but the instructions of these hypotheses; where those lie now."""
        used = torch.zeros(self._keys.shape[:2], dtype=torch.int64, device=past.device)
        flat = past.flatten(1)
        used[problems.unsqueeze(1), flat.clamp_min(0)] = 1
        place = used.cumsum(1) - 1
        self._count = int(place[:, -1].amax()) + 1
        order = torch.argsort(used, dim=1, descending=True, stable=True)[:, : self._count]
        self._keys, self._columns = picked(self._keys, order), picked(self._columns, order)
        moved = place[problems.unsqueeze(1), flat].reshape(past.shape)
        return moved.masked_fill(past < 0, NOTHING)
