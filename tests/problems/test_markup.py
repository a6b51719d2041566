from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import Problem, audit
from scratchwork.problems.markup import plain_text, without_latex


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\frac{48}{2} = 24", "48/2 = 24"),
        (r"\dfrac{a + 1}{2}", "(a + 1)/2"),
        (r"\frac12 + \frac 3 4 + \frac{1}3", "1/2 + 3/4 + 1/3"),
        (r"\frac{\frac{1}{2}}{3}", "(1/2)/3"),
        (r"\frac{x^{2} + \sqrt{16}}{2}", "(x^2 + √(16))/2"),
        (r"2\frac{1}{2} \times 4 = 10", "2 1/2 × 4 = 10"),
        (r"12 \div \frac{6}{4} = 8", "12 ÷ (6/4) = 8"),
        (r"\frac{\$120}{4} = \$30", "$120/4 = $30"),
        (r"3 \times 4 \div 2", "3 × 4 ÷ 2"),
        (r"3 \cdot 4 \approx 12", "3 × 4 ≈ 12"),
        (r"1{,}200 + 1\,500 + 1,\!000", "1,200 + 1,500 + 1,000"),
        (r"\sqrt{16} = 4", "√(16) = 4"),
        (r"\sqrt[3]{27} = 3", "(27)^(1/3) = 3"),
        (r"\binom{52}{2} = {}^{52}C_{2} = 1326", "52C2 = 52C2 = 1326"),
        (r"\inline {\color{Black} 12C_{5}}= 792", "(12C5)= 792"),
        (r"x \leq 5 \Rightarrow x \neq 6", "x ≤ 5 ⇒ x ≠ 6"),
        (r"\left(2 + 3\right) = 5", "(2 + 3) = 5"),
        (r"60 \text{ km} = 60\,\mathrm{km}", "60 km = 60 km"),
        (r"\boxed{\textbf{(B)} 42}", "(B) 42"),
        (r"25\% of 80", "25% of 80"),
        (r"costs \$5 or \$7", "costs $5 or $7"),
        (r"3 \times 2^{10} = 3072 = 3 \cdot 2^{5 + 5}", "3 × 2^10 = 3072 = 3 × 2^(5 + 5)"),
        (r"90^\circ + 45^{\circ}", "90° + 45°"),
        (r"a\\b", "a\nb"),
        (r"\quad a \ldots b \qquad c", "a ... b c"),
        (r"\begin{align*} A &= 3 \times 4 \\[4pt] &= 12 \end{align*}", "A = 3 × 4 = 12"),
    ],
)
def test_latex_says_the_same_plainly(latex: str, plain: str) -> None:
    assert without_latex(latex) == plain


@pytest.mark.parametrize(
    "formula",
    [r"\(2 + 3 = 5\)", r"\[2 + 3 = 5\]", "$2 + 3 = 5$", "$$2 + 3 = 5$$", "\\[\n2 + 3 = 5\n\\]"],
)
def test_delimiters_of_formulas_go(formula: str) -> None:
    assert without_latex(f"So {formula}.") == "So 2 + 3 = 5."


def test_numbers_and_letters_between_dollar_signs_are_formulas() -> None:
    assert without_latex("She has $48$ clips and $x$ pens.") == "She has 48 clips and x pens."


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $7 is left",
        "He pays $3.50, then $4, or $3-$5 a piece",
        "3 * $5 = $15, so $15 + $2 = $17",
        "A price of $5/kg, or 6 US$ in all",
        r"The file C:\winter and a command such as \unknown",
    ],
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert without_latex(text) == text


@given(st.text().filter(lambda text: "\\" not in text and "$" not in text))
def test_text_without_backslash_and_dollar_sign_is_unchanged(text: str) -> None:
    assert without_latex(text) == text


_PRICES = st.decimals(0, 10_000, places=2).map(lambda amount: f"${amount}")
_WORDS = st.sampled_from(["and then", "for the", "pens, so", "+ tax of", "= the price of", "- or"])


@given(st.lists(st.tuples(_WORDS, _PRICES), max_size=8))
def test_prices_are_unchanged(pieces: list[tuple[str, str]]) -> None:
    text = " ".join(piece for pair in pieces for piece in pair)
    assert without_latex(text) == text


@given(st.text(st.sampled_from("\\{}$^_&frac()[]12, \n"), max_size=80))
def test_any_latex_marks_end_in_a_text(text: str) -> None:
    assert isinstance(without_latex(text), str)


@pytest.mark.parametrize("piece", ["\\frac{", "{", "$", "\\[", "\\sqrt{{", " ", "\\text {", "$$\\"])
def test_hostile_text_takes_no_longer_than_its_length(piece: str) -> None:
    begin = perf_counter()
    without_latex("\\" + piece * (10_000 // len(piece)))
    assert perf_counter() - begin < 1


FLOUR = Problem(
    r"A bag of flour costs $\$1{,}200$ for $\frac{3}{4}$ of a tonne. What does a tonne cost?",
    ("$900", r"\$1,600", "$1,800"),
)


def test_a_sound_derivation_in_latex_is_let_pass() -> None:
    problem = Problem(
        FLOUR.question,
        FLOUR.options,
        "**Step 1.** Let $x$ be the price. Then\n\n"
        "\\[\n\\frac{3}{4} x = 1{,}200.\n\\]\n\n"
        "**Step 2.** So\n\\begin{align*}\n"
        "x &= 1{,}200 \\div \\frac{3}{4} \\\\\n&= 1{,}200 \\times \\frac{4}{3} \\\\\n&= 1{,}600.\n"
        "\\end{align*}\n\nThe answer is $\\boxed{\\text{B}}$.",
    )
    result = audit(problem)
    assert result.complaints == ()
    assert [equation.text for equation in result.equations] == [
        "1,200 ÷ (3/4) = 1,200 × 4/3",
        "1,200 × 4/3 = 1,600",
    ]
    assert result.answer is not None
    assert result.answer.follows


def test_an_error_in_latex_is_found() -> None:
    rationale = r"We get $1{,}200 \times \frac{4}{3} = \boxed{1{,}800}$, so the answer is (C)."
    result = audit(Problem(FLOUR.question, FLOUR.options, rationale))
    assert result.complaints == ("1,200 × 4/3 is 1,600, not 1,800.",)


def test_positions_count_the_tokens_of_what_was_read() -> None:
    rationale = r"The discount is $20\% \times \$50 = \$10$, so she pays \(\$50 - \$10 = \$40\)."
    result = audit(Problem(r"What is $20\%$ off \$50?", (), rationale))
    assert result.complaints == ()
    assert result.read.question == "What is 20% off $50?"
    assert result.read.rationale == (
        "The discount is 20% × $50 = $10, so she pays $50 - $10 = $40."
    )
    assert result.problem.rationale == rationale
    for number in result.numbers:
        assert result.tokens[number.position - 1] == number.token


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
