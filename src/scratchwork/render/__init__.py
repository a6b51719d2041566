"""A trace for people's eyes.

`table` shows every instruction with its value, in a terminal or in Markdown; `provenance` finds
where each number comes from; `layout` and `svg` draw that as a picture, `diagrams` writes it for
Graphviz and Mermaid.
"""
