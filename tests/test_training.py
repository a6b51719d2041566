import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from scratchwork import UserError
from scratchwork.paper.training import Training
from scratchwork.training import (
    Log,
    TrainingState,
    latest_state,
    learning_rate,
    save_state,
)
from tests.paper.samples import part_of, settings, vocabulary


def state(step: int) -> TrainingState:
    """A state that can be told from others."""
    tensors = {"model.a": torch.full((3,), float(step)), "drawn.rows": torch.arange(step)}
    return TrainingState(tensors, {"step": step, "config": {"epochs": 2}})


def saved(folder: Path, *steps: int) -> None:
    for step in steps:
        save_state(folder, state(step))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "training").iterdir())


def files_of(*steps: int) -> list[str]:
    return [f"state-{step:08d}.{end}" for step in steps for end in ("json", "safetensors")]


def step_of(found: TrainingState | None) -> int:
    assert found is not None
    step = found.facts["step"]
    assert torch.equal(found.tensors["model.a"], state(step).tensors["model.a"])
    return step


def test_what_is_saved_is_found_again(tmp_path: Path) -> None:
    saved(tmp_path, 7)
    found = latest_state(tmp_path)
    assert found is not None
    assert found.facts == state(7).facts
    assert found.tensors.keys() == state(7).tensors.keys()
    for name, tensor in state(7).tensors.items():
        assert torch.equal(found.tensors[name], tensor)
        assert found.tensors[name].dtype == tensor.dtype


def test_the_newest_state_and_the_one_before_are_kept(tmp_path: Path) -> None:
    saved(tmp_path, 5, 10, 100, 1000)
    assert names(tmp_path) == files_of(100, 1000)
    assert step_of(latest_state(tmp_path)) == 1000


def test_saving_a_step_again_replaces_it(tmp_path: Path) -> None:
    saved(tmp_path, 5, 10, 10)
    assert names(tmp_path) == files_of(5, 10)
    assert step_of(latest_state(tmp_path)) == 10


def test_without_states_there_is_none(tmp_path: Path) -> None:
    assert latest_state(tmp_path) is None
    assert latest_state(tmp_path / "nowhere") is None


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def turned(path: Path) -> None:
    """One bit of the last number is another."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def removed(path: Path) -> None:
    path.unlink()


def no_object(path: Path) -> None:
    path.write_text("[]", "utf-8")


@pytest.mark.parametrize(
    ("end", "damage"),
    [
        ("safetensors", cut),
        ("safetensors", turned),
        ("safetensors", removed),
        ("json", cut),
        ("json", removed),
        ("json", no_object),
    ],
)
def test_a_damaged_state_is_passed_over_for_the_one_before(
    end: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    saved(tmp_path, 5, 10)
    damage(tmp_path / "training" / f"state-{10:08d}.{end}")
    told: list[Path] = []
    assert step_of(latest_state(tmp_path, told.append)) == 5
    if damage is not removed or end != "json":
        assert [path.name for path in told] == ["state-00000010.safetensors"]
    # What was skipped is not in the way of what comes.
    saved(tmp_path, 7)
    assert names(tmp_path) == files_of(5, 7)
    assert step_of(latest_state(tmp_path)) == 7


def test_when_all_states_are_damaged_there_is_none(tmp_path: Path) -> None:
    saved(tmp_path, 5, 10)
    for path in (tmp_path / "training").glob("*.safetensors"):
        cut(path)
    told: list[Path] = []
    assert latest_state(tmp_path, told.append) is None
    assert len(told) == 2


def test_a_full_disk_is_told_in_one_sentence_and_what_was_there_stays(small_disk: Path) -> None:
    saved(small_disk, 5, 10)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(48 * 1024))
    with pytest.raises(UserError, match=r"state-00000015\.[^:]*: the disk is full; .*make room"):
        saved(small_disk, 15)
    assert names(small_disk) == files_of(5, 10)
    assert step_of(latest_state(small_disk)) == 10
    ballast.unlink()
    saved(small_disk, 15)
    assert step_of(latest_state(small_disk)) == 15


def test_other_trouble_with_files_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "training").write_text("a file where a folder should be", "utf-8")
    with pytest.raises(FileExistsError, match="training"):
        saved(tmp_path, 5)


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    saved(tmp_path, 5)
    folder = tmp_path / "training"
    (folder / "state-00000010.safetensors.partial").write_bytes(b"half")
    (folder / "state-00000010.safetensors").write_bytes(b"no description yet")
    assert step_of(latest_state(tmp_path)) == 5
    saved(tmp_path, 12)
    assert names(tmp_path) == files_of(5, 12)


def test_states_hold_no_code(tmp_path: Path) -> None:
    saved(tmp_path, 5)
    description = tmp_path / "training" / "state-00000005.json"
    assert json.loads(description.read_text("utf-8")).keys() == {"step", "config", "sha256"}
    assert {path.suffix for path in (tmp_path / "training").iterdir()} == {".json", ".safetensors"}


def test_a_run_goes_on_from_the_state_before_a_damaged_one(tmp_path: Path) -> None:
    def new_run() -> Training:
        config = settings(epochs=1, save_every=1)
        return Training(config, vocabulary(), part_of(range(12)), tmp_path)

    run = new_run()
    run.run()
    newest = f"state-{run.step:08d}.safetensors"
    cut(tmp_path / "training" / newest)
    again = new_run()
    told: list[Path] = []
    assert again.resume(told.append)
    assert again.step == run.step - 1
    assert [path.name for path in told] == [newest]
    assert again.run()
    for one, other in zip(run.learner.parameters, again.learner.parameters, strict=True):
        assert torch.equal(one, other)


def steps_in(folder: Path) -> list[int]:
    return [json.loads(line)["step"] for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_run_that_goes_on_tells_every_step_once(tmp_path: Path) -> None:
    log = Log(tmp_path, 0)
    for step in (20, 40, 60):
        log({"step": step, "loss": 1 / 3})
    log.close()
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"step": 8')  # Killed while writing.
    log = Log(tmp_path, 40)
    assert steps_in(tmp_path) == [20, 40]
    log({"step": 60, "loss": 0.25})
    log.close()
    assert steps_in(tmp_path) == [20, 40, 60]
    assert (tmp_path / "log.jsonl").read_text().startswith('{"step": 20, "loss": 0.333333}\n')


def test_the_rate_rises_over_the_warm_up_and_falls_as_a_cosine() -> None:
    rates = [learning_rate(2.0, step, 10, step / 100, last=0.1) for step in range(101)]
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[50] == pytest.approx(2.0 * 0.55)
    assert rates[-1] == pytest.approx(0.2)
    assert learning_rate(2.0, 10**6, 10, 1.0) == 0
