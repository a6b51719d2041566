"""Reading problems and making tokens, beside parsing the JSON and splitting at spaces."""

import json
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import best_seconds
from scratchwork import read_problems, source_tokens, tokenise
from scratchwork.examples import example_path


def measure() -> Iterator[str]:
    """Rates for a file of 20,000 problems, and memory for one of a million."""
    line = example_path("kings.json").read_text("utf-8").strip()
    line = json.dumps({k: v for k, v in json.loads(line).items() if k != "id"}) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.jsonl"
        rows = 20_000
        path.write_text(line * rows)
        ours = best_seconds(lambda: sum(1 for _ in read_problems(path)), 3)
        plain = best_seconds(lambda: [json.loads(row) for row in path.open()], 3)
        yield (
            f"reading: {rows / ours:,.0f} problems a second; "
            f"{ours / plain:.1f} times the time of json.loads alone"
        )
        problem = next(read_problems(path))
        text = f"{problem.question} {problem.rationale}"
        ours = best_seconds(lambda: [tokenise(text) for _ in range(2000)], 3)
        plain = best_seconds(lambda: [text.split() for _ in range(2000)], 3)
        count = 2000 * len(tokenise(text))
        yield f"tokens: {count / ours:,.0f} a second; {ours / plain:.0f} times str.split"
        yield f"source tokens of a problem: {len(source_tokens(problem))}"
        for rows in (1000, 1_000_000):
            path.write_text(line * rows)
            tracemalloc.start()
            for _ in read_problems(path):
                pass
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            yield f"memory for {rows:,} problems: {most / 1024:,.0f} KiB at most"
