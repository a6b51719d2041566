"""How sure a figure is: 95 % intervals.

Promises: `wilson` is the interval of a share that was counted, sound for few problems and for
shares near 0 and 1; `bootstrap` that of any figure of rows drawn from many, the same for the same
seed and the same rows.

Does not cover: what another training run would give; an interval is about the choice of problems.
With less than some thirty rows a bootstrap interval is too narrow.
"""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 2000

Rows = NDArray[np.float64]
"""A row for each problem, with the numbers that a figure is made of."""


class Interval(NamedTuple):
    """From where to where a figure may lie."""

    low: float
    high: float


def wilson(right: int, of: int) -> Interval:
    """The interval of a share, by Wilson's score."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share = right / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def bootstrap(rows: Rows, figure: Callable[[Rows], float], seed: int) -> Interval:
    """The interval of a figure, by drawing as many rows, with repetition, again and again."""
    draw = np.random.default_rng(seed)
    figures = [figure(rows[draw.integers(len(rows), size=len(rows))]) for _ in range(RESAMPLES)]
    low, high = np.quantile(figures, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high))
