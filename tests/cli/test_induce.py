import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from scratchwork.cli.induce import induce
from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import write_problems

app = typer.Typer()
app.command()(induce)

COMMAND = "import typer; from scratchwork.cli.induce import induce; typer.run(induce)"
MANY = 400
"""Problems enough for a run to be stopped in the middle."""


def run(*arguments: object) -> tuple[str, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout, result.stderr


def apples(k: int) -> Problem:
    each = 3 + k % 40
    return Problem(
        question=f"An apple costs {each} cents. How much do 11 apples cost?",
        options=(str(11 * each), str(12 * each)),
        rationale=f"They cost 11 * {each} = {11 * each} cents. So the answer is A.",
        correct="A",
        extra={"linear_formula": "multiply(n0,n1)|"},
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "apples.jsonl"
    write_problems(path, map(apples, range(8)))
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "apples.jsonl.gz"
    write_problems(path, map(apples, range(MANY)))
    return path


@pytest.fixture(scope="module")
def uninterrupted(many: Path) -> bytes:
    output = many.with_name("whole.jsonl.gz")
    run(many, "-o", output, "--workers", 1)
    return output.read_bytes()


def begin(many: Path, output: Path) -> "subprocess.Popen[str]":
    """A run in a process group of its own, as a shell starts it, with two chunks written."""
    journal = Path(f"{output}.partial.json")
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(many), "-o", str(output), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Tests that were started in the background inherit that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert process.poll() is None
        time.sleep(0.002)
    return process


def goes_on(many: Path, output: Path, uninterrupted: bytes) -> None:
    assert not output.exists()
    _, told = run(many, "-o", output, "--workers", 1)
    assert "continuing after problem" in told
    assert output.read_bytes() == uninterrupted
    assert not list(output.parent.glob("*.partial*"))


def test_a_run_that_is_killed_goes_on(many: Path, tmp_path: Path, uninterrupted: bytes) -> None:
    output = tmp_path / "out.jsonl.gz"
    process = begin(many, output)
    process.send_signal(signal.SIGKILL)
    # The pipe ends when the worker processes have ended too.
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL
    goes_on(many, output, uninterrupted)


def test_a_run_that_is_stopped_says_how_to_go_on(
    many: Path, tmp_path: Path, uninterrupted: bytes
) -> None:
    output = tmp_path / "out.jsonl.gz"
    process = begin(many, output)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert told == "stopped; the same command continues from here\n"
    goes_on(many, output, uninterrupted)


def test_the_numbers_explained_are_counted(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl.gz"
    told, _ = run(file, "-o", output)
    assert told == f"{output}: 8 problems; 24 of 24 numbers explained (100.00%)\n"
    rows = [json.loads(line) for line in gzip.decompress(output.read_bytes()).splitlines()]
    assert [row["id"] for row in rows] == [str(k) for k in range(1, 9)]
    assert "lattice" not in rows[0]
    run(file, "-o", output, "--lattices", "--workers", 1)
    assert b'"lattice":{"source"' in gzip.decompress(output.read_bytes())


def test_the_formulas_are_counted(file: Path, tmp_path: Path) -> None:
    told, _ = run(file, "-o", tmp_path / "out.jsonl", "--from-formula", "--workers", 1)
    assert told.endswith(
        "8 problems, 8 formulas translated; 8 yield the label, 0 another letter, 0 none; 0 failed\n"
    )


def test_the_counts_are_printed_as_json(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    told, _ = run(file, "-o", output, "--json", "--workers", 1)
    assert json.loads(told) == {
        "file": str(output),
        "problems": 8,
        "numerals": 24,
        "unexplained": 0,
    }


def test_bad_rows_are_passed_over_if_wished(file: Path, tmp_path: Path) -> None:
    with file.open("a") as rows:
        rows.write("not JSON\n")
    with pytest.raises(UserError, match=r"apples.jsonl:9: not JSON"):
        run(file, "-o", tmp_path / "out.jsonl", "--workers", 1)
    told, warned = run(file, "-o", tmp_path / "out.jsonl", "--workers", 1, "--skip-bad")
    assert "8 problems" in told
    assert "1 bad row was skipped" in warned
    assert warned.count("apples.jsonl:9") == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--operations", "all"], "--operations is paper or extended, not all"),
        (["--from-formula", "--lattices"], "leave out --lattices"),
        (["--from-formula", "--operations", "paper"], "leave out --operations"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(
    arguments: list[str], complaint: str, file: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=complaint):
        run(file, "-o", tmp_path / "out.jsonl", *arguments)


def test_in_a_terminal_the_progress_is_shown(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    induce(file, tmp_path / "out.jsonl", workers=1)
    assert "8/8" in capfd.readouterr().err


def test_the_command_has_an_example() -> None:
    assert "Example: scratchwork induce" in run("--help")[0]


def test_importing_the_command_imports_no_library() -> None:
    heavy = ["numpy", "rich.progress", "ray", "multiprocessing"]
    code = f"import sys, scratchwork.cli.induce; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
