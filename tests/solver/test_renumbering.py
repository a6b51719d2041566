import pytest
import torch
from torch import Tensor

from scratchwork import Problem
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.plans.plan import Given, Plan, PlanStep, Result
from scratchwork.solver.dataset import Dataset
from scratchwork.solver.examples import generated_example
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.reading import NUMBER_PIECE, read_problem
from scratchwork.solver.renumbering import renumber
from scratchwork.solver.symbols import FINISH, plan_to_choices
from scratchwork.solver.tables import Example, tables_of
from tests.solver.samples import CPU, half_of_the_plans, made, pieces, tables, without_rationales


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def all_kinds() -> Dataset:
    """Examples of very different families."""
    some = (generated_example(g, pieces()) for g in generate(load_families(), 150, seed=51))
    return Dataset(*tables_of(example for example in some if example and example.plans), CPU)


@pytest.fixture(scope="module")
def datasets() -> tuple[Dataset, Dataset]:
    """A dataset as it was, and with new numbers."""
    renumbered = all_kinds()
    share = renumber(renumbered, 1.0, generator())
    assert 0.15 < share < 1
    return all_kinds(), renumbered


def changed(before: Dataset, after: Dataset) -> Tensor:
    """The plans that have other numbers."""
    return (before.row_values.nan_to_num(0) != after.row_values.nan_to_num(0)).any(1)


def is_whole(values: Tensor) -> Tensor:
    return (values - values.round()).abs() < 1e-9


def last_results(dataset: Dataset) -> Tensor:
    finish = (dataset.choices == FINISH).long().argmax(1, keepdim=True)
    return dataset.input_results.gather(1, finish - 1).squeeze(1)


def right_numerals(dataset: Dataset) -> Tensor:
    """The numeral of each plan's right option, if that is its only one."""
    owners = dataset.owners
    pieces = dataset.numeral_pieces[owners].long()
    segment = dataset.segments[owners].gather(1, pieces.clamp(min=0)).masked_fill(pieces < 0, -1)
    inside = segment == dataset.labels[owners][:, None] + 1
    value = torch.where(inside, dataset.row_values, 0.0).sum(1)
    return torch.where(inside.sum(1) == 1, value, torch.nan)


def test_the_plans_steps_are_those_of_the_new_numbers(datasets: tuple[Dataset, Dataset]) -> None:
    _, after = datasets
    told, _ = decoder_inputs(after.choices, after.row_values)
    torch.testing.assert_close(after.input_results, told.results, equal_nan=True)
    torch.testing.assert_close(after.input_values, told.values, equal_nan=True)


def test_the_new_result_is_in_the_place_of_the_right_option(
    datasets: tuple[Dataset, Dataset],
) -> None:
    before, after = datasets
    rows = changed(before, after)
    result, numeral = last_results(after)[rows], right_numerals(after)[rows]
    assert torch.isfinite(numeral).all()
    # As precisely as the option was written.
    decimals = [len(f"{old:.3f}".rstrip("0").partition(".")[2]) for old in right_numerals(before)]
    unit = 10.0 ** -torch.tensor(decimals, dtype=torch.float64)[rows]
    assert ((result - numeral).abs() <= 0.5001 * unit).all()
    assert is_whole(numeral / unit).all()
    assert (unit == 1).sum() > 10
    assert (unit < 1).any()


def test_the_right_option_is_no_other_option(datasets: tuple[Dataset, Dataset]) -> None:
    before, after = datasets
    rows = changed(before, after)
    owners = after.owners[rows]
    pieces_at = after.numeral_pieces[owners].long()
    segment = after.segments[owners].gather(1, pieces_at.clamp(min=0)).long()
    right = after.labels[owners][:, None] + 1
    wrong = (pieces_at >= 0) & (segment > 0) & (segment != right)
    same = (after.row_values[rows] - right_numerals(after)[rows][:, None]).abs() < 1e-9
    assert not (wrong & same).any()


def test_results_stay_as_whole_as_positive_and_as_small_as_they_were(
    datasets: tuple[Dataset, Dataset],
) -> None:
    before, after = datasets
    old, new = before.input_results, after.input_results
    assert torch.equal(old.isfinite(), new.isfinite())
    there = old.isfinite()
    old, new = old[there], new[there]
    assert (is_whole(new) | ~is_whole(old)).all()
    assert torch.equal(old > 0, new > 0)
    assert torch.equal(old <= 1, new <= 1)


