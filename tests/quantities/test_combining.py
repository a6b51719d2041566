"""What the units of a question say of a plan's steps."""

from scratchwork import Problem
from scratchwork.plans.expressions import parse_plan
from scratchwork.quantities.combining import answer_clash, quantities_in, read_quantities
from scratchwork.quantities.units import Unit

TRAIN = "A train runs at 54 km/h for 40 seconds. How many metres does it cover?"


def test_a_speed_times_a_time_is_a_distance() -> None:
    question = "A car drives 3 hours at 45 km/h. How far does it go?"
    known = read_quantities(Problem(question))
    (step,) = quantities_in(parse_plan("n1 * n2", question), known)
    assert step.unit == Unit((("km", 1),))


def test_a_conversion_changes_the_unit() -> None:
    known = read_quantities(Problem(TRAIN))
    steps = quantities_in(parse_plan("n1 * (5/18) * n2", TRAIN), known)
    assert steps[-1].unit == Unit((("m", 1),))
    assert answer_clash(steps[-1], known) is None


def test_years_and_percent_cannot_be_added() -> None:
    question = "Tom is 16 years old and saves 30 % of his money. How old is he?"
    steps = quantities_in(parse_plan("n1 + n2", question), read_quantities(Problem(question)))
    assert [step.clash for step in steps] == ["years and percent cannot be added"]
