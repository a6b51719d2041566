"""Problems to practise: topics, difficulties, and each problem with its steps as hints.

Promises: the difficulty of a family is its number of operations, in three grades; the same topic,
difficulty, seed and count give the same problems.
"""

from typing import Any, Literal

from scratchwork.errors import UserError
from scratchwork.families.family import Family
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import row_from_problem

Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")

_MOST_EASY = 2
_MOST_MEDIUM = 4


def difficulty_of(family: Family) -> Difficulty:
    """Up to 2 operations are easy, up to 4 medium."""
    if family.operations <= _MOST_EASY:
        return "easy"
    return "medium" if family.operations <= _MOST_MEDIUM else "hard"


def topics() -> list[dict[str, Any]]:
    """Every topic with its number of families, and the difficulties it has."""
    of_topic: dict[str, list[Family]] = {}
    for family in load_families():
        of_topic.setdefault(family.topic, []).append(family)
    return [
        {
            "topic": topic,
            "families": len(families),
            "difficulties": [d for d in DIFFICULTIES if d in set(map(difficulty_of, families))],
        }
        for topic, families in of_topic.items()
    ]


def practice_problems(
    topic: str | None, difficulty: Difficulty | None, seed: int, count: int
) -> list[dict[str, Any]]:
    """Generated problems as rows, with their steps."""
    bank = load_families()
    chosen = [
        family
        for family in bank
        if topic in (None, family.topic) and difficulty in (None, difficulty_of(family))
    ]
    if not any(topic in (None, family.topic) for family in bank):
        raise UserError("there is no such topic; GET /topics lists them")
    if not chosen:
        raise UserError(f"{topic} has no {difficulty} problems; GET /topics lists what there is")
    styles = {family.name: family.styles for family in chosen}
    problems = (generated.problem for generated in generate(chosen, count, seed))
    return [
        row_from_problem(problem)
        | {"steps": _steps(problem, len(styles[problem.extra["family"]][problem.extra["style"]]))}
        for problem in problems
    ]


def _steps(problem: Problem, count: int) -> list[str]:
    """The rationale's lines, without the one that only states the letter."""
    return (problem.rationale or "").split("\n")[:count]
