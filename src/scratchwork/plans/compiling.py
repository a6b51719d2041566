"""From a plan and a rationale to a program.

Promises: `compile_plan` makes a program that computes the plan's steps and then writes the
rationale: its words as they are, its numbers copied from the question, taken from the documented
constants or written from the plan's results. It ends in the letter that `Check` finds for the
plan's answer.

Does not cover: whether the words fit; see `audit`.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from scratchwork.machine.execution import ExecutionError, execute
from scratchwork.machine.number_words import numbers_in, numeral_of
from scratchwork.machine.operations import EXTENDED, OperationError, Value
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.programs import Cell, Program, Reference, Word
from scratchwork.machine.traces import Trace
from scratchwork.machine.writing import ProgramWriter, Writing
from scratchwork.plans.plan import (
    Argument,
    Given,
    Plan,
    PlanConstant,
    PlanStep,
    PlanUnknown,
    PlanWord,
    Result,
)
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import (
    END_OF_RATIONALE,
    END_OF_SEQUENCE,
    is_number,
    source_tokens,
)

PLAIN = Writing("Float_to_Str")
AS_IT_IS = Writing("Id")
"""How a word is written."""
_ANSWER_WRITINGS: tuple[tuple[Writing, str | None], ...] = (
    (PLAIN, None),
    (Writing("Float_to_Fraction"), None),
    (Writing("Float_to_Decimal", 4), None),
    (Writing("Float_to_Decimal", 3), None),
    (Writing("Float_to_Decimal", 2), None),
    (PLAIN, "100"),
    (Writing("Float_to_Decimal", 1), None),
    (PLAIN, "10"),
    (Writing("Float_to_Decimal", 0), None),
)
"""The ways to write an answer, in the order in which they are tried; with a factor of 10 or 100,
the number is cut to one or two decimals first."""


@dataclass(frozen=True, slots=True)
class StatedLetter:
    """The letter, where a rationale states it."""


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """The answer, where a rationale states it, written as its option does."""


@dataclass(frozen=True, slots=True)
class WrittenResult:
    """A result of the plan, and how to write it."""

    result: Result
    writing: Writing = PLAIN


@dataclass(frozen=True, slots=True)
class WrittenSize:
    """A result of the plan without its sign, and how to write it."""

    result: Result
    writing: Writing = PLAIN


@dataclass(frozen=True, slots=True)
class WrittenCoefficient:
    """The number before a power of the unknown in an expression of the plan, without its sign."""

    result: Result
    power: int
    writing: Writing = PLAIN


RationaleItem = (
    str
    | Given
    | PlanConstant
    | PlanWord
    | WrittenResult
    | WrittenSize
    | WrittenCoefficient
    | StatedAnswer
    | StatedLetter
)
"""A word, a number or the letter."""


def results_of(steps: Sequence[PlanStep], problem: Problem) -> list[Value]:
    """The result of each step; ExecutionError if one cannot be applied."""
    writer = _PlanWriter(source_tokens(problem), steps).writer
    trace = execute(writer.program(), problem, EXTENDED)
    values = {step.place: step.value for step in trace.steps}
    return [values[writer.known[Result(k)]] for k in range(len(steps))]


def compile_plan(plan: Plan, items: Sequence[RationaleItem], problem: Problem) -> Trace:
    """The executed program that computes a plan and writes these items; ExecutionError if there is
    none.

    It has the first way to write the answer that `Check` accepts, or a later one with the same
    letter that is spelled as the option is.
    """
    computed = _PlanWriter(source_tokens(problem), plan.steps)
    failed: ExecutionError | None = None
    found: Trace | None = None
    for program in _endings(computed, plan, items, bool(problem.options)):
        try:
            trace = execute(program, problem, EXTENDED)
        except ExecutionError as error:
            failed = error
            continue
        if found is None or trace.answer == found.answer:
            if not problem.options or _is_spelled_as_in_option(trace):
                return trace
            found = found or trace
    if found is not None:
        return found
    assert failed is not None
    raise failed


def compile_items(
    steps: Sequence[PlanStep],
    items: Sequence[RationaleItem],
    problem: Problem,
    letter: str | None,
) -> Trace:
    """The executed program that computes steps, writes these items and ends in a given letter.

    The items state neither the letter nor an answer that depends on it.
    """
    program = _PlanWriter(source_tokens(problem), steps)
    for item in items:
        program.item(item, None)
    program.writer.words(END_OF_RATIONALE, *([letter] if letter else []), END_OF_SEQUENCE)
    return execute(program.writer.program(), problem, EXTENDED)


def _is_spelled_as_in_option(trace: Trace) -> bool:
    """Whether the answer is spelled as in its option, not only equal to it."""
    values = {step.place: str(step.value) for step in trace.steps}
    checks = [z.arguments[0] for z in trace.program if z.operation == "Check"]
    (written,) = {values[cell] for cell in checks if isinstance(cell, Cell)}
    try:
        return OptionIndex(trace.problem.options).check(written) == trace.answer
    except OperationError:
        return False


def _endings(
    computed: "_PlanWriter", plan: Plan, items: Sequence[RationaleItem], has_options: bool
) -> Iterator[Program]:
    """The program with each way to write the answer."""
    for writing, factor in _ANSWER_WRITINGS if has_options else _ANSWER_WRITINGS[:1]:
        ending = computed.copy()
        answer = ending.number(plan.answer)
        checked = ending.written(answer if factor is None else ending.cut(answer, factor), writing)
        for item in items:
            ending.item(item, checked)
        ending.writer.words(END_OF_RATIONALE)
        if has_options:
            ending.writer.write("Check", checked)
        ending.writer.words(END_OF_SEQUENCE)
        yield ending.writer.program()


class _PlanWriter:
    """Writes the program of a plan's steps."""

    def __init__(self, source: Sequence[str], steps: Sequence[PlanStep]) -> None:
        self.source = source
        self.writer = ProgramWriter[Argument]()
        for k, step in enumerate(steps):
            cell = self.writer.remember(step.operation, *map(self.argument, step.arguments))
            self.writer.known[Result(k)] = cell

    def copy(self) -> "_PlanWriter":
        """A copy, to continue in another way."""
        other = copy(self)
        other.writer = self.writer.copy()
        return other

    def argument(self, argument: Argument) -> Reference:
        """What an argument refers to: the cell of a number, or a word."""
        if isinstance(argument, PlanWord):
            return Cell("x", argument.place) if argument.place else Word(argument.text)
        return self.number(argument)

    def number(self, argument: Argument) -> Cell:
        """The cell of a number or an unknown, which is read once."""
        assert not isinstance(argument, PlanWord)
        if isinstance(argument, Result):
            return self.writer.known[argument]
        if isinstance(argument, PlanUnknown):
            known, letter = self.writer.known, Word(argument.letter)
            if argument not in known:
                known[argument] = self.writer.remember("Unknown", letter)
            return known[argument]
        return self.writer.read(argument, *self.numeral(argument))

    def numeral(self, argument: Given | PlanConstant) -> tuple[str, Reference]:
        """The numeral of a number that is not computed, and a reference to it."""
        if isinstance(argument, PlanConstant):
            return argument.numeral, Word(argument.numeral)
        numeral = self.source[argument.place - 1]
        if is_number(numeral):
            return numeral, Cell("x", argument.place)
        # The machine cannot read words: their number is written out as a constant.
        numeral = numeral_of(numbers_in(self.source)[argument.place - 1])
        return numeral, Word(numeral)

    def cut(self, number: Cell, factor: str) -> Cell:
        """The cell of a number rounded down to a multiple of one over the factor."""
        times = self.number(PlanConstant(factor))
        remember = self.writer.remember
        return remember("Divide", remember("Floor", remember("Multiply", number, times)), times)

    def written(self, number: Cell, writing: Writing) -> Cell:
        """The memory cell of a number as a string."""
        return self.writer.remember(writing.operation, number, *self.places(writing))

    def places(self, writing: Writing) -> list[Cell]:
        """The cell of the number of decimals, if the operation takes one."""
        return [] if writing.places is None else [self.number(PlanConstant(str(writing.places)))]

    def item(self, item: RationaleItem, answer: Cell | None) -> None:
        """Write an item; `answer` is the cell of the answer as a string, if one is stated."""
        match item:
            case str():
                self.writer.words(item)
            case StatedAnswer() | StatedLetter():
                assert answer is not None
                operation = "Id" if isinstance(item, StatedAnswer) else "Check"
                self.writer.write(operation, answer)
            case WrittenResult(result, writing):
                places = self.places(writing)
                self.writer.write(writing.operation, self.number(result), *places)
            case WrittenSize(result, writing):
                size = self.writer.remember("Absolute", self.number(result))
                self.writer.write(writing.operation, size, *self.places(writing))
            case WrittenCoefficient(result, power, writing):
                remember = self.writer.remember
                which = self.number(PlanConstant(str(power)))
                number = remember("Coefficient", self.number(result), which)
                self.writer.write(writing.operation, remember("Absolute", number))
            case PlanWord():
                self.writer.write("Id", self.argument(item))
            case Given() | PlanConstant():
                _, reference = self.numeral(item)
                self.writer.write("Id", reference)
