"""Timing shared by the benchmarks."""

import time
from collections.abc import Callable


def best_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs: what the code takes when nothing else disturbs it."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
