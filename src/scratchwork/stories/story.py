"""Elementary word problems without options, each with its plan.

Promises: `story(seed, number)` depends on its arguments alone; its plan computes the answer from
the numbers of the question, and no other simple computation with them gives the same answer.

Does not cover: options; see `families` for problems that have them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from scratchwork.errors import UserError
from scratchwork.families.drawing import Draw
from scratchwork.parallel import Workers
from scratchwork.plans.expressions import write_plan
from scratchwork.plans.plan import Plan
from scratchwork.problems.numerals import write_fraction, write_number
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import problem_line
from scratchwork.problems.tokens import tokenise_with_spans
from scratchwork.stories.amounts import (
    Amount,
    Exact,
    UnfitError,
    marks_in,
    plan_of_amount,
    steps_in,
)
from scratchwork.stories.comparing import comparing, day_by_day
from scratchwork.stories.distracting import distract
from scratchwork.stories.draft import Draft
from scratchwork.stories.holding import holding
from scratchwork.stories.measuring import cutting, pouring, rectangles
from scratchwork.stories.parts import parts
from scratchwork.stories.readings import has_other_reading
from scratchwork.stories.saving import saving, trading
from scratchwork.stories.shopping import shopping
from scratchwork.stories.timing import ages, clock, spending_time
from scratchwork.stories.visiting import visiting
from scratchwork.stories.weighing import counting_coins, growing, weighing
from scratchwork.stories.working import travelling, working

STORY_ORIGIN = "story"
_AT_ONCE = 2000
_MOST_TRIES = 500
_LONGEST = 130
"""In tokens."""
_CHANCE_OF_DISTRACTION = 0.44
"""Not every story has a place for a number that is not needed."""
_SHARES = (0.35, 0.25, 0.2, 0.1, 0.05, 0.03, 0.015, 0.005)
"""How often a story has one step, two steps and so on."""
_UP_TO = tuple(accumulate(_SHARES))

Scene = Callable[[Draft], Amount]
_SCENES: tuple[tuple[Scene, int], ...] = (
    (holding, 5),
    (comparing, 3),
    (day_by_day, 1),
    (shopping, 4),
    (saving, 1),
    (trading, 1),
    (working, 3),
    (travelling, 2),
    (parts, 3),
    (cutting, 2),
    (rectangles, 2),
    (pouring, 1),
    (spending_time, 2),
    (clock, 1),
    (ages, 1),
    (visiting, 2),
    (weighing, 2),
    (counting_coins, 1),
    (growing, 1),
)
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
        problem = Problem(question, id=f"story-{seed}-{number}", origin=STORY_ORIGIN, extra=extra)
        return Story(problem, plan)
    raise UserError(f"no story was found in {_MOST_TRIES} tries")


def story_lines(count: int, seed: int, workers: Workers) -> Iterator[bytes]:
    """The first stories of a seed as lines of JSON, each with its plan as an expression."""
    return workers.map(partial(_line, seed), range(count), _AT_ONCE)


def _line(seed: int, number: int) -> bytes:
    one = story(seed, number)
    extra = {**one.problem.extra, "plan": write_plan(one.plan, one.problem.question)}
    return problem_line(replace(one.problem, extra=extra))


def _attempt(draft: Draft, scene: Scene, *, exactly: bool) -> tuple[str, Plan, str]:
    """The question, the plan and the answer."""
    answer = scene(draft)
    if exactly and steps_in(answer) != draft.steps:
        raise UnfitError
    if draft.draw.chance(_CHANCE_OF_DISTRACTION):
        distract(draft)
    if has_other_reading(answer, draft.knowns):
        raise UnfitError
    draft.join()
    text, starts = draft.assembled()
    spans = tokenise_with_spans(text)
    if len(spans) > _LONGEST:
        raise UnfitError
    places = {start: k for k, (_, start, _) in enumerate(spans, 1)}
    by_mark = {mark: places[start] for mark, start in starts.items()}
    if not marks_in(answer) <= by_mark.keys():
        raise UnfitError
    plan = plan_of_amount(answer, by_mark)
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
