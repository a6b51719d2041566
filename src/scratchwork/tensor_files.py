"""Files of tensors, so that a killed run leaves the old file or the new one, never half of one.

Promises: what cannot be written is an OSError that names the file, whatever the library below says
of it; what was there stays.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

_NUMBER = re.compile(r"os error ([0-9]+)")


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write a file of safetensors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    try:
        save_file({name: t.detach().cpu().contiguous() for name, t in tensors.items()}, partial)
        partial.replace(path)
    except SafetensorError as error:
        partial.unlink(missing_ok=True)
        found = _NUMBER.search(str(error))
        if found is None:
            raise
        number = int(found.group(1))
        raise OSError(number, os.strerror(number), str(path)) from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