def test_numbers_are_written_as_they_were(datasets: tuple[Dataset, Dataset]) -> None:
    before, after = datasets
    in_question = before.in_question[before.owners]
    old, new = before.row_values[in_question], after.row_values[in_question]
    assert (is_whole(new) | ~is_whole(old)).all()
    assert (new > 0)[old > 0].all()
    small = (old <= 12) & is_whole(old)
    assert (new[small] <= 15).all()
    assert (new[old <= 100] <= 100).all()
    assert (new[old < 1] < 1).all()
    assert (old != new).sum() > 50


def test_the_problems_themselves_are_not_touched(datasets: tuple[Dataset, Dataset]) -> None:
    before, after = datasets
    for name in ("numeral_values", "option_values", "choices", "labels", "pieces"):
        assert torch.equal(
            getattr(before, name).nan_to_num(0), getattr(after, name).nan_to_num(0)
        ), name


def test_numbers_in_words_are_never_changed(datasets: tuple[Dataset, Dataset]) -> None:
    before, after = datasets
    at = before.numeral_pieces[before.owners].long()
    in_words = (at >= 0) & (before.pieces[before.owners].gather(1, at.clamp(min=0)) != NUMBER_PIECE)
    in_words &= before.in_question[before.owners]
    assert in_words.any()
    assert torch.equal(before.row_values[in_words], after.row_values[in_words])
    question = "Each of 14 men has twenty-five coins. How many coins do they have?"
    problem = Problem(question, ("350", "39", "11", "340", "360"))
    reading = read_problem(problem, pieces())
    times = Plan((PlanStep("Multiply", (Given(3), Given(6))),), Result(0))
    example = Example(reading, "A", [plan_to_choices(times, reading)])
    dataset = Dataset(*without_rationales(tables_of([example])), CPU)
    assert renumber(dataset, 1.0, generator()) == 1
    men, coins, right = dataset.row_values[0, :3].tolist()
    assert (coins, right) == (25, men * 25)
    assert men != 14


@pytest.mark.parametrize("options", [(), ("350", "39", "11"), ("350", "39 or 40", "11")])
def test_a_problem_may_have_any_number_of_options_that_are_one_number_each(
    options: tuple[str, ...],
) -> None:
    question = "Each of 14 men has 25 coins. How many coins do they have?"
    reading = read_problem(Problem(question, options), pieces())
    times = Plan((PlanStep("Multiply", (Given(3), Given(6))),), Result(0))
    label = "A" if options else None
    example = Example(reading, label, [plan_to_choices(times, reading)])
    dataset = Dataset(*without_rationales(tables_of([example])), CPU)
    assert renumber(dataset, 1.0, generator()) == ("39 or 40" not in options)
    men, coins, *others = dataset.row_values[0, : 2 + len(options)].tolist()
    if "39 or 40" in options:
        assert (men, coins) == (14, 25)
    else:
        assert (men, coins) != (14, 25)
        assert others[:1] == [men * coins][: len(options)]


def test_plans_that_do_not_reach_the_label_keep_their_numbers() -> None:
    problems, plans = half_of_the_plans(without_rationales(tables(made(20, seed=7))))
    plans.reached[0] = (problems.labels[plans.problems[0]] + 1) % 5
    dataset = Dataset(problems, plans, CPU)
    before = dataset.row_values.clone()
    assert renumber(dataset, 1.0, generator()) > 0
    other = (dataset.row_values.nan_to_num(0) != before.nan_to_num(0)).any(1)
    assert not other[0]
    assert not other[len(plans) :].any()
    assert other[1 : len(plans)].any()


def test_no_more_than_the_share_get_new_numbers_and_others_have_the_old_ones() -> None:
    dataset = Dataset(*without_rationales(tables(made(30, seed=7))), CPU)
    before = dataset.row_values.clone()
    assert renumber(dataset, 0.0, generator()) == 0
    assert torch.equal(dataset.row_values.nan_to_num(0), before.nan_to_num(0))
    some, all_of_them = (renumber(dataset, share, generator(1)) for share in (0.3, 1.0))
    assert 0 < some < 0.6 * all_of_them
    renumber(dataset, 0.0, generator())
    assert torch.equal(dataset.row_values.nan_to_num(0), before.nan_to_num(0))
    told, _ = decoder_inputs(dataset.choices, before)
    assert torch.equal(dataset.input_results.nan_to_num(0), told.results.nan_to_num(0))


def test_the_same_generator_draws_the_same_numbers() -> None:
    values: list[Tensor] = []
    for seed in (3, 3, 4):
        dataset = Dataset(*without_rationales(tables(made(20, seed=7))), CPU)
        renumber(dataset, 1.0, generator(seed))
        values.append(dataset.row_values.nan_to_num(0))
    assert torch.equal(values[0], values[1])
    assert not torch.equal(values[0], values[2])
