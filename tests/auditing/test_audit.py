import random
from dataclasses import replace

import pytest

from scratchwork import Problem, detokenise, tokenise
from scratchwork.auditing.audit import AnswerAudit, Audit, NumberAudit, audit, stated_letter
from scratchwork.auditing.corpus import Summary, audit_all
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.parallel import Workers
from scratchwork.problems.numerals import number_of

CLIPS = Problem(
    "Natalia sold 48 clips in April and half as many in May. How many altogether?",
    ("64", "72", "96"),
    "In May she sold 48/2 = 24 clips. Altogether 48 + 24 = 72. The answer is B.",
    "B",
    id="clips",
)


def told(problem: Problem) -> list[tuple[str, str, str]]:
    return [(number.token, number.status, number.how) for number in audit(problem).numbers]


def number(result: Audit, token: str) -> NumberAudit:
    return next(number for number in result.numbers if number.token == token)


def test_every_number_of_a_sound_rationale_is_accounted_for() -> None:
    assert told(CLIPS) == [
        ("48", "copied", "x3"),
        ("2", "constant", ""),
        ("24", "computed", "Divide(y5, y7)"),
        ("48", "copied", "x3"),
        ("24", "copied", "y9"),
        ("72", "computed", "Add(y13, y15)"),
    ]
    result = audit(CLIPS)
    assert result.holds
    assert result.answer == AnswerAudit("B", follows=True)


def test_the_worked_example_holds(kings: Problem) -> None:
    result = audit(kings)
    assert result.holds
    assert number(result, "1326").how == "Choose(y15, y17)"
    assert number(result, "1326").sources == ("y15", "y17")
    assert number(result, "1/221").how == "Divide(y48, y50)"
    assert [equation.text for equation in result.equations] == [
        "52C2 = 1326",
        "4C2 = 6",
        "6/1326 = 1/221",
    ]


def test_the_form_in_json_is_the_documented_one() -> None:
    assert audit(CLIPS).to_json() == {
        "id": "clips",
        "question": CLIPS.question,
        "options": ["64", "72", "96"],
        "rationale": CLIPS.rationale,
        "numbers": [
            {"token": "48", "position": 5, "status": "copied", "how": "x3", "why": ""},
            {"token": "2", "position": 7, "status": "constant", "how": "", "why": ""},
            {
                "token": "24",
                "position": 9,
                "status": "computed",
                "how": "Divide(y5, y7)",
                "why": "",
            },
            {"token": "48", "position": 13, "status": "copied", "how": "x3", "why": ""},
            {"token": "24", "position": 15, "status": "copied", "how": "y9", "why": ""},
            {
                "token": "72",
                "position": 17,
                "status": "computed",
                "how": "Add(y13, y15)",
                "why": "",
            },
        ],
        "equations": [
            {"text": "48/2 = 24 clips", "holds": True, "why": ""},
            {"text": "48 + 24 = 72", "holds": True, "why": ""},
        ],
        "answer": {"letter": "B", "follows": True, "why": ""},
        "supported": 1.0,
        "complaints": [],
    }


def test_the_form_in_json_says_why() -> None:
    form = audit(replace(CLIPS, rationale="It is 48 + 24 = 73. The answer is B.")).to_json()
    assert form["complaints"] == ["48 + 24 is 72, not 73."]
    assert form["equations"] == [
        {"text": "48 + 24 = 73", "holds": False, "why": "48 + 24 is 72, not 73."}
    ]


def test_a_false_equation_is_found() -> None:
    rationale = "In May she sold 48/2 = 24 clips. Altogether 48 + 24 = 73. The answer is B."
    result = audit(replace(CLIPS, rationale=rationale))
    assert [equation.text for equation in result.false_equations] == ["48 + 24 = 73"]
    assert not result.holds
    assert number(result, "73").status == "unsupported"
    assert result.supported == pytest.approx(5 / 6)
    assert result.to_json()["supported"] == 0.8333


def test_a_number_from_nowhere_is_unsupported() -> None:
    result = audit(replace(CLIPS, rationale="She sold 7919 clips."))
    assert told(replace(CLIPS, rationale="She sold 7919 clips.")) == [("7919", "unsupported", "")]
    assert result.supported == 0
    assert not result.holds


def test_a_calculation_that_the_text_does_not_back_is_no_support() -> None:
    problem = Problem("There are 48 clips.", rationale="So 2347 is it, as 48 * 48 + 43 shows.")
    assert number(audit(problem), "2347").status == "unsupported"


def test_another_spelling_is_a_copy() -> None:
    problem = Problem("He has 1,750 dollars.", rationale="1750 dollars = 1750")
    assert told(problem)[1][1:] == ("copied", "y1")


def test_a_rationale_without_numbers_is_supported() -> None:
    result = audit(Problem("Why?", rationale="Because."))
    assert result.numbers == ()
    assert result.supported == 1
    assert result.holds


@pytest.mark.parametrize(
    ("rationale", "expected"),
    [
        ("48/2 = 24; 48 + 24 = 72. The answer is B.", AnswerAudit("B", True)),
        ("48/2 = 24; 48 + 24 = 72. The answer is C.", AnswerAudit("C", False)),
        ("She sold many. The answer is C.", AnswerAudit("C", None)),
        ("48/2 = 24; 48 + 24 = 72.", AnswerAudit("B", True)),
    ],
)
def test_the_letter_follows_from_the_numbers_or_does_not(
    rationale: str, expected: AnswerAudit
) -> None:
    result = audit(replace(CLIPS, rationale=rationale))
    assert result.answer == expected
    assert result.holds == (expected.follows is not False)


