"""Train the paper's model and its baselines, score them, and print the table.

    python scripts/reproduce.py --data DIR --to build/reproduce

`DIR` holds `train-rationale.jsonl` and `tune.jsonl`, as `scratchwork data tune` writes them,
`train-rationale-clean.jsonl`, as `scratchwork audit --keep` writes it, and `dev.json`. Every step
keeps what it made, so that the same command goes on where it was stopped; `--steps` and `--runs`
choose a part. Several runs share one GPU with `--at-once`.

Results are written to `results/paper-table.json` only by the step `table`.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

TRAINING, CLEAN, TUNE, DEV = (
    "train-rationale.jsonl",
    "train-rationale-clean.jsonl",
    "tune.jsonl",
    "dev.json",
)
THIRD = {"epochs": 10, "preferred_epochs": 4}
RUNS: dict[str, dict[str, Any]] = {
    # the table
    "seq2seq": {"model": "seq2seq", "vocabulary": "plain"},
    "copy-input": {"model": "copy-input", "vocabulary": "plain"},
    "copy-output": {"model": "copy-output", "vocabulary": "plain"},
    "program": {},
    # comparisons
    "program-plain": {"vocabulary": "plain"},
    "third": THIRD,
    "third-clean": THIRD,
    "third-no-preferences": {**THIRD, "preferred_epochs": 0},
    "third-preferences": {**THIRD, "preferred_epochs": 10},
    "third-four-samples": {**THIRD, "samples": 4, "rows": 512},
    "third-dropout": {**THIRD, "dropout": 0.5},
    "third-rate": {**THIRD, "rate": 1e-3},
}
TABLE = ("seq2seq", "copy-input", "copy-output", "program")


def settings(name: str, epochs: int | None) -> Any:
    from scratchwork.learning.config import preset

    config = replace(preset("paper"), **RUNS[name])
    return config if epochs is None else replace(config, epochs=epochs)


def training_file(options: argparse.Namespace, name: str) -> Path:
    return options.data / (CLEAN if name.endswith("clean") else TRAINING)


def prepared(options: argparse.Namespace, name: str) -> Any:
    from scratchwork.learning.preparing import prepare

    config = settings(name, options.epochs)
    file = training_file(options, name)
    return prepare([file], config.vocabulary, options.workers, options.to / "corpora")


def train(options: argparse.Namespace, name: str) -> None:
    """Train one run, in this process."""
    from scratchwork.learning.devices import chosen_device
    from scratchwork.learning.logs import Log
    from scratchwork.learning.training import Progress, Training

    device = chosen_device(options.device)
    data = prepared(options, name)
    folder = options.to / name
    if (folder / "model.safetensors").exists():
        return
    config = settings(name, options.epochs)
    training = Training(config, data.vocabulary, data.corpus.to(device), folder)
    training.resume()
    log = Log(folder)

    def tell(progress: Progress) -> None:
        log(progress)
        if progress.step % 200 == 0 or progress.epoch == progress.epochs:
            left = round(progress.seconds_left)
            print(
                f"{name}: epoch {progress.epoch:.1f}, loss {progress.loss:.3f}, "
                f"{progress.seconds:.0f} s, {left} s left",
                flush=True,
            )

    training.run(tell)
    log.close()


def at_once(options: argparse.Namespace, step: str) -> None:
    """One process for each run, some at a time."""
    waiting = list(options.runs)
    running: list[subprocess.Popen[bytes]] = []
    while waiting or running:
        while waiting and len(running) < options.at_once:
            name = waiting.pop(0)
            command = [sys.executable, __file__, "--data", str(options.data)]
            command += ["--to", str(options.to), "--device", options.device]
            command += ["--workers", str(options.workers), "--steps", step, "--runs", name]
            command += ["--in-this-process"]
            if options.epochs is not None:
                command += ["--epochs", str(options.epochs)]
            running.append(subprocess.Popen(command))
        time.sleep(0.2)
        for process in [p for p in running if p.poll() is not None]:
            running.remove(process)
            if process.returncode:
                print(f"a run ended with {process.returncode}", flush=True)


def perplexity(options: argparse.Namespace, name: str) -> None:
    """How well a run predicts the tune problems' rationales; dev is not looked at."""
    from scratchwork.decoding.forced import force
    from scratchwork.learning.corpora import build_tables
    from scratchwork.learning.devices import chosen_device
    from scratchwork.learning.preparing import read_for_training
    from scratchwork.models.saving import load_model
    from scratchwork.scoring.perplexity import Forced, measure_perplexity

    device = chosen_device(options.device)
    saved = load_model(options.to / name, device)
    problems = read_for_training([options.data / TUNE])[: options.limit]
    tables = build_tables(problems, saved.vocabulary, options.workers)
    found = force(saved.model, tables, device, samples=options.samples)
    measured = measure_perplexity(
        [Forced(one.tokens, one.log_probability, one.unknown) for one in found]
    )
    print(name, json.dumps(measured.to_json()), flush=True)
    (options.to / name / "tune.json").write_text(json.dumps(measured.to_json()) + "\n", "utf-8")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--to", type=Path, default=Path("build/reproduce"))
    parser.add_argument("--runs", nargs="+", choices=RUNS, default=list(TABLE))
    parser.add_argument("--steps", nargs="+", default=["prepare", "train", "perplexity"])
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    for step in options.steps:
        started = time.monotonic()
        if step == "prepare":
            for name in options.runs:
                prepared(options, name)
        elif step in ("train", "perplexity") and not options.in_this_process:
            at_once(options, step)
        elif step == "train":
            train(options, options.runs[0])
        elif step == "perplexity":
            perplexity(options, options.runs[0])
        if not options.in_this_process:
            print(f"{step}: {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
