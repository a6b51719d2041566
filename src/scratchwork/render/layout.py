"""The layout of a provenance graph: layered drawing by barycenter sweeps and least squares.

Promises: columns run from left to right, every number to the right of those it is computed from;
a group is a stack in one column; no boxes or pills overlap, and no line crosses a box, since lines
bend only between columns. The same graph gets the same layout.

Does not cover: graphs of more than `MOST_NODES` numbers, the best layout, and the true widths of
fonts.
"""

import unicodedata
from bisect import bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from scratchwork.errors import UserError
from scratchwork.render.provenance import Calculation, Graph

MOST_NODES = 250
BOX_HEIGHT, PILL_HEIGHT = 28.0, 24.0
VALUE_SIZE, PLACE_SIZE, PILL_SIZE = 14.0, 10.5, 12.5
PADDING = 11.0
"""Room inside a box around its texts."""

_MOST_ROWS = 12
_MEMBER_GAP = 3.0
_GROUP_GAP = 20.0
_LINE_GAP = 12.0
_PORT_DISTANCE = 10.0
_ARROW = 20.0
_LEAD = 12.0
"""The level end of a line before its pill, which keeps lines apart after crossings."""
_NARROWEST_GAP, _WIDEST_GAP, _GAP_PER_RISE = 44.0, 110.0, 0.25
_LEAST_WIDTH = 600.0
_ORDER_SWEEPS, _HEIGHT_SWEEPS = 16, 32


class GraphTooLargeError(UserError):
    """The graph has too many numbers for a picture."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, given by its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Segment:
    """A level piece of a line; between segments it curves."""

    start: float
    end: float
    y: float


@dataclass(frozen=True, slots=True)
class Route:
    """The line from the box of an argument to the pill of a calculation."""

    source: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A box for each node, a pill for each calculation, and the lines between them."""

    boxes: tuple[Box, ...]
    pills: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def lay_out(graph: Graph) -> Layout:
    """The layout of a graph; GraphTooLargeError if it has too many nodes."""
    if len(graph.nodes) > MOST_NODES:
        raise GraphTooLargeError(
            f"the trace has {len(graph.nodes)} numbers, more than the {MOST_NODES} that a picture "
            "can show; look at its table instead"
        )
    drawing = _Drawing(graph)
    _order(drawing.columns)
    for sweep in range(_HEIGHT_SWEEPS):
        for column in drawing.columns if sweep % 2 == 0 else reversed(drawing.columns):
            _settle(column)
    return drawing.measure()


def _text_width(text: str, size: float) -> float:
    """The width in a monospaced font, where wide characters count twice."""
    cells = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return cells * size * 0.61


@dataclass(slots=True, eq=False)
class _Item:
    """An entry of a column: a group of boxes, or a line that passes through."""

    height: float
    is_line: bool = False
    middle: float = 0.0
    incoming: list["_Link"] = field(default_factory=list["_Link"])
    outgoing: list["_Link"] = field(default_factory=list["_Link"])

    def barycenter(self, links: Sequence["_Link"]) -> float:
        """The height at which the links are most level: their mean."""
        return fmean(link.level_for(self) for link in links) if links else self.middle


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """A line between items of adjacent columns; the offsets are below their middles."""

    left: _Item
    left_offset: float
    right: _Item
    right_offset: float

    @property
    def weight(self) -> int:
        # Long lines should be straight, and rise or fall at their ends.
        return 6 if self.left.is_line and self.right.is_line else 1

    @property
    def ends(self) -> tuple[float, float]:
        return self.left.middle + self.left_offset, self.right.middle + self.right_offset

    def level_for(self, item: _Item) -> float:
        if item is self.right:
            return self.left.middle + self.left_offset - self.right_offset
        return self.right.middle + self.right_offset - self.left_offset


def _group_columns(graph: Graph) -> list[list[int]]:
    """The groups of each column; those without calculations are in none."""
    depths = graph.depths
    by_depth: list[list[int]] = [[] for _ in range(max(depths.values(), default=-1) + 1)]
    for group in sorted(depths):
        by_depth[depths[group]].append(group)
    sizes = [len(members) for members in graph.groups]
    return [part for groups in by_depth for part in _split(groups, sizes)]


