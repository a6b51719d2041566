"""Train the solver again and again, each time without one of its parts, and print a table.

    python scripts/ablate_solver.py --data TABLES --reader FOLDER --to build/ablations

`TABLES` is the folder that `scratchwork train tables` writes for the shipped training, `FOLDER`
that of the published encoder (docs/solver.md). Every run is a `scratchwork train solver` of one
length, and several share one GPU with `--at-once`. A run that has ended is not run again.
`results/solver-ablations.json` gets what was measured on the tune problems at the end of each run.
The vote, which only chooses among the plans found, is left out of the runs that have everything.
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

SHORT: dict[str, Any] = {
    "steps": 800,
    "stop_at": 1.0,
    "renumber_every": 0.25,
    "measure_every": 1.0,
    "tokens": 32_768,
    "average": 0.99,
}
WITHOUT: dict[str, dict[str, Any]] = {
    EVERYTHING: {},
    "families": {"tables": "generated/*.npz"},
    "formulas": {"tables": "*/train-formula.npz"},
    "the published encoder": {"reader": False},
    "masked pieces": {"settings": {"masked_weight": 0.0}},
    "rationales": {"settings": {"rationales": 0.0}},
}
"""What a run goes without: tables, the encoder to begin with, or what a setting switches off."""
MEASURE = "right by probability"
"""Plans vote by their probability."""
CHOSEN = {"voting": "best plan"}
"""What only chooses: the measure that goes without it, of the runs with everything."""


def run_of(part: str, seed: int, options: argparse.Namespace) -> Path:
    """Train once; the folder of the run."""
    folder = options.to / f"without-{part.replace(' ', '-')}-{seed}"
    if last_measures(folder) is not None:
        return folder
    without = WITHOUT[part]
    tables = tables_without(without.get("tables"), options.data, folder / "tables")
    command = [sys.executable, "-m", "scratchwork", "train", "solver"]
    command += ["--data", str(tables), "--to", str(folder)]
    if without.get("reader", True):
        command += ["--reader", str(options.reader)]
    for setting, value in {**SHORT, "seed": seed, **without.get("settings", {})}.items():
        command += ["--set", f"{setting}={value}"]
    began = time.monotonic()
    with (folder / "output.txt").open("w") as output:
        subprocess.run(command, check=True, stdout=output, stderr=subprocess.STDOUT)
    print(f"{folder.name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return folder


def tables_without(left_out: str | None, tables: Path, to: Path) -> Path:
    """A folder with links to all tables but some."""
    for file in [tables / "pieces.json", *tables.glob("*/*.npz")]:
        link = to / file.relative_to(tables)
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink() and not (left_out and file.relative_to(tables).match(left_out)):
            link.symlink_to(file.resolve())
    return to


def last_measures(folder: Path) -> dict[str, Any] | None:
    """What was measured at the end of a run; nothing if it has not ended."""
    if not (folder / "config.json").exists():
        return None
    *_, last = (folder / "log.jsonl").read_text("utf-8").splitlines()
    return json.loads(last)


def table_of(measures: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Accuracy without each part, of each seed and on both files, in percent."""
    lines = ["| without | tune | far | loss on plans, far |", "|---|---|---|---|"]
    rows = [(part, part, MEASURE) for part in measures]
    rows += [(part, EVERYTHING, measure) for part, measure in CHOSEN.items()]
    for part, runs, measure in rows:
        cells = [
            " / ".join(f"{100 * run[f'{name} {measure}']:.1f}" for run in measures[runs])
            for name in TUNES
        ]
        cells.append(" / ".join(f"{run[f'{TUNES[1]} loss']:.3f}" for run in measures[runs]))
        lines.append(f"| {'nothing' if part == EVERYTHING else part} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the solver without each of its parts.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--to", type=Path, default=Path("build/ablations"))
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
    content = {"seeds": SEEDS, "settings": SHORT, "without": WITHOUT, "measures": measures}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    print("\n".join(table_of(measures)))


if __name__ == "__main__":
    main()
