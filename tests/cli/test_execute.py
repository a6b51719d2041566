import json
import subprocess
import sys
from pathlib import Path

import pytest

from scratchwork.examples import example_path

KINGS = str(example_path("kings.json"))


def scratchwork(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    run = subprocess.run(
        [sys.executable, "-c", "from scratchwork.cli.main import main; main()", *arguments],
        input=stdin,
        capture_output=True,
    )
    return subprocess.CompletedProcess(
        run.args, run.returncode, run.stdout.decode(), run.stderr.decode()
    )


def test_without_arguments_the_worked_example_is_shown() -> None:
    run = scratchwork("execute")
    assert run.returncode == 0
    assert "Choose(m1, m2)" in run.stdout
    assert "P(E) = 6/1326 = 1/221" in run.stdout
    assert "Answer: C" in run.stdout


def test_json_holds_the_whole_trace() -> None:
    run = scratchwork("execute", "--json")
    assert json.loads(run.stdout)["answer"] == "C"


def test_a_program_may_come_from_standard_input_as_text_or_json() -> None:
    text = b"Str_to_Float(x5) -> m\nFloat_to_Str(m1) -> y\n"
    form = {
        "version": 1,
        "instructions": [
            {"operation": "Str_to_Float", "arguments": [{"x": 5}], "to": "m"},
            {"operation": "Float_to_Str", "arguments": [{"m": 1}], "to": "y"},
        ],
    }
    for program in (text, json.dumps(form).encode()):
        run = scratchwork("execute", "-", "--problem", KINGS, "--json", stdin=program)
        assert json.loads(run.stdout)["rationale"] == "52"


@pytest.mark.parametrize("suffix", [".svg", ".dot", ".mmd"])
def test_the_graph_is_written_in_three_forms(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"kings{suffix}"
    assert scratchwork("execute", "--graph", str(path)).returncode == 0
    assert "1326" in path.read_text("utf-8")


GARBAGE = [
    b"garbage",
    b"\xff\xfe\x00",
    b"{",
    b"{}",
    b"[[[",
    b'{"version": 1, "instructions": [{}]}',
    b"{" + b'"a":{' * 5000,
    b"Id(x0) -> y",
    b"Add(x1, x2) -> m",
    b"Nonsense(x1) -> y",
    b'Id("' + b"a" * 100_000 + b'") -> y',
    b'Str_to_Float("1e999") -> m',
    b'Id("unclosed',
    b"Choose(m1, m1) -> m\n" * 20_000,
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda g: repr(g[:20]))
def test_garbage_gets_a_sentence_and_exit_code_2(garbage: bytes) -> None:
    run = scratchwork("execute", "-", "--problem", KINGS, stdin=garbage)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("scratchwork: ")
    assert "Traceback" not in run.stderr
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["no-such-file", "--problem", KINGS], "no-such-file: no such file or directory"),
        (["-", "--problem", "no-such-file"], "no-such-file: no such file or directory"),
        (["-"], "the program needs a problem to read"),
        (["--problem", KINGS], "--problem needs a program"),
        (["-", "--problem", KINGS, "--id", "queens"], 'no problem with the id "queens"'),
        (["--operations", "all"], "--operations is paper or extended, not all"),
        (["--graph", "picture.png"], "a graph is written as .svg, .dot or .mmd"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments: list[str], complaint: str) -> None:
    run = scratchwork("execute", *arguments)
    assert run.returncode == 2
    assert complaint in run.stderr
    assert "Traceback" not in run.stderr


def test_an_empty_program_is_a_program() -> None:
    run = scratchwork("execute", "-", "--problem", KINGS, "--json", stdin=b"")
    assert json.loads(run.stdout)["steps"] == []
