"""The equations that a program solves, and those whose roots a text states.

Promises: `equations_solved` lists them for a trace, `equations_stated` for the tokens of a text, as
induction reads it; `is_same` compares them by what both sides differ by, and by the root.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scratchwork.induction.roots import SOLVING, root_stated
from scratchwork.machine.expressions import RationalExpression, subtract
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import Cell
from scratchwork.machine.traces import Trace
from scratchwork.machine.writing import writing
from scratchwork.problems.tokens import is_number


class SolvedEquation(NamedTuple):
    """An equation with the root that is meant."""

    difference: RationalExpression
    """What the left side is more than the right."""
    root: float

    def is_same(self, other: "SolvedEquation") -> bool:
        """Whether both are the same equation, whatever divided on the way to it, with one root."""
        one, two = self.difference, other.difference
        same = (one.numerator, one.denominator) == (two.numerator, two.denominator)
        return same and math.isclose(self.root, other.root, rel_tol=1e-9)

    def __str__(self) -> str:
        return f"{self.difference} = 0"


def equations_solved(trace: Trace) -> list[SolvedEquation]:
    """The equations that a program solves, in order."""
    memory = [step.value for step in trace.steps if step.instruction.to == "m"]
    found: list[SolvedEquation] = []
    for step in trace.steps:
        if step.instruction.operation in SOLVING and isinstance(step.value, float):
            cells = step.instruction.arguments
            sides = [memory[cell.k - 1] for cell in cells if isinstance(cell, Cell)]
            left, right = (side for side in sides if not isinstance(side, str))
            found.append(SolvedEquation(subtract(left, right), step.value))
    return found


def equations_stated(output: Sequence[str]) -> Iterator[SolvedEquation]:
    """The equations in a text whose roots it states."""
    for k, token in enumerate(output):
        if is_number(token):
            step = root_stated(
                output, k, lambda value, token=token: writing(value, token, EXTENDED) is not None
            )
            root = step.value() if step else None
            if step is not None and root is not None:
                yield SolvedEquation(step.difference(), root)


def are_found_again(gold: Sequence[SolvedEquation], found: Sequence[SolvedEquation]) -> bool:
    """Whether what was found are the equations of the gold program, one by one."""
    pairs = zip(gold, found, strict=False)
    return len(gold) == len(found) and all(one.is_same(other) for one, other in pairs)
