"""`scratchwork train`: train the paper's model, or the solver on tables made beforehand."""

import sys
from collections.abc import Generator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scratchwork.cli.options import SkipBadOption, WorkersOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from scratchwork.training import LogEntry


app = typer.Typer(help="Train a model on problems.", no_args_is_help=True)

ToOption = Annotated[Path, typer.Option(metavar="DIR", help="The folder of the model.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be repeated."),
]
DeviceOption = Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")]
DataOption = Annotated[
    list[Path], typer.Option(metavar="FILE", help="Problems to learn from; may be repeated.")
]


@app.command()
def paper(
    data: DataOption,
    to: ToOption,
    preset: Annotated[
        str, typer.Option(help="The settings to start from: paper, small or tiny.")
    ] = "paper",
    setting: SetOption = None,
    device: DeviceOption = "auto",
    workers: Annotated[int, typer.Option(min=1, help="Processes that prepare the problems.")] = 1,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also write events for TensorBoard.")
    ] = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Train the paper's model on problems that have rationales.

    Writes a model folder, with log.jsonl and the training state in it. Ctrl-C saves the state and
    stops; the same command continues from there.
    On several GPUs: torchrun --nproc-per-node 4 -m scratchwork train paper ...

    Example: scratchwork train paper --preset tiny --data problems.jsonl --to my-model
    """
    from scratchwork.cli.reporting import STOPPED, bad_rows, count_of, progress
    from scratchwork.devices import chosen_device
    from scratchwork.files import only_run
    from scratchwork.paper.config import preset as settings_of
    from scratchwork.paper.corpus import prepare
    from scratchwork.paper.distributed import join
    from scratchwork.paper.training import Training
    from scratchwork.training import with_settings

    config = with_settings(settings_of(preset), _settings(setting or []))
    on = chosen_device(device)
    processes = join(on)

    def say(text: str) -> None:
        if processes.is_first:
            typer.echo(text, err=True)

    with bad_rows(skip_bad) as on_bad, progress() as show:
        # The first prepares; the others wait, and find what it has kept.
        if not processes.is_first:
            processes.wait()
        prepared = prepare(data, config.vocabulary, workers, to / "corpus", on_bad, show)
        if processes.is_first:
            processes.wait()
    too_long = prepared.facts["too_long"]
    if too_long:
        were = count_of(too_long, "problem was", "problems were")
        say(f"{were} left out, too long to learn from")
    training = Training(config, prepared.vocabulary, prepared.corpus.to(on), to, processes)
    with only_run(to) if processes.is_first else nullcontext():
        if training.resume(lambda path: say(f"{path} is damaged and was skipped")):
            say(f"continuing from step {training.step}")
        how = "was trained already" if training.finished else "trained"
        log = (
            _logged(to, training.step, tensorboard) if processes.is_first else nullcontext(_silent)
        )
        with _stopped_by_interrupt() as stop, log as tell:
            finished = training.run(tell, stop)
        processes.leave()
    if not finished:
        say(_stopped_at(training.step))
        raise typer.Exit(STOPPED)
    if processes.is_first:
        trained_on = count_of(len(prepared.corpus), "problem")
        typer.echo(f"{to}: {how} on {trained_on}, {count_of(training.step, 'step')}")


@app.command()
def solver(
    data: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of tables that `train tables` wrote.")
    ],
    to: ToOption,
    preset: Annotated[
        str, typer.Option(help="The settings to start from: default or tiny.")
    ] = "default",
    reader: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Begin with a published encoder, all-MiniLM-L6-v2."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Begin with the weights of a trained solver."),
    ] = None,
    setting: SetOption = None,
    device: DeviceOption = "auto",
) -> None:
    """Train the solver, the shipped model, on tables of problems with their plans.

    Writes a model folder, with log.jsonl and the training state in it, measures it on the tune
    problems, and fits its votes to them. Ctrl-C saves the state and stops; the same command
    continues from there, also after a kill.

    Example: scratchwork train solver --preset tiny --data tables --to my-solver
    """
    from scratchwork.cli.reporting import STOPPED, count_of
    from scratchwork.devices import chosen_device
    from scratchwork.solver.config import SOLVER_PRESETS
    from scratchwork.solver.training import train_solver
    from scratchwork.training import preset_of, with_settings

    settings = with_settings(preset_of(SOLVER_PRESETS, preset), _settings(setting or []))
    on = chosen_device(device)
    with _stopped_by_interrupt() as stop, _shown(_solver_line) as tell:
        run = train_solver(data, to, settings, reader, on, start, _say, tell, stop)
    if not run.finished:
        _say(_stopped_at(run.step))
        raise typer.Exit(STOPPED)
    right = [f"{name} {share:.1%}" for name, share in run.scores.items() if name.endswith("right")]
    typer.echo(", ".join([f"{to}: trained, {count_of(run.step, 'step')}", *right]))


@app.command()
def tables(
    data: DataOption,
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the tables.")],
    tune: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Problems to measure on, and to fit the votes to."),
    ] = None,
    without_options: Annotated[
        list[Path] | None,
        typer.Option(
            "--open",
            metavar="FILE",
            help="Further problems to measure on, without options; may be repeated.",
        ),
    ] = None,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Generate no near copy of these, even with other numbers; may be repeated.",
        ),
    ] = None,
    held_out_copies: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Generate no copy of these; may be repeated."),
    ] = None,
    generated: Annotated[
        int, typer.Option(min=0, help="How many problems to generate.")
    ] = 1_200_000,
    stories: Annotated[int, typer.Option(min=0, help="How many stories to tell.")] = 0,
    reader: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Cut words into the pieces of a published encoder, all-MiniLM-L6-v2.",
        ),
    ] = None,
    workers: WorkersOption = None,
) -> None:
    """Make the tables that `train solver` needs, from files of problems, families and stories.

    What is there already is kept, so that a stopped run continues.

    Example: scratchwork train tables --data problems.jsonl --to tables --generated 2000
    """
    from scratchwork.cli.reporting import count_of, progress
    from scratchwork.solver.preparation import TableSources, make_tables

    sources = TableSources(
        data,
        tune,
        without_options or [],
        held_out or [],
        held_out_copies or [],
        generated,
        stories,
        reader,
    )
    with progress() as show:
        make_tables(sources, to, workers, show)
    made = [count_of(len(data), "file"), count_of(generated, "generated problem")]
    made += [count_of(stories, "story", "stories")] if stories else []
    typer.echo(f"{to}: tables of {', '.join(made[:-1])} and {made[-1]}")


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


def _stopped_at(step: int) -> str:
    return f"stopped at step {step}; the same command continues from there"


def _settings(texts: list[str]) -> dict[str, str]:
    from scratchwork.errors import UserError

    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"--set {text}: give a setting and its value, such as seed=5")
        settings[name.strip()] = value.strip()
    return settings


@contextmanager
def _stopped_by_interrupt() -> "Generator[Callable[[], bool]]":
    """Whether Ctrl-C or a polite kill has asked to stop; a second one ends at once."""
    import signal
    from types import FrameType

    asked = False
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        for name, handler in before.items():
            signal.signal(name, handler)

    for name in before:
        signal.signal(name, note)
    try:
        yield lambda: asked
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _silent(report: "LogEntry") -> None:
    pass


@contextmanager
def _logged(folder: Path, step: int, tensorboard: bool) -> "Generator[Callable[[LogEntry], None]]":
    """Write progress to the log, and to a terminal if there is one."""
    from scratchwork.training import Log

    with closing(Log(folder, step, tensorboard)) as log, _shown(_paper_line) as show:

        def tell(report: "LogEntry") -> None:
            log(report)
            show(report)

        yield tell


@contextmanager
def _shown(line: "Callable[[LogEntry], str]") -> "Generator[Callable[[LogEntry], None]]":
    """Show progress on a terminal, if there is one."""
    if not sys.stderr.isatty():
        yield _silent
        return
    try:
        yield lambda report: print(
            f"\r{line(report)}, {_left(report)}\x1b[K", end="", file=sys.stderr, flush=True
        )
    finally:
        print(file=sys.stderr)


def _paper_line(report: "LogEntry") -> str:
    return (
        f"epoch {report['epoch']:.1f} of {report['epochs']}, step {report['step']}, "
        f"loss {report['loss']:.3f}, {report['instructions_per_second']:,.0f} instructions/s"
    )


def _solver_line(report: "LogEntry") -> str:
    return (
        f"step {report['step']:,} of {report['steps']:,}, "
        f"loss {report['loss']:.3f}, {report['tokens_per_second']:,.0f} tokens/s"
    )


def _left(report: "LogEntry") -> str:
    minutes, seconds = divmod(round(report["seconds_left"]), 60)
    return f"{minutes}:{seconds:02d} left"
