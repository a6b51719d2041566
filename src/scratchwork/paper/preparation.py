"""From files of problems to a vocabulary and a corpus, kept for the next time.

Promises: `prepare` reads problems that have a rationale (repaired where their origin is known to be
damaged), builds the vocabulary, and the path tables on several processes. With a cache folder the
corpus is kept there under a name that depends on the files' contents and the settings, so that it
is built once; what is damaged there is built anew. Problems that are too long are counted.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from scratchwork.errors import UserError
from scratchwork.files import sha256_of, write_tensors, write_text
from scratchwork.paper.corpus import Corpus, Ragged, build_tables, corpus_of, fits
from scratchwork.paper.vocabulary import Kind, Vocabulary, build_vocabulary
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, OnProgress, read_problems, silent

_VERSION = 1


@dataclass(frozen=True)
class Prepared:
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
    kind: Kind = "constants",
    workers: int = 1,
    cache: Path | None = None,
    on_bad: OnBad | None = None,
    on_progress: OnProgress = silent,
) -> Prepared:
    """The vocabulary and the corpus of some files."""
    sums = [{"file": file.name, "sha256": sha256_of(file)} for file in files]
    key = hashlib.sha256(json.dumps([_VERSION, kind, [s["sha256"] for s in sums]]).encode())
    name = f"corpus-{key.hexdigest()[:16]}"
    kept = None if cache is None else _load(cache, name)
    if kept is not None:
        return kept
    problems = read_for_training(files, on_bad)
    vocabulary = build_vocabulary(problems, kind)
    tables = build_tables(
        problems,
        vocabulary,
        workers,
        lambda done: on_progress("finding paths", done, len(problems)),
    )
    fitting = [table for table in tables if fits(table)]
    if not fitting:
        raise UserError("all problems are longer than a model can be trained on")
    facts = {"files": sums, "problems": len(fitting), "too_long": len(tables) - len(fitting)}
    prepared = Prepared(vocabulary, corpus_of(fitting), facts)
    if cache is not None:
        _save(prepared, cache, name)
    return prepared


def _save(prepared: Prepared, cache: Path, name: str) -> None:
    tensors: dict[str, torch.Tensor] = {}
    for f in fields(Corpus):
        part = getattr(prepared.corpus, f.name)
        if isinstance(part, Ragged):
            tensors[f"{f.name}.flat"], tensors[f"{f.name}.starts"] = part.flat, part.starts
        else:
            tensors[f.name] = part
    write_tensors(cache / f"{name}.safetensors", tensors)
    content = {"words": prepared.vocabulary.words, "facts": prepared.facts}
    write_text(cache / f"{name}.json", json.dumps(content, ensure_ascii=False) + "\n")


def _load(cache: Path, name: str) -> Prepared | None:
    """What was kept, if it is there and whole."""
    try:
        content = json.loads((cache / f"{name}.json").read_text("utf-8"))
        tensors = load_file(cache / f"{name}.safetensors")
        parts: dict[str, Any] = {}
        for f in fields(Corpus):
            if f.name in tensors:
                parts[f.name] = tensors[f.name]
            else:
                parts[f.name] = Ragged(tensors[f"{f.name}.flat"], tensors[f"{f.name}.starts"])
        return Prepared(Vocabulary(content["words"]), Corpus(**parts), content["facts"])
    except (OSError, ValueError, KeyError, TypeError, SafetensorError, UserError):
        return None
