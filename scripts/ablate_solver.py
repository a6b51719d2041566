"""Train the solver again and again, each time without one of its parts, and print a table.

    python scripts/ablate_solver.py --data DIR --to build/solver

`--to` holds what the steps `pieces`, `lessons` and `generate` of `scripts/train_solver.py` made;
every run is one of its step `train`, all of the same length, and several share one GPU with
`--at-once`. A run that has ended is not run again. `results/solver-ablations.json` gets what was
measured on the tune problems at the end of each run. The vote, which only chooses among the plans
found, is left out of the runs that have everything.
"""

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULT = ROOT / "results" / "solver-ablations.json"
SEEDS = (0, 1)
TUNES = ("tune", "tune-far")
EVERYTHING = "everything"

SHORT: dict[str, dict[str, Any]] = {
    "course": {
        "steps": 800,
        "until": 1.0,
        "renumber_every": 0.25,
        "measure_every": 1.0,
    },
    "study": {"tokens": 32_768, "average": 0.99},
    "network": {},
}
WITHOUT: dict[str, dict[str, Any]] = {
    EVERYTHING: {},
    "families": {"course": {"generated_first": 0.0, "generated_last": 0.0}},
    "formulas": {"files": ["train-rationale", "train-answer", "gsm8k-train"]},
    "the published encoder": {"flags": ["--from-scratch"]},
    "recalling words": {"study": {"recall_weight": 0.0}},
    "rationales": {"study": {"telling": 0.0}},
}
MEASURE = "votes"
"""Plans vote by their probability."""
CHOSEN = {"voting": "best plan"}
"""What only chooses: the measure that goes without it, of the runs with everything."""


def run_of(part: str, seed: int, options: argparse.Namespace) -> Path:
    """Train once; the folder of the run."""
    name = f"without-{part.replace(' ', '-')}-{seed}"
    folder = options.to / name
    if last_measures(folder) is not None:
        return folder
    script = ROOT / "scripts" / "train_solver.py"
    command = [sys.executable, str(script), "--data", str(options.data), "--to", str(options.to)]
    command += ["--steps", "train", "--name", name, "--seed", str(seed)]
    changed = WITHOUT[part]
    for setting, short in SHORT.items():
        command += [f"--{setting}", json.dumps({**short, **changed.get(setting, {})})]
    if "files" in changed:
        command += ["--files", *changed["files"]]
    command += changed.get("flags", [])
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "output.txt").open("w") as output:
        began = time.monotonic()
        subprocess.run(command, check=True, stdout=output, stderr=subprocess.STDOUT)
    print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return folder


def last_measures(folder: Path) -> dict[str, Any] | None:
    """What was measured at the end of a run, by tune file, with its settings; nothing if it has not
    ended."""
    log = folder / "log.jsonl"
    if not log.exists():
        return None
    entries = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    ends = {
        name: entry[name]
        for entry in entries
        for name in TUNES
        if name in entry and entry[name]["done"] == 1.0
    }
    return {**ends, "settings": entries[0]} if len(ends) == len(TUNES) else None


def table_of(measures: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Accuracy without each part, of each seed and on both files, in percent."""
    lines = ["| without | tune | far | loss on plans, far |", "|---|---|---|---|"]
    rows = [(part, part, MEASURE) for part in measures]
    rows += [(part, EVERYTHING, measure) for part, measure in CHOSEN.items()]
    for part, runs, measure in rows:
        cells = [
            " / ".join(f"{100 * run[name][measure]:.1f}" for run in measures[runs])
            for name in TUNES
        ]
        cells.append(" / ".join(f"{run[TUNES[1]]['choices']:.3f}" for run in measures[runs]))
        lines.append(f"| {'nothing' if part == EVERYTHING else part} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the solver without each of its parts.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--to", type=Path, default=Path("build/solver"))
    parser.add_argument("--at-once", type=int, default=1, help="runs that share the GPU")
    parser.add_argument("--parts", nargs="+", choices=WITHOUT, default=list(WITHOUT))
    options = parser.parse_args()
    runs = [(part, seed) for seed in SEEDS for part in options.parts]
    with ThreadPoolExecutor(options.at_once) as pool:
        folders = list(pool.map(lambda run: run_of(run[0], run[1], options), runs))
    measures: dict[str, list[dict[str, Any]]] = {part: [] for part in options.parts}
    for (part, _), folder in zip(runs, folders, strict=True):
        ended = last_measures(folder)
        if ended is None:
            sys.exit(f"{folder} did not end; look at its output.txt")
        measures[part].append(ended)
    content = {"seeds": SEEDS, "without": WITHOUT, "measures": measures}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    print("\n".join(table_of(measures)))


if __name__ == "__main__":
    main()
