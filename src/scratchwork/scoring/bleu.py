"""BLEU-4 of written rationales against the given ones, by sacrebleu.

Promises: corpus BLEU of texts, cased and lower-cased, each with sacrebleu's signature, which says
all that the figure depends on. The texts are rationales alone, without `<EOR>` and the letter
(`Trace.rationale`). Both sides are tokenised and detokenised here: programs write tokens, and how a
given rationale was spaced is nothing a model could know. Line breaks become spaces, since
sacrebleu takes a segment for a line. A model that wrote nothing has written an empty text, and is
held to account for it by the brevity penalty.

Does not cover: how the paper counted, which it does not say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from scratchwork.errors import UserError
from scratchwork.problems.tokens import detokenise, tokenise

MISSING = "BLEU needs sacrebleu: pip install 'scratchwork[train]'"


@dataclass(frozen=True, slots=True)
class BleuScore:
    """BLEU counted in one way."""

    score: float
    """From 0 to 100."""
    brevity_penalty: float
    length_ratio: float
    """How long the written texts are, as a share of the given ones."""
    signature: str


@dataclass(frozen=True, slots=True)
class Bleu:
    """BLEU of the rationales of a file."""

    problems: int
    cased: BleuScore
    lower_cased: BleuScore

    def to_json(self) -> dict[str, Any]:
        """The figures as an object of stable form."""
        return asdict(self)


def bleu_from_json(form: Mapping[str, Any]) -> Bleu:
    """The figures from their JSON form."""
    return Bleu(form["problems"], BleuScore(**form["cased"]), BleuScore(**form["lower_cased"]))


def can_measure_bleu() -> bool:
    """Whether sacrebleu is installed."""
    return find_spec("sacrebleu") is not None


def measure_bleu(written: Sequence[str], given: Sequence[str]) -> Bleu:
    """BLEU of the written rationales against the given ones, in the same order."""
    if not given:
        raise UserError("there is no rationale to compare the written ones with")
    if len(written) != len(given):
        raise ValueError(f"{len(written)} rationales cannot be compared with {len(given)}")
    hypotheses, references = [*map(segment, written)], [*map(segment, given)]
    return Bleu(
        len(given),
        cased=_score(hypotheses, references, lower_case=False),
        lower_cased=_score(hypotheses, references, lower_case=True),
    )


def segment(text: str) -> str:
    """A rationale on one line, spaced as `detokenise` does."""
    return detokenise(tokenise(text)).replace("\n", " ").strip()


def _score(hypotheses: list[str], references: list[str], *, lower_case: bool) -> BleuScore:
    try:
        sacrebleu: Any = import_module("sacrebleu")
    except ImportError as error:
        raise UserError(MISSING) from error
    # A rationale may end in a lone full stop; `force` keeps sacrebleu from wondering at it.
    metric = sacrebleu.BLEU(lowercase=lower_case, force=True)
    found = metric.corpus_score(hypotheses, [references])
    return BleuScore(found.score, found.bp, found.ratio, str(metric.get_signature()))
