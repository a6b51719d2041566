import json
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from scratchwork import Solver, UserError
from scratchwork.solver.config import SOLVER_PRESETS, TrainingSettings
from scratchwork.solver.dataset import Dataset
from scratchwork.solver.network import Transformer
from scratchwork.solver.reading import SPECIAL_PIECES, UNKNOWN_PIECE
from scratchwork.solver.saving import load_solver
from scratchwork.solver.search import PlanSearch, PlanSettings
from scratchwork.solver.symbols import LONGEST_PLAN
from scratchwork.solver.training import (
    Batches,
    ExampleBatch,
    TrainingResult,
    losses_of,
    mask_pieces,
    train_solver,
    weight_of,
)
from scratchwork.training import with_settings
from tests.solver.samples import (
    CPU,
    HELD_OUT,
    SETTINGS,
    half_of_the_plans,
    made,
    table_folder,
    tables,
    tiny_network,
)

SHORT = replace(SETTINGS, steps=6, tokens=384, beam=4, vote_beam=4, save_every=2, measure_every=0.5)
MODEL = ("model.safetensors", "config.json", "vocabulary.json")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table_folder(tmp_path_factory.mktemp("data"))


def model_bytes(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in MODEL]


def logged(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_tiny_network_learns_to_solve_problems_it_has_not_seen(tiny_solver: Path) -> None:
    problems = [generated.problem for generated in made(40, HELD_OUT)]
    settings = PlanSettings(beam=16)
    solutions = Solver(PlanSearch(load_solver(tiny_solver), settings)).solve_all(problems)
    right = [s.answer == p.correct for s, p in zip(solutions, problems, strict=True)]
    assert sum(right) > 0.8 * len(problems)
    derived = [s for s, is_right in zip(solutions, right, strict=True) if is_right and not s.guess]
    assert len(derived) > 0.7 * len(problems)


def test_the_log_tells_how_it_was_learned(tiny_solver: Path) -> None:
    rows = logged(tiny_solver)
    losses = [row["loss"] for row in rows if "loss" in row]
    assert losses[-1] < 0.6 * losses[0]
    first, *_, last = (row for row in rows if "tune loss" in row)
    assert (first["step"], last["step"]) == (15, 60)
    assert last["tune right by probability"] > 0.8
    assert first["tune loss"] > 2 * last["tune loss"]
    assert last["tune among plans"] >= last["tune best plan"] > 0.8
    assert last["tune with fitted votes right"] > 0.8


def test_the_model_folder_says_how_it_was_trained_and_how_its_plans_vote(tiny_solver: Path) -> None:
    about = load_solver(tiny_solver).about
    assert about["training"].items() >= {"seed": 0, "steps": 60, "tokens": 768}.items()
    assert all(weight > 0 for weight in about["votes"].values())
    assert len(about["votes"]) == 8


def stop_after(steps: int) -> Callable[[], bool]:
    asked = iter([False] * (steps - 1) + [True])
    return lambda: next(asked)


def test_a_stopped_run_goes_on_to_the_same_bytes(data: Path, tmp_path: Path) -> None:
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    assert train_solver(data, whole, SHORT).finished
    said: list[str] = []
    for steps, reached in ((1, 1), (2, 3), (1, 4)):
        run = train_solver(data, parted, SHORT, say=said.append, stop=stop_after(steps))
        assert (run.step, run.finished) == (reached, False)
        assert not (parted / "config.json").exists()
    run = train_solver(data, parted, SHORT, say=said.append)
    assert (run.step, run.finished) == (6, True)
    assert said == [f"continuing from step {step}" for step in (1, 3, 4)]
    assert model_bytes(parted) == model_bytes(whole)
    # Once more there is nothing to do.
    assert train_solver(data, parted, SHORT) == run
    assert model_bytes(parted) == model_bytes(whole)


def test_another_seed_gives_other_weights(data: Path, tmp_path: Path) -> None:
    for seed in (0, 1):
        train_solver(data, tmp_path / str(seed), replace(SHORT, seed=seed))
    assert model_bytes(tmp_path / "0")[0] != model_bytes(tmp_path / "1")[0]


def test_other_settings_or_tables_are_refused_in_the_same_folder(
    data: Path, tmp_path: Path
) -> None:
    train_solver(data, tmp_path / "model", replace(SHORT, steps=2))
    with pytest.raises(UserError, match="holds a run with other settings or other problems"):
        train_solver(data, tmp_path / "model", SHORT)
    other = table_folder(tmp_path / "other", count=24)
    with pytest.raises(UserError, match="holds a run with other settings or other problems"):
        train_solver(other, tmp_path / "model", replace(SHORT, steps=2))


def test_without_tune_problems_nothing_is_measured(data: Path, tmp_path: Path) -> None:
    (tmp_path / "tables" / "generated").mkdir(parents=True)
    for name in ("pieces.json", "generated/first.npz"):
        (tmp_path / "tables" / name).symlink_to(data / name)
    run = train_solver(tmp_path / "tables", tmp_path / "model", replace(SHORT, steps=2))
    assert run == TrainingResult(2, True, {})
    assert load_solver(tmp_path / "model").about["votes"] == {}


def test_a_run_may_end_on_the_way_with_the_rate_not_fallen(data: Path, tmp_path: Path) -> None:
    ends = {}
    for share in (0.3, 1.0):
        settings = replace(SHORT, steps=10, stop_at=share, warm_up=1)
        train_solver(data, tmp_path / str(share), settings)
        ends[share] = [row for row in logged(tmp_path / str(share)) if "rate" in row][-1]
    assert (ends[0.3]["step"], ends[1.0]["step"]) == (3, 10)
    assert ends[0.3]["rate"] > 0.85 * SHORT.rate > 0.2 * SHORT.rate > ends[1.0]["rate"]


def test_spoilt_weights_end_a_run_and_the_last_good_state_stays(data: Path, tmp_path: Path) -> None:
    train_solver(data, tmp_path, SHORT, stop=stop_after(2))
    rates = iter([1.0, float("nan")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scratchwork.solver.training.learning_rate", lambda *_: next(rates))
        with pytest.raises(UserError, match=r"the loss is NaN at step 4.*good state is in"):
            train_solver(data, tmp_path, SHORT)
    said: list[str] = []
    train_solver(data, tmp_path, SHORT, say=said.append)
    assert said == ["continuing from step 3"]


# What is drawn.


def dataset(count: int = 24, seed: int = 10) -> Dataset:
    return Dataset(*half_of_the_plans(tables(made(count, seed))), CPU)


def whole(examples: Dataset) -> ExampleBatch:
    """All of a dataset, in a shape in which rationales fit."""
    return ExampleBatch(examples, torch.arange(len(examples)), 48, 100)


def learned(examples: Dataset, steps: int) -> Transformer:
    """A network after some steps on the whole of a dataset."""
    model = tiny_network()
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    torch.manual_seed(1)
    for _ in range(steps):
        optimiser.zero_grad()
        losses_of(model, whole(examples), 0.1).sum().backward()
        optimiser.step()
    return model


def test_batches_come_from_every_kind_by_its_share_and_change_with_the_way() -> None:
    datasets = {kind: dataset(6) for kind in ("real", "generated", "texts")}
    settings = replace(SHORT, generated_first=0.9, generated_last=0.1, texts=0.0, renumbered=0.0)
    batches = Batches(datasets, settings)
    torch.manual_seed(0)
    for done, share in ((0.0, 0.9), (1.0, 0.1)):
        drawn = Counter(id(batches.draw(done).dataset) for _ in range(200))
        assert drawn[id(datasets["generated"])] / 200 == pytest.approx(share, abs=0.08)
        assert id(datasets["texts"]) not in drawn


def test_a_batch_is_as_large_as_is_asked_and_fits_its_shape() -> None:
    batches = Batches({"generated": dataset()}, replace(SHORT, tokens=2000))
    for _ in range(20):
        batch = batches.draw(0.5)
        assert 2000 - (batch.reading + batch.plan) < batch.tokens <= 2000
        assert (batch.dataset.lengths[batch.dataset.owners[batch.rows]] <= batch.reading).all()


def test_real_problems_get_new_numbers_that_depend_on_the_period_alone() -> None:
    def values(*shares: float) -> torch.Tensor:
        examples = dataset()
        batches = Batches({"real": examples}, replace(SHORT, renumbered=1.0, renumber_every=0.25))
        for share in shares:
            batches.draw(share)
        return examples.row_values.nan_to_num()

    assert torch.equal(values(0.3), values(0.0, 0.1, 0.26, 0.49))
    assert not torch.equal(values(0.3), values(0.1))
    assert not torch.equal(values(0.1), dataset().row_values.nan_to_num())


def test_settings_that_leave_nothing_to_draw_are_told() -> None:
    batches = Batches({"real": dataset(6)}, replace(SHORT, generated_first=1.0, renumbered=0.0))
    with pytest.raises(UserError, match="leave nothing to draw from these tables: change gener"):
        batches.draw(0.0)


def test_rationales_are_drawn_as_often_as_they_are_asked_for() -> None:
    shapes = list(dataset().buckets)
    assert any(plan > LONGEST_PLAN for _, plan in shapes)
    for shape in shapes:
        assert (weight_of(shape, 3, 0.0) == 0) == (shape[1] > LONGEST_PLAN)
        assert weight_of(shape, 3, 1.0) == 3 * sum(shape)


def test_pieces_read_as_unknown_are_asked_for_and_nothing_else() -> None:
    examples = dataset()
    read = examples.read_plans(torch.arange(len(examples)))
    before = read.pieces.clone()
    masked, places, pieces = mask_pieces(read, 0.1)
    gone = masked.pieces != before
    assert 0.05 < float(gone.sum()) / float((before >= len(SPECIAL_PIECES)).sum()) < 0.15
    assert (masked.pieces[gone] == UNKNOWN_PIECE).all()
    assert (before[gone] >= len(SPECIAL_PIECES)).all()
    asked = places[pieces >= 0]
    assert set(asked.tolist()) == set(gone.flatten().nonzero().flatten().tolist())
    assert torch.equal(before.flatten()[asked], pieces[pieces >= 0])


def test_plans_and_masked_pieces_are_learned() -> None:
    examples = dataset()
    torch.manual_seed(2)
    before = losses_of(learned(examples, 0).eval(), whole(examples), 0.1)
    after = losses_of(learned(examples, 40).eval(), whole(examples), 0.1)
    assert (after < 0.7 * before).all()
    assert losses_of(tiny_network(), whole(examples), 0.0)[1] == 0


def test_only_problems_with_a_plan_count_for_the_choices() -> None:
    examples = dataset()
    planned = (examples.choices >= 0).any(1)
    for those, is_asked in ((planned, True), (~planned, False)):
        batch = replace(whole(examples), rows=those.nonzero().flatten())
        assert (losses_of(tiny_network(), batch, 0.0)[0] > 0) == is_asked


# The settings.


def test_the_presets_are_in_their_ranges_and_every_setting_has_one() -> None:
    for preset in SOLVER_PRESETS.values():
        for field in fields(TrainingSettings):
            with pytest.raises(UserError, match=f"the setting {field.name} is -1, but must be "):
                replace(preset, **{field.name: -1})


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("depth", "3", "there is no setting depth; there are width, heads, "),
        ("steps", "many", "the setting steps is many, but must be a whole number"),
        ("steps", "1.5", "the setting steps is 1.5, but must be a whole number"),
        ("rate", "high", "the setting rate is high, but must be a number"),
        ("dropout", "nan", "the setting dropout is nan, but must be 0 to 0.95"),
        ("tokens", "100", "the setting tokens is 100, but must be 358 to 1000000000"),
        ("heads", "5", "5 heads do not divide a width of 64 into even parts"),
    ],
)
def test_a_wrong_setting_is_one_clear_sentence(name: str, text: str, complaint: str) -> None:
    with pytest.raises(UserError) as raised:
        with_settings(SOLVER_PRESETS["tiny"], {name: text})
    assert str(raised.value).startswith(complaint)
    assert "\n" not in str(raised.value)
