from pathlib import Path

import pytest
import torch
from torch import Tensor

from scratchwork import ExecutionError, Problem
from scratchwork.explaining.terse import explain_plan
from scratchwork.plans.compiling import results_of
from scratchwork.solver.beam_search import FoundPlans, find_plans
from scratchwork.solver.collating import collate
from scratchwork.solver.network import Transformer
from scratchwork.solver.plan_state import decoder_inputs, plan_mask
from scratchwork.solver.reading import read_problem
from scratchwork.solver.saving import load_solver
from scratchwork.solver.symbols import (
    BEGIN,
    FINISH,
    FIRST_CONSTANT,
    FIRST_OPERATION,
    LONGEST_PLAN,
    MOST_STEPS,
    plan_from_choices,
)
from tests.solver.samples import CPU, HELD_OUT, made, pieces, tiny_network

BEAM = 24
PROBLEMS = [
    *(generated.problem for generated in made(6, HELD_OUT)),
    Problem("Without any number, how many?", ("one", "2")),
    Problem("7 and 0.5, and half of 1,200?", tuple(str(n) for n in range(1, 11))),
]


@pytest.fixture(scope="module", params=["random", "trained"])
def network(request: pytest.FixtureRequest, tiny_solver: Path) -> Transformer:
    return tiny_network(0).eval() if request.param == "random" else load_solver(tiny_solver).model


def find(network: Transformer, problems: list[Problem], beam: int = BEAM) -> FoundPlans:
    batch = collate([read_problem(problem, pieces()) for problem in problems], CPU)
    with torch.no_grad():
        encoded = network.encode(batch.read)
    return find_plans(network, encoded, batch.in_question, batch.option_values, beam)


@pytest.fixture(scope="module")
def found(network: Transformer) -> FoundPlans:
    return find(network, PROBLEMS)


def there(found: FoundPlans) -> Tensor:
    return torch.isfinite(found.log_probabilities)


def test_every_plan_has_a_beginning_an_end_and_nothing_after_it(found: FoundPlans) -> None:
    choices = found.choices[there(found)]
    lengths = (choices >= 0).sum(1)
    assert (choices[:, 0] == BEGIN).all()
    assert ((choices == FINISH).sum(1) == 1).all()
    assert (choices.gather(1, lengths[:, None] - 1) == FINISH).all()
    assert len(choices) > len(PROBLEMS)


def executed(choices: list[int], problem: Problem) -> tuple[float, str | None]:
    """What the machine computes in the last step of a plan, and the letter it finds."""
    reading = read_problem(problem, pieces())
    plan = plan_from_choices([choice for choice in choices if choice >= 0], reading)
    (*_, last) = results_of(plan.steps, problem)
    assert isinstance(last, float)
    try:
        return last, explain_plan(plan, problem).answer
    except ExecutionError:
        return last, None


def test_the_machine_executes_every_plan_to_the_same_result_and_option(found: FoundPlans) -> None:
    for k, problem in enumerate(PROBLEMS):
        for plan in there(found)[k].nonzero().flatten().tolist():
            result, letter = executed(found.choices[k, plan].tolist(), problem)
            assert result == pytest.approx(float(found.results[k, plan]), rel=1e-9)
            option = int(found.reached[k, plan])
            assert letter == (None if option < 0 else problem.letters[option])


def test_probabilities_are_those_of_the_whole_plan(network: Transformer, found: FoundPlans) -> None:
    """As with teacher forcing."""
    for k, problem in enumerate(PROBLEMS):
        rows = there(found)[k].nonzero().flatten()
        if not len(rows):
            continue
        batch = collate([read_problem(problem, pieces())] * len(rows), CPU)
        choices = found.choices[k, rows]
        inputs, missing = decoder_inputs(choices, batch.read.numeral_values)
        ends = choices == FINISH
        reached = found.reached[k, rows]
        with torch.no_grad():
            encoded = network.encode(batch.read)
            states = encoded.option_states[torch.arange(len(rows)), reached.clamp(min=0)]
            at_end = (ends & (reached >= 0)[:, None])[..., None]
            logits = network.decode(inputs, encoded, states[:, None] * at_end)
        in_question = batch.in_question[:, None].expand(-1, LONGEST_PLAN, -1)
        allowed = plan_mask(missing, inputs.result_counts, in_question)
        room = (inputs.result_counts < MOST_STEPS) & (
            LONGEST_PLAN - 1 - torch.arange(LONGEST_PLAN) >= 4
        )
        allowed[..., FIRST_OPERATION:FIRST_CONSTANT] &= room[..., None]
        logs = torch.log_softmax(logits.double().masked_fill(~allowed, -torch.inf), -1)
        following = choices[:, 1:].clamp(min=0)
        gained = logs[:, :-1].gather(2, following[..., None]).squeeze(2)
        total = torch.where(choices[:, 1:] >= 0, gained, 0.0).sum(1)
        torch.testing.assert_close(found.log_probabilities[k, rows], total, rtol=1e-4, atol=1e-4)


def test_plans_are_distinct_and_the_best_come_first(found: FoundPlans) -> None:
    for k in range(len(PROBLEMS)):
        logs, reached = found.log_probabilities[k].tolist(), found.reached[k].tolist()
        ranks = [(r >= 0, log) for r, log in zip(reached, logs, strict=True)]
        assert ranks == sorted(ranks, reverse=True)
        assert float(found.log_probabilities[k].exp().sum()) <= 1 + 1e-6
        plans = found.choices[k][there(found)[k]].tolist()
        assert len(set(map(tuple, plans))) == len(plans)


def test_empty_places_hold_no_plan(network: Transformer, found: FoundPlans) -> None:
    for some in (found, find(network, PROBLEMS[-2:], 200)):
        is_empty = ~there(some)
        assert some.results[is_empty].isnan().all()
        assert (some.reached[is_empty] == -1).all()
        assert (some.choices[is_empty] == -1).all()
        assert torch.isfinite(some.results[~is_empty]).all()


def test_what_is_found_does_not_depend_on_the_batch(
    network: Transformer, found: FoundPlans
) -> None:
    for k in (0, 4, len(PROBLEMS) - 1):
        alone = find(network, [PROBLEMS[k]])
        torch.testing.assert_close(
            alone.log_probabilities[0], found.log_probabilities[k], rtol=1e-4, atol=1e-4
        )
        assert torch.equal(alone.choices[0, 0], found.choices[k, 0])
        assert int(alone.reached[0, 0]) == int(found.reached[k, 0])


def test_the_same_plans_are_found_again(network: Transformer, found: FoundPlans) -> None:
    torch.manual_seed(77)
    again = find(network, PROBLEMS)
    assert torch.equal(again.choices, found.choices)
    assert torch.equal(again.log_probabilities, found.log_probabilities)


def test_a_narrow_beam_finds_no_more_than_it_may(network: Transformer) -> None:
    for beam in (1, 3):
        narrow = find(network, PROBLEMS, beam)
        assert narrow.choices.shape == (len(PROBLEMS), beam, LONGEST_PLAN)
