"""Data files and model folders, however damaged: `make fuzz` tries many more of them.

Whatever is in a file, it is read, or refused with one short sentence.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from scratchwork import Problem, UserError, read_problems
from scratchwork.model_folder import read_config
from scratchwork.paper.models import load_model, save_model
from scratchwork.problems.bounds import Bounds
from scratchwork.problems.rows import problem_line
from tests.paper.samples import tiny_model, vocabulary

EXAMPLES = int(os.environ.get("SCRATCHWORK_FUZZ_EXAMPLES", "100"))
BOUNDS = Bounds(row=2_000, characters=1_000, tokens=300, numbers=50, different_numbers=20)
ROW = {"question": "What is 2 + 2?", "options": ["A)3", "B)4"], "rationale": "4", "correct": "B"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=10,
)
rows = st.dictionaries(st.sampled_from([*ROW, "id", "Problem", "note", "\ud800"]), json_values).map(
    lambda changes: json.dumps(ROW | changes).encode()
)
pieces = st.one_of(
    rows,
    st.binary(max_size=50),
    st.sampled_from(
        [
            b"\n",
            b"[",
            b"]",
            b",",
            b"\xef\xbb\xbf",
            b"\\ud800",
            b"9" * 5_000,
            b"[" * 3_000,
            b"x" * 3_000,
        ]
    ),
)
contents = st.lists(pieces, max_size=8).map(b"\n".join) | st.lists(pieces, max_size=8).map(
    b",".join
)


def is_short_sentence(error: UserError, path: Path) -> bool:
    said = str(error)
    return str(path) in said and "\n" not in said and len(said) < len(str(path)) + 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@given(contents, st.sampled_from(["rows.jsonl", "rows.json.gz"]), st.integers(0, 40))
@settings(max_examples=EXAMPLES)
def test_every_data_file_is_read_or_refused(
    folder: Path, content: bytes, name: str, cut: int
) -> None:
    path = folder / name
    data = gzip.compress(content) if name.endswith(".gz") else content
    path.write_bytes(data[: len(data) - cut] if cut < 20 else data)
    told: list[UserError] = []
    try:
        for problem in read_problems(path, told.append, BOUNDS):
            assert isinstance(problem, Problem)
            problem_line(problem)
    except UserError as error:
        told.append(error)
    assert all(is_short_sentence(error, path) for error in told)


@pytest.fixture(scope="module")
def whole(folder: Path) -> dict[str, bytes]:
    """The files of a model folder."""
    save_model(tiny_model(dtype=torch.float32), vocabulary(), folder / "model", {})
    return {path.name: path.read_bytes() for path in (folder / "model").iterdir()}


sizes = st.dictionaries(
    st.sampled_from(["hidden", "embedding", "words", "kind", "layers"]), json_values, min_size=1
)
damages = st.tuples(st.integers(0, 10**9), st.binary(max_size=8), st.booleans())


@given(st.sampled_from(["model.safetensors", "vocabulary.json", "config.json"]), damages, sizes)
@settings(max_examples=EXAMPLES)
def test_every_model_folder_is_loaded_or_refused(
    folder: Path,
    whole: dict[str, bytes],
    name: str,
    damage: tuple[int, bytes, bool],
    changes: dict[str, Any],
) -> None:
    model = folder / "model"
    for intact, content in whole.items():
        (model / intact).write_bytes(content)
    at, splice, resized = damage
    content = whole[name]
    at %= len(content)
    (model / name).write_bytes(content[:at] + splice + content[at + len(splice) :])
    if resized and name == "config.json":
        config = json.loads(whole[name])
        (model / name).write_text(json.dumps(config | {"network": config["network"] | changes}))
    try:
        read_config(model)
        assert load_model(model).model.config
    except UserError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < len(str(model)) + 500
