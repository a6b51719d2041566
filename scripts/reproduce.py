"""Train the paper's model and its baselines, score them, and print the table.

    python scripts/reproduce.py --data DIR --to build/reproduce

`DIR` holds `train-rationale.jsonl` and `tune.jsonl`, as `scratchwork data tune` writes them,
`train-rationale-clean.jsonl`, as `scratchwork audit --keep` writes it, and `dev.json`. Every step
keeps what it made, so that the same command goes on where it was stopped; `--steps` and `--runs`
choose a part. Several runs share one GPU with `--at-once`.

| step | makes |
|---|---|
| `prepare` | the paths of the training problems |
| `train` | a model folder for each run |
| `perplexity` | `RUN/tune.json`: perplexity on the tune problems; dev is not looked at |
| `score` | `RUN/dev-report.json`, the report on dev (or tune, with `--on`), and the solutions |
| `table` | `results/paper-table.json`: the reports of all runs, beside the published results |
| `figure` | `docs/inferred-program.svg`: the program that a run infers for a tune rationale |

All steps work with torch, numpy and safetensors alone, but that BLEU needs sacrebleu: `table`
measures it where `score` could not.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scratchwork.problems.problem import Problem
    from scratchwork.render.provenance import Graph

ROOT = Path(__file__).parent.parent
RESULT = "paper-table.json"
FIGURE = ROOT / "docs" / "inferred-program.svg"
LONGEST_IN_FIGURE = 60
"""Tokens of a rationale whose program still makes a picture."""

TRAINING, CLEAN, TUNE, DEV = (
    "train-rationale.jsonl",
    "train-rationale-clean.jsonl",
    "tune.jsonl",
    "dev.json",
)
HELD_OUT = {"dev": DEV, "tune": TUNE}
THIRD = {"epochs": 10, "preferred_epochs": 4}
RUNS: dict[str, dict[str, Any]] = {
    # the table
    "seq2seq": {"model": "seq2seq", "vocabulary": "plain"},
    "copy-input": {"model": "copy-input", "vocabulary": "plain"},
    "copy-output": {"model": "copy-output", "vocabulary": "plain"},
    "program": {},
    # comparisons
    "third": THIRD,
    "third-clean": THIRD,
    "third-no-preferences": {**THIRD, "preferred_epochs": 0},
    "third-preferences": {**THIRD, "preferred_epochs": 10},
    "third-four-samples": {"epochs": 3, "preferred_epochs": 1, "samples": 4},
    "third-plain": {**THIRD, "vocabulary": "plain"},
    "third-dropout": {**THIRD, "dropout": 0.5},
    "third-rate": {**THIRD, "rate": 1e-3},
}
TABLE = ("seq2seq", "copy-input", "copy-output", "program")
PASSED_ON = (
    "data",
    "to",
    "device",
    "workers",
    "epochs",
    "limit",
    "rivals",
    "beam",
    "length-penalty",
    "on",
)
"""The options that the process of a run takes over."""


def settings(name: str, epochs: int | None) -> Any:
    from scratchwork.paper.config import preset

    config = replace(preset("paper"), **RUNS[name])
    return config if epochs is None else replace(config, epochs=epochs)


def training_file(options: argparse.Namespace, name: str) -> Path:
    return options.data / (CLEAN if name.endswith("clean") else TRAINING)


def prepared(options: argparse.Namespace, name: str) -> Any:
    from scratchwork.paper.corpus import prepare

    config = settings(name, options.epochs)
    file = training_file(options, name)
    return prepare([file], config.vocabulary, options.workers, options.to / "corpora")


def train(options: argparse.Namespace, name: str) -> None:
    """Train one run, in this process."""
    from scratchwork.devices import chosen_device
    from scratchwork.paper.training import Training
    from scratchwork.training import Log, LogEntry

    device = chosen_device(options.device)
    data = prepared(options, name)
    folder = options.to / name
    if (folder / "model.safetensors").exists():
        return
    config = settings(name, options.epochs)
    training = Training(config, data.vocabulary, data.corpus.to(device), folder)
    training.resume()
    log = Log(folder, training.step)

    def tell(report: LogEntry) -> None:
        log(report)
        if report["step"] % 200 == 0 or report["epoch"] == report["epochs"]:
            left = round(report["seconds_left"])
            print(
                f"{name}: epoch {report['epoch']:.1f}, loss {report['loss']:.3f}, "
                f"{report['seconds']:.0f} s, {left} s left",
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
            command = [sys.executable, __file__, "--in-this-process"]
            command += ["--steps", step, "--runs", name]
            for option in PASSED_ON:
                value = getattr(options, option.replace("-", "_"))
                command += [] if value is None else [f"--{option}", str(value)]
            running.append(subprocess.Popen(command))
        time.sleep(0.2)
        for process in [p for p in running if p.poll() is not None]:
            running.remove(process)
            if process.returncode:
                print(f"a run ended with {process.returncode}", flush=True)


def perplexity(options: argparse.Namespace, name: str) -> None:
    """How well a run predicts the tune problems' rationales; dev is not looked at."""
    from scratchwork.paper.corpus import read_for_training
    from scratchwork.scoring.perplexity import measure_perplexity
    from scratchwork.solving import search_of

    search = search_of(options.to / name, options.device)
    problems = read_for_training([options.data / TUNE])[: options.limit]
    found = search.likelihoods(problems, options.rivals, workers=options.workers)
    measured = measure_perplexity(list(found.values()))
    print(name, json.dumps(measured.to_json()), flush=True)
    (options.to / name / "tune.json").write_text(json.dumps(measured.to_json()) + "\n", "utf-8")


