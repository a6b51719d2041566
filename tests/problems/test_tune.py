import hashlib
import json
import random
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scratchwork.errors import UserError
from scratchwork.problems import tune
from scratchwork.problems.duplicates import HeldOut, Thresholds
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import write_problems
from scratchwork.problems.tune import MOST_MEMBERS, tune_problems

WORDS = 12
REPLACED = 2


def chain(seed: int, length: int) -> list[str]:
    """Each question is a near copy of its neighbours; those far apart have nothing in common."""
    draw = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=6)) for _ in range(WORDS + REPLACED * length)]
    return [
        " ".join(words[REPLACED * k : REPLACED * k + WORDS]) + f"? Take {k * 37}."
        for k in range(length)
    ]


def complete(question: str, origin: str | None = "aqua") -> Problem:
    return Problem(question, ("1", "2"), "It is 1 .", "A", origin=origin)


def write(path: Path, problems: list[Problem]) -> Path:
    write_problems(path, problems)
    return path


def write_chains(path: Path, lengths: list[int], first: int = 0) -> Path:
    """Chains of such lengths, in a mixed order."""
    problems = [complete(q) for k, length in enumerate(lengths, first) for q in chain(k, length)]
    random.Random(first).shuffle(problems)
    return write(path, problems)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def questions_of(path: Path) -> list[str]:
    return [problem.question for problem in read_problems(path)]


def test_the_ends_of_a_chain_are_no_near_copies() -> None:
    questions = chain(0, 10)
    near = HeldOut(questions).pairs(questions)
    assert {(k, k + 1) for k in range(9)} <= near
    assert (0, 9) not in near


@settings(max_examples=25)
@given(st.lists(st.integers(1, 8), min_size=1, max_size=12), st.data())
def test_clusters_are_whole_and_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("tune")
    count = data.draw(st.integers(1, sum(lengths)))
    half = len(lengths) // 2
    one = write_chains(folder / "one.jsonl", lengths[:half])
    two = write_chains(folder / "two.json.gz", lengths[half:], half)
    seed = data.draw(st.integers(0, 5))
    summary = tune_problems([one, two], folder / "out", count=count, seed=seed)

    held = questions_of(folder / "out" / "tune.jsonl")
    left = [questions_of(folder / "out" / name) for name in ("one.jsonl", "two.jsonl")]
    assert HeldOut(held).near(HeldOut(left[0] + left[1])) == set()
    chains = [set(chain(k, length)) for k, length in enumerate(lengths)]
    drawn = [members for members in chains if members <= set(held)]
    assert sum(map(len, drawn)) == len(held) >= count
    assert (summary["clusters"]["drawn"], summary["problems"]["tune"]) == (len(drawn), len(held))
    assert summary["clusters"]["largest"] == max(map(len, drawn))
    assert left == [[q for q in questions_of(file) if q not in held] for file in (one, two)]
    assert held == [q for file in (one, two) for q in questions_of(file) if q in held]


def test_the_number_is_met_exactly_where_smaller_clusters_are_left(tmp_path: Path) -> None:
    source = write_chains(tmp_path / "all.jsonl", [7] * 10 + [1] * 6)
    for seed in range(8):
        summary = tune_problems([source], tmp_path / "out", count=20, seed=seed)
        assert summary["problems"] == {"read": 76, "train": 56, "tune": 20, "removed": 0}


def test_the_number_is_exceeded_least_where_it_cannot_be_met(tmp_path: Path) -> None:
    source = write_chains(tmp_path / "all.jsonl", [8, 8, 4, 4, 4, 4])
    for seed in range(8):
        summary = tune_problems([source], tmp_path / "out", count=21, seed=seed)
        assert summary["problems"]["tune"] == 24


def test_large_clusters_are_drawn_no_more_often_than_small_ones(tmp_path: Path) -> None:
    source = write_chains(tmp_path / "all.jsonl", [20] + [1] * 9)
    sizes = Counter(
        tune_problems([source], tmp_path / "out", count=20, seed=seed)["clusters"]["drawn"]
        for seed in range(60)
    )
    # The chain is taken only if it is drawn first: once in ten drawings, not twice in three.
    assert sizes[1] < 20


