"""Searching near copies, beside comparing the same pairs one after the other."""

import random
from collections.abc import Iterator

from rapidfuzz import fuzz

from benchmarks.timing import best_seconds
from scratchwork.problems.duplicates import HeldOut, compared_text

WORDS = "a train of length metres crosses the pole in seconds how long does it take to pass".split()


def measure() -> Iterator[str]:
    """Pairs a second for 250 held-out questions against 10,000 others."""
    order = random.Random(1)
    questions = [" ".join(order.choices(WORDS, k=35)) for _ in range(10_250)]
    heldout, others = questions[:250], questions[250:]
    block = HeldOut(heldout)
    ours = best_seconds(lambda: block.pairs(others), 1) / (len(heldout) * len(others))
    few = [compared_text(question) for question in questions[:300]]
    one = best_seconds(lambda: [fuzz.ratio(a, b) for a in few for b in few], 1) / len(few) ** 2
    yield (
        f"{1 / ours:,.0f} pairs a second, with and without digits; "
        f"one after the other {1 / one / 2:,.0f}; ratio {one * 2 / ours:.1f}"
    )
