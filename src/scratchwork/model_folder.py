"""Model folders: finding, reading and writing them, whatever the model.

A folder holds `config.json` (the network's sizes, and how it was trained), `vocabulary.json` (a
list of strings) and `model.safetensors` (the weights). Promises: `model_folder` takes the name of a
shipped model or the path of a folder; names come first, so `paper` is the shipped model and
`./paper` a folder. A folder that is missing, damaged or of another release raises `UserError` with
one sentence, before more is allocated than its weights need. Nothing that is read can run code.

Does not cover: what the entries of the configuration mean; each kind of model knows its own.
"""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scratchwork.errors import UserError, printable, quoted
from scratchwork.files import read_small, write_tensors, write_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from torch import Tensor
    from torch.nn import Module

_Config = TypeVar("_Config", bound="DataclassInstance")
_Network = TypeVar("_Network", bound="Module")
Weights = Mapping[str, "Tensor"]
Shapes = Mapping[str, tuple[int, ...]]

SHIPPED = Path(__file__).parent / "weights"
CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocabulary.json", "model.safetensors"
FOLDER_VERSION = 1
SOLVER = "solver"
"""The `kind` in the configuration of a solver; the paper's models have none."""
_LARGEST_JSON = 16 << 20
"""Bytes of the configuration, or of the vocabulary."""
_WEIGHTS_IN = frozenset({"F64", "F32", "F16", "BF16", "I8"})
_MOST_TOLD = 200


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
    content = {"version": FOLDER_VERSION, **config}
    write_text(folder / CONFIG, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def read_config(folder: Path) -> dict[str, Any]:
    """The configuration of the model in a folder, without the format's version."""
    for name in (CONFIG, VOCABULARY, WEIGHTS):
        if not (folder / name).is_file():
            raise UserError(f"{folder} is no model folder: it has no {name}")
    with damage_told(folder):
        config = _json(folder / CONFIG)
        version = config.pop("version")
        kind = config.get("kind")
        if version == FOLDER_VERSION and kind not in (None, SOLVER):
            raise ValueError(f"of the kind {quoted(kind)}")
    if version != FOLDER_VERSION:
        told = version if isinstance(version, int) else quoted(version)
        raise UserError(
            f"{folder} has format {told}, this release reads format {FOLDER_VERSION}; "
            "take the model anew or another release"
        )
    return config


def read_vocabulary(folder: Path) -> list[str]:
    """The vocabulary of the model in a folder; only the model can say whether it fits."""
    words = _json(folder / VOCABULARY)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("the vocabulary is no list of texts")
    return words


def _json(path: Path) -> Any:
    content = json.loads(read_small(path, _LARGEST_JSON))
    # What no file could take is better told now than by whoever writes it.
    json.dumps(content, ensure_ascii=False).encode("utf-8")
    return content


def network_config(kind: type[_Config], form: object, folder: Path) -> _Config:
    """The sizes of a network, none larger than the weights in the folder can be of."""
    if not isinstance(form, dict):
        raise ValueError("no sizes of a network")
    config = kind(**form)
    shapes = _shapes(folder)
    largest = max((size for shape in shapes.values() for size in shape), default=0)
    for field in fields(config):
        value = getattr(config, field.name)
        if field.type is int and type(value) is not int:
            raise TypeError(f"{field.name} is {quoted(value)}")
        most = len(shapes) if field.name.endswith("layers") else largest
        if field.type is int and not 1 <= value <= most:
            raise ValueError(f"{field.name} is {value}, which its weights are not of")
    return config


def read_network(
    folder: Path,
    build: Callable[[], _Network],
    keep: Callable[[Shapes], Shapes] = lambda shapes: shapes,
    restore: Callable[[Weights], Weights] = lambda kept: kept,
) -> _Network:
    """The network with the weights of a folder; `keep` tells the shapes that are kept there.

    Before it is built, its outline is compared with what is there.
    """
    from safetensors.torch import load_file

    path = folder / WEIGHTS
    with damage_told(folder):
        outline = _outline(build).state_dict()
        expected = keep({name: tuple(tensor.shape) for name, tensor in outline.items()})
        found = _shapes(folder)
        for name in (*expected, *found):
            if expected.get(name) != found.get(name):
                raise ValueError(f"{WEIGHTS} is of another model: {quoted(name)} does not fit")
        network = build()
        weights = restore(load_file(path))
        for name, tensor in weights.items():
            if not tensor.isfinite().all():
                raise ValueError(f"{WEIGHTS} holds what is no number, in {quoted(name)}")
        network.load_state_dict(weights)
    return network


def _outline(build: "Callable[[], _Network]") -> _Network:
    """A network that has shapes, but neither memory nor values."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Unfilled(TorchFunctionMode):
        """Leaves out values: to compute none of them, torch would load much of itself."""

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            name = getattr(func, "__name__", "")
            if name.strip("_") in ("mul", "eq") or (name.endswith("_") and not name.endswith("__")):
                return args[0] if args else kwargs["tensor"]
            return (torch.empty if func is torch.randn else func)(*args, **kwargs)

    with torch.device("meta"), Unfilled():
        return build()


def _shapes(folder: Path) -> Shapes:
    """The shapes of the weights, without reading these."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(folder / WEIGHTS, "pt") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            for name, kept in slices.items():
                if kept.get_dtype() not in _WEIGHTS_IN:
                    raise ValueError(f"{WEIGHTS} holds no weights in {quoted(name)}")
            return {name: tuple(kept.get_shape()) for name, kept in slices.items()}
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{WEIGHTS}: {error}") from error


@contextmanager
def damage_told(folder: Path) -> Generator[None]:
    """Tell in one sentence that what is read from a folder makes no sense."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        first = printable(str(error).splitlines()[0])[:_MOST_TOLD] if str(error) else "no reason"
        raise UserError(f"{folder} is a damaged model folder ({first}); take it anew") from error
