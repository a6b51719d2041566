import math
from collections.abc import Iterator
from random import Random

import pytest
import torch

from scratchwork import EXTENDED, ExecutionError, Problem, execute
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.plans.explaining import explained
from scratchwork.plans.plan import Given, Plan, PlanStep, Result, plan_of
from scratchwork.problems.problem import LETTERS
from scratchwork.solver.collating import collate
from scratchwork.solver.matching import matching_option
from scratchwork.solver.pieces import SPECIAL, Pieces
from scratchwork.solver.reading import Reading, read_problem
from scratchwork.solver.replay import replay
from scratchwork.solver.symbols import LONGEST, UnspeakableError, choices_of

PIECES = Pieces(SPECIAL)
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
    """The right plan, and some of one step each that reach the options or do not."""
    places = [n.place for n in read_problem(problem, PIECES).numerals if n.place]
    if gold is not None:
        yield gold
    for operation in SIMPLE if places else ():
        arguments = (Given(random.choice(places)), Given(random.choice(places)))
        yield Plan((PlanStep(operation, arguments),), Result(0))


def by_machine(plan: Plan, problem: Problem) -> str | None:
    try:
        return execute(explained(plan, problem), problem, EXTENDED).answer
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
                row = choices_of(plan, reading)
            except UnspeakableError:
                continue
            rows.append([*row, *[-1] * (LONGEST - len(row))])
            readings.append(reading)
            letters.append(by_machine(plan, problem))
    batch = collate(readings, CPU)
    choices = torch.tensor(rows)
    told, _ = replay(choices, batch.read.numeral_values)
    last = told.results.gather(1, (choices >= 0).sum(1, keepdim=True) - 2).squeeze(1)
    found = matching_option(last, batch.option_values).tolist()
    assert [None if option < 0 else LETTERS[option] for option in found] == letters
    assert letters.count(None) > 200
    assert len(letters) - letters.count(None) > 100
