"""The whole course of the solver's training: families first, then more and more real problems.

Promises: one learning-rate schedule from beginning to end; at the given shares of it numbers are
changed (`renumbering`), and accuracy on the tune problems is measured with the averaged weights and
logged. Lessons that are still being generated are taken as their files appear.
"""

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from scratchwork.solver.beam_search import FoundPlans, find_plans
from scratchwork.solver.dataset import Shelf
from scratchwork.solver.network import Transformer
from scratchwork.solver.preparation import Tables
from scratchwork.solver.renumbering import renumber
from scratchwork.solver.studying import Losses, Study
from scratchwork.solver.symbols import LONGEST_PLAN
from scratchwork.solver.tables import load_lessons
from scratchwork.solver.voting import Ballot, VoteWeights, ballot_of, option_probabilities

_AT_ONCE_ON_GPU, _AT_ONCE_ON_CPU = 512, 8


@dataclass(frozen=True)
class CourseSettings:
    """The order of things; shares are of the steps."""

    steps: int = 22_000
    seconds: float | None = None
    """The way ends after the steps or after this time, whichever comes first, and everything that
    falls with its progress falls in time."""
    until: float = 0.4
    """How much of the way is gone: what comes behind is only learned by heart."""
    generated_first: float = 0.6
    """The share of batches from generated lessons at the beginning."""
    generated_last: float = 0.4
    """The same at the end."""
    texts_share: float = 0.1
    """The share of batches of mere texts, whose words are to be recalled."""
    renumbered: float = 0.8
    """The share of real plans that get new numbers."""
    renumber_every: float = 0.04
    measure_every: float = 0.1
    beam: int = 16
    """Plans found for each tune problem."""


class Course:
    """A study with its lessons."""

    def __init__(
        self,
        study: Study,
        settings: CourseSettings,
        real: Tables,
        texts: Tables,
        tunes: Mapping[str, Tables],
        shards: Path,
        log: Callable[[dict[str, Any]], None],
    ) -> None:
        self.study, self.settings, self.log = study, settings, log
        self.device = study.device
        self.real = Shelf(*real, self.device)
        self.texts = Shelf(*texts, self.device)
        self.tunes = {name: Shelf(*tune, self.device) for name, tune in tunes.items()}
        self.shards = shards
        self.generated: dict[str, Shelf] = {}
        self.next_renumbering, self.next_measure = 0.0, settings.measure_every
        self.began = time.monotonic()

    def run(self, save: Callable[[], None]) -> None:
        """From beginning to end; the averaged weights are saved whenever they are measured."""
        self.save = save
        self._take_shards(wait=True)
        self.began = time.monotonic()
        self.study.run(self._pools, self._progress, self._tell)
        self.measure(1.0)

    def _progress(self, step: int) -> float:
        done, seconds = step / self.settings.steps, self.settings.seconds
        if seconds is not None:
            done = max(done, (time.monotonic() - self.began) / seconds)
        return done if done < self.settings.until else 1.0

    def _tell(self, step: int, losses: Losses) -> None:
        self.log(
            {
                "step": step,
                "seconds": round(time.monotonic() - self.began, 1),
                "choices": round(losses.choices, 4),
                "words": round(losses.words, 4),
                "generated": sum(map(len, self.generated.values())),
            }
        )

    def _pools(self, done: float) -> Mapping[str, tuple[Shelf, float]]:
        """Which lessons to learn from, and what is due before."""
        s = self.settings
        if done >= self.next_renumbering:
            self.next_renumbering += s.renumber_every
            self._take_shards()
            if s.renumbered:
                share = renumber(self.real, s.renumbered, self.study.generator)
                if done < s.renumber_every:
                    self.log({"renumbered": round(share, 3)})
        if done >= self.next_measure:
            self.next_measure += s.measure_every
            self.measure(done)
        generated = s.generated_first + (s.generated_last - s.generated_first) * done
        pools = {"real": (self.real, 1 - generated), "texts": (self.texts, s.texts_share)}
        return pools | _by_size(self.generated, generated)

    def _take_shards(self, wait: bool = False) -> None:
        """Put the generated lessons that are there onto the device."""
        while True:
            for file in sorted(self.shards.glob("*.npz")):
                if file.name not in self.generated:
                    self.generated[file.name] = Shelf(*load_lessons(file), self.device)
            if self.generated or not wait or self.settings.generated_first == 0:
                return
            time.sleep(0.5)

    @contextmanager
    def averaged(self) -> Generator[None]:
        """The network with its averaged weights, for measuring."""
        model, study = self.study.model, self.study
        kept = [p.detach().clone() for p in model.parameters()]
        with torch.no_grad():
            for p, average in zip(model.parameters(), study.averaged, strict=True):
                p.copy_(average)
        model.eval()
        try:
            yield
        finally:
            with torch.no_grad():
                for p, old in zip(model.parameters(), kept, strict=True):
                    p.copy_(old)
            model.train()

    @torch.no_grad()
    def measure(self, done: float) -> None:
        """Accuracy on the tune problems, voted in several ways, and the loss on their plans."""
        for name, shelf in self.tunes.items():
            began = time.monotonic()
            with self.averaged():
                ballot = find_all(self.study.model, shelf, self.settings.beam)
                loss = plan_loss(self.study, shelf)
            report = {"done": round(done, 3), "choices": round(loss, 4)}
            report |= accuracies(ballot, shelf.labels.long())
            self.log({name: report, "seconds": round(time.monotonic() - began, 1)})
        self.save()


