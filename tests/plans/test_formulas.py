from pathlib import Path

import pytest

from scratchwork import EXTENDED, Problem, execute, normalise, read_problems
from scratchwork.plans.formulas import FORMULA_FIELD, FormulaError, TranslatedFormula, translate


def with_formula(
    question: str, formula: object, *options: str, correct: str | None = None
) -> Problem:
    return Problem(question, options, correct=correct, extra={FORMULA_FIELD: formula})


def translated(question: str, formula: str, *options: str) -> TranslatedFormula:
    return translate(with_formula(question, formula, *options))


def test_a_direct_formula_reads_computes_writes_and_checks() -> None:
    problem = with_formula("12 boxes hold 4 pens each", "multiply(n0,n1)|", "16", "48", correct="B")
    result = translate(problem)
    assert [str(z) for z in result.program] == [
        "Str_to_Float(x1) -> m",
        "Str_to_Float(x4) -> m",
        "Multiply(m1, m2) -> m",
        "Float_to_Str(m3) -> m",
        "Id(m4) -> y",
        'Id("<EOR>") -> y',
        "Check(m4) -> y",
        'Id("<EOS>") -> y',
    ]
    assert result.yields_label(problem)
    trace = execute(result.program, problem, EXTENDED)
    assert trace.answer == result.letter == "B"


@pytest.mark.parametrize(
    ("question", "formula", "written"),
    [
        ("100 and 20", "subtract(n0,n1)|divide(#0,const_4)", "20"),
        ("100 and 20", "add(n0,n1)|multiply(#0,#0)", "14400"),
        ("1,000 and 3", "divide(n0,n1)", "333.333333333"),
        ("2 and 10", "power(n0,n1)", "1024"),
        ("52 and 2", "choose(n0,n1)", "1326"),
        ("8 and 3", "permutation(n0,n1)", "336"),
        ("17 and 5", "reminder(n0,n1)", "2"),
        ("12 and 18", "gcd(n0,n1)|lcm(#0,const_4)", "12"),
        ("6", "factorial(n0)", "720"),
        ("169", "square_edge_by_area(n0)", "13"),
        ("7", "circle_area(n0)", "153.938040026"),
        ("3 and 4", "diagonal(n0,n1)", "5"),
        ("3, 4 and 5", "triangle_area_three_edges(n0,n1,n2)", "6"),
        ("5", "volume_cube(n0)", "125"),
        ("3 and 4", "rectangle_perimeter(n0,n1)", "14"),
        ("2 and 3 and 4", "surface_rectangular_prism(n0,n1,n2)", "52"),
        ("20% gain on 300", "p_after_gain(n0,n1)", "360"),
        ("20% loss on 300", "p_after_loss(n0,n1)", "240"),
        ("20% gain to 300", "original_price_before_gain(n0,n1)", "250"),
        ("15 down and 5 up", "stream_speed(n0,n1)", "5"),
        ("0.2", "negate_prob(n0)", "0.8"),
        ("36", "multiply(n0,const_0_2778)", "10"),
        ("2", "multiply(n0,const_3_6)", "7.2"),
        ("180", "multiply(const_pi,n0)|divide(#0,const_pi)", "180"),
    ],
)
def test_a_formula_computes_its_result(question: str, formula: str, written: str) -> None:
    result = translated(question, formula)
    trace = execute(result.program, Problem(question), EXTENDED)
    assert trace.output == (written, "<EOR>", "<EOS>")
    assert result.letter is None


def test_a_fraction_is_used_whole() -> None:
    result = translated("He ate 3/4 of 8 pies", "divide(n0,n1)|multiply(n2,#0)", "5", "6")
    assert "Fraction_to_Float(x3) -> m" in [str(z) for z in result.program]
    assert result.letter == "B"


def test_a_number_is_read_once() -> None:
    program = translated("Of 100", "multiply(n0,n0)|add(#0,n0)|add(#1,const_2)|add(#2,const_2)")
    reads = [z for z in program.program if z.operation == "Str_to_Float"]
    assert len(reads) == 2  # the 100 of the question and the constant 2


@pytest.mark.parametrize(
    ("option", "written"),
    [("33.33", "33.33"), ("33.3", "33.3"), ("33", "33"), ("100/3", "100/3")],
)
def test_the_result_is_written_so_that_an_option_is_found(option: str, written: str) -> None:
    problem = with_formula("100 in 3", "divide(n0,n1)", "7", option, "9")
    result = translate(problem)
    assert result.letter == "B"
    output = execute(result.program, problem, EXTENDED).output
    assert output[0] == written


def test_no_option_is_found_that_is_not_there() -> None:
    assert translated("100 in 3", "divide(n0,n1)", "7", "33.4", "9").letter is None


def test_an_option_with_a_percent_sign_is_found() -> None:
    result = translated("20 of 80", "divide(n0,n1)|multiply(#0,const_100)", "20 %", "25 %")
    assert result.letter == "B"


def test_a_formula_need_not_be_right() -> None:
    wrong = with_formula("12 and 4", "add(n0,n1)", "16", "48", correct="B")
    assert translate(wrong).letter == "A"
    assert not translate(wrong).yields_label(wrong)
    lost = with_formula("12 and 4", "divide(n0,n1)", "16", "48", correct="B")
    assert translate(lost).letter is None
    assert not translate(lost).yields_label(lost)


@pytest.mark.parametrize(
    ("formula", "complaint"),
    [
        (None, "there is no formula"),
        ("", "there is no formula"),
        (" | ", "there is no formula"),
        (7, "there is no formula"),
        ("multiply(n0,n9)", "the question has no number 9"),
        ("add(n0)", "add takes 2 numbers"),
        ("circle_area(n0,n1)", "circle_area takes 1 numbers"),
        ("divine(n0,n1)", "there is no operation divine"),
        ("add(n0,const_many)", "there is no constant many"),
        ("add(n0,#0)", "#0 is neither a number, a constant nor a result"),
        ("add(n0,seven)", "seven is neither"),
        ("add n0 n1", "is no step of a formula"),
        ("subtract(n0,n0)|divide(n1,#0)", "Divide"),
        ("add(n2,n0)", "number 2 is half of the fraction 3/4"),
    ],
)
def test_what_cannot_be_translated_gets_a_reason(formula: object, complaint: str) -> None:
    with pytest.raises(FormulaError, match=complaint):
        translate(with_formula("12 boxes, 4 pens and 3/4", formula))


def test_most_real_formulas_yield_their_label(data_folder: Path) -> None:
    count = yielding = 0
    for problem in map(normalise, read_problems(data_folder / "mathqa" / "heldout.jsonl.gz")):
        count += 1
        try:
            result = translate(problem)
        except FormulaError:
            continue
        yielding += result.yields_label(problem)
        trace = execute(result.program, problem, EXTENDED)
        assert trace.answer == result.letter
    assert yielding / count >= 0.55
