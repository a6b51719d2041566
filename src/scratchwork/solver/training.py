"""Training the solver's network: from a folder of tables to a model folder.

Promises: what a step draws depends on the seed and the step alone. A run that was killed goes on
from its last checkpoint, with the settings, tables and reader that it began with, and on a CPU with
the same number of threads the model is the same to the byte as if it had never been killed. The
weights that are kept are a moving average. `train_solver` needs torch, numpy and safetensors alone.

The loss of a step adds up the mean cross-entropy of the choices of plans and rationales, and that
of pieces of the problems that the encoder read as unknown. For a share of the rows of every batch
the options are hidden, so that problems without options are learned as well.

Does not cover: making the tables (see `preparation`).
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor

from scratchwork.errors import UserError
from scratchwork.files import only_run, sha256_of
from scratchwork.model_folder import WEIGHTS
from scratchwork.solver.config import TrainingSettings
from scratchwork.solver.dataset import Dataset, hide_options
from scratchwork.solver.measuring import fitted_votes, scores_of
from scratchwork.solver.network import ProblemBatch, Transformer
from scratchwork.solver.pretrained import PublishedEncoder, take_over
from scratchwork.solver.reading import SPECIAL_PIECES, UNKNOWN_PIECE, Pieces
from scratchwork.solver.renumbering import renumber
from scratchwork.solver.saving import load_solver, quantise, restore, save_solver
from scratchwork.solver.symbols import LETTER, LONGEST_PLAN
from scratchwork.solver.tables import (
    GENERATED,
    REAL,
    STORIES,
    TEXTS,
    TUNE,
    TableFolder,
    joined_tables,
    load_tables,
)
from scratchwork.solver.teacher_forcing import target_logs, teacher_force
from scratchwork.training import (
    LOOK_EVERY,
    Learner,
    Log,
    LogEntry,
    Meter,
    TrainingState,
    learning_rate,
    memory_checked,
    nan_loss,
    save_state,
    state_of_run,
)


@dataclass(frozen=True)
class TrainingResult:
    """What became of a run."""

    step: int
    """How many steps were taken by now."""
    finished: bool
    """Whether it came to its end, or was asked to stop."""
    scores: Mapping[str, float]
    """What was measured last on the tune problems, under the name of their table."""


def train_solver(
    data: Path,
    to: Path,
    settings: TrainingSettings,
    reader: Path | None = None,
    device: torch.device | str = "cpu",
    start: Path | None = None,
    say: Callable[[str], None] = lambda sentence: None,
    tell: Callable[[LogEntry], None] = lambda report: None,
    stop: Callable[[], bool] = lambda: False,
) -> TrainingResult:
    """Train on the tables in `data`, and write a model folder.

    `reader` is the folder of a published encoder to begin with, `start` that of a model with whose
    weights the run begins. What happens is said in sentences, and how far the run is told in
    reports, which are also written to `log.jsonl`.
    """
    s, device = settings, torch.device(device)
    tables = TableFolder.read(data)
    torch.manual_seed(s.seed)
    model = Transformer(s.network(len(tables.pieces)))
    published = None if reader is None else PublishedEncoder.read(reader)
    if published is not None:
        take_over(model, published, tables.pieces)
    if start is not None:
        _take_weights(model, start, tables.pieces)
    learner = Learner(model.to(device), _optimiser(model, s), s.average)
    identity = {
        "settings": asdict(s),
        "tables": tables.digest,
        "reader": None if published is None else published.digest,
        "start": None if start is None else sha256_of(start / WEIGHTS),
    }
    step, last = 0, s.last_step
    scores: dict[str, float] = {}
    votes: dict[str, float] = {}

    with only_run(to), memory_checked(to, lambda: step, "`tokens`"):
        state = state_of_run(to, identity, lambda path: say(f"{path} is damaged and was skipped"))
        if state is not None:
            learner.restore(state.tensors)
            step, scores, votes = (state.facts[name] for name in ("step", "scores", "votes"))
            say(f"continuing from step {step}")
        batches, tunes = Batches(_examples(tables, device), s), _tunes(tables, device)
        meter = Meter(step / last)
        with closing(Log(to, step)) as log:
            while step < last:
                # All that the step draws comes from this.
                torch.manual_seed(_key(s.seed, "step", step))
                batch = batches.draw(step / s.steps)
                model.train()
                with torch.autocast(device.type, torch.bfloat16, device.type == "cuda"):
                    losses = losses_of(model, batch, s.masked)
                learner.optimiser.zero_grad(set_to_none=True)
                (losses[0] + s.masked_weight * losses[1]).backward()
                rate = learning_rate(s.rate, step, s.warm_up, step / s.steps, s.last_rate)
                learner.update(step, rate, s.clip)
                meter.add(losses.detach(), batch.tokens)
                step += 1

                stopped = step < last and stop()
                measures = step == last or _begins(step, s.steps, s.measure_every)
                saves = measures or stopped or step % s.save_every == 0
                if saves or step % LOOK_EVERY == 0:
                    report = _report(meter, step, s, rate)
                    if not math.isfinite(report["loss"]):
                        raise nan_loss(to, step)
                    log(report)
                    tell(report)
                if saves and not learner.is_finite():
                    # The last step spoilt the weights, but not yet the loss.
                    raise nan_loss(to, step)
                if measures:
                    # Rounded, as it will be loaded.
                    averaged = Transformer(model.config)
                    averaged.load_state_dict(restore(quantise(learner.averaged())))
                    averaged.to(device).eval()
                    for name, tune in tunes.items():
                        measured = scores_of(averaged, tune, s.beam)
                        scores |= {f"{name} {score}": value for score, value in measured.items()}
                    if step == last and tunes:
                        weights, measured = fitted_votes(averaged, tunes, s.vote_beam)
                        votes, scores = weights._asdict(), scores | measured
                    if scores:
                        log({"step": step, **scores})
                if saves:
                    facts = {**identity, "step": step, "scores": scores, "votes": votes}
                    save_state(to, TrainingState(learner.state(), facts))
                if stopped:
                    return TrainingResult(step, False, scores)
        about = {"training": {**asdict(s), "tables": tables.digest}, "votes": votes}
        save_solver(model.config, learner.averaged(), Pieces(tables.pieces), to, about)
    return TrainingResult(step, True, scores)


def _take_weights(model: Transformer, start: Path, pieces: list[str]) -> None:
    """Let a network have the weights of a model folder, which must be of the same kind."""
    saved = load_solver(start)
    if saved.pieces.pieces != pieces:
        raise UserError(f"{start} has other sub-word units than the tables; start with another")
    if replace(saved.model.config, dropout=model.config.dropout) != model.config:
        raise UserError(
            f"{start} has another size than the settings; set width, heads, encoder_layers and "
            "decoder_layers as they were"
        )
    model.load_state_dict(saved.model.state_dict())


def _examples(tables: TableFolder, device: torch.device) -> dict[str, Dataset]:
    """What there is to learn from, by kind."""
    found: dict[str, Dataset] = {}
    for kind in (REAL, GENERATED, STORIES, TEXTS):
        parts = [load_tables(file) for file in tables.files[kind]]
        if any(len(problems) for problems, _ in parts):
            found[kind] = Dataset(*joined_tables(parts), device)
    return found


def _tunes(tables: TableFolder, device: torch.device) -> dict[str, Dataset]:
    """The problems to measure on, by the names of their files."""
    found = {file.stem: load_tables(file) for file in tables.files[TUNE]}
    return {name: Dataset(*tune, device) for name, tune in found.items() if len(tune[0])}


@dataclass(frozen=True)
class ExampleBatch:
    """Some rows of a dataset, which fit one shape."""

    dataset: Dataset
    rows: Tensor
    reading: int
    """How many pieces of the problems there are."""
    plan: int
    """How many choices of the plans there are."""
    hidden: Tensor
    """Of which rows the options are hidden."""

    @property
    def tokens(self) -> int:
        """Pieces and choices, padding included."""
        return len(self.rows) * (self.reading + self.plan)


class Batches:
    """Draws batches, each from one of the datasets; what is drawn depends on the global generators
    and on how far the run is."""

    def __init__(self, datasets: Mapping[str, Dataset], settings: TrainingSettings) -> None:
        self._datasets, self._settings = datasets, settings
        self._numbers = -1

    def draw(self, done: float) -> ExampleBatch:
        """A batch for a step; `done` is the share of all steps that was taken before it."""
        s = self._settings
        self._renumber(int(done / s.renumber_every))
        generated = s.generated_first + (s.generated_last - s.generated_first) * done
        told = s.stories_share if STORIES in self._datasets else 0.0
        weights = {
            REAL: (1 - told) * (1 - generated),
            GENERATED: (1 - told) * generated,
            STORIES: told,
            TEXTS: s.texts,
        }
        dataset = self._datasets[_drawn({kind: weights[kind] for kind in self._datasets})]
        sizes = {
            shape: weight_of(shape, len(rows), s.rationales)
            for shape, rows in dataset.buckets.items()
        }
        reading, plan = _drawn(sizes)
        bucket = dataset.buckets[reading, plan]
        count = s.tokens // (reading + plan)
        rows = bucket[torch.randint(len(bucket), (count,), device=bucket.device)]
        hidden = torch.rand(count, device=rows.device) < s.hidden
        if plan > LONGEST_PLAN:
            # A rationale that states the letter of an option needs options.
            hidden &= (dataset.choices[rows] != LETTER).all(1)
        return ExampleBatch(dataset, rows, reading, plan, hidden)

    def _renumber(self, period: int) -> None:
        """Let real plans have the numbers of that period, which depend on nothing before."""
        if period != self._numbers and REAL in self._datasets:
            seed = _key(self._settings.seed, "numbers", period)
            dataset = self._datasets[REAL]
            generator = torch.Generator(dataset.device).manual_seed(seed)
            renumber(dataset, self._settings.renumbered, generator)
            self._numbers = period


def weight_of(shape: tuple[int, int], rows: int, rationales: float) -> float:
    """What rows of a shape weigh: their pieces and choices, less where a rationale follows."""
    return rows * sum(shape) * (rationales if shape[1] > LONGEST_PLAN else 1.0)


_Drawn = TypeVar("_Drawn")


def _drawn(weights: Mapping[_Drawn, float]) -> _Drawn:
    shares = torch.tensor(list(weights.values()))
    if not shares.any():
        raise UserError(
            "the settings leave nothing to draw from these tables: change generated_first, "
            "generated_last, stories_share or rationales"
        )
    return list(weights)[int(torch.multinomial(shares, 1))]


def _key(seed: int, purpose: str, number: int) -> int:
    """The seed of a generator for one purpose."""
    text = f"{seed} {purpose} {number}"
    # The generator of a CPU takes 32 bits.
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest())


def losses_of(model: Transformer, batch: ExampleBatch, masked: float) -> Tensor:
    """The losses on the choices of a batch, and on the pieces masked in it."""
    dataset, rows, hidden = batch.dataset, batch.rows, batch.hidden
    read = dataset.read_plans(rows, batch.reading)
    read = hide_options(read, dataset.in_question[dataset.owners[rows]], hidden)
    read, places, pieces = mask_pieces(read, masked)
    encoded = model.encode(read)
    logits = model.masked_piece_logits(encoded.states.flatten(0, 1)[places])
    forced = teacher_force(model, dataset, rows, encoded, batch.plan, hidden)
    choices = _mean_cross_entropy(*forced)
    return torch.stack([choices, _mean_cross_entropy(logits, pieces)])


def mask_pieces(read: ProblemBatch, share: float) -> tuple[ProblemBatch, Tensor, Tensor]:
    """Problems with a share of their pieces unknown: so read, the places drawn among all of their
    pieces, and the pieces that stood there, -1 for one that is no part of a word."""
    pieces = read.pieces.flatten()
    places = torch.randint(len(pieces), (int(share * len(pieces)),), device=pieces.device)
    drawn = pieces[places]
    is_word = drawn >= len(SPECIAL_PIECES)
    pieces[places] = torch.where(is_word, UNKNOWN_PIECE, drawn)
    return (
        read._replace(pieces=pieces.view_as(read.pieces)),
        places,
        torch.where(is_word, drawn, -1),
    )


def _mean_cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Averaged over the targets that are not negative."""
    return -target_logs(logits, targets).sum() / (targets >= 0).sum().clamp(min=1)


