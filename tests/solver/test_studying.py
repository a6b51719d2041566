from collections.abc import Mapping
from dataclasses import replace

import torch

from scratchwork.solver.dataset import Shelf
from scratchwork.solver.reading import SPECIAL_PIECES, UNKNOWN_PIECE
from scratchwork.solver.studying import Losses, Study, StudySettings
from scratchwork.solver.symbols import LONGEST_PLAN
from tests.solver.samples import CPU, half_of_the_plans, made, tables, tiny_network

SETTINGS = StudySettings(tokens=768, rate=3e-3, warm_up=4, average=0.9, forgetting=0.1)


def shelf_of(count: int = 24, seed: int = 10) -> Shelf:
    return Shelf(*half_of_the_plans(tables(made(count, seed))), CPU)


def learn(steps: int, settings: StudySettings = SETTINGS, shelf: Shelf | None = None) -> Study:
    study = Study(tiny_network(), settings)
    pool = {"some": (shelf or shelf_of(), 1.0)}
    study.run(lambda _: pool, lambda step: step / steps)
    return study


def losses(study: Study, shelf: Shelf, rows: torch.Tensor) -> list[float]:
    study.model.eval()
    with torch.no_grad():
        return study.losses(shelf, rows, 48, 100).tolist()


def test_the_losses_fall() -> None:
    shelf = shelf_of()
    rows = torch.arange(len(shelf))
    before = losses(Study(tiny_network(), SETTINGS), shelf, rows)
    after = losses(learn(15, shelf=shelf), shelf, rows)
    assert after[0] < 0.8 * before[0]


def test_words_read_as_unknown_are_asked_for_and_nothing_else() -> None:
    study, shelf = Study(tiny_network(), SETTINGS), shelf_of()
    rows = torch.arange(len(shelf))
    read = shelf.read_plans(rows)
    before = read.pieces.clone()
    study.model.train()
    forgetful, places, words = study.forgetful(read)
    gone = forgetful.pieces != before
    assert 0.05 < float(gone.sum()) / float((before >= len(SPECIAL_PIECES)).sum()) < 0.15
    assert (forgetful.pieces[gone] == UNKNOWN_PIECE).all()
    assert (before[gone] >= len(SPECIAL_PIECES)).all()
    asked = places[words >= 0]
    assert set(asked.tolist()) == set(gone.flatten().nonzero().flatten().tolist())
    assert torch.equal(before.flatten()[asked], words[words >= 0])
    assert losses(study, shelf, rows)[1] == 0


def test_forgotten_words_are_learned_to_be_recalled() -> None:
    shelf = shelf_of()
    rows = torch.arange(len(shelf))

    def surprise(study: Study) -> float:
        study.model.train()
        with torch.no_grad():
            return float(study.losses(shelf, rows, 48, 100)[1])

    settings = replace(SETTINGS, recall_weight=1.0, reading_rate=1.0)
    assert surprise(learn(60, settings, shelf)) < 0.7 * surprise(Study(tiny_network(), settings))


def test_rationales_are_drawn_as_often_as_they_are_asked_for() -> None:
    shelf = shelf_of()
    shapes = list(shelf.buckets)
    assert any(plan > LONGEST_PLAN for _, plan in shapes)
    study = Study(tiny_network(), replace(SETTINGS, telling=0.0))
    for shape in shapes:
        assert (study.weight_of(shape, 3) == 0) == (shape[1] > LONGEST_PLAN)


def test_the_same_seed_teaches_the_same_weights() -> None:
    one, two = learn(3), learn(3)
    for a, b in zip(one.model.parameters(), two.model.parameters(), strict=True):
        assert torch.equal(a, b)
    other = learn(3, StudySettings(**{**SETTINGS.__dict__, "seed": 1}))
    assert not torch.equal(one.model.pieces.weight, other.model.pieces.weight)


def test_the_averaged_weights_follow_the_others_under_their_names() -> None:
    study = learn(3)
    averaged = study.averaged_weights()
    weights, start = study.model.state_dict(), tiny_network().state_dict()
    assert set(averaged) == set(weights)
    for name in ("pieces.weight", "choose_symbol.weight"):
        gone, behind = (weights[name] - start[name]).norm(), (averaged[name] - start[name]).norm()
        assert 0 < float(behind) < float(gone)


def test_only_problems_with_a_plan_count_for_the_choices() -> None:
    shelf = shelf_of()
    planned = (shelf.choices >= 0).any(1)
    study = Study(tiny_network(), SETTINGS)
    choices, _ = losses(study, shelf, planned.nonzero().flatten())
    assert choices > 0
    assert losses(study, shelf, (~planned).nonzero().flatten())[0] == 0


def test_the_rate_rises_over_the_warm_up_and_then_falls() -> None:
    rates: list[float] = []
    study = Study(tiny_network(), SETTINGS)

    def pools(done: float) -> Mapping[str, tuple[Shelf, float]]:
        rates.append(study.optimiser.param_groups[0]["lr"])
        return {"some": (shelf, 1.0)}

    shelf = shelf_of(6)
    study.run(pools, lambda step: step / 12)
    assert rates[:4] == sorted(rates[:4])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert max(rates) <= SETTINGS.rate
    assert rates[-1] < 0.2 * max(rates)


def test_pools_are_drawn_by_their_weights_and_losses_are_told() -> None:
    told: list[tuple[int, Losses]] = []
    study = Study(tiny_network(), SETTINGS)
    used, unused = shelf_of(6), shelf_of(6)
    unused.choices[:] = 9999  # It would be noticed.
    pools = {"used": (used, 1.0), "unused": (unused, 0.0)}
    study.run(lambda _: pools, lambda step: step / 6, lambda k, z: told.append((k, z)), every=3)
    assert [k for k, _ in told] == [3, 6]
    assert all(z.choices > 0 and z.words > 0 for _, z in told)
