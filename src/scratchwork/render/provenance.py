"""Where the numbers of a trace come from, as a graph of plain data.

Promises: nodes are the places that hold numbers, calculations join them. Copies and conversions
are folded away: the places that hold one number because it was copied or rewritten form a group.
Of a group, source and output tokens are shown; a memory cell is shown only where no token holds
its number. The letter found by `Check` is a node too, and so is whatever it looked up. The same
trace gives the same graph, in the order of the program.

Does not cover: words, source numbers that the program never uses, and the number of decimals that
a conversion writes (`Float_to_Decimal`), which says how a number looks and not where it is from.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from scratchwork.machine.operations import EXTENDED, Value
from scratchwork.machine.programs import Cell, Reference, Word
from scratchwork.machine.traces import Trace, TraceStep
from scratchwork.problems.numerals import write_number
from scratchwork.problems.tokens import is_number

NodeKind = Literal["question", "computed", "constant", "answer"]
"""How a number came in: read from the problem, computed, written out, or found by `Check`."""

LONGEST_LABEL = 18

_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "Add": "+",
        "Subtract": "−",
        "Multiply": "×",
        "Divide": "÷",
        "Power": "^",
        "Log": "log",
        "Sqrt": "√",
        "Sine": "sin",
        "Cosine": "cos",
        "Tangent": "tan",
        "Factorial": "n!",
        "Radians_to_Degrees": "rad→deg",
        "Degrees_to_Radians": "deg→rad",
        "Percent": "% of",
        "Absolute": "|a|",
    }
)


@dataclass(frozen=True, slots=True)
class Node:
    """A place that holds a number (or the answer's letter)."""

    place: str
    """`x5`, `y19` or `m3`; `z62.1` for a word that is the first argument of instruction 62."""
    value: str
    kind: NodeKind
    group: int
    """Nodes of one group hold the same number, copied or rewritten."""

    @property
    def label(self) -> str:
        """The value as a picture shows it: printable and short."""
        text = printable(self.value)
        return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


@dataclass(frozen=True, slots=True)
class Calculation:
    """An operation that made a number; arguments and result are indices into the nodes."""

    operation: str
    arguments: tuple[int, ...]
    result: int

    @property
    def symbol(self) -> str:
        """The sign a reader knows (`÷`), or the operation's name."""
        return _SYMBOLS.get(self.operation, self.operation)

    @property
    def order_matters(self) -> bool:
        """Whether exchanging the arguments could change the result."""
        return len(self.arguments) > 1 and not EXTENDED[self.operation].commutes


@dataclass(frozen=True, slots=True)
class Graph:
    """The numbers of a trace and the calculations between them, in the order of the program."""

    nodes: tuple[Node, ...]
    calculations: tuple[Calculation, ...]

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The nodes of each group, as indices."""
        members: list[list[int]] = []
        for k, node in enumerate(self.nodes):
            if node.group == len(members):
                members.append([])
            members[node.group].append(k)
        return tuple(map(tuple, members))

    @property
    def depths(self) -> dict[int, int]:
        """How many calculations deep a group lies, for all groups that take part in one.

        What is given lies right before its first use.
        """
        depths: dict[int, int] = {}
        first_use: dict[int, int] = {}
        for calculation in self.calculations:
            arguments = {self.nodes[k].group for k in calculation.arguments}
            depth = 1 + max(depths.get(group, 0) for group in arguments)
            depths[self.nodes[calculation.result].group] = depth
            for group in arguments:
                first_use[group] = min(depth, first_use.get(group, depth))
        return {group: depth - 1 for group, depth in first_use.items()} | depths


def printable(text: str) -> str:
    """The text with spaces for white space and a mark for what has no shape, on one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def provenance(trace: Trace) -> Graph:
    """The graph of a trace's numbers."""
    tracer = _Tracer(trace.source)
    for step in trace.steps:
        operation = trace.operations[step.instruction.operation]
        if operation.converts:
            tracer.convert(step)
        else:
            tracer.calculate(step, "answer" if operation.reads_options else "computed")
    return tracer.graph()


@dataclass(slots=True)
class _Number:
    """One number, with all the places that hold it in the order they were filled."""

    kind: NodeKind
    values: dict[str, Value] = field(default_factory=dict[str, Value])

    def is_numeric(self) -> bool:
        return any(
            not isinstance(value, str) or is_number(value.removeprefix("-"))
            for value in self.values.values()
        )

    def shown(self) -> list[str]:
        tokens = [place for place in self.values if place[0] in "xy"]
        cells = [place for place in self.values if place[0] == "m"]
        return tokens or cells[:1] or list(self.values)

    def is_written(self) -> bool:
        return any(place[0] == "y" for place in self.values)


@dataclass(frozen=True, slots=True)
class _Origin:
    """Which number a place holds, and the nearest token it was copied from, if any."""

    number: int
    token: str | None


class _Tracer:
    """Follows every value through the program."""

    def __init__(self, source: tuple[str, ...]) -> None:
        self._source = source
        self._numbers: list[_Number] = []
        self._origins: dict[str, _Origin] = {}
        self._calculations: list[tuple[str, tuple[str, ...], str]] = []

    def convert(self, step: TraceStep) -> None:
        # A second argument only says how to write the first.
        origin = self._origins[self._place(step.instruction.arguments[0], step, 1)]
        self._fill(str(step.place), step.value, origin)

    def calculate(self, step: TraceStep, kind: NodeKind) -> None:
        references = enumerate(step.instruction.arguments, 1)
        arguments = tuple(self._place(reference, step, k) for k, reference in references)
        result = str(step.place)
        self._begin(result, step.value, kind)
        self._calculations.append((step.instruction.operation, arguments, result))

    def _place(self, reference: Reference, step: TraceStep, k: int) -> str:
        """The place an argument names; tokens and words count from the first time they are read."""
        match reference:
            case Word(text):
                place = f"z{step.position}.{k}"
                self._begin(place, text, "constant")
            case Cell(room, number):
                place = str(reference)
                if room == "x" and place not in self._origins:
                    self._begin(place, self._source[number - 1], "question")
        return place

    def _begin(self, place: str, value: Value, kind: NodeKind) -> None:
        self._numbers.append(_Number(kind))
        self._fill(place, value, _Origin(len(self._numbers) - 1, None))

    def _fill(self, place: str, value: Value, origin: _Origin) -> None:
        self._numbers[origin.number].values[place] = value
        token = place if place[0] in "xy" else origin.token
        self._origins[place] = _Origin(origin.number, token)

    def graph(self) -> Graph:
        nodes = tuple(self._nodes())
        index = {node.place: k for k, node in enumerate(nodes)}
        first_shown = [number.shown()[0] for number in self._numbers]

        def node_of(place: str) -> int:
            origin = self._origins[place]
            return index[origin.token or first_shown[origin.number]]

        calculations = (
            Calculation(operation, tuple(map(node_of, arguments)), node_of(result))
            for operation, arguments, result in self._calculations
        )
        return Graph(nodes, tuple(calculations))

    def _nodes(self) -> Iterator[Node]:
        calculated = {
            self._origins[place].number
            for _, arguments, result in self._calculations
            for place in (*arguments, result)
        }
        group = 0
        for k, number in enumerate(self._numbers):
            if k in calculated or (number.is_written() and number.is_numeric()):
                for place in number.shown():
                    value = number.values[place]
                    text = value if isinstance(value, str) else write_number(value)
                    yield Node(place, text, number.kind, group)
                group += 1
