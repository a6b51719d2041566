"""The training state on disk: safetensors and JSON, no pickle.

Promises: a state is written beside the one before it and becomes the latest only when it is whole;
the one before is kept, and nothing else. A damaged state is passed over for the one before it. A
full disk is told in one sentence, and what was there stays.
"""

import errno
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from scratchwork.errors import UserError
from scratchwork.problems.digests import sha256_of
from scratchwork.problems.writing import write_text
from scratchwork.tensor_files import write_tensors

FOLDER = "training"
_KEPT = 2
_FULL = (errno.ENOSPC, errno.EDQUOT)

OnDamage = Callable[[Path], None]


@dataclass(frozen=True)
class TrainingState:
    """All that is needed to go on with a run."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any]


def save_state(folder: Path, state: TrainingState) -> None:
    """Write a state, and remove all but this one and the one before.

    Later ones are damaged or of another run, or this one would have gone on from there.
    """
    states = folder / FOLDER
    name = f"state-{state.facts['step']:08d}"
    weights = states / f"{name}.safetensors"
    try:
        write_tensors(weights, state.tensors)
        facts = {**state.facts, "sha256": sha256_of(weights)}
        write_text(states / f"{name}.json", json.dumps(facts, indent=1) + "\n")
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise UserError(
            f"{states}: the training state cannot be written, the disk is full; "
            "make room and resume, the state before it is still there"
        ) from error
    so_far = sorted(path.stem for path in states.glob("state-*.json") if path.stem <= name)
    for path in states.glob("state-*"):
        if path.stem not in so_far[-_KEPT:]:
            path.unlink()


def latest_state(folder: Path, on_damage: OnDamage = lambda path: None) -> TrainingState | None:
    """The newest state that is whole; damaged ones are told and passed over."""
    for description in sorted((folder / FOLDER).glob("state-*.json"), reverse=True):
        weights = description.with_suffix(".safetensors")
        try:
            facts = json.loads(description.read_text("utf-8"))
            if facts.pop("sha256") != sha256_of(weights):
                raise ValueError("checksum")
            return TrainingState(load_file(weights), facts)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError):
            on_damage(weights)
    return None
