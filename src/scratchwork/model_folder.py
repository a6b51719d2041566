"""Model folders: finding, reading and writing them, whatever the model.

A folder holds `config.json` (the network's sizes, and how it was trained), `vocabulary.json` (a
list of strings) and `model.safetensors` (the weights). Promises: `model_folder` takes the name of a
shipped model or the path of a folder; names come first, so `paper` is the shipped model and
`./paper` a folder. A folder that is missing, damaged or of another release raises `UserError` with
one sentence. Nothing that is read can run code.

Does not cover: what the entries of the configuration mean; each kind of model knows its own.
"""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scratchwork.errors import UserError
from scratchwork.files import write_tensors, write_text

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

SHIPPED = Path(__file__).parent / "weights"
CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocabulary.json", "model.safetensors"
FORMAT_VERSION = 1
SOLVER = "solver"
"""The `kind` in the configuration of a solver; the paper's models have none."""


def shipped_models() -> list[str]:
    """The names of the shipped models."""
    return sorted(config.parent.name for config in SHIPPED.glob(f"*/{CONFIG}"))


def default_model() -> str | None:
    """The name of the model to use where none is named; None if no such model is shipped."""
    names = shipped_models()
    return next((name for name in ("default", "paper") if name in names), None)


def model_folder(folder_or_name: str | Path | None = None) -> Path:
    """The folder of a model; without a name, that of the default model."""
    names = shipped_models()
    chosen = default_model() if folder_or_name is None else folder_or_name
    if chosen is None:
        raise UserError("no default model is shipped with this release; name a model or its folder")
    if isinstance(chosen, str) and chosen in names:
        return SHIPPED / chosen
    if Path(chosen).is_dir():
        return Path(chosen)
    shipped = f"it is none of the shipped models, {', '.join(names)}"
    if not names:
        shipped = "no model is shipped with this release"
    raise UserError(f"{chosen}: there is no such model folder, and {shipped}")


def write_model(
    folder: Path,
    config: Mapping[str, Any],
    vocabulary: Sequence[str],
    weights: "Mapping[str, Tensor]",
) -> None:
    """Write a model folder."""
    write_tensors(folder / WEIGHTS, weights)
    write_text(folder / VOCABULARY, json.dumps(vocabulary, ensure_ascii=False) + "\n")
    content = {"version": FORMAT_VERSION, **config}
    write_text(folder / CONFIG, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def read_config(folder: Path) -> dict[str, Any]:
    """The configuration of the model in a folder, without the format's version."""
    for name in (CONFIG, VOCABULARY, WEIGHTS):
        if not (folder / name).is_file():
            raise UserError(f"{folder} is no model folder: it has no {name}")
    with damage_told(folder):
        config = json.loads((folder / CONFIG).read_text("utf-8"))
        version = config.pop("version")
    if version != FORMAT_VERSION:
        raise UserError(
            f"{folder} has format {version}, this release reads format {FORMAT_VERSION}; "
            "take the model anew or another release"
        )
    return config


def read_vocabulary(folder: Path) -> list[str]:
    """The vocabulary of the model in a folder; only the model can say whether it fits."""
    return json.loads((folder / VOCABULARY).read_text("utf-8"))


def read_weights(
    folder: Path,
    model: "Module",
    stored: "Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]]" = lambda weights: weights,
) -> None:
    """Give a model the weights of a folder; `stored` undoes how they are kept there."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        model.load_state_dict(stored(load_file(folder / WEIGHTS)))
    except (SafetensorError, RuntimeError, ValueError, OSError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{folder / WEIGHTS} is damaged or of another model: {first}") from error


@contextmanager
def damage_told(folder: Path) -> Generator[None]:
    """Tell in one sentence that what is read from a folder makes no sense."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{folder} is a damaged model folder ({first}); take it anew") from error
