"""`scratchwork evaluate`: measure a model on problems whose answers are known."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    model: Annotated[str, typer.Argument(help="A model folder, or a shipped model's name.")],
    file: Annotated[Path, typer.Argument(help="A file of problems; see docs/formats.md.")],
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many programs to consider for a problem: the plans that the solver draws, or "
            "the beam of one of the paper's models. More take longer.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Measure on so many problems, the first ones.")
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")
    ] = "auto",
    workers: Annotated[int, typer.Option(min=1, help="Processes that prepare the problems.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of intervals and random programs.")] = 0,
    rivals: Annotated[
        int,
        typer.Option(min=0, help="Random programs that compete for each given rationale."),
    ] = 0,
    to: Annotated[
        Path | None,
        typer.Option(metavar="OUT.jsonl", help="Write what was decoded, a line for each problem."),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Pass over bad rows, and tell how many there were.")
    ] = False,
) -> None:
    """Measure perplexity, BLEU and accuracy on problems that have options and a correct letter.

    A run that was stopped is taken up by the same command, if it has --to: what was decoded before
    is read from there.

    Example: scratchwork evaluate my-model dev.json --to decoded.jsonl
    """
    from scratchwork.cli.reporting import STOPPED, bad_rows, progress
    from scratchwork.devices import chosen_device
    from scratchwork.model_folder import model_folder
    from scratchwork.scoring import bleu, evaluating
    from scratchwork.searching import search_of

    folder = model_folder(model)
    search = search_of(folder, chosen_device(device))
    search = search if samples is None else search.with_samples(samples)
    with bad_rows(skip_bad) as on_bad:
        problems = evaluating.read_for_evaluation(file, limit, on_bad)
    subject = evaluating.subject_of(folder, file)
    settings = evaluating.EvaluationSettings(rivals, seed, workers)
    try:
        with progress() as show:
            report, _ = evaluating.evaluate(search, problems, subject, settings, to, show)
    except KeyboardInterrupt:
        if to is not None:
            print("stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    if not bleu.can_measure_bleu():
        print(bleu.MISSING, file=sys.stderr)
    if json:
        from json import dumps

        typer.echo(dumps(report.to_json(), ensure_ascii=False))
    else:
        typer.echo(report.as_text(), nl=False)