def test_without_a_letter_nothing_is_said_of_it() -> None:
    assert audit(replace(CLIPS, options=(), correct=None)).answer is None
    assert audit(replace(CLIPS, correct=None, rationale="It is 48.")).answer is None
    assert audit(replace(CLIPS, options=(), correct=None)).to_json()["answer"] is None


def test_the_letter_stated_last_counts() -> None:
    assert stated_letter(tokenise("Answer is A. No, the answer is C."), "ABCDE") == "C"
    assert stated_letter(["It", "is", "so"], "ABCDE") is None


def test_an_option_of_words_neither_follows_nor_fails() -> None:
    problem = Problem(
        "Who sold 48?", ("Ann", "Bob"), "It was the one with 48. The answer is A.", "A"
    )
    assert audit(problem).answer == AnswerAudit("A", None)


def test_an_option_of_several_numbers_follows_from_all_of_them() -> None:
    problem = Problem(
        "Share 20 as 3 to 2.",
        ("12 and 8", "10 and 10"),
        "20 * 3/5 = 12 and 20 - 12 = 8. The answer is A.",
        "A",
    )
    assert audit(problem).answer == AnswerAudit("A", True)


def test_a_language_models_answer_is_understood() -> None:
    problem = replace(
        CLIPS,
        options=(),
        correct=None,
        rationale="**Step 1:** In May she sold $\\frac{48}{2} = 24$ clips.\n"
        "2. Total: \\(48 + 24 = 73\\).\n\n#### Answer: **73**",
    )
    result = audit(problem)
    assert [(e.text, e.holds) for e in result.equations] == [
        ("48/2 = 24 clips", True),
        ("48 + 24 = 73", False),
    ]
    assert [(n.token, n.status) for n in result.numbers] == [
        ("48", "copied"),
        ("2", "constant"),
        ("24", "computed"),
        ("48", "copied"),
        ("24", "copied"),
        ("73", "unsupported"),
        ("73", "copied"),
    ]
    assert result.problem is problem


def test_positions_count_the_tokens_of_the_rationale() -> None:
    result = audit(CLIPS)
    for each in result.numbers:
        assert result.tokens[each.position - 1] == each.token


@pytest.fixture(scope="module")
def generated_audits() -> list[Audit]:
    return [audit(generated.problem) for generated in generate(load_families(), 60, 11)]


def test_hardly_any_sound_rationale_is_accused(generated_audits: list[Audit]) -> None:
    accused = [result.problem.id for result in generated_audits if not result.holds]
    assert len(accused) <= 2, accused


def with_wrong_result(result: Audit, draw: random.Random) -> Problem | None:
    """The problem with the result of one equation changed, or None if it states no result."""
    results = [equation.result for equation in result.equations if equation.result is not None]
    if not results:
        return None
    at = draw.choice(results)
    token = result.tokens[at]
    top, slash, bottom = token.partition("/")
    value = number_of(top)
    assert value is not None
    wrong = f"{value + draw.choice([1, 2, 3, 10]):g}{slash}{bottom}"
    tokens = [*result.tokens[:at], wrong, *result.tokens[at + 1 :]]
    return replace(result.problem, rationale=detokenise(tokens))


def test_wrong_results_are_caught(generated_audits: list[Audit]) -> None:
    draw = random.Random(5)
    planted = [with_wrong_result(result, draw) for result in generated_audits]
    audits = [audit(problem) for problem in planted if problem is not None]
    assert len(audits) >= 50
    caught = sum(not result.holds for result in audits)
    assert caught / len(audits) >= 0.95
    by_equation = sum(bool(result.false_equations) for result in audits)
    assert by_equation / len(audits) >= 0.9


def test_many_are_audited_in_order_and_summed_up(kings: Problem) -> None:
    rationale = "48 + 48 = 96 and 48 + 24 = 73. So B"
    wrong = replace(CLIPS, id="wrong", rationale=rationale, origin="gsm8k")
    problems = [kings, wrong, replace(CLIPS, rationale=None), CLIPS]
    audits = list(audit_all(problems, Workers(1)))
    assert [result.problem.id for result in audits] == ["kings", "wrong", "clips"]
    summary = Summary()
    for result in audits:
        summary.add(result)
    assert [result.problem.id for result in summary.worst()] == ["wrong"]
    assert summary.tallies["aqua"].to_json()["holding"] == 1
    assert summary.tallies["gsm8k"].to_json() == {
        "rationales": 1,
        "holding": 0,
        "numbers": 6,
        "unsupported": 1,
        "equations": 2,
        "false_equations": 1,
        "letters": 1,
        "not_following": 1,
    }
    assert set(summary.tallies) == {"aqua", "gsm8k", "unknown"}


def test_several_processes_find_the_same(kings: Problem) -> None:
    problems = [replace(CLIPS, id=str(k)) for k in range(45)] + [kings]
    alone = [result.to_json() for result in audit_all(problems, Workers(1))]
    together = [result.to_json() for result in audit_all(problems, Workers(2))]
    assert together == alone
