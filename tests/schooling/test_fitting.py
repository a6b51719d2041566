from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from scratchwork.decoding.plan_beam import Found
from scratchwork.decoding.voting import VoteWeights, option_probabilities
from scratchwork.models.solver_files import load_solver
from scratchwork.schooling.course import find_all
from scratchwork.schooling.fitting import fit_votes
from scratchwork.schooling.shelves import Shelf

from .samples import CPU, HELD_OUT, made, tables

Known = tuple[Found, Tensor, Tensor]


@pytest.fixture(scope="module")
def known(tiny_solver: Path) -> Known:
    """Plans, likings and labels, of which some are not what the network thinks."""
    shelf = Shelf(*tables(made(40, HELD_OUT)), CPU)
    with torch.no_grad():
        found, options = find_all(load_solver(tiny_solver).model, shelf, 8)
    labels = shelf.labels.long()
    labels[::4] = (labels[::4] + 1) % 5
    return found, options, labels


def likelihood(known: Known, weights: VoteWeights) -> float:
    found, options, labels = known
    shares = option_probabilities(found, options, weights).gather(1, labels[:, None])
    return float(shares.log().mean())


def test_labels_are_more_probable_under_the_fitted_weights(known: Known) -> None:
    fitted = fit_votes(*known)
    assert likelihood(known, fitted) > likelihood(known, VoteWeights())


def test_the_best_option_is_about_as_probable_as_it_is_often_right(known: Known) -> None:
    found, options, labels = known
    shares = option_probabilities(found, options, fit_votes(*known))
    right = (shares.argmax(1) == labels).double().mean()
    assert float(shares.amax(1).mean()) == pytest.approx(float(right), abs=0.1)


def test_the_same_plans_give_the_same_weights(known: Known) -> None:
    assert fit_votes(*known) == fit_votes(*known)


def test_weights_are_positive_numbers_even_where_plans_and_options_are_missing(
    known: Known,
) -> None:
    found, options, labels = known
    logs, verdicts = found.log_probabilities.clone(), found.verdicts.clone()
    reached, options = found.reached.clone(), options.clone()
    logs[:, -2:], verdicts[:, -2:], reached[:, -2:] = -torch.inf, torch.nan, -1
    options[:5, 4] = -torch.inf
    fewer = replace(found, log_probabilities=logs, verdicts=verdicts, reached=reached)
    labels = torch.where(torch.arange(len(labels)) < 5, labels.clamp(max=3), labels)
    weights = fit_votes(fewer, options, labels)
    assert all(isinstance(weight, float) and weight > 0 for weight in weights)
    assert likelihood((fewer, options, labels), weights) > -5
