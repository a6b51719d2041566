import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scratchwork import Problem, UserError, parse_program, write_problems
from scratchwork.files import read_rows, sha256_of
from scratchwork.paper.models import load_model
from scratchwork.paper.search import PaperSearch
from scratchwork.paper.search_settings import SearchSettings
from scratchwork.parallel import Workers
from scratchwork.scoring.evaluating import (
    EvaluationSettings,
    Subject,
    evaluate,
    read_for_evaluation,
    subject_of,
)
from scratchwork.scoring.perplexity import measure_perplexity
from scratchwork.scoring.report import Report, report_from_json
from scratchwork.scoring.rows import EvaluationRow, bleu_of
from scratchwork.solver import annotations
from scratchwork.solving import search_of
from tests.solver.samples import HELD_OUT, made

QUICK = EvaluationSettings(workers=Workers(1))
SUBJECT = Subject("adding", "12ab", "additions.jsonl", "34cd")


@pytest.fixture(scope="module")
def search(adding_model: Path) -> PaperSearch:
    return PaperSearch(load_model(adding_model), SearchSettings(beam=5))


@pytest.fixture(scope="module")
def measured(search: PaperSearch, additions: list[Problem]) -> tuple[Report, list[EvaluationRow]]:
    return evaluate(search, additions, SUBJECT, QUICK)


