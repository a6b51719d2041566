"""The solver's model folder: `config.json`, `vocabulary.json` (its pieces), `model.safetensors`.

Promises: what is saved loads to the same network, but for the rounding of its weights to eight
bits; a damaged folder is told in one sentence. `is_solver` tells such a folder from one of the
paper's models.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from scratchwork.errors import UserError
from scratchwork.paper.saving import CONFIG, FORMAT_VERSION, VOCABULARY, WEIGHTS
from scratchwork.problems.writing import write_text
from scratchwork.solver.network import SolverConfig, Transformer
from scratchwork.solver.pieces import Pieces
from scratchwork.solver.quantisation import quantise, restore
from scratchwork.tensor_files import write_tensors

_KIND = "solver"


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
    write_tensors(folder / WEIGHTS, quantise(weights))
    write_text(folder / VOCABULARY, json.dumps(pieces.pieces, ensure_ascii=False) + "\n")
    content = {"version": FORMAT_VERSION, "kind": _KIND, "network": asdict(config), **about}
    write_text(folder / CONFIG, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def is_solver(folder: Path) -> bool:
    """Whether a folder holds a solver; what it holds else is for others to find out."""
    try:
        content = json.loads((folder / CONFIG).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("kind") == _KIND


def load_solver(folder: Path, device: torch.device | str = "cpu") -> SavedSolver:
    """Read a model folder."""
    try:
        content = json.loads((folder / CONFIG).read_text("utf-8"))
        if content.pop("version") != FORMAT_VERSION:
            raise UserError(f"{folder} is of another release; take the model anew")
        pieces = Pieces(json.loads((folder / VOCABULARY).read_text("utf-8")))
        config = SolverConfig(**content.pop("network"))
        if config.pieces != len(pieces):
            raise ValueError(f"{len(pieces)} pieces for a network of {config.pieces}")
        if config.heads < 1 or config.width % (2 * config.heads):
            raise ValueError(f"{config.heads} heads for a width of {config.width}")
        model = Transformer(config)
    except OSError as error:
        raise UserError(f"{folder} is no model folder: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{folder} is a damaged model folder ({first}); take it anew") from error
    try:
        model.load_state_dict(restore(load_file(folder / WEIGHTS)))
    except (SafetensorError, RuntimeError, ValueError, OSError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{folder / WEIGHTS} is damaged or of another model: {first}") from error
    return SavedSolver(model.to(device).eval(), pieces, content)
