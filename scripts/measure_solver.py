"""How sturdy the solver is, how sure of itself, and what a wider beam brings.

    python scripts/measure_solver.py dev.json --curve tune.jsonl

Prints, and writes to results/solver.json: how often permuting the options of a problem permutes the
answer, and how often other names leave it as it is; of the answers given with a confidence, how
many are right; the perplexity of the rationales that the solver could write, beside that of the
paper's model on the same ones; and for the file named by `--curve`, accuracy and seconds with
narrow and wide beams.
"""

import argparse
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from scratchwork import Problem, Solver, load, read_problems
from scratchwork.families.words import shared_words
from scratchwork.files import sha256_of
from scratchwork.scoring.intervals import wilson
from scratchwork.scoring.perplexity import measure_perplexity
from scratchwork.scoring.report import current_commit
from scratchwork.scoring.rows import has_rationale
from scratchwork.solver.search import PlanSearch
from scratchwork.solving import ExactFirst

RESULT = Path(__file__).parent.parent / "results" / "solver.json"
BEAMS = (1, 4, 16, 64, 256)
BINS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 1.01)
NAMES = frozenset(
    """
    Alan Alex Alice Amy Andrea Andrew Angela Ann Anna Anne Arun Ashok Barbara Ben Beth Betty Bill
    Bob Brian Carl Carol Charles Charlie Chris Claire Cindy Dan Daniel Dave David Debbie Deepak
    Diana Dinesh Donald Donna Edward Ellen Emily Emma Eric Frank Fred Gary Geeta George Gopal Grace
    Greg Hari Harry Helen Henry Jack James Jane Janet Jason Jeff Jennifer Jenny Jerry Jessica Jill
    Jim Joan Joe John Jose Joseph Joy Joyce Juan Julia Julie Karen Kate Kathy Keith Kelly Ken Kevin
    Kiran Krishna Kumar Larry Laura Lawrence Linda Lisa Liz Lucy Manish Maria Mark Martha Martin
    Mary Matt Max Meena Meera Mehul Michael Mike Mohan Mona Monica Nancy Neha Nick Nikhil Nina Pam
    Pat Patrick Paul Peter Phil Philip Pooja Priya Rachel Raj Raja Rajan Rajesh Raju Rakesh Ram
    Rama Raman Ramesh Rani Ravi Rebecca Rekha Richard Rick Rita Robert Robin Roger Rohan Rohit Ron
    Ronald Rose Roy Ruth Ryan Sachin Sally Sam Sameer Samir Sandra Sandy Sara Sarah Scott Sean
    Shawn Shyam Sita Sonia Stan Stella Stephen Steve Steven Sue Sumit Sunil Suresh Susan Tara Ted
    Teresa Terry Tim Tina Todd Tom Tony Vijay Vikas Vinay Walter Wendy William
    """.split()
)
"""Names to look for in questions; others stay as they are."""

Change = Callable[[Problem, random.Random], tuple[Problem, Callable[[str | None], str | None]]]
"""A changed problem, and where an answer to it would stand in the problem as it was."""


def permuted(
    problem: Problem, draw: random.Random
) -> tuple[Problem, Callable[[str | None], str | None]]:
    """The options in another order."""
    order = draw.sample(range(len(problem.options)), len(problem.options))
    changed = replace(problem, options=tuple(problem.options[k] for k in order), correct=None)
    letters = problem.letters
    return changed, lambda answer: None if answer is None else letters[order[letters.index(answer)]]


def renamed(
    problem: Problem, draw: random.Random
) -> tuple[Problem, Callable[[str | None], str | None]]:
    """Other names, each in place of one."""
    found = sorted(names_in(problem.question))
    free = sorted({word["one"] for word in shared_words()["name"]} - set(found))
    others = dict(zip(found, draw.sample(free, len(found)), strict=True))

    def swapped(text: str) -> str:
        return re.sub(r"[A-Z][a-z]+", lambda match: others.get(match[0], match[0]), text)

    options = tuple(map(swapped, problem.options))
    changed = replace(problem, question=swapped(problem.question), options=options)
    return changed, lambda answer: answer


