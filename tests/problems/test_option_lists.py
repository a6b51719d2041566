"""A list of options is taken from the end of a text, and nothing else is."""

import pytest

from scratchwork.problems.option_lists import without_options


@pytest.mark.parametrize(
    ("text", "question", "options"),
    [
        ("What is 2 + 2? A) 3 B) 4 C) 5", "What is 2 + 2?", ["3", "4", "5"]),
        ("What is 2 + 2? (a) 3, (b) 4", "What is 2 + 2?", ["3", "4"]),
        ("What is 2 + 2?\nA. 3\nB. 4", "What is 2 + 2?", ["3", "4"]),
        ("What is 2 + 2? Options: 3, 4, 1,000", "What is 2 + 2?", ["3", "4", "1,000"]),
        ("What is 2 + 2?\n3\n4 kg\n$5", "What is 2 + 2?", ["3", "4 kg", "$5"]),
        ("What is 2 + 2? 3, 4, 5", "What is 2 + 2?", ["3", "4", "5"]),
    ],
)
def test_a_list_of_options_is_taken_from_the_question(
    text: str, question: str, options: list[str]
) -> None:
    assert without_options(text) == (question, options)


@pytest.mark.parametrize(
    "text",
    [
        "Solve for x.\n2x = 8",
        "What is x?\n5x - 2 = 18",
        "What is 12 * 5?\nThanks!",
        "a) 3 + 4",
        "Plan A) costs $5, plan B) costs $7. Which is cheaper?",
        "Point A (2, 3) and point B (5, 7): how far apart are they?",
        "Ann has 3, 4 and 5 nuts. How many has she?",
        "What is f(a) if f(b) = 2?",
    ],
)
def test_what_only_looks_like_options_stays(text: str) -> None:
    assert without_options(text) == (text, [])
