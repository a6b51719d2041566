"""Provenance graphs for Graphviz and Mermaid."""

import re

from hypothesis import given
from hypothesis import strategies as st

from scratchwork.machine.traces import Trace
from scratchwork.render.diagrams import provenance_dot, provenance_mermaid
from scratchwork.render.provenance import Calculation, Graph, Node, provenance


def holding(value: str) -> Graph:
    nodes = (Node("y1", value, "constant", 0), Node("y2", "A", "answer", 1))
    return Graph(nodes, (Calculation("Check", (0,), 1),))


def dot_strings(text: str) -> list[str]:
    """The quoted strings, as Graphviz reads them."""
    quoted: list[str] = re.findall(r'"((?:\\.|[^"\\])*)"', text)
    return [re.sub(r"\\(.)", r"\1", string).replace("&amp;", "&") for string in quoted]


def mermaid_strings(text: str) -> list[str]:
    """The quoted strings, with the codes that Mermaid resolves."""
    quoted: list[str] = re.findall(r'"([^"]*)"', text)
    return [re.sub(r"#(\d+);", lambda code: chr(int(code[1])), string) for string in quoted]


def test_every_number_and_calculation_is_in_dot(kings_trace: Trace) -> None:
    graph = provenance(kings_trace)
    strings = dot_strings(provenance_dot(graph))
    for node in graph.nodes:
        assert strings.count(f"{node.label}  {node.place}") == 1
    assert [s for s in strings if s in ("Choose", "÷", "Check")] == ["Choose"] * 2 + ["÷", "Check"]


def test_every_number_and_calculation_is_in_mermaid(kings_trace: Trace) -> None:
    graph = provenance(kings_trace)
    strings = mermaid_strings(provenance_mermaid(graph))
    for node in graph.nodes:
        assert strings.count(f"{node.label} · {node.place}") == 1
    assert [s for s in strings if s in ("Choose", "÷", "Check")] == ["Choose"] * 2 + ["÷", "Check"]


def test_arguments_are_numbered_where_their_order_matters() -> None:
    nodes = tuple(Node(f"m{k}", str(k), "computed", k) for k in range(4))
    graph = Graph(nodes, (Calculation("Divide", (1, 0), 2), Calculation("Add", (0, 1), 3)))
    dot = provenance_dot(graph)
    assert 'number1 -> operation0 [label="1"];' in dot
    assert 'number0 -> operation0 [label="2"];' in dot
    assert "number0 -> operation1;" in dot
    mermaid = provenance_mermaid(graph)
    assert "number1 -->|1| operation0" in mermaid
    assert "number0 --> operation1" in mermaid


@given(st.text(max_size=40))
def test_values_stay_inside_their_labels_in_dot(value: str) -> None:
    graph = holding(value)
    text = provenance_dot(graph)
    assert f"{graph.nodes[0].label}  y1" in dot_strings(text)
    assert len(text.splitlines()) == len(provenance_dot(holding("7")).splitlines())


@given(st.text(max_size=40))
def test_values_stay_inside_their_labels_in_mermaid(value: str) -> None:
    graph = holding(value)
    text = provenance_mermaid(graph)
    assert f"{graph.nodes[0].label} · y1" in mermaid_strings(text)
    assert len(text.splitlines()) == len(provenance_mermaid(holding("7")).splitlines())


def test_the_same_graph_gives_the_same_text(kings_trace: Trace) -> None:
    assert provenance_dot(provenance(kings_trace)) == provenance_dot(provenance(kings_trace))
    assert provenance_mermaid(provenance(kings_trace)) == provenance_mermaid(
        provenance(kings_trace)
    )
