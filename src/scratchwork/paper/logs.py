"""What a run leaves behind about itself: JSON lines, and TensorBoard events if wanted.

Promises: `log.jsonl` has one object for every look at the loss, appended as training goes on, so
that a run that was resumed goes on in the same file. TensorBoard is imported only when asked for.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scratchwork.errors import UserError
from scratchwork.paper.progress import Progress

LOG = "log.jsonl"


class Log:
    """The records of one run, in its folder."""

    def __init__(self, folder: Path, tensorboard: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / LOG
        self._writer: Any = _tensorboard(folder) if tensorboard else None
        self._file = self._path.open("ab", buffering=0)

    def __call__(self, progress: Progress) -> None:
        """Write down how far the run is."""
        row = {name: round(value, 6) for name, value in asdict(progress).items()}
        try:
            self._file.write(f"{json.dumps(row)}\n".encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        if self._writer is not None:
            for name in ("loss", "rate", "instructions_per_second"):
                self._writer.add_scalar(name, row[name], progress.step)

    def close(self) -> None:
        """End the records."""
        self._file.close()
        if self._writer is not None:
            self._writer.close()


def _tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise UserError(
            "--tensorboard needs TensorBoard: pip install 'scratchwork[train]'"
        ) from error
    return SummaryWriter(str(folder / "tensorboard"))
