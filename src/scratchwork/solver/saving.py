"""The solver in its model folder; the vocabulary is the list of its pieces.

Promises: what is saved loads to the same network, but for the rounding of its weights to eight
bits.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from scratchwork.errors import quoted
from scratchwork.model_folder import (
    SOLVER,
    Shapes,
    damage_told,
    network_config,
    read_config,
    read_network,
    read_vocabulary,
    write_model,
)
from scratchwork.solver.network import SolverConfig, Transformer
from scratchwork.solver.reading import Pieces

_SCALE = ".scale"
_LARGEST = 127


@dataclass(frozen=True)
class SavedSolver:
    """The solver's network with what belongs to it."""

    model: Transformer
    pieces: Pieces
    about: dict[str, Any]
    """How it was trained, and how its plans vote."""


def save_solver(
    config: SolverConfig,
    weights: Mapping[str, Tensor],
    pieces: Pieces,
    folder: Path,
    about: dict[str, Any],
) -> None:
    """Write a model folder."""
    content = {"kind": SOLVER, "network": asdict(config), **about}
    write_model(folder, content, pieces.pieces, quantise(weights))


def load_solver(folder: Path, device: torch.device | str = "cpu") -> SavedSolver:
    """Read a model folder."""
    about = read_config(folder)
    with damage_told(folder):
        pieces = Pieces(read_vocabulary(folder))
        config = network_config(SolverConfig, about.pop("network"), folder)
        if config.pieces != len(pieces):
            raise ValueError(f"{len(pieces)} pieces for a network of {config.pieces}")
        if config.heads < 1 or config.width % (2 * config.heads):
            raise ValueError(f"{config.heads} heads for a width of {config.width}")
        if not 0 <= config.dropout < 1:
            raise ValueError(f"a dropout of {config.dropout}")
        for name, weight in about.get("votes", {}).items():
            if type(weight) not in (int, float) or not math.isfinite(weight):
                raise ValueError(f"the weight {quoted(name)} of votes is {quoted(weight)}")
    model = read_network(folder, lambda: Transformer(config), quantised_shapes, restore)
    return SavedSolver(model.to(device).eval(), pieces, about)


def quantise(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights in eight bits: each row of a matrix as whole numbers from -127 to 127 and one
    scale, everything else in half precision. A weight is off by half a step of its row at most."""
    kept: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.dim() != 2:
            kept[name] = weight.to(torch.float16).contiguous()
            continue
        scale = (weight.float().abs().amax(1, keepdim=True) / _LARGEST).clamp(min=1e-8)
        kept[name] = torch.round(weight.float() / scale).to(torch.int8).contiguous()
        kept[name + _SCALE] = scale.to(torch.float32).contiguous()
    return kept


def quantised_shapes(shapes: Shapes) -> Shapes:
    """The shapes of what `quantise` makes of weights of these shapes."""
    scales = {name + _SCALE: (shape[0], 1) for name, shape in shapes.items() if len(shape) == 2}
    return {**shapes, **scales}


def restore(kept: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that `quantise` made smaller, in single precision."""
    weights: dict[str, Tensor] = {}
    for name, weight in kept.items():
        if name.endswith(_SCALE):
            continue
        scale = kept.get(name + _SCALE)
        weights[name] = weight.float() if scale is None else weight.float() * scale
    return weights
