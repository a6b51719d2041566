"""Input that was made to do harm: one sentence each, and nothing for the terminal to obey."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from scratchwork.cli.main import main

ESCAPES = {
    "id": "\x1b[5m1",
    "question": "\x1b]0;title\x07 What is 2 + 2?",
    "options": ["A)\x1b[2J3", "B)4"],
    "rationale": "\x1b[31m 2 + 2 = 5",
    "correct": "B",
    "origin": "\x9b2J",
}


@dataclass(frozen=True)
class Result:
    exit_code: object
    stdout: str
    stderr: str


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command to its end."""

    def to_the_end(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["scratchwork", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return Result(ended.value.code, told.out, told.err)

    return to_the_end


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps(ESCAPES) + "\n")
    return path


@pytest.mark.parametrize("command", ["audit", "data stats"])
def test_escapes_in_texts_are_shown(command: str, problems: Path, run: Run) -> None:
    result = run(*command.split(), str(problems))
    assert not {"\x1b", "\x9b", "\x07"} & set(result.stdout)
    asked = run("audit", "--question", "\x1b[2J 3?", "--rationale", "3 \x1b[2J = 4")
    assert "\x1b" not in asked.stdout
    assert r"\x1b" in asked.stdout


PROGRAMS = [
    ('Id("\\ud800") -> y', "line 1: a word holds half a character"),
    ('{"version": ' + 5000 * "9" + "}", "a number has too many digits"),
    (json.dumps({"version": 1000 * "v", "instructions": []}), "the program's version is"),
    (1000 * "X" + '("a") -> y', "instruction 1, XXX"),
    ("#" * (1 << 24) + "\n", "larger than the 16,777,216 bytes allowed"),
    (r'{"version": 1, "instructions": ' + 100_000 * "[", "nested too deeply"),
]


@pytest.mark.parametrize(("content", "complaint"), PROGRAMS)
def test_a_hostile_program_is_told_in_one_short_sentence(
    content: str, complaint: str, problems: Path, run: Run
) -> None:
    program = problems.with_name("hostile.program")
    program.write_text(content)
    result = run("execute", str(program), "--problem", str(problems))
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert len(result.stderr) < 600


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"\x7fELF\xff\xfe", "byte 5 is not UTF-8 text"),
        (b"a = " + 100_000 * b"[", "TOML nested too deeply"),
        (b"a = " + 5_000 * b"9", "a number has too many digits"),
        (5_000_000 * b"\n", "the file is larger than the 4,194,304 bytes allowed"),
    ],
)
def test_a_hostile_family_file_is_told_in_one_sentence(
    content: bytes, complaint: str, tmp_path: Path, run: Run
) -> None:
    path = tmp_path / "hostile.toml"
    path.write_bytes(content)
    result = run("generate", "--families", str(path), "-n", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"scratchwork: {path}: {complaint}\n"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(5, "Input/output error"), "reading or writing failed: input/output error"),
        (OSError("\x1b[2J"), r"reading or writing failed: \x1b[2j"),
        (OSError(13, "Permission denied", "out.jsonl"), "out.jsonl: permission denied"),
    ],
)
def test_an_error_of_the_system_is_told_with_or_without_a_file(
    error: OSError, sentence: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr("scratchwork.cli.main.app", fail)
    result = run("audit")
    assert (result.exit_code, result.stderr) == (2, f"scratchwork: {sentence}\n")
