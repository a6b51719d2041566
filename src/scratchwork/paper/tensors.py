"""What models read: batches of sources, values and programs as tensors.

Promises: plain data, padded to common sizes, with nothing a model could not be told: a program
names values, never places. All tensors of a batch lie on one device.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Self

import torch
from torch import Tensor

from scratchwork.machine.operations import PAPER

OPERATIONS = tuple(PAPER.operations)
"""The operations, in the order in which they are numbered."""
NOTHING = -1
"""The value at a place that holds none: padding, and the style word of a source."""


@dataclass(frozen=True, slots=True)
class Tensors:
    """A group of tensors that go together."""

    def to(self, device: torch.device) -> Self:
        """The same on another device."""
        return self._each(lambda tensor: tensor.to(device, non_blocking=True))

    def rows(self, index: Tensor) -> Self:
        """The examples at these places of the batch."""
        return self._each(lambda tensor: tensor[index])

    def _each(self, change: Callable[[Tensor], Tensor]) -> Self:
        return replace(self, **{f.name: change(getattr(self, f.name)) for f in fields(self)})


@dataclass(frozen=True, slots=True)
class Source(Tensors):
    """The sources of a batch: (example, place)."""

    words: Tensor
    """The style, then the words; 0 behind the end."""
    values: Tensor
    """The value at each place."""
    lengths: Tensor


@dataclass(frozen=True, slots=True)
class ValueTensors(Tensors):
    """What is known of each value: (example, value)."""

    words: Tensor
    """The word a value is read as."""
    writing: Tensor
    """The word that writes it, or 0."""
    is_number: Tensor
    """Whether it is a number, not a string."""
    numbers: Tensor


@dataclass(frozen=True, slots=True)
class Programs(Tensors):
    """Programs: (example, instruction), and their arguments in one row: (example, slot).

    A slot is an argument to be predicted. The first slot of an instruction also stands for its
    operation and destination, so that the log-probabilities of all slots add up to the program's.
    """

    operations: Tensor
    to_output: Tensor
    arguments: Tensor
    """(example, instruction, 2): values; the second is 0 where an operation takes one."""
    results: Tensor
    slot_instruction: Tensor
    """The instruction a slot belongs to."""
    slot_is_second: Tensor
    slot_counts: Tensor
    """Whether there is a slot at all: false behind the end."""
