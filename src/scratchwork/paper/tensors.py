"""What models read: batches of sources, values and programs as tensors.

Promises: plain data, padded to common sizes. A program names values, never the places they are
read from. All tensors of a batch are on one device.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from torch import Tensor

from scratchwork.machine.operations import PAPER, Operation

DECLARED: tuple[Operation, ...] = tuple(PAPER.operations.values())
"""The operations, in the order in which models number them."""
OPERATION_IDS = {operation.name: k for k, operation in enumerate(DECLARED)}
IDENTITY, CHECK = OPERATION_IDS["Id"], OPERATION_IDS["Check"]
NOTHING = -1
"""The value at a place that holds none: padding, and the origin tag of a source."""


@dataclass(frozen=True, slots=True)
class Tensors:
    """Tensors, or records of tensors, with a common first dimension."""

    def rows(self, index: Tensor) -> Self:
        """The rows at these indices."""
        return self.each(lambda tensor: tensor[index])

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        """The same with every tensor changed."""
        changed: dict[str, Any] = {}
        for f in fields(self):
            part = getattr(self, f.name)
            changed[f.name] = part.each(change) if isinstance(part, Tensors) else change(part)
        return replace(self, **changed)


@dataclass(frozen=True, slots=True)
class Source(Tensors):
    """The sources of a batch: (example, place)."""

    words: Tensor
    """The origin tag, then the tokens; 0 after the end."""
    values: Tensor
    """The value at each place."""
    lengths: Tensor


@dataclass(frozen=True, slots=True)
class ValueTensors(Tensors):
    """The features of each value: (example, value)."""

    words: Tensor
    """The word it is read as."""
    writing: Tensor
    """The word that writes it, or 0."""
    is_number: Tensor
    numbers: Tensor


@dataclass(frozen=True, slots=True)
class Programs(Tensors):
    """Programs: (example, instruction), and their argument slots: (example, slot).

    The first slot of an instruction also stands for its operation and destination, so that the
    log-probabilities of all slots add up to the program's.
    """

    operations: Tensor
    to_output: Tensor
    arguments: Tensor
    """(example, instruction, 2): values; the second is 0 where an operation takes one."""
    results: Tensor
    slot_instruction: Tensor
    """The instruction that a slot belongs to."""
    slot_is_second: Tensor
    slot_mask: Tensor
    """False where a slot is padding."""


def by_length(lengths: Sequence[int], fitting: Callable[[int], int]) -> Iterator[list[int]]:
    """Indices in groups of about the same length, the longest first: as many together as fit of
    the longest of them, but at least one."""
    order = sorted(range(len(lengths)), key=lambda k: (-lengths[k], k))
    start = 0
    while start < len(order):
        end = start + max(fitting(lengths[order[start]]), 1)
        yield order[start:end]
        start = end
