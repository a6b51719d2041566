"""What was written for the training problems, with a language model's help: formulas where no plan
was known, and other tellings.

Both files are in `annotations/` of a clone, not in the wheel.

Promises: `formulas.tsv` has an expression (see induction.expressions) for questions, each known by
its words without the numbers, so that it holds for the same question with other numbers; a plan
made from it counts only if it reaches the problem's label. `retellings.tsv` has questions told in
other words, with the same numbers in the same order, each under the original's words and numbers.

Does not cover: whether a formula is the only sensible one.
"""

import hashlib
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from scratchwork.errors import UserError
from scratchwork.explaining.terse import explain_plan
from scratchwork.machine.execution import ExecutionError
from scratchwork.plans.expressions import PlanExpressionError, parse_plan
from scratchwork.plans.plan import Plan
from scratchwork.problems.problem import Problem

_FOLDER = Path(__file__).parents[3] / "annotations"
FORMULAS, RETELLINGS = _FOLDER / "formulas.tsv", _FOLDER / "retellings.tsv"
_DIGITS = 12


def key_of_words(question: str) -> str:
    """What a question is known by whatever its numbers are."""
    return _digest(re.sub("[^a-z]+", " ", question.lower()))


def key_of_question(question: str) -> str:
    """What a question is known by, letters and digits alone."""
    return _digest(re.sub("[^a-z0-9]+", "", question.lower()))


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()[:_DIGITS]


@cache
def listed(file: Path) -> dict[str, list[str]]:
    """What a file has under each key."""
    if not file.is_file():
        raise UserError(
            f"{file}: no such file; formulas and retellings are part of a clone of this project, "
            "not of the installed package, so train the solver in a clone"
        )
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for line in file.read_text("utf-8").splitlines():
        key, _, text = line.partition("\t")
        texts[key].append(text)
    return dict(texts)


def annotated_plans(problem: Problem) -> list[Plan]:
    """The plans of the formulas for a problem that reach its label."""
    found: list[Plan] = []
    for expression in listed(FORMULAS).get(key_of_words(problem.question), ()):
        try:
            plan = parse_plan(expression, problem.question)
            trace = explain_plan(plan, problem)
        except (PlanExpressionError, ExecutionError):
            continue
        if trace.answer == problem.correct:
            found.append(plan)
    return found


def retellings(question: str) -> list[str]:
    """A question in other words."""
    return listed(RETELLINGS).get(key_of_question(question), [])
