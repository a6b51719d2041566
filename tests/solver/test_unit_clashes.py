from pathlib import Path

import pytest
import torch

from scratchwork import Problem
from scratchwork.plans.plan import Given, Plan, PlanStep, Result
from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.collating import collate
from scratchwork.solver.reading import read_problem
from scratchwork.solver.saving import load_solver
from scratchwork.solver.symbols import LONGEST_PLAN, plan_to_choices
from scratchwork.solver.unit_clashes import with_clashes
from scratchwork.solver.voting import ballot_of

RIDE = Problem("A train runs 120 km in 2 hours. What is its speed in km/h?", ("60", "240", "122"))


@pytest.mark.parametrize(("operation", "clashes"), [("Divide", 0), ("Add", 1), ("Multiply", 1)])
def test_plans_that_combine_or_give_the_wrong_units_are_marked(
    operation: str, clashes: int, tiny_solver: Path
) -> None:
    reading = read_problem(RIDE, load_solver(tiny_solver).pieces)
    batch = collate([reading], torch.device("cpu"))
    places = [numeral.place for numeral in reading.numerals if numeral.place]
    plan = Plan((PlanStep(operation, tuple(map(Given, places))),), Result(0))
    row = plan_to_choices(plan, reading)
    choices = torch.full((1, 2, LONGEST_PLAN), -1)
    choices[0, 0, : len(row)] = torch.tensor(row)
    logs = torch.tensor([[-1.0, -torch.inf]], dtype=torch.float64)
    found = FoundPlans(choices, logs, torch.tensor([[1.0, torch.nan]]).double(), choices[..., 0])
    ballot = ballot_of(found, batch.read, batch.in_question, batch.option_values)
    assert ballot.clashes.tolist() == [[0, 0]]
    assert with_clashes(ballot, [RIDE], [reading]).clashes.tolist() == [[clashes, 0]]
