"""One form for the files in results/.

Promises: each says by which command, at which commit and from which files, with their SHA-256, its
figures came to be; a share stands beside the count it is a share of, and its 95 % interval.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scratchwork.files import sha256_of
from scratchwork.scoring.intervals import wilson
from scratchwork.scoring.report import current_commit

FOLDER = Path(__file__).parent.parent / "results"


def share(part: int, whole: int) -> dict[str, Any]:
    """A share of what was counted; null of nothing."""
    if not whole:
        return {"share": None, "n": 0, "interval": None}
    interval = [round(bound, 4) for bound in wilson(part, whole)]
    return {"share": round(part / whole, 4), "n": whole, "interval": interval}


def origin(data: Mapping[str, Path], commit: str | None = None) -> dict[str, Any]:
    """Where the figures come from that this process measures."""
    arguments = (Path(argument).name for argument in sys.argv)
    return {
        "command": " ".join(["python", f"scripts/{next(arguments)}", *arguments]),
        "commit": commit or current_commit() or "unknown",
        "data": {name: sha256_of(path) for name, path in data.items()},
    }


def write_result(name: str, result: Mapping[str, Any]) -> None:
    """Print a result, and write it to its file."""
    text = json.dumps(result, ensure_ascii=False, indent=1) + "\n"
    print(text, end="", flush=True)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_text(text, "utf-8")
