"""Ways to damage a model folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor


def changed_config(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """What changes the content of a folder's config.json."""

    def damage(folder: Path) -> None:
        content = json.loads((folder / "config.json").read_text("utf-8"))
        change(content)
        (folder / "config.json").write_text(json.dumps(content), "utf-8")

    return damage


def set_network(**sizes: Any) -> Callable[[Path], None]:
    """What changes the size of the network that it tells of."""
    return changed_config(lambda content: content["network"].update(sizes))


def set_votes(**weights: Any) -> Callable[[Path], None]:
    """What changes how the plans of a solver vote."""
    return changed_config(lambda content: content.setdefault("votes", {}).update(weights))


def changed_weights(change: Callable[[Tensor], Tensor]) -> Callable[[Path], None]:
    """What changes the first weights that are no whole numbers."""

    def damage(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        name = next(name for name, tensor in weights.items() if tensor.is_floating_point())
        weights[name] = change(weights[name]).contiguous()
        save_file(weights, folder / "model.safetensors")

    return damage
