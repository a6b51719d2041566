"""Options that several commands take."""

from typing import Annotated

import typer

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Processes to use, by default one for each processor; the result is the same.",
    ),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Work on a Ray cluster: host:port, auto, or local to start one.",
    ),
]
