import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from scratchwork import EXTENDED, Problem, Program, audit, execute
from scratchwork.explaining.styles import STYLES, Style
from scratchwork.machine.execution import CheckedProgram
from scratchwork.machine.options import OptionIndex
from scratchwork.plans.plan import plan_of
from scratchwork.problems.numerals import number_of
from scratchwork.solution import Solution
from scratchwork.solver import search as search_module
from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.saving import load_solver
from scratchwork.solver.search import PlanSearch, PlanSettings
from scratchwork.solver.symbols import LONGEST_PLAN
from tests.solver.samples import HELD_OUT, made

PROBLEMS = [generated.problem for generated in made(10, HELD_OUT)]
ORDER = [2, 4, 1, 0, 3]
WALK = "How far does Ann get in 6 hours, at 7 km an hour?"


@pytest.fixture(scope="module")
def search(tiny_solver: Path) -> PlanSearch:
    return PlanSearch(load_solver(tiny_solver), PlanSettings(beam=16))


def solve(search: PlanSearch, problems: list[Problem]) -> list[Solution]:
    steps = list(search.steps(problems))
    assert [step.place for step in steps] == list(range(len(problems)))
    assert all(step.is_last for step in steps)
    assert [step.solution.trace.problem for step in steps] == problems
    return [step.solution for step in steps]


def shares(solution: Solution) -> dict[str, float]:
    """The share of each option, by its text."""
    options, votes = solution.trace.problem.options, solution.votes
    return {option: votes[letter] for letter, option in zip("ABCDEFGHIJ", options, strict=False)}


@pytest.fixture(scope="module")
def solutions(search: PlanSearch) -> list[Solution]:
    return solve(search, PROBLEMS)


def test_every_option_has_a_program_of_the_machine_that_gives_its_letter(
    solutions: list[Solution],
) -> None:
    for solution in solutions:
        problem = solution.trace.problem
        assert sorted(c.answer or "" for c in solution.candidates) == list(problem.letters)
        for candidate in solution.candidates:
            trace = execute(candidate.trace.program, problem, EXTENDED)
            assert trace.output == candidate.trace.output
            assert trace.answer == candidate.answer


def test_votes_are_probabilities_and_the_best_is_the_most_probable(
    solutions: list[Solution],
) -> None:
    for solution in solutions:
        logs = [candidate.log_probability for candidate in solution.candidates]
        assert logs == sorted(logs, reverse=True)
        assert sum(map(math.exp, logs)) == pytest.approx(1, abs=1e-4)
        assert next(iter(solution.votes)) == solution.answer


def test_an_option_that_no_plan_reaches_is_stated_and_called_a_guess(
    solutions: list[Solution],
) -> None:
    candidates = [candidate for solution in solutions for candidate in solution.candidates]
    derived = [c for c in candidates if not c.guess]
    stated = [c for c in candidates if c.guess]
    assert all("Check" in {z.operation for z in c.trace.program} for c in derived)
    assert all(c.trace.output == ("<EOR>", c.answer, "<EOS>") for c in stated)
    assert derived
    assert stated


