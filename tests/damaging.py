"""Ways to damage the configuration of a model folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


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
