"""What people type first: tests/cases/typed.tsv, written as a specification.

SCRATCHWORK_TYPED names another file of such cases: `typed-apart.tsv`, which nothing is fitted to.
"""

import math
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from scratchwork import Problem, audit
from scratchwork.exact.answering import exact_solution, solution_without_model
from scratchwork.problems.typed import typed_problem
from scratchwork.solution import Solution


class Case(NamedTuple):
    """A typed input, and what must come out."""

    problem: Problem
    wanted: str


def read_cases() -> dict[str, list[Case]]:
    """The cases by kind."""
    cases: dict[str, list[Case]] = defaultdict(list)
    name = os.environ.get("SCRATCHWORK_TYPED", "typed.tsv")
    rows = Path(__file__).parents[1].joinpath("cases", name).read_text("utf-8").split("\n")
    for row in filter(None, rows[1:]):
        kind, question, options, wanted, *_ = row.split("\t")
        texts = options.split(" | ") if options else []
        cases[kind].append(Case(typed_problem(question.replace("⏎", "\n"), texts), wanted))
    return cases


CASES = read_cases()
SIGN_OF_ERROR = {
    "zero": "divided by zero", "large": "too large", "no solution": "no solution",
    "every number": "every number", "many solutions": "many solutions", "not real": "not real",
    "whole": "whole numbers", "no mode": "no mode", "not a term": "not a term",
    "bracket": "bracket", "degree": "degree", "unknowns": "unknowns",
}  # fmt: skip
SURD = re.compile(r"(\d*)√(\d+)")


def value_of(text: str) -> float:
    """`-3/4`, `2√3`, `1 - √2` or `(1 + √5)/2` as a number."""
    if quotient := re.fullmatch(r"\((.+)\)/(\d+)", text):
        return value_of(quotient[1]) / int(quotient[2])
    if total := re.fullmatch(r"(\S+) ([+-]) (\S+)", text):
        right = value_of(total[3])
        return value_of(total[1]) + (right if total[2] == "+" else -right)
    if text.startswith("-"):
        return -value_of(text[1:])
    if surd := SURD.fullmatch(text):
        return int(surd[1] or 1) * math.sqrt(int(surd[2]))
    over, _, under = text.replace(",", "").partition("/")
    return float(over) / float(under or 1)


def alternatives(text: str) -> list[dict[str, float]]:
    """What is said of each unknown, or of the value, which has no name, in each case."""
    cases: list[dict[str, float]] = []
    for case in text.replace("≈", "=").split(" or "):
        parts = [part.rpartition("=") for part in re.split(r", (?=[^\W\d])", case)]
        cases.append({name.strip(): value_of(value.strip()) for name, _, value in parts})
    return sorted(cases, key=lambda case: [case[name] for name in sorted(case)])


def are_same(said: str | None, wanted: str) -> bool:
    """Whether two answers are the same, however their numbers are written."""
    if said is None or said == wanted:
        return said == wanted
    try:
        ours, theirs = alternatives(said), alternatives(wanted)
    except ValueError:
        return False
    return len(ours) == len(theirs) and all(
        a.keys() == b.keys() and all(math.isclose(a[name], b[name], abs_tol=1e-12) for name in a)
        for a, b in zip(ours, theirs, strict=True)
    )


def is_right(case: Case, solution: Solution | None) -> bool:
    if case.wanted == "not exact":
        return solution is None
    if solution is None:
        return False
    if case.wanted == "nothing":
        return solution.note is not None and solution.value is None and solution.answer is None
    if case.wanted.startswith("error: "):
        sign = SIGN_OF_ERROR[case.wanted.removeprefix("error: ")]
        return sign in (solution.note or "").lower() and solution.value is None
    if case.wanted == "no option":
        return solution.answer is None and "None of the options" in (solution.note or "")
    if case.problem.options:
        return solution.answer == case.wanted
    return solution.is_exact and are_same(solution.value, case.wanted)


@pytest.mark.parametrize("kind", CASES)
def test_each_typed_input_is_answered_left_or_refused_as_it_should_be(kind: str) -> None:
    wrong: list[tuple[str, str, str | None]] = []
    for case in CASES[kind]:
        solution = solution_without_model(case.problem)
        if not is_right(case, solution):
            said = None if solution is None else solution.answer or solution.value or solution.note
            wrong.append((case.problem.question, case.wanted, said))
    assert wrong == []


@pytest.mark.skipif("SCRATCHWORK_TYPED" in os.environ, reason="promised of the main file")
def test_there_are_enough_inputs_and_a_third_of_them_are_traps() -> None:
    count = sum(map(len, CASES.values()))
    traps = sum(len(cases) for kind, cases in CASES.items() if kind.startswith("trap"))
    assert count >= 250
    assert traps * 3 >= count


def test_the_audit_finds_no_false_equation_in_an_exact_derivation() -> None:
    faults: list[tuple[str, str]] = []
    for case in (case for cases in CASES.values() for case in cases):
        solution = exact_solution(case.problem)
        if solution is None or not solution.is_exact:
            continue
        read, rationale = solution.trace.problem, solution.rationale
        told = Problem(read.question, read.options, rationale=rationale, correct=solution.answer)
        if audit(told).false_equations:
            faults.append((read.question, rationale))
    assert faults == []


def test_an_exact_answer_is_sure_and_a_refusal_is_not() -> None:
    computed, refused = (
        solution_without_model(typed_problem(question)) for question in ("2 + 3", "1/0")
    )
    assert computed is not None
    assert (computed.value, computed.confidence, computed.guess) == ("5", 1.0, False)
    assert refused is not None
    assert (refused.value, refused.answer, refused.confidence) == (None, None, 0.0)
