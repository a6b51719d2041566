"""The training loop: draw programs, take steps, keep what is needed to go on.

Promises: a run can be stopped at any step and resumed; on a CPU, with the same number of threads,
the tensors are then the very same bytes as without the stop. All randomness is keyed by (seed,
step, example). The loss is divided by the number of output tokens of the whole batch, whoever
computes it. When memory or disk run out, or the loss is NaN, the run ends with one sentence, and
the last good state is kept.

Does not cover: reading problems (see `corpora`), or scoring (see the room of that name).
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from scratchwork.errors import UserError
from scratchwork.paper.backpropagation import Gradients
from scratchwork.paper.batching import (
    BatchPlan,
    Shape,
    draw_epoch,
    gather_batch,
    plan_epoch,
    slots_of,
    starts_drawing,
    tight_shape,
    without_empty,
)
from scratchwork.paper.config import TrainingConfig
from scratchwork.paper.corpus import Corpus, Ragged
from scratchwork.paper.distributed import Processes
from scratchwork.paper.drawing import Drawn
from scratchwork.paper.models import build_model, save_model
from scratchwork.paper.vocabulary import Vocabulary
from scratchwork.training import (
    LOOK_EVERY,
    Learner,
    LogEntry,
    Meter,
    OnDamage,
    TrainingState,
    learning_rate,
    memory_checked,
    nan_loss,
    save_state,
    state_of_run,
)


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
        optimiser = torch.optim.AdamW(
            self.model.parameters(),
            lr=config.rate,
            weight_decay=config.decay,
            betas=(0.9, 0.98),
            fused=corpus.device.type == "cuda",
        )
        self.learner = Learner(self.model, optimiser, config.average)
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
        state = state_of_run(self.folder, self._identity(), on_damage)
        if state is None:
            return False
        self._restore(state)
        return True

    def run(
        self,
        tell: Callable[[LogEntry], None] = lambda report: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Train to the end, or until asked to stop; tells whether it came to the end.

        Several processes stop together, whichever of them was asked.
        """
        with memory_checked(self.folder, lambda: self.step, "`rows` or `stage`"):
            if not self._train(tell, stop):
                return False
        self.save()
        if self.processes.is_first:
            self.save_model(self.folder)
        self.processes.wait()
        return True

    def _train(self, tell: Callable[[LogEntry], None], stop: Callable[[], bool]) -> bool:
        meter = Meter(self._done())
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
        return True

    def _plan(self, drawn: Drawn) -> None:
        """Take the programs of the current epoch, and put them into batches."""
        config = self.config
        self.drawn = drawn
        self._plans = plan_epoch(drawn, config.samples, config.rows, config.seed, self.epoch)

    def _epochs_done(self) -> float:
        """How many epochs are done, with the part of the current one."""
        return self.epoch + self.position / max(1, len(self._plans))

    def _done(self) -> float:
        """The share of the whole run that is done."""
        return self._epochs_done() / self.config.epochs

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
        batch = gather_batch(self.corpus, drawn, config.samples, mine, shape)
        loss = self.gradients(batch, config.seed, self.step, 1 / tokens).clone()
        self.processes.sum_gradients(self.learner.parameters)
        self.learner.update(self.step, self._rate(), config.clip)
        meter.add(loss, plan.instructions * len(plan.rows))
        self.step += 1
        self.position += 1

    def _tokens(self, rows: Sequence[int]) -> int:
        """The output tokens of the whole batch, those of repeated samples counted once."""
        examples = {row // self.config.samples for row in rows if row >= 0}
        return sum(self._token_counts[example] for example in examples)

    def _rate(self) -> float:
        """The learning rate of the next step."""
        return learning_rate(self.config.rate, self.step, self.config.warm_up, self._done())

    def _look(self, meter: Meter, tell: Callable[[LogEntry], None]) -> None:
        look = meter.look(self._done(), self.processes.sum)
        if look is None:
            return
        (loss,) = look.losses
        if not math.isfinite(loss):
            raise nan_loss(self.folder, self.step)
        tell(
            {
                "step": self.step,
                "epoch": self._epochs_done(),
                "epochs": self.config.epochs,
                "loss": loss,
                "rate": self._rate(),
                "seconds": look.seconds,
                "seconds_left": look.seconds_left,
                "instructions_per_second": look.per_second,
            }
        )

    def save(self) -> None:
        """Write all that is needed to go on from here."""
        # The loss was looked at, but the last step may have spoilt the weights since.
        if not self.learner.is_finite():
            raise nan_loss(self.folder, self.step)
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
        tensors = self.learner.state()
        if self.drawn is not None:
            tensors["drawn.rows"] = self.drawn.rows.flat
            tensors["drawn.starts"] = self.drawn.rows.starts
            tensors["drawn.finished"] = self.drawn.finished
        reached = {"step": self.step, "epoch": self.epoch, "position": self.position}
        return TrainingState(tensors, {**self._identity(), **reached})

    def _restore(self, state: TrainingState) -> None:
        self.learner.restore(state.tensors)
        facts = state.facts
        self.step, self.epoch, self.position = facts["step"], facts["epoch"], facts["position"]
        if "drawn.rows" in state.tensors:
            names = ("drawn.rows", "drawn.starts", "drawn.finished")
            rows, starts, finished = (state.tensors[n].to(self.corpus.device) for n in names)
            self._plan(Drawn(Ragged(rows, starts), finished))

    def save_model(self, folder: Path) -> None:
        """Write the averaged model as a folder that can be loaded."""
        averaged = build_model(self.model.config)
        averaged.load_state_dict(self.learner.averaged())
        save_model(averaged, self.vocabulary, folder, {"training": self.config.to_json()})
