from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from scratchwork.solver.course import find_all
from scratchwork.solver.dataset import Shelf
from scratchwork.solver.saving import load_solver
from scratchwork.solver.vote_fitting import fit_votes
from scratchwork.solver.voting import Ballot, VoteWeights, option_probabilities
from tests.solver.samples import CPU, HELD_OUT, made, tables

Known = tuple[Ballot, Tensor]


@pytest.fixture(scope="module")
def known(tiny_solver: Path) -> Known:
    """Plans and labels, of which some are not what the network thinks."""
    shelf = Shelf(*tables(made(40, HELD_OUT)), CPU)
    with torch.no_grad():
        ballot = find_all(load_solver(tiny_solver).model, shelf, 8)
    labels = shelf.labels.long()
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


def test_the_same_plans_give_the_same_weights(known: Known) -> None:
    assert fit_votes(*known) == fit_votes(*known)


def test_weights_are_positive_numbers_even_where_plans_and_options_are_missing(
    known: Known,
) -> None:
    ballot, labels = known
    found = ballot.found
    logs, reached = found.log_probabilities.clone(), found.reached.clone()
    near = ballot.near.clone()
    logs[:, -2:], reached[:, -2:] = -torch.inf, -1
    near[:5, 4] = -torch.inf
    some = replace(found, log_probabilities=logs, reached=reached)
    fewer = Ballot(some, ballot.unused, near)
    labels = torch.where(torch.arange(len(labels)) < 5, labels.clamp(max=3), labels)
    weights = fit_votes(fewer, labels)
    assert all(isinstance(weight, float) and weight > 0 for weight in weights)
    assert likelihood((fewer, labels), weights) > -5
