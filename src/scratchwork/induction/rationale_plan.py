"""The plan that a rationale follows to its answer.

Promises: `plan_of_rationale` induces a program without the options, and gives the steps that lead
to the last number equal to the labelled option; None if there is no such number. The steps compute
with numbers alone: where the rationale solves an equation, what else leads to its root is taken.
"""

from dataclasses import replace

from scratchwork.induction.choosing import choose
from scratchwork.induction.lattice import induce
from scratchwork.machine.execution import execute
from scratchwork.machine.operations import EXTENDED, OperationError, OperationSet
from scratchwork.machine.options import OptionIndex
from scratchwork.plans.plan import Plan, Result, TraceReader, prune
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number

_WITHOUT_UNKNOWNS = OperationSet(
    EXTENDED.name,
    {
        name: operation
        for name, operation in EXTENDED.operations.items()
        if "expression" not in (*operation.takes, operation.gives)
    },
)
"""The operations without those of equations, for which the solver has no symbols."""


def plan_of_rationale(problem: Problem) -> Plan | None:
    """The plan that leads to the right option's number, without copying from the options."""
    answers = OptionIndex(problem.options)
    free = replace(problem, options=(), correct=None)
    trace = execute(choose(induce(free, _WITHOUT_UNKNOWNS)), free, EXTENDED)
    reader = TraceReader(trace)
    found: Result | None = None
    for step in trace.steps:
        reader.take(step.instruction, step.place)
        meaning = reader.meanings[step.place]
        if isinstance(meaning, Result) and step.place.room == "y" and is_number(str(step.value)):
            try:
                letter = answers.check_by_value(str(step.value))
            except OperationError:
                continue
            found = meaning if letter == problem.correct else found
    return None if found is None else prune(reader.plan.steps, found)
