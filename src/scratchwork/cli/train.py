"""`scratchwork train`: train a model on problems that have rationales."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from scratchwork.training import Report


def train(
    preset: Annotated[
        str, typer.Argument(help="The settings to start from: tiny, small or paper.")
    ],
    data: Annotated[
        list[Path], typer.Option(metavar="FILE", help="Problems to learn from; may be repeated.")
    ],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the model.")],
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")
    ] = "auto",
    workers: Annotated[int, typer.Option(min=1, help="Processes that prepare the problems.")] = 1,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also write events for TensorBoard.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Pass over bad rows, and tell how many there were.")
    ] = False,
) -> None:
    """Train a model; the same command goes on where it was stopped.

    Writes a model folder, with log.jsonl and the training state in it. Ctrl-C saves the state and
    stops. On several GPUs: torchrun --nproc-per-node 4 -m scratchwork train ...

    Example: scratchwork train tiny --data problems.jsonl --to my-model --set epochs=20
    """
    from scratchwork.cli.reporting import STOPPED, bad_rows, progress
    from scratchwork.devices import chosen_device
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
        problems = "problem was" if too_long == 1 else "problems were"
        say(f"{too_long:,} {problems} left out, too long to learn from")
    training = Training(config, prepared.vocabulary, prepared.corpus.to(on), to, processes)
    if training.resume(lambda path: say(f"{path} is damaged, and passed over")):
        say(f"going on from step {training.step}")
    how = "was trained already" if training.finished else "trained"
    log = _told(to, training.step, tensorboard, processes.is_first)
    with _stopped_by_interrupt() as stop, log as tell:
        finished = training.run(tell, stop)
    processes.leave()
    if not finished:
        say(f"stopped at step {training.step}; the same command goes on from there")
        raise typer.Exit(STOPPED)
    if processes.is_first:
        trained_on = f"{len(prepared.corpus):,} problems"
        typer.echo(f"{to}: {how} on {trained_on}, {training.step:,} steps")


def _settings(texts: list[str]) -> dict[str, str]:
    from scratchwork.errors import UserError

    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"--set {text}: give a setting and its value, such as epochs=20")
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


@contextmanager
def _told(
    folder: Path, step: int, tensorboard: bool, is_first: bool
) -> "Generator[Callable[[Report], None]]":
    """Write progress to the log, and to a terminal if there is one; the first process does."""
    if not is_first:
        yield lambda report: None
        return
    from scratchwork.training import Log

    log = Log(folder, step, tensorboard)
    shows = sys.stderr.isatty()

    def tell(report: "Report") -> None:
        log(report)
        if shows:
            print(f"\r{_line(report)}\x1b[K", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        log.close()
        if shows:
            print(file=sys.stderr)


def _line(report: "Report") -> str:
    minutes, seconds = divmod(round(report["seconds_left"]), 60)
    return (
        f"epoch {report['epoch']:.1f} of {report['epochs']}, step {report['step']}, "
        f"loss {report['loss']:.3f}, {report['instructions_per_second']:,.0f} instructions/s, "
        f"{minutes}:{seconds:02d} left"
    )