def test_members_that_do_not_qualify_are_in_neither_part(tmp_path: Path) -> None:
    questions = chain(0, 6)
    others = [
        Problem(questions[1], ("1", "2"), "It is 1 .", "A", origin="mathqa"),
        Problem(questions[2], ("1", "2"), None, "A", origin="aqua"),
        Problem(questions[3], ("1", "2"), " ", "A", origin="aqua"),
        Problem(questions[4], ("1", "2"), "It is 1 .", None, origin="aqua"),
        Problem(questions[5], (), "It is 1 .", None, origin="aqua"),
    ]
    one = write(tmp_path / "one.jsonl", [*others[:3], complete(questions[0])])
    two = write(tmp_path / "two.jsonl", [*others[3:], complete(chain(1, 1)[0], "mathqa")])
    summary = tune_problems([one, two], tmp_path / "out", count=1, origin="aqua")
    assert questions_of(tmp_path / "out" / "tune.jsonl") == questions[:1]
    assert questions_of(tmp_path / "out" / "one.jsonl") == []
    assert questions_of(tmp_path / "out" / "two.jsonl") == chain(1, 1)
    assert summary["removed"] == ["one:1", "one:2", "one:3", "two:1", "two:2"]
    assert summary["clusters"] == {"drawn": 1, "largest": 6, "most_members": MOST_MEMBERS}


def test_problems_without_options_are_set_aside_if_they_are_asked_for(tmp_path: Path) -> None:
    questions = chain(0, 4)
    asked = [Problem(q, extra={"answer": "1"}, origin="school") for q in questions[:2]]
    without_answer = Problem(questions[2], origin="school")
    other = Problem(chain(1, 1)[0], extra={"answer": "2"}, origin="other")
    far = complete(chain(2, 1)[0], "school")
    one = write(tmp_path / "one.jsonl", [asked[0], complete(questions[3]), other])
    two = write(tmp_path / "two.jsonl", [without_answer, asked[1], far])
    out = tmp_path / "out"
    summary = tune_problems([one, two], out, count=2, origin="school", without_options=True)
    assert questions_of(out / "tune.jsonl") == questions[:2]
    # Their near copies leave training whatever they have.
    assert questions_of(out / "one.jsonl") == [other.question]
    assert questions_of(out / "two.jsonl") == [far.question]
    assert summary["removed"] == ["one:2", "two:1"]
    assert summary["open"] is True
    with pytest.raises(UserError, match="4 tune problems were asked for, but 3 qualify"):
        tune_problems([one, two], out, count=4, without_options=True)


def test_every_origin_qualifies_by_default(tmp_path: Path) -> None:
    questions = [chain(k, 1)[0] for k in range(3)]
    origins = ("aqua", "mathqa", None)
    problems = [complete(q, origin) for q, origin in zip(questions, origins, strict=True)]
    tune_problems([write(tmp_path / "all.jsonl", problems)], tmp_path / "out", count=3)
    assert questions_of(tmp_path / "out" / "tune.jsonl") == questions


def test_giant_clusters_stay_in_training(tmp_path: Path) -> None:
    source = write_chains(tmp_path / "all.jsonl", [MOST_MEMBERS + 1, MOST_MEMBERS])
    tune_problems([source], tmp_path / "out", count=MOST_MEMBERS)
    assert set(questions_of(tmp_path / "out" / "all.jsonl")) == set(chain(0, MOST_MEMBERS + 1))
    with pytest.raises(UserError, match=r"51 tune .* only 50 qualify and have at most 49 near"):
        tune_problems([source], tmp_path / "other", count=MOST_MEMBERS + 1)
    assert not (tmp_path / "other").exists()


def test_the_same_seed_gives_the_same_bytes_however_many_are_compared_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_chains(tmp_path / "all.jsonl", [1, 2, 3, 4, 5] * 8)
    for name, seed in (("one", 7), ("two", 7), ("other", 8)):
        tune_problems([source], tmp_path / name, count=30, seed=seed)
    monkeypatch.setattr(tune, "_MOST_AT_ONCE", 3)
    monkeypatch.setattr(tune, "_FEWEST_AT_ONCE", 1)
    monkeypatch.setattr(tune, "BLOCK", 7)
    tune_problems([source], tmp_path / "three", count=30, seed=7)
    one = contents(tmp_path / "one")
    assert one == contents(tmp_path / "two") == contents(tmp_path / "three")
    assert one["tune.jsonl"] != contents(tmp_path / "other")["tune.jsonl"]


