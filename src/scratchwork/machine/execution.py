"""Running programs.

Promises: `execute` is total. Any program on any problem ends quickly in a `Trace` or in an
`ExecutionError` that names the instruction and the reason: `type`, `reference`, `domain`, `range`
or `limit`. Nothing is evaluated as code. The work is bounded by the limits below and by those of
`operations` and `numerals`.

Types and references do not depend on values, so `check` settles them once; `CheckedProgram.run`
then only computes, which is what decoders call in a tight loop.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scratchwork.errors import UserError, quoted
from scratchwork.machine.operations import (
    PAPER,
    Operation,
    OperationError,
    OperationSet,
    Type,
    Value,
)
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.programs import Instruction, Program, Reference, Word
from scratchwork.machine.traces import Trace
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import source_tokens

MOST_INSTRUCTIONS = 10_000
LONGEST_WORD = 200

ErrorKind = Literal["type", "reference", "domain", "range", "limit"]


class ExecutionError(UserError):
    """Why a program cannot be executed, and at which instruction (counted from 1)."""

    def __init__(
        self, kind: ErrorKind, reason: str, position: int, instruction: Instruction | None
    ) -> None:
        text = quoted(instruction)[1:-1]
        where = "the program" if instruction is None else f"instruction {position}, {text}"
        super().__init__(f"{where}: {kind} error: {reason}")
        self.kind: ErrorKind = kind
        self.reason = reason
        self.position = position
        self.instruction = instruction


_Step = tuple[Callable[..., Value], int, int]
"""A function and the slots of its arguments; the second is -1 for functions of one argument."""

_OPTIONS_SLOT = 0
_ONE_OF: Mapping[Type, str] = {
    "string": "a string",
    "number": "a number",
    "expression": "an expression",
    "any": "any value",
}


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A program whose types and references are right for sources of a given length."""

    program: Program
    source_length: int
    _words: tuple[str, ...]
    _steps: tuple[_Step, ...]

    def run(self, source: Sequence[str], options: OptionIndex) -> list[Value]:
        """The value of every instruction; ExecutionError if one cannot be applied."""
        if len(source) != self.source_length:
            raise ValueError(
                f"the program was checked for {self.source_length} source tokens, not {len(source)}"
            )
        slots: list[Value | OptionIndex] = [options, *source, *self._words]
        first = len(slots)
        keep = slots.append
        try:
            for function, i, j in self._steps:
                keep(function(slots[i]) if j < 0 else function(slots[i], slots[j]))
        except OperationError as error:
            position = len(slots) - first + 1
            instruction = self.program.instructions[position - 1]
            raise ExecutionError(error.kind, str(error), position, instruction) from error
        return slots[first:]  # pyright: ignore[reportReturnType] # only the first slot is no Value


def check(program: Program, source_length: int, operations: OperationSet = PAPER) -> CheckedProgram:
    """Settle the program's types and references, or raise ExecutionError."""
    if len(program) > MOST_INSTRUCTIONS:
        reason = f"{len(program)} instructions, more than {MOST_INSTRUCTIONS}"
        raise ExecutionError("limit", reason, MOST_INSTRUCTIONS + 1, None)
    words = tuple(
        {a.text: None for z in program for a in z.arguments if isinstance(a, Word)}
    )  # in order, once each
    checker = _Checker(words, source_length)
    steps = [checker.step(z, operations, i) for i, z in enumerate(program, 1)]
    return CheckedProgram(program, source_length, words, tuple(steps))


class _Checker:
    """Knows the slot and type of every place a reference may point at."""

    def __init__(self, words: Sequence[str], source_length: int) -> None:
        first_word = 1 + source_length
        self._word_slots: Mapping[str, int] = {w: first_word + k for k, w in enumerate(words)}
        self._next_slot = first_word + len(words)
        self._source_length = source_length
        self._written: list[int] = []
        self._remembered: list[tuple[int, Type]] = []

    def step(self, z: Instruction, operations: OperationSet, position: int) -> _Step:
        operation = operations.operations.get(z.operation)
        if operation is None:
            name = quoted(z.operation)[1:-1]
            reason = f"there is no operation {name} in the set {operations.name}"
            raise ExecutionError("reference", reason, position, z)
        if len(z.arguments) != len(operation.takes):
            reason = (
                f"{operation.name} takes {len(operation.takes)} arguments, not {len(z.arguments)}"
            )
            raise ExecutionError("type", reason, position, z)
        slots: list[int] = []
        types: list[Type] = []
        fits = True
        for argument, wanted in zip(z.arguments, operation.takes, strict=True):
            slot, found = self._find(argument, z, position)
            fits = fits and wanted in ("any", found)
            slots.append(slot)
            types.append(found)
        if not fits:
            operation = _for_unknowns(operation, types, z, position)
        gives = types[0] if operation.gives == "any" else operation.gives
        self._place(z, gives, position)
        second = slots[1] if len(slots) > 1 else -1
        return operation.function, slots[0], _OPTIONS_SLOT if operation.reads_options else second

    def _place(self, z: Instruction, gives: Type, position: int) -> None:
        if z.to == "m":
            self._remembered.append((self._next_slot, gives))
        elif gives == "string":
            self._written.append(self._next_slot)
        else:
            how = "write a number with Float_to_Str"
            if gives == "expression":
                how = "an expression stays in the memory"
            reason = f"the output holds strings; {how}"
            raise ExecutionError("type", reason, position, z)
        self._next_slot += 1

    def _find(self, argument: Reference, z: Instruction, position: int) -> tuple[int, Type]:
        if isinstance(argument, Word):
            text = argument.text
            if len(text) > LONGEST_WORD:
                reason = f"a word of {len(text)} characters, more than {LONGEST_WORD}"
                raise ExecutionError("limit", reason, position, z)
            return self._word_slots[text], "string"
        k = argument.k
        if argument.room == "x":
            if 1 <= k <= self._source_length:
                return k, "string"
            reason = f"there is no {argument}, the source has {self._source_length} tokens"
        elif argument.room == "y":
            if 1 <= k <= len(self._written):
                return self._written[k - 1], "string"
            reason = f"there is no {argument} yet, {len(self._written)} tokens are written"
        else:
            if 1 <= k <= len(self._remembered):
                return self._remembered[k - 1]
            reason = f"there is no {argument} yet, {len(self._remembered)} cells are filled"
        raise ExecutionError("reference", reason, position, z)


def _for_unknowns(
    operation: Operation, types: Sequence[Type], z: Instruction, position: int
) -> Operation:
    """The operation that is meant if the types are not what it takes: with an expression among
    them, the one on expressions; else none."""
    meant = operation.applied_to(types)
    misfit = meant.misfit(types)
    if misfit is None:
        return meant
    reason = (
        f"{z.arguments[misfit]} is {_ONE_OF[types[misfit]]}, "
        f"{operation.name} takes {_ONE_OF[meant.takes[misfit]]}"
    )
    raise ExecutionError("type", reason, position, z)


def execute(program: Program, problem: Problem, operations: OperationSet = PAPER) -> Trace:
    """Run a program on a problem."""
    source = source_tokens(problem)
    checked = check(program, len(source), operations)
    values = checked.run(source, OptionIndex(problem.options))
    return Trace(program, operations, tuple(source), tuple(values), problem)
