import pytest

from scratchwork import Problem, audit
from scratchwork.auditing.equations import equations_in
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.problems.tokens import tokenise

CLIPS = "Natalia sold 48 clips in April and half as many in May. How many altogether?"
OPTIONS = ("64", "72", "131")
NOWHERE = (
    "is neither in the problem nor in the working before it, "
    "and no single operation on those numbers gives it."
)


@pytest.mark.parametrize(
    ("equation", "why"),
    [
        ("48 - 24 = 26", "48 - 24 is 24, not 26."),
        ("48 + 24 = 74 notebooks", "48 + 24 is 72, not 74."),
        ("3 * (4 + 5) = 28", "3 * (4 + 5) is 27, not 28."),
        ("12 + 5 = 3 * 6", "12 + 5 is 17, but 3 * 6 is 18."),
        ("10 / 3 = 3.5", "10 / 3 is about 3.33, not 3.5."),
        ("2/300 = 0.5", "2/300 is about 0.00667, not 0.5."),
        ("0.1 + 0.2 = 0.4", "0.1 + 0.2 is 0.3, not 0.4."),
        ("6/1326 = 1/222", "6/1326 is 1/221, not 1/222."),
        ("1/2 + 1/3 = 2/5", "1/2 + 1/3 is 5/6, not 2/5."),
        ("1,200 * 3 = 3,500", "1,200 * 3 is 3,600, not 3,500."),
        ("$48 - $24 = $26", "$48 - $24 is $24, not $26."),
        ("20% of 960 = 182", "20% of 960 is 192, not 182."),
        ("3/4 * 100 = 70%", "3/4 * 100 is 75%, not 70%."),
        ("52C2 = 1325", "52C2 is 1326, not 1325."),
        ("√(25) = 6", "√(25) is 5, not 6."),
        ("10 / 3 ≈ 4", "10 / 3 is about 3.33, not 4."),
        ("5 - 8 = 3", "5 - 8 is -3, not 3."),
    ],
)
def test_a_false_equation_says_what_its_left_side_is(equation: str, why: str) -> None:
    (found,) = equations_in(tokenise(equation))
    assert not found.holds
    assert found.why == why


def test_in_a_chain_the_side_that_calculates_is_told() -> None:
    equations = equations_in(tokenise("48 / 2 = 24 = 50 / 2"))
    assert [equation.why for equation in equations] == ["", "50/2 is 25, not 24."]


def test_what_holds_has_no_reason() -> None:
    result = audit(Problem(CLIPS, OPTIONS, "48/2 = 24, and 48 + 24 = 72. The answer is B."))
    assert result.complaints == ()
    assert {number.why for number in result.numbers} == {""}
    assert result.answer is not None
    assert result.answer.why == ""


def test_a_false_equation_and_its_result_are_told_once() -> None:
    result = audit(Problem(CLIPS, (), "In May 48/2 = 24, so altogether 48 + 24 = 73 clips."))
    assert result.complaints == ("48 + 24 is 72, not 73.",)
    assert result.numbers[-1].why == result.complaints[0]


@pytest.mark.parametrize(
    ("question", "rationale", "why"),
    [
        (CLIPS, "She sold 7919 clips.", f"7919 {NOWHERE}"),
        (
            "There are 480 rows of 32 seats.",
            "That makes 15630 seats.",
            f"15630 {NOWHERE} 480 * 32 = 15360 comes near.",
        ),
        (
            "There are 480 rows of 32 seats.",
            "That makes 1536 seats.",
            f"1536 {NOWHERE} 480 * 32 = 15360 comes near.",
        ),
        (
            "What share of 66 is 36?",
            "It is 0.545454 of them.",
            f"0.545454 {NOWHERE} 36 / 66 ≈ 0.5454545 comes near.",
        ),
    ],
)
def test_an_unsupported_number_says_what_was_looked_at(
    question: str, rationale: str, why: str
) -> None:
    assert audit(Problem(question, (), rationale)).complaints == (why,)


def test_a_spelling_that_nothing_writes_is_told() -> None:
    result = audit(Problem("What is 40% of 30?", (), "That is .4 of 30."))
    assert result.complaints == (
        ".4 is neither in the problem nor in the working before it, "
        "and no operation writes a number this way.",
    )


def test_numbers_that_give_it_from_afar_are_told_apart() -> None:
    filler = "and so on " * 30
    result = audit(Problem("How many?", (), f"It is 137 then 911. {filler} So 1048 it is."))
    assert "no single operation on numbers near by gives it" in result.complaints[-1]


@pytest.mark.parametrize(
    ("rationale", "why"),
    [
        (
            "48/2 = 24; 48 + 24 = 72. The answer is C.",
            "The working comes to 72, which is option B, not C.",
        ),
        (
            "48/2 = 24; 48 + 24 = 72. So 131. The answer is C.",
            "The working comes to 72, which is option B, not C.",
        ),
        (
            "48/2 = 24; 48 + 24 = 72. Then 72 - 2 = 70. The answer is C.",
            "The working gives 72, which is option B, and nothing in it gives option C, 131.",
        ),
    ],
)
def test_a_letter_that_does_not_follow_says_which_does(rationale: str, why: str) -> None:
    assert audit(Problem(CLIPS, OPTIONS, rationale)).complaints == (why,)


def test_every_fault_has_its_sentence_and_nothing_else_has_one() -> None:
    for made in generate(load_families(), 12, 5):
        problem = made.problem
        wrong = (problem.rationale or "").replace("1", "7").replace("4", "9")
        result = audit(Problem(problem.question, problem.options, wrong))
        for equation in result.equations:
            assert bool(equation.why) == (not equation.holds)
        for number in result.numbers:
            assert bool(number.why) == (number.status == "unsupported")
        assert bool(result.complaints) == (not result.holds)
        for sentence in result.complaints:
            assert sentence.endswith(".")
