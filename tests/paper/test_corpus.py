from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from scratchwork import Problem, UserError
from scratchwork.paper import corpus as module
from scratchwork.paper.corpus import (
    Corpus,
    Ragged,
    TrainingData,
    build_tables,
    corpus_of,
    prepare,
    ragged,
    read_for_training,
)
from scratchwork.paper.vocabulary import build_vocabulary
from scratchwork.problems.problem import ProblemError
from scratchwork.problems.rows import write_problems
from tests.paper.samples import corpus, problems, tables, vocabulary

FEW = 8


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    write_problems(path, problems()[:FEW])
    return path


def tensors(one: Corpus) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = {}
    for f in fields(Corpus):
        part = getattr(one, f.name)
        if isinstance(part, Ragged):
            found[f"{f.name}.flat"], found[f"{f.name}.starts"] = part.flat, part.starts
        else:
            found[f.name] = part
    return found


def assert_same(one: TrainingData, other: TrainingData) -> None:
    assert one.vocabulary.words == other.vocabulary.words
    assert one.facts == other.facts
    for name, tensor in tensors(one.corpus).items():
        assert torch.equal(tensor, tensors(other.corpus)[name]), name
        assert tensor.dtype == tensors(other.corpus)[name].dtype


def never(*arguments: Any) -> Any:
    raise AssertionError("built again")


def test_a_corpus_is_built_once(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, int, int | None]] = []
    first = prepare([file], cache=tmp_path / "cache", on_progress=lambda *done: shown.append(done))
    assert shown[-1] == ("finding paths", FEW, FEW)
    assert_same(first, prepare([file]))
    monkeypatch.setattr(module, "build_tables", never)
    assert_same(first, prepare([file], cache=tmp_path / "cache"))


def test_other_contents_or_settings_make_another_corpus(file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    constants = prepare([file], cache=cache)
    plain = prepare([file], "plain", cache=cache)
    assert len(plain.vocabulary) > len(constants.vocabulary)
    write_problems(file, problems()[1:FEW])
    assert len(prepare([file], cache=cache).corpus) == FEW - 1
    assert len(list(cache.glob("*.safetensors"))) == 3


def test_the_name_of_a_file_plays_no_part(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = prepare([file], cache=tmp_path / "cache")
    other = file.rename(tmp_path / "other.jsonl")
    monkeypatch.setattr(module, "build_tables", never)
    assert len(prepare([other], cache=tmp_path / "cache").corpus) == len(first.corpus)


@pytest.mark.parametrize("end", ["json", "safetensors"])
@pytest.mark.parametrize("content", [b"", b"[]", b'{"words": []}', None])
def test_what_is_damaged_is_built_anew(
    end: str, content: bytes | None, file: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    first = prepare([file], cache=cache)
    (path,) = cache.glob(f"*.{end}")
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    assert_same(first, prepare([file], cache=cache))
    assert path.stat().st_size > 20


def test_the_facts_say_what_was_read(file: Path, tmp_path: Path) -> None:
    facts = prepare([file]).facts
    assert [row["file"] for row in facts["files"]] == ["problems.jsonl"]
    assert len(facts["files"][0]["sha256"]) == 64
    assert (facts["problems"], facts["too_long"]) == (FEW, 0)


def test_problems_that_are_too_long_are_left_out_and_counted(file: Path, tmp_path: Path) -> None:
    one, other = problems()[:2]
    longer = tmp_path / "longer.jsonl"
    write_problems(
        longer,
        [
            replace(one, rationale="and so on " * 120),
            replace(other, question="Well, well. " * 40 + other.question),
        ],
    )
    prepared = prepare([file, longer])
    assert (prepared.facts["problems"], prepared.facts["too_long"]) == (FEW, 2)
    assert len(prepared.corpus) == FEW
    with pytest.raises(UserError, match="all problems are longer than a model can be trained on"):
        prepare([longer])


def test_files_without_rationales_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonl"
    none = (None, "", "  ")
    write_problems(
        path, [replace(one, rationale=text) for one, text in zip(problems(), none, strict=False)]
    )
    with pytest.raises(UserError, match=r"bare.jsonl: no problem has a rationale to learn from$"):
        prepare([path])


def test_problems_without_a_rationale_are_passed_over(file: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.jsonl"
    write_problems(bare, [replace(problems()[0], rationale=None)])
    assert len(read_for_training([bare, file])) == FEW


def test_bad_rows_are_reported_or_skipped(file: Path) -> None:
    with file.open("a") as rows:
        rows.write("not JSON\n")
    with pytest.raises(UserError, match=r"problems.jsonl:9: not JSON"):
        prepare([file])
    bad: list[ProblemError] = []
    assert len(prepare([file], on_bad=bad.append).corpus) == FEW
    assert len(bad) == 1


def test_rows_of_different_lengths_are_padded() -> None:
    tokens = ragged([table.tokens for table in tables()])
    lengths = [len(table.tokens) for table in tables()]
    assert tokens.lengths.tolist() == lengths
    some = torch.tensor([5, 0, 23, 5])
    padded = tokens.padded(some, max(lengths) + 2, -7)
    for row, k in zip(padded.tolist(), some.tolist(), strict=True):
        assert row[: lengths[k]] == tables()[k].tokens.tolist()
        assert set(row[lengths[k] :]) == {-7}


def test_a_corpus_knows_what_it_is_made_of() -> None:
    whole = corpus().digest(vocabulary())
    assert whole == corpus_of(tables()).digest(vocabulary())
    assert whole != corpus_of(tables()[:-1]).digest(vocabulary())
    assert whole != corpus_of(tables()[::-1]).digest(vocabulary())
    other = Problem("What is 1 + 1?", ("2", "3"), "It is 2.", "A")
    words = build_vocabulary([other])
    assert whole != corpus_of(build_tables([other], words)).digest(words)
    assert whole == corpus().to(torch.device("cpu")).digest(vocabulary())