def _by_size(shelves: Mapping[str, Shelf], share: float) -> dict[str, tuple[Shelf, float]]:
    """The shelves with their parts of a share of the batches."""
    total = sum(len(shelf) for shelf in shelves.values())
    return {name: (shelf, share * len(shelf) / total) for name, shelf in shelves.items()}


def find_all(model: Transformer, shelf: Shelf, beam: int) -> Ballot:
    """Plans for all problems of a shelf."""
    at_once = _AT_ONCE_ON_GPU if shelf.device.type == "cuda" else _AT_ONCE_ON_CPU
    rows = torch.arange(len(shelf.labels), device=shelf.device)
    parts = [find_for(model, shelf, some, beam) for some in rows.split(at_once)]
    found = [part.found for part in parts]
    columns = (torch.cat([getattr(some, f.name) for some in found]) for f in fields(FoundPlans))
    unused, near = (torch.cat(column) for column in zip(*(part[1:] for part in parts), strict=True))
    return Ballot(FoundPlans(*columns), unused, near)


def find_for(model: Transformer, shelf: Shelf, rows: Tensor, beam: int) -> Ballot:
    """Plans for some problems of a shelf."""
    is_cuda = shelf.device.type == "cuda"
    with torch.no_grad(), torch.autocast(shelf.device.type, torch.bfloat16, is_cuda):
        read = shelf.read(rows, int(shelf.lengths[rows].max()))
        encoded = model.encode(read)
        in_question, options = shelf.in_question[rows], shelf.option_values[rows]
        found = find_plans(model, encoded, in_question, options, beam)
    return ballot_of(found, read, in_question, options)


def plan_loss(study: Study, shelf: Shelf) -> float:
    """The loss on the choices of a shelf's plans, rationales left out."""
    total, count = 0.0, 0
    for (reading, plan), bucket in shelf.buckets.items():
        rows = bucket[(shelf.choices[bucket] >= 0).any(1)]
        if plan <= LONGEST_PLAN and len(rows):
            total += float(study.losses(shelf, rows, reading, plan)[0]) * len(rows)
            count += len(rows)
    return total / max(1, count)


_WAYS = {
    "votes": VoteWeights(unused=0.0),
    "all": VoteWeights(),
    "nearest": VoteWeights(nearness=1.0, floor=1e9),
}
"""How options are chosen, to see what each part brings."""


def accuracies(
    ballot: Ballot, labels: Tensor, fitted: VoteWeights | None = None
) -> dict[str, float]:
    """Shares of right answers, chosen in several ways and with fitted weights, and of answered
    problems."""
    shares: dict[str, float] = {}

    def note(name: str, those: Tensor) -> None:
        shares[name] = _share(those)

    ways = _WAYS if fitted is None else {**_WAYS, "fitted": fitted}
    for name, weights in ways.items():
        note(name, option_probabilities(ballot, weights).argmax(-1) == labels)
    found = ballot.found
    answers = found.reached >= 0
    answered = answers.any(1)
    note("answered", answered)
    voted = option_probabilities(ballot, _WAYS["votes"]).argmax(-1) == labels
    note("right of answered", voted[answered])
    note("among plans", (found.reached == labels[:, None]).any(1))
    first = answers.int().argmax(1, keepdim=True)
    note("best plan", found.reached.gather(1, first).squeeze(1) == labels)
    return shares


def _share(those: Tensor) -> float:
    """Of truth values; 0 if there are none."""
    return round(float(those.double().sum() / max(1, len(those))), 4)
