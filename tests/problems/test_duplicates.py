import random
import re
import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scratchwork.errors import UserError
from scratchwork.problems import duplicates
from scratchwork.problems.duplicates import (
    FEWEST_LETTERS,
    HeldOut,
    Thresholds,
    compared_text,
    find_duplicates,
    nearest_ratios,
)
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import write_problems

TRAIN = "A train 150 m long passes a pole in 12 seconds. What is its speed in km per hour?"
SWAPPED = "A train 2,480 m long passes a pole in 96 seconds. What is its speed in km per hour?"
CARDS = "Two cards are drawn from a pack of 52. What is the chance that both are kings?"
TANK = "A tank is filled by one pipe in 4 hours; how long do three such pipes need together?"


def exact_ratio(one: str, other: str) -> Fraction:
    """The definition, word for word."""
    lengths = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            lengths[i + 1][j + 1] = (
                lengths[i][j] + 1 if a == b else max(lengths[i][j + 1], lengths[i + 1][j])
            )
    both = len(one) + len(other)
    return Fraction(200 * lengths[-1][-1], both) if one and other else Fraction(0)


def digit_free(text: str) -> str:
    return re.sub("[0-9]", "", text)


def file_of(path: Path, *questions: str, ids: bool = False) -> Path:
    name = path.name.partition(".")[0]
    write_problems(
        path,
        (Problem(q, id=f"{name}-{k}" if ids else str(k)) for k, q in enumerate(questions, 1)),
    )
    return path


QUESTIONS = st.lists(st.text("ab1", max_size=20) | st.text("ab1", min_size=28, max_size=45))


@settings(max_examples=60)
@given(QUESTIONS, QUESTIONS, st.integers(50, 100), st.integers(50, 100))
def test_matches_are_exactly_those_of_the_definition(
    heldout: list[str], others: list[str], threshold: int, digit_free_threshold: int
) -> None:
    expected: set[tuple[int, int, str]] = set()
    for i, one in enumerate(heldout):
        for j, other in enumerate(others):
            if exact_ratio(one, other) >= threshold:
                expected.add((i, j, "text"))
            elif (
                len(digit_free(one)) >= FEWEST_LETTERS
                and exact_ratio(digit_free(one), digit_free(other)) >= digit_free_threshold
            ):
                expected.add((i, j, "digit-free"))
    found = HeldOut(heldout, Thresholds(threshold, digit_free_threshold)).matches(others)
    assert {(match.heldout, match.other, match.kind) for match in found} == expected
    for match in found:
        one, other = heldout[match.heldout], others[match.other]
        assert match.ratio == pytest.approx(float(exact_ratio(one, other)))
        assert match.digit_free_ratio == pytest.approx(
            float(exact_ratio(digit_free(one), digit_free(other)))
        )


@settings(max_examples=60)
@given(QUESTIONS, QUESTIONS, st.integers(50, 100), st.integers(50, 100))
def test_near_questions_are_near_copies_in_either_direction(
    ones: list[str], others: list[str], threshold: int, digit_free_threshold: int
) -> None:
    thresholds = Thresholds(threshold, digit_free_threshold)
    one_side, other_side = HeldOut(ones, thresholds), HeldOut(others, thresholds)
    back = {(one, other) for other, one in other_side.pairs(ones)}
    assert one_side.near(other_side) == one_side.pairs(others) | back


@settings(max_examples=30)
@given(st.lists(st.text("ab1 ", max_size=15)), st.lists(st.text("ab1 ", max_size=15)))
def test_nearest_ratio_is_the_largest_of_all(heldout: list[str], others: list[str]) -> None:
    for without in (False, True):

        def text(question: str, without: bool = without) -> str:
            return digit_free(compared_text(question)) if without else compared_text(question)

        expected = [
            max((float(exact_ratio(text(one), text(other))) for other in others), default=0.0)
            for one in heldout
        ]
        found = nearest_ratios(heldout, iter(others), digit_free=without)
        assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("copy", "kind"),
    [
        (TRAIN, "text"),
        (TRAIN.upper().replace(" ", "  "), "text"),
        (TRAIN.replace("A train", "One train").replace("pole", "post"), "text"),
        (SWAPPED, "text"),
    ],
)
def test_a_planted_replica_is_found(copy: str, kind: str) -> None:
    found = HeldOut([CARDS, TRAIN]).matches([TANK, copy])
    assert [(match.heldout, match.other, match.kind) for match in found] == [(1, 1, kind)]


def test_a_replica_with_all_its_long_numbers_swapped_is_found_without_digits() -> None:
    short = "What is the sum of 123456789 and 987654321 and 192837465 and 564738291?"
    long = short.replace("sum", "sum of the squares")
    assert len(digit_free(compared_text(short))) < FEWEST_LETTERS
    found = HeldOut([short, long]).matches([re.sub("[0-9]+", "7", q) for q in (short, long)])
    assert [(match.heldout, match.other, match.kind) for match in found] == [(1, 1, "digit-free")]


