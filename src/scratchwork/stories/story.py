"""Elementary word problems without options, each with its plan.

Promises: `story(seed, number)` depends on its arguments alone; its plan computes the answer from the
numbers of the question, and no other simple computation with them gives the same answer.

Does not cover: options; see `families` for problems that have them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from scratchwork.errors import UserError
from scratchwork.families.drawing import Draw
from scratchwork.plans.plan import Plan
from scratchwork.problems.numerals import write_fraction, write_number
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise_with_spans
from scratchwork.stories.amounts import Amount, Exact, UnfitError, marks_in, plan_of_amount
from scratchwork.stories.draft import Draft
from scratchwork.stories.holding import holding

ORIGIN = "story"
_MOST_TRIES = 500
_LONGEST = 130
"""In tokens."""
_SHARES = (0.35, 0.25, 0.2, 0.1, 0.05, 0.03, 0.015, 0.005)
"""How often a story has one step, two steps and so on."""
_UP_TO = tuple(accumulate(_SHARES))

Scene = Callable[[Draft], Amount]
_SCENES: tuple[tuple[Scene, int], ...] = ((holding, 4),)
_SCENE_BAG = tuple(scene for scene, weight in _SCENES for _ in range(weight))


@dataclass(frozen=True, slots=True)
class Story:
    """A problem without options, and the plan that solves it."""

    problem: Problem
    plan: Plan


def story(seed: int, number: int) -> Story:
    """Story `number` of a seed."""
    draw = Draw(seed, number)
    chosen = draw.below(1000) / 1000
    steps = 1 + sum(chosen >= share for share in _UP_TO[:-1])
    for attempt in range(_MOST_TRIES):
        draft = Draft(draw, steps)
        try:
            made = _attempt(draft, draw.pick(_SCENE_BAG), exactly=attempt < 40)
        except UnfitError:
            continue
        question, plan, answer = made
        extra = {"answer": answer, "seed": seed, "index": number}
        problem = Problem(question, id=f"story-{seed}-{number}", origin=ORIGIN, extra=extra)
        return Story(problem, plan)
    raise UserError(f"no story was found in {_MOST_TRIES} tries")


def _attempt(draft: Draft, scene: Scene, *, exactly: bool) -> tuple[str, Plan, str]:
    """The question, the plan and the answer."""
    answer = scene(draft)
    text, starts = draft.assembled()
    spans = tokenise_with_spans(text)
    if len(spans) > _LONGEST:
        raise UnfitError
    places = {start: k for k, (_, start, _) in enumerate(spans, 1)}
    by_mark = {mark: places[start] for mark, start in starts.items()}
    if not marks_in(answer) <= by_mark.keys():
        raise UnfitError
    plan = plan_of_amount(answer, by_mark)
    if exactly and len(plan.steps) != draft.steps:
        raise UnfitError
    return text, plan, _written(answer.value)


def _written(value: Exact) -> str:
    """The answer as text."""
    if value <= 0:
        raise UnfitError
    if isinstance(value, int):
        return str(value)
    if (value * 100).denominator == 1:
        return write_number(float(value))
    if value.denominator <= 20 and value < 1:
        return write_fraction(float(value))
    raise UnfitError
