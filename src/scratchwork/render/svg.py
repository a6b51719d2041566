"""A provenance graph as a picture in SVG.

Promises: the picture needs no other file and has no ids, so that a page can hold several. It is
well-formed XML whatever the values, looks the same on light and dark pages, and its description
says for screen readers all that it shows.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import cycle, pairwise

from scratchwork.render.layout import (
    PADDING,
    PILL_SIZE,
    PLACE_SIZE,
    VALUE_SIZE,
    Box,
    Layout,
    Route,
    Segment,
    lay_out,
)
from scratchwork.render.provenance import Calculation, Graph, Node, NodeKind, on_one_line

TITLE = "Where the numbers come from"


@dataclass(frozen=True, slots=True)
class Colours:
    """The fill of a group's boxes, and the line around and from them."""

    fill: str
    line: str


SHARED = (
    Colours("#99DDFF", "#33708C"),
    Colours("#EEDD88", "#7F7022"),
    Colours("#FFAABB", "#A03C55"),
    Colours("#44BB99", "#12664F"),
    Colours("#EE8866", "#8C3618"),
    Colours("#77AADD", "#2C5787"),
    Colours("#BBCC33", "#5F6A0C"),
    Colours("#C8A8E0", "#6A4490"),
    Colours("#D8B58A", "#7A5424"),
)
"""For numbers in several places: light fills, the first seven after Paul Tol, that the colour-blind
can tell apart, and darker lines."""
ALONE = tuple(
    Colours("#F3F5F7", line) for line in ("#66707A", "#93623A", "#4A6E99", "#805A8C", "#587A45")
)
"""For numbers in one place: no fill colour, but lines that can be told apart."""

INK = "#1B2530"
SOFT_INK = "#2C3844"
_PAPER = "#FFFFFF"
_RIM = "#C9D1D9"
_MARGIN = 24.0
_LEGEND_HEIGHT = 66.0
_LEGEND_WIDTH = 500.0
_MONOSPACED = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_SANS = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif"
_KINDS: Mapping[NodeKind, str] = {
    "question": "from the question",
    "computed": "computed",
    "constant": "constant",
    "answer": "answer",
}


def group_colours(graph: Graph) -> list[Colours]:
    """The colours of each group, taken in turn."""
    shared, alone = cycle(SHARED), cycle(ALONE)
    return [next(shared if len(members) > 1 else alone) for members in graph.groups]


def provenance_svg(graph: Graph) -> str:
    """The picture; GraphTooLargeError if the graph has too many nodes for one."""
    layout = lay_out(graph)
    width = max(layout.width, _LEGEND_WIDTH) + 2 * _MARGIN
    height = layout.height + _LEGEND_HEIGHT + 2 * _MARGIN
    size = f"{width:.0f}", f"{height:.0f}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img" aria-label="{TITLE}" '
        f'font-family="{_MONOSPACED}">',
        f"<title>{TITLE}</title>",
        f"<desc>{_text(_description(graph))}</desc>",
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="10" '
        f'fill="{_PAPER}" stroke="{_RIM}"/>',
        f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">',
        *_drawing(graph, layout),
        "</g>",
        f'<g transform="translate({_MARGIN:.0f} {height - _LEGEND_HEIGHT:.0f})" '
        f'font-family="{_SANS}" font-size="12" fill="{SOFT_INK}">',
        *_legend(),
        "</g>",
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _drawing(graph: Graph, layout: Layout) -> Iterator[str]:
    of_group = group_colours(graph)
    colours = [of_group[node.group] for node in graph.nodes]
    by_source: defaultdict[int, list[Route]] = defaultdict(list)
    for route in layout.routes:
        by_source[route.source].append(route)
    for source, routes in by_source.items():
        yield from _lines(routes, colours[source].line)
    for route in layout.routes:
        end = route.segments[-1]
        yield _arrowhead(end.end, end.y, 3.2, colours[route.source].line)
    for calculation, pill in zip(graph.calculations, layout.pills, strict=True):
        yield from _pill(calculation, graph, pill, layout.boxes[calculation.result])
    for node, box, of_node in zip(graph.nodes, layout.boxes, colours, strict=True):
        yield from _node(node, box, of_node)
    if not graph.nodes:
        yield f'<text y="4" font-size="13" fill="{INK}">This program handles no numbers.</text>'


def _lines(routes: list[Route], colour: str) -> Iterator[str]:
    """All lines from one box; a pale rim shows which line crosses over another."""
    paths = [_path(route.segments) for route in routes]
    for stroke, width in ((_PAPER, 4.4), (colour, 1.8)):
        for path in paths:
            yield f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{width}"/>'


