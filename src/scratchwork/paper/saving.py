"""Model folders: `config.json`, `vocabulary.json` and `model.safetensors`.

Promises: what is saved loads to the same network, on any device; a folder that is not a model, or a
damaged one, is told in one sentence. Nothing that is read can run code. Weights may be kept in half
precision; they are computed with in single.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from scratchwork.errors import UserError
from scratchwork.paper.building import build_model
from scratchwork.paper.interface import ModelConfig, ProgramModel
from scratchwork.paper.vocabulary import Vocabulary
from scratchwork.problems.writing import write_text
from scratchwork.tensor_files import write_tensors

FORMAT_VERSION = 1
CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocabulary.json", "model.safetensors"


@dataclass(frozen=True)
class SavedModel:
    """A model with what belongs to it."""

    model: ProgramModel
    vocabulary: Vocabulary
    about: dict[str, Any]
    """How it was trained."""


def save_model(
    model: ProgramModel,
    vocabulary: Vocabulary,
    folder: Path,
    about: dict[str, Any],
    half: bool = False,
) -> None:
    """Write a model folder; `half` halves its size."""
    dtype = torch.float16 if half else torch.float32
    weights = {name: tensor.to(dtype) for name, tensor in model.state_dict().items()}
    write_tensors(folder / WEIGHTS, weights)
    write_text(folder / VOCABULARY, json.dumps(vocabulary.words, ensure_ascii=False) + "\n")
    content = {"version": FORMAT_VERSION, "network": asdict(model.config), **about}
    write_text(folder / CONFIG, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def load_model(folder: Path, device: torch.device | str = "cpu") -> SavedModel:
    """Read a model folder."""
    for name in (CONFIG, VOCABULARY, WEIGHTS):
        if not (folder / name).is_file():
            raise UserError(f"{folder} is no model folder: it has no {name}")
    try:
        content = json.loads((folder / CONFIG).read_text("utf-8"))
        version = content.pop("version")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, error) from error
    if version != FORMAT_VERSION:
        raise UserError(
            f"{folder} has format {version}, this release reads format {FORMAT_VERSION}; "
            "take the model anew or another release"
        )
    try:
        vocabulary = Vocabulary(json.loads((folder / VOCABULARY).read_text("utf-8")))
        config = ModelConfig(**content.pop("network"))
        if config.words != len(vocabulary):
            raise ValueError(f"{len(vocabulary)} words for a network of {config.words}")
        model = build_model(config)
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise _damaged(folder, error) from error
    try:
        model.load_state_dict(load_file(folder / WEIGHTS))
    except (SafetensorError, RuntimeError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{folder / WEIGHTS} is damaged or of another model: {first}") from error
    return SavedModel(model.float().to(device).eval(), vocabulary, content)


def _damaged(folder: Path, error: Exception) -> UserError:
    first = str(error).splitlines()[0]
    return UserError(f"{folder} is a damaged model folder ({first}); take it anew")
