"""The card says what is there, literally and without names."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from scratchwork.collecting import card
from scratchwork.collecting.card import Contents, write_card
from scratchwork.collecting.reviewing import Agreement
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.status import Audited, CollectionStatus, TopicCount
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import write_problems

STATUS = CollectionStatus(
    title="Our problems",
    created="2024-03-01T10:00:00+00:00",
    seeds=40,
    contributors=5,
    revoked=1,
    writing=3,
    reviewers=2,
    tasks={"open": 1, "done": 9, "skipped": 0},
    submissions={"waiting": 3, "accepted": 4, "rejected": 1, "corrected": 1},
    relations={"original": 7, "replica": 1},
    marked_waiting=1,
    sampled_waiting=1,
    reviews=8,
    refusals={"copy": 3, "form": 2},
    topics=(TopicCount("money", 30, 2), TopicCount("sets", 10, 1)),
    audited=Audited(8, 2, 1, 1),
    agreement=Agreement(2, 0.5, 0.25),
)
SETTINGS = CollectionSettings(title="Our problems", created=STATUS.created)


def contents() -> Contents:
    found = Contents(
        problems=3, reviewed=2, corrected=1, replicas=1, contributors=2, marked=1, rejected=1
    )
    found.topics.update({"money": 2, "sets": 1})
    found.parts = {"train": 2, "dev": 1}
    return found


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, Path]:
    problems = [
        Problem(f"What is {k} and {k}?", ("1", "2", "3", "4", "5"), f"{k} + {k}", "A")
        for k in (1, 2, 3)
    ]
    write_problems(tmp_path / "train.jsonl", problems[:2])
    write_problems(tmp_path / "dev.jsonl", problems[2:])
    return {part: tmp_path / f"{part}.jsonl" for part in ("train", "dev")}


def card_of(
    folder: Path,
    parts: dict[str, Path],
    settings: CollectionSettings = SETTINGS,
    status: CollectionStatus = STATUS,
    found: Contents | None = None,
) -> str:
    return write_card(folder, settings, status, found or contents(), parts)[-1].read_text("utf-8")


def test_the_card_tells_every_figure(tmp_path: Path, parts: dict[str, Path]) -> None:
    text = card_of(tmp_path, parts)
    for line in (
        "# Our problems",
        "3 word problems with five options",
        "| `train.jsonl` | 2 |",
        "| `dev.jsonl` | 1 |",
        "| examples | 3 | 3 |",
        "| all: average length | 11.0 | 3.0 |",
        "| money | 2 | 30 |",
        "Contributors invited since 2024-03-01: 5, of whom 3 handed in 9 problems",
        "- copy: 3",
        "| reviewed and corrected | 1 |",
        "| left out: marked for review, not yet reviewed | 1 |",
        "2 problems have the verdicts of two reviewers, who agreed on 50%; Cohen's kappa is 0.25",
        "| with a false equation | 1 |",
        "1 of 3 problems were seen by no reviewer",
    ):
        assert line in text


def test_the_header_names_the_splits_for_hugging_face(
    tmp_path: Path, parts: dict[str, Path]
) -> None:
    _, header, _ = card_of(tmp_path, parts).split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in header.splitlines())
    (config,) = json.loads(fields["configs"])
    assert json.loads(fields["pretty_name"]) == "Our problems"
    assert config["data_files"] == [
        {"split": "train", "path": "train.jsonl"},
        {"split": "validation", "path": "dev.jsonl"},
    ]


def test_titles_and_topics_are_shown_literally(tmp_path: Path, parts: dict[str, Path]) -> None:
    hostile = 'a | b\n---\n# <script>alert("x")</script> [link](http://x) `code`'
    found = contents()
    found.topics[hostile] = 1
    text = card_of(tmp_path, parts, replace(SETTINGS, title=hostile), STATUS, found)
    body = text.split("\n---\n", 1)[1]
    assert "<script>" not in body.replace("\\<script\\>", "")
    assert "](http" not in body.replace("\\](http", "")
    assert all(line.count(" | ") in (0, 1, 2) for line in body.splitlines() if line[:1] == "|")


def test_without_two_verdicts_there_is_no_agreement_to_tell(
    tmp_path: Path, parts: dict[str, Path]
) -> None:
    status = replace(STATUS, agreement=Agreement(0, None, None))
    assert "so their agreement is unknown" in card_of(tmp_path, parts, SETTINGS, status)
    status = replace(STATUS, agreement=Agreement(3, 1.0, None))
    assert "agreed on 100%; Cohen's kappa is not defined" in card_of(
        tmp_path, parts, SETTINGS, status
    )


def test_a_card_without_dev_and_test_speaks_of_no_clusters(
    tmp_path: Path, parts: dict[str, Path]
) -> None:
    found = contents()
    found.parts = {"train": 3}
    assert "replica clusters" in card_of(tmp_path, parts)
    assert "replica clusters" not in card_of(tmp_path, parts, found=found)


def test_the_picture_is_there_only_where_matplotlib_is(
    tmp_path: Path, parts: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    picture, _ = write_card(tmp_path, SETTINGS, STATUS, contents(), parts)
    assert picture.read_text("utf-8").startswith("<?xml")
    monkeypatch.setattr(card, "find_spec", lambda name: None)
    (alone,) = write_card(tmp_path, SETTINGS, STATUS, contents(), parts)
    assert "lengths.svg" not in alone.read_text("utf-8")
