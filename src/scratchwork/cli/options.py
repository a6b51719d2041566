"""Options that several commands take."""

from typing import Annotated

import typer

from scratchwork.explaining.styles import Style

ModelOption = Annotated[
    str | None,
    typer.Option("--model", help="A model's name or folder; without one, the one that is shipped."),
]
BeamOption = Annotated[
    int | None,
    typer.Option(
        "--beam",
        min=1,
        max=10_000,
        help="How many programs are considered at a time: 64 by the solver, 4 by the paper's "
        "models. More take longer.",
    ),
]
StyleOption = Annotated[
    Style,
    typer.Option(
        "--style",
        help="How derivations are worded: in sentences, or in terse lines for machines.",
    ),
]
DeviceOption = Annotated[
    str, typer.Option("--device", help="cpu, cuda, or auto: a GPU if there is one.")
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Skip bad rows, and say how many there were.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]
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
