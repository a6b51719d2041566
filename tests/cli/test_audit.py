import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from scratchwork import Problem, UserError, read_problems, write_problems
from scratchwork.cli.audit import audit
from scratchwork.examples import example_path

app = typer.Typer()
app.command()(audit)

KINGS = example_path("kings.json")


def run(*arguments: object, stdin: str | None = None) -> str:
    """What the command prints; its error, if it is one for the user, is raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def scratchwork(*arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    code = "from scratchwork.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "audit", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
    )


def objects(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    sums = {
        "right": "17 + 26 = 43",
        "wrong": "17 + 26 = 44",
        "silent": None,
        "also": "17 + 17 = 34",
    }
    write_problems(
        path,
        (
            Problem("What is it, with 17 and 26?", rationale=text, id=name, origin="mine")
            for name, text in sums.items()
        ),
    )
    return path


def test_one_rationale_is_audited_from_the_command_line() -> None:
    printed = run("--question", "What is 2 + 3?", "--rationale", "2 + 3 = 6")
    assert "2 + 3 = 6" in printed
    assert "2 + 3 is 5, not 6." in printed
    assert "0 of 1 equations hold" in printed


def test_the_rationale_may_come_from_standard_input() -> None:
    printed = run("--question", "17 and 26?", "--json", stdin="17 + 26 = 43\n")
    (form,) = objects(printed)
    assert form["equations"] == [{"text": "17 + 26 = 43", "holds": True, "why": ""}]
    assert form["answer"] is None


def test_options_make_the_letter_part_of_the_audit() -> None:
    options = ["-o", "40", "--option", "43", "-o", "50"]
    arguments = ["--question", "17 and 26?", *options, "--rationale"]
    assert "B follows" in run(*arguments, "17 + 26 = 43. The answer is B")
    printed = run(*arguments, "17 + 26 = 43. The answer is C")
    assert "The working comes to 43, which is option B, not C." in printed


def test_an_unsupported_number_is_marked_without_colour() -> None:
    printed = run("--question", "What is 2 + 3?", "--rationale", "It is 7919")
    assert "7919[?]" in printed
    assert "7919 is neither in the problem nor in the working before it" in printed


def test_markup_in_a_text_is_shown_literally() -> None:
    printed = run("--question", "[red]2[/red]?", "--rationale", "[bold]2 + 2 = 5[/bold] :smile:")
    assert "[bold]" in printed.replace(" ", "")
    assert "smile" in printed


def test_a_file_is_summed_up_by_origin(file: Path) -> None:
    printed = run(file)
    assert "mine" in printed
    assert "66.7 % of 3" in printed
    assert "wrong: 17 + 26 is 43, not 44." in printed


def test_a_file_is_printed_as_one_object_a_line(file: Path) -> None:
    forms = objects(run(file, "--json"))
    assert [form["id"] for form in forms] == ["right", "wrong", "also"]
    for form in forms:
        assert list(form) == [
            *("id", "question", "options", "rationale", "numbers", "equations", "answer"),
            *("supported", "complaints"),
        ]
    assert [form["equations"][0]["holds"] for form in forms] == [True, False, True]


def test_what_holds_is_kept(file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl.gz"
    run(file, "--keep", kept, "--json")
    before = {problem.id: problem for problem in read_problems(file)}
    assert list(read_problems(kept)) == [before["right"], before["also"]]


def test_processes_print_the_same(file: Path) -> None:
    assert run(file, "--json", "--workers", 2) == run(file, "--json")


def test_a_page_is_written(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    run(file, "--html", page, "--json")
    text = page.read_text("utf-8")
    HTMLParser().feed(text)
    assert text.count("<article>") == 3
    assert "17 + 26 is 43, not 44." in text


def test_a_page_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    write_problems(path, [Problem("Why?", rationale="So.", id=f"q{k}") for k in range(501)])
    with pytest.raises(UserError, match="a page holds at most 500 audits"):
        run(path, "--html", tmp_path / "audit.html")
    assert not (tmp_path / "audit.html").exists()


def test_bad_rows_are_passed_over_if_wished(file: Path) -> None:
    with file.open("a") as rows:
        rows.write("not JSON\n")
    with pytest.raises(UserError, match=r"problems.jsonl:5: not JSON"):
        run(file, "--json")
    assert len(objects(run(file, "--json", "--skip-bad"))) == 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "give a file of problems, or one --question"),
        ([str(KINGS), "--question", "Why?"], "give a file of problems, or one --question"),
        (["--question", "Why?"], "the rationale is empty"),
        (["--question", "Why?", "--rationale", " "], "the rationale is empty"),
        (["--question", " ", "--rationale", "So."], "question"),
        (["--question", "Why?", "--rationale", "So.", "-o", "1"], "there is one option only"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(arguments: list[str], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        run(*arguments, stdin="")


@pytest.mark.parametrize(
    "arguments",
    [["no-such-file"], ["--question", "Why?"], [str(KINGS), "--keep", f"{KINGS}/kept.gz"]],
)
def test_errors_are_one_sentence_and_exit_code_2(arguments: list[str]) -> None:
    result = scratchwork(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("scratchwork: ")
    assert result.stderr.count("\n") == 1


def test_the_worked_example_holds() -> None:
    result = scratchwork(str(KINGS), "--json")
    assert result.returncode == 0
    (form,) = objects(result.stdout)
    assert form["answer"] == {"letter": "C", "follows": True, "why": ""}
