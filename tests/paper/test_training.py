from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from scratchwork import UserError
from scratchwork.paper import training as module
from scratchwork.paper.backpropagation import Gradients
from scratchwork.paper.batching import ProgramBatch
from scratchwork.paper.distributed import Processes
from scratchwork.paper.drawing import Drawn
from scratchwork.paper.models import load_model
from scratchwork.paper.training import Training
from scratchwork.paper.vocabulary import Vocabulary
from scratchwork.training import LogEntry, latest_state
from tests.paper.samples import part_of, settings, vocabulary

SOME = range(12)
"""Three batches of four, or some more where their lengths differ."""


def new_run(folder: Path, **changes: Any) -> Training:
    return Training(settings(**changes), vocabulary(), part_of(SOME), folder)


def stop_after(steps: int) -> Callable[[], bool]:
    """Asks to stop behind so many steps."""
    taken = 0

    def asked() -> bool:
        nonlocal taken
        taken += 1
        return taken == steps

    return asked


def tensors(training: Training) -> dict[str, Tensor]:
    """All that a run has learnt: the model, its average, and what the optimiser remembers."""
    return {name: tensor.clone() for name, tensor in training.learner.state().items()}


def assert_same_bytes(one: dict[str, Tensor], other: dict[str, Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, tensor in one.items():
        assert tensor.numpy().tobytes() == other[name].numpy().tobytes(), name


def test_the_loss_falls(tmp_path: Path) -> None:
    told: list[LogEntry] = []
    run = new_run(tmp_path, epochs=6, rate=0.05, dropout=0.0, save_every=3)
    assert run.run(told.append)
    losses = [report["loss"] for report in told]
    assert losses[-1] < 0.7 * losses[0]
    assert [r["step"] for r in told] == sorted({r["step"] for r in told})
    last = told[-1]
    assert (last["step"], last["epoch"], last["epochs"]) == (run.step, 6, 6)
    assert last["rate"] == pytest.approx(0, abs=1e-12)
    assert max(r["rate"] for r in told) <= 0.05
    assert all(r["instructions_per_second"] > 0 and r["seconds_left"] >= 0 for r in told)


@pytest.mark.parametrize("model", ["program", "copy-output"])
def test_a_run_leaves_the_average_as_a_model(tmp_path: Path, model: str) -> None:
    run = new_run(tmp_path, epochs=1, model=model)
    assert not run.finished
    assert run.run()
    assert run.finished
    saved = load_model(tmp_path)
    assert saved.vocabulary.words == vocabulary().words
    assert saved.about["training"] == run.config.to_json()
    for average, parameter in zip(run.learner.average, saved.model.parameters(), strict=True):
        assert torch.equal(average, parameter)
        assert not torch.equal(average, run.learner.parameters[0])


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Training:
    """A run of three epochs, the first along the preferred paths."""
    torch.set_num_threads(1)
    run = new_run(tmp_path_factory.mktemp("run"), epochs=3)
    assert run.run()
    return run


@pytest.mark.parametrize("stops", [[3], [4], [2, 3, 3]])
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(
    stops: list[int], tmp_path: Path, uninterrupted: Training
) -> None:
    done = 0
    for steps in stops:
        run = new_run(tmp_path, epochs=3)
        assert run.resume() == (done > 0)
        assert not run.run(stop=stop_after(steps))
        done += steps
        assert run.step == done < uninterrupted.step
    run = new_run(tmp_path, epochs=3)
    assert run.resume()
    assert run.step == done
    assert run.run()
    assert run.step == uninterrupted.step
    assert_same_bytes(tensors(run), tensors(uninterrupted))
    name = "model.safetensors"
    assert (tmp_path / name).read_bytes() == (uninterrupted.folder / name).read_bytes()


def test_a_finished_run_that_is_run_again_stays_the_same(tmp_path: Path) -> None:
    new_run(tmp_path, epochs=1).run()
    model = (tmp_path / "model.safetensors").read_bytes()
    again = new_run(tmp_path, epochs=1)
    assert again.resume()
    assert again.finished
    assert again.run()
    assert (tmp_path / "model.safetensors").read_bytes() == model


def test_programs_are_drawn_along_preferred_paths_and_then_every_few_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    draw = module.draw_epoch

    def watch(*given: Any) -> Drawn:
        drawn.append(given[3])
        return draw(*given)

    monkeypatch.setattr(module, "draw_epoch", watch)
    config = settings(epochs=8, preferred_epochs=2, draw_every=3)
    Training(config, vocabulary(), part_of(range(2)), tmp_path).run()
    assert drawn == [0, 2, 5]


def test_seeds_give_different_runs(tmp_path: Path) -> None:
    one, other, same = (
        new_run(tmp_path / name, epochs=1, seed=seed)
        for name, seed in (("one", 1), ("other", 2), ("same", 1))
    )
    for run in (one, other, same):
        run.run(stop=stop_after(2))
    assert_same_bytes(tensors(one), tensors(same))
    assert not torch.equal(one.learner.parameters[0], other.learner.parameters[0])


@pytest.mark.parametrize(
    "changes", [{"epochs": 3}, {"hidden": 10, "model": "seq2seq"}, {"seed": 1}, {"rate": 0.5}]
)
def test_going_on_with_other_settings_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    new_run(tmp_path).run(stop=stop_after(1))
    with pytest.raises(UserError, match=r"holds a run with other settings .*into another folder$"):
        new_run(tmp_path, **changes).resume()


def test_going_on_with_other_problems_is_refused(tmp_path: Path) -> None:
    new_run(tmp_path).run(stop=stop_after(1))
    words = vocabulary().words
    others = [
        Training(settings(), vocabulary(), part_of(range(9)), tmp_path),
        Training(settings(), vocabulary(), part_of(range(1, 13)), tmp_path),
        Training(settings(), Vocabulary([*words[:-1], "quokka"]), part_of(SOME), tmp_path),
    ]
    for other in others:
        with pytest.raises(UserError, match="other problems"):
            other.resume()


def test_a_folder_without_a_run_is_nothing_to_go_on_from(tmp_path: Path) -> None:
    assert not new_run(tmp_path).resume()


def test_every_process_must_have_a_row(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="5 processes; set more rows, or start fewer processes"):
        Training(settings(), vocabulary(), part_of(SOME), tmp_path, Processes(0, 5))


def poison_at(run: Training, steps: int) -> Callable[[], bool]:
    """Spoils a weight behind so many steps."""
    asked = stop_after(steps)

    def stop() -> bool:
        if asked():
            with torch.no_grad():
                run.learner.parameters[3].view(-1)[0] = torch.nan
        return False

    return stop


@pytest.mark.parametrize("save_every", [1, 3, 500])
def test_a_loss_of_nan_ends_the_run_and_keeps_the_last_good_state(
    tmp_path: Path, save_every: int
) -> None:
    run = new_run(tmp_path, save_every=save_every)
    with pytest.raises(UserError, match=r"^the loss is NaN at step \d+: ") as told:
        run.run(stop=poison_at(run, 4))
    assert ("the last good state is in" in str(told.value)) == (save_every < 500)
    state = latest_state(tmp_path)
    if save_every == 500:
        assert state is None
        return
    assert state is not None
    assert state.facts["step"] == 4 - (4 % save_every or save_every)
    assert all(bool(tensor.isfinite().all()) for tensor in state.tensors.values())
    again = new_run(tmp_path, save_every=save_every)
    assert again.resume()
    assert not again.run(stop=stop_after(1))


def test_a_model_of_nan_is_never_left_behind(tmp_path: Path) -> None:
    run = new_run(tmp_path, epochs=1)
    with pytest.raises(UserError, match="the loss is NaN"):
        run.run(stop=poison_at(run, 3))
    assert not (tmp_path / "model.safetensors").exists()


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4 bytes"),
        MemoryError(),
    ],
)
def test_when_memory_runs_out_it_is_said_what_to_do(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = Gradients.__call__

    def full(self: Gradients, batch: ProgramBatch, seed: int, step: int, scale: float) -> Tensor:
        if step == 2:
            raise error
        return compute(self, batch, seed, step, scale)

    monkeypatch.setattr(Gradients, "__call__", full)
    with pytest.raises(UserError) as told:
        new_run(tmp_path, save_every=2).run()
    assert str(told.value) == (
        "the device ran out of memory at step 2: make `rows` or `stage` smaller; "
        f"the last good state is in {tmp_path}"
    )
    assert new_run(tmp_path, save_every=2).resume()


def test_other_errors_are_not_taken_for_a_lack_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> Tensor:
        raise RuntimeError("sizes do not match")

    monkeypatch.setattr(Gradients, "__call__", broken)
    with pytest.raises(RuntimeError, match="sizes do not match"):
        new_run(tmp_path).run()


def test_the_loss_is_per_output_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scales: list[float] = []
    tokens: list[int] = []
    compute = Gradients.__call__

    def watch(self: Gradients, batch: ProgramBatch, seed: int, step: int, scale: float) -> Tensor:
        scales.append(scale)
        tokens.append(int(batch.tokens.sum()))
        return compute(self, batch, seed, step, scale)

    monkeypatch.setattr(Gradients, "__call__", watch)
    new_run(tmp_path, epochs=1).run()
    assert sum(tokens) == int(part_of(SOME).tokens.lengths.sum())
    assert scales == pytest.approx([1 / count for count in tokens])