def score(options: argparse.Namespace, name: str) -> None:
    """Measure one run on dev or tune; what was solved before is not solved again."""
    from scratchwork.devices import chosen_device
    from scratchwork.files import write_text
    from scratchwork.paper.models import load_model
    from scratchwork.paper.search import PaperSearch
    from scratchwork.paper.search_settings import SearchSettings
    from scratchwork.scoring import evaluating
    from scratchwork.solving import workers_for

    folder, file = options.to / name, options.data / HELD_OUT[options.on]
    saved = load_model(folder, chosen_device(options.device))
    report, _ = evaluating.evaluate(
        PaperSearch(saved, SearchSettings(options.beam, length_penalty=options.length_penalty)),
        evaluating.read_for_evaluation(file, options.limit),
        evaluating.subject_of(folder, file),
        evaluating.EvaluationSettings(
            options.rivals, workers=workers_for(options.device, options.workers, None)
        ),
        folder / f"{options.on}-rows.jsonl",
        lambda what, done, total: print(f"{name}: {what}, {done} of {total}", flush=True),
    )
    write_text(folder / f"{options.on}-report.json", json.dumps(report.to_json(), indent=1) + "\n")


def table(options: argparse.Namespace) -> None:
    """Put the reports of the runs beside the paper's results."""
    from result_files import origin, write_result

    from scratchwork.scoring.report import paper_table, report_from_json

    file = options.data / HELD_OUT[options.on]
    result = origin({file.name: file})
    rows: list[dict[str, Any]] = []
    for name in options.runs:
        report = report_from_json(
            json.loads((options.to / name / "dev-report.json").read_text("utf-8"))
        )
        if report.bleu is None:
            report = replace(report, bleu=bleu_of_run(options, name, report.problems))
        # A copy of the files without git cannot tell its commit; this checkout is where it is from.
        rows.append(replace(report, commit=report.commit or result["commit"]).to_json())
    write_result(RESULT, result | {"reports": rows})
    print(paper_table(rows), end="")


def bleu_of_run(options: argparse.Namespace, name: str, count: int) -> Any:
    """BLEU from the solutions, where sacrebleu was missing."""
    from scratchwork.files import read_rows
    from scratchwork.scoring.evaluating import read_for_evaluation
    from scratchwork.scoring.rows import EvaluationRow, bleu_of

    problems = read_for_evaluation(options.data / DEV, count)
    rows = {row.id: row for row in read_rows(options.to / name / "dev-rows.jsonl", EvaluationRow)}
    return bleu_of(problems, [rows[problem.id] for problem in problems])


