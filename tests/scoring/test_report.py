import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest

from scratchwork import Problem
from scratchwork.errors import UserError
from scratchwork.examples import example_path
from scratchwork.files import sha256_of
from scratchwork.scoring.accuracy import Answer, Part, measure_accuracy
from scratchwork.scoring.bleu import measure_bleu
from scratchwork.scoring.perplexity import measure_perplexity
from scratchwork.scoring.report import Report, current_commit, paper_table, report_from_json
from scratchwork.solution import Likelihood


@pytest.fixture(scope="module")
def report(kings: Problem) -> Report:
    answers = [
        Answer("C", "check"),
        Answer("A", "forced"),
        Answer("B", "copy"),
        Answer("C", "copy"),
    ]
    return Report(
        model="paper",
        file="kings.json",
        data=sha256_of(example_path("kings.json")),
        problems=4,
        seed=11,
        commit="abc1234",
        settings={"beam": 20, "operations": "paper"},
        perplexity=measure_perplexity(
            [Likelihood(2, -2 * math.log(2)), Likelihood(6, -6 * math.log(8), 2)]
        ),
        bleu=measure_bleu(["Answer is C", ""], ["Answer is C", kings.rationale or ""]),
        accuracy=measure_accuracy([kings] * 4, answers),
        vote=measure_accuracy([kings] * 4, [Answer("C", "check")] * 3 + answers[1:2]),
        confident={"0.5": Part(3, 2), "0.7": Part(0, 0)},
    )


def cells_of(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_a_report_survives_json(report: Report) -> None:
    form = json.loads(json.dumps(report.to_json()))
    assert form == report.to_json()
    assert report_from_json(form) == report
    assert form["accuracy"] == form["letters"]["share"] == 0.5


def test_a_report_may_lack_what_was_not_measured(report: Report) -> None:
    bare = Report("paper", "dev.json", report.data, 4, 0, None, {})
    assert report_from_json(bare.to_json()) == bare
    assert bare.as_text().splitlines()[0] == "paper on dev.json"
    assert "accuracy" not in bare.as_text()


def test_what_is_no_report_is_told(report: Report) -> None:
    form = report.to_json()
    with pytest.raises(UserError, match="version is 7, this reads 2"):
        report_from_json(form | {"version": 7})
    del form["seed"]
    with pytest.raises(UserError, match="'seed'"):
        report_from_json(form)


def test_the_text_has_all_figures(report: Report) -> None:
    lines = [" ".join(line.split()) for line in report.as_text().splitlines()]
    assert lines[:7] == [
        "paper on kings.json",
        "problems 4",
        "seed 11",
        f"data sha256 {report.data}",
        "commit abc1234",
        "beam 20",
        "operations paper",
    ]
    assert "average of sentences 5.00 95 % interval 2.00 to 8.00" in lines
    assert "geometric, of sentences 4.00" in lines
    assert "unknown 25.0 % of 8 tokens" in lines
    assert "right 50.0 % 95 % interval 15.0 to 85.0; standard error 25.0 %" in lines
    assert "right by vote 75.0 % 95 % interval 30.1 to 95.4; standard error 21.7 %" in lines
    assert "always A 0.0 %" in lines
    assert "always the most frequent 100.0 % C is most often correct" in lines
    assert "answered by a program 75.0 % n = 3, 66.7 % of them right" in lines
    assert "letter: forced 25.0 % n = 1, 0.0 % of them right" in lines
    assert "at least 50 % sure 75.0 % n = 3, 66.7 % of them right" in lines
    assert "at least 70 % sure 0.0 % n = 0" in lines
    assert "letter: none 0.0 % n = 0" in lines
    assert "operations in gold: 3 100.0 % n = 4, 50.0 % of them right" in lines
    assert "predicted letters A 1, B 1, C 2, D 0, E 0, none 0" in lines
    assert report.bleu is not None
    assert any(line.endswith(report.bleu.lower_cased.signature) for line in lines)


def test_the_paper_table_shows_reports_below_the_published_rows(report: Report) -> None:
    form: dict[str, Any] = report.to_json()
    heads, rule, *rows = cells_of(paper_table([form, form | {"model": "other", "bleu": None}]))
    assert heads[:4] == ["model", "perplexity", "BLEU", "accuracy, %"]
    assert {len(row) for row in (heads, rule, *rows)} == {len(heads)}
    assert [row[:4] for row in rows[:4]] == [
        ["Seq2Seq (published)", "524.7", "8.57", "20.8"],
        ["+Copy Input (published)", "46.8", "21.3", "20.4"],
        ["+Copy Output (published)", "45.9", "20.6", "20.2"],
        ["Our Model (published)", "28.5", "27.2", "36.4"],
    ]
    ours, other = (dict(zip(heads, row, strict=True)) for row in rows[4:])
    assert ours["accuracy, %"] == "50.0 ± 25.0"
    assert ours["perplexity"] == "5.0"
    assert (ours["seed"], ours["commit"], ours["n"]) == ("11", "abc1234", "4")
    assert report.data.startswith(ours["data"])
    assert (other["model"], other["BLEU"]) == ("other", "")


def test_the_commit_says_whether_files_have_changed(tmp_path: Path) -> None:
    package = tmp_path / "package"
    installed = tmp_path / "installed"
    package.mkdir()
    installed.mkdir()
    assert current_commit(package) is None

    def git(*arguments: str) -> str:
        settings = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        run = subprocess.run(
            ["git", *settings, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return run.stdout.strip()

    module = package / "module.py"
    module.write_text("one")
    git("init", "--quiet")
    git("add", "package")
    git("commit", "--quiet", "--no-verify", "--message", "One")
    commit = git("rev-parse", "--short", "HEAD")
    (package / "untracked.py").touch()
    assert current_commit(package) == commit
    assert current_commit(installed) is None
    module.write_text("two")
    assert current_commit(package) == f"{commit}-dirty"
