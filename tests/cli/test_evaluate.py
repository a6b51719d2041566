import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from scratchwork import Problem, UserError, write_problems
from scratchwork.cli.evaluate import evaluate
from scratchwork.cli.main import main
from scratchwork.paper.search import PaperSearch
from scratchwork.scoring import evaluating
from scratchwork.scoring.report import report_from_json

app = typer.Typer()
app.command()(evaluate)


@pytest.fixture
def file(additions: list[Problem], tmp_path: Path) -> Path:
    path = tmp_path / "additions.jsonl"
    write_problems(path, additions[:3])
    return path


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    given = [*map(str, arguments), "--beam", "5", "--device", "cpu"]
    result = CliRunner().invoke(app, given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code
    return result.stdout, result.stderr


def test_the_report_is_printed(adding_model: Path, file: Path) -> None:
    told, warned = run(adding_model, file)
    assert warned == ""
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert lines[:2] == ["adding on additions.jsonl", "problems 3"]
    assert "beam 5" in lines
    assert any(line.startswith("right by vote 100.0 %") for line in lines)


def test_json_is_a_report(adding_model: Path, file: Path) -> None:
    told, _ = run(adding_model, file, "--json", "--limit", 2, "--seed", 4, "--rivals", 1)
    report = report_from_json(json.loads(told))
    assert (report.problems, report.seed, report.settings["rivals"]) == (2, 4, 1)


def test_rows_are_written_and_read_again(adding_model: Path, file: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    first = run(adding_model, file, "--to", rows)
    forms = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    assert sorted(form["id"] for form in forms) == ["30", "31", "32"]
    assert list(forms[0]) == [
        "version",
        "id",
        "answer",
        "value",
        "rationale",
        "program",
        "confidence",
        "log_probability",
        "votes",
        "guess",
        "derived",
        "unread",
        "exact",
        "note",
        "correct",
        "how",
        "vote_how",
        "settings",
    ]
    written = rows.read_bytes()
    assert run(adding_model, file, "--to", rows) == first
    assert rows.read_bytes() == written


def test_several_processes_measure_and_write_the_same(
    adding_model: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PaperSearch, "at_once", 1)
    told: list[tuple[object, bytes]] = []
    for count in (1, 2):
        rows = tmp_path / f"{count}.jsonl"
        report, _ = run(adding_model, file, "--json", "--to", rows, "--workers", count)
        told.append((json.loads(report), rows.read_bytes()))
    assert told[0] == told[1]


def test_without_sacrebleu_the_rest_is_told(
    adding_model: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    told, warned = run(adding_model, file, "--json")
    assert warned == "BLEU needs sacrebleu: pip install 'scratchwork[train]'\n"
    assert json.loads(told)["bleu"] is None


def test_bad_rows_are_passed_over_on_request(adding_model: Path, file: Path) -> None:
    with file.open("a") as rows:
        rows.write("not JSON\n")
    with pytest.raises(UserError, match=r"additions\.jsonl:4: not JSON"):
        run(adding_model, file)
    told, warned = run(adding_model, file, "--skip-bad")
    assert "1 bad row was skipped\n" in warned
    assert told.startswith("adding on additions.jsonl\n")


def test_ctrl_c_tells_how_to_go_on(
    adding_model: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluating, "evaluate", stopped)
    assert run(adding_model, file, "--to", tmp_path / "rows.jsonl", code=130) == (
        "",
        "stopped; the same command continues from here\n",
    )
    assert run(adding_model, file, code=130) == ("", "")


def complaint(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    monkeypatch.setattr(sys, "argv", ["scratchwork", "evaluate", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    return told.err


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("nowhere", "nowhere: there is no such model folder, and it is none of the shipped models"),
        (".", ". is no model folder: it has no config.json"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(
    model: str,
    sentence: str,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    told = complaint([model, str(file)], monkeypatch, capsys)
    assert told.startswith(f"scratchwork: {sentence}")
    assert told.count("\n") == 1


def test_a_missing_file_is_one_sentence(
    adding_model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = complaint([str(adding_model), "nowhere.jsonl"], monkeypatch, capsys)
    assert told == "scratchwork: nowhere.jsonl: no such file or directory\n"


def test_the_command_has_an_example() -> None:
    assert "Example: scratchwork evaluate" in CliRunner().invoke(app, ["--help"]).stdout