def _split(groups: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """About equal parts of at most `_MOST_ROWS` rows, unless one group has more."""
    rows = sum(sizes[group] for group in groups)
    share = rows / -(-rows // _MOST_ROWS)
    part: list[int] = []
    filled = 0
    for group in groups:
        if part and filled + sizes[group] > share:
            yield part
            part, filled = [], 0
        part.append(group)
        filled += sizes[group]
    yield part


def _distance(upper: _Item, lower: _Item) -> float:
    gap = _LINE_GAP if upper.is_line or lower.is_line else _GROUP_GAP
    return (upper.height + lower.height) / 2 + gap


def _stack(*columns: Sequence[_Item]) -> None:
    """Pack the items of each column, in their order, around height 0."""
    for column in columns:
        at = 0.0
        for k, item in enumerate(column):
            at += _distance(column[k - 1], item) if k else 0.0
            item.middle = at
        for item in column:
            item.middle -= at / 2


def _crossings(columns: list[list[_Item]]) -> int:
    """The number of pairs of links that cross."""
    count = 0
    for column in columns:
        right_ends: list[float] = []
        for _, right in sorted(link.ends for item in column for link in item.outgoing):
            count += len(right_ends) - bisect_right(right_ends, right)
            insort(right_ends, right)
    return count


def _order(columns: list[list[_Item]]) -> None:
    """Sort each column by barycenters, sweeping both ways; keep the order with fewest crossings."""
    _stack(*columns)
    best, fewest = [list(column) for column in columns], _crossings(columns)
    for sweep in range(_ORDER_SWEEPS):
        rightwards = sweep % 2 == 0
        for column in columns if rightwards else reversed(columns):
            heights = {
                item: item.barycenter(item.incoming if rightwards else item.outgoing)
                for item in column
            }
            column.sort(key=heights.__getitem__)
            _stack(column)
        crossings = _crossings(columns)
        if crossings < fewest:
            best, fewest = [list(column) for column in columns], crossings
    columns[:] = best
    _stack(*columns)


def _settle(column: Sequence[_Item]) -> None:
    """Move the items, in their order, to where their links are most level.

    Least squares with minimal distances: items that would collide move as one block.
    """
    blocks: list[tuple[float, int, int]] = []  # height of the first item, weight, number of items
    below_first = [0.0]
    for k, item in enumerate(column):
        if k:
            below_first.append(below_first[-1] + _distance(column[k - 1], item))
        links = [link for link in item.incoming + item.outgoing for _ in range(link.weight)]
        at, weight, count = item.barycenter(links) - below_first[k], len(links), 1
        while blocks and blocks[-1][0] > at:
            above, above_weight, above_count = blocks.pop()
            at = (above * above_weight + at * weight) / (above_weight + weight)
            weight += above_weight
            count += above_count
        blocks.append((at, weight, count))
    firsts = (at for at, _, count in blocks for _ in range(count))
    for item, first, below in zip(column, firsts, below_first, strict=True):
        item.middle = first + below


class _Span(NamedTuple):
    """The x of a column: its start, the start of its boxes, and its end."""

    start: float
    boxes: float
    end: float


class _Drawing:
    """The groups of a graph as linked items in columns."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._members = graph.groups
        self._group_columns = _group_columns(graph)
        self._groups = [_Item(_stacked_height(len(members))) for members in self._members]
        self._column_of = {g: c for c, groups in enumerate(self._group_columns) for g in groups}
        self.columns: list[list[_Item]] = [
            [self._groups[g] for g in gs] for gs in self._group_columns
        ]
        self._offsets = {
            node: _off_middle(row, len(members), BOX_HEIGHT + _MEMBER_GAP)
            for members in self._members
            for row, node in enumerate(members)
        }
        self._lines: dict[tuple[int, int], _Item] = {}
        """The items of a node's line, by node and column."""
        for calculation in graph.calculations:
            for argument in range(len(calculation.arguments)):
                self._connect(calculation, argument)

    def _connect(self, calculation: Calculation, argument: int) -> None:
        node = calculation.arguments[argument]
        start, end = (self._column(k) for k in (node, calculation.result))
        item, offset = self._item(node), self._offsets[node]
        for column in range(start + 1, end):
            line = self._lines.get((node, column))
            if line is None:
                line = self._lines[node, column] = _Item(0.0, is_line=True)
                self.columns[column].append(line)
                _link(item, offset, line, 0.0)
            item, offset = line, 0.0
        result = calculation.result
        port = self._offsets[result]
        if calculation.order_matters:
            port += _off_middle(argument, len(calculation.arguments), _PORT_DISTANCE)
        _link(item, offset, self._item(result), port)

    def _item(self, node: int) -> _Item:
        return self._groups[self._graph.nodes[node].group]

    def _column(self, node: int) -> int:
        return self._column_of[self._graph.nodes[node].group]

    def measure(self) -> Layout:
        """The layout, once the items have their heights."""
        spans = self._spans()
        items = [item for column in self.columns for item in column]
        top = min((item.middle - item.height / 2 for item in items), default=0.0)
        boxes: dict[int, Box] = {}
        for item in items:
            item.middle -= top
        for span, groups in zip(spans, self._group_columns, strict=True):
            for node in (k for group in groups for k in self._members[group]):
                y = self._item(node).middle + self._offsets[node] - BOX_HEIGHT / 2
                boxes[node] = Box(span.boxes, y, span.end - span.boxes, BOX_HEIGHT)
        width = spans[-1].end if spans else 0.0
        height = max((item.middle + item.height / 2 for item in items), default=0.0)
        unlinked = dict(self._unlinked(height + 2 * _GROUP_GAP, max(width, _LEAST_WIDTH)))
        boxes |= unlinked
        pills: list[Box] = []
        routes: list[Route] = []
        for calculation in self._graph.calculations:
            pills.append(_pill(calculation, boxes[calculation.result]))
            routes += self._routes(calculation, pills[-1], boxes, spans)
        return Layout(
            tuple(boxes[k] for k in range(len(boxes))),
            tuple(pills),
            tuple(routes),
            max([width, *(box.right for box in unlinked.values())]),
            max([height, *(box.y + box.height for box in unlinked.values())]),
        )

    def _spans(self) -> list[_Span]:
        spans: list[_Span] = []
        results = {calculation.result: calculation for calculation in self._graph.calculations}
        for column, groups in enumerate(self._group_columns):
            nodes = [k for group in groups for k in self._members[group]]
            pills = [_LEAD + _pill_width(results[k]) + _ARROW for k in nodes if k in results]
            ends = [link.ends for item in self.columns[column] for link in item.incoming]
            rise = max((abs(left - right) for left, right in ends), default=0.0)
            gap = min(_WIDEST_GAP, _NARROWEST_GAP + _GAP_PER_RISE * rise)
            start = spans[-1].end + gap if spans else 0.0
            boxes = start + max(pills, default=0.0)
            spans.append(_Span(start, boxes, boxes + max(map(self._box_width, nodes))))
        return spans

    def _box_width(self, node: int) -> float:
        value = _text_width(self._graph.nodes[node].label, VALUE_SIZE)
        return value + _text_width(self._graph.nodes[node].place, PLACE_SIZE) + 3 * PADDING

    def _unlinked(self, top: float, widest: float) -> Iterator[tuple[int, Box]]:
        """The numbers without calculations, in rows below the others."""
        x = bottom = 0.0
        apart = (g for g in range(len(self._members)) if g not in self._column_of)
        for members in (self._members[group] for group in apart):
            width = max(map(self._box_width, members))
            if x and x + width > widest:
                x, top = 0.0, bottom + _GROUP_GAP
            for row, node in enumerate(members):
                yield node, Box(x, top + row * (BOX_HEIGHT + _MEMBER_GAP), width, BOX_HEIGHT)
            x += width + _GROUP_GAP
            bottom = max(bottom, top + _stacked_height(len(members)))

    def _routes(
        self, calculation: Calculation, pill: Box, boxes: Mapping[int, Box], spans: list[_Span]
    ) -> Iterator[Route]:
        to = self._column(calculation.result)
        beginnings: list[tuple[int, list[Segment]]] = []
        for node in calculation.arguments:
            segments = [Segment(boxes[node].right, boxes[node].right, boxes[node].middle)]
            for column in range(self._column(node) + 1, to):
                span, line = spans[column], self._lines[node, column]
                segments.append(Segment(span.start, span.end, line.middle))
            beginnings.append((node, segments))
        if not calculation.order_matters:
            beginnings.sort(key=lambda beginning: beginning[1][-1].y)
        for k, (node, segments) in enumerate(beginnings):
            y = pill.middle + _off_middle(k, len(beginnings), _PORT_DISTANCE)
            yield Route(node, (*segments, Segment(spans[to].start, pill.x, y)))


def _link(left: _Item, left_offset: float, right: _Item, right_offset: float) -> None:
    link = _Link(left, left_offset, right, right_offset)
    left.outgoing.append(link)
    right.incoming.append(link)


def _stacked_height(rows: int) -> float:
    return rows * (BOX_HEIGHT + _MEMBER_GAP) - _MEMBER_GAP


def _off_middle(k: int, count: int, step: float) -> float:
    """The offset of member k below the middle of its stack."""
    return (k - (count - 1) / 2) * step


def _pill_width(calculation: Calculation) -> float:
    return _text_width(calculation.symbol, PILL_SIZE) + 18.0


def _pill(calculation: Calculation, result: Box) -> Box:
    width = _pill_width(calculation)
    y = result.middle - PILL_HEIGHT / 2
    return Box(result.x - _ARROW - width, y, width, PILL_HEIGHT)
