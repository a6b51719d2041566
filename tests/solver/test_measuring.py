from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch
from torch import Tensor

from scratchwork.solver.dataset import Dataset
from scratchwork.solver.measuring import (
    accuracies,
    find_all,
    fit_number_votes,
    fit_votes,
    plan_loss,
)
from scratchwork.solver.saving import load_solver
from scratchwork.solver.voting import (
    Ballot,
    VoteWeights,
    number_probabilities,
    option_probabilities,
)
from tests.solver.samples import (
    CPU,
    HELD_OUT,
    half_of_the_plans,
    made,
    tables,
    tiny_network,
    without_rationales,
)

Known = tuple[Ballot, Tensor]


def test_accuracies_are_shares_of_right_answers(tiny_solver: Path) -> None:
    dataset = Dataset(*tables(made(20, HELD_OUT)), CPU)
    ballot = find_all(load_solver(tiny_solver).model, dataset, 6)
    labels = dataset.labels.long()
    shares = accuracies(ballot, labels)
    best = [next((r for r in row if r >= 0), -1) for row in ballot.found.reached.tolist()]
    right = sum(a == b for a, b in zip(best, labels.tolist(), strict=True))
    assert shares["best plan"] == pytest.approx(right / len(labels), abs=1e-4)
    assert all(0 <= share <= 1 for share in shares.values())
    wrong = accuracies(ballot, (labels + 1) % 5)
    assert wrong["right by probability"] <= 1 - shares["right by probability"] + 1e-9
    assert wrong["answered"] == shares["answered"]


def test_the_loss_on_plans_is_that_of_their_choices(tiny_solver: Path) -> None:
    trained, known = load_solver(tiny_solver).model, tables(made(12, HELD_OUT))
    loss = plan_loss(trained, Dataset(*known, CPU))
    assert 0 < loss < 0.3 * plan_loss(tiny_network().eval(), Dataset(*known, CPU))
    # Rationales and problems without a plan do not count.
    assert plan_loss(trained, Dataset(*without_rationales(known), CPU)) == pytest.approx(loss)
    problems, plans = half_of_the_plans(known)
    none = replace(plans, problems=plans.problems[:0], choices=plans.choices[:0])
    assert plan_loss(trained, Dataset(problems, replace(none, reached=plans.reached[:0]), CPU)) == 0


@pytest.fixture(scope="module")
def known(tiny_solver: Path) -> Known:
    """Plans and labels, of which some are not what the network thinks."""
    dataset = Dataset(*tables(made(40, HELD_OUT)), CPU)
    ballot = find_all(load_solver(tiny_solver).model, dataset, 8)
    labels = dataset.labels.long()
    labels[::4] = (labels[::4] + 1) % 5
    return ballot, labels


def likelihood(known: Known, weights: VoteWeights) -> float:
    ballot, labels = known
    shares = option_probabilities(ballot, weights).gather(1, labels[:, None])
    return float(shares.log().mean())


def test_labels_are_more_probable_under_the_fitted_weights(known: Known) -> None:
    fitted = fit_votes(*known)
    assert likelihood(known, fitted) > likelihood(known, VoteWeights())


def test_the_best_option_is_about_as_probable_as_it_is_often_right(known: Known) -> None:
    ballot, labels = known
    shares = option_probabilities(ballot, fit_votes(*known))
    right = (shares.argmax(1) == labels).double().mean()
    assert float(shares.amax(1).mean()) == pytest.approx(float(right), abs=0.1)


def test_the_weights_that_numbers_were_right_by_are_found_again() -> None:
    draw = Random(1)
    true = VoteWeights(number_sharpness=1.6, number_floor=0.1)
    found = [{float(k): draw.random() ** 2 for k in range(4)} for _ in range(3000)]
    right: list[float | None] = []
    for some in found:
        shares = number_probabilities(some, true)
        rest = 1 - sum(shares.values())
        right += draw.choices([*shares, None], [*shares.values(), rest])
    weights = fit_number_votes(found, right, VoteWeights())
    assert weights.number_sharpness == pytest.approx(1.6, rel=0.15)
    assert weights.number_floor == pytest.approx(0.1, rel=0.3)
    assert weights._replace(number_sharpness=1.6, number_floor=0.1) == true


def test_the_same_plans_give_the_same_weights(known: Known) -> None:
    assert fit_votes(*known) == fit_votes(*known)


def test_weights_are_positive_numbers_even_where_plans_and_options_are_missing(
    known: Known,
) -> None:
    ballot, labels = known
    found = ballot.found
    logs, reached = found.log_probabilities.clone(), found.reached.clone()
    logs[:, -2:], reached[:, -2:] = -torch.inf, -1
    is_option = ballot.is_option.clone()
    is_option[:5, 4] = False
    some = replace(found, log_probabilities=logs, reached=reached)
    reached[:5] = torch.where(reached[:5] == 4, -1, reached[:5])
    fewer = ballot._replace(found=some, is_option=is_option)
    labels = torch.where(torch.arange(len(labels)) < 5, labels.clamp(max=3), labels)
    weights = fit_votes(fewer, labels)
    assert all(isinstance(weight, float) and weight > 0 for weight in weights)
    assert likelihood((fewer, labels), weights) > -5
