"""From a config to the network of that kind."""

from scratchwork.paper.baselines import SequenceModel
from scratchwork.paper.interface import ModelConfig, ProgramModel
from scratchwork.paper.network import InstructionModel


def build_model(config: ModelConfig) -> ProgramModel:
    """A new network, with random weights."""
    return InstructionModel(config) if config.kind == "program" else SequenceModel(config)
