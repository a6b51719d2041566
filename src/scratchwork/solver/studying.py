"""The solver's training loop.

Promises: lessons lie on the device from the start, as tables; a batch is a few gathers, and comes
in few shapes. Every step is drawn from a pool of lessons by a generator keyed by the seed. The
weights that are kept are a moving average. `Study.run` can be given more lessons between two runs.

The loss adds up: the choices of the plans; and, for words of the problem that were read as unknown,
the words.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.optim.swa_utils import get_ema_multi_avg_fn

from scratchwork.solver.dataset import Shelf
from scratchwork.solver.network import ProblemBatch, Transformer
from scratchwork.solver.reading import SPECIAL_PIECES, UNKNOWN_PIECE
from scratchwork.solver.symbols import LONGEST_PLAN
from scratchwork.solver.teacher_forcing import follow, logs_of


@dataclass(frozen=True)
class StudySettings:
    """How the solver is trained."""

    tokens: int = 65_536
    """Pieces and choices in a batch, padding included."""
    rate: float = 1e-3
    """The highest learning rate; it rises over the warm-up and falls as a cosine."""
    reading_rate: float = 1.0
    """The learning rate of what was taken over from a published encoder, as a share of that."""
    warm_up: int = 200
    last_rate: float = 0.02
    """The learning rate at the end, as a share of the highest."""
    decay: float = 0.05
    clip: float = 1.0
    forgetting: float = 0.2
    """The share of words that are read as unknown."""
    telling: float = 0.1
    """How often a plan with its rationale is drawn, against one alone."""
    recall_weight: float = 0.5
    average: float = 0.999
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Losses:
    """What a step's loss is made of, averaged since they were last told."""

    choices: float
    words: float


class Study:
    """A network with its optimiser and its averaged weights."""

    def __init__(self, model: Transformer, settings: StudySettings) -> None:
        self.model, self.settings = model, settings
        self.device = next(model.parameters()).device
        taken_over = {id(parameter) for parameter in model.encoder_parameters()}
        groups = [
            {
                "params": [
                    p
                    for p in model.parameters()
                    if (p.dim() > 1) == is_decayed and (id(p) in taken_over) == is_reading
                ],
                "weight_decay": settings.decay if is_decayed else 0.0,
                "share": settings.reading_rate if is_reading else 1.0,
            }
            for is_decayed in (True, False)
            for is_reading in (True, False)
        ]
        fused = self.device.type == "cuda"
        self.optimiser = torch.optim.AdamW(groups, settings.rate, (0.9, 0.98), fused=fused)
        self.average_from_here()
        self.generator = torch.Generator(self.device).manual_seed(settings.seed)
        self.host = torch.Generator().manual_seed(settings.seed)

    def run(
        self,
        pools: Callable[[float], Mapping[str, tuple[Shelf, float]]],
        progress: Callable[[int], float],
        tell: Callable[[int, Losses], None] = lambda *_: None,
        every: int = 200,
    ) -> None:
        """Steps until `progress`, which gives the share that is done after so many of them,
        reaches 1; `pools` gives, for that share, the shelves to learn from with their weights."""
        sums = torch.zeros(2, device=self.device)
        self.model.train()
        k = 0
        while (done := progress(k)) < 1:
            self._set_rate(k, done)
            shelves = list(pools(done).values())
            shelf = shelves[self._pick([weight for _, weight in shelves])][0]
            sums += self._learn(shelf)
            k += 1
            if k % every == 0:
                tell(k, Losses(*(sums / every).tolist()))
                sums.zero_()

    def _pick(self, weights: Sequence[float]) -> int:
        return int(torch.multinomial(torch.tensor(weights), 1, generator=self.host))

    def _set_rate(self, k: int, done: float) -> None:
        s = self.settings
        falling = s.last_rate + (1 - s.last_rate) * 0.5 * (1 + math.cos(math.pi * done))
        rate = s.rate * min(1.0, (k + 1) / s.warm_up) * falling
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group["share"]

    def _learn(self, shelf: Shelf) -> Tensor:
        """One step on a batch of a shelf."""
        keys = list(shelf.buckets)
        sizes = [self.weight_of(key, len(shelf.buckets[key])) for key in keys]
        reading, plan = keys[self._pick(sizes)]
        bucket = shelf.buckets[reading, plan]
        count = self.settings.tokens // (reading + plan)
        at = torch.randint(len(bucket), (count,), generator=self.generator, device=self.device)
        with torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
            losses = self.losses(shelf, bucket[at], reading, plan)
        s = self.settings
        total = losses[0] + s.recall_weight * losses[1]
        self.optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), s.clip)
        self.optimiser.step()
        self.step += 1
        keep = min(s.average, (self.step + 1) / (self.step + 10))
        parameters = [p.detach() for p in self.model.parameters()]
        get_ema_multi_avg_fn(keep)(self.averaged, parameters, self.step)
        return losses.detach()

    def weight_of(self, shape: tuple[int, int], rows: int) -> float:
        """What a bucket weighs: its rows' pieces and choices, less where the network speaks."""
        return rows * sum(shape) * (self.settings.telling if shape[1] > LONGEST_PLAN else 1.0)

    def losses(self, shelf: Shelf, rows: Tensor, reading: int, plan: int) -> Tensor:
        """Both losses on some plans of a shelf."""
        read, places, words = self.forgetful(shelf.read_plans(rows, reading))
        encoded = self.model.encode(read)
        recalled = self.model.masked_piece_logits(encoded.states.flatten(0, 1)[places])
        followed = follow(self.model, shelf, rows, encoded, plan)
        chosen = _mean_cross_entropy(followed.likings, followed.targets)
        return torch.stack([chosen, _mean_cross_entropy(recalled, words)])

    def forgetful(self, read: ProblemBatch) -> tuple[ProblemBatch, Tensor, Tensor]:
        """Some words are read as unknown: the problems so read, the places drawn among all of their
        pieces, and the words that stood there; -1 where it was none."""
        share = self.settings.forgetting if self.model.training else 0.0
        pieces = read.pieces.flatten()
        count = int(share * len(pieces))
        places = torch.randint(len(pieces), (count,), generator=self.generator, device=self.device)
        drawn = pieces[places]
        is_word = drawn >= len(SPECIAL_PIECES)
        pieces[places] = torch.where(is_word, UNKNOWN_PIECE, drawn)
        forgetful = read._replace(pieces=pieces.view_as(read.pieces))
        return forgetful, places, torch.where(is_word, drawn, -1)

    def average_from_here(self) -> None:
        """Forget the weights so far: the average begins with the present ones."""
        self.averaged = [p.detach().clone() for p in self.model.parameters()]
        self.step = 0

    def averaged_weights(self) -> dict[str, Tensor]:
        """The averaged weights by name."""
        names = (name for name, _ in self.model.named_parameters())
        return dict(zip(names, self.averaged, strict=True))


def _mean_cross_entropy(likings: Tensor, targets: Tensor) -> Tensor:
    """Averaged over the targets that are not negative."""
    return -logs_of(likings, targets).sum() / (targets >= 0).sum().clamp(min=1)
