import json
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scratchwork import Problem, UserError, model_folder, read_problems, write_problems
from scratchwork.cli.main import main
from scratchwork.examples import example_path
from tests.cli.solving import WALK, app, run

OPTIONS = ["-o", "13 km", "-o", "42 km", "-o", "none of these"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_problems(tmp_path / "problems.jsonl", [Problem(WALK, id="free")])
    return tmp_path / "problems.jsonl"


def test_a_question_with_options_gets_a_letter_and_the_work(tiny_solver: Path) -> None:
    told, warned = run(tiny_solver, WALK, *OPTIONS)
    assert warned == ""
    assert "42" in told.splitlines()[0]
    assert told.splitlines()[-1].startswith("Answer: B (")
    assert told.endswith(" % sure)\n")


def test_a_question_without_options_gets_a_number(tiny_solver: Path) -> None:
    told, _ = run(tiny_solver, WALK)
    form = json.loads(run(tiny_solver, WALK, "--json")[0])
    assert (form["answer"], form["votes"]) == (None, {})
    assert told.splitlines()[-1].startswith(f"Answer: {form['value']} (")


def test_json_is_an_object_of_stable_form(tiny_solver: Path) -> None:
    form = json.loads(run(tiny_solver, WALK, *OPTIONS, "--json")[0])
    names = (
        "answer value rationale program confidence log_probability votes guess derived unread "
        "exact note question options trace rivals"
    )
    assert list(form) == names.split()
    assert (form["answer"], form["value"], form["guess"]) == ("B", "42", False)
    assert form["confidence"] == form["votes"]["B"] == max(form["votes"].values())
    assert sorted(form["votes"]) == ["A", "B", "C"]
    assert sum(form["votes"].values()) == pytest.approx(1, abs=1e-3)
    assert form["trace"]["answer"] == "B"
    assert sorted(rival["answer"] for rival in form["rivals"]) == ["A", "C"]
    assert form["trace"]["rationale"] == form["rationale"]


def test_what_is_mathematics_is_exact_and_options_may_stand_in_the_question(
    tiny_solver: Path,
) -> None:
    told, _ = run(tiny_solver, "15% of 80")
    assert told == "15% of 80 = 12.\nSo the answer is 12.\nAnswer: 12 (exact)\n"
    form = json.loads(run(tiny_solver, "What is $\\frac{3}{4} + 1$? A) 7/4 B) 4/7", "--json")[0])
    assert (form["answer"], form["value"], form["exact"]) == ("A", "1.75", True)
    assert (form["question"], form["options"]) == ("What is 3/4 + 1?", ["7/4", "4/7"])


@pytest.mark.parametrize("question", [WALK, "15% of 80"])
def test_terse_derivations_are_lines_of_arithmetic(question: str, tiny_solver: Path) -> None:
    form = json.loads(run(tiny_solver, question, "--style", "terse", "--json")[0])
    told = json.loads(run(tiny_solver, question, "--json")[0])
    assert form["value"] == told["value"]
    assert form["rationale"].split("\n")[-1] == f"Answer: {form['value']}"
    assert f" is {told['value']}" in told["rationale"].split("\n")[-1]


@pytest.mark.parametrize(
    ("question", "said"),
    [("What is the capital of France?", "nothing to compute"), ("1/0", "divided by zero")],
)
def test_a_question_without_a_value_gets_a_sentence_and_another_status(
    tiny_solver: Path, question: str, said: str
) -> None:
    told, _ = run(tiny_solver, question, code=3)
    assert said in " ".join(told.split())
    assert "Answer" not in told
    form = json.loads(run(tiny_solver, question, "--json", code=3)[0])
    assert (form["answer"], form["value"], form["confidence"]) == (None, None, 0.0)
    assert said in form["note"]


def test_a_question_of_which_a_part_is_read_is_not_answered_without_saying_so(
    tiny_solver: Path,
) -> None:
    question = "Ben walks and walks . " * 200 + WALK
    told, _ = run(tiny_solver, question, *OPTIONS)
    form = json.loads(run(tiny_solver, question, *OPTIONS, "--json")[0])
    assert form["unread"] > 400
    wanted = f"The problem is too long for the model: {form['unread']} of its words and signs were"
    assert wanted in " ".join(told.split())
    assert (form["answer"], form["value"]) == ("B", "42")


def test_explain_shows_every_instruction_with_its_value(tiny_solver: Path) -> None:
    form = json.loads(run(tiny_solver, WALK, *OPTIONS, "--json")[0])
    plain, _ = run(tiny_solver, WALK, *OPTIONS)
    told, _ = run(tiny_solver, WALK, *OPTIONS, "--explain")
    assert told.endswith(plain)
    for step in form["trace"]["steps"]:
        if step["instruction"].startswith(("Multiply", "Check", "Str_to_Float")):
            assert step["instruction"].partition(" ->")[0] in told
    assert "Multiply" in told


@pytest.mark.parametrize("suffix", [".svg", ".dot", ".mmd"])
def test_the_graph_is_written_in_three_forms(
    suffix: str, tiny_solver: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"walk{suffix}"
    assert run(tiny_solver, WALK, *OPTIONS, "--graph", path) == run(tiny_solver, WALK, *OPTIONS)
    assert "42" in path.read_text("utf-8")


def test_a_guess_is_called_a_guess_and_has_a_graph_all_the_same(
    tiny_solver: Path, tmp_path: Path
) -> None:
    told, _ = run(tiny_solver, WALK, "-o", "far", "-o", "near", "--graph", tmp_path / "g.svg")
    first, last = told.splitlines()
    assert first == "No derivation was found."
    assert last in ("A guess: A (50 % sure)", "A guess: B (50 % sure)")
    assert (tmp_path / "g.svg").read_text("utf-8").startswith("<svg")


def test_without_a_question_the_bundled_problems_are_solved_by_the_default_model(
    tiny_solver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_folder, "SHIPPED", tmp_path)
    with pytest.raises(UserError, match="no default model is shipped with this release"):
        run(None)
    shutil.copytree(tiny_solver, tmp_path / "default")
    assert model_folder.model_folder() == tmp_path / "default"
    told, shown = run(None)
    bundled = list(read_problems(example_path("problems.jsonl")))
    assert len(bundled) > 1
    assert sum(line.endswith(" % sure)") for line in told.splitlines()) == len(bundled)
    for problem in bundled:
        assert "\n- ".join([problem.question, *problem.options]) + "\n" in shown
    forms = [json.loads(line) for line in run(None, "--json")[0].splitlines()]
    assert [form["answer"] is None for form in forms] == [not p.options for p in bundled]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-o", "7", "-o", "8"], "there are options, but no question; give the question first"),
        (["What?", "-o", "7"], "there is one option only; give 2 to 10, or none at all"),
        ([" "], "the question is empty"),
        (["What?", "-o", "7", "-o", " "], "option B is empty"),
        (["What?", *["-o", "7"] * 11], "there are 11 options, more than 10"),
        (["--graph", "g.svg"], "--graph draws one solution; give a question as well"),
        (["What?", "--to", "answers.jsonl"], "--to is for the answers to a file of problems"),
        (["What?", "--workers", "2"], "--workers is for the answers to a file of problems"),
        (["--file", "FILE"], "--file needs --to OUT.jsonl, where the answers go"),
        (["What?", "--file", "FILE", "--to", "a.jsonl"], "--file takes its problems from the file"),
        (["--file", "nowhere.jsonl", "--to", "a.jsonl"], "nowhere.jsonl: no such file"),
        (["--file", "FILE", "--to", "a.jsonl.gz"], "rows are added one by one"),
        (["What is 7?", "--graph", "g.png"], "a graph is written as .svg, .dot or .mmd"),
        (["What?", "--model", "nowhere"], "nowhere: there is no such model folder"),
        (["What?", "--model", "."], ". is no model folder: it has no config.json"),
        (["What?", "--model", "damaged"], "damaged is a damaged model folder"),
        (["What?", "--model", "cut"], "cut is a damaged model folder (model.safetensors: "),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    complaint: str,
    tiny_solver: Path,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("damaged", "cut"):
        shutil.copytree(tiny_solver, tmp_path / name)
    (tmp_path / "damaged" / "vocabulary.json").write_text("17", "utf-8")
    (tmp_path / "cut" / "model.safetensors").write_bytes(b"no weights")
    given = [str(file) if argument == "FILE" else argument for argument in arguments]
    model = [] if "--model" in given else ["--model", str(tiny_solver)]
    monkeypatch.setattr(sys, "argv", ["scratchwork", "solve", *given, *model, "--device", "cpu"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("scratchwork: ")
    assert complaint in told.err
    assert told.err.count("\n") == 1


def test_the_command_has_an_example() -> None:
    assert "Example: scratchwork solve" in CliRunner().invoke(app, ["--help"]).stdout
