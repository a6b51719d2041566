"""A plan with a rationale that someone else has worded.

Promises: `told` makes a program that first computes the plan's steps and then writes the rationale:
its words as they are, and its numbers copied from the question, taken from the documented constants
or written from the results of the plan. It ends in the letter that `Check` finds for the plan's
answer. So the numbers of the rationale are what they are said to be, whatever its words say.

Does not cover: whether the words fit; see `audit`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scratchwork.machine.execution import ExecutionError, execute
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.operations import EXTENDED, OperationError
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.programs import Cell, Instruction, Program, Reference, Word
from scratchwork.machine.spelling import Writing, reading
from scratchwork.machine.traces import Trace
from scratchwork.plans.plan import Argument, Constant, Given, Plan, Result
from scratchwork.problems.numerals import write_fraction, write_number
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import (
    END_OF_RATIONALE,
    END_OF_SEQUENCE,
    is_number,
    source_tokens,
)

PLAINLY = Writing("Float_to_Str")
ANSWERS: tuple[tuple[Writing, str | None], ...] = (
    (PLAINLY, None),
    (Writing("Float_to_Fraction"), None),
    (Writing("Float_to_Decimal", 4), None),
    (Writing("Float_to_Decimal", 3), None),
    (Writing("Float_to_Decimal", 2), None),
    (PLAINLY, "100"),
    (Writing("Float_to_Decimal", 1), None),
    (PLAINLY, "10"),
    (Writing("Float_to_Decimal", 0), None),
)
"""The ways to write an answer, the plainest first; with a factor, the decimals are cut off that it
does not make whole."""


@dataclass(frozen=True, slots=True)
class Letter:
    """Where a rationale states the letter."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Where a rationale states the answer, written as the option writes it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A result of the plan, and how it is written."""

    result: Result
    writing: Writing = PLAINLY


Item = str | Given | Constant | Written | Answer | Letter
"""A word, or a number, or the letter."""


def results_of(plan: Plan, problem: Problem) -> list[float]:
    """What each step of a plan computes; ExecutionError if one cannot be applied."""
    memory = Memory(source_tokens(problem))
    cells = [memory.compute(step.operation, step.arguments) for step in plan.steps]
    trace = execute(Program(tuple(memory.instructions)), problem, EXTENDED)
    values = {step.place: step.value for step in trace.steps}
    return [float(values[cell]) for cell in cells]


def told(plan: Plan, items: Sequence[Item], problem: Problem) -> Program:
    """The program that follows a plan and writes these items; ExecutionError if it cannot."""
    writer = Memory(source_tokens(problem))
    for step in plan.steps:
        writer.compute(step.operation, step.arguments)
    failed: ExecutionError | None = None
    found: Trace | None = None
    for program in _endings(writer, plan, items, bool(problem.options)):
        try:
            trace = execute(program, problem, EXTENDED)
        except ExecutionError as error:
            failed = error
            continue
        if found is None or trace.answer == found.answer:
            if not problem.options or _is_as_in_option(trace):
                return program
            found = found or trace
    if found is not None:
        return found.program
    assert failed is not None
    raise failed


def _is_as_in_option(trace: Trace) -> bool:
    """Whether the answer is written as in its option, and not only of the same value."""
    values = {step.place: str(step.value) for step in trace.steps}
    checks = [z.arguments[0] for z in trace.program if z.operation == "Check"]
    (written,) = {values[cell] for cell in checks if isinstance(cell, Cell)}
    try:
        return OptionIndex(trace.problem.options).check(written) == trace.answer
    except OperationError:
        return False


def _endings(
    computed: "Memory", plan: Plan, items: Sequence[Item], has_options: bool
) -> Iterator[Program]:
    """The program with the answer written in one way after the other."""
    for writing, factor in ANSWERS if has_options else ANSWERS[:1]:
        writer = computed.copy()
        answer = writer.number(plan.answer)
        checked = writer.written(answer if factor is None else writer.cut(answer, factor), writing)
        for item in items:
            writer.tell(item, checked)
        writer.write("Id", Word(END_OF_RATIONALE))
        if has_options:
            writer.write("Check", checked)
        writer.write("Id", Word(END_OF_SEQUENCE))
        yield Program(tuple(writer.instructions))


class Memory:
    """Instructions in the making, and the cells of memory that hold numbers."""

    def __init__(self, source: Sequence[str]) -> None:
        self.source = source
        self.instructions: list[Instruction] = []
        self.filled = 0
        self.known: dict[Argument, Cell] = {}
        self.results: list[Cell] = []

    def copy(self) -> "Memory":
        """The same, to go on in another way."""
        other = Memory(self.source)
        other.instructions, other.filled = list(self.instructions), self.filled
        other.known, other.results = dict(self.known), list(self.results)
        return other

    def remember(self, operation: str, *arguments: Reference) -> Cell:
        """Put a value into memory."""
        self.instructions.append(Instruction(operation, arguments, "m"))
        self.filled += 1
        return Cell("m", self.filled)

    def write(self, operation: str, *arguments: Reference) -> None:
        """Write a token."""
        self.instructions.append(Instruction(operation, arguments, "y"))

    def number(self, argument: Argument) -> Cell:
        """The cell that holds a number, which is read once."""
        if isinstance(argument, Result):
            return self.results[argument.step]
        if argument not in self.known:
            numeral, reference = self.numeral(argument)
            self.known[argument] = self.remember(reading(numeral), reference)
        return self.known[argument]

    def numeral(self, argument: Given | Constant) -> tuple[str, Reference]:
        """How a number that is not computed is written, and where that stands."""
        if isinstance(argument, Constant):
            return argument.numeral, Word(argument.numeral)
        numeral = self.source[argument.place - 1]
        if is_number(numeral):
            return numeral, Cell("x", argument.place)
        # A number in words is a constant to the machine.
        value = numbers_in(self.source)[argument.place - 1]
        is_short = round(value, 4) == value
        numeral = write_number(value) if is_short else write_fraction(value)
        return numeral, Word(numeral)

    def compute(self, operation: str, arguments: Sequence[Argument]) -> Cell:
        """Take a step of the plan."""
        cell = self.remember(operation, *map(self.number, arguments))
        self.results.append(cell)
        return cell

    def cut(self, number: Cell, factor: str) -> Cell:
        """The cell of a number without the decimals behind those that the factor makes whole."""
        times = self.number(Constant(factor))
        whole = self.remember("Floor", self.remember("Multiply", number, times))
        return self.remember("Divide", whole, times)

    def written(self, number: Cell, writing: Writing) -> Cell:
        """The cell of memory that holds a number as a string."""
        return self.remember(writing.operation, number, *self.places(writing))

    def places(self, writing: Writing) -> list[Cell]:
        """The number of decimals, if the operation asks for one."""
        return [] if writing.places is None else [self.number(Constant(str(writing.places)))]

    def tell(self, item: Item, answer: Cell) -> None:
        """Write an item, given the cell that holds the answer as a string."""
        match item:
            case str():
                self.write("Id", Word(item))
            case Answer():
                self.write("Id", answer)
            case Letter():
                self.write("Check", answer)
            case Written(result, writing):
                places = self.places(writing)
                self.write(writing.operation, self.number(result), *places)
            case Given() | Constant():
                _, reference = self.numeral(item)
                self.write("Id", reference)