def _path(segments: tuple[Segment, ...]) -> str:
    first = segments[0]
    pieces = [f"M{first.start:.1f} {first.y:.1f}H{first.end:.1f}"]
    for before, after in pairwise(segments):
        bend = (before.end + after.start) / 2
        end = f"{after.start:.1f} {after.y:.1f}"
        pieces.append(f"C{bend:.1f} {before.y:.1f} {bend:.1f} {after.y:.1f} {end}H{after.end:.1f}")
    return "".join(pieces)


def _arrowhead(x: float, y: float, half: float, colour: str) -> str:
    shape = f"M{x:.1f} {y:.1f}l{-2 * half:.1f} {-half:.1f}v{2 * half:.1f}z"
    return f'<path d="{shape}" fill="{colour}"/>'


def _pill(calculation: Calculation, graph: Graph, pill: Box, result: Box) -> Iterator[str]:
    yield f"<g><title>{_text(_sentence(calculation, graph))}</title>"
    yield (
        f'<path d="M{pill.right:.1f} {pill.middle:.1f}H{result.x - 5:.1f}" '
        f'stroke="{INK}" stroke-width="2"/>'
    )
    yield _arrowhead(result.x - 1, result.middle, 4.5, INK)
    yield (
        f'<rect x="{pill.x:.1f}" y="{pill.y:.1f}" width="{pill.width:.1f}" '
        f'height="{pill.height:.1f}" rx="{pill.height / 2:.1f}" fill="{INK}"/>'
    )
    yield (
        f'<text x="{pill.x + pill.width / 2:.1f}" y="{pill.middle + 4.3:.1f}" '
        f'text-anchor="middle" font-size="{PILL_SIZE}" fill="{_PAPER}">'
        f"{_text(calculation.symbol)}</text></g>"
    )


def _node(node: Node, box: Box, colours: Colours) -> Iterator[str]:
    yield f"<g><title>{_text(_named(node))}</title>"
    yield from _shape(node.kind, box, colours)
    yield (
        f'<text x="{box.x + PADDING:.1f}" y="{box.middle + 5:.1f}" font-size="{VALUE_SIZE}" '
        f'font-weight="600" fill="{INK}">{_text(node.label)}</text>'
    )
    yield (
        f'<text x="{box.right - PADDING:.1f}" y="{box.middle + 4:.1f}" text-anchor="end" '
        f'font-size="{PLACE_SIZE}" fill="{SOFT_INK}">{_text(node.place)}</text></g>'
    )


def _shape(kind: NodeKind, box: Box, colours: Colours) -> Iterator[str]:
    """The box of a number; the rim shows its kind, the colour its group."""
    rim = {
        "question": 'stroke-width="1.4"',
        "computed": 'stroke-width="1.4"',
        "constant": 'stroke-width="1.4" stroke-dasharray="4 3"',
        "answer": 'stroke-width="3"',
    }[kind]
    yield (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="7" fill="{colours.fill}" stroke="{colours.line}" {rim}/>'
    )
    if kind == "question":
        yield (
            f'<path d="M{box.x + 4:.1f} {box.y + 6:.1f}v{box.height - 12:.1f}" '
            f'stroke="{colours.line}" stroke-width="3" stroke-linecap="round"/>'
        )


def _legend() -> Iterator[str]:
    x = 0.0
    for kind, text in _KINDS.items():
        yield from _shape(kind, Box(x, 0, 26, 18), ALONE[0])
        yield f'<text x="{x + 34:.0f}" y="13">{text}</text>'
        x += 34 + 6.2 * len(text) + 24
    for k in range(2):
        yield from _shape("computed", Box(15.0 * k, 28, 11, 18), SHARED[0])
    yield '<text x="34" y="41">same colour: one number, copied</text>'
    yield '<text x="255" y="41">two lines into − ÷ ^ …: the upper one comes first</text>'


def _description(graph: Graph) -> str:
    sentences = [_sentence(calculation, graph) for calculation in graph.calculations]
    for members in graph.groups:
        first, *others = (graph.nodes[k] for k in members)
        if others:
            copies = ", ".join(map(_named, others))
            sentences.append(f"{_named(first)} stands also as {copies}.")
    return " ".join(sentences) or "This program handles no numbers."


def _sentence(calculation: Calculation, graph: Graph) -> str:
    arguments = " and ".join(_named(graph.nodes[k]) for k in calculation.arguments)
    return (
        f"{calculation.operation} of {arguments} gives {_named(graph.nodes[calculation.result])}."
    )


def _named(node: Node) -> str:
    return f"{node.value} ({node.place})"


def _text(text: str) -> str:
    return escape(on_one_line(text))
