import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given

from scratchwork import (
    EXTENDED,
    ExecutionError,
    Problem,
    Trace,
    audit,
    detokenise,
    execute,
    tokenise,
)
from scratchwork.auditing.equations import equations_in
from scratchwork.explaining.sentences import explain_in_sentences
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.machine.writing import decimals
from scratchwork.plans.expressions import parse_plan
from scratchwork.plans.plan import Given, Plan, PlanConstant, plan_of
from scratchwork.problems.numerals import number_of
from scratchwork.problems.tokens import is_number
from tests.explaining.test_terse import FREE, false_equations, invented
from tests.explaining.told import CASES, Case
from tests.plans.random_plans import PROBLEM, plans_with_unknowns, random_plans

AUDITED = 25
"""Audits are slow."""


@pytest.fixture(scope="module")
def made() -> list[tuple[Problem, Plan, Trace]]:
    """Generated problems with their plans, and the traces of their explanations."""
    return list(_made(210))


def _made(count: int) -> Iterator[tuple[Problem, Plan, Trace]]:
    for generated in generate(load_families(), count, seed=19):
        problem = generated.problem
        plan = plan_of(execute(generated.program, problem, EXTENDED))
        if plan is not None:
            yield problem, plan, explain_in_sentences(plan, problem)


def told(question: str, expression: str, *options: str) -> list[str]:
    trace = explain_in_sentences(parse_plan(expression, question), Problem(question, options))
    return trace.rationale.split("\n")


@pytest.mark.parametrize("case", CASES, ids=[case.question[:30] for case in CASES])
def test_a_plan_is_explained_as_a_teacher_would(case: Case) -> None:
    assert told(case.question, case.expression, *case.options) == [*case.sentences]


@pytest.mark.parametrize("case", CASES, ids=[case.question[:30] for case in CASES])
def test_the_audit_finds_nothing_in_what_a_teacher_would_say(case: Case) -> None:
    letter = "AB"[: len(case.options)][:1] or None
    rationale = "\n".join(case.sentences)
    problem = Problem(case.question, case.options, rationale)
    stated = "B" if "option B" in rationale else letter
    assert audit(replace(problem, correct=stated)).complaints == ()


def test_a_generated_problem_is_explained_to_its_letter_by_its_plan(
    made: list[tuple[Problem, Plan, Trace]],
) -> None:
    assert len(made) > 200
    for problem, plan, trace in made:
        assert trace.answer == problem.correct
        assert plan_of(trace) == plan
        assert f"option {problem.correct}." in trace.rationale


def test_no_equation_is_false_and_no_number_invented(
    made: list[tuple[Problem, Plan, Trace]],
) -> None:
    for _, _, trace in made:
        assert false_equations(trace) == []
        assert invented(trace) == set()


def test_the_audit_finds_nothing(made: list[tuple[Problem, Plan, Trace]]) -> None:
    for problem, _, trace in made[:AUDITED]:
        assert audit(replace(problem, rationale=trace.rationale)).complaints == ()


def test_a_slip_in_any_result_is_found(made: list[tuple[Problem, Plan, Trace]]) -> None:
    rng = random.Random(7)
    planted = 0
    for _, plan, trace in made:
        tokens = tokenise(trace.rationale)
        results = [e.result for e in equations_in(tokens) if e.result is not None]
        if not results:
            assert not plan.steps or not {"=", "≈"} & {*tokens}
            continue
        place = rng.choice(results)
        tokens[place] = slipped(tokens[place], rng)
        planted += 1
        assert False in [equation.holds for equation in equations_in(tokens)], detokenise(tokens)
    assert planted > 180


def slipped(numeral: str, rng: random.Random) -> str:
    """A numeral with one wrong digit."""
    digits = [k for k, sign in enumerate(numeral) if sign.isdigit()]
    while True:
        k = rng.choice(digits)
        other = f"{numeral[:k]}{rng.choice('0123456789')}{numeral[k + 1 :]}"
        is_one = tokenise(other) == [other] and number_of(other) is not None
        if is_one and number_of(other) != number_of(numeral):
            return other


