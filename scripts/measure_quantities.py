"""How often units are known, and how often they clash in right plans and in changed ones.

    python scripts/measure_quantities.py data --sample 500 --seed 1

Takes a seeded sample of AQuA's and MathQA's training problems whose formula gives the labelled
option. Prints, and writes to results/quantities.json: for what share of the questions' numbers and
of the answers a unit is known, for what share of the right plans a clash is claimed, and for what
share of the same plans with one argument or one operation exchanged. The last are counted again by
whether they reach an option other than the label. `--show` prints every clash claimed in a right
plan instead, to be read. The times are those of one process.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from time import perf_counter
from typing import NamedTuple

from result_files import origin, share, write_result

from scratchwork import Problem, read_problems, tokenise
from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.number_words import numbers_in
from scratchwork.plans.compiling import StatedAnswer, compile_plan, results_of
from scratchwork.plans.formulas import FORMULA_FIELD, FormulaError, translate
from scratchwork.plans.plan import Given, Plan, Result
from scratchwork.quantities.combining import (
    answer_clash,
    quantities_in,
    quantity_of_answer,
    read_quantities,
)

FILES = ("aqua/train-formula.jsonl.gz", "aqua/train-rationale.jsonl.gz")
CHANGED = 8
"""Changed plans for each right one."""
EXCHANGED = ("Add", "Subtract", "Multiply", "Divide")


class Right(NamedTuple):
    """A problem with a plan that gives its label."""

    problem: Problem
    plan: Plan


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    files = {name: given.folder / name for name in FILES}
    sample = list(_right_plans(list(files.values()), given.sample, given.seed))
    if given.show:
        for right in sample:
            _show(right)
        return
    counts: Counter[str] = Counter()
    seconds = {"read": 0.0, "steps": 0.0}
    for right in sample:
        _count(right, Random(f"{given.seed}-{right.problem.question}"), counts, seconds)
    changed, wrong = counts["changed"], counts["wrong"]
    write_result(
        "quantities.json",
        origin(files)
        | {
            "seed": given.seed,
            "numbers_with_unit": share(counts["numbers_known"], counts["numbers"]),
            "answers_with_unit": share(counts["answers_known"], len(sample)),
            "asked_known": share(counts["asked_known"], len(sample)),
            "clash_in_right_plans": share(counts["clash"], len(sample)),
            "of_them_only_with_what_is_asked": counts["clash_asked"],
            "clash_in_changed_plans": share(counts["changed_clash"], changed),
            "clash_in_changed_plans_with_another_option": share(counts["wrong_clash"], wrong),
            "milliseconds_to_read_a_problem": round(1e3 * seconds["read"] / len(sample), 3),
            "milliseconds_a_step": round(1e3 * seconds["steps"] / max(counts["steps"], 1), 4),
        },
    )


def _right_plans(files: list[Path], sample: int, seed: int) -> Iterator[Right]:
    """Problems drawn by seed until there are enough whose formula gives the label."""
    problems = [
        problem
        for path in files
        for problem in read_problems(path)
        if problem.extra.get(FORMULA_FIELD)
    ]
    Random(seed).shuffle(problems)
    found = 0
    for problem in problems:
        if found == sample:
            return
        try:
            translated = translate(problem)
        except FormulaError:
            continue
        if translated.plan.steps and translated.yields_label(problem):
            found += 1
            yield Right(problem, translated.plan)


def _count(right: Right, draw: Random, counts: Counter[str], seconds: dict[str, float]) -> None:
    """Count what is known of a problem and its plans."""
    problem, plan = right
    start = perf_counter()
    known = read_quantities(problem)
    seconds["read"] += perf_counter() - start
    places = [k + 1 for k in numbers_in(tokenise(problem.question))]
    counts["numbers"] += len(places)
    counts["numbers_known"] += sum(
        place in known.given and bool(known.given[place].units) for place in places
    )
    counts["asked_known"] += known.asked is not None and known.asked.dimension is not None
    start = perf_counter()
    steps = quantities_in(plan, known)
    seconds["steps"] += perf_counter() - start
    counts["steps"] += len(steps)
    answer = quantity_of_answer(plan, known, steps)
    counts["answers_known"] += bool(answer.units) and not answer.is_mere
    is_clash = any(step.clash for step in steps)
    is_asked_clash = answer_clash(answer, known) is not None
    counts["clash"] += is_clash or is_asked_clash
    counts["clash_asked"] += is_asked_clash and not is_clash
    for changed in _changed_plans(right, places, draw):
        steps = quantities_in(changed, known)
        answer = quantity_of_answer(changed, known, steps)
        clash = any(step.clash for step in steps) or bool(answer_clash(answer, known))
        is_wrong = _letter(changed, problem) not in (None, problem.correct)
        counts["changed"] += 1
        counts["changed_clash"] += clash
        counts["wrong"] += is_wrong
        counts["wrong_clash"] += is_wrong and clash


def _changed_plans(right: Right, places: list[int], draw: Random) -> Iterator[Plan]:
    """The plan with one argument or operation exchanged, where that changes its result."""
    problem, plan = right
    result = _value(plan, problem)
    seen = {plan}
    for _ in range(3 * CHANGED):
        k = draw.randrange(len(plan.steps))
        step = plan.steps[k]
        if step.operation in EXCHANGED and draw.random() < 0.5:
            other = replace(step, operation=draw.choice(EXCHANGED))
        else:
            at = draw.randrange(len(step.arguments))
            choices = [*map(Given, places), *map(Result, range(k))]
            arguments = list(step.arguments)
            arguments[at] = draw.choice(choices) if choices else arguments[at]
            other = replace(step, arguments=tuple(arguments))
        changed = Plan((*plan.steps[:k], other, *plan.steps[k + 1 :]), plan.answer)
        if changed in seen:
            continue
        seen.add(changed)
        value = _value(changed, problem)
        if value is not None and value != result:
            yield changed
        if len(seen) > CHANGED:
            return


def _value(plan: Plan, problem: Problem) -> float | None:
    try:
        results = results_of(plan.steps, problem)
    except ExecutionError:
        return None
    value = results[plan.answer.step] if isinstance(plan.answer, Result) else None
    return value if isinstance(value, float) else None


def _letter(plan: Plan, problem: Problem) -> str | None:
    try:
        return compile_plan(plan, [StatedAnswer()], problem).answer
    except ExecutionError:
        return None


def _show(right: Right) -> None:
    """Print what is claimed of a right plan, if anything is."""
    problem, plan = right
    known = read_quantities(problem)
    steps = quantities_in(plan, known)
    clashes = [step.clash for step in steps if step.clash]
    final = answer_clash(quantity_of_answer(plan, known, steps), known)
    if not clashes and final is None:
        return
    tokens = tokenise(problem.question)
    print(problem.question, problem.options, sep="\n")
    print(problem.extra[FORMULA_FIELD])
    print({f"{k} {tokens[k - 1]}": [u.factors for u in q.units] for k, q in known.given.items()})
    print(known.asked)
    print(">>>", *clashes, final, sep=" | ", end="\n\n")


if __name__ == "__main__":
    main()
