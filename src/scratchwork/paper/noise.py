"""Random numbers that depend on a key alone, and the dropout made of them.

Promises: a key gives the same numbers on every machine and in every batch. Training uses the key
(seed, step, example), so that a run that was resumed, or divided among processes, draws what an
uninterrupted one would.

Does not cover: secrecy. The mixing is that of splitmix64.
"""

import torch
from torch import Tensor

_FIRST, _SECOND, _GOLDEN = -0x40A7B892E31B1A47, -0x6B2FB644ECCEEE15, -0x61C8864680B583EB
_BITS_52 = (1 << 52) - 1


def _shifted(z: Tensor, by: int) -> Tensor:
    """A logical shift to the right, without the sign."""
    return (z >> by) & ((1 << (64 - by)) - 1)


def _mixed(z: Tensor) -> Tensor:
    z = (z ^ _shifted(z, 30)) * _FIRST
    z = (z ^ _shifted(z, 27)) * _SECOND
    return z ^ _shifted(z, 31)


def combined(keys: Tensor, other: Tensor | int) -> Tensor:
    """A key for each pair of a key and another whole number."""
    step = (other + 1) * _GOLDEN
    if isinstance(step, int):  # wraps around as in a tensor
        step = (step + 2**63) % 2**64 - 2**63
    return _mixed(keys * 3 + step)


def random_keys(seed: int, step: int, examples: Tensor) -> Tensor:
    """The keys of some examples at a step."""
    start = torch.full_like(examples, seed)
    return combined(combined(start, step), examples)


def uniform(keys: Tensor, site: Tensor | int, size: int) -> Tensor:
    """For each key, `size` float64 numbers between 0 and 1, both excluded."""
    places = torch.arange(size, device=keys.device)
    z = combined(combined(keys, site).unsqueeze(-1), places)
    return ((z >> 12) & _BITS_52).to(torch.float64).add(0.5).mul(2.0**-52)


def gumbel(keys: Tensor, site: Tensor | int, size: int) -> Tensor:
    """For each key, `size` standard Gumbel numbers: the argmax of log-probabilities plus these is a
    sample."""
    return -torch.log(-torch.log(uniform(keys, site, size)))


class Dropout:
    """Dropout with one mask per example and site, the same along the sequence."""

    def __init__(self, rate: float, keys: Tensor) -> None:
        self.rate = rate
        self.keys = keys

    def __call__(self, x: Tensor, site: int) -> Tensor:
        """`x`, (example, place, unit), with some units of each example set to 0."""
        if self.rate == 0:
            return x
        kept = uniform(self.keys, site, x.shape[-1]) >= self.rate
        return x * (kept.to(x.dtype) / (1 - self.rate)).unsqueeze(1)


NO_DROPOUT = Dropout(0.0, torch.zeros(0, dtype=torch.int64))
"""For drawing, scoring and decoding."""
