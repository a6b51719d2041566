"""Layouts of random graphs."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.render.layout import MOST_NODES, Box, GraphTooLargeError, Layout, lay_out
from scratchwork.render.provenance import Calculation, Graph, Node


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Groups of one to four places; some groups are computed from earlier ones."""
    nodes: list[Node] = []
    calculations: list[Calculation] = []
    for group in range(draw(st.integers(0, 25))):
        first = len(nodes)
        value = draw(st.sampled_from(["7", "1,326", "0.333333333333", "漢" * 30, "9" * 60]))
        operation = draw(st.sampled_from(["Add", "Divide", "Sqrt", "Radians_to_Degrees", ""]))
        size = draw(st.integers(1, 4))
        kind = "computed" if first and operation else "question"
        nodes += (Node(f"y{first + k}", value, kind, group) for k in range(size))
        if kind == "computed":
            count = 2 if operation in ("Add", "Divide") else 1
            earlier = st.integers(0, first - 1)
            arguments = tuple(draw(st.lists(earlier, min_size=count, max_size=count)))
            calculations.append(Calculation(operation, arguments, first))
    return Graph(tuple(nodes), tuple(calculations))


def overlap(a: Box, b: Box) -> bool:
    return a.x < b.right and b.x < a.right and a.y < b.y + b.height and b.y < a.y + a.height


def line_points(layout: Layout) -> list[tuple[int, float, float]]:
    return [
        (route.source, x, segment.y)
        for route in layout.routes
        for segment in route.segments[1:]
        for x in (segment.start, (segment.start + segment.end) / 2, segment.end - 0.01)
    ]


@given(graphs())
def test_no_two_boxes_or_pills_overlap(graph: Graph) -> None:
    layout = lay_out(graph)
    assert not any(overlap(a, b) for a, b in combinations(layout.boxes + layout.pills, 2))


@given(graphs())
def test_no_line_runs_through_a_box_or_a_pill(graph: Graph) -> None:
    layout = lay_out(graph)
    for _, x, y in line_points(layout):
        for box in layout.boxes + layout.pills:
            assert not (box.x < x < box.right and box.y < y < box.y + box.height)


@given(graphs())
def test_lines_lead_rightwards_from_argument_to_pill_to_result(graph: Graph) -> None:
    layout = lay_out(graph)
    routes = iter(layout.routes)
    for calculation, pill in zip(graph.calculations, layout.pills, strict=True):
        for _ in calculation.arguments:
            route = next(routes)
            xs = [x for segment in route.segments for x in (segment.start, segment.end)]
            assert xs == sorted(xs)
            assert xs[0] == layout.boxes[route.source].right
            assert xs[-1] == pill.x
            assert pill.y < route.segments[-1].y < pill.y + pill.height
        assert pill.right < layout.boxes[calculation.result].x
    assert next(routes, None) is None


@given(graphs())
def test_a_group_is_stacked_in_one_column(graph: Graph) -> None:
    layout = lay_out(graph)
    for members in graph.groups:
        boxes = [layout.boxes[k] for k in members]
        assert len({(box.x, box.width) for box in boxes}) == 1
        steps = {round(b.y - a.y, 6) for a, b in pairwise(boxes)}
        assert len(steps) <= 1


@given(graphs())
def test_everything_lies_within_the_stated_size(graph: Graph) -> None:
    layout = lay_out(graph)
    for box in layout.boxes + layout.pills:
        assert box.x >= 0
        assert box.right <= layout.width + 1e-6
        assert box.y >= -1e-6
        assert box.y + box.height <= layout.height + 1e-6
    assert all(-1e-6 <= y <= layout.height + 1e-6 for _, _, y in line_points(layout))


@given(graphs())
def test_the_same_graph_gets_the_same_layout(graph: Graph) -> None:
    assert lay_out(graph) == lay_out(graph)


def test_the_upper_line_is_the_first_argument_where_order_matters() -> None:
    nodes = tuple(Node(f"m{k}", str(k), "computed", k) for k in range(6))
    calculations = (Calculation("Divide", (1, 0), 2), Calculation("Subtract", (0, 1), 3))
    layout = lay_out(Graph(nodes, calculations))
    for first, second in (layout.routes[:2], layout.routes[2:]):
        assert first.segments[-1].y < second.segments[-1].y
    assert [route.source for route in layout.routes] == [1, 0, 0, 1]


def test_a_long_column_is_split() -> None:
    given_numbers = tuple(Node(f"x{k}", str(k), "question", k) for k in range(20))
    sums = tuple(Node(f"m{k}", str(k), "computed", 20 + k) for k in range(10))
    calculations = tuple(Calculation("Add", (2 * k, 2 * k + 1), 20 + k) for k in range(10))
    layout = lay_out(Graph(given_numbers + sums, calculations))
    columns = [box.x for box in layout.boxes[:20]]
    assert sorted(columns.count(x) for x in set(columns)) == [10, 10]


def test_a_graph_too_large_to_read_is_refused() -> None:
    nodes = tuple(Node(f"y{k}", "7", "constant", k) for k in range(MOST_NODES + 1))
    assert len(lay_out(Graph(nodes[:-1], ())).boxes) == MOST_NODES
    with pytest.raises(GraphTooLargeError, match="look at its table"):
        lay_out(Graph(nodes, ()))
