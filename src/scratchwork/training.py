"""What the two trainings share: settings, schedule, averaging, checkpoints, and the log.

Promises: a run that was killed at any moment goes on from its last whole checkpoint, and only with
the settings and problems that it began with. A checkpoint is written beside the one before it and
becomes the latest only when it is whole; the one before is kept, and nothing else; a damaged one is
skipped. Checkpoints are safetensors and JSON, no pickle. When memory or disk run out, or the
loss is NaN, the run ends with one sentence, and the last good checkpoint stays.
"""

import json
import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.optim.swa_utils import get_ema_multi_avg_fn

from scratchwork.errors import UserError
from scratchwork.files import sha256_of, write_tensors, write_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FOLDER, LOG = "training", "log.jsonl"
LOOK_EVERY = 20
"""The loss is looked at once in so many steps: looking waits for the device."""
_KEPT = 2
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory")

_Config = TypeVar("_Config", bound="DataclassInstance")
"""The settings of a training: a flat dataclass of numbers and names."""
OnDamage = Callable[[Path], None]
LogEntry = Mapping[str, float]
"""What is told of a run every few steps: its `step`, its `loss`, and so on."""


def preset_of(presets: Mapping[str, _Config], name: str) -> _Config:
    """The settings of that name."""
    if name not in presets:
        raise UserError(f"there is no preset {name}; there are {', '.join(presets)}")
    return presets[name]


def with_settings(config: _Config, settings: Mapping[str, str]) -> _Config:
    """The config with some settings given as text, such as `epochs` `10`."""
    types: dict[str, Any] = {f.name: type(getattr(config, f.name)) for f in fields(config)}
    values: dict[str, Any] = {}
    for name, text in settings.items():
        if name not in types:
            raise UserError(f"there is no setting {name}; there are {', '.join(types)}")
        try:
            values[name] = types[name](text)
        except ValueError:
            kind = {int: "a whole number", float: "a number"}[types[name]]
            raise UserError(f"the setting {name} is {text}, but must be {kind}") from None
    return replace(config, **values)


def check_settings(
    config: object,
    ranges: Mapping[str, tuple[float, float]],
    choices: Mapping[str, Sequence[str]],
) -> None:
    """Refuse a setting outside its range, or none of its choices."""
    for name, (low, high) in ranges.items():
        value = getattr(config, name)
        if not low <= value <= high:
            raise UserError(f"the setting {name} is {value}, but must be {low} to {high}")
    for name, known in choices.items():
        if getattr(config, name) not in known:
            raise UserError(
                f"the setting {name} is {getattr(config, name)}; it can be {', '.join(known)}"
            )


def learning_rate(highest: float, step: int, warm_up: int, done: float, last: float = 0.0) -> float:
    """The rate of a step: it rises over the warm-up, and falls as a cosine while the share `done`
    of the way grows, to the share `last` of the highest."""
    falling = last + (1 - last) * 0.5 * (1 + math.cos(math.pi * done))
    return highest * min(1.0, (step + 1) / warm_up) * falling


class Learner:
    """A model with its optimiser and the moving average of its weights."""

    def __init__(
        self, model: torch.nn.Module, optimiser: torch.optim.Optimizer, memory: float
    ) -> None:
        self.model, self.optimiser, self.memory = model, optimiser, memory
        self.parameters = list(model.parameters())
        self.average = [p.detach().clone() for p in self.parameters]

    def update(self, step: int, rate: float, clip: float) -> None:
        """Take the step of that number, from 0, along the gradients, which are clipped.

        A group of the optimiser may have a `share` of the rate.
        """
        torch.nn.utils.clip_grad_norm_(self.parameters, clip)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group.get("share", 1.0)
        self.optimiser.step()
        memory = min(self.memory, (1 + step) / (10 + step))
        get_ema_multi_avg_fn(memory)(self.average, [p.detach() for p in self.parameters], step)

    def averaged(self) -> dict[str, Tensor]:
        """The averaged weights, by name."""
        names = (name for name, _ in self.model.named_parameters())
        return dict(zip(names, self.average, strict=True))

    def is_finite(self) -> bool:
        """Whether every weight is a number."""
        return bool(torch.stack([p.isfinite().all() for p in self.parameters]).all())

    def state(self) -> dict[str, Tensor]:
        """All that was learnt: the weights, their average, and what the optimiser remembers."""
        tensors = {f"average.{name}": average for name, average in self.averaged().items()}
        for name, parameter in self.model.named_parameters():
            tensors[f"model.{name}"] = parameter.detach()
            for key, value in self.optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser.{key}.{name}"] = value
        return tensors

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Take over a state."""
        for (name, parameter), average in zip(
            self.model.named_parameters(), self.average, strict=True
        ):
            with torch.no_grad():
                parameter.copy_(tensors[f"model.{name}"])
                average.copy_(tensors[f"average.{name}"])
            if f"optimiser.step.{name}" in tensors:
                self.optimiser.state[parameter] = {
                    key: tensors[f"optimiser.{key}.{name}"].to(parameter.device)
                    for key in ("step", "exp_avg", "exp_avg_sq")
                }


@dataclass(frozen=True)
class TrainingState:
    """A checkpoint: all that is needed to go on with a run."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any]