def _optimiser(model: Transformer, settings: TrainingSettings) -> torch.optim.Optimizer:
    """Adam; only matrices decay, and the encoder has a rate of its own."""
    reading = {id(parameter) for parameter in model.encoder_parameters()}
    groups = [
        {
            "params": [
                parameter
                for parameter in model.parameters()
                if (parameter.dim() > 1) == decays and (id(parameter) in reading) == reads
            ],
            "weight_decay": settings.decay if decays else 0.0,
            "share": settings.reader_rate if reads else 1.0,
        }
        for decays in (True, False)
        for reads in (True, False)
    ]
    fused = next(model.parameters()).device.type == "cuda"
    return torch.optim.AdamW(groups, settings.rate, (0.9, 0.98), fused=fused)


def _begins(step: int, steps: int, every: float) -> bool:
    """Whether a new interval of that share of the steps begins at a step."""
    return int(step / steps / every) > int((step - 1) / steps / every)


def _report(meter: Meter, step: int, settings: TrainingSettings, rate: float) -> dict[str, float]:
    look = meter.look(step / settings.last_step)
    assert look is not None
    choices, pieces = look.losses
    return {
        "step": step,
        "steps": settings.last_step,
        "loss": choices + settings.masked_weight * pieces,
        "choice_loss": choices,
        "masked_loss": pieces,
        "rate": rate,
        "seconds": look.seconds,
        "seconds_left": look.seconds_left,
        "tokens_per_second": look.per_second,
    }
