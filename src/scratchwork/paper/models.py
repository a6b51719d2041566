"""The paper's model and its baselines: built from a config, saved to a folder, loaded.

Promises: what is saved loads to the same network, on any device. Weights of half precision load
too; computation is in single precision.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from scratchwork.model_folder import (
    damage_told,
    network_config,
    read_config,
    read_network,
    read_vocabulary,
    write_model,
)
from scratchwork.paper.baselines import SequenceModel
from scratchwork.paper.network import InstructionModel
from scratchwork.paper.program_model import ModelConfig, ProgramModel
from scratchwork.paper.vocabulary import Vocabulary


@dataclass(frozen=True)
class SavedModel:
    """A model with its vocabulary."""

    model: ProgramModel
    vocabulary: Vocabulary
    about: dict[str, Any]
    """How it was trained."""


def save_model(
    model: ProgramModel, vocabulary: Vocabulary, folder: Path, about: dict[str, Any]
) -> None:
    """Write a model folder."""
    weights = {name: tensor.float() for name, tensor in model.state_dict().items()}
    write_model(folder, {"network": asdict(model.config), **about}, vocabulary.words, weights)


def load_model(folder: Path, device: torch.device | str = "cpu") -> SavedModel:
    """Read a model folder."""
    about = read_config(folder)
    with damage_told(folder):
        vocabulary = Vocabulary(read_vocabulary(folder))
        config = network_config(ModelConfig, about.pop("network"), folder)
        if config.words != len(vocabulary):
            raise ValueError(f"{len(vocabulary)} words for a network of {config.words}")
    model = read_network(folder, lambda: build_model(config))
    return SavedModel(model.float().to(device).eval(), vocabulary, about)


def build_model(config: ModelConfig) -> ProgramModel:
    """A new network, with random weights."""
    return InstructionModel(config) if config.kind == "program" else SequenceModel(config)
