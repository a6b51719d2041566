"""The training loop: draw programs, take steps, keep what is needed to go on.

Promises: a run can be stopped at any step and resumed; on a CPU, with the same number of threads,
the tensors are then the very same bytes as without the stop. All randomness is keyed by (seed,
step, example). The loss is divided by the number of output tokens of the whole batch, whoever
computes it. When memory or disk run out, or the loss is no number, the run ends with one sentence,
and the last good state is kept.

Does not cover: reading problems (see `corpora`), or scoring (see the room of that name).
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from scratchwork.errors import UserError
from scratchwork.paper.batching import (
    BatchPlan,
    Shape,
    gather,
    plan_epoch,
    slots_of,
    tight_shape,
    without_empty,
)
from scratchwork.paper.building import build_model
from scratchwork.paper.config import TrainingConfig
from scratchwork.paper.corpus import Corpus, Ragged
from scratchwork.paper.distributed import Processes
from scratchwork.paper.drawing import Drawn
from scratchwork.paper.epochs import draw_epoch, starts_drawing
from scratchwork.paper.progress import LossError, Meter, Progress
from scratchwork.paper.saving import save_model
from scratchwork.paper.steps import Gradients
from scratchwork.paper.vocabulary import Vocabulary
from scratchwork.training import OnDamage, TrainingState, latest_state, save_state

LOOK_EVERY = 20
"""The loss is looked at once in so many steps: looking waits for the device."""


class Training:
    """A run: the model, its optimiser, and how far it has come."""

    def __init__(
        self,
        config: TrainingConfig,
        vocabulary: Vocabulary,
        corpus: Corpus,
        folder: Path,
        processes: Processes | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        if len(corpus) == 0:
            raise UserError("there is nothing to train on: no problem has a rationale that fits")
        self.config, self.vocabulary, self.corpus = config, vocabulary, corpus
        self.folder = folder
        self.processes = processes or Processes()
        if config.rows // config.samples < self.processes.count:
            raise UserError(
                f"a batch of {config.rows} rows cannot be divided among {self.processes.count} "
                "processes; set more rows, or start fewer processes"
            )
        torch.manual_seed(config.seed)
        self.model = build_model(config.network(len(vocabulary))).to(corpus.device, dtype)
        self.parameters = list(self.model.parameters())
        self.optimiser = torch.optim.AdamW(
            self.parameters,
            lr=config.rate,
            weight_decay=config.decay,
            betas=(0.9, 0.98),
            fused=corpus.device.type == "cuda",
        )
        self.average = [p.detach().clone() for p in self.parameters]
        self.gradients = Gradients(self.model, config.dropout, config.samples, config.stage)
        self.step, self.epoch, self.position = 0, 0, 0
        self.drawn: Drawn | None = None
        self._plans: list[BatchPlan] = []
        self._data = corpus.digest(vocabulary)
        self._token_counts: list[int] = corpus.tokens.lengths.tolist()
        self._sizes = (
            int(corpus.source_words.lengths.max()),
            int(corpus.value_words.lengths.max()),
        )

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.epoch >= self.config.epochs

    def resume(self, on_damage: OnDamage = lambda path: None) -> bool:
        """Go on from the last good state in the folder, if there is one."""
        state = latest_state(self.folder, on_damage)
        if state is None:
            return False
        if any(state.facts.get(name) != fact for name, fact in self._identity().items()):
            raise UserError(
                f"{self.folder} holds a run with other settings or other problems; "
                "resume with the same, or train into another folder"
            )
        self._restore(state)
        return True

    def run(
        self,
        tell: Callable[[Progress], None] = lambda progress: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Train to the end, or until asked to stop; tells whether it came to the end.

        Several processes stop together, whichever of them was asked.
        """
        meter = Meter(self.processes, self.config.epochs, self._done())
        try:
            while not self.finished:
                if self.drawn is None or starts_drawing(self.config, self.epoch, self.position):
                    self.drawn = draw_epoch(
                        self.model, self.corpus, self.config, self.epoch, self.processes
                    )
                self._plan(self.drawn)
                while self.position < len(self._plans):
                    self._take_step(meter)
                    stopped = self._is_stopped(stop)
                    saves = stopped or self.step % self.config.save_every == 0
                    if saves or self.step % LOOK_EVERY == 0:
                        self._look(meter, tell)
                    if saves:
                        self.save()
                    if stopped:
                        return False
                self.epoch, self.position, self._plans = self.epoch + 1, 0, []
            self._look(meter, tell)
        except (MemoryError, RuntimeError) as error:
            if not _is_out_of_memory(error):
                raise
            raise UserError(
                f"the device ran out of memory at step {self.step}: make `rows` or `stage` smaller"
                f"{self._kept()}"
            ) from error
        self.save()
        if self.processes.is_first:
            self.save_model(self.folder)
        self.processes.wait()
        return True

    def _plan(self, drawn: Drawn) -> None:
        """Take the programs of the current epoch, and put them into batches."""
        config = self.config
        self.drawn = drawn
        self._plans = plan_epoch(drawn, config.samples, config.rows, config.seed, self.epoch)

    def _done(self) -> float:
        """How many epochs are done, with the part of the current one."""
        return self.epoch + self.position / max(1, len(self._plans))

    def _is_stopped(self, stop: Callable[[], bool]) -> bool:
        """Whether a process was asked to stop; several of them agree on it now and then."""
        if self.processes.count == 1:
            return stop()
        if self.step % LOOK_EVERY:
            return False
        asked = torch.tensor(float(stop()), device=self.corpus.device)
        return bool(self.processes.sum(asked) > 0)

    def _take_step(self, meter: Meter) -> None:
        plan = self._plans[self.position]
        config, drawn = self.config, self.drawn
        assert drawn is not None
        device = self.corpus.device
        rows = torch.tensor(plan.rows, device=device)
        tokens = self._tokens(plan.rows)
        mine = self.processes.part(rows, config.samples)
        shape = Shape(*self._sizes, plan.instructions, slots_of(plan.instructions))
        if device.type == "cpu":  # nothing is captured, so that nothing need be padded
            mine = without_empty(mine, config.samples)
            shape = tight_shape(self.corpus, drawn, config.samples, mine)
        batch = gather(self.corpus, drawn, config.samples, mine, shape)
        loss = self.gradients(batch, config.seed, self.step, 1 / tokens).clone()
        self.processes.sum_gradients(self.parameters)
        torch.nn.utils.clip_grad_norm_(self.parameters, config.clip)
        rate = self._rate()
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self._update_average()
        meter.add(loss, plan.instructions * len(plan.rows))
        self.step += 1
        self.position += 1

    def _tokens(self, rows: Sequence[int]) -> int:
        """The output tokens of the whole batch, those of repeated samples counted once."""
        examples = {row // self.config.samples for row in rows if row >= 0}
        return sum(self._token_counts[example] for example in examples)

    def _rate(self) -> float:
        """The learning rate of the next step."""
        warm = min(1.0, (self.step + 1) / self.config.warm_up)
        fallen = 0.5 * (1 + math.cos(math.pi * self._done() / self.config.epochs))
        return self.config.rate * warm * fallen

    def _update_average(self) -> None:
        memory = min(self.config.average, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for average, parameter in zip(self.average, self.parameters, strict=True):
                average.lerp_(parameter, 1 - memory)

    def _look(self, meter: Meter, tell: Callable[[Progress], None]) -> None:
        try:
            progress = meter.look(self.step, self._done(), self._rate())
        except LossError:
            raise self._diverged() from None
        if progress is not None:
            tell(progress)

    def _diverged(self) -> UserError:
        return UserError(
            f"the loss is no number any more at step {self.step}: try a smaller `rate`"
            f"{self._kept()}"
        )

    def _kept(self) -> str:
        return f"; the last good state is in {self.folder}" if latest_state(self.folder) else ""

    def save(self) -> None:
        """Write all that is needed to go on from here."""
        # The loss was looked at, but the last step may have spoilt the weights since.
        if not bool(torch.stack([p.isfinite().all() for p in self.parameters]).all()):
            raise self._diverged()
        if self.processes.is_first:
            save_state(self.folder, self._state())
        self.processes.wait()

    def _identity(self) -> dict[str, Any]:
        """What must be the same where a run goes on."""
        return {
            "config": self.config.to_json(),
            "problems": len(self.corpus),
            "data": self._data,
        }

    def _state(self) -> TrainingState:
        tensors: dict[str, Tensor] = {}
        for (name, parameter), average in zip(
            self.model.named_parameters(), self.average, strict=True
        ):
            tensors[f"model.{name}"] = parameter.detach()
            tensors[f"average.{name}"] = average
            for key, value in self.optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser.{key}.{name}"] = value
        if self.drawn is not None:
            tensors["drawn.rows"] = self.drawn.rows.flat
            tensors["drawn.starts"] = self.drawn.rows.starts
            tensors["drawn.finished"] = self.drawn.finished
        reached = {"step": self.step, "epoch": self.epoch, "position": self.position}
        return TrainingState(tensors, {**self._identity(), **reached})

    def _restore(self, state: TrainingState) -> None:
        device = self.corpus.device
        tensors = {name: tensor.to(device) for name, tensor in state.tensors.items()}
        for k, (name, parameter) in enumerate(self.model.named_parameters()):
            with torch.no_grad():
                parameter.copy_(tensors[f"model.{name}"])
                self.average[k].copy_(tensors[f"average.{name}"])
            keys = ("step", "exp_avg", "exp_avg_sq")
            if f"optimiser.step.{name}" in tensors:
                self.optimiser.state[parameter] = {
                    key: tensors[f"optimiser.{key}.{name}"] for key in keys
                }
        facts = state.facts
        self.step, self.epoch, self.position = facts["step"], facts["epoch"], facts["position"]
        if "drawn.rows" in tensors:
            rows = Ragged(tensors["drawn.rows"], tensors["drawn.starts"])
            self._plan(Drawn(rows, tensors["drawn.finished"]))

    def save_model(self, folder: Path) -> None:
        """Write the averaged model as a folder that can be loaded."""
        averaged = build_model(self.model.config)
        averaged.load_state_dict(
            {
                name: average
                for (name, _), average in zip(
                    self.model.named_parameters(), self.average, strict=True
                )
            }
        )
        save_model(averaged, self.vocabulary, folder, {"training": self.config.to_json()})


def _is_out_of_memory(error: Exception) -> bool:
    """Whether memory ran out: on a CPU, PyTorch says so in words only."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(error)
    return "out of memory" in text or "can't allocate memory" in text
