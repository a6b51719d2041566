"""Plans: what a program computes to reach its answer, without the words.

Promises: `plan_of` gives the operations that an executed program's letter depends on, with the
places in the source that their numbers were read from. Conversions, and roundings made only for
writing, are left out.

Does not cover: letters that `Check` did not derive from a number; they have no plan. For the way
from a plan to a program see `compiling`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import Cell, Instruction, Reference, Word
from scratchwork.machine.traces import Trace
from scratchwork.problems.tokens import is_number

PLAN_OPERATIONS = tuple(
    name
    for name, operation in EXTENDED.operations.items()
    if {"number", "expression"}.issuperset((*operation.takes, operation.gives))
)
"""The operations that plans are made of."""


@dataclass(frozen=True, slots=True)
class Given:
    """The number at a place in the source, counted from 1."""

    place: int


@dataclass(frozen=True, slots=True)
class PlanWord:
    """A word that is computed with, as its letters are."""

    text: str
    place: int = 0
    """Where the source has it, counted from 1; 0 if it is written out."""


@dataclass(frozen=True, slots=True)
class PlanConstant:
    """A number that needs no source, as written."""

    numeral: str


@dataclass(frozen=True, slots=True)
class PlanUnknown:
    """An unknown of an equation, by its letter."""

    letter: str


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a step of the plan, counted from 0."""

    step: int


Argument = Given | PlanConstant | PlanUnknown | PlanWord | Result


@dataclass(frozen=True, slots=True)
class PlanStep:
    """An operation on numbers, expressions or words."""

    operation: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps, and which number is the answer."""

    steps: tuple[PlanStep, ...]
    answer: Argument


class PlanBuilder:
    """Collects steps in order; equal steps become one."""

    def __init__(self) -> None:
        self.steps: list[PlanStep] = []
        self._known: dict[PlanStep, Result] = {}

    def step(self, operation: str, *arguments: Argument) -> Result:
        """The result of a step, which is added unless it is there."""
        step = PlanStep(operation, arguments)
        if step not in self._known:
            self._known[step] = Result(len(self.steps))
            self.steps.append(step)
        return self._known[step]


class TraceReader:
    """Reads the cells of a trace as arguments of a plan, and its instructions as steps."""

    def __init__(self, trace: Trace) -> None:
        self.source = trace.source
        self._strings = {step.place: str(step.value) for step in trace.steps}
        self.meanings: dict[Cell, Argument | None] = {}
        self.checked: dict[Cell, Argument | None] = {}
        """For each cell that holds a letter, the number it was found for."""
        self.plan = PlanBuilder()

    def meaning(self, reference: Reference) -> Argument | None:
        """The number that a reference stands for; None for words."""
        if isinstance(reference, Word):
            return PlanConstant(reference.text) if is_number(reference.text) else None
        if reference.room == "x":
            return Given(reference.k) if is_number(self.source[reference.k - 1]) else None
        return self.meanings[reference]

    def word(self, reference: Reference) -> PlanWord | None:
        """The word that a reference stands for, if it is not computed."""
        if isinstance(reference, Word):
            return PlanWord(reference.text)
        is_given = reference.room == "x"
        return PlanWord(self.source[reference.k - 1], reference.k) if is_given else None

    def _text(self, reference: Reference) -> str:
        if isinstance(reference, Word):
            return reference.text
        is_source = reference.room == "x"
        return self.source[reference.k - 1] if is_source else self._strings[reference]

    def take(self, instruction: Instruction, place: Cell) -> None:
        """Take the next instruction, whose value went to `place`."""
        operation = EXTENDED[instruction.operation]
        first = instruction.arguments[0]
        if operation.name == "Check":
            self.checked[place], self.meanings[place] = self.meaning(first), None
            return
        if operation.converts:
            if isinstance(first, Cell) and first in self.checked:
                self.checked[place] = self.checked[first]
            self.meanings[place] = self.meaning(first)
            return
        if operation.name == "Unknown":
            self.meanings[place] = PlanUnknown(self._text(first))
            return
        arguments = [
            self.word(reference) if wanted == "string" else self.meaning(reference)
            for reference, wanted in zip(instruction.arguments, operation.takes, strict=True)
        ]
        known = [argument for argument in arguments if argument is not None]
        is_known = len(known) == len(arguments)
        self.meanings[place] = self.plan.step(operation.name, *known) if is_known else None


def plan_of(trace: Trace) -> Plan | None:
    """The plan of an executed program; None if `Check` did not find its letter."""
    reader = TraceReader(trace)
    letter = Cell("y", len(trace.output) - 1)
    for step in trace.steps:
        reader.take(step.instruction, step.place)
    answer = reader.checked.get(letter)
    return None if trace.answer is None or answer is None else prune(reader.plan.steps, answer)


def prune(steps: Sequence[PlanStep], answer: Argument) -> Plan:
    """The plan of the steps that the answer depends on, in their order."""
    wanted: set[int] = set()
    waiting = [answer]
    while waiting:
        argument = waiting.pop()
        if isinstance(argument, Result) and argument.step not in wanted:
            wanted.add(argument.step)
            waiting += steps[argument.step].arguments
    order = sorted(wanted)
    new = {old: Result(k) for k, old in enumerate(order)}

    def renumbered(argument: Argument) -> Argument:
        return new[argument.step] if isinstance(argument, Result) else argument

    kept = (PlanStep(steps[k].operation, tuple(map(renumbered, steps[k].arguments))) for k in order)
    return Plan(tuple(kept), renumbered(answer))