def test_the_summary_tells_what_was_done(tmp_path: Path) -> None:
    source = write_chains(tmp_path / "all.jsonl", [1] * 20)
    returned = tune_problems(
        [source], tmp_path / "out", count=5, seed=3, thresholds=Thresholds(70, 90), origin="aqua"
    )
    summary = json.loads((tmp_path / "out" / "tune.json").read_text("utf-8"))
    assert summary == returned
    assert summary == {
        "seed": 3,
        "count": 5,
        "origin": "aqua",
        "open": False,
        "thresholds": {"text": 70, "digit_free": 90},
        "inputs": [
            {
                "file": "all.jsonl",
                "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
                "problems": 20,
                "train": 15,
                "tune": 5,
                "removed": 0,
            }
        ],
        "problems": {"read": 20, "train": 15, "tune": 5, "removed": 0},
        "clusters": {"drawn": 5, "largest": 1, "most_members": MOST_MEMBERS},
        "removed": [],
    }


def test_training_files_have_the_names_of_what_was_read(tmp_path: Path) -> None:
    names = ["a.jsonl.gz", "b.json", "c.tok.json", "d.json.jsonl"]
    for k, name in enumerate(names):
        write_chains(tmp_path / name, [1], k)
    tune_problems([tmp_path / name for name in names], tmp_path / "out", count=1)
    written = {"a.jsonl", "b.jsonl", "c.tok.jsonl", "d.json.jsonl"}
    assert contents(tmp_path / "out").keys() == written | {"tune.jsonl", "tune.json"}


def test_names_that_clash_are_refused(tmp_path: Path) -> None:
    one = write_chains(tmp_path / "one.jsonl", [1], 0)
    again = write_chains(tmp_path / "one.json.gz", [1], 1)
    with pytest.raises(UserError, match=r"one\.jsonl and .*one\.json\.gz would both leave"):
        tune_problems([one, again], tmp_path / "out", count=1)
    named_tune = write_chains(tmp_path / "tune.jsonl.gz", [1], 2)
    with pytest.raises(UserError, match=r"tune\.jsonl\.gz would leave its training problems in"):
        tune_problems([named_tune], tmp_path / "out", count=1)
    with pytest.raises(UserError, match="would be overwritten"):
        tune_problems([one], tmp_path, count=1)
    assert not (tmp_path / "out").exists()


def test_bad_rows_are_told_once_though_files_are_read_twice(tmp_path: Path) -> None:
    source = write_chains(tmp_path / "all.jsonl", [1] * 10)
    source.write_bytes(b"no problem\n" + source.read_bytes())
    bad: list[ProblemError] = []
    summary = tune_problems([source], tmp_path / "out", count=3, on_bad=bad.append)
    assert [str(error).rpartition("all.jsonl")[2][:2] for error in bad] == [":1"]
    assert summary["problems"] == {"read": 10, "train": 7, "tune": 3, "removed": 0}


def test_a_failed_run_does_not_look_whole(tmp_path: Path) -> None:
    source = write_chains(tmp_path / "all.jsonl", [1] * 10)
    tune_problems([source], tmp_path / "out", count=1)

    def stop(what: str, done: int, total: int | None) -> None:
        if what == "writing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune_problems([source], tmp_path / "out", count=2, on_progress=stop)
    assert not (tmp_path / "out" / "tune.json").exists()
    assert len(questions_of(tmp_path / "out" / "all.jsonl")) == 9


def test_real_training_problems_are_no_near_copies_of_tune_problems(
    data_folder: Path, tmp_path: Path
) -> None:
    files = [
        write(tmp_path / f"{name}.jsonl", list(islice(read_problems(folder / file), 1500)))
        for name, folder, file in (
            ("rationale", data_folder / "aqua", "train-rationale.jsonl.gz"),
            ("gsm8k", data_folder / "extra", "gsm8k-train.jsonl.gz"),
        )
    ]
    tune_problems(files, tmp_path / "out", count=100, origin="aqua")
    held = list(read_problems(tmp_path / "out" / "tune.jsonl"))
    assert len(held) == 100
    assert {problem.origin for problem in held} == {"aqua"}
    left = [q for file in files for q in questions_of(tmp_path / "out" / file.name)]
    assert HeldOut([p.question for p in held]).near(HeldOut(left)) == set()
