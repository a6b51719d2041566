"""Generating on several processes, in order.

Promises: the lines are the same bytes whatever the number of workers, since problem i depends on
the seed and i alone; memory does not grow with the number of problems.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

from scratchwork.families.family import Family
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.ordered import in_order
from scratchwork.problems.rows import problem_line

_AT_ONCE = 500
_AHEAD = 4  # chunks under way for each worker

_families: list[Family] = []
"""What a worker process generates from: families are read there, as they cannot be sent."""


def lines_in_order(
    source: Path, names: Sequence[str], count: int, seed: int, style: str | None, workers: int
) -> Iterator[bytes]:
    """Problems of the named families of a file or folder, as lines of JSON."""
    if workers == 1:
        _begin(source, names)
        for first in range(0, count, _AT_ONCE):
            yield _chunk(first, min(_AT_ONCE, count - first), seed, style)
        return
    with ProcessPoolExecutor(workers, initializer=_begin, initargs=(source, names)) as pool:

        def submit(first: int) -> Future[bytes]:
            return pool.submit(_chunk, first, min(_AT_ONCE, count - first), seed, style)

        firsts = range(0, count, _AT_ONCE)
        yield from in_order(firsts, submit, Future[bytes].result, _AHEAD * workers)


def _begin(source: Path, names: Sequence[str]) -> None:
    by_name = {family.name: family for family in load_families(source)}
    _families[:] = [by_name[name] for name in names]


def _chunk(first: int, count: int, seed: int, style: str | None) -> bytes:
    made = generate(_families, count, seed, style, first)
    return b"".join(problem_line(generated.problem) for generated in made)
