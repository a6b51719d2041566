import sys
from pathlib import Path

import pytest

from scratchwork import Problem, Trace, read_problems
from scratchwork.errors import UserError
from scratchwork.scoring.bleu import bleu_from_json, measure_bleu, segment

GIVEN = [
    "Let x be the age of Ann.\nThen 3 * x + 4 = 40, so x = 12.\nAnswer is B",
    "The cost is Rs. 500 for 20 chairs; each is 500/20 = 25.\nAnswer: D",
]


def test_the_rationales_themselves_score_100(kings: Problem, kings_trace: Trace) -> None:
    measured = measure_bleu([*GIVEN, kings_trace.rationale], [*GIVEN, kings.rationale or ""])
    for score in (measured.cased, measured.lower_cased):
        assert score.score == pytest.approx(100)
        assert score.brevity_penalty == score.length_ratio == 1
    assert measured.problems == 3


def test_case_matters_to_one_score_only() -> None:
    measured = measure_bleu([text.upper() for text in GIVEN], GIVEN)
    assert measured.cased.score < 50
    assert measured.lower_cased.score == pytest.approx(100)
    assert "case:mixed" in measured.cased.signature
    assert "case:lc" in measured.lower_cased.signature
    assert "version:" in measured.cased.signature


def test_line_breaks_and_spacing_do_not_matter() -> None:
    respaced = [text.replace("\n", "  ").replace("+", " + ").replace(":", " :") for text in GIVEN]
    assert measure_bleu(respaced, GIVEN).cased.score == pytest.approx(100)
    assert segment("a\n\nb\n") == "a  b"


def test_nothing_written_is_allowed_and_costs_brevity() -> None:
    measured = measure_bleu(["", GIVEN[1]], GIVEN)
    assert 0 < measured.cased.score < 100
    assert measured.cased.brevity_penalty < 1
    assert measured.cased.length_ratio < 1
    assert measure_bleu(["", ""], GIVEN).cased.score == 0


def test_scores_survive_json() -> None:
    measured = measure_bleu([GIVEN[1], GIVEN[1]], GIVEN)
    assert bleu_from_json(measured.to_json()) == measured


def test_lists_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="1 rationales cannot be compared with 2"):
        measure_bleu(["x"], GIVEN)
    with pytest.raises(UserError, match="no rationale"):
        measure_bleu([], [])


def test_without_sacrebleu_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(UserError, match=r"pip install 'scratchwork\[train\]'"):
        measure_bleu(GIVEN, GIVEN)


def test_case_matters_in_real_rationales(data_folder: Path) -> None:
    given = [p.rationale or "" for p in read_problems(data_folder / "aqua" / "dev.json")]
    lowered = measure_bleu([text.lower() for text in given], given)
    assert lowered.cased.score < 90
    assert lowered.lower_cased.score > 99  # `4C2` is closed up, `4 c 2` is not
