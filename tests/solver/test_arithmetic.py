import math
from collections.abc import Iterator
from random import Random

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from scratchwork import EXTENDED, ExecutionError, Problem, execute
from scratchwork.explaining.terse import explain_plan
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.machine.operations import OperationError
from scratchwork.plans.plan import Given, Plan, PlanStep, Result, plan_of
from scratchwork.problems.problem import LETTERS
from scratchwork.solver.arithmetic import compute, matching_option
from scratchwork.solver.collating import collate
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces, Reading, read_problem
from scratchwork.solver.symbols import (
    ARITY,
    LONGEST_PLAN,
    SOLVER_OPERATIONS,
    InexpressibleError,
    plan_to_choices,
)

NAN = math.nan
counts = st.integers(0, 60).map(float)
numbers = st.one_of(
    counts,
    st.integers(-50, 400).map(float),
    st.integers(-(10**5), 10**7).map(lambda n: n / 100),
    st.tuples(st.integers(1, 60), st.integers(1, 60)).map(lambda n: n[0] / n[1]),
    st.integers(-14, 14).map(lambda n: 10.0**n),
    st.floats(1e-9, 9e14),
)


def by_machine(name: str, a: float, b: float) -> float:
    operation = EXTENDED[name]
    try:
        result = operation.function(*(a, b)[: len(operation.takes)])
    except OperationError:
        return NAN
    assert isinstance(result, float)
    return result


def computed(name: str, *pairs: tuple[float, float]) -> list[float]:
    a, b = torch.tensor(pairs, dtype=torch.float64).unbind(1)
    which = torch.full((len(pairs),), SOLVER_OPERATIONS.index(name))
    return compute(which, a, b).tolist()


def is_huge_count(name: str, a: float) -> bool:
    """Whether the number of ways is too large to be exact."""
    return name in ("Choose", "Permutations") and a > 10_000


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
@example([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-8.0, 3.0), (-8.0, 0.5), (2.675, 2.0)])
@example([(1000.1, 1000.0), (100000.1, 100000.0), (0.3, 0.1 * 3), (17.0, 5.0), (1e8, 1e8)])
@example([(math.pi, 2.0), (math.pi / 2, 2.0), (math.radians(30), 1.0), (18.0, 17.0), (52.0, 5.0)])
def test_every_operation_agrees_with_the_machine(pairs: list[tuple[float, float]]) -> None:
    cases = [(k, *pair) for k in range(len(SOLVER_OPERATIONS)) for pair in pairs]
    which, a, b = zip(*cases, strict=True)
    columns = (torch.tensor(column, dtype=torch.float64) for column in (a, b))
    results = compute(torch.tensor(which), *columns).tolist()
    for (k, a, b), result in zip(cases, results, strict=True):
        name = SOLVER_OPERATIONS[k]
        if is_huge_count(name, a):
            continue
        wanted = by_machine(name, a, b)
        near = 1e-12 * max(abs(a), abs(b)) if name in ("Add", "Subtract") else 1e-14
        assert result == pytest.approx(wanted, rel=1e-9, abs=near, nan_ok=True), (name, a, b)


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("Divide", 1, 0),
        ("Log", 0, 0),
        ("Sqrt", -1, 0),
        ("Power", 0, -1),
        ("Power", -8, 0.5),
        ("Power", 9e14, 9e14),
        ("Multiply", 1e8, 1e8),
        ("Tangent", math.pi / 2, 0),
        ("Factorial", 2.5, 0),
        ("Factorial", -1, 0),
        ("Factorial", 18, 0),
        ("Choose", 2, 3),
        ("Choose", 9e14, 4.5e14),
        ("Permutations", 9e14, 9e14),
        ("Permutations", 5, -1),
        ("Remainder", 5, 0),
        ("Remainder", 5.5, 2),
        ("Gcd", -4, 2),
        ("Lcm", 1e14 + 1, 1e14 - 1),
        ("Round", 1, 7),
        ("Sine", 2e6, 0),
    ],
)
def test_what_the_machine_refuses_is_nan(name: str, a: float, b: float) -> None:
    assert math.isnan(by_machine(name, float(a), float(b)))
    assert math.isnan(computed(name, (a, b))[0])


@pytest.mark.parametrize("name", SOLVER_OPERATIONS)
def test_what_is_computed_from_nan_is_nan(name: str) -> None:
    two = ARITY[SOLVER_OPERATIONS.index(name)] == 2
    assert math.isnan(computed(name, (NAN, 3.0))[0])
    if two:
        assert math.isnan(computed(name, (3.0, NAN))[0])


@pytest.mark.parametrize(
    "name", [n for n, k in zip(SOLVER_OPERATIONS, ARITY, strict=True) if k == 1]
)
def test_functions_of_one_number_ignore_the_second(name: str) -> None:
    first, second = computed(name, (5.0, 0.0), (5.0, NAN))
    assert first == second == pytest.approx(by_machine(name, 5.0, 0.0))


