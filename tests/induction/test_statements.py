import pytest

from scratchwork import Problem, output_tokens, tokenise
from scratchwork.induction.statements import letter_positions


def stated(rationale: str, letter: str) -> list[str]:
    """The tokens that state the letter, each with the one before it."""
    tokens = tokenise(rationale)
    return [" ".join(tokens[k - 2 : k]) for k in sorted(letter_positions(tokens, letter))]


@pytest.mark.parametrize(
    "rationale",
    [
        "It is 5. Answer: C",
        "It is 5. Answer is C.",
        "It is 5. Answer - C",
        "ANSWER:C",
        "Ans. (C) 5 apples are left",
        "The correct option is (C), as 5 is less",
        "The correct answer is option C because of this",
        "Hence, choice C is right",
        "Answer: **C**",
        "It is 5 apples\nC",
        "It is 5 apples (C).",
    ],
)
def test_a_stated_letter_is_found(rationale: str) -> None:
    assert len(stated(rationale, "C")) == 1


@pytest.mark.parametrize(
    "rationale",
    [
        "A train is fast. It is 5 apples",
        "The answer: the train A is fast, so it is 5",
        "Let A be the answer of 5",
        "n(A) = 5",
        "The answer is 5",
        "",
    ],
)
def test_other_capitals_do_not_count(rationale: str) -> None:
    assert stated(rationale, "A") == []


def test_only_the_correct_letter_counts() -> None:
    assert stated("Answer: C", "B") == []
    assert letter_positions(["Answer", "C"], None) == frozenset()


def test_the_letter_behind_the_rationale_counts(kings: Problem) -> None:
    output = output_tokens(kings)
    assert letter_positions(output, "C") == {len(output) - 3, len(output) - 1}
    free = output_tokens(Problem("Why?", rationale="Because"))
    assert letter_positions(free, "A") == frozenset()


def test_it_counts_wherever_it_is_stated() -> None:
    assert len(stated("The answer is B. Check: 2 + 3 = 5.\nAnswer: B", "B")) == 2
