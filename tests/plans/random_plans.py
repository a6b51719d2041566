"""Random plans for a problem with numbers of every kind."""

from collections.abc import Sequence

from hypothesis import strategies as st

from scratchwork import EXTENDED, Problem, tokenise
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.number_words import numbers_in
from scratchwork.plans.plan import (
    Argument,
    Given,
    Plan,
    PlanBuilder,
    PlanConstant,
    PlanStep,
    PlanUnknown,
    Result,
    prune,
)

PROBLEM = Problem(
    "Of 1,200 pens, 3/4 cost $2.50 each, twenty-five cost 7 cents, and thirty-four cost half of "
    "what 1/3 of 100 pens cost. How much is it?",
    ("900", "33.33", "0.5", "$1,175", "1/300"),
)
PLACES = [k + 1 for k in numbers_in(tokenise(PROBLEM.question))]
ARITHMETIC = [
    operation
    for operation in EXTENDED.operations.values()
    if {"number"}.issuperset((*operation.takes, operation.gives))
]
"""The operations on numbers alone."""
NAMES = [operation.name for operation in ARITHMETIC]


@st.composite
def random_plans(draw: st.DrawFn, most: int = 4, operations: Sequence[str] = NAMES) -> Plan:
    """A plan of a few steps, sensible or not."""
    steps: list[PlanStep] = []
    for k in range(draw(st.integers(1, most))):
        arguments: list[st.SearchStrategy[Argument]] = [
            st.sampled_from(PLACES).map(Given),
            st.sampled_from(sorted(CONSTANT_VALUES)).map(PlanConstant),
        ]
        if k:
            arguments += [st.integers(0, k - 1).map(Result)] * 2
        name = draw(st.sampled_from(operations))
        taken = [draw(st.one_of(arguments)) for _ in EXTENDED[name].takes]
        steps.append(PlanStep(name, tuple(taken)))
    return prune(steps, Result(len(steps) - 1))


@st.composite
def plans_with_unknowns(draw: st.DrawFn) -> Plan:
    """A plan that solves equations of random expressions, and may compute with a root."""
    plan = PlanBuilder()
    numbers = st.sampled_from(PLACES).map(Given) | st.sampled_from(["2", "3", "7", "1/2"]).map(
        PlanConstant
    )
    unknowns = [PlanUnknown("x"), *draw(st.sampled_from([[], [PlanUnknown("y")]]))]
    roots: list[Argument] = []
    expressions: list[Argument] = [*unknowns]
    for _ in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from(["Add", "Subtract", "Multiply", "Divide", "Percent", "Power"]))
        first = draw(st.sampled_from(expressions))
        second = draw(numbers | st.sampled_from([*expressions, *roots]))
        if name == "Power":
            second = PlanConstant("2")
        elif draw(st.booleans()):
            first, second = second, first
        expressions.append(plan.step(name, first, second))
        if draw(st.integers(0, 3)) == 0:
            solve = "Express" if len(unknowns) > 1 else "Solve"
            found = plan.step(solve, expressions[-1], draw(numbers))
            (expressions if solve == "Express" else roots).append(found)
    last = draw(st.sampled_from(["Solve", "Larger_Root", "Smaller_Root", "Coefficient"]))
    second = PlanConstant("1") if last == "Coefficient" else draw(numbers)
    answer = plan.step(last, expressions[-1], second)
    return prune(plan.steps, answer)
