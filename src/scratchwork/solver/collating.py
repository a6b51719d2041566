"""Problems that were read, as the tensors that the solver's network takes.

Promises: `collate` pads any number of readings, with any number of options each, to one batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from scratchwork.solver.arithmetic import OPTION_VALUES
from scratchwork.solver.network import ProblemBatch
from scratchwork.solver.reading import OPTION_PIECE, PAD_PIECE, Reading
from scratchwork.solver.symbols import MOST_NUMERALS

_NAN = float("nan")


@dataclass(frozen=True)
class Collated:
    """Readings as tensors, a row each."""

    read: ProblemBatch
    in_question: Tensor
    """[problem, numeral]"""
    option_values: Tensor
    """[problem, option, value], float64, NaN where there is none."""


def collate(readings: Sequence[Reading], device: torch.device) -> Collated:
    """A batch of readings."""
    length = max(len(reading.pieces) for reading in readings)
    options = max(1, *(len(reading.options) for reading in readings))

    def whole(rows: Sequence[Sequence[int]], size: int, filler: int) -> Tensor:
        padded = [[*row, *[filler] * (size - len(row))] for row in rows]
        return torch.tensor(padded, dtype=torch.long, device=device)

    numerals = [reading.numerals[:MOST_NUMERALS] for reading in readings]
    values = torch.full((len(readings), MOST_NUMERALS), _NAN, dtype=torch.float64)
    shape = (len(readings), options, OPTION_VALUES)
    option_values = torch.full(shape, _NAN, dtype=torch.float64)
    for k, reading in enumerate(readings):
        for j, numeral in enumerate(numerals[k]):
            values[k, j] = numeral.value
        for j, stands_for in enumerate(reading.options):
            option_values[k, j, : len(stands_for)] = torch.tensor(stands_for, dtype=torch.float64)
    begins = [[j for j, piece in enumerate(r.pieces) if piece == OPTION_PIECE] for r in readings]
    read = ProblemBatch(
        whole([reading.pieces for reading in readings], length, PAD_PIECE),
        whole([reading.segments for reading in readings], length, -1),
        whole([reading.positions for reading in readings], length, 0),
        whole([[n.piece for n in row] for row in numerals], MOST_NUMERALS, -1),
        values.to(device),
        whole(begins, options, -1),
    )
    in_question = whole([[n.place > 0 for n in row] for row in numerals], MOST_NUMERALS, 0)
    return Collated(read, in_question.bool(), option_values.to(device))
