"""Weights in eight bits.

Promises: `quantise` keeps each row of a matrix as whole numbers from -127 to 127 and one scale, and
everything else in half precision; `restore` gives single precision back. A weight is off by half a
step of its row at most.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

_SCALE = ".scale"
_LARGEST = 127


def quantise(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights, smaller."""
    kept: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.dim() != 2:
            kept[name] = weight.to(torch.float16).contiguous()
            continue
        scale = (weight.float().abs().amax(1, keepdim=True) / _LARGEST).clamp(min=1e-8)
        kept[name] = torch.round(weight.float() / scale).to(torch.int8).contiguous()
        kept[name + _SCALE] = scale.to(torch.float32).contiguous()
    return kept


def restore(kept: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that `quantise` made smaller."""
    weights: dict[str, Tensor] = {}
    for name, weight in kept.items():
        if name.endswith(_SCALE):
            continue
        scale = kept.get(name + _SCALE)
        weights[name] = weight.float() if scale is None else weight.float() * scale
    return weights
