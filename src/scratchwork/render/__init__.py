"""Traces, audits and problems for people to read.

`table` shows a trace; `provenance` finds where its numbers come from, `layout` and `svg` draw that,
`diagrams` writes it for Graphviz and Mermaid. `audit` shows audits, `worksheet` prints problems,
`histogram` draws their lengths.
"""
