"""A program's execution: every instruction with its value and where it went (the paper's table 2).

Promises: a `Trace` is plain data, complete and immutable; `to_json` is stable and documented in
docs/formats.md. Does not cover: how it looks (see `render`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scratchwork.machine.operations import OperationSet, Value
from scratchwork.machine.programs import PROGRAM_VERSION, Cell, Instruction, Program
from scratchwork.problems.numerals import write_number
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import END_OF_RATIONALE, END_OF_SEQUENCE, detokenise


def value_text(value: Value) -> str:
    """A value as a person would write it: `52`, `0.75`, `2x + 3`."""
    return write_number(value) if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One executed instruction."""

    position: int
    instruction: Instruction
    value: Value
    place: Cell
    """The output token or memory cell that now holds the value."""


@dataclass(frozen=True)
class Trace:
    """An executed program."""

    program: Program
    operations: OperationSet
    source: tuple[str, ...]
    values: tuple[Value, ...]
    problem: Problem

    @cached_property
    def steps(self) -> tuple[TraceStep, ...]:
        """The instructions with their values and places."""
        steps: list[TraceStep] = []
        filled = {"y": 0, "m": 0}
        for position, (z, value) in enumerate(zip(self.program, self.values, strict=True), 1):
            filled[z.to] += 1
            steps.append(TraceStep(position, z, value, Cell(z.to, filled[z.to])))
        return tuple(steps)

    @cached_property
    def output(self) -> tuple[str, ...]:
        """The tokens written, the paper's y."""
        pairs = zip(self.program, self.values, strict=True)
        return tuple(str(value) for z, value in pairs if z.to == "y")

    @property
    def rationale(self) -> str:
        """The text written before `<EOR>`."""
        tokens = self.output
        end = tokens.index(END_OF_RATIONALE) if END_OF_RATIONALE in tokens else len(tokens)
        return detokenise(tokens[:end])

    @property
    def answer(self) -> str | None:
        """The letter between `<EOR>` and `<EOS>`, if the program ends so."""
        match self.output[-3:]:
            case (before, letter, after) if before == END_OF_RATIONALE and after == END_OF_SEQUENCE:
                return letter if letter in tuple(self.problem.letters) else None
            case _:
                return None

    def to_json(self) -> dict[str, Any]:
        """The trace as objects and lists."""
        return {
            "version": PROGRAM_VERSION,
            "id": self.problem.id,
            "operations": self.operations.name,
            "source": list(self.source),
            "steps": [
                {
                    "instruction": str(step.instruction),
                    "value": step.value if isinstance(step.value, float) else str(step.value),
                    "place": str(step.place),
                }
                for step in self.steps
            ],
            "rationale": self.rationale,
            "answer": self.answer,
        }
