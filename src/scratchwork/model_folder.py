"""The models that come with this package, by name.

Promises: `model_folder` takes a shipped model's name or the path of a folder. A name is looked up
first, whatever lies in the current folder: `./paper` is a folder, `paper` the shipped model if
there is one. What is neither is told in one sentence, with the names there are. `default_model` is
the one to use where none is named.

Does not cover: whether the folder holds a model; see `saving`.
"""

from pathlib import Path

from scratchwork.errors import UserError

SHIPPED = Path(__file__).parent / "weights"


def shipped_models() -> list[str]:
    """The names of the shipped models."""
    return sorted(config.parent.name for config in SHIPPED.glob("*/config.json"))


def default_model() -> str | None:
    """The name of the model to use where none is named; none if no such model is shipped."""
    names = shipped_models()
    return next((name for name in ("default", "paper") if name in names), None)


def default_folder() -> Path:
    """The folder of the model to use where none is named; UserError if there is none."""
    name = default_model()
    if name is None:
        raise UserError("no default model is shipped with this release; name a model or its folder")
    return SHIPPED / name


def model_folder(folder_or_name: str | Path) -> Path:
    """The folder of a model."""
    names = shipped_models()
    if isinstance(folder_or_name, str) and folder_or_name in names:
        return SHIPPED / folder_or_name
    folder = Path(folder_or_name)
    if folder.is_dir():
        return folder
    shipped = f"it is none of the shipped models, {', '.join(names)}"
    if not names:
        shipped = "no model is shipped with this release"
    raise UserError(f"{folder_or_name}: there is no such model folder, and {shipped}")
