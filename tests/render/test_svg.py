"""Pictures of traces."""

import re
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from scratchwork.machine.execution import ExecutionError, execute
from scratchwork.machine.expressions import RationalExpression
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import (
    Cell,
    Destination,
    Instruction,
    Program,
    Word,
    parse_program,
)
from scratchwork.machine.traces import Trace
from scratchwork.problems.problem import Problem
from scratchwork.render.provenance import Calculation, Graph, Node, provenance
from scratchwork.render.svg import ALONE, INK, SHARED, SOFT_INK, group_colours, provenance_svg

PROBLEM = Problem("Of 240 pens at 1,250 each , 3/4 or 7 are sold .", ("60", "180", "240", "7"))
DESTINATIONS: tuple[Destination, ...] = ("y", "m")
SVG = "{http://www.w3.org/2000/svg}"


def hostile(first: str, second: str) -> Graph:
    nodes = (Node("y1", first, "constant", 0), Node("y2", second, "answer", 1))
    return Graph(nodes, (Calculation("Check", (0,), 1),))


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """A random program, of those instructions that can be executed."""
    words = ["2", "100", "3/4", "1,000", "=", "<b>", "]]>&"]
    begin = parse_program(
        'Str_to_Float(x2) -> m\nStr_to_Float("2") -> m\nUnknown("x") -> m\nFloat_to_Str(m1) -> y'
    )
    trace = execute(begin, PROBLEM, EXTENDED)
    operations = st.sampled_from(
        [o for one in EXTENDED.operations.values() for o in (one, one.with_unknowns) if o]
    )
    for operation in draw(st.lists(operations, min_size=10, max_size=40)):
        filled = [step.place for step in trace.steps]
        held = list(zip(filled, trace.values, strict=True))
        numbers = [p for p, value in held if isinstance(value, float)]
        unknown = [p for p, value in held if isinstance(value, RationalExpression)]
        strings = [Cell("x", 2), Cell("x", 5), Cell("x", 8), *map(Word, words), *filled]
        of_type = {"number": numbers, "expression": [*unknown, *numbers]}
        arguments = tuple(
            draw(st.sampled_from(of_type.get(kind, strings))) for kind in operation.takes
        )
        to = "m" if operation.gives in of_type else draw(st.sampled_from(DESTINATIONS))
        longer = Program((*trace.program, Instruction(operation.name, arguments, to)))
        try:
            trace = execute(longer, PROBLEM, EXTENDED)
        except ExecutionError:
            continue
    return trace


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


@settings(deadline=None)
@given(traces())
def test_the_picture_of_any_trace_is_well_formed_and_shows_every_number(trace: Trace) -> None:
    graph = provenance(trace)
    shown = texts(provenance_svg(graph))
    for node in graph.nodes:
        assert node.place in shown
        assert node.label in shown
    for calculation in graph.calculations:
        assert calculation.symbol in shown


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_picture_is_well_formed_whatever_the_values(first: str, second: str) -> None:
    graph = hostile(first, second)
    assert {node.label for node in graph.nodes} <= set(texts(provenance_svg(graph)))


def test_values_bring_no_elements_of_their_own() -> None:
    attack = hostile("</text><script>1</script>", '"\x00\x0b\ud800\ufffe<a href="x">')
    plain = hostile("1" * 99, "2" * 99)
    tags = [
        [element.tag for element in ElementTree.fromstring(provenance_svg(graph)).iter()]
        for graph in (attack, plain)
    ]
    assert tags[0] == tags[1]


def test_the_picture_stands_alone(kings_trace: Trace) -> None:
    picture = provenance_svg(provenance(kings_trace))
    assert not re.search(r"<script|<style|<image|\bhref|\burl\(|\bid=|@import", picture)


def test_the_picture_describes_itself(kings_trace: Trace) -> None:
    root = ElementTree.fromstring(provenance_svg(provenance(kings_trace)))
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert root.findtext(f"{SVG}title")
    description = root.findtext(f"{SVG}desc") or ""
    assert "Choose of 52 (x5) and 2 (y17) gives 1326 (y19)." in description
    assert "52 (x5) stands also as 52 (y15)." in description


def test_the_picture_has_its_own_background(kings_trace: Trace) -> None:
    background = ElementTree.fromstring(provenance_svg(provenance(kings_trace))).find(f"{SVG}rect")
    assert background is not None
    assert background.get("fill") == "#FFFFFF"


def test_a_graph_without_numbers_says_so() -> None:
    assert "This program handles no numbers." in texts(provenance_svg(Graph((), ())))


def test_the_same_trace_gives_the_same_picture(kings_trace: Trace) -> None:
    assert provenance_svg(provenance(kings_trace)) == provenance_svg(provenance(kings_trace))


def luminance(colour: str) -> float:
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_texts_and_lines_have_enough_contrast() -> None:
    for colours in SHARED + ALONE:
        assert contrast(colours.fill, INK) >= 6
        assert contrast(colours.fill, SOFT_INK) >= 4.5
        assert contrast(colours.line, "#FFFFFF") >= 4.5


def test_only_numbers_in_several_places_are_coloured(kings_trace: Trace) -> None:
    graph = provenance(kings_trace)
    for members, colours in zip(graph.groups, group_colours(graph), strict=True):
        assert (colours in SHARED) == (len(members) > 1)
