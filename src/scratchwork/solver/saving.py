"""The solver in its model folder; the vocabulary is the list of its pieces.

Promises: what is saved loads to the same network, but for the rounding of its weights to eight
bits.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from scratchwork.model_folder import (
    SOLVER,
    damage_told,
    read_config,
    read_vocabulary,
    read_weights,
    write_model,
)
from scratchwork.solver.network import SolverConfig, Transformer
from scratchwork.solver.pieces import Pieces
from scratchwork.solver.quantisation import quantise, restore


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
        config = SolverConfig(**about.pop("network"))
        if config.pieces != len(pieces):
            raise ValueError(f"{len(pieces)} pieces for a network of {config.pieces}")
        if config.heads < 1 or config.width % (2 * config.heads):
            raise ValueError(f"{config.heads} heads for a width of {config.width}")
        model = Transformer(config)
    read_weights(folder, model, restore)
    return SavedSolver(model.to(device).eval(), pieces, about)
