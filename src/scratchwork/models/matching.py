"""Which option a number is, for whole tables of numbers at once.

Promises: `matching_option` finds the one option that is the number, or else the number rounded to
four decimals or fewer, as `told` in induction.telling writes an answer. More than one option, or
none, is none. The machine's `Check` has the last word.
"""

import torch
from torch import Tensor

from scratchwork.models.arithmetic import round_half_up

_NEAR = 1e-9


def matching_option(values: Tensor, options: Tensor) -> Tensor:
    """The option of each number, from 0, or -1; options are [row, option, value], NaN for none."""
    reached = torch.full(values.shape, -1, dtype=torch.long, device=values.device)
    for places in (None, 4, 3, 2, 1, 0):
        written = values if places is None else round_half_up(values, places)
        near = (options - written[:, None, None]).abs() <= _NEAR * options.abs().clamp(min=1)
        hits = near.any(-1)
        only = (hits.sum(-1) == 1) & torch.isfinite(values) & (reached < 0)
        reached = torch.where(only, hits.long().argmax(-1), reached)
    return reached
