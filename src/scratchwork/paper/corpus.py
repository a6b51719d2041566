"""From problem files to training data: path tables end to end in flat tensors.

Promises: `prepare` gives the vocabulary and the corpus of some files; with a cache folder, paths
are found once for the same contents. In a `Corpus`, a batch of any examples is gathered by index,
without a loop over them. Problems beyond the limits are left out and counted, never cut.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from scratchwork.errors import UserError
from scratchwork.files import sha256_of, write_tensors, write_text
from scratchwork.paper.paths import PathTable, path_table
from scratchwork.paper.tensors import NOTHING, Source, ValueTensors
from scratchwork.paper.vocabulary import Vocabulary, VocabularyKind, build_vocabulary
from scratchwork.parallel import Workers
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, OnProgress, read_problems, silent

LONGEST_SOURCE, LONGEST_OUTPUT, MOST_VALUES = 128, 320, 256
"""Limits of training. One problem in a hundred exceeds them, and would set the size of batches."""

_PROBLEMS_AT_ONCE = 64
_CACHE_VERSION = 1


@dataclass(frozen=True)
class Ragged:
    """Rows of different lengths, end to end."""

    flat: Tensor
    starts: Tensor
    """Where each row starts; one more at the end."""

    @classmethod
    def of(cls, flat: Tensor, lengths: Tensor) -> "Ragged":
        """Rows of these lengths."""
        return cls(flat, torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]))

    @property
    def lengths(self) -> Tensor:
        return self.starts[1:] - self.starts[:-1]

    def padded(self, rows: Tensor, size: int, fill: int | float | bool) -> Tensor:
        """Some rows, cut or padded to a size: (row, place, ...)."""
        starts, lengths = self.starts[rows], self.lengths[rows]
        places = torch.arange(size, device=self.flat.device)
        index = (starts.unsqueeze(1) + places).clamp_max(len(self.flat) - 1)
        inside = places < lengths.unsqueeze(1)
        taken = self.flat[index]
        inside = inside.reshape(*inside.shape, *(1,) * (taken.dim() - 2))
        return torch.where(inside, taken, torch.full_like(taken, fill))

    def to(self, device: torch.device) -> "Ragged":
        return Ragged(self.flat.to(device), self.starts.to(device))


def ragged(rows: Sequence[np.ndarray[Any, Any]]) -> Ragged:
    """Arrays end to end."""
    lengths = torch.tensor([len(row) for row in rows])
    return Ragged.of(torch.from_numpy(np.concatenate(rows)), lengths)


@dataclass(frozen=True)
class Corpus:
    """The sources, values and paths of many problems."""

    source_words: Ragged
    source_values: Ragged
    value_words: Ragged
    value_writing: Ragged
    value_is_number: Ragged
    value_numbers: Ragged
    tokens: Ragged
    first_paths: Ragged
    """For each token, the index of its first path in `paths`; one more per problem."""
    paths: Tensor

    def __len__(self) -> int:
        return len(self.tokens.starts) - 1

    @property
    def device(self) -> torch.device:
        return self.paths.device

    def to(self, device: torch.device) -> "Corpus":
        """The same on another device."""
        moved = {f.name: getattr(self, f.name).to(device) for f in fields(self)}
        return replace(self, **moved)

    def digest(self, vocabulary: Vocabulary) -> str:
        """A checksum of the words, sources and outputs, and of how many paths there are."""
        sum_of = hashlib.sha256("\n".join(vocabulary.words).encode())
        for part in (self.source_words, self.value_words, self.tokens, self.first_paths):
            sum_of.update(part.starts.cpu().numpy().tobytes())
            sum_of.update(part.flat.cpu().numpy().tobytes())
        return sum_of.hexdigest()

    def source(self, examples: Tensor, size: int) -> Source:
        """The sources of some examples."""
        return Source(
            self.source_words.padded(examples, size, 0).long(),
            self.source_values.padded(examples, size, NOTHING).long(),
            self.source_words.lengths[examples],
        )

    def values(self, examples: Tensor, size: int) -> ValueTensors:
        """The values of some examples."""
        return ValueTensors(
            self.value_words.padded(examples, size, 0).long(),
            self.value_writing.padded(examples, size, 0).long(),
            self.value_is_number.padded(examples, size, False),
            self.value_numbers.padded(examples, size, 0.0),
        )


def corpus_of(tables: Sequence[PathTable]) -> Corpus:
    """The tables end to end."""
    paths_before = np.concatenate([[0], np.cumsum([len(table.paths) for table in tables])])
    return Corpus(
        ragged([table.source_words for table in tables]),
        ragged([table.source_values for table in tables]),
        ragged([table.features.words for table in tables]),
        ragged([table.features.writing for table in tables]),
        ragged([table.features.is_number for table in tables]),
        ragged([table.features.numbers for table in tables]),
        ragged([table.tokens for table in tables]),
        ragged(
            [
                table.first_path.astype(np.int64) + before
                for table, before in zip(tables, paths_before, strict=False)
            ]
        ),
        torch.from_numpy(np.concatenate([table.paths for table in tables])),
    )


def within_limits(table: PathTable) -> bool:
    """Whether a problem is within the limits of training."""
    return (
        len(table.source_words) <= LONGEST_SOURCE
        and len(table.tokens) <= LONGEST_OUTPUT
        and len(table.values) <= MOST_VALUES
    )


def build_tables(
    problems: Iterable[Problem],
    vocabulary: Vocabulary,
    workers: int | None = 1,
    on_progress: Callable[[int], None] = lambda done: None,
) -> list[PathTable]:
    """The path tables of problems, in their order."""
    tables: list[PathTable] = []
    set_up = partial(_table_maker, vocabulary.words)
    for table in Workers(workers).map_with(set_up, problems, _PROBLEMS_AT_ONCE):
        tables.append(table)
        on_progress(len(tables))
    return tables


def _table_maker(words: tuple[str, ...]) -> Callable[[Problem], PathTable]:
    return partial(path_table, vocabulary=Vocabulary(words))


@dataclass(frozen=True)
class TrainingData:
    """What a model is trained on."""

    vocabulary: Vocabulary
    corpus: Corpus
    facts: dict[str, Any]
    """The files with their checksums, and how many problems were used and left out."""


def read_for_training(files: Sequence[Path], on_bad: OnBad | None = None) -> list[Problem]:
    """The problems of the files that have a rationale, repaired."""
    problems = [
        normalise(problem)
        for file in files
        for problem in read_problems(file, on_bad)
        if (problem.rationale or "").strip()
    ]
    if not problems:
        names = ", ".join(str(file) for file in files)
        raise UserError(f"{names}: no problem has a rationale to learn from")
    return problems


def prepare(
    files: Sequence[Path],
    kind: VocabularyKind = "constants",
    workers: int = 1,
    cache: Path | None = None,
    on_bad: OnBad | None = None,
    on_progress: OnProgress = silent,
) -> TrainingData:
    """The vocabulary and the corpus of some files."""
    sums = [{"file": file.name, "sha256": sha256_of(file)} for file in files]
    key = hashlib.sha256(json.dumps([_CACHE_VERSION, kind, [s["sha256"] for s in sums]]).encode())
    name = f"corpus-{key.hexdigest()[:16]}"
    if cache is not None and (cached := _load(cache, name)):
        return cached
    problems = read_for_training(files, on_bad)
    vocabulary = build_vocabulary(problems, kind)

    def report(done: int) -> None:
        on_progress("finding paths", done, len(problems))

    tables = build_tables(problems, vocabulary, workers, report)
    used = [table for table in tables if within_limits(table)]
    if not used:
        raise UserError("all problems are longer than a model can be trained on")
    facts = {"files": sums, "problems": len(used), "too_long": len(tables) - len(used)}
    data = TrainingData(vocabulary, corpus_of(used), facts)
    if cache is not None:
        _save(data, cache, name)
    return data


def _save(data: TrainingData, cache: Path, name: str) -> None:
    tensors: dict[str, torch.Tensor] = {}
    for f in fields(Corpus):
        part = getattr(data.corpus, f.name)
        if isinstance(part, Ragged):
            tensors[f"{f.name}.flat"], tensors[f"{f.name}.starts"] = part.flat, part.starts
        else:
            tensors[f.name] = part
    write_tensors(cache / f"{name}.safetensors", tensors)
    content = {"words": data.vocabulary.words, "facts": data.facts}
    write_text(cache / f"{name}.json", json.dumps(content, ensure_ascii=False) + "\n")


def _load(cache: Path, name: str) -> TrainingData | None:
    """What the cache holds, unless it is missing or damaged."""
    try:
        content = json.loads((cache / f"{name}.json").read_text("utf-8"))
        tensors = load_file(cache / f"{name}.safetensors")
        parts: dict[str, Any] = {}
        for f in fields(Corpus):
            if f.name in tensors:
                parts[f.name] = tensors[f.name]
            else:
                parts[f.name] = Ragged(tensors[f"{f.name}.flat"], tensors[f"{f.name}.starts"])
        return TrainingData(Vocabulary(content["words"]), Corpus(**parts), content["facts"])
    except (OSError, ValueError, KeyError, TypeError, SafetensorError, UserError):
        return None
