import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.induction.plain import plain_text


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\frac{48}{2} = 24", "48/2 = 24"),
        (r"\dfrac{a + 1}{2}", "(a + 1)/2"),
        (r"\frac{\frac{1}{2}}{3}", "(1/2)/3"),
        (r"3 \times 4 \div 2", "3 × 4 ÷ 2"),
        (r"3 \cdot 4 \approx 12", "3 × 4 ≈ 12"),
        (r"\sqrt{16} = 4", "√(16) = 4"),
        (r"\binom{52}{2} = 1326", "52C2 = 1326"),
        (r"x \leq 5 \Rightarrow x \neq 6", "x ≤ 5 ⇒ x ≠ 6"),
        (r"\left(2 + 3\right) = 5", "(2 + 3) = 5"),
        (r"60 \text{ km} = 60", "60  km = 60"),
        (r"\boxed{42}", "42"),
        (r"25\% of 80", "25% of 80"),
        (r"costs \$5", "costs $5"),
        (r"3 \times 2^{10} = 3072", "3 × 2^(10) = 3072"),
        (r"a\\b", "a\nb"),
    ],
)
def test_latex_says_the_same_plainly(latex: str, plain: str) -> None:
    assert plain_text(latex) == plain


@pytest.mark.parametrize("formula", [r"\(2 + 3 = 5\)", r"\[2 + 3 = 5\]", "$2 + 3 = 5$"])
def test_delimiters_of_formulas_go(formula: str) -> None:
    assert plain_text(f"So {formula} then").split() == "So 2 + 3 = 5 then".split()


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
