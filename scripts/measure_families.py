"""How near the generated questions come to held-out ones, beside real training files.

    python scripts/measure_families.py dev.json --real train-a.jsonl.gz --real train-b.jsonl.gz

Prints, and writes to results/families.json, the share of held-out questions whose nearest generated
question (of 200,000, digits removed) has a ratio of 50, 60 and 70 or more, the same for the real
files, and how many of 100,000 generated questions are near copies of a held-out one by the rule of
`scratchwork data duplicates`.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from result_files import origin, share, write_result

from scratchwork import read_problems
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.parallel import blocks
from scratchwork.problems.duplicates import BLOCK, HeldOut, nearest_ratios

RATIOS = (50, 60, 70)
COVERING = 200_000
COPYING = 100_000


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("heldout", type=Path)
    parser.add_argument("--real", type=Path, action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    heldout = [problem.question for problem in read_problems(arguments.heldout)]
    families = load_families()

    def generated(count: int) -> Iterable[str]:
        made = generate(families, count, arguments.seed)
        return (one.problem.question for one in made)

    real = (problem.question for path in arguments.real for problem in read_problems(path))
    files = {path.name: path for path in (arguments.heldout, *arguments.real)}
    result = origin(files) | {
        "seed": arguments.seed,
        "heldout": len(heldout),
        "families": len(families),
        "topics": len({family.topic for family in families}),
        "nearest_generated": _shares(heldout, generated(COVERING)),
        "nearest_real": _shares(heldout, real) if arguments.real else None,
        "near_copies": _near_copies(heldout, generated(COPYING)),
    }
    write_result("families.json", result)


def _shares(heldout: list[str], questions: Iterable[str]) -> dict[str, Any]:
    nearest = nearest_ratios(heldout, questions, digit_free=True)
    return {str(r): share(sum(n >= r for n in nearest), len(nearest)) for r in RATIOS}


def _near_copies(heldout: list[str], questions: Iterable[str]) -> dict[str, int]:
    index = HeldOut(heldout)
    hit: set[int] = set()
    copies = 0
    for block in blocks(questions, BLOCK):
        pairs = index.pairs(block)
        hit.update(one for one, _ in pairs)
        copies += len({other for _, other in pairs})
    return {"generated": COPYING, "near_copies": copies, "heldout_hit": len(hit)}


if __name__ == "__main__":
    main()
