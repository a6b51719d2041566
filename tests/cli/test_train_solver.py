"""`train tables` and `train solver`: from files of problems to a solver that survives any kill."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from scratchwork import Problem, UserError
from scratchwork.cli.main import app, main
from scratchwork.files import only_run
from scratchwork.problems.rows import write_problems
from tests.solver.samples import made, table_folder
from tests.test_design import PACKAGE

SETTINGS = (
    "steps=24", "tokens=400", "save_every=2", "measure_every=1", "renumber_every=0.2", "beam=4",
    "vote_beam=4", "dropout=0.1",
)  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table_folder(tmp_path_factory.mktemp("tables"))


def arguments(data: Path, to: Path, *others: str) -> list[str]:
    changes = [part for setting in SETTINGS for part in ("--set", setting)]
    given = ["--preset", "tiny", "--data", str(data), "--to", str(to), "--device", "cpu"]
    return ["train", "solver", *given, *changes, *others]


def run(*given: str, code: int = 0) -> tuple[str, str]:
    """What a command told on standard output, and on standard error."""
    result = CliRunner().invoke(app, given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code
    return result.stdout, result.stderr


def started(*given: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "scratchwork", *given],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The whole lines of the log, without what depends on the time."""
    log = folder / "log.jsonl"
    lines = log.read_bytes().split(b"\n")[:-1] if log.exists() else []
    rows = [json.loads(line) for line in lines]
    return [{k: v for k, v in row.items() if "second" not in k} for row in rows]


def last_step(folder: Path) -> int:
    rows = rows_of(folder)
    return rows[-1]["step"] if rows else 0


def is_writing_a_checkpoint(folder: Path) -> bool:
    return last_step(folder) >= 6 and any((folder / "training").glob("*.partial"))


def is_in_the_middle(folder: Path) -> bool:
    return last_step(folder) >= 16


def is_measuring(folder: Path) -> bool:
    return last_step(folder) == 24


