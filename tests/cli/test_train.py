import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from scratchwork import UserError, generate, load_families
from scratchwork.cli.main import main
from scratchwork.cli.train import app, paper
from scratchwork.files import only_run
from scratchwork.paper.models import load_model
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import write_problems
from scratchwork.training import Log, LogEntry

TINY = ["epochs=1", "hidden=16", "embedding=12", "rows=16", "warm_up=3"]
LONG = ["epochs=14", "hidden=8", "embedding=8", "rows=4", "preferred_epochs=50", "save_every=2"]
"""So many steps that a run can be stopped in the middle."""


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests run beside each other, and bytes depend on the number of threads."""
    torch.set_num_threads(1)


def apples(k: int) -> Problem:
    return Problem(
        f"An apple costs {k + 3} cents. How much do 11 apples cost?",
        (str(11 * (k + 3)), str(12 * (k + 3))),
        f"They cost 11 * {k + 3} = {11 * (k + 3)} cents.",
        "A",
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty generated problems."""
    path = tmp_path_factory.mktemp("data") / "generated.jsonl"
    write_problems(path, (made.problem for made in generate(load_families(), 60, seed=2)))
    return path


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve short problems."""
    path = tmp_path_factory.mktemp("few") / "apples.jsonl"
    write_problems(path, map(apples, range(12)))
    return path


def arguments(data: Path, to: Path, settings: list[str], *others: str) -> list[str]:
    changes = [part for setting in settings for part in ("--set", setting)]
    given = ["--data", str(data), "--to", str(to), "--device", "cpu"]
    return ["paper", "--preset", "tiny", *given, *changes, *others]


def run(data: Path, to: Path, settings: list[str], *others: str, code: int = 0) -> tuple[str, str]:
    """What a run told on standard output, and on standard error."""
    result = CliRunner().invoke(app, arguments(data, to, settings, *others))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code
    return result.stdout, result.stderr


def test_a_run_leaves_a_model_and_says_so(data: Path, tmp_path: Path) -> None:
    told, warned = run(data, tmp_path, TINY)
    assert re.fullmatch(rf"{tmp_path}: trained on 60 problems, \d+ steps\n", told)
    assert warned == ""
    saved = load_model(tmp_path)
    assert (saved.model.config.kind, saved.model.config.hidden) == ("program", 16)
    assert saved.about["training"]["epochs"] == 1
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert rows[-1]["epoch"] == rows[-1]["epochs"] == 1
    assert {"step", "loss", "rate", "seconds", "instructions_per_second"} < rows[-1].keys()
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    # The same command once more finds nothing to do.
    told, warned = run(data, tmp_path, TINY)
    assert re.fullmatch(rf"{tmp_path}: was trained already on 60 problems, \d+ steps\n", told)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == files
    # Other settings belong into another folder.
    with pytest.raises(UserError, match="holds a run with other settings"):
        run(data, tmp_path, [*TINY, "seed=5"])


@pytest.mark.parametrize("model", ["seq2seq", "copy-input", "copy-output"])
def test_the_baselines_are_trained_by_the_same_command(
    model: str, few: Path, tmp_path: Path
) -> None:
    run(few, tmp_path, [*TINY, f"model={model}"])
    assert load_model(tmp_path).model.config.kind == model


@pytest.fixture(scope="module")
def uninterrupted(few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("whole")
    run(few, folder, LONG)
    return folder


def steps_logged(folder: Path) -> int:
    log = folder / "log.jsonl"
    return len(log.read_bytes().splitlines()) if log.exists() else 0


def test_ctrl_c_saves_and_the_same_command_goes_on(
    few: Path, tmp_path: Path, uninterrupted: Path
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "scratchwork", "train", *arguments(few, tmp_path, LONG)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while steps_logged(tmp_path) < 2:
        assert process.poll() is None
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    told, warned = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told == ""
    found = re.fullmatch(r"stopped at step (\d+); the same command continues from there\n", warned)
    assert found is not None
    assert not (tmp_path / "model.safetensors").exists()
    told, warned = run(few, tmp_path, LONG)
    assert warned == f"continuing from step {found.group(1)}\n"
    assert "trained on 12 problems" in told
    for name in ("model.safetensors", "config.json", "vocabulary.json"):
        assert (tmp_path / name).read_bytes() == (uninterrupted / name).read_bytes()
    steps = [json.loads(line)["step"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert steps == sorted(set(steps))


def test_a_polite_kill_saves_too(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    write = Log.__call__

    def kill(self: Log, report: LogEntry) -> None:
        write(self, report)
        if report["step"] == 2:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Log, "__call__", kill)
    _, warned = run(few, tmp_path, LONG, code=130)
    assert warned == "stopped at step 3; the same command continues from there\n"
    assert signal.getsignal(signal.SIGTERM) is handler


def test_a_second_run_into_the_same_folder_is_refused(few: Path, tmp_path: Path) -> None:
    refusal = re.escape(f"{tmp_path}: another run is writing into this folder; wait for it to end")
    with only_run(tmp_path), pytest.raises(UserError, match=refusal):
        run(few, tmp_path, LONG)
    run(few, tmp_path, [*LONG, "epochs=1"])


def test_a_damaged_state_is_told_and_passed_over(few: Path, tmp_path: Path) -> None:
    settings = [*LONG, "epochs=2"]
    run(few, tmp_path, settings)
    newest = max((tmp_path / "training").glob("*.safetensors"))
    newest.write_bytes(b"damaged")
    told, warned = run(few, tmp_path, settings)
    assert warned == f"{newest} is damaged and was skipped\ncontinuing from step 4\n"
    assert "trained on 12 problems, 6 steps" in told


def test_what_is_left_out_is_told(few: Path, tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    long = Problem("How long?", (), "and so on " * 200)
    write_problems(file, [long])
    with file.open("a") as rows:
        rows.write("not JSON\n")
    settings = [*LONG, "epochs=1"]
    with pytest.raises(UserError, match=r"more.jsonl:2: not JSON"):
        run(few, tmp_path / "model", settings, "--data", str(file))
    _, warned = run(few, tmp_path / "model", settings, "--data", str(file), "--skip-bad")
    assert "1 bad row was skipped\n" in warned
    assert "1 problem was left out, too long to learn from\n" in warned


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({2: "huge"}, "there is no preset huge; there are tiny, small, paper"),
        ({4: "nowhere.jsonl"}, "nowhere.jsonl: no such file or directory"),
        ({8: "abacus"}, "there is no device abacus; it can be cpu, cuda or auto"),
        ({10: "epochs"}, "--set epochs: give a setting and its value, such as seed=5"),
        ({10: "depth=3"}, "there is no setting depth; there are model, vocabulary, hidden"),
        ({10: "epochs=many"}, "the setting epochs is many, but must be a whole number"),
        ({10: "epochs=0"}, "the setting epochs is 0, but must be 1 to 100000"),
        ({10: "model=oracle"}, "the setting model is oracle; it can be program, seq2seq"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(
    changes: dict[int, str],
    complaint: str,
    few: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = arguments(few, tmp_path / "model", ["epochs=1"])
    for place, text in changes.items():
        given[place] = text
    monkeypatch.setattr(sys, "argv", ["scratchwork", "train", *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"scratchwork: {complaint}")
    assert told.err.count("\n") == 1
    assert not (tmp_path / "model").exists()


def test_in_a_terminal_the_progress_is_shown(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    changes = [*LONG, "epochs=1"]
    paper([few], tmp_path, "tiny", changes, device="cpu")
    assert re.search(r"epoch 1\.0 of 1, step 3, loss \d+\.\d{3}, ", capsys.readouterr().err)


def test_tensorboard_gets_what_the_log_gets(few: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    run(few, tmp_path, [*LONG, "epochs=1"], "--tensorboard")
    assert list((tmp_path / "tensorboard").glob("events.*"))


def test_a_missing_tensorboard_is_told(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(UserError, match=r"pip install 'scratchwork\[train\]'"):
        run(few, tmp_path, LONG, "--tensorboard")


def test_every_command_has_an_example() -> None:
    for command in ("paper", "solver", "tables"):
        told = CliRunner().invoke(app, [command, "--help"]).stdout
        assert f"Example: scratchwork train {command} " in told
