"""How far a run is: what is told of it every few steps.

Promises: a `Meter` gathers the losses of steps without waiting for the device; only when it is
looked at are they added up, over all processes, and told as a `Progress`. A loss that is no number
is never told: it ends the run.
"""

import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from scratchwork.paper.distributed import Processes


@dataclass(frozen=True)
class Progress:
    """What is told of a run every few steps."""

    step: int
    epoch: float
    """How many epochs are done, with the part of the current one."""
    epochs: int
    loss: float
    """Nats per output token, over the steps since the last look."""
    rate: float
    seconds: float
    """Since the start of this process's run."""
    seconds_left: float
    instructions_per_second: float


class LossError(Exception):
    """The loss is no number any more."""


class Meter:
    """What has happened since the last look, and since the start."""

    def __init__(self, processes: Processes, epochs: int, done: float) -> None:
        self._processes = processes
        self._epochs = epochs
        self._done_before = done
        self._started = self._looked = time.monotonic()
        self._losses: list[Tensor] = []
        self._instructions = 0

    def add(self, loss: Tensor, instructions: int) -> None:
        """A step was taken."""
        self._losses.append(loss)
        self._instructions += instructions

    def look(self, step: int, done: float, rate: float) -> Progress | None:
        """What has happened since the last look; nothing where no step was taken."""
        if not self._losses:
            return None
        loss = float(self._processes.sum(torch.stack(self._losses).mean()))
        if not math.isfinite(loss):
            raise LossError
        now = time.monotonic()
        seconds = now - self._started
        left = seconds / max(done - self._done_before, 1e-9) * (self._epochs - done)
        per_second = self._instructions / max(now - self._looked, 1e-9)
        self._losses, self._instructions, self._looked = [], 0, now
        return Progress(step, done, self._epochs, loss, rate, seconds, left, per_second)
