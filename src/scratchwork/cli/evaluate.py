"""`scratchwork evaluate`: measure a model on problems whose answers are known."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from scratchwork.cli.options import (
    BeamOption,
    DeviceOption,
    RayOption,
    SkipBadOption,
    WorkersOption,
)


def evaluate(
    model: Annotated[str, typer.Argument(help="A model folder, or a shipped model's name.")],
    file: Annotated[Path, typer.Argument(help="A file of problems; see docs/formats.md.")],
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    beam: BeamOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Measure on so many problems, the first ones.")
    ] = None,
    device: DeviceOption = "auto",
    workers: WorkersOption = None,
    ray: RayOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Of intervals and random programs.")] = 0,
    rivals: Annotated[
        int,
        typer.Option(min=0, help="Random programs that compete for each given rationale."),
    ] = 0,
    to: Annotated[
        Path | None,
        typer.Option(metavar="OUT.jsonl", help="Write the solutions, a line for each problem."),
    ] = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Measure perplexity, BLEU and accuracy on problems that have options and a correct letter.

    A run that was stopped is taken up by the same command, if it has --to: what was solved before
    is read from there.

    Example: scratchwork evaluate my-model dev.json --to solved.jsonl
    """
    from scratchwork.cli.reporting import STOPPED, bad_rows, progress
    from scratchwork.model_folder import model_folder
    from scratchwork.scoring import bleu, evaluating
    from scratchwork.solving import search_of, workers_for

    folder = model_folder(model)
    settings = evaluating.EvaluationSettings(rivals, seed, workers_for(device, workers, ray))
    search = search_of(folder, device, beam)
    with bad_rows(skip_bad) as on_bad:
        problems = evaluating.read_for_evaluation(file, limit, on_bad)
    subject = evaluating.subject_of(folder, file)
    try:
        with progress() as show:
            report, _ = evaluating.evaluate(search, problems, subject, settings, to, show)
    except KeyboardInterrupt:
        if to is not None:
            print("stopped; the same command continues from here", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    if not bleu.can_measure_bleu():
        print(bleu.MISSING, file=sys.stderr)
    if json:
        from json import dumps

        typer.echo(dumps(report.to_json(), ensure_ascii=False))
    else:
        typer.echo(report.as_text(), nl=False)
