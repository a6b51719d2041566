"""What must not be learned from, and what to choose by.

Promises: `near_held_out` numbers the generated problems that are near copies of a held-out problem,
by the rule of `problems.duplicates`; training leaves them out. `far_problems` are those that no
training question resembles much, as held-out ones often are: how a solver does on them tells more
about held-out problems than how it does on all.
"""

from collections.abc import Iterable, Iterator, Sequence

from scratchwork.families.family import Family
from scratchwork.families.generator import generate_one
from scratchwork.parallel import blocks
from scratchwork.problems.duplicates import BLOCK, HeldOut, nearest_ratios
from scratchwork.problems.problem import Problem

FAR = 60.0
"""Of a far problem the nearest training question has a smaller ratio, digits left out."""


def near_held_out(
    families: Sequence[Family], seed: int, numbers: Iterable[int], held_out: Sequence[HeldOut]
) -> Iterator[int]:
    """The numbers of the generated problems that are near to a held-out one."""
    for some in blocks(numbers, BLOCK):
        questions = [generate_one(families, seed, number).problem.question for number in some]
        near = {other for one in held_out for _, other in one.pairs(questions)}
        yield from (some[other] for other in sorted(near))


def far_problems(problems: Sequence[Problem], training: Iterable[Problem]) -> list[Problem]:
    """Those problems that are far from all of the training problems."""
    questions = (problem.question for problem in training)
    ratios = nearest_ratios([p.question for p in problems], questions, digit_free=True)
    return [problem for problem, ratio in zip(problems, ratios, strict=True) if ratio < FAR]
