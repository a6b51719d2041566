"""Generating problems, beside writing the same lines of JSON again."""

import json
import tracemalloc
from collections.abc import Iterator

from benchmarks.timing import best_seconds
from scratchwork.families.generator import generated_lines
from scratchwork.families.loading import load_families
from scratchwork.parallel import Workers


def measure() -> Iterator[str]:
    """Problems a second on one core, and memory for more and more of them."""
    names = [family.name for family in load_families()]

    def lines(count: int) -> bytes:
        return b"".join(generated_lines(None, names, count, 1, None, Workers(1)))

    count = 6000
    ours = best_seconds(lambda: lines(count), 3)
    rows = [json.loads(line) for line in lines(count).splitlines()]
    plain = best_seconds(lambda: [json.dumps(row) for row in rows], 3)
    yield (
        f"{count / ours:,.0f} problems a second on one core from {len(names)} families; "
        f"{ours / plain:.0f} times the time of json.dumps alone"
    )
    for count in (2000, 20_000):
        tracemalloc.start()
        for _ in generated_lines(None, names, count, 2, None, Workers(1)):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        yield f"memory for {count:,} problems: {most / 1024:,.0f} KiB at most"
