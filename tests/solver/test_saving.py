import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor

from scratchwork import UserError
from scratchwork.solver.collating import collate
from scratchwork.solver.network import Transformer
from scratchwork.solver.reading import read_problem
from scratchwork.solver.saving import load_solver, quantise, quantised_shapes, restore, save_solver
from tests.damaging import changed_config, changed_weights, set_network, set_votes
from tests.solver.samples import CPU, made, pieces, tiny_network

ABOUT = {"training": {"steps": 60}, "votes": {"nearness": 0.3}}


def save(network: Transformer, folder: Path) -> None:
    save_solver(network.config, network.state_dict(), pieces(), folder, ABOUT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(tiny_network(), tmp_path / "solver")
    return tmp_path / "solver"


def option_states(network: Transformer) -> torch.Tensor:
    """What a network thinks of the options of some problems."""
    readings = [read_problem(generated.problem, pieces()) for generated in made(20, seed=4)]
    with torch.no_grad():
        return network.eval().encode(collate(readings, CPU).read).option_states


def test_what_is_saved_loads_to_the_same_network_but_for_rounding(folder: Path) -> None:
    network, loaded = tiny_network(), load_solver(folder)
    assert loaded.model.config == network.config
    assert loaded.pieces.pieces == pieces().pieces
    assert {name: loaded.about[name] for name in ABOUT} == ABOUT
    assert not loaded.model.training
    assert {p.dtype for p in loaded.model.parameters()} == {torch.float32}
    for name, weight in network.state_dict().items():
        step = weight.abs().max() / 127
        assert (loaded.model.state_dict()[name] - weight).abs().max() <= step
    assert torch.allclose(option_states(loaded.model), option_states(network), atol=0.06)


def test_what_was_loaded_is_saved_to_the_same_network(folder: Path) -> None:
    once = load_solver(folder).model
    save(once, folder)
    assert torch.allclose(option_states(load_solver(folder).model), option_states(once), atol=1e-5)


def test_a_folder_holds_three_files_a_byte_a_weight_and_no_code(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json",
        "model.safetensors",
        "vocabulary.json",
    ]
    count = sum(p.numel() for p in tiny_network().parameters())
    assert (folder / "model.safetensors").stat().st_size < 1.3 * count


def overwritten(name: str, content: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return damage


def half_the_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def one_weight_less(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["before_encoder.weight"]
    save_file(weights, folder / "model.safetensors")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(set_network(encoder_layers=10**9), id="a size that no memory holds"),
        pytest.param(set_network(encoder_layers=True), id="a truth as a size"),
        pytest.param(set_network(encoder_layers=4.0), id="a size with a point"),
        pytest.param(changed_config(lambda c: c.update(network=None)), id="nothing as network"),
        pytest.param(changed_config(lambda c: c.update(kind=["x"])), id="a list as kind"),
        pytest.param(changed_config(lambda c: c.update({"\ud800": 1})), id="half a character"),
        pytest.param(overwritten("config.json", b"[" * 200_000), id="a deep config"),
        pytest.param(overwritten("config.json", b'{"version": ' + 5000 * b"9"), id="digits"),
        pytest.param(overwritten("vocabulary.json", b"[" * 200_000), id="a deep vocabulary"),
        pytest.param(changed_weights(lambda t: t.fill_(torch.nan)), id="weights that are NaN"),
        pytest.param(changed_weights(lambda t: t.bool()), id="weights that are truths"),
        pytest.param(changed_weights(lambda t: t[None]), id="weights with a dimension more"),
        pytest.param(set_network(dropout=float("nan")), id="a dropout that is NaN"),
        pytest.param(set_network(dropout="0.1"), id="a dropout in words"),
        pytest.param(set_network(width=1_000_000), id="a width that no memory holds"),
        pytest.param(changed_config(lambda c: c.update(votes=[1])), id="a list of votes"),
        pytest.param(set_votes(nearness="0.3"), id="a vote in words"),
        pytest.param(set_votes(nearness=float("inf")), id="a vote without end"),
        pytest.param(overwritten("config.json", b'{"version": 1, "netw'), id="cut config"),
        pytest.param(overwritten("config.json", b"[1]"), id="a list as config"),
        pytest.param(overwritten("config.json", b"\xff\xfe\x00"), id="binary config"),
        pytest.param(changed_config(lambda c: c.pop("network")), id="no network"),
        pytest.param(changed_config(lambda c: c.pop("version")), id="no version"),
        pytest.param(set_network(width="large"), id="a size in words"),
        pytest.param(set_network(width=-1), id="a negative size"),
        pytest.param(set_network(layers=3), id="an unknown size"),
        pytest.param(set_network(heads=0), id="no heads"),
        pytest.param(set_network(heads=5), id="heads that do not fit"),
        pytest.param(set_network(pieces=5), id="other pieces"),
        pytest.param(set_network(width=32), id="weights of another size"),
        pytest.param(set_network(encoder_layers=2), id="more layers than weights"),
        pytest.param(overwritten("vocabulary.json", b"17"), id="a number as pieces"),
        pytest.param(overwritten("vocabulary.json", b'["pen"]'), id="no special pieces"),
        pytest.param(overwritten("vocabulary.json", b"[[], {}]"), id="no pieces"),
        pytest.param(overwritten("model.safetensors", b""), id="empty weights"),
        pytest.param(overwritten("model.safetensors", b"\x80\x04pickle?" * 9), id="no weights"),
        pytest.param(half_the_weights, id="half the weights"),
        pytest.param(one_weight_less, id="one weight less"),
    ],
)
def test_a_damaged_folder_is_told_in_one_sentence(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder)
    with pytest.raises(UserError, match="damaged") as raised:
        load_solver(folder)
    assert str(raised.value).startswith(str(folder))
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < len(str(folder)) + 300


@pytest.mark.parametrize("name", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_missing_file_is_told_in_one_sentence(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UserError, match=rf"^{re.escape(str(folder))} is no model.* no {name}$"):
        load_solver(folder)


def test_another_release_is_told(folder: Path) -> None:
    changed_config(lambda content: content.update(version=99))(folder)
    with pytest.raises(UserError, match="has format 99, this release reads format 1; "):
        load_solver(folder)


WEIGHTS = {
    "layer.weight": torch.randn(30, 40, generator=torch.Generator().manual_seed(1)),
    "layer.bias": torch.tensor([0.0, 0.1, -1 / 3]),
    "zeros": torch.zeros(2, 3),
}


def size(weights: dict[str, Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in weights.values())


def test_matrices_become_a_quarter_as_large_and_come_back_under_their_names() -> None:
    kept = quantise(WEIGHTS)
    assert kept["layer.weight"].dtype == torch.int8
    assert size(kept) < 0.3 * size(WEIGHTS)
    shapes = {name: tuple(weight.shape) for name, weight in WEIGHTS.items()}
    kept_shapes = {name: tuple(weight.shape) for name, weight in kept.items()}
    assert quantised_shapes(shapes) == kept_shapes
    restored = restore(kept)
    assert list(restored) == list(WEIGHTS)
    assert {tensor.dtype for tensor in restored.values()} == {torch.float32}
    assert [tensor.shape for tensor in restored.values()] == [t.shape for t in WEIGHTS.values()]


def test_everything_but_matrices_is_kept_in_half_precision() -> None:
    restored = restore(quantise(WEIGHTS))
    torch.testing.assert_close(restored["layer.bias"], WEIGHTS["layer.bias"], rtol=1e-3, atol=0)
    assert torch.equal(restored["zeros"], WEIGHTS["zeros"])


rows = st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3)


@given(st.lists(rows, min_size=1, max_size=4))
def test_a_weight_is_off_by_half_a_step_of_its_row_at_most(matrix: list[list[float]]) -> None:
    weight = torch.tensor(matrix)
    kept = quantise({"w": weight})
    assert kept["w"].abs().max() <= 127
    step = weight.abs().amax(1, keepdim=True) / 127
    off = (restore(kept)["w"] - weight).abs()
    assert (off <= 0.5001 * step + 1e-8).all()


def test_what_was_restored_is_kept_exactly() -> None:
    once = restore(quantise(WEIGHTS))
    again = restore(quantise(once))
    for name, tensor in once.items():
        torch.testing.assert_close(again[name], tensor, rtol=1e-6, atol=0)
