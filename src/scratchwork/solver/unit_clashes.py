"""Which of the plans found for problems cannot be right because of their units.

Promises: `with_clashes` marks in a ballot the plans that combine what cannot be combined, as years
and percent, or whose result is of another kind than what is asked for. A plan whose units are not
known is not marked.

Does not cover: the training of the network, which sees no texts; its votes are fitted without.
"""

from collections.abc import Sequence

import torch

from scratchwork.plans.plan import Plan
from scratchwork.problems.problem import Problem
from scratchwork.quantities.combining import (
    ProblemQuantities,
    answer_clash,
    quantities_in,
    quantity_of_answer,
    read_quantities,
)
from scratchwork.solver.reading import Reading
from scratchwork.solver.symbols import plan_from_choices
from scratchwork.solver.voting import Ballot


def with_clashes(
    ballot: Ballot, problems: Sequence[Problem], readings: Sequence[Reading]
) -> Ballot:
    """The ballot of these problems, with the clashes of their plans."""
    marks = torch.zeros(ballot.clashes.shape, dtype=ballot.clashes.dtype)
    rows = ballot.found.choices.tolist()
    for k, (problem, reading) in enumerate(zip(problems, readings, strict=True)):
        known = read_quantities(problem)
        for j, choices in enumerate(rows[k]):
            chosen = [choice for choice in choices if choice >= 0]
            if chosen and has_clash(plan_from_choices(chosen, reading), known):
                marks[k, j] = 1
    return ballot._replace(clashes=marks.to(ballot.clashes.device))


def has_clash(plan: Plan, known: ProblemQuantities) -> bool:
    """Whether a plan combines what cannot be combined, or gives another kind than is asked for."""
    steps = quantities_in(plan, known)
    answer = quantity_of_answer(plan, known, steps)
    in_steps = any(step.clash is not None for step in steps)
    return in_steps or answer_clash(answer, known) is not None
