"""`scratchwork data`: describe, compare, divide and download files of problems."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scratchwork.cli.options import JsonOption, SkipBadOption
from scratchwork.cli.reporting import bad_rows, counted, print_json, progress
from scratchwork.errors import printable

if TYPE_CHECKING:
    from rich.table import Table

    from scratchwork.problems.duplicates import DuplicateReport
    from scratchwork.problems.statistics import Statistics

app = typer.Typer(help="Describe, compare, divide and download problems.", no_args_is_help=True)

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of problems.")]
TextThreshold = Annotated[
    float,
    typer.Option(
        "--threshold", min=1, max=100, help="Questions with this ratio or more are near copies."
    ),
]
DigitFreeThreshold = Annotated[
    float,
    typer.Option(
        "--digit-free-threshold",
        min=1,
        max=100,
        help="The same for the ratio without digits, in questions of 30 letters or more.",
    ),
]


@app.command()
def stats(
    files: Files,
    histogram: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT", help="Also draw the problems' lengths in tokens: .png or .svg."
        ),
    ] = None,
    json: JsonOption = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Count problems, tokens and words, as in table 1 of the paper.

    The question column covers the question and its options, without option tags and labels; the
    rationale column covers the problems that have a rationale.

    Example: scratchwork data stats dev.json train.json --histogram lengths.png
    """
    from scratchwork.problems.reading import read_problems
    from scratchwork.problems.statistics import Statistics, statistics_of
    from scratchwork.render.histogram import check_drawable, draw_histogram

    if histogram is not None:
        check_drawable(histogram)
    with bad_rows(skip_bad) as on_bad, progress() as show:
        per_file = [
            statistics_of(counted(read_problems(file, on_bad), file.name, show)) for file in files
        ]
    total = Statistics()
    for statistics in per_file:
        total.merge(statistics)
    if histogram is not None:
        draw_histogram(total.lengths, histogram)
    if json:
        rows = [
            {"file": str(file), **statistics.as_json()}
            for file, statistics in zip(files, per_file, strict=True)
        ]
        print_json({"files": rows, "total": total.as_json()})
        return
    from rich.console import Console

    console = Console()
    for file, statistics in zip(files, per_file, strict=True):
        console.print(_statistics_table(str(file), statistics))
    if len(files) > 1:
        console.print(_statistics_table("all files", total))
    console.print(
        "Question: the question and its options, without option tags and labels.", style="dim"
    )


def _statistics_table(title: str, statistics: "Statistics") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD)
    table.add_column("")
    table.add_column("question", justify="right")
    table.add_column("rationale", justify="right")
    for row in statistics.rows():
        table.add_row(*row)
    return table


