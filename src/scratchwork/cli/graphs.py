"""`--graph`: where the numbers of a trace come from, as a file."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scratchwork.machine.traces import Trace


def write_graph(trace: "Trace", path: Path) -> None:
    """Write the graph in the form that the file's name asks for."""
    from scratchwork.errors import UserError
    from scratchwork.files import write_text
    from scratchwork.render.diagrams import provenance_dot, provenance_mermaid
    from scratchwork.render.provenance import provenance
    from scratchwork.render.svg import provenance_svg

    writers = {".svg": provenance_svg, ".dot": provenance_dot, ".mmd": provenance_mermaid}
    if path.suffix not in writers:
        raise UserError(f"{path}: a graph is written as .svg, .dot or .mmd")
    write_text(path, writers[path.suffix](provenance(trace)))