def save_state(folder: Path, state: TrainingState) -> None:
    """Write a checkpoint, and remove all but this one and the one before.

    Later ones are damaged or of another run, or this one would have gone on from there.
    """
    states = folder / FOLDER
    name = f"state-{state.facts['step']:08d}"
    weights = states / f"{name}.safetensors"
    write_tensors(weights, state.tensors)
    facts = {**state.facts, "sha256": sha256_of(weights)}
    write_text(states / f"{name}.json", json.dumps(facts, indent=1) + "\n")
    so_far = sorted(path.stem for path in states.glob("state-*.json") if path.stem <= name)
    for path in states.glob("state-*"):
        if path.stem not in so_far[-_KEPT:]:
            path.unlink()


def latest_state(folder: Path, on_damage: OnDamage = lambda path: None) -> TrainingState | None:
    """The newest checkpoint that is whole; damaged ones are told and skipped."""
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


def state_of_run(
    folder: Path, identity: Mapping[str, Any], on_damage: OnDamage = lambda path: None
) -> TrainingState | None:
    """The checkpoint to go on from; UserError if it is not of the run that these facts identify."""
    state = latest_state(folder, on_damage)
    if state is None:
        return None
    if any(state.facts.get(name) != fact for name, fact in identity.items()):
        raise UserError(
            f"{folder} holds a run with other settings or other problems; "
            "resume with the same, or train into another folder"
        )
    return state


def nan_loss(folder: Path, step: int) -> UserError:
    """The end of a run whose weights are spoilt."""
    return UserError(f"the loss is NaN at step {step}: try a smaller `rate`{_kept(folder)}")


@contextmanager
def memory_checked(folder: Path, step: Callable[[], int], smaller: str) -> Generator[None]:
    """Say in one sentence that memory ran out, and what to make smaller."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # On a CPU, PyTorch says so in words only.
        known = isinstance(error, torch.OutOfMemoryError | MemoryError)
        if not known and not any(text in str(error) for text in _OUT_OF_MEMORY):
            raise
        raise UserError(
            f"the device ran out of memory at step {step()}: make {smaller} smaller{_kept(folder)}"
        ) from error


def _kept(folder: Path) -> str:
    return f"; the last good state is in {folder}" if latest_state(folder) else ""


@dataclass(frozen=True)
class Look:
    """What has happened since the last look."""

    losses: list[float]
    per_second: float
    seconds: float
    """Since the start of this process's run."""
    seconds_left: float


class Meter:
    """Gathers the losses of steps without waiting for the device, until they are looked at."""

    def __init__(self, done: float) -> None:
        self._done_before = done
        self._started = self._looked = time.monotonic()
        self._losses: list[Tensor] = []
        self._amount = 0

    def add(self, losses: Tensor, amount: int) -> None:
        """A step was taken on so many instructions or tokens."""
        self._losses.append(losses)
        self._amount += amount

    def look(
        self, done: float, total: Callable[[Tensor], Tensor] = lambda losses: losses
    ) -> Look | None:
        """The mean losses since the last look, summed up by `total` where several processes train,
        if a step was taken; `done` is the share of the whole run."""
        if not self._losses:
            return None
        losses = total(torch.stack(self._losses).mean(0)).flatten().tolist()
        now = time.monotonic()
        seconds = now - self._started
        left = seconds / max(done - self._done_before, 1e-9) * (1 - done)
        per_second = self._amount / max(now - self._looked, 1e-9)
        self._losses, self._amount, self._looked = [], 0, now
        return Look(losses, per_second, seconds, left)


class Log:
    """`log.jsonl`, a JSON object a line, and events for TensorBoard if wanted.

    A run that goes on from `step` goes on in the same file; what was told of later steps, before
    the run was killed, is told anew.
    """

    def __init__(self, folder: Path, step: int, tensorboard: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / LOG
        self._writer: Any = _tensorboard(folder) if tensorboard else None
        if self._path.exists():
            before = self._path.read_bytes().splitlines(keepends=True)
            kept = b"".join(line for line in before if _is_until(step, line))
            if len(kept) < sum(map(len, before)):
                write_text(self._path, kept.decode())
        self._file = self._path.open("ab", buffering=0)

    def __call__(self, report: LogEntry) -> None:
        """Write down how far the run is."""
        row = {name: round(value, 6) for name, value in report.items()}
        try:
            self._file.write(f"{json.dumps(row)}\n".encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        if self._writer is not None:
            for name in row.keys() - {"step"}:
                self._writer.add_scalar(name, row[name], row["step"])

    def close(self) -> None:
        """End the records."""
        self._file.close()
        if self._writer is not None:
            self._writer.close()


def _is_until(step: int, line: bytes) -> bool:
    """Whether a line of the log is whole, and tells of no later step."""
    try:
        return line.endswith(b"\n") and json.loads(line)["step"] <= step
    except (ValueError, KeyError, TypeError):
        return False


def _tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise UserError(
            "--tensorboard needs TensorBoard: pip install 'scratchwork[train]'"
        ) from error
    return SummaryWriter(str(folder / "tensorboard"))
