from scratchwork import Problem
from scratchwork.plans.plan import Constant, Given, Plan, PlanStep, Result
from scratchwork.solver.fractions import closed

SHARE = Problem("of 60 men 1 / 3 leave and 3 left . how many ?", ("17", "20"), origin="mathqa")
THIRD = PlanStep("Divide", (Given(4), Given(6)))


def of(*steps: PlanStep) -> Plan:
    return Plan(steps, Result(len(steps) - 1))


def test_a_fraction_that_a_plan_divides_becomes_one_number() -> None:
    taken = PlanStep("Multiply", (Given(2), Result(0)))
    last = PlanStep("Subtract", (Result(1), Given(9)))
    problem, plans = closed(SHARE, [of(THIRD, taken, last)])
    assert problem.question == "of 60 men 1/3 leave and 3 left . how many ?"
    times = PlanStep("Multiply", (Given(2), Given(4)))
    assert plans == [of(times, PlanStep("Subtract", (Result(0), Given(7))))]


def test_the_one_of_a_fraction_by_itself_is_the_constant() -> None:
    rest = PlanStep("Subtract", (Given(4), Result(0)))
    _, plans = closed(SHARE, [of(THIRD, rest, PlanStep("Multiply", (Given(2), Result(1))))])
    less = PlanStep("Subtract", (Constant("1"), Given(4)))
    assert plans == [of(less, PlanStep("Multiply", (Given(2), Result(0))))]


def test_a_plan_that_uses_the_pieces_otherwise_keeps_its_problem() -> None:
    halved = of(PlanStep("Divide", (Given(2), Given(6))))
    assert closed(SHARE, [halved]) == (SHARE, [halved])
    alone = of(THIRD)
    assert closed(SHARE, [alone]) == (SHARE, [alone])
    both = closed(SHARE, [halved, of(THIRD, PlanStep("Multiply", (Given(2), Result(0))))])
    assert [len(plan.steps) for plan in both[1]] == [1]


def test_other_problems_stay_as_they_are() -> None:
    plan = of(PlanStep("Multiply", (Given(2), Given(4))))
    other = Problem("Of 60 men 1/3 leave. How many?", ("20", "40"))
    assert closed(other, [plan]) == (other, [plan])