def test_questions_without_latin_text_are_near_copies_of_nothing() -> None:
    assert HeldOut(["二加二是多少？"], Thresholds(1, 1)).matches(["三加三呢？", "", TRAIN]) == []
    assert nearest_ratios(["二加二是多少？"], ["三加三呢？"]) == [0.0]


def test_the_report_counts_everything_and_shows_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "BLOCK", 3)  # replicas lie in several blocks
    heldout = file_of(tmp_path / "dev.jsonl", CARDS, TRAIN)
    one = file_of(tmp_path / "one.jsonl", TANK, SWAPPED, TANK + "?", TRAIN)
    two = file_of(tmp_path / "two.jsonl", TRAIN.replace("150", "155"), CARDS)
    seen: list[int] = []
    report = find_duplicates(
        heldout,
        [one, two],
        Thresholds(),
        top=2,
        on_progress=lambda what, done, of: seen.append(done),
    )
    assert (report.heldout_problems, report.other_problems) == (2, 6)
    assert (report.pairs, report.heldout_hit, report.others_hit) == (4, 2, 4)
    assert [(near.heldout, near.file.name, near.id) for near in report.nearest] == [
        ("1", "two.jsonl", "2"),
        ("2", "one.jsonl", "4"),
        ("2", "two.jsonl", "1"),
    ]
    assert report.nearest[1].match.ratio == 100
    assert seen == [3, 6]


def test_dropping_keeps_the_rest_in_order_under_readable_ids(tmp_path: Path) -> None:
    heldout = file_of(tmp_path / "dev.jsonl", TRAIN)
    one = file_of(tmp_path / "one.jsonl", CARDS, SWAPPED)
    two = file_of(tmp_path / "two.jsonl.gz", TRAIN, TANK)
    kept = tmp_path / "kept.jsonl"
    report = find_duplicates(heldout, [one, two], Thresholds(), drop=kept)
    assert report.kept == 2
    assert [(p.id, p.question) for p in read_problems(kept)] == [("one:1", CARDS), ("two:2", TANK)]


def test_ids_are_kept_when_files_share_none_and_numbered_when_names_are_shared(
    tmp_path: Path,
) -> None:
    heldout = file_of(tmp_path / "dev.jsonl", TRAIN)
    kept = tmp_path / "kept.jsonl"
    one = file_of(tmp_path / "one.jsonl", CARDS, ids=True)
    two = file_of(tmp_path / "two.jsonl", TANK, ids=True)
    find_duplicates(heldout, [one, two], Thresholds(), drop=kept)
    assert [p.id for p in read_problems(kept)] == ["one-1", "two-1"]
    find_duplicates(heldout, [one, one], Thresholds(), drop=kept)
    assert [p.id for p in read_problems(kept)] == ["1:one-1", "2:one-1"]


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    heldout = file_of(tmp_path / "dev.jsonl", TRAIN)
    other = file_of(tmp_path / "one.jsonl", CARDS)
    before = other.read_bytes()
    with pytest.raises(UserError, match="would be overwritten"):
        find_duplicates(heldout, [other], Thresholds(), drop=tmp_path / "." / "one.jsonl")
    assert other.read_bytes() == before


def test_only_a_block_of_the_others_is_in_memory() -> None:
    def questions() -> Iterator[str]:
        for k in range(15_000):
            yield f"{k} " + "how many apples and pears are there " * 10

    tracemalloc.start()
    nearest_ratios([TRAIN, CARDS], questions())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000  # the questions are 6 MB, twice


def test_training_files_hold_no_replica_of_the_development_set(data_folder: Path) -> None:
    dev = data_folder / "aqua" / "dev.json"
    report = find_duplicates(dev, [data_folder / "aqua" / "train-answer.jsonl.gz"], Thresholds())
    assert (report.heldout_problems, report.other_problems, report.pairs) == (254, 2808, 0)


def test_every_number_swapped_development_problem_is_found(
    data_folder: Path, tmp_path: Path
) -> None:
    dev = data_folder / "aqua" / "dev.json"
    draw = random.Random(0)
    originals = [problem.question for problem in read_problems(dev)]
    swapped = [re.sub("[0-9]", lambda _: str(draw.randrange(10)), q) for q in originals]
    report = find_duplicates(dev, [file_of(tmp_path / "swapped.jsonl", *swapped)], Thresholds())
    long = [q for q in originals if len(digit_free(compared_text(q))) >= FEWEST_LETTERS]
    assert report.heldout_hit >= len(long) > 240
