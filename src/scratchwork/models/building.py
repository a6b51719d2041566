"""From a config to the network of that kind."""

from scratchwork.models.baselines import SequenceModel
from scratchwork.models.interface import ModelConfig, ProgramModel
from scratchwork.models.paper import InstructionModel


def build_model(config: ModelConfig) -> ProgramModel:
    """A new network, with random weights."""
    return InstructionModel(config) if config.kind == "program" else SequenceModel(config)