@app.command()
def duplicates(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The held-out problems.")],
    against: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="Problems to search for near copies; may be repeated."),
    ],
    threshold: TextThreshold = 75,
    digit_free_threshold: DigitFreeThreshold = 80,
    top: Annotated[
        int, typer.Option(min=1, help="How many to show at most for each held-out problem.")
    ] = 5,
    drop: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="Write the problems of all --against files, in order, without the near copies. "
            "If two files share an id, all ids get the file's name in front.",
        ),
    ] = None,
    json: JsonOption = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Find near copies of held-out problems.

    Copies with other numbers are found as well. Only letters and digits are compared: the ratio is
    100 x 2 x length of the longest common subsequence / sum of both lengths.

    Example: scratchwork data duplicates dev.json --against train.json --drop train-clean.jsonl
    """
    from scratchwork.problems.duplicates import Thresholds, find_duplicates

    with bad_rows(skip_bad) as on_bad, progress() as show:
        report = find_duplicates(
            file,
            against,
            Thresholds(threshold, digit_free_threshold),
            top=top,
            drop=drop,
            on_bad=on_bad,
            on_progress=show,
        )
    if json:
        print_json(report.as_json())
    else:
        _print_duplicates(report, drop)


def _print_duplicates(report: "DuplicateReport", drop: Path | None) -> None:
    for near in report.nearest:
        match = near.match
        typer.echo(
            f"{match.kind}: ratio {match.ratio:.1f}, digit-free {match.digit_free_ratio:.1f}\n"
            f"  held out {printable(f'{near.heldout}: {near.heldout_question}')}\n"
            f"  {printable(f'{near.file} {near.id}: {near.question}')}"
        )
    if report.pairs > len(report.nearest):
        typer.echo(f"({report.pairs - len(report.nearest):,} more pairs are not shown; see --top)")
    typer.echo(
        f"{report.heldout_hit:,} of {report.heldout_problems:,} held-out problems have near copies:"
        f" {report.others_hit:,} of {report.other_problems:,} problems"
    )
    if drop is not None:
        typer.echo(f"{drop}: {report.kept:,} problems kept")


@app.command()
def split(
    files: Files,
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
    dev: Annotated[int, typer.Option(min=0, help="How many development problems.")] = 250,
    test: Annotated[int, typer.Option(min=0, help="How many test problems.")] = 250,
    seed: Annotated[int, typer.Option(help="Another seed draws other problems.")] = 0,
    threshold: TextThreshold = 75,
    digit_free_threshold: DigitFreeThreshold = 80,
    json: JsonOption = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Divide problems into train, dev and test.

    Problems of dev and test have no near copies, neither among each other nor in train. Writes
    train.jsonl, dev.jsonl, test.jsonl and split.json, which says what was removed. If two files
    share an id, all ids get the file's name in front.

    Example: scratchwork data split problems.jsonl --to divided --dev 100 --test 100
    """
    from scratchwork.problems.duplicates import Thresholds
    from scratchwork.problems.split import split_problems

    with bad_rows(skip_bad) as on_bad, progress() as show:
        summary = split_problems(
            files,
            to,
            dev=dev,
            test=test,
            seed=seed,
            thresholds=Thresholds(threshold, digit_free_threshold),
            on_bad=on_bad,
            on_progress=show,
        )
    if json:
        print_json(summary)
        return
    counts = summary["problems"]
    typer.echo(
        f"{to}: {counts['train']:,} train, {counts['dev']:,} dev, {counts['test']:,} test; "
        f"{counts['removed']:,} near copies of dev and test removed"
    )


@app.command()
def tune(
    files: Files,
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
    count: Annotated[int, typer.Option(min=1, help="How many tune problems.")] = 1000,
    origin: Annotated[
        str | None, typer.Option(help="Take tune problems of this origin only.")
    ] = None,
    without_options: Annotated[
        bool,
        typer.Option("--open", help="Take tune problems without options, which have an answer."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Another seed draws other problems.")] = 0,
    threshold: TextThreshold = 75,
    digit_free_threshold: DigitFreeThreshold = 80,
    json: JsonOption = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Set tune problems aside from training files.

    A problem, its near copies, their near copies and so on form a cluster, which is set aside as a
    whole. Writes tune.jsonl, what is left of each file under its name (.jsonl), and tune.json,
    which says what was removed. A tune problem has options, a letter and a rationale, or with
    --open no options and an answer; other problems of a drawn cluster are removed. If two files
    share an id, all ids get the file's name in front.

    Example: scratchwork data tune train.json more.jsonl --to set-aside --count 500
    """
    from scratchwork.problems.duplicates import Thresholds
    from scratchwork.problems.tune import tune_problems

    with bad_rows(skip_bad) as on_bad, progress() as show:
        summary = tune_problems(
            files,
            to,
            count=count,
            origin=origin,
            without_options=without_options,
            seed=seed,
            thresholds=Thresholds(threshold, digit_free_threshold),
            on_bad=on_bad,
            on_progress=show,
        )
    if json:
        print_json(summary)
        return
    counts, clusters = summary["problems"], summary["clusters"]
    typer.echo(
        f"{to}: {counts['tune']:,} tune, {counts['train']:,} train, {counts['removed']:,} removed; "
        f"{clusters['drawn']:,} clusters drawn, the largest of {clusters['largest']}"
    )


@app.command()
def download(
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")] = Path("aqua"),
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A mirror to take the files from, instead of GitHub."),
    ] = None,
) -> None:
    """Download the official AQuA release.

    An interrupted download is resumed by running the command again. Checksums are known for
    dev.json and dev.tok.json. The release publishes none for the others: their rows are counted,
    and the checksums written to SHA256SUMS, against which a later run verifies the files.

    Example: scratchwork data download --to aqua
    """
    from scratchwork.problems.download import RELEASE_URL, download_release

    with progress(in_bytes=True) as show:
        files = download_release(to, base_url or RELEASE_URL, show)
    for file in files:
        state = "downloaded" if file.fetched else "already there"
        typer.echo(f"{to / file.name}: {state}, {file.rows:,} rows, {file.verified_by}")
