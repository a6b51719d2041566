import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.auditing.markup import plain_text


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("**Total:** 5", "Total: 5"),
        ("__Total:__ 5", "Total: 5"),
        ("### Answer\n5", "Answer\n5"),
        ("> so 5", "so 5"),
        ("- one\n* two\n• three", "one\ntwo\nthree"),
        ("1. First\n2) Second", "First\nSecond"),
        ("Step 1: add\nStep 2. double", "Step add\nStep double"),
        ("`2 + 3`", "2 + 3"),
    ],
)
def test_marks_of_markdown_go(markdown: str, plain: str) -> None:
    assert plain_text(markdown) == plain


def test_markdown_and_latex_may_be_mixed() -> None:
    text = "**Step 1:** She sold $\\frac{48}{2} = 24$ clips.\n\n**Answer:** $\\boxed{24}$"
    assert plain_text(text) == "Step She sold 48/2 = 24 clips.\n\nAnswer: 24"


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $7 is left",
        "He pays $3.50, then $4",
        "2 * 3 * 4 = 24",
        "2 ** 3",
        "12 apples\n3 pears",
        "1.5 kg\n2.5 kg",
        "x_1 and x_2",
        "12. 5 apples",
        "5 - 3 = 2",
        "Let s be the sample space.\nThen n(s) = 52C2 = 1326",
    ],
)
def test_text_without_marks_comes_back_as_it_is(text: str) -> None:
    assert plain_text(text) == text


@given(st.text(st.sampled_from("abc 0123456789.,=+/()%\n"), max_size=60))
def test_digits_stay_but_for_numbered_lines(text: str) -> None:
    unnumbered = "x " + text.replace("\n", "\nx ")
    assert plain_text(unnumbered) == unnumbered


@given(st.text(st.sampled_from("\\{}$*_`#frac()[]12 \n"), max_size=60))
def test_any_marks_end_in_a_text(text: str) -> None:
    assert isinstance(plain_text(text), str)
