import pytest

from scratchwork import Problem, audit, tokenise
from scratchwork.auditing.sayings import sayings_in


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("First, the greatest common divisor of 12 and 18 is 6.", True),
        ("The greatest common divisor of 12 and 18 is 9.", False),
        ("The least common multiple of 47 and 57 is 2677.", False),
        ("The remainder of 75 divided by 8 is 3.", True),
        ("Then 8.25 rounded up is 9.", True),
        ("Then 8.25 rounded down is 9.", False),
        ("The larger of 4 and 7 is 4.", False),
    ],
)
def test_a_result_told_in_words_is_judged(text: str, holds: bool) -> None:
    assert [said.holds for said in sayings_in(tokenise(text))] == [holds]


@pytest.mark.parametrize(
    "text",
    [
        "The greatest common divisor of a and b is 6.",
        "The remainder of 75 divided by 0 is 3.",
        "50 ÷ 7 ≈ 7. Then 7 rounded up is 8.",
        "The sum of 4 and 7 is 12.",
    ],
)
def test_other_sayings_are_left_alone(text: str) -> None:
    assert [*sayings_in(tokenise(text))] == []


def test_the_audit_tells_what_it_should_be() -> None:
    rationale = "The greatest common divisor of 12 and 18 is 9."
    found = audit(Problem("What is the HCF of 12 and 18?", (), rationale))
    assert found.complaints == ("The greatest common divisor of 12 and 18 is 6, not 9.",)
