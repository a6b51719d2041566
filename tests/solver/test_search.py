import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from scratchwork import EXTENDED, Problem, Program, audit, execute
from scratchwork.machine.execution import CheckedProgram
from scratchwork.machine.options import OptionIndex
from scratchwork.plans.compiling import RationaleItem, WrittenResult
from scratchwork.plans.plan import Given, Result, plan_of
from scratchwork.problems.numerals import number_of
from scratchwork.solution import Solution
from scratchwork.solver import search as search_module
from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.reading import read_problem
from scratchwork.solver.saving import load_solver
from scratchwork.solver.search import PlanSearch, PlanSettings
from scratchwork.solver.symbols import LONGEST_PLAN, rationale_to_choices
from tests.solver.samples import HELD_OUT, made

PROBLEMS = [generated.problem for generated in made(10, HELD_OUT)]
ORDER = [2, 4, 1, 0, 3]
WALK = "How far does Ann get in 6 hours, at 7 km an hour?"


@pytest.fixture(scope="module")
def search(tiny_solver: Path) -> PlanSearch:
    return PlanSearch(load_solver(tiny_solver), PlanSettings(beam=16, words=False))


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


@pytest.mark.parametrize("words", [False, True])
def test_no_program_is_executed_twice(
    words: bool, search: PlanSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    executed: list[tuple[Program, tuple[str, ...]]] = []
    run = CheckedProgram.run

    def counted(checked: CheckedProgram, source: Sequence[str], options: OptionIndex) -> Any:
        executed.append((checked.program, tuple(source)))
        return run(checked, source, options)

    monkeypatch.setattr(CheckedProgram, "run", counted)
    worded = PlanSearch(search.saved, replace(search.settings, words=words))
    four = Problem(WALK, ("13 km", "42 km", "1 km", "none of these"))
    solved = solve(worded, [four, *PROBLEMS, Problem(WALK)])
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
            last = next(value for value in reversed(values) if isinstance(value, float))
            if last >= 0:
                assert number_of(solution.value or "") == pytest.approx(last, rel=1e-9)


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


def test_words_change_the_rationale_of_the_best_alone_and_say_nothing_false(
    search: PlanSearch,
) -> None:
    speaking = PlanSearch(search.saved, replace(search.settings, words=True))
    worded = solve(speaking, PROBLEMS[:3])
    for some, plain in zip(worded, solve(search, PROBLEMS[:3]), strict=True):
        assert some.candidates[1:] == plain.candidates[1:]
        assert some.log_probability == plain.log_probability
        trace, explained = some.trace, plain.trace
        assert trace.answer == explained.answer
        assert plan_of(trace) == plan_of(explained)
        found = audit(replace(trace.problem, rationale=trace.rationale, correct=trace.answer))
        assert found.false_equations == ()
        assert found.answer is None or found.answer.follows is not False
    alone = replace(speaking.settings, at_once=1)
    again = solve(PlanSearch(search.saved, alone), PROBLEMS[:2])
    assert [z.trace.output for z in again] == [z.trace.output for z in worded[:2]]


@pytest.mark.parametrize(
    ("sign", "item", "is_taken"),
    [
        ("*", WrittenResult(Result(0)), True),
        ("*", "far", False),
        ("-", WrittenResult(Result(0)), False),
    ],
    ids=["told", "left out", "false"],
)
def test_words_are_taken_if_they_tell_every_step_and_are_true(
    sign: str,
    item: RationaleItem,
    is_taken: bool,
    search: PlanSearch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = Problem("Ann walks 6 km each hour, for 7 hours. How far is that?", ("13 km", "42 km"))
    items: list[RationaleItem] = ["Ann", "walks", Given(3), sign, Given(9), "=", item, "km"]

    def canned(*_: object) -> list[int]:
        return rationale_to_choices(items, read_problem(problem, search.pieces), search.pieces)

    monkeypatch.setattr(search_module, "write_rationale", canned)
    speaking = PlanSearch(search.saved, replace(search.settings, words=True))
    (solution,) = solve(speaking, [problem])
    assert solution.answer == "B"
    assert solution.rationale.startswith("Ann walks") == is_taken


def test_the_facts_tell_what_the_solution_depends_on(search: PlanSearch) -> None:
    assert search.facts["beam"] == 16
    more = search.with_beam(20)
    assert more.facts == {**search.facts, "beam": 20}
    wider = PlanSearch(search.saved, replace(search.settings, at_once=2))
    assert wider.facts == search.facts