@pytest.mark.parametrize("style", STYLES)
def test_no_program_is_executed_twice(
    style: Style, search: PlanSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    executed: list[tuple[Program, tuple[str, ...]]] = []
    run = CheckedProgram.run

    def counted(checked: CheckedProgram, source: Sequence[str], options: OptionIndex) -> Any:
        executed.append((checked.program, tuple(source)))
        return run(checked, source, options)

    monkeypatch.setattr(CheckedProgram, "run", counted)
    four = Problem(WALK, ("13 km", "42 km", "1 km", "none of these"))
    solved = solve(search.with_style(style), [four, *PROBLEMS, Problem(WALK)])
    for solution in solved:
        assert solution.to_json()["trace"] == solution.trace.to_json()
    assert set(Counter(executed).values()) == {1}
    kept = {c.trace.program for solution in solved for c in solution.candidates}
    assert kept <= {program for program, _ in executed}


def test_words_cannot_be_reached(search: PlanSearch) -> None:
    (some,) = solve(search, [Problem(WALK, ("42 km", "13 km", "none of these"))])
    (words,) = [candidate for candidate in some.candidates if candidate.answer == "C"]
    assert words.guess
    assert some.answer == "A"
    assert not some.guess


def test_the_order_of_the_options_does_not_matter(
    search: PlanSearch, solutions: list[Solution]
) -> None:
    permuted = [
        replace(problem, options=tuple(problem.options[k] for k in ORDER), correct=None)
        for problem in PROBLEMS
        if len(problem.options) == len(ORDER)
    ]
    before = {solution.trace.problem.question: solution for solution in solutions}
    for after in solve(search, permuted):
        known = before[after.trace.problem.question]
        assert shares(after) == pytest.approx(shares(known), rel=1e-2, abs=1e-4)
        assert after.value == known.value


@pytest.mark.parametrize("count", [2, 3, 7, 10])
def test_there_may_be_fewer_or_more_than_five_options(search: PlanSearch, count: int) -> None:
    options = tuple(f"{n} km" for n in (42, 13, 41, 43, 7, 6, 1, 55, 60, 420))[:count]
    few, five = solve(search, [Problem(WALK, options[::-1]), PROBLEMS[0]])
    assert few.answer == "ABCDEFGHIJ"[count - 1]
    assert len(few.candidates) == count
    assert len(five.candidates) == 5


def test_without_options_plans_vote_for_numbers(search: PlanSearch) -> None:
    for best in solve(search, [Problem(problem.question) for problem in PROBLEMS]):
        assert best.votes == {}
        weights = [math.exp(candidate.log_probability) for candidate in best.candidates]
        assert weights == sorted(weights, reverse=True)
        assert 0 < sum(weights) < 1 + 1e-6
        assert best.confidence == weights[0]
        assert (best.answer, best.is_derived) == (None, True)
        found = [Solution((candidate,)) for candidate in best.candidates]
        written = [solution.value for solution in found]
        assert None not in written
        for solution in found:
            values = [step.value for step in solution.trace.steps]
            numbers = [value for value in values if isinstance(value, float)]
            number = number_of(solution.value or "")
            assert any(one == pytest.approx(number, rel=1e-9) for one in numbers)


def test_the_same_problem_has_the_same_solution_whatever_is_solved_beside_it(
    search: PlanSearch, solutions: list[Solution]
) -> None:
    assert solve(search, PROBLEMS) == solutions
    alone = PlanSearch(search.saved, replace(search.settings, at_once=1))
    for one, among_others in zip(solve(alone, PROBLEMS), solutions, strict=True):
        assert one.program == among_others.program
        assert one.votes == pytest.approx(among_others.votes, rel=1e-2, abs=1e-4)


def test_where_no_plan_is_found_the_answer_is_a_guess(
    search: PlanSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = torch.full((2, 1), math.nan, dtype=torch.float64)
    nowhere = torch.full((2, 1, LONGEST_PLAN), -1)
    none = FoundPlans(nowhere, torch.full_like(nothing, -math.inf), nothing, nowhere[..., 0])
    monkeypatch.setattr(search_module, "find_plans", lambda *_: none)
    choice, free = solve(search, [Problem(WALK, ("42 km", "13 km")), Problem(WALK)])
    assert all(candidate.guess for candidate in choice.candidates)
    assert sum(choice.votes.values()) == pytest.approx(1)
    assert (free.guess, free.answer, free.value) == (True, None, None)
    assert free.rationale == ""
    assert free.confidence < 0.01


def test_the_style_changes_the_derivations_and_nothing_else(
    search: PlanSearch, solutions: list[Solution]
) -> None:
    terse = solve(search.with_style("terse"), PROBLEMS)
    for plain, told in zip(terse, solutions, strict=True):
        assert (plain.answer, plain.value, plain.votes) == (told.answer, told.value, told.votes)
        pairs = zip(plain.candidates, told.candidates, strict=True)
        assert all(plan_of(one.trace) == plan_of(other.trace) for one, other in pairs)
        assert plain.guess or "Answer:" in plain.rationale
        assert told.guess or f"which is option {told.answer}." in told.rationale


def test_the_audit_finds_nothing_in_a_derivation_whatever_its_style(
    search: PlanSearch, solutions: list[Solution]
) -> None:
    for some in (*solutions[:4], *solve(search.with_style("terse"), PROBLEMS[:4])):
        trace = some.trace
        found = audit(replace(trace.problem, rationale=trace.rationale, correct=trace.answer))
        assert found.complaints == ()


def test_the_facts_tell_what_the_solution_depends_on(search: PlanSearch) -> None:
    assert search.facts["beam"] == 16
    assert search.facts["style"] == "sentences"
    more = search.with_beam(20)
    assert more.facts == {**search.facts, "beam": 20}
    wider = PlanSearch(search.saved, replace(search.settings, at_once=2))
    assert wider.facts == search.facts
