import pytest
import torch
from torch import Tensor

from scratchwork import Problem
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.plans.plan import Given, Plan, PlanStep, Result
from scratchwork.solver.dataset import Shelf
from scratchwork.solver.examples import generated_lesson
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.reading import NUMBER_PIECE, read_problem
from scratchwork.solver.renumbering import renumber
from scratchwork.solver.symbols import FINISH, plan_to_choices
from scratchwork.solver.tables import Lesson, tables_of
from tests.solver.samples import CPU, half_of_the_plans, made, pieces, tables, without_rationales


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def all_kinds() -> Shelf:
    """Lessons of very different families."""
    some = (generated_lesson(g, pieces()) for g in generate(load_families(), 150, seed=51))
    return Shelf(*tables_of(lesson for lesson in some if lesson and lesson.plans), CPU)


@pytest.fixture(scope="module")
def shelves() -> tuple[Shelf, Shelf]:
    """A shelf as it was, and with new numbers."""
    renumbered = all_kinds()
    share = renumber(renumbered, 1.0, generator())
    assert 0.15 < share < 1
    return all_kinds(), renumbered


def changed(before: Shelf, after: Shelf) -> Tensor:
    """The plans that have other numbers."""
    return (before.row_values.nan_to_num(0) != after.row_values.nan_to_num(0)).any(1)


def is_whole(values: Tensor) -> Tensor:
    return (values - values.round()).abs() < 1e-9


def last_results(shelf: Shelf) -> Tensor:
    finish = (shelf.choices == FINISH).long().argmax(1, keepdim=True)
    return shelf.told_results.gather(1, finish - 1).squeeze(1)


def right_numerals(shelf: Shelf) -> Tensor:
    """The numeral of each plan's right option, if that is its only one."""
    owners = shelf.owners
    pieces = shelf.numeral_pieces[owners].long()
    segment = shelf.segments[owners].gather(1, pieces.clamp(min=0)).masked_fill(pieces < 0, -1)
    inside = segment == shelf.labels[owners][:, None] + 1
    value = torch.where(inside, shelf.row_values, 0.0).sum(1)
    return torch.where(inside.sum(1) == 1, value, torch.nan)


def test_the_plans_steps_are_those_of_the_new_numbers(shelves: tuple[Shelf, Shelf]) -> None:
    _, after = shelves
    told, _ = decoder_inputs(after.choices, after.row_values)
    torch.testing.assert_close(after.told_results, told.results, equal_nan=True)
    torch.testing.assert_close(after.told_values, told.values, equal_nan=True)


def test_the_new_result_is_in_the_place_of_the_right_option(shelves: tuple[Shelf, Shelf]) -> None:
    before, after = shelves
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


def test_the_right_option_is_no_other_option(shelves: tuple[Shelf, Shelf]) -> None:
    before, after = shelves
    rows = changed(before, after)
    owners = after.owners[rows]
    pieces_at = after.numeral_pieces[owners].long()
    segment = after.segments[owners].gather(1, pieces_at.clamp(min=0)).long()
    right = after.labels[owners][:, None] + 1
    wrong = (pieces_at >= 0) & (segment > 0) & (segment != right)
    same = (after.row_values[rows] - right_numerals(after)[rows][:, None]).abs() < 1e-9
    assert not (wrong & same).any()


def test_results_stay_as_whole_as_positive_and_as_small_as_they_were(
    shelves: tuple[Shelf, Shelf],
) -> None:
    before, after = shelves
    old, new = before.told_results, after.told_results
    assert torch.equal(old.isfinite(), new.isfinite())
    there = old.isfinite()
    old, new = old[there], new[there]
    assert (is_whole(new) | ~is_whole(old)).all()
    assert torch.equal(old > 0, new > 0)
    assert torch.equal(old <= 1, new <= 1)


def test_numbers_are_written_as_they_were(shelves: tuple[Shelf, Shelf]) -> None:
    before, after = shelves
    in_question = before.in_question[before.owners]
    old, new = before.row_values[in_question], after.row_values[in_question]
    assert (is_whole(new) | ~is_whole(old)).all()
    assert (new > 0)[old > 0].all()
    small = (old <= 12) & is_whole(old)
    assert (new[small] <= 15).all()
    assert (new[old <= 100] <= 100).all()
    assert (new[old < 1] < 1).all()
    assert (old != new).sum() > 50


def test_the_problems_themselves_are_not_touched(shelves: tuple[Shelf, Shelf]) -> None:
    before, after = shelves
    for name in ("numeral_values", "option_values", "choices", "labels", "pieces"):
        assert torch.equal(
            getattr(before, name).nan_to_num(0), getattr(after, name).nan_to_num(0)
        ), name


def test_numbers_in_words_are_never_changed(shelves: tuple[Shelf, Shelf]) -> None:
    before, after = shelves
    at = before.numeral_pieces[before.owners].long()
    in_words = (at >= 0) & (before.pieces[before.owners].gather(1, at.clamp(min=0)) != NUMBER_PIECE)
    in_words &= before.in_question[before.owners]
    assert in_words.any()
    assert torch.equal(before.row_values[in_words], after.row_values[in_words])
    question = "Each of 14 men has twenty-five coins. How many coins do they have?"
    problem = Problem(question, ("350", "39", "11", "340", "360"))
    reading = read_problem(problem, pieces())
    times = Plan((PlanStep("Multiply", (Given(3), Given(6))),), Result(0))
    lesson = Lesson(reading, "A", [plan_to_choices(times, reading)])
    shelf = Shelf(*without_rationales(tables_of([lesson])), CPU)
    assert renumber(shelf, 1.0, generator()) == 1
    men, coins, right = shelf.row_values[0, :3].tolist()
    assert (coins, right) == (25, men * 25)
    assert men != 14


def test_plans_that_do_not_reach_the_label_keep_their_numbers() -> None:
    problems, plans = half_of_the_plans(without_rationales(tables(made(20, seed=7))))
    plans.reached[0] = (problems.labels[plans.problems[0]] + 1) % 5
    shelf = Shelf(problems, plans, CPU)
    before = shelf.row_values.clone()
    assert renumber(shelf, 1.0, generator()) > 0
    other = (shelf.row_values.nan_to_num(0) != before.nan_to_num(0)).any(1)
    assert not other[0]
    assert not other[len(plans) :].any()
    assert other[1 : len(plans)].any()


def test_no_more_than_the_share_get_new_numbers_and_others_have_the_old_ones() -> None:
    shelf = Shelf(*without_rationales(tables(made(30, seed=7))), CPU)
    before = shelf.row_values.clone()
    assert renumber(shelf, 0.0, generator()) == 0
    assert torch.equal(shelf.row_values.nan_to_num(0), before.nan_to_num(0))
    some, all_of_them = (renumber(shelf, share, generator(1)) for share in (0.3, 1.0))
    assert 0 < some < 0.6 * all_of_them
    renumber(shelf, 0.0, generator())
    assert torch.equal(shelf.row_values.nan_to_num(0), before.nan_to_num(0))
    told, _ = decoder_inputs(shelf.choices, before)
    assert torch.equal(shelf.told_results.nan_to_num(0), told.results.nan_to_num(0))


def test_the_same_generator_draws_the_same_numbers() -> None:
    values: list[Tensor] = []
    for seed in (3, 3, 4):
        shelf = Shelf(*without_rationales(tables(made(20, seed=7))), CPU)
        renumber(shelf, 1.0, generator(seed))
        values.append(shelf.row_values.nan_to_num(0))
    assert torch.equal(values[0], values[1])
    assert not torch.equal(values[0], values[2])
