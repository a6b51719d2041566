"""Trees as plans: what they compute, and the lines that say so.

Promises: a `Work` collects steps of a plan, each once, and lines in which every number is copied
from the question, computed by a step, or, if the question has it in words, written as a constant.

Does not cover: which equation is solved for what; see `unknowns`.
"""

from collections.abc import Iterator, Mapping

from scratchwork.exact.asked import BLANK
from scratchwork.exact.trees import NumberNode, OperationNode, Tree, UnknownNode
from scratchwork.explaining.terse import line_of
from scratchwork.machine.expressions import Term
from scratchwork.machine.traces import Trace
from scratchwork.plans.compiling import RationaleItem, compile_items, results_of
from scratchwork.plans.equations import EQUATION_STEPS, EquationWriter
from scratchwork.plans.plan import (
    Argument,
    Given,
    PlanBuilder,
    PlanConstant,
    PlanUnknown,
    Result,
)
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import source_tokens, tokenise

Values = Mapping[str, Argument]
"""The numbers found for unknowns."""
Item = RationaleItem | Argument
"""A word, an expression or a number, or a number in a form of its own."""


class Work:
    """A plan in the making, and what is said of it."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._source = source_tokens(problem)
        self._plan = PlanBuilder()
        self._lines: list[list[Item]] = []
        self._results: list[Term] = []
        self._told = 0

    def compute(self, tree: Tree, values: Values | None = None) -> Argument:
        """A tree's value, with the unknowns that are known."""
        values = values or {}
        match tree:
            case NumberNode(numeral, place):
                return Given(place) if place else PlanConstant(numeral)
            case UnknownNode(name):
                return values.get(name) or PlanUnknown("x" if name == BLANK else name)
            case OperationNode(name, arguments):
                return self.step(name, *(self.compute(part, values) for part in arguments))

    def step(self, operation: str, *arguments: Argument) -> Result:
        """The result of a step."""
        return self._plan.step(operation, *arguments)

    def results(self) -> list[Term]:
        """The results of the steps so far; ExecutionError if one cannot be applied."""
        if len(self._results) < len(self._plan.steps):
            self._results = results_of(self._plan.steps, self.problem)
        return self._results

    def number(self, argument: Argument) -> float:
        """The value of a number."""
        match argument:
            case Result(k):
                value = self.results()[k]
            case Given(place):
                value = number_of(self._source[place - 1])
            case PlanConstant(numeral):
                value = number_of(numeral)
            case PlanUnknown():
                value = None
        assert isinstance(value, float)
        return value

    def say(self, *items: Item) -> None:
        """Add a line."""
        self._lines.append(list(items))

    def say_solved(self, result: Result) -> None:
        """Add the line of a step that solves an equation, after the steps before it."""
        self.say_steps()
        writer = self._writer(self.results())
        self._lines.append(list(writer.line(result.step)))

    def say_steps(self) -> None:
        """Add a line for each number that was computed since the last time."""
        results = self.results()
        writer = self._writer(results)
        for k in range(self._told, len(results)):
            step = self._plan.steps[k]
            if isinstance(results[k], float) and step.operation not in EQUATION_STEPS:
                self._lines.append(list(line_of(step, k, writer)))
        self.pass_over_steps()

    def pass_over_steps(self) -> None:
        """Tell none of the steps so far that were not told."""
        self._told = len(self._plan.steps)

    def finish(self, letter: str | None) -> Trace:
        """The executed program, which writes the lines and ends in a letter, if there is one."""
        return compile_items(self._plan.steps, list(self._items()), self.problem, letter)

    def _items(self) -> Iterator[RationaleItem]:
        writer = self._writer(self.results())
        for k, line in enumerate(self._lines):
            if k:
                yield "\n"
            for item in line:
                match item:
                    case str():
                        yield from tokenise(item)
                    case Result() | PlanUnknown():
                        yield from writer.side(item)
                    case _:
                        yield item

    def _writer(self, results: list[Term]) -> EquationWriter:
        return EquationWriter(self._source, self._plan.steps, results)
