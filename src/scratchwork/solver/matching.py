"""Which option a number is, for whole tables of numbers at once.

Promises: `matching_option` finds the one option that is the number, or else the number rounded to
four decimals or fewer, or cut off behind two or one, the most decimals first, as `told` in
induction.telling writes an answer. What an option is as a whole comes before what is in it. More
than one option, or none, is none. The machine's `Check` has the last word.
"""

import torch
from torch import Tensor

from scratchwork.solver.arithmetic import round_half_up

_NEAR = 1e-9
WHOLE_VALUES = 2
"""So many values of an option are of the whole; those in it follow."""


def matching_option(values: Tensor, options: Tensor) -> Tensor:
    """The option of each number, from 0, or -1; options are [row, option, value], NaN for none, the
    values of the whole first."""
    reached = torch.full(values.shape, -1, dtype=torch.long, device=values.device)
    four, three, two, one, none = (round_half_up(values, places) for places in (4, 3, 2, 1, 0))
    cut_two, cut_one = (torch.floor(values * n + _NEAR) / n for n in (100, 10))
    for written in (values, four, three, two, cut_two, one, cut_one, none):
        near = (options - written[:, None, None]).abs() <= _NEAR * options.abs().clamp(min=1)
        for kind in (near[..., :WHOLE_VALUES], near):
            hits = kind.any(-1)
            only = (hits.sum(-1) == 1) & torch.isfinite(values) & (reached < 0)
            reached = torch.where(only, hits.long().argmax(-1), reached)
    return reached
