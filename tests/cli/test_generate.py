import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scratchwork.cli.main import app
from scratchwork.errors import UserError

RUNNER = CliRunner()


def generate(*arguments: str) -> str:
    result = RUNNER.invoke(app, ["generate", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout


def test_problems_go_to_standard_output_as_json_lines() -> None:
    rows = [json.loads(line) for line in generate("-n", "5", "--seed", "7").splitlines()]
    assert len(rows) == 5
    assert all(row["family"] and row["program"] and row["seed"] == 7 for row in rows)


def test_topic_and_style_are_kept_to() -> None:
    lines = generate("-n", "10", "--topic", "percent", "--style", "terse").splitlines()
    rows = [json.loads(line) for line in lines]
    assert {(row["topic"], row["style"]) for row in rows} == {("percent", "terse")}


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl.gz"
    generate("-n", "20", "-o", str(path))
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(("format", "mark"), [("md", "# Answer key"), ("html", "Answer key</h1>")])
def test_a_worksheet_has_a_key(format: str, mark: str) -> None:
    assert mark in generate("-n", "3", "--format", format)


def test_topics_are_listed_with_their_sizes() -> None:
    assert "percent: " in generate("--topics")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--topic", "astrology"], "there is no topic astrology"),
        (["--family", "nobody"], "there is no family nobody"),
        (["--style", "rhyming"], "there is no style rhyming"),
        (["--format", "pdf"], "--format is jsonl, md or html"),
    ],
)
def test_what_is_not_there_gets_a_sentence(arguments: list[str], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        generate(*arguments)


def test_stories_have_an_answer_and_a_plan() -> None:
    rows = [
        json.loads(line) for line in generate("--stories", "-n", "5", "--seed", "7").splitlines()
    ]
    assert len(rows) == 5
    assert all(row["origin"] == "story" and row["answer"] and row["plan"] for row in rows)
    assert "Answer key" in generate("--stories", "-n", "3", "--format", "html")


def test_stories_are_of_no_family() -> None:
    with pytest.raises(UserError, match="--stories takes none of"):
        generate("--stories", "--topic", "percent")


def test_the_check_says_what_is_in_order() -> None:
    assert "in order" in generate("--check", "-n", "20", "--topic", "percent")


def test_hostile_text_is_no_markup_on_a_worksheet() -> None:
    from scratchwork import Problem
    from scratchwork.render.worksheet import worksheet_html, worksheet_markdown

    problem = Problem("<script>alert(1)</script> *x*", ("<b>", "`y`"), "a < b", "A")
    assert "<script>" not in worksheet_html([problem], 1)
    assert "<b>" not in worksheet_html([problem], 1).replace("<b>A</b>", "")
    assert "\\*x\\*" in worksheet_markdown([problem], 1)