@pytest.fixture
def decoded_ids(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the problems that are decoded from now on."""
    ids: list[str] = []
    decode: Any = PaperSearch.steps

    def told(search: PaperSearch, problems: Sequence[Problem]) -> Any:
        ids.extend(problem.id for problem in problems)
        return decode(search, problems)

    monkeypatch.setattr(PaperSearch, "steps", told)
    return ids


def test_all_three_figures_are_measured(
    measured: tuple[Report, list[EvaluationRow]], additions: list[Problem]
) -> None:
    report, _ = measured
    assert report.problems == len(additions)
    assert report.perplexity is not None
    assert report.perplexity.problems == len(additions)
    assert 1 < report.perplexity.sentence_average < 1.5
    assert report.bleu is not None
    assert report.bleu.cased.score == pytest.approx(100)
    for accuracy in (report.accuracy, report.vote):
        assert accuracy is not None
        assert accuracy.share == 1
        assert accuracy.by_how["check"].problems == len(additions)
        assert accuracy.by_operations["1"].problems == len(additions)


def test_the_report_says_what_it_depends_on(measured: tuple[Report, list[EvaluationRow]]) -> None:
    report, _ = measured
    assert report_from_json(json.loads(json.dumps(report.to_json()))) == report
    assert (report.model, report.file, report.data) == ("adding", "additions.jsonl", "34cd")
    assert report.settings == {"beam": 5, "rivals": 0, "weights": "12ab", "training_seed": 7}


def test_rows_tell_what_was_decoded(
    measured: tuple[Report, list[EvaluationRow]], additions: list[Problem]
) -> None:
    for problem, row in zip(additions, measured[1], strict=True):
        assert (row.id, row.correct, row.answer) == (problem.id, problem.correct, problem.correct)
        assert (row.how, row.vote_how, row.rationale) == ("check", "check", problem.rationale)
        assert "Add" in {z.operation for z in parse_program(row.program)}
        assert next(iter(row.votes)) == row.answer
        assert row.log_probability < 0


def test_wrong_letters_and_missing_rationales_are_allowed(
    search: PaperSearch, additions: list[Problem]
) -> None:
    some = [replace(additions[0], correct="A"), replace(additions[1], rationale=None)]
    report, _ = evaluate(search, some, SUBJECT, QUICK)
    assert report.accuracy is not None
    assert report.accuracy.share == 0.5
    assert report.perplexity is not None
    assert report.bleu is not None
    assert report.perplexity.problems == report.bleu.problems == 1
    bare = [replace(problem, rationale=" ") for problem in some]
    report, _ = evaluate(search, bare, SUBJECT, QUICK)
    assert (report.perplexity, report.bleu) == (None, None)


def test_a_letter_behind_a_cut_rationale_is_forced(
    search: PaperSearch, additions: list[Problem]
) -> None:
    cut = PaperSearch(search.saved, SearchSettings(beam=5, longest=0))
    report, rows = evaluate(cut, additions[:2], SUBJECT, QUICK)
    assert report.settings["longest"] == 0
    assert {(row.how, row.vote_how) for row in rows} == {("forced", "forced")}
    assert report.accuracy is not None
    assert report.accuracy.answered.problems == 0


def test_a_solver_is_measured_on_the_rationales_that_tell_a_plan(
    tiny_solver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Also where the package is installed, without the annotations of a clone.
    monkeypatch.setattr(annotations, "FORMULAS", Path("not-installed.tsv"))
    problems = [generated.problem for generated in made(8, HELD_OUT)]
    astray = replace(problems[0], id="astray", rationale="It is 98765, so it is what it is.")
    search = search_of(tiny_solver, "cpu")
    likely = search.likelihoods(problems)
    assert set(likely) <= {problem.id for problem in problems}
    told = measure_perplexity(list(likely.values()))
    assert 2 < told.problems <= len(problems)
    assert told.tokens > 10 * told.problems
    assert (told.unknown, told.all_tokens > 1) == (0, True)
    assert search.likelihoods([*problems, astray]) == likely
    assert search.likelihoods([astray]) == {}
    with pytest.raises(UserError, match="rivals are for the paper's models only"):
        search.likelihoods(problems, rivals=1)


def test_a_problem_whose_exact_answer_no_option_has_counts_as_wrong(tiny_solver: Path) -> None:
    sums = [Problem(f"What is {n} + 3?", ("7", "8"), correct="A", id=f"{n}") for n in (4, 2, 5)]
    report, rows = evaluate(search_of(tiny_solver, "cpu"), sums, SUBJECT, QUICK)
    assert [row.answer for row in rows] == ["A", None, "B"]
    assert (rows[1].how, rows[1].vote_how) == ("none", "none")
    assert report.accuracy is not None
    assert report.accuracy.right == 1


def test_rivals_and_seed_change_the_perplexity_alone(
    search: PaperSearch, additions: list[Problem], measured: tuple[Report, list[EvaluationRow]]
) -> None:
    more, rows = evaluate(search, additions, SUBJECT, replace(QUICK, rivals=2, seed=3))
    assert rows == measured[1]
    assert (more.seed, more.settings["rivals"]) == (3, 2)
    assert more.perplexity is not None
    assert measured[0].perplexity is not None
    assert more.perplexity.all_tokens <= measured[0].perplexity.all_tokens + 1e-4


def test_without_sacrebleu_the_rest_is_measured(
    search: PaperSearch, additions: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    report, rows = evaluate(search, additions[:1], SUBJECT, QUICK)
    assert report.bleu is None
    assert report.accuracy is not None
    monkeypatch.undo()
    bleu = bleu_of(additions[:1], rows)
    assert bleu is not None
    assert bleu.cased.score == pytest.approx(100)


def test_rows_that_are_there_are_not_decoded_again(
    search: PaperSearch,
    additions: list[Problem],
    measured: tuple[Report, list[EvaluationRow]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    decoded_ids: list[str],
) -> None:
    monkeypatch.setattr(PaperSearch, "at_once", 2)
    to = tmp_path / "new" / "rows.jsonl"
    evaluate(search, additions[:2], SUBJECT, QUICK, to)
    assert decoded_ids == [problem.id for problem in additions[:2]]
    with to.open("ab") as file:
        file.write(b'{"version": 1, "id": "3')
    report, rows = evaluate(search, additions, SUBJECT, QUICK, to)
    assert decoded_ids == [problem.id for problem in additions]
    assert report == measured[0]
    assert [row.rationale for row in rows] == [problem.rationale for problem in additions]
    assert sorted(read_rows(to, EvaluationRow), key=lambda row: row.id) == rows
    assert evaluate(search, additions, SUBJECT, QUICK, to) == (report, rows)
    assert len(decoded_ids) == len(additions)


def test_what_was_decoded_before_a_stop_is_kept(
    search: PaperSearch, additions: list[Problem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode: Any = PaperSearch.steps

    def stopped(search: PaperSearch, problems: Sequence[Problem]) -> Any:
        if additions[1] in problems:
            raise KeyboardInterrupt
        return decode(search, problems)

    monkeypatch.setattr(PaperSearch, "steps", stopped)
    monkeypatch.setattr(PaperSearch, "at_once", 1)
    with pytest.raises(KeyboardInterrupt):
        evaluate(search, additions, SUBJECT, QUICK, tmp_path / "rows.jsonl")
    assert len(read_rows(tmp_path / "rows.jsonl", EvaluationRow)) == 1


@pytest.mark.parametrize(
    ("subject", "beam", "complaint"),
    [
        (replace(SUBJECT, weights="00"), 5, "begun with another model; .*name another file"),
        (replace(SUBJECT, data="00"), 5, "begun with other problems"),
        (SUBJECT, 6, "begun with beam 5 .now 6."),
    ],
)
def test_rows_of_something_else_are_refused(
    subject: Subject,
    beam: int,
    complaint: str,
    search: PaperSearch,
    additions: list[Problem],
    tmp_path: Path,
) -> None:
    to = tmp_path / "rows.jsonl"
    evaluate(search, additions[:1], SUBJECT, QUICK, to)
    before = to.read_bytes()
    with pytest.raises(UserError, match=complaint):
        evaluate(search.with_beam(beam), additions[:1], subject, QUICK, to)
    assert to.read_bytes() == before


@pytest.mark.parametrize("content", [b'{"question": "What?"}\n', b"[1, 2", b"\xff", b"[]\n", b"{}"])
def test_other_files_are_left_alone(
    content: bytes, search: PaperSearch, additions: list[Problem], tmp_path: Path
) -> None:
    to = tmp_path / "problems.jsonl"
    to.write_bytes(content)
    with pytest.raises(UserError, match=r"problems.jsonl:1: this is no row of this command"):
        evaluate(search, additions[:1], SUBJECT, QUICK, to)
    assert to.read_bytes() == content
    with pytest.raises(UserError, match="needs a plain file"):
        evaluate(search, additions[:1], SUBJECT, QUICK, tmp_path / "rows.jsonl.gz")


def test_problems_are_read_as_in_training(additions: list[Problem], tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    mathqa = Problem("half : 1 / 2 ?", ("1 / 2", "1 / 3"), None, "A", "m", "mathqa")
    unknown = replace(additions[0], correct=None)
    free = Problem("Why?", (), "Because.", None, "free")
    write_problems(file, [unknown, free, mathqa, *additions[1:]])
    problems = read_for_evaluation(file, 2)
    assert [problem.id for problem in problems] == ["m", "31"]
    assert problems[0].options == ("1/2", "1/3")
    write_problems(file, [unknown, free])
    with pytest.raises(UserError, match=r"some\.jsonl: no problem has options and a correct"):
        read_for_evaluation(file)


def test_a_subject_is_named_and_summed(adding_model: Path, tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.touch()
    weights = sha256_of(adding_model / "model.safetensors")
    assert subject_of(adding_model, file) == Subject(
        "adding", weights, "some.jsonl", sha256_of(file)
    )


def test_figures_of_rows_need_no_torch() -> None:
    modules = "accuracy, bleu, intervals, perplexity, report, rows"
    program = (
        f"import sys; from scratchwork.scoring import {modules}; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
