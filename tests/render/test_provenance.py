"""The graph of a trace's numbers."""

from scratchwork.machine.execution import execute
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import parse_program
from scratchwork.machine.traces import Trace
from scratchwork.problems.problem import Problem
from scratchwork.render.provenance import Graph, Node, provenance

PROBLEM = Problem(
    "Of 240 pens at 1,250 each , 3/4 are sold on Tuesday .", ("60", "180", "Monday", "Tuesday")
)


def graph_of(*lines: str) -> Graph:
    return provenance(execute(parse_program("\n".join(lines)), PROBLEM, EXTENDED))


def shown(graph: Graph) -> list[tuple[str, str, str]]:
    return [(node.place, node.value, node.kind) for node in graph.nodes]


def edges(graph: Graph) -> list[tuple[str, tuple[str, ...], str]]:
    return [
        (c.operation, tuple(graph.nodes[k].place for k in c.arguments), graph.nodes[c.result].place)
        for c in graph.calculations
    ]


def test_kings_are_computed_as_the_paper_says(kings_trace: Trace) -> None:
    graph = provenance(kings_trace)
    by_value = [
        (c.operation, [graph.nodes[k].value for k in c.arguments], graph.nodes[c.result].value)
        for c in graph.calculations
    ]
    assert by_value == [
        ("Choose", ["52", "2"], "1326"),
        ("Choose", ["4", "2"], "6"),
        ("Divide", ["6", "1326"], "1/221"),
        ("Check", ["1/221"], "C"),
    ]
    assert edges(graph)[0] == ("Choose", ("x5", "y17"), "y19")


def test_kings_are_grouped_by_the_number_they_hold(kings_trace: Trace) -> None:
    graph = provenance(kings_trace)
    assert [[graph.nodes[k].place for k in members] for members in graph.groups] == [
        ["x5", "y15"],
        ["y17", "y26", "y39"],
        ["y19", "y50"],
        ["y30", "y37"],
        ["y41", "y48"],
        ["y52"],
        ["y56", "y58"],
    ]


def test_kings_have_the_kinds_of_their_origins(kings_trace: Trace) -> None:
    graph = provenance(kings_trace)
    kinds = [graph.nodes[members[0]].kind for members in graph.groups]
    assert kinds == [
        "question",
        "constant",
        "computed",
        "constant",
        "computed",
        "computed",
        "answer",
    ]


def test_conversions_make_no_edge() -> None:
    graph = graph_of("Str_to_Float(x2) -> m", "Id(m1) -> m", "Float_to_Str(m2) -> y")
    assert graph.calculations == ()
    assert shown(graph) == [("x2", "240", "question"), ("y1", "240", "question")]
    assert len(graph.groups) == 1


def test_a_rewritten_number_stays_in_its_group() -> None:
    graph = graph_of("Thousands_to_Float(x5) -> m", "Float_to_Str(m1) -> y")
    assert [(node.value, node.group) for node in graph.nodes] == [("1,250", 0), ("1250", 0)]


def test_the_decimals_to_write_make_no_node() -> None:
    graph = graph_of(
        "Str_to_Float(x2) -> m", 'Str_to_Float("2") -> m', "Float_to_Decimal(m1, m2) -> y"
    )
    assert shown(graph) == [("x2", "240", "question"), ("y1", "240.00", "question")]


def test_words_make_no_nodes() -> None:
    assert graph_of('Id("Let") -> y', "Id(x1) -> y", 'Id("=") -> y') == Graph((), ())


def test_source_numbers_never_used_make_no_nodes() -> None:
    assert graph_of("Str_to_Float(x2) -> m", 'Str_to_Float("7") -> m') == Graph((), ())


def test_a_source_number_that_is_only_copied_is_shown() -> None:
    assert shown(graph_of("Id(x8) -> y")) == [
        ("x8", "3/4", "question"),
        ("y1", "3/4", "question"),
    ]


def test_a_computed_cell_that_is_never_written_is_shown() -> None:
    graph = graph_of("Str_to_Float(x2) -> m", "Sqrt(m1) -> m", "Id(m2) -> m", "Floor(m3) -> m")
    assert edges(graph) == [("Sqrt", ("x2",), "m2"), ("Floor", ("m2",), "m4")]


def test_a_computed_cell_that_is_written_later_is_shown_where_it_is_written() -> None:
    graph = graph_of(
        "Str_to_Float(x2) -> m", "Add(m1, m1) -> m", "Floor(m2) -> m", "Float_to_Str(m2) -> y"
    )
    assert edges(graph) == [("Add", ("x2", "x2"), "y1"), ("Floor", ("y1",), "m3")]


def test_an_edge_starts_at_the_copy_that_was_read() -> None:
    graph = graph_of("Id(x2) -> y", "Id(y1) -> y", "Str_to_Float(y2) -> m", "Sqrt(m1) -> m")
    assert edges(graph) == [("Sqrt", ("y2",), "m2")]


def test_a_constant_that_is_only_an_argument_is_shown_in_its_cell() -> None:
    graph = graph_of('Str_to_Float("100") -> m', "Str_to_Float(x2) -> m", "Divide(m2, m1) -> m")
    assert ("m1", "100", "constant") in shown(graph)
    assert edges(graph) == [("Divide", ("x2", "m1"), "m3")]


def test_a_constant_that_check_reads_is_shown_by_its_instruction() -> None:
    graph = graph_of('Id("So") -> y', 'Check("60") -> y')
    assert shown(graph) == [("z2.1", "60", "constant"), ("y2", "A", "answer")]


def test_a_word_that_check_looks_up_is_shown() -> None:
    graph = graph_of("Id(x12) -> y", "Check(y1) -> y")
    assert edges(graph) == [("Check", ("y1",), "y2")]
    assert graph.nodes[-1] == Node("y2", "D", "answer", 1)


def test_equal_constants_written_twice_are_two_numbers() -> None:
    assert len(graph_of('Id("7") -> y', 'Id("7") -> y').groups) == 2


def test_labels_are_short_and_printable() -> None:
    label = Node("y1", "a\n\x00\u202e" + "9" * 99, "constant", 0).label
    assert label.startswith("a \ufffd\ufffd9")
    assert label.endswith("9…")
    assert len(label) == 18
    assert label.isprintable()
