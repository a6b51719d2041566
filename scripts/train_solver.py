"""Train the solver and measure it.

    python scripts/train_solver.py --data DIR --to build/solver --reader FOLDER

`DIR` holds the training files and `tune.jsonl`, as `scratchwork data tune` writes them, and the
held-out `dev.json` and `heldout.jsonl.gz`, which only the first step reads. `--reader` names the
folder of the published encoder all-MiniLM-L6-v2 (docs/solver.md says where to get it). Every step
keeps what it made; `--steps` chooses some.

| step | makes |
|---|---|
| `screen` | `left-out.json`: which generated problems are near to held-out ones; `tune-far.jsonl` |
| `pieces` | `pieces.json`: the sub-word units; `reader.safetensors`: the encoder to begin with |
| `lessons` | `lessons/*.npz`: the problems of every file as tables, with the plans known for them |
| `generate` | `shards/*.npz`: generated problems with their plans |
| `train` | `model/`: the trained network; `log.jsonl` |
| `fit` | how plans vote, fitted to the tune problems, in the model folder |

`train` begins as soon as there is one shard, and takes the others as they come: `generate` may go
on beside it. All steps but the first work with torch, numpy and safetensors alone.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

FILES = ("train-rationale", "train-formula", "train-answer", "gsm8k-train")
TUNES = ("tune", "tune-far")
TEXTS = "texts"
LEFT_OUT = "left-out.json"
PIECES = 13_000
READER = "reader.safetensors"
SHARD = 20_000
SEED = 2027


def screen(options: argparse.Namespace) -> None:
    from scratchwork.families.loading import load_families
    from scratchwork.problems.duplicates import HeldOut, Thresholds
    from scratchwork.problems.reading import read_problems
    from scratchwork.problems.rows import write_problems
    from scratchwork.solver.screening import far_problems, near_held_out

    rules = {"dev.json": Thresholds(), "heldout.jsonl.gz": Thresholds(text=90, digit_free=100)}
    held_out = [
        HeldOut([p.question for p in read_problems(options.data / name)], thresholds)
        for name, thresholds in rules.items()
    ]
    if not (options.data / LEFT_OUT).exists():
        numbers = range(options.generated)
        near = list(near_held_out(load_families(), SEED, numbers, held_out))
        (options.data / LEFT_OUT).write_text(json.dumps(near), "utf-8")
    if not (options.data / f"{TUNES[1]}.jsonl").exists():
        tune = list(read_problems(options.data / f"{TUNES[0]}.jsonl"))
        training = (p for name in FILES for p in read_problems(options.data / f"{name}.jsonl"))
        write_problems(options.data / f"{TUNES[1]}.jsonl", far_problems(tune, training))


def read_pieces(options: argparse.Namespace) -> list[str]:
    return json.loads((options.to / "pieces.json").read_text("utf-8"))


def pieces(options: argparse.Namespace) -> None:
    from scratchwork.files import write_tensors
    from scratchwork.solver.preparation import words_of_files
    from scratchwork.solver.pretrained import Published, choose_pieces, reading_weights
    from scratchwork.solver.saving import quantise

    words = words_of_files([options.data / f"{name}.jsonl" for name in FILES])
    published = Published.read(options.reader)
    chosen = choose_pieces(published.vocabulary, words, PIECES)
    weights = reading_weights(published, list(chosen.values()))
    write_tensors(options.to / READER, quantise(weights))
    (options.to / "pieces.json").write_text(json.dumps(list(chosen), ensure_ascii=False), "utf-8")


def lessons(options: argparse.Namespace) -> None:
    from scratchwork.solver.examples import lesson_of, text_of
    from scratchwork.solver.preparation import lessons_of_files
    from scratchwork.solver.reading import Pieces
    from scratchwork.solver.tables import save_lessons

    known = Pieces(read_pieces(options))
    folder = options.to / "lessons"
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {name: ((name,), lesson_of) for name in (*FILES, *TUNES)}
    for name, (files, make) in {**kinds, TEXTS: (FILES, text_of)}.items():
        if (folder / f"{name}.npz").exists():
            continue
        paths = [options.data / f"{file}.jsonl" for file in files]
        problems, plans = lessons_of_files(paths, known, options.workers, make, name in FILES)
        save_lessons(folder / f"{name}.npz", problems, plans)
        print(f"{name}: {len(problems)} problems, {len(plans)} plans", flush=True)


def _shard(folder: Path, pieces: list[str], left_out: frozenset[int], first: int) -> None:
    from scratchwork.solver.preparation import generated_lessons
    from scratchwork.solver.tables import save_lessons

    path = folder / f"{first:09}.npz"
    if not path.exists():
        numbers = range(first, first + SHARD)
        save_lessons(path, *generated_lessons(pieces, SEED, numbers, left_out))


def generate(options: argparse.Namespace) -> None:
    from scratchwork.parallel import Workers

    folder = options.to / "shards"
    folder.mkdir(parents=True, exist_ok=True)
    left_out = frozenset(json.loads((options.data / LEFT_OUT).read_text("utf-8")))
    known = read_pieces(options)
    make = partial(_shard, folder, known, left_out)
    for _ in Workers(options.workers).map(make, range(0, options.generated, SHARD)):
        pass


def train(options: argparse.Namespace) -> None:
    import torch
    from safetensors.torch import load_file

    from scratchwork.devices import chosen_device
    from scratchwork.solver.course import Course, CourseSettings
    from scratchwork.solver.network import SolverConfig, Transformer
    from scratchwork.solver.pretrained import take_over
    from scratchwork.solver.saving import restore
    from scratchwork.solver.studying import Study, StudySettings
    from scratchwork.solver.tables import joined_lessons, load_lessons

    device = chosen_device(options.device)
    torch.manual_seed(options.seed)
    torch.set_float32_matmul_precision("high")
    known = read_pieces(options)
    network = replace(SolverConfig(len(known)), **json.loads(options.network))
    model = Transformer(network)
    if options.init is None and not options.from_scratch:
        take_over(model, restore(load_file(options.to / READER)))
    model.to(device)
    study = Study(model, replace(StudySettings(seed=options.seed), **json.loads(options.study)))
    settings = replace(CourseSettings(), **json.loads(options.course))
    folder = options.to / options.name
    folder.mkdir(parents=True, exist_ok=True)
    log_file = (folder / "log.jsonl").open("a", encoding="utf-8")

    def log(entry: dict[str, Any]) -> None:
        line = json.dumps(entry)
        print(line, flush=True)
        print(line, file=log_file, flush=True)

    log({"network": asdict(network), "study": asdict(study.settings), "course": asdict(settings)})
    tables = options.to / "lessons"
    real = joined_lessons([load_lessons(tables / f"{name}.npz") for name in options.files])
    texts = load_lessons(tables / f"{TEXTS}.npz")
    tunes = {name: load_lessons(tables / f"{name}.npz") for name in TUNES}
    if options.init is not None:
        from scratchwork.solver.saving import load_solver

        model.load_state_dict(load_solver(options.init, device).model.state_dict())
        study.average_from_here()
    if options.compile:
        for layer in (*model.encoder, *model.decoder):
            layer.compile()
    course = Course(study, settings, real, texts, tunes, options.to / "shards", log)
    facts: dict[str, Any] = {"files": options.files, "generated_seed": SEED, "seed": options.seed}
    facts["course"] = asdict(settings)
    course.run(lambda: save(folder, study, known, {"training": facts}))


def save(folder: Path, study: Any, known: list[str], about: dict[str, Any]) -> None:
    """The averaged weights, as a model folder."""
    from scratchwork.solver.reading import Pieces
    from scratchwork.solver.saving import save_solver

    save_solver(study.model.config, study.averaged_weights(), Pieces(known), folder, about)


def fit(options: argparse.Namespace) -> None:
    """Fit how plans vote to the tune problems, and keep it in the model folder."""
    import torch

    from scratchwork.devices import chosen_device
    from scratchwork.solver.course import accuracies, find_all
    from scratchwork.solver.dataset import Shelf
    from scratchwork.solver.saving import load_solver
    from scratchwork.solver.tables import load_lessons
    from scratchwork.solver.vote_fitting import fit_votes

    device = chosen_device(options.device)
    folder = options.to / options.name
    saved = load_solver(folder, device)
    shelf = Shelf(*load_lessons(options.to / "lessons" / f"{TUNES[0]}.npz"), device)
    with torch.no_grad():
        ballot = find_all(saved.model, shelf, options.beam)
    weights = fit_votes(ballot, shelf.labels.long())
    print(json.dumps(accuracies(ballot, shelf.labels.long(), weights)), flush=True)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["votes"] = weights._asdict()
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False, indent=1), "utf-8")


STEPS = {
    "screen": screen,
    "pieces": pieces,
    "lessons": lessons,
    "generate": generate,
    "train": train,
    "fit": fit,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the solver and measure it.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--to", type=Path, default=Path("build/solver"))
    parser.add_argument("--reader", type=Path, help="folder of the published encoder")
    parser.add_argument("--name", default="model", help="the folder of this run")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--generated", type=int, default=1_200_000)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--network", default="{}", help="settings of the network, as JSON")
    parser.add_argument("--study", default="{}", help="settings of the steps, as JSON")
    parser.add_argument("--course", default="{}", help="settings of the course, as JSON")
    parser.add_argument("--from-scratch", action="store_true", help="not the published encoder")
    parser.add_argument("--init", type=Path, help="model folder to begin with")
    parser.add_argument("--beam", type=int, default=64, help="plans found for a problem, in fit")
    parser.add_argument("--files", nargs="+", choices=FILES, default=FILES, help="to train on")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    if "pieces" in options.steps and options.reader is None:
        parser.error("the step pieces needs --reader, the folder of the published encoder")
    options.to.mkdir(parents=True, exist_ok=True)
    for step in options.steps:
        began = time.monotonic()
        STEPS[step](options)
        print(f"{step}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
