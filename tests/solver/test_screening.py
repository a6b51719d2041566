from scratchwork import Problem
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import load_families
from scratchwork.problems.duplicates import HeldOut, Thresholds
from scratchwork.solver.screening import far_problems, near_held_out
from tests.solver.samples import TRIAL

LONG = "A shop sells pencils in boxes of 12 and pens in boxes of 8, how many boxes are needed?"


def test_generated_problems_near_to_a_held_out_one_are_numbered() -> None:
    families = load_families(TRIAL)
    copied = generate_one(families, 3, 105).problem.question
    strict = HeldOut([copied, "Something else altogether, about nothing."], Thresholds(99.9, 100))
    numbers = list(near_held_out(families, 3, range(100, 130), [strict]))
    assert 105 in numbers
    assert len(numbers) < 20
    other = HeldOut(["Something else altogether, about nothing."])
    assert list(near_held_out(families, 3, range(100, 130), [other])) == []
    assert list(near_held_out(families, 3, range(100, 130), [other, strict])) == numbers


def test_far_problems_resemble_no_training_question_whatever_the_numbers() -> None:
    near, far = Problem(LONG.replace("12", "30"), ()), Problem("Find x if x + 3 is 5.", ())
    assert far_problems([near, far], [Problem(LONG, ())]) == [far]
    assert far_problems([near, far], []) == [near, far]
