from dataclasses import replace
from pathlib import Path

import pytest
import torch

from scratchwork.solver.dataset import Shelf
from scratchwork.solver.experts import ExpertSettings, OwnPlans, find_for, find_own_plans
from scratchwork.solver.network import Transformer
from scratchwork.solver.saving import load_solver
from scratchwork.solver.symbols import FINISH, FIRST_NUMERAL, FIRST_RESULT
from tests.solver.samples import CPU, HELD_OUT, made, tables, tiny_network

COUNT = 14
SETTINGS = ExpertSettings(beam=12, at_once=5)


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf(*tables(made(COUNT, HELD_OUT)), CPU)


@pytest.fixture(scope="module")
def network(tiny_solver: Path) -> Transformer:
    return load_solver(tiny_solver).model


def own_plans(
    network: Transformer, shelf: Shelf, settings: ExpertSettings = SETTINGS, shift: int = 0
) -> OwnPlans:
    """Plans for all problems; a shift makes the labels wrong."""
    rows = torch.arange(len(shelf.labels))
    labels = (shelf.labels.long() + shift) % 5
    return find_own_plans(network, shelf, rows, labels, settings)


@pytest.fixture(scope="module")
def own(network: Transformer, shelf: Shelf) -> OwnPlans:
    return own_plans(network, shelf)


def test_what_is_imitated_reaches_the_label_with_two_numbers_of_the_question(
    own: OwnPlans, shelf: Shelf
) -> None:
    assert own.imitated.sum() >= COUNT / 2
    assert torch.equal(own.reached[own.imitated], shelf.labels[own.problems[own.imitated]].long())
    for choices in own.choices[own.imitated].tolist():
        assert len({c for c in choices if FIRST_NUMERAL <= c < FIRST_RESULT}) >= 2
        assert FINISH in choices


def test_verdicts_tell_whether_the_label_was_reached(own: OwnPlans, shelf: Shelf) -> None:
    right = own.reached == shelf.labels[own.problems].long()
    judged = own.verdicts >= 0
    assert torch.equal(own.verdicts[judged].bool(), right[judged])
    assert {0, 1} <= set(own.verdicts.tolist())
    assert (own.reached >= 0).all()
    assert (own.imitated | judged).all()


def test_of_each_problem_only_so_many_are_kept_each_once(own: OwnPlans) -> None:
    for problem in range(COUNT):
        mine = own.problems == problem
        assert own.imitated[mine].sum() <= SETTINGS.imitated
        for verdict in (0, 1):
            assert (own.verdicts[mine] == verdict).sum() <= SETTINGS.judged
        rows = own.choices[mine].tolist()
        assert len(set(map(tuple, rows))) == len(rows)


def test_an_option_with_little_of_the_probability_is_not_imitated(
    network: Transformer, shelf: Shelf, own: OwnPlans
) -> None:
    wrong = own_plans(network, shelf, shift=1)
    assert wrong.imitated.sum() < own.imitated.sum() / 4
    credulous = own_plans(network, shelf, replace(SETTINGS, fewest_share=0.0), shift=1)
    assert credulous.imitated.sum() >= wrong.imitated.sum()
    strict = own_plans(network, shelf, replace(SETTINGS, fewest_share=1.01))
    assert strict.imitated.sum() == 0
    demanding = own_plans(network, shelf, replace(SETTINGS, fewest_numbers=3))
    assert demanding.imitated.sum() == 0


def test_shares_count_the_problems_answered_and_solved(
    network: Transformer, shelf: Shelf, own: OwnPlans
) -> None:
    found = find_for(network, shelf, torch.arange(COUNT), SETTINGS.beam).found
    answered = (found.reached >= 0).any(1).double().mean()
    solved = (found.reached == shelf.labels.long()[:, None]).any(1).double().mean()
    assert own.answered == pytest.approx(float(answered))
    assert own.solved == pytest.approx(float(solved))
    assert own.solved > 0.9
    assert own_plans(tiny_network().eval(), shelf).solved < 0.5


def test_plans_do_not_depend_on_how_many_problems_are_done_at_once(
    network: Transformer, shelf: Shelf, own: OwnPlans
) -> None:
    together = own_plans(network, shelf, replace(SETTINGS, at_once=1000))
    best = [
        (plans.problems[plans.imitated], plans.choices[plans.imitated]) for plans in (own, together)
    ]
    assert torch.equal(best[0][0].unique(), best[1][0].unique())
    assert (together.answered, together.solved) == (own.answered, own.solved)
