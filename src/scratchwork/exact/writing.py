"""Trees as plans: what they compute, and the lines that say so.

Promises: a `Work` collects steps of a plan, each once, and lines in which every number is copied
from the question, computed by a step, or, if the question has it in words, written as a constant.

Does not cover: which equation is solved for what; see `unknowns`.
"""

from collections.abc import Iterable, Iterator, Mapping

from scratchwork.exact.asked import BLANK
from scratchwork.explaining.calculations import written_with_sign
from scratchwork.explaining.notation import is_short, places_of
from scratchwork.explaining.sentences import as_at_school, calculation_sentences, lines_of
from scratchwork.explaining.styles import Style
from scratchwork.explaining.terse import line_of
from scratchwork.machine.operations import Value
from scratchwork.machine.traces import Trace
from scratchwork.machine.trees import NumberNode, OperationNode, Tree, UnknownNode
from scratchwork.machine.writing import Writing
from scratchwork.plans.compiling import (
    PLAIN,
    RationaleItem,
    WrittenResult,
    compile_items,
    results_of,
)
from scratchwork.plans.equations import EQUATION_STEPS, EquationWriter
from scratchwork.plans.plan import (
    Argument,
    Given,
    Plan,
    PlanBuilder,
    PlanConstant,
    PlanUnknown,
    PlanWord,
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

    def __init__(self, problem: Problem, style: Style) -> None:
        self.problem = problem
        self._is_terse = style == "terse"
        self._source = source_tokens(problem)
        self._plan = PlanBuilder()
        self._lines: list[list[Item]] = []
        self._results: list[Value] = []
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

    def results(self) -> list[Value]:
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
            case PlanUnknown() | PlanWord():
                value = None
        assert isinstance(value, float)
        return value

    def say(self, *items: Item) -> None:
        """Add a line."""
        self._lines.append(list(items))

    def say_so(self, *items: Item) -> None:
        """Add a line that follows from those before it."""
        self.say(*([] if self._is_terse else ["so"]), *items)

    def answer(self, *items: Item) -> None:
        """Add the line that states the answer."""
        is_stated = len(items) > 1 and items[1] in ("=", "≈")
        told = "so" if is_stated else "so the answer is"
        self.say("Answer:" if self._is_terse else told, *items)

    def answer_with(self, result: Result, writing: Writing, sign: str) -> None:
        """Add the line that states a result as the answer, written in this way, with a sign behind
        it."""
        if self._is_terse:
            self.answer(WrittenResult(result, writing))
            return
        value = self.number(result)
        places = None if is_short(value) or writing != PLAIN else places_of(value)
        about = [] if places is None else ["about"]
        writing = writing if places is None else Writing("Float_to_Decimal", places)
        self.answer(*about, *written_with_sign(result, value, writing), *([sign] if sign else []))

    def say_solved(self, result: Result) -> None:
        """Add the line of a step that solves an equation, after the steps before it."""
        self.say_steps()
        results = self.results()
        line = self._writer(results).line(result.step)
        self.say(*(line if self._is_terse else as_at_school(line, results, self._source)))

    def say_steps(self, written: str | None = None) -> None:
        """Add a line for each number or word that was computed since the last time; the last of
        them will be `written` so, if that is known."""
        results = self.results()
        if self._told == len(results):
            return
        if not self._is_terse and not self._has_words() and isinstance(results[-1], float):
            plan = Plan(tuple(self._plan.steps), Result(len(results) - 1))
            for k, items in calculation_sentences(plan, results, self._source, written):
                if k >= self._told:
                    self.say(*items)
        else:
            writer = self._writer(results)
            for k in range(self._told, len(results)):
                step = self._plan.steps[k]
                if isinstance(results[k], float | str) and step.operation not in EQUATION_STEPS:
                    self.say(*line_of(step, k, writer))
        self.pass_over_steps()

    def _has_words(self) -> bool:
        """Whether a step computes with words, which the sentences for calculations do not tell."""
        arguments = (argument for step in self._plan.steps for argument in step.arguments)
        return any(isinstance(argument, PlanWord) for argument in arguments)

    def pass_over_steps(self) -> None:
        """Tell none of the steps so far that were not told."""
        self._told = len(self._plan.steps)

    def finish(self, letter: str | None) -> Trace:
        """The executed program, which writes the lines and ends in a letter, if there is one."""
        lines = [list(self._items(line)) for line in self._lines]
        if self._is_terse:
            items = [item for line in lines for item in ("\n", *line)][1:]
        else:
            if letter is not None:
                lines[-1] += [",", "which", "is", "option", letter]
            items = lines_of(lines)
        return compile_items(self._plan.steps, items, self.problem, letter)

    def _items(self, line: Iterable[Item]) -> Iterator[RationaleItem]:
        """A line with its texts as tokens and its expressions as items."""
        results = self.results()
        for item in line:
            match item:
                case str():
                    words = tokenise(item)
                    yield from words if self._is_terse else as_at_school(words, (), ())
                case Result() | PlanUnknown():
                    side = self._writer(results).side(item)
                    yield from side if self._is_terse else as_at_school(side, results, self._source)
                case _:
                    yield item

    def _writer(self, results: list[Value]) -> EquationWriter:
        return EquationWriter(self._source, self._plan.steps, results)
