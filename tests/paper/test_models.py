import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from scratchwork import UserError
from scratchwork.paper.models import load_model, save_model
from scratchwork.paper.program_model import ModelKind, ProgramModel
from tests.damaging import changed_config, changed_weights, set_network
from tests.paper import samples
from tests.paper.samples import KINDS, batch_of, drawn_for, tiny_model, vocabulary

SOME = range(4)


def scored(model: ProgramModel) -> torch.Tensor:
    drawn = drawn_for(tiny_model(model.config.kind), SOME)
    return samples.scored(model, batch_of(SOME, drawn))


def model(kind: ModelKind = "program") -> ProgramModel:
    return tiny_model(kind, dtype=torch.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_model(model(), vocabulary(), tmp_path / "model", {"training": {"epochs": 3}})
    return tmp_path / "model"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_saved_loads_to_the_same_numbers(kind: ModelKind, tmp_path: Path) -> None:
    network = model(kind)
    save_model(network, vocabulary(), tmp_path, {"training": {"epochs": 3}})
    loaded = load_model(tmp_path)
    assert loaded.model.config == network.config
    assert loaded.vocabulary.words == vocabulary().words
    assert loaded.about == {"training": {"epochs": 3}}
    assert not loaded.model.training
    assert torch.equal(scored(loaded.model), scored(network))


def test_a_folder_holds_three_files_and_no_code(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json",
        "model.safetensors",
        "vocabulary.json",
    ]


def test_weights_of_half_precision_load_in_single(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    save_file({k: x.half() for k, x in weights.items()}, folder / "model.safetensors")
    loaded = load_model(folder).model
    assert {p.dtype for p in loaded.parameters()} == {torch.float32}
    assert torch.allclose(scored(loaded), scored(model()), rtol=2e-3)


def test_saving_again_replaces_the_model(folder: Path) -> None:
    other = tiny_model(seed=5, dtype=torch.float32)
    save_model(other, vocabulary(), folder, {})
    assert torch.equal(scored(load_model(folder).model), scored(other))


@pytest.mark.parametrize("name", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UserError, match=rf"^{re.escape(str(folder))} is no model.* no {name}$"):
        load_model(folder)


def fewer_words(folder: Path) -> None:
    words = vocabulary().words[:-3]
    (folder / "vocabulary.json").write_text(json.dumps(words), "utf-8")


def half_the_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def one_weight_less(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights.popitem()
    save_file(weights, folder / "model.safetensors")


def overwritten(name: str, content: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(set_network(hidden=10**9), id="a size that no memory holds"),
        pytest.param(set_network(hidden=True), id="a truth as a size"),
        pytest.param(set_network(hidden=4.0), id="a size with a point"),
        pytest.param(changed_config(lambda c: c.update(network=None)), id="nothing as network"),
        pytest.param(changed_config(lambda c: c.update(kind=["x"])), id="a list as kind"),
        pytest.param(changed_config(lambda c: c.update({"\ud800": 1})), id="half a character"),
        pytest.param(overwritten("config.json", b"[" * 200_000), id="a deep config"),
        pytest.param(overwritten("config.json", b'{"version": ' + 5000 * b"9"), id="digits"),
        pytest.param(overwritten("vocabulary.json", b"[" * 200_000), id="a deep vocabulary"),
        pytest.param(changed_weights(lambda t: t.fill_(torch.nan)), id="weights that are NaN"),
        pytest.param(changed_weights(lambda t: t.bool()), id="weights that are truths"),
        pytest.param(changed_weights(lambda t: t[None]), id="weights with a dimension more"),
        pytest.param(overwritten("config.json", b'{"version": 1, "netw'), id="cut config"),
        pytest.param(overwritten("config.json", b"[1]"), id="a list as config"),
        pytest.param(overwritten("config.json", b"\xff\xfe\x00"), id="binary config"),
        pytest.param(changed_config(lambda c: c.pop("network")), id="no network"),
        pytest.param(changed_config(lambda c: c.pop("version")), id="no version"),
        pytest.param(set_network(kind="oracle"), id="unknown kind"),
        pytest.param(set_network(hidden="large"), id="a size in words"),
        pytest.param(set_network(hidden=-1), id="a negative size"),
        pytest.param(set_network(layers=3), id="an unknown size"),
        pytest.param(set_network(words=5), id="other words"),
        pytest.param(overwritten("vocabulary.json", b"17"), id="a number as vocabulary"),
        pytest.param(overwritten("vocabulary.json", b'["pen"]'), id="no special words"),
        pytest.param(overwritten("vocabulary.json", b"[[], {}]"), id="no words"),
        pytest.param(fewer_words, id="fewer words"),
        pytest.param(overwritten("model.safetensors", b""), id="empty weights"),
        pytest.param(overwritten("model.safetensors", b"\x80\x04pickle?" * 9), id="no weights"),
        pytest.param(half_the_weights, id="half the weights"),
        pytest.param(one_weight_less, id="one weight less"),
        pytest.param(set_network(hidden=9), id="weights of another size"),
        pytest.param(set_network(kind="seq2seq"), id="weights of another kind"),
    ],
)
def test_a_damaged_folder_is_reported_in_one_sentence(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder)
    with pytest.raises(UserError, match="damaged") as raised:
        load_model(folder)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < len(str(folder)) + 300


def test_another_format_is_reported_whatever_else_has_changed(folder: Path) -> None:
    def renew(content: dict[str, Any]) -> None:
        content["version"] = 99
        content["layers"] = content.pop("network")

    changed_config(renew)(folder)
    with pytest.raises(UserError, match="has format 99, this release reads format 1; "):
        load_model(folder)
