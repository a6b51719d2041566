import json
from pathlib import Path

import pytest

from scratchwork import (
    Problem,
    ProblemError,
    audit,
    induce,
    problems_from_rows,
    read_problems,
)
from scratchwork.problems.bounds import Bounds

SMALL = Bounds(row=600, characters=300, tokens=40, numbers=20, different_numbers=5)
FITTING = {"question": "How many are 2 + 3?", "options": ["4", "5"], "rationale": "2 + 3 = 5"}
TOO_LARGE = [
    ({"rationale": "x" * 300}, "has 321 characters, more than the 300 allowed"),
    ({"rationale": "2 + 3 = 5 " * 8}, r"has \d+ tokens, more than the 40 allowed"),
    ({"rationale": "2 3 5 " * 6}, "has 22 numbers, more than the 20 allowed"),
    ({"rationale": "1 2 3 4 5 6"}, "has 6 different numbers, more than the 5 allowed"),
    ({"options": ["4", "5 6 7 8"]}, "has 7 different numbers"),
    ({"note": "x" * 600}, "the line is longer than the 600 bytes allowed"),
]


@pytest.mark.parametrize(("change", "complaint"), TOO_LARGE)
def test_a_row_beyond_the_bounds_is_told_or_passed_over(
    change: dict[str, object], complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [FITTING, FITTING | change, FITTING]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ProblemError, match=rf"rows.jsonl:2: .*{complaint}"):
        list(read_problems(path, bounds=SMALL))
    told: list[ProblemError] = []
    assert [problem.id for problem in read_problems(path, told.append, SMALL)] == ["1", "3"]
    assert len(told) == 1


def test_rows_that_are_dicts_already_have_the_same_bounds() -> None:
    with pytest.raises(ProblemError, match="rows:1: the problem has 6 different numbers"):
        list(problems_from_rows([FITTING | {"rationale": "1 2 3 4 5 6"}], bounds=SMALL))


def test_what_just_fits_is_taken() -> None:
    Bounds(characters=9, tokens=9, numbers=5, different_numbers=4).check(Problem("1 2 3 4 1"))
    Bounds(characters=9, tokens=5, numbers=5, different_numbers=4).check(Problem("1 2 3 4 1"))
    just_short = [Bounds(characters=8), Bounds(tokens=4), Bounds(numbers=4)]
    for bounds in (*just_short, Bounds(different_numbers=3)):
        with pytest.raises(ProblemError, match="more than"):
            bounds.check(Problem("1 2 3 4 1"))


def test_the_library_has_the_same_bounds() -> None:
    large = Problem("How many?", rationale=" ".join(str(k) for k in range(100)))
    for refuse in (induce, audit):
        with pytest.raises(ProblemError, match="has 100 different numbers"):
            refuse(large)
    audit(Problem("2 3", rationale="4 5 6"), bounds=Bounds(different_numbers=5))


def test_real_problems_are_far_from_the_bounds(data_folder: Path) -> None:
    third = Bounds(row=100_000, characters=33_000, tokens=3_300, numbers=100, different_numbers=40)
    for name in ("aqua/dev.json", "mathqa/heldout.jsonl.gz", "extra/gsm8k-train.jsonl.gz"):
        assert list(read_problems(data_folder / name, bounds=third))