def test_another_number_than_that_of_the_option_is_found(
    made: list[tuple[Problem, Plan, Trace]],
) -> None:
    rng = random.Random(8)
    found = 0
    for problem, _, trace in made[:AUDITED]:
        *lines, last = trace.rationale.split("\n")
        tokens = tokenise(last)
        numbers = [k for k, token in enumerate(tokens) if is_number(token)]
        if "about" in tokens or len(numbers) != 1:
            continue
        tokens[numbers[0]] = slipped(tokens[numbers[0]], rng)
        rationale = "\n".join([*lines, detokenise(tokens)])
        assert audit(replace(problem, rationale=rationale)).complaints != (), rationale
        found += 1
    assert found > 15


@given(random_plans())
def test_any_plan_is_explained_by_true_sentences_or_refused(plan: Plan) -> None:
    for problem in (PROBLEM, FREE):
        try:
            trace = explain_in_sentences(plan, problem)
        except ExecutionError:
            continue
        assert false_equations(trace) == []
        assert invented(trace) == set()
        assert (trace.answer is None) == (problem is FREE)
        for line in trace.rationale.split("\n"):
            assert line.endswith(".")
            assert "  " not in line
            assert not line[0].islower()
        assert len(set(trace.rationale.split("\n"))) == len(trace.rationale.split("\n"))


@given(plans_with_unknowns())
def test_a_plan_with_unknowns_is_explained_by_true_sentences_or_refused(plan: Plan) -> None:
    try:
        trace = explain_in_sentences(plan, FREE)
    except ExecutionError as error:
        assert error.kind in ("domain", "range")
        return
    assert false_equations(trace) == []
    assert invented(trace) == set()
    assert trace.rationale.startswith("Let ")


def test_a_derivation_has_fractions_or_decimals_and_never_both(
    made: list[tuple[Problem, Plan, Trace]],
) -> None:
    for problem, _, trace in made:
        *lines, _ = trace.rationale.split("\n")
        given_numbers = set(tokenise(problem.question))
        computed = {token for line in lines for token in tokenise(line)} - given_numbers
        numerals = [token for token in computed if is_number(token)]
        has_decimals = any(decimals(token) for token in numerals)
        has_fractions = any("/" in token for token in numerals)
        if any("/" in option for option in problem.options):
            continue  # the option may need the other notation
        assert not (has_decimals and has_fractions), trace.rationale


def test_a_number_of_the_question_may_be_the_answer() -> None:
    problem = Problem("Which number is it, 5 or 6?", ("5", "6"))
    trace = explain_in_sentences(Plan((), Given(6)), problem)
    assert trace.rationale == "The answer is 5, which is option A."
    trace = explain_in_sentences(Plan((), PlanConstant("6")), replace(problem, options=()))
    assert trace.rationale == "The answer is 6."


@pytest.mark.parametrize(
    ("option", "calculated", "conclusion"),
    [
        ("86.3462", "≈ 86.3462", "So the answer is about 86.3462"),
        ("86.35", "≈ 86.35", "So the answer is about 86.35"),
        ("86.3 %", "≈ 86.3462 ≈ 86.3", "Rounded to one decimal, the answer is 86.3%"),
        ("86 %", "≈ 86.3462 ≈ 86", "Rounded to a whole number, the answer is 86%"),
        ("86.34", "≈ 86.3462", "Rounded down to two decimals, the answer is 86.34"),
        ("2245/26", "= 2245/26", "So the answer is 2245/26"),
    ],
)
def test_a_derivation_says_when_it_rounds(option: str, calculated: str, conclusion: str) -> None:
    assert told("Take 4490 and 52.", "n1 / n2", "7", option) == [
        f"We have 4490 ÷ 52 {calculated}.",
        f"{conclusion}, which is option B.",
    ]


def test_an_answer_that_is_no_option_is_refused() -> None:
    with pytest.raises(ExecutionError, match="option"):
        told("Take 100 and 3.", "n1 / n2", "7", "34")


def test_units_that_clash_are_not_shown() -> None:
    lines = told("Ann walks 5 km in 20 minutes, and sleeps 8 hours.", "n1 + n2 + n3")
    assert lines == ["We have 5 + 20 + 8 = 33.", "So the answer is 33."]


def test_millions_are_not_taken_for_single_dollars() -> None:
    lines = told("A firm gets $5 million, then $20 million.", "n1 / n3")
    assert lines[0] == "We have 5 ÷ 20 = 0.25."
