import pytest

from scratchwork import Problem, audit

OPTIONS = ("36 km/h", "40 km/h", "2 : 3", "-7", "42.8%")


@pytest.mark.parametrize(
    ("conclusion", "complaint"),
    [
        ("So the speed is 40 km/h, which is option B.", ""),
        ("So the speed is 40 km/h, which is option A.", "40 is option B, not A."),
        ("So the answer is 45, which is option B.", "45 is not option B."),
        ("So the answer is -7, which is option D.", ""),
        ("So the answer is about 0.6667, which is option C.", ""),
        ("Rounded down to one decimal, the answer is 42.8%, which is option E.", ""),
    ],
)
def test_the_number_of_a_conclusion_is_the_option_it_names(conclusion: str, complaint: str) -> None:
    question = "A train goes 80 km in 2 hours, and 45 km with 7 stops. How fast is it?"
    rationale = (
        f"We have 80 ÷ 2 = 40.\nThen 0 − 7 = -7.\n2 ÷ 3 ≈ 0.6667.\n300 ÷ 7 ≈ 42.8571.\n{conclusion}"
    )
    letter = conclusion[-2]
    found = audit(Problem(question, OPTIONS, rationale, letter)).answer
    assert found is not None
    assert (found.follows, found.why) == (not complaint, complaint)
