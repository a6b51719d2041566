"""How often induction finds the equation of a generated problem again.

    python scripts/measure_equations.py

For every family with the style `equation`, generates problems in it and chooses a program for each
from its text alone. Prints, and writes to results/equations.json, how many gold programs execute to
their rationale, and the share of problems for which the chosen program solves the same equations
with the same roots.
"""

import argparse
from functools import partial
from typing import NamedTuple

from result_files import origin, share, write_result

from scratchwork import EXTENDED, choose, execute, induce, load_families, output_tokens
from scratchwork.families.family import EQUATION
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import TOPICS_FOLDER
from scratchwork.families.solved_equations import are_found_again, equations_solved
from scratchwork.parallel import Workers

PROBLEMS = 3
"""Problems of each family."""
AT_ONCE = 20


class Found(NamedTuple):
    """What became of one problem."""

    family: str
    executes: bool
    same: bool


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    names = [family.name for family in load_families() if EQUATION in family.styles]
    tasks = [(name, index) for name in names for index in range(PROBLEMS)]
    workers = Workers(arguments.workers)
    found = list(workers.map(partial(_found, arguments.seed), tasks, AT_ONCE))
    missed = sorted({one.family for one in found if not one.same})
    files = {path.name: path for path in sorted(TOPICS_FOLDER.glob("*.toml"))}
    write_result(
        "equations.json",
        origin(files)
        | {
            "seed": arguments.seed,
            "families": len(names),
            "topics": len({f.topic for f in load_families() if EQUATION in f.styles}),
            "problems": len(found),
            "executed": share(sum(one.executes for one in found), len(found)),
            "found_again": share(sum(one.same for one in found), len(found)),
            "missed": missed,
        },
    )


def _found(seed: int, task: tuple[str, int]) -> Found:
    name, index = task
    (family,) = (family for family in load_families() if family.name == name)
    generated = generate_one([family], seed, index, EQUATION)
    problem = generated.problem
    gold = execute(generated.program, problem, EXTENDED)
    chosen = execute(choose(induce(problem, EXTENDED)), problem, EXTENDED)
    executes = list(gold.output) == output_tokens(problem) and gold.answer == problem.correct
    return Found(name, executes, are_found_again(equations_solved(gold), equations_solved(chosen)))


if __name__ == "__main__":
    main()
