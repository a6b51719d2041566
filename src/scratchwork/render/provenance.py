"""Where the numbers of a trace come from, as a graph of plain data.

Promises: nodes are the places that hold numbers, joined by calculations. Places that hold one
number because it was copied or converted form a group, of which source and output tokens are shown,
or a memory cell if there is no token. The letter found by `Check` and what it looked up are nodes
too. The graph is in the order of the program.

Does not cover: words, source numbers that the program never uses, and the number of decimals that
a conversion writes (`Float_to_Decimal`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scratchwork.machine.operations import EXTENDED, Value
from scratchwork.machine.programs import Word
from scratchwork.machine.traces import Trace, TraceStep, value_text
from scratchwork.problems.tokens import is_number

NodeKind = Literal["question", "computed", "constant", "answer"]
"""Where a number is from: the problem, an operation, a word, or `Check`."""

LONGEST_LABEL = 18

_SYMBOLS: Mapping[str, str] = {
    "Add": "+", "Subtract": "−", "Multiply": "×", "Divide": "÷", "Power": "^", "Log": "log",
    "Sqrt": "√", "Sine": "sin", "Cosine": "cos", "Tangent": "tan", "Factorial": "n!",
    "Radians_to_Degrees": "rad→deg", "Degrees_to_Radians": "deg→rad", "Percent": "% of",
    "Absolute": "|a|", "Unknown": "let", "Solve": "solve", "Larger_Root": "larger root",
    "Smaller_Root": "smaller root", "Express": "express", "Coefficient": "before power",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """A place that holds a number (or the answer's letter)."""

    place: str
    """`x5`, `y19` or `m3`; `z62.1` is a word, the first argument of instruction 62."""
    value: str
    kind: NodeKind
    group: int
    """Nodes of one group hold the same number, copied or converted."""

    @property
    def label(self) -> str:
        """The value, printable and short."""
        text = on_one_line(self.value)
        return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


@dataclass(frozen=True, slots=True)
class Calculation:
    """An operation; arguments and result are indices of nodes."""

    operation: str
    arguments: tuple[int, ...]
    result: int

    @property
    def symbol(self) -> str:
        """The usual sign (`÷`), or the operation's name."""
        return _SYMBOLS.get(self.operation, self.operation)

    @property
    def order_matters(self) -> bool:
        """Whether the operation does not commute."""
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
        """The depth in calculations of each group that takes part in one; what is given is one less
        deep than its first use."""
        depths: dict[int, int] = {}
        first_use: dict[int, int] = {}
        for calculation in self.calculations:
            arguments = {self.nodes[k].group for k in calculation.arguments}
            depth = 1 + max(depths.get(group, 0) for group in arguments)
            depths[self.nodes[calculation.result].group] = depth
            for group in arguments:
                first_use[group] = min(depth, first_use.get(group, depth))
        return {group: depth - 1 for group, depth in first_use.items()} | depths


def on_one_line(text: str) -> str:
    """The text on one line, with `\ufffd` for what cannot be printed."""
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
    """One number, with the places that hold it in the order of the program."""

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


class _Origin(NamedTuple):
    """The number that a place holds, and the last token that it was copied from."""

    number: int
    token: str | None


class _Tracer:
    """Tracks every value through the program."""

    def __init__(self, source: tuple[str, ...]) -> None:
        self._source = source
        self._numbers: list[_Number] = []
        self._origins: dict[str, _Origin] = {}
        self._calculations: list[tuple[str, tuple[str, ...], str]] = []

    def convert(self, step: TraceStep) -> None:
        # A second argument only says how the first is written.
        origin = self._origins[self._place(step, 0)]
        self._fill(str(step.place), step.value, origin)

    def calculate(self, step: TraceStep, kind: NodeKind) -> None:
        arguments = tuple(self._place(step, k) for k in range(len(step.instruction.arguments)))
        result = str(step.place)
        self._begin(result, step.value, kind)
        self._calculations.append((step.instruction.operation, arguments, result))

    def _place(self, step: TraceStep, k: int) -> str:
        """The place that an argument names; source tokens and words are entered when first read."""
        reference = step.instruction.arguments[k]
        if isinstance(reference, Word):
            place = f"z{step.position}.{k + 1}"
            self._begin(place, reference.text, "constant")
            return place
        place = str(reference)
        if reference.room == "x" and place not in self._origins:
            self._begin(place, self._source[reference.k - 1], "question")
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
                    yield Node(place, value_text(number.values[place]), number.kind, group)
                group += 1