def names_in(question: str) -> set[str]:
    """The known names in a question."""
    return set(re.findall(r"[A-Z][a-z]+", question)) & NAMES


def kept(
    solver: Solver,
    problems: Sequence[Problem],
    answers: Sequence[str | None],
    change: Change,
    seed: int,
) -> dict[str, Any]:
    """How often the answer stays what it was."""
    draw = random.Random(seed)
    changed = [change(problem, draw) for problem in problems]
    solutions = solver.solve_all([problem for problem, _ in changed])
    same = sum(
        back(solution.answer) == answer
        for (_, back), solution, answer in zip(changed, solutions, answers, strict=True)
    )
    return {"n": len(problems), "same": same, "share": round(same / len(problems), 4)}


def calibration(confidences: Sequence[float], right: Sequence[bool]) -> list[dict[str, Any]]:
    """Of the answers given with about the same confidence, how many are right."""
    rows: list[dict[str, Any]] = []
    for low, high in pairwise(BINS):
        chosen = [k for k, confidence in enumerate(confidences) if low <= confidence < high]
        if chosen:
            said = sum(confidences[k] for k in chosen) / len(chosen)
            hits = sum(right[k] for k in chosen)
            share = round(hits / len(chosen), 3)
            rows.append({"from": low, "n": len(chosen), "said": round(said, 3), "right": share})
    return rows


def perplexities(search: PlanSearch, problems: Sequence[Problem]) -> dict[str, Any]:
    """Of the rationales that tell a plan, of the solver and of the paper's model."""
    own = search.likelihoods([problem for problem in problems if has_rationale(problem)])
    same = [problem for problem in problems if problem.id in own]
    both = {"default": own, "paper": load("paper").search.likelihoods(same)}
    return {
        name: measure_perplexity(list(found.values())).to_json() if found else None
        for name, found in both.items()
    }


def curve(solver: Solver, problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Accuracy and seconds a problem with narrow and wide beams."""
    rows: list[dict[str, Any]] = []
    for beam in BEAMS:
        began = time.monotonic()
        solutions = solver.solve_all(problems, beam)
        seconds = (time.monotonic() - began) / len(problems)
        pairs = list(zip(solutions, problems, strict=True))
        right = sum(solution.answer == problem.correct for solution, problem in pairs)
        derived = sum(solution.is_derived for solution, _ in pairs)
        interval = [round(bound, 4) for bound in wilson(right, len(problems))]
        rows.append(
            {
                "beam": beam,
                "accuracy": round(right / len(problems), 4),
                "interval": interval,
                "derived": round(derived / len(problems), 4),
                "seconds": round(seconds, 3),
            }
        )
        print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure how sturdy the solver is.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--curve", type=Path, help="measure what a wider beam brings on this file")
    parser.add_argument("--limit", type=int, help="take so many problems of each file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    loaded = load(options.model).search
    search = loaded.search if isinstance(loaded, ExactFirst) else loaded
    if not isinstance(search, PlanSearch):
        parser.error(f"{options.model} is none of the solver's models")
    solver = Solver(search)
    problems = list(read_problems(options.file))[: options.limit]
    solutions = solver.solve_all(problems)
    answers = [solution.answer for solution in solutions]
    right = [answer == p.correct for answer, p in zip(answers, problems, strict=True)]
    named = [k for k, problem in enumerate(problems) if names_in(problem.question)]
    some, theirs = [problems[k] for k in named], [answers[k] for k in named]
    result: dict[str, Any] = {
        "commit": current_commit(),
        "model": options.model,
        "file": options.file.name,
        "sha256": sha256_of(options.file),
        "seed": options.seed,
        "permuted options": kept(solver, problems, answers, permuted, options.seed),
        "other names": kept(solver, some, theirs, renamed, options.seed) if some else None,
        "calibration": calibration([solution.confidence for solution in solutions], right),
        "perplexity": perplexities(search, problems),
    }
    print(json.dumps(result, indent=1), flush=True)
    if options.curve is not None:
        tune = list(read_problems(options.curve))[: options.limit]
        result["curve"] = {
            "file": options.curve.name,
            "sha256": sha256_of(options.curve),
            "n": len(tune),
            "rows": curve(solver, tune),
        }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
