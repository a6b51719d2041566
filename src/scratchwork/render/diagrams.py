"""A provenance graph in the languages of diagram tools: Graphviz and Mermaid.

Promises: both texts name every node and calculation once, keep groups together, number the
arguments where their order matters, and escape all values. The tools choose the layout.
"""

from collections.abc import Iterator, Mapping

from scratchwork.render.provenance import Calculation, Graph, NodeKind, on_one_line
from scratchwork.render.svg import INK, SOFT_INK, Colours, group_colours

_DOT_STYLES: Mapping[NodeKind, str] = {
    "question": 'style="filled,rounded"',
    "computed": 'style="filled,rounded"',
    "constant": 'style="filled,rounded,dashed"',
    "answer": 'style="filled,rounded" penwidth=3',
}
_MERMAID_STYLES: Mapping[NodeKind, str] = {
    "question": "stroke-width:1px",
    "computed": "stroke-width:1px",
    "constant": "stroke-width:1px,stroke-dasharray:4 3",
    "answer": "stroke-width:3px",
}


def provenance_dot(graph: Graph) -> str:
    """The graph for Graphviz."""
    lines = [
        "digraph provenance {",
        "  rankdir=LR;",
        '  node [shape=box fontname="monospace"];',
        f'  edge [color="{SOFT_INK}" fontname="monospace" fontsize=10];',
    ]
    for k, (members, colours) in enumerate(zip(graph.groups, group_colours(graph), strict=True)):
        lines.append(f"  subgraph cluster_{k} {{")
        lines.append('    style=invis margin="4";')
        lines += (f"    {_dot_node(graph, node, colours)}" for node in members)
        lines.append("  }")
    for k, calculation in enumerate(graph.calculations):
        lines.append(f"  operation{k} [shape=ellipse label={_dot_text(calculation.symbol)}];")
        for node, order in _arguments(calculation):
            label = f" [label={_dot_text(order)}]" if order else ""
            lines.append(f"  {_node_name(node)} -> operation{k}{label};")
        lines.append(f"  operation{k} -> {_node_name(calculation.result)};")
    lines.append("}")
    return "".join(f"{line}\n" for line in lines)


def provenance_mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flowchart."""
    lines = ["flowchart LR"]
    for k, (members, colours) in enumerate(zip(graph.groups, group_colours(graph), strict=True)):
        together = len(members) > 1
        if together:
            lines.append(f'  subgraph group{k}[" "]')
        lines += (f"  {_mermaid_node(graph, node)}" for node in members)
        if together:
            lines.append("  end")
            lines.append(f"  style group{k} fill:none,stroke:{colours.line}")
        style = _MERMAID_STYLES[graph.nodes[members[0]].kind]
        paint = f"fill:{colours.fill},stroke:{colours.line},color:{INK},{style}"
        lines += (f"  style {_node_name(node)} {paint}" for node in members)
    for k, calculation in enumerate(graph.calculations):
        lines.append(f'  operation{k}(["{_mermaid_text(calculation.symbol)}"])')
        for node, order in _arguments(calculation):
            arrow = f"-->|{order}|" if order else "-->"
            lines.append(f"  {_node_name(node)} {arrow} operation{k}")
        lines.append(f"  operation{k} --> {_node_name(calculation.result)}")
    return "".join(f"{line}\n" for line in lines)


def _node_name(node: int) -> str:
    return f"number{node}"


def _arguments(calculation: Calculation) -> Iterator[tuple[int, str]]:
    """The arguments, numbered if their order matters."""
    for order, node in enumerate(calculation.arguments, 1):
        yield node, str(order) if calculation.order_matters else ""


def _dot_node(graph: Graph, k: int, colours: Colours) -> str:
    node = graph.nodes[k]
    label = _dot_text(f"{node.label}  {node.place}")
    paint = f'fillcolor="{colours.fill}" color="{colours.line}" {_DOT_STYLES[node.kind]}'
    return f"{_node_name(k)} [label={label} {paint}];"


def _dot_text(text: str) -> str:
    """A quoted string, in which Graphviz reads entities such as `&lt;`."""
    escaped = on_one_line(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{escaped}"'


def _mermaid_node(graph: Graph, k: int) -> str:
    node = graph.nodes[k]
    return f'{_node_name(k)}["{_mermaid_text(node.label)} · {_mermaid_text(node.place)}"]'


def _mermaid_text(text: str) -> str:
    """The text with codes for all that Mermaid might read: quotes, HTML, Markdown and `#`."""
    return "".join(c if c.isalnum() or c in " .,/…" else f"#{ord(c)};" for c in on_one_line(text))