def figure(options: argparse.Namespace) -> None:
    """Draw the most probable program that writes a tune rationale, as the paper's last figure."""
    from scratchwork.devices import chosen_device
    from scratchwork.files import write_text
    from scratchwork.machine.execution import execute
    from scratchwork.paper.corpus import build_tables
    from scratchwork.paper.forced import force, program_of
    from scratchwork.paper.models import load_model
    from scratchwork.render.provenance import provenance
    from scratchwork.render.svg import provenance_svg

    device = chosen_device(options.device)
    saved = load_model(options.to / options.runs[-1], device)
    problems = figure_problems(options)
    tables = build_tables(problems, saved.vocabulary, options.workers)
    found = force(saved.model, tables, device, options.rivals)
    graphs = [
        provenance(execute(program_of(paths, forced.rows), problem))
        for problem, paths, forced in zip(problems, tables, found, strict=True)
    ]
    per_token = [forced.log_probability / forced.tokens for forced in found]
    best = max(range(len(graphs)), key=lambda k: (computed_for_answer(graphs[k]), per_token[k], -k))
    write_text(FIGURE, provenance_svg(graphs[best]))
    drawn = problems[best]
    print(f"{drawn.id}: {drawn.question}\n{', '.join(drawn.options)}\n{drawn.rationale}")


def figure_problems(options: argparse.Namespace) -> "list[Problem]":
    """The tune problem of the id asked for, or all with short rationales that hold in an audit."""
    from scratchwork.auditing.audit import audit
    from scratchwork.paper.corpus import read_for_training
    from scratchwork.problems.tokens import tokenise

    problems = read_for_training([options.data / TUNE])[: options.limit]
    if options.figure is None:
        short = [p for p in problems if len(tokenise(p.rationale or "")) <= LONGEST_IN_FIGURE]
        return [problem for problem in short if audit(problem).holds]
    found = [problem for problem in problems if problem.id == options.figure]
    return found or sys.exit(f"there is no tune problem {options.figure} with a rationale")


def computed_for_answer(graph: "Graph") -> int:
    """How many computed numbers lead to the answer.

    Others may be accidents: among many numbers, some are sums of two others by chance.
    """
    made_by = {graph.nodes[c.result].group: c for c in graph.calculations}
    waiting = [node.group for node in graph.nodes if node.kind == "answer"]
    leading: set[int] = set()
    while waiting:
        group = waiting.pop()
        if group in made_by and group not in leading:
            leading.add(group)
            waiting += [graph.nodes[k].group for k in made_by[group].arguments]
    return len({node.group for node in graph.nodes if node.kind == "computed"} & leading)


EACH = {"train": train, "perplexity": perplexity, "score": score}
"""Steps that take one run, each in a process of its own."""
TOGETHER = {"table": table, "figure": figure}


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--to", type=Path, default=Path("build/reproduce"))
    parser.add_argument("--runs", nargs="+", choices=RUNS, default=list(TABLE))
    steps = ("prepare", *EACH, *TOGETHER)
    parser.add_argument("--steps", nargs="+", choices=steps, default=[*steps[:-1]])
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--rivals", type=int, default=0)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--length-penalty", type=float, default=0.0)
    parser.add_argument("--on", choices=HELD_OUT, default="dev", help="what to score on")
    parser.add_argument("--figure", metavar="ID", help="the tune problem to draw")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    for step in options.steps:
        started = time.monotonic()
        if step == "prepare":
            for name in options.runs:
                prepared(options, name)
        elif step in TOGETHER:
            TOGETHER[step](options)
        elif options.in_this_process:
            EACH[step](options, options.runs[0])
        else:
            at_once(options, step)
        if not options.in_this_process:
            print(f"{step}: {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
