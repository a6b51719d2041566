import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from scratchwork import EXTENDED, tokenise
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.operations import OperationError
from scratchwork.plans.plan import Argument, Given, Plan, PlanConstant, PlanStep, Result
from scratchwork.solver.collating import collate
from scratchwork.solver.network import DecoderInput
from scratchwork.solver.plan_state import PlanState, decoder_inputs, plan_mask
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces, read_problem
from scratchwork.solver.symbols import (
    BEGIN,
    END,
    FINISH,
    FIRST_CONSTANT,
    FIRST_NUMERAL,
    FIRST_OPERATION,
    FIRST_PIECE,
    FIRST_RESULT,
    LONGEST_PLAN,
    SOLVER_OPERATIONS,
    plan_to_choices,
)
from tests.plans.random_plans import PLACES, PROBLEM, random_plans

NAN = math.nan
READING = read_problem(PROBLEM, Pieces(SPECIAL_PIECES))
BATCH = collate([READING], torch.device("cpu"))
VALUES = numbers_in(tokenise(PROBLEM.question))


def by_machine(plan: Plan) -> list[float]:
    """What each step computes; NaN from the first that cannot be computed."""
    results: list[float] = []

    def value(argument: Argument) -> float:
        if isinstance(argument, Result):
            return results[argument.step]
        if isinstance(argument, PlanConstant):
            return CONSTANT_VALUES[argument.numeral]
        assert isinstance(argument, Given)
        return VALUES[argument.place - 1]

    for step in plan.steps:
        arguments = [value(argument) for argument in step.arguments]
        try:
            if any(map(math.isnan, arguments)):
                raise OperationError("domain", "nothing to compute with")
            computed = EXTENDED[step.operation].function(*arguments)
            assert isinstance(computed, float)
            results.append(computed)
        except OperationError:
            break
    return results + [math.nan] * (len(plan.steps) - len(results))


def inputs_of(rows: list[list[int]]) -> tuple[DecoderInput, Tensor]:
    length = max(map(len, rows))
    padded = torch.tensor([[*row, *[-1] * (length - len(row))] for row in rows])
    return decoder_inputs(padded, BATCH.read.numeral_values.expand(len(rows), -1))


several = st.lists(random_plans(operations=SOLVER_OPERATIONS), min_size=1, max_size=12)


@settings(max_examples=12)
@given(several)
def test_each_step_has_the_machines_result(plans: list[Plan]) -> None:
    rows = [plan_to_choices(plan, READING) for plan in plans]
    whole, missing = inputs_of(rows)
    for plan, row, columns, waits in zip(
        plans, rows, zip(*whole, strict=True), missing, strict=True
    ):
        _, _, results, counts = columns
        ends = [k for k, choice in enumerate(row) if choice >= FIRST_CONSTANT and not waits[k]]
        wanted = by_machine(plan)
        known = next((k for k, value in enumerate(wanted) if math.isnan(value)), len(wanted))
        found = results[ends].tolist()
        assert found[: known + 1] == pytest.approx(wanted[: known + 1], rel=1e-9, nan_ok=True)
        assert counts[ends].tolist() == list(range(1, len(plan.steps) + 1))
        assert set(results.isfinite().nonzero().flatten().tolist()) <= set(ends)


@settings(max_examples=12)
@given(several)
def test_each_choice_of_a_number_has_its_value(plans: list[Plan]) -> None:
    rows = [plan_to_choices(plan, READING) for plan in plans]
    inputs, _ = inputs_of(rows)
    for row, values in zip(rows, inputs.values.tolist(), strict=True):
        for choice, value in zip(row, values, strict=False):
            if choice < FIRST_CONSTANT:
                assert math.isnan(value)
            elif choice < FIRST_NUMERAL:
                assert value in CONSTANT_VALUES.values()
            elif choice < FIRST_RESULT:
                assert value == READING.numerals[choice - FIRST_NUMERAL].value


@settings(max_examples=12)
@given(several)
def test_the_grammar_allows_every_choice_of_a_plan_and_no_choice_of_another_kind(
    plans: list[Plan],
) -> None:
    rows = [plan_to_choices(plan, READING) for plan in plans]
    inputs, missing = inputs_of(rows)
    in_question = BATCH.in_question[:, None].expand(*missing.shape, -1)
    allowed = plan_mask(missing, inputs.result_counts, in_question)
    for k, row in enumerate(rows):
        for place, following in enumerate(row[1:]):
            kinds = allowed[k, place].nonzero().flatten().tolist()
            assert following in kinds
            is_argument = following >= FIRST_CONSTANT
            assert all((kind >= FIRST_CONSTANT) == is_argument for kind in kinds)
            assert BEGIN not in kinds
            assert (FINISH in kinds) == (not is_argument and place > 0)
            results = [kind - FIRST_RESULT for kind in kinds if kind >= FIRST_RESULT]
            assert results == list(range(int(inputs.result_counts[k, place]) if is_argument else 0))


def test_numbers_of_the_options_are_no_arguments() -> None:
    waiting, count = torch.tensor([1]), torch.tensor([0])
    allowed = plan_mask(waiting, count, BATCH.in_question)[0, FIRST_NUMERAL:FIRST_RESULT]
    pointed = [READING.numerals[k].place for k in allowed.nonzero().flatten().tolist()]
    assert pointed == [place + 1 for place in VALUES]
    assert len(READING.numerals) > len(pointed)


def test_padding_and_other_rows_change_nothing() -> None:
    steps = (PlanStep("Add", (Given(2), Given(5))), PlanStep("Sqrt", (Given(2),)))
    rows = [plan_to_choices(Plan((step,), Result(0)), READING) for step in steps]
    whole, missing = inputs_of([*rows, [BEGIN] * LONGEST_PLAN])
    for k, row in enumerate(rows):
        alone, missing_alone = inputs_of([row])
        for column, own in zip(whole, alone, strict=True):
            torch.testing.assert_close(column[k, : len(row)], own[0], equal_nan=True)
        assert torch.equal(missing[k, : len(row)], missing_alone[0])
        assert not whole.results[k, len(row) :].isfinite().any()


def test_in_a_rationale_numbers_have_values_and_nothing_is_computed() -> None:
    plan = plan_to_choices(Plan((PlanStep("Sqrt", (Given(PLACES[-1]),)),), Result(0)), READING)
    words = [FIRST_PIECE + 3, FIRST_NUMERAL, FIRST_PIECE, FIRST_RESULT, FIRST_NUMERAL + 1, END]
    inputs, missing = inputs_of([[*plan, *words]])
    values = inputs.values[0, len(plan) :].tolist()
    assert values == pytest.approx([NAN, 1200, NAN, 10, 0.75, NAN], nan_ok=True)
    assert not inputs.results[0, len(plan) :].isfinite().any()
    assert not missing[0, len(plan) :].any()
    assert set(inputs.result_counts[0, len(plan) :].tolist()) == {1}


def test_selected_rows_go_on_as_they_would_have() -> None:
    sums = torch.tensor(
        [[BEGIN, FIRST_OPERATION, FIRST_NUMERAL, FIRST_NUMERAL + k] for k in (1, 3)]
    )
    state = PlanState(BATCH.read.numeral_values.expand(2, -1))
    for place in range(3):
        state.take(sums[:, place])
    picked = state.select(torch.tensor([1, 0, 1]))
    _, whole = state.take(sums[:, 3])
    _, some = picked.take(sums[[1, 0, 1], 3])
    assert torch.equal(some, whole[[1, 0, 1]])
    assert whole.tolist() == [1200.75, 1225.0]
