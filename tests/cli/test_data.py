import builtins
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from scratchwork.cli import data
from scratchwork.cli.reporting import progress
from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import write_problems
from scratchwork.render.histogram import bars_of, draw_histogram

TRAIN = "A train {} m long passes a pole in {} seconds. What is its speed in km per hour?"
CARDS = "Two cards are drawn from a pack of 52. What is the chance that both are kings?"
TANK = "A tank is filled by one pipe in 4 hours; how long do three such pipes need together?"


class Ran(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Ran:
    result = CliRunner().invoke(data.app, [str(argument) for argument in arguments])
    if isinstance(result.exception, UserError):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def run_json(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def file_of(path: Path, *questions: str) -> Path:
    options = ("10", "20", "30", "40", "50")
    write_problems(path, (Problem(q, options, "It is 10 .", "A") for q in questions))
    return path


def test_importing_the_commands_imports_no_library() -> None:
    heavy = ["rapidfuzz", "numpy", "matplotlib", "rich.progress", "urllib.request"]
    code = f"import sys, scratchwork.cli.data; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_every_command_has_an_example() -> None:
    for command in ("stats", "duplicates", "split", "tune", "download"):
        assert f"Example: scratchwork data {command}" in run(command, "--help").stdout


def test_stats_show_each_file_and_all_of_them(tmp_path: Path) -> None:
    one = file_of(tmp_path / "one.jsonl", CARDS, TANK)
    two = file_of(tmp_path / "two.jsonl", TRAIN.format(150, 12))
    shown = run("stats", one, two).stdout
    assert "one.jsonl" in shown
    assert "all files" in shown
    assert "non-numeric: average length" in shown
    content = run_json("stats", one, two)
    assert [row["examples"] for row in content["files"]] == [2, 1]
    assert content["total"]["examples"] == 3
    assert content["total"]["rationale"]["all"] == {"average_length": 4.0, "vocabulary": 4}


def test_stats_pass_over_bad_rows_only_when_told_to(tmp_path: Path) -> None:
    path = file_of(tmp_path / "one.jsonl", CARDS)
    path.write_bytes(path.read_bytes() + b"bad\n" * 7)
    with pytest.raises(UserError, match=r"one\.jsonl:2: not JSON"):
        run("stats", path)
    result = run("stats", path, "--skip-bad", "--json")
    assert json.loads(result.stdout)["total"]["examples"] == 1
    told = result.stderr.splitlines()
    assert [line.startswith("skipped: ") for line in told] == [True] * 5 + [False]
    assert told[-1] == "7 bad rows were skipped"


@pytest.mark.parametrize(("name", "start"), [("h.png", b"\x89PNG"), ("h.svg", b"<?xml")])
def test_stats_draw_the_same_histogram_every_time(tmp_path: Path, name: str, start: bytes) -> None:
    path = file_of(tmp_path / "one.jsonl", CARDS, TANK, TANK * 30)
    out = tmp_path / name
    run("stats", path, "--histogram", out)
    first = out.read_bytes()
    assert first.startswith(start)
    run("stats", path, "--histogram", out)
    assert out.read_bytes() == first


def test_a_histogram_that_cannot_be_drawn_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"written as \.png or \.svg"):
        run("stats", tmp_path / "missing.jsonl", "--histogram", tmp_path / "h.pdf")
    with pytest.raises(UserError, match="no problems to draw"):
        draw_histogram({}, tmp_path / "h.png")
    really_import = builtins.__import__

    def without_matplotlib(name: str, *rest: Any) -> ModuleType:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return really_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(UserError, match=r"pip install 'scratchwork\[plot\]'"):
        run("stats", tmp_path / "missing.jsonl", "--histogram", tmp_path / "h.png")


def test_a_long_tail_is_gathered_in_a_bar_of_its_own() -> None:
    bars = bars_of(dict.fromkeys(range(100), 10) | {5000: 3, 40_000: 2})
    assert bars.longer == 5
    assert sum(bars.counts) == 1000
    assert len(bars.counts) * bars.width == 102 // bars.width * bars.width
    assert bars_of({0: 1}) == (1, [1], 0)


def test_duplicates_are_shown_counted_and_dropped(tmp_path: Path) -> None:
    dev = file_of(tmp_path / "dev.jsonl", CARDS, TRAIN.format(150, 12))
    train = file_of(tmp_path / "train.jsonl", TANK, TRAIN.format(240, 18), TRAIN.format(150, 12))
    kept = tmp_path / "kept.jsonl"
    shown = run("duplicates", dev, "--against", train, "--top", 1, "--drop", kept).stdout
    assert shown.startswith("text: ratio 100.0, digit-free 100.0\n  held out 2: A train 150 m")
    assert "(1 more pairs are not shown; see --top)" in shown
    assert "1 of 2 held-out problems have near copies: 2 of 3 problems" in shown
    assert [problem.question for problem in read_problems(kept)] == [TANK]
    content = run_json("duplicates", dev, "--against", train)
    assert [near["id"] for near in content["nearest"]] == ["3", "2"]
    assert set(content["nearest"][0]) == {
        *("heldout", "file", "id", "ratio", "digit_free_ratio", "kind"),
        *("heldout_question", "question"),
    }
    assert (content["pairs"], content["others_hit"], content["kept"]) == (2, 2, None)


def test_thresholds_are_the_users(tmp_path: Path) -> None:
    dev = file_of(tmp_path / "dev.jsonl", TRAIN.format(150, 12))
    train = file_of(tmp_path / "train.jsonl", TRAIN.format(248, 96))
    strict = ("--threshold", 100, "--digit-free-threshold", 100)
    content = run_json("duplicates", dev, "--against", train, *strict)
    assert [near["kind"] for near in content["nearest"]] == ["digit-free"]
    assert run("duplicates", dev, "--against", train, "--threshold", 0).exit_code == 2


def test_split_writes_the_parts_and_prints_its_summary(tmp_path: Path) -> None:
    path = file_of(tmp_path / "all.jsonl", CARDS, TANK, *(TRAIN.format(k, 12) for k in range(5)))
    out = tmp_path / "out"
    arguments = ("split", path, "--to", out, "--dev", 2, "--test", 1)
    shown = run(*arguments).stdout
    assert "0 train, 2 dev, 1 test; 4 near copies of dev and test removed" in shown
    assert run_json(*arguments) == json.loads((out / "split.json").read_text("utf-8"))


def test_tune_sets_whole_clusters_aside_and_prints_its_summary(tmp_path: Path) -> None:
    one = file_of(tmp_path / "one.jsonl", CARDS, *(TRAIN.format(k, 12) for k in range(3)))
    two = file_of(tmp_path / "two.jsonl", TANK)
    write_problems(tmp_path / "free.jsonl", [Problem(TRAIN.format(77, 8)), Problem(TANK)])
    out = tmp_path / "out"
    arguments = ("tune", one, two, tmp_path / "free.jsonl", "--to", out, "--count", 5)
    shown = run(*arguments).stdout
    assert "out: 5 tune, 0 train, 2 removed; 3 clusters drawn, the largest of 4" in shown
    assert run_json(*arguments) == json.loads((out / "tune.json").read_text("utf-8"))
    assert [p.id for p in read_problems(out / "tune.jsonl")][-2:] == ["one:4", "two:1"]
    with pytest.raises(UserError, match=r"5 tune problems were asked for, but 0 qualify"):
        run(*arguments, "--origin", "aqua")


def test_download_tells_what_is_wrong_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="must start with https://"):
        run("download", "--to", tmp_path, "--base-url", "ftp://example.org")


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as show:
        show("counting", 1, None)
    assert capsys.readouterr().err == ""


def test_progress_is_shown_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    for in_bytes in (False, True):
        with progress(in_bytes=in_bytes) as show:
            show("counting", 1234, None)
            show("weighing", 5, 10)
        shown = capsys.readouterr()
        assert "weighing" in shown.err
        assert shown.out == ""
