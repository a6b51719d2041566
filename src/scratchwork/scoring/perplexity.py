"""Perplexity of the given rationales, as a model that is forced to write them sees it.

Promises: `measure_perplexity` gives the paper's "average sentence level perplexity" in both its
readings, the mean of the sentences' perplexities and the exponential of their mean cross-entropy,
and the perplexity over all tokens, which long rationales weigh on as they should. The tokens
counted are those of the rationale, `<EOR>`, the letter and `<EOS>`: `output_tokens` of the problem.
Intervals are the same for the same seed.

Does not cover: finding the programs. The probability of a rationale is the sum over all programs
that write it; that of the most probable program found is less, so these figures are upper bounds
of the perplexity.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scratchwork.errors import UserError
from scratchwork.scoring.intervals import Interval, Rows, bootstrap
from scratchwork.solution import Likelihood


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The perplexity of the rationales of a file, averaged in three ways."""

    problems: int
    tokens: int
    unknown: int
    """How many tokens only the unknown token could write."""
    sentence_average: float
    """The mean over the problems of their own perplexities."""
    sentence_average_interval: Interval
    all_tokens: float
    """The exponential of the cross-entropy of all tokens together."""
    all_tokens_interval: Interval
    sentence_geometric: float
    """The exponential of the mean of the problems' cross-entropies."""

    @property
    def unknown_share(self) -> float:
        """The share of tokens that only the unknown token could write."""
        return self.unknown / self.tokens

    def to_json(self) -> dict[str, Any]:
        """The figures as an object of stable form."""
        return {
            "problems": self.problems,
            "tokens": self.tokens,
            "unknown": self.unknown,
            "unknown_share": round(self.unknown_share, 4),
            "sentence_average": self.sentence_average,
            "sentence_average_interval": list(self.sentence_average_interval),
            "all_tokens": self.all_tokens,
            "all_tokens_interval": list(self.all_tokens_interval),
            "sentence_geometric": self.sentence_geometric,
        }


def perplexity_from_json(form: Mapping[str, Any]) -> Perplexity:
    """The figures from their JSON form."""
    return Perplexity(
        problems=form["problems"],
        tokens=form["tokens"],
        unknown=form["unknown"],
        sentence_average=form["sentence_average"],
        sentence_average_interval=Interval(*form["sentence_average_interval"]),
        all_tokens=form["all_tokens"],
        all_tokens_interval=Interval(*form["all_tokens_interval"]),
        sentence_geometric=form["sentence_geometric"],
    )


def measure_perplexity(likelihoods: Sequence[Likelihood], seed: int = 0) -> Perplexity:
    """The perplexity of all the rationales; the seed is the bootstrap's."""
    if not likelihoods:
        raise UserError("there is no rationale whose perplexity could be measured")
    rows = np.array([(one.log_probability, one.tokens) for one in likelihoods], dtype=np.float64)
    return Perplexity(
        problems=len(likelihoods),
        tokens=sum(one.tokens for one in likelihoods),
        unknown=sum(one.unknown for one in likelihoods),
        sentence_average=_sentence_average(rows),
        sentence_average_interval=bootstrap(rows, _sentence_average, seed),
        all_tokens=_over_all_tokens(rows),
        all_tokens_interval=bootstrap(rows, _over_all_tokens, seed),
        sentence_geometric=math.exp(-float(np.mean(rows[:, 0] / rows[:, 1]))),
    )


def _sentence_average(rows: Rows) -> float:
    return float(np.mean(np.exp(-rows[:, 0] / rows[:, 1])))


def _over_all_tokens(rows: Rows) -> float:
    return math.exp(-float(rows[:, 0].sum() / rows[:, 1].sum()))