def test_a_run_killed_at_any_moment_goes_on_to_the_same_bytes(tables: Path, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run(*arguments(tables, whole))
    for is_reached in (is_writing_a_checkpoint, is_in_the_middle, is_measuring):
        process = started(*arguments(tables, killed))
        while not is_reached(killed):
            assert process.poll() is None, process.communicate()
            time.sleep(0.0005)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (killed / "config.json").exists()
    _, warned = run(*arguments(tables, killed))
    assert re.fullmatch(r"continuing from step (16|18|20|22)\n", warned)
    for name in ("model.safetensors", "config.json", "vocabulary.json"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()
    assert rows_of(killed) == rows_of(whole)


def test_ctrl_c_saves_the_state_and_stops(tables: Path, tmp_path: Path) -> None:
    process = started(*arguments(tables, tmp_path))
    while last_step(tmp_path) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    told, warned = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "")
    found = re.fullmatch(r"stopped at step (\d+); the same command continues from there\n", warned)
    assert found is not None
    told, warned = run(*arguments(tables, tmp_path))
    assert warned == f"continuing from step {found.group(1)}\n"
    ways = ("", " without options", " with fitted votes", " without options with fitted votes")
    scores = ", ".join(rf"tune{way} right \d+\.\d%" for way in ways)
    assert re.fullmatch(f"{tmp_path}: trained, 24 steps, {scores}\n", told)


def test_a_second_run_into_the_same_folder_is_refused(tables: Path, tmp_path: Path) -> None:
    refusal = re.escape(f"{tmp_path}: another run is writing into this folder; wait for it to end")
    with only_run(tmp_path), pytest.raises(UserError, match=refusal):
        run(*arguments(tables, tmp_path))
    assert rows_of(tmp_path) == []


@pytest.mark.parametrize(
    ("others", "complaint"),
    [
        (["--preset", "huge"], "there is no preset huge; there are default, tiny"),
        (["--data", "nowhere"], "nowhere is no folder of tables: it has no pieces.json"),
        (["--reader", "nowhere"], "nowhere has no published encoder"),
        (["--start", "nowhere"], "nowhere is no model folder: it has no config.json"),
        (["--device", "abacus"], "there is no device abacus; it can be cpu, cuda or auto"),
        (["--set", "steps"], "--set steps: give a setting and its value, such as seed=5"),
        (["--set", "depth=3"], "there is no setting depth; there are width, heads"),
        (["--set", "steps=many"], "the setting steps is many, but must be a whole number"),
        (["--set", "beam=0"], "the setting beam is 0, but must be 1 to 4096"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(
    others: list[str],
    complaint: str,
    tables: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = arguments(tables, tmp_path / "model", *others)
    monkeypatch.setattr(sys, "argv", ["scratchwork", *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"scratchwork: {complaint}")
    assert told.err.count("\n") == 1
    assert not (tmp_path / "model").exists()


def test_from_problems_to_tables_to_a_solver_that_solves(tmp_path: Path) -> None:
    problems = [generated.problem for generated in made(60, seed=3)]
    write_problems(tmp_path / "train.jsonl", problems[:50])
    write_problems(tmp_path / "tune.jsonl", problems[50:])
    school = Problem("Tim has 3 slices and gets 4 more. How many are there?", extra={"answer": "7"})
    write_problems(tmp_path / "school.jsonl", [school])
    files = ["--data", str(tmp_path / "train.jsonl"), "--tune", str(tmp_path / "tune.jsonl")]
    files += ["--open", str(tmp_path / "school.jsonl")]
    to = ["--to", str(tmp_path / "tables"), "--generated", "0", "--workers", "1"]
    told, _ = run("train", "tables", *files, *to)
    assert told == f"{tmp_path / 'tables'}: tables of 1 file and 0 generated problems\n"
    told, _ = run(*arguments(tmp_path / "tables", tmp_path / "solver"))
    assert told.startswith(f"{tmp_path / 'solver'}: trained, 24 steps, ")
    assert "school without options right" in told
    assert "tune right" in told
    options = [part for option in problems[0].options for part in ("-o", option)]
    question = ["solve", "--model", str(tmp_path / "solver"), problems[0].question, *options]
    told, _ = run(*question)
    assert re.search(r"^Answer: [A-E]", told, re.MULTILINE)


def needed_by(*names: str) -> set[str]:
    """The packages of that name, and all that they require."""
    wanted, needed = list(names), set[str]()
    while wanted:
        name = re.split(r"[^\w.-]", wanted.pop())[0].lower().replace("_", "-")
        if name not in needed:
            needed.add(name)
            with suppress(PackageNotFoundError):
                asked = distribution(name).requires or []
                wanted += [line for line in asked if "extra ==" not in line]
    return needed


ALONE = """
import sys
from importlib.util import find_spec
from pathlib import Path

assert find_spec("typer") is find_spec("rapidfuzz") is None
from scratchwork.solver.config import TrainingSettings
from scratchwork.solver.preparation import TableSources, make_tables
from scratchwork.solver.training import train_solver

tables, model, data = map(Path, sys.argv[1:])
make_tables(TableSources([data], generated=0), model.parent / "made", workers=1)
settings = TrainingSettings(
    width=16, heads=2, encoder_layers=1, decoder_layers=1, steps=2, stop_at=1.0, tokens=400,
    beam=2, vote_beam=2,
)
print(train_solver(tables, model, settings).step)
"""


def test_the_core_needs_torch_numpy_and_safetensors_alone(tables: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    write_problems(data, [generated.problem for generated in made(5, seed=3)])
    needed = needed_by("torch", "numpy", "safetensors")
    owners = packages_distributions()
    alone = tmp_path / "packages"
    alone.mkdir()
    for path in Path(torch.__file__).parent.parent.iterdir():
        names = owners.get(path.name.split(".")[0], [])
        if needed & {name.lower().replace("_", "-") for name in names}:
            (alone / path.name).symlink_to(path)
    ended = subprocess.run(
        [sys.executable, "-S", "-c", ALONE, str(tables), str(tmp_path / "model"), str(data)],
        env={"PYTHONPATH": f"{alone}:{PACKAGE.parent}", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("2\n", "", 0)
