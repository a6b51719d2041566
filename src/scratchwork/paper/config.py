"""The settings of a training run, and three presets.

Promises: a `TrainingConfig` and the data determine a run. `tiny` learns generated problems on a CPU
in a minute or two, `small` is for experiments, `paper` has the size that the paper reports.
"""

from dataclasses import asdict, dataclass
from typing import Any, get_args

from scratchwork.errors import UserError
from scratchwork.paper.program_model import ModelConfig, ModelKind
from scratchwork.paper.vocabulary import VocabularyKind
from scratchwork.training import check_settings, preset_of

_RANGES = {
    "hidden": (1, 4096), "embedding": (1, 4096), "dropout": (0, 0.95), "epochs": (1, 100_000),
    "rows": (1, 65_536), "rate": (0, 10), "warm_up": (1, 10**9), "clip": (1e-6, 1e9),
    "decay": (0, 10), "samples": (1, 64), "preferred_epochs": (0, 100_000), "paths": (1, 32),
    "draw_every": (1, 100_000), "average": (0, 1), "stage": (1, 10**6), "seed": (0, 2**53),
    "save_every": (1, 10**9),
}  # fmt: skip
_CHOICES = {"model": get_args(ModelKind), "vocabulary": get_args(VocabularyKind)}


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of a run."""

    model: ModelKind = "program"
    """program, or one of the baselines: seq2seq, copy-input, copy-output."""
    vocabulary: VocabularyKind = "constants"
    """constants: of numerals only the documented constants are words; plain: frequent ones too."""
    hidden: int = 200
    """The size of every state."""
    embedding: int = 200
    """The size of a word's vector."""
    dropout: float = 0.3
    """The share of units set to 0, the same ones along each sequence."""
    epochs: int = 30
    """Passes over all problems."""
    rows: int = 128
    """Programs in a batch, over all processes."""
    rate: float = 2e-3
    """The highest learning rate of Adam; it rises over the warm-up and falls as a cosine to 0."""
    warm_up: int = 200
    """Steps until the highest learning rate."""
    clip: float = 1.0
    """The largest norm of the gradient; larger ones are scaled down."""
    decay: float = 1e-5
    """Weight decay."""
    samples: int = 1
    """Programs drawn per problem; the loss is that of their summed probability, without repeats."""
    preferred_epochs: int = 2
    """The number of first epochs whose programs take the paths that induction prefers."""
    paths: int = 16
    """Paths to a token considered in drawing, those that induction prefers first."""
    draw_every: int = 7
    """Epochs between two draws of programs from the model."""
    average: float = 0.999
    """The decay of the moving average of the weights, which is the model that is saved."""
    stage: int = 64
    """Argument slots per slice of staged back-propagation: fewer need less memory."""
    seed: int = 0
    """The key of all randomness."""
    save_every: int = 500
    """Steps between two saves of the training state."""

    def __post_init__(self) -> None:
        check_settings(self, _RANGES, _CHOICES)
        if self.rows % self.samples:
            raise UserError(
                f"a batch of {self.rows} rows cannot hold {self.samples} samples of each problem; "
                "let rows be a multiple of samples"
            )

    def network(self, words: int) -> ModelConfig:
        """The network for a vocabulary of this size."""
        return ModelConfig(self.model, words, self.hidden, self.embedding)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


PRESETS = {
    "tiny": TrainingConfig(
        hidden=64, embedding=48, dropout=0.0, epochs=6, rows=8, rate=1e-2, warm_up=50,
        preferred_epochs=3, average=0.98,
    ),
    "small": TrainingConfig(hidden=128, embedding=128, dropout=0.2, epochs=15, rows=64),
    "paper": TrainingConfig(),
}  # fmt: skip


def preset(name: str) -> TrainingConfig:
    """The settings of that name."""
    return preset_of(PRESETS, name)
