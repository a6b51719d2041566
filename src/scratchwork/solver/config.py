"""What a training of the solver is: every setting in one documented place, and two presets.

Promises: a `TrainingSettings`, the tables and the reader determine a run. `default` is the training
of a solver to ship (the shipped weights had `hidden` 0); `tiny` learns a few kinds of problems on a
CPU in about half a minute.
"""

import math
from dataclasses import dataclass

from scratchwork.errors import UserError
from scratchwork.solver.network import SolverConfig
from scratchwork.solver.symbols import LONGEST_ROW
from scratchwork.solver.tables import LONGEST_READING
from scratchwork.training import check_settings


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a run; shares and intervals are of `steps`."""

    width: int = 384
    """The size of every state; a reader has its own, 384."""
    heads: int = 12
    """The heads of attention."""
    encoder_layers: int = 6
    """The layers that read; a reader has its own, 6."""
    decoder_layers: int = 4
    """The layers that write."""
    dropout: float = 0.2
    """The share of units left out."""
    steps: int = 22_000
    """The steps over which the learning rate falls."""
    stop_at: float = 0.4
    """The share of the steps at which the run ends: after that the model only memorises."""
    tokens: int = 65_536
    """Pieces and choices in a batch, padding included."""
    rate: float = 1e-3
    """The highest learning rate of Adam; it rises over the warm-up and falls as a cosine."""
    reader_rate: float = 1.0
    """The learning rate of the encoder, as a share of that."""
    last_rate: float = 0.02
    """The learning rate after all steps, as a share of the highest."""
    warm_up: int = 200
    """Steps until the highest learning rate."""
    clip: float = 1.0
    """The longest gradient; longer ones are shortened."""
    decay: float = 0.05
    """Weight decay of matrices."""
    average: float = 0.999
    """The model that is kept is a moving average of the weights, with this memory."""
    masked: float = 0.2
    """The share of pieces that are read as unknown."""
    masked_weight: float = 0.5
    """What the loss on these weighs beside the loss on choices."""
    rationales: float = 0.1
    """How often a plan with its rationale is drawn, against one alone."""
    generated_first: float = 0.6
    """The share of batches of generated problems at the first step."""
    generated_last: float = 0.4
    """The same after all steps; between, it changes evenly."""
    stories_share: float = 0.25
    """The share of batches of stories, if there are any; the others share the rest."""
    texts: float = 0.1
    """The weight of batches of mere texts, of which only masked pieces are learned, beside 1."""
    hidden: float = 0.5
    """The share of rows whose options are hidden, so that problems without options are learned."""
    renumbered: float = 0.8
    """The share of real plans that get new numbers."""
    renumber_every: float = 0.04
    """The interval at which other new numbers are drawn."""
    measure_every: float = 0.1
    """The interval at which accuracy on the tune problems is measured; also at the end."""
    beam: int = 16
    """Plans found for each tune problem."""
    vote_beam: int = 64
    """Plans found for each when the votes are fitted, at the end."""
    seed: int = 0
    """All randomness is keyed by this."""
    save_every: int = 500
    """Steps between two checkpoints."""

    def __post_init__(self) -> None:
        check_settings(self, _RANGES, {})
        if self.width % (2 * self.heads):
            raise UserError(
                f"{self.heads} heads do not divide a width of {self.width} into even parts; "
                "set another width or other heads"
            )

    @property
    def last_step(self) -> int:
        """How many steps are taken."""
        return max(1, math.ceil(self.steps * self.stop_at))

    def network(self, pieces: int) -> SolverConfig:
        """The network for so many pieces."""
        layers = self.encoder_layers, self.decoder_layers
        return SolverConfig(pieces, self.width, self.heads, *layers, self.dropout)


_RANGES = {
    "width": (2, 8192), "heads": (1, 1024), "encoder_layers": (1, 100), "decoder_layers": (1, 100),
    "dropout": (0, 0.95), "steps": (1, 10**9), "stop_at": (0, 1),
    "tokens": (LONGEST_READING + LONGEST_ROW, 10**9), "rate": (0, 10), "reader_rate": (0, 10),
    "last_rate": (0, 1), "warm_up": (1, 10**9), "clip": (1e-6, 1e9), "decay": (0, 10),
    "average": (0, 1), "masked": (0, 0.95), "masked_weight": (0, 100), "rationales": (0, 1),
    "generated_first": (0, 1), "generated_last": (0, 1), "stories_share": (0, 1), "texts": (0, 100),
    "hidden": (0, 1), "renumbered": (0, 1),
    "renumber_every": (1e-6, 1), "measure_every": (1e-6, 1), "beam": (1, 4096),
    "vote_beam": (1, 4096), "seed": (0, 2**53), "save_every": (1, 10**9),
}  # fmt: skip

SOLVER_PRESETS = {
    "default": TrainingSettings(),
    "tiny": TrainingSettings(
        width=64, heads=4, encoder_layers=1, decoder_layers=1, dropout=0.0, steps=400, stop_at=1.0,
        tokens=2048, rate=4e-3, warm_up=20, average=0.98, masked=0.15, renumber_every=0.25,
        measure_every=0.25, beam=8, vote_beam=16, save_every=100,
    ),
}  # fmt: skip