def test_a_table_may_mix_operations() -> None:
    which = torch.arange(len(SOLVER_OPERATIONS))
    fives = torch.full((len(SOLVER_OPERATIONS),), 5.0, dtype=torch.float64)
    found = compute(which, fives, fives - 3).tolist()
    wanted = [by_machine(name, 5.0, 2.0) for name in SOLVER_OPERATIONS]
    assert found == pytest.approx(wanted, rel=1e-12)


def test_whole_results_are_whole() -> None:
    counts_of_20 = [(float(n), float(k)) for n in range(21) for k in range(n + 1)]
    for name in ("Choose", "Permutations", "Power", "Factorial", "Lcm"):
        for (a, b), result in zip(counts_of_20, computed(name, *counts_of_20), strict=True):
            wanted = by_machine(name, a, b)
            if math.isnan(wanted) or wanted < 1e12:
                assert result == pytest.approx(wanted, rel=0, abs=0, nan_ok=True), (name, a, b)


PIECES = Pieces(SPECIAL_PIECES)
CPU = torch.device("cpu")
SIMPLE = ("Add", "Subtract", "Multiply", "Divide", "Percent", "Max")


def matched(value: float, *options: str) -> str | None:
    batch = collate([read_problem(Problem("What?", options), PIECES)], CPU)
    option = int(matching_option(torch.tensor([value], dtype=torch.float64), batch.option_values))
    return None if option < 0 else LETTERS[option]


@pytest.mark.parametrize(
    ("value", "options", "letter"),
    [
        (48.0, ("16", "48"), "B"),
        (0.1 + 0.2, ("0.3", "0.4"), "A"),
        (100 / 3, ("33.33", "34"), "A"),
        (100 / 3, ("33.4", "33.3"), "B"),
        (100 / 3, ("32", "33"), "B"),
        (100 / 3, ("33", "33.3", "33.33", "100/3"), "D"),
        (2.675, ("2.67", "2.68"), "B"),
        (-2.675, ("-2.67", "-2.68"), "B"),
        (1.5, ("2 : 3", "3 : 2"), "B"),
        (150.0, ("2 h 30 min", "2 h 45 min"), "A"),
        (1200.0, ("Rs. 1,200", "Rs. 120"), "A"),
        (1 / 221, ("2/1223", "1/122", "1/221"), "C"),
        (-5.0, ("5", "-5"), "B"),
        (2.0, ("3 : 2", "2 : 1", "1 : 2"), "B"),
        (1.0, ("1 1/5 days", "1 day"), "B"),
        (86400.0, ("5!*5!", "5!*6!", "6!*6!"), "B"),
        (3**0.5 * 18, ("18*sqrt2", "18√3"), "B"),
        (28 / 11, ("2.54", "2.56"), "A"),
        (50 / 3, ("16.6", "17.6"), "A"),
        (12.0, ("12 km", "12 m"), None),
        (2.0, ("2 : 1", "4 : 2"), None),
        (7.0, ("8", "9"), None),
        (7.0, ("none", "all"), None),
        (math.nan, ("7", "8"), None),
        (math.inf, ("7", "8"), None),
    ],
)
def test_the_option_that_is_the_number_is_found(
    value: float, options: tuple[str, ...], letter: str | None
) -> None:
    assert matched(value, *options) == letter


def plans_for(problem: Problem, gold: Plan | None, random: Random) -> Iterator[Plan]:
    """The right plan, and some plans of one step, which may reach an option or not."""
    places = [n.place for n in read_problem(problem, PIECES).numerals if n.place]
    if gold is not None:
        yield gold
    for operation in SIMPLE if places else ():
        arguments = (Given(random.choice(places)), Given(random.choice(places)))
        yield Plan((PlanStep(operation, arguments),), Result(0))


def letter_by_machine(plan: Plan, problem: Problem) -> str | None:
    try:
        return explain_plan(plan, problem).answer
    except ExecutionError:
        return None


def test_the_option_is_the_one_that_the_machine_checks() -> None:
    random = Random(3)
    readings: list[Reading] = []
    rows: list[list[int]] = []
    letters: list[str | None] = []
    for generated in generate(load_families(), 120, seed=31):
        problem = generated.problem
        gold = plan_of(execute(generated.program, problem, EXTENDED))
        for plan in plans_for(problem, gold, random):
            reading = read_problem(problem, PIECES)
            try:
                row = plan_to_choices(plan, reading)
            except InexpressibleError:
                continue
            rows.append([*row, *[-1] * (LONGEST_PLAN - len(row))])
            readings.append(reading)
            letters.append(letter_by_machine(plan, problem))
    batch = collate(readings, CPU)
    choices = torch.tensor(rows)
    inputs, _ = decoder_inputs(choices, batch.read.numeral_values)
    last = inputs.results.gather(1, (choices >= 0).sum(1, keepdim=True) - 2).squeeze(1)
    found = matching_option(last, batch.option_values).tolist()
    assert [None if option < 0 else LETTERS[option] for option in found] == letters
    assert letters.count(None) > 200
    assert len(letters) - letters.count(None) > 100
