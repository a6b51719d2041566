"""Reading problems and making tokens, beside parsing the JSON and splitting at spaces."""

import json
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks.timing import best_seconds
from scratchwork import detokenise, read_problems, source_tokens, tokenise
from scratchwork.examples import example_path

LENGTHS = (100, 1_000, 10_000)


def _growth(what: str, work: Callable[[list[str]], object]) -> str:
    """What 100, 1,000 and 10,000 tokens take that are written without spaces between them."""
    texts = [["(", "5"] * (length // 2) for length in LENGTHS]
    chunks = [["(", ")"] * (length // 2) for length in LENGTHS]
    seconds = [
        best_seconds(lambda both=both: [work(tokens) for tokens in both], 9)
        for both in zip(texts, chunks, strict=True)
    ]
    ratios = ", ".join(f"{b / a:.1f}" for a, b in pairwise(seconds))
    return f"{what} {', '.join(f'{n:,}' for n in LENGTHS)} tokens: each {ratios} times the last"


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
        yield _growth("tokenise", lambda tokens: tokenise(" ".join(tokens)))
        yield _growth("detokenise", detokenise)
        for rows in (1000, 1_000_000):
            path.write_text(line * rows)
            tracemalloc.start()
            for _ in read_problems(path):
                pass
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            yield f"memory for {rows:,} problems: {most / 1024:,.0f} KiB at most"
