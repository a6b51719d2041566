from dataclasses import replace

import pytest
import torch
from torch import Tensor

from scratchwork import Problem
from scratchwork.plans.plan import Given, Plan, PlanConstant, PlanStep, Result
from scratchwork.solver.collating import Collated, collate
from scratchwork.solver.network import DecoderInput, EncodedProblems, SolverConfig, Transformer
from scratchwork.solver.plan_state import decoder_inputs, plan_mask
from scratchwork.solver.reading import read_problem
from scratchwork.solver.symbols import FIRST_CONSTANT, plan_to_choices
from tests.solver.samples import CPU, pieces

ORDER = [3, 0, 4, 2, 1]


def assert_near(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def differ(a: Tensor, b: Tensor) -> bool:
    return not torch.allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.fixture(scope="module")
def network() -> Transformer:
    torch.manual_seed(3)
    return Transformer(SolverConfig(len(pieces()), 32, 4, 2, 2)).eval()


def shop(a: int, b: int, c: int, d: int) -> tuple[Problem, Plan]:
    """A problem of three steps."""
    question = f"He buys {a} cakes at {b} coins each and {c} slices at {d}. How many coins is it?"
    total = a * b + c * d
    options = (str(total), str(total + 1), str(a * b), f"{c * d} coins", "none of these")
    steps = (
        PlanStep("Multiply", (Given(3), Given(6))),
        PlanStep("Multiply", (Given(10), Given(13))),
        PlanStep("Add", (Result(0), Result(1))),
    )
    return Problem(question, options), Plan(steps, Result(2))


def walk(a: int) -> tuple[Problem, Plan]:
    """A problem of one step."""
    options = (f"{a / 2} km", f"{a} km", f"{a * 2} km", "7 km", "0.5 km")
    plan = Plan((PlanStep("Divide", (Given(2), PlanConstant("2"))),), Result(0))
    return Problem(f"Walk {a} km for hours. How far is half of it?", options), plan


PAIRS = [shop(2, 14, 5, 9), walk(26), shop(7, 7, 3, 100), walk(1200)]
PLANS = {problem.question: plan for problem, plan in PAIRS}
PROBLEMS = [problem for problem, _ in PAIRS]


def read(problems: list[Problem]) -> Collated:
    return collate([read_problem(problem, pieces()) for problem in problems], CPU)


def encode(network: Transformer, problems: list[Problem]) -> EncodedProblems:
    with torch.no_grad():
        return network.encode(read(problems).read)


def inputs_of(problems: list[Problem], length: int = 11) -> tuple[DecoderInput, Tensor]:
    rows = torch.full((len(problems), length), -1)
    for k, problem in enumerate(problems):
        choices = plan_to_choices(PLANS[problem.question], read_problem(problem, pieces()))
        rows[k, : len(choices)] = torch.tensor(choices)
    return decoder_inputs(rows, read(problems).read.numeral_values)


def masked_logits(network: Transformer, problems: list[Problem], inputs: DecoderInput) -> Tensor:
    """The logits at each place; zero for choices that are not allowed."""
    encoded = encode(network, problems)
    none = torch.zeros(*inputs.choices.shape, encoded.states.shape[-1])
    _, missing = inputs_of(problems, inputs.choices.shape[1])
    in_question = read(problems).in_question[:, None].expand(-1, missing.shape[1], -1)
    allowed = plan_mask(missing, inputs.result_counts, in_question)
    with torch.no_grad():
        found = network.decode(inputs, encoded, none)
    return found.masked_fill(~allowed, 0.0)


def permuted(problem: Problem) -> Problem:
    return replace(problem, options=tuple(problem.options[k] for k in ORDER), correct=None)


def test_the_order_of_the_options_does_not_matter(network: Transformer) -> None:
    before, after = (encode(network, some) for some in (PROBLEMS, list(map(permuted, PROBLEMS))))
    assert_near(after.option_states, before.option_states[:, ORDER])
    assert differ(before.option_states, before.option_states[:, ORDER])
    inputs, _ = inputs_of(PROBLEMS)
    assert_near(
        masked_logits(network, list(map(permuted, PROBLEMS)), inputs),
        masked_logits(network, PROBLEMS, inputs),
    )


def test_options_count(network: Transformer) -> None:
    inputs, _ = inputs_of(PROBLEMS)
    others = [replace(p, options=("11", "22", "33", "44", "55")) for p in PROBLEMS]
    before, after = (masked_logits(network, some, inputs) for some in (PROBLEMS, others))
    assert differ(before, after)


def test_a_later_place_never_changes_an_earlier_one(network: Transformer) -> None:
    inputs, _ = inputs_of(PROBLEMS)
    before = masked_logits(network, PROBLEMS, inputs)
    for place in range(1, inputs.choices.shape[1]):
        changed = DecoderInput(
            inputs.choices.clone(),
            inputs.values.clone(),
            inputs.results.clone(),
            inputs.result_counts,
        )
        changed.choices[:, place] = FIRST_CONSTANT + 3
        changed.values[:, place] = 17.0
        after = masked_logits(network, PROBLEMS, changed)
        assert_near(after[:, :place], before[:, :place])
        assert differ(after[:, place], before[:, place])


def test_the_number_that_a_step_computed_counts_from_then_on(network: Transformer) -> None:
    inputs, _ = inputs_of(PROBLEMS)
    place = int(inputs.results.isfinite().nonzero()[0, 1])
    changed = inputs._replace(results=inputs.results * 3)
    before, after = (masked_logits(network, PROBLEMS, some) for some in (inputs, changed))
    assert_near(after[:, :place], before[:, :place])
    assert differ(after[:, place], before[:, place])


def test_padding_does_not_change_anything(network: Transformer) -> None:
    long = Problem("How many slices are there? " * 15, tuple(map(str, range(10))))
    together = encode(network, [*PROBLEMS, long])
    for k, problem in enumerate(PROBLEMS):
        alone = encode(network, [problem])
        assert_near(together.option_states[k, :5], alone.option_states[0, :5])
        length = alone.states.shape[1]
        assert_near(together.states[k, :length], alone.states[0])
        short, longer = (
            masked_logits(network, [problem], inputs_of([problem], n)[0]) for n in (11, 20)
        )
        assert_near(longer[:, :11], short)


def test_plans_in_a_batch_are_decoded_as_each_by_itself(network: Transformer) -> None:
    together = masked_logits(network, PROBLEMS, inputs_of(PROBLEMS)[0])
    for k, problem in enumerate(PROBLEMS):
        alone = masked_logits(network, [problem], inputs_of([problem])[0])
        assert_near(together[k : k + 1], alone)
