import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from scratchwork import EXTENDED, Problem, audit, execute
from scratchwork.paper.decoded import Decoded
from scratchwork.plans.compiling import RationaleItem, WrittenResult
from scratchwork.plans.plan import Given, Result, plan_of
from scratchwork.problems.numerals import number_of
from scratchwork.solver import search as search_module
from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.reading import read_problem
from scratchwork.solver.saving import load_solver
from scratchwork.solver.search import PlanSearch, PlanSettings
from scratchwork.solver.symbols import LONGEST_PLAN, rationale_to_choices
from scratchwork.solving import solution_of
from tests.solver.samples import HELD_OUT, made

PROBLEMS = [generated.problem for generated in made(10, HELD_OUT)]
ORDER = [2, 4, 1, 0, 3]
WALK = "How far does Ann get in 6 hours, at 7 km an hour?"


@pytest.fixture(scope="module")
def search(tiny_solver: Path) -> PlanSearch:
    return PlanSearch(load_solver(tiny_solver), PlanSettings(samples=16, words=False))


def decode(search: PlanSearch, problems: list[Problem]) -> list[Decoded]:
    steps = list(search.steps(problems))
    assert [step.place for step in steps] == list(range(len(problems)))
    assert all(step.is_last for step in steps)
    return [step.decoded for step in steps]


def answers(decoded: Decoded) -> dict[str, float]:
    """The share of each option, by its text."""
    options = decoded.problem.options
    votes = decoded.votes()
    return {option: votes[letter] for letter, option in zip("ABCDEFGHIJ", options, strict=False)}


@pytest.fixture(scope="module")
def decoded(search: PlanSearch) -> list[Decoded]:
    return decode(search, PROBLEMS)


def test_every_option_has_a_program_of_the_machine_that_gives_its_letter(
    decoded: list[Decoded],
) -> None:
    for some in decoded:
        assert sorted(h.letter or "" for h in some.hypotheses) == list(some.problem.letters)
        for hypothesis in some.hypotheses:
            trace = execute(hypothesis.program, some.problem, EXTENDED)
            assert trace.output == hypothesis.tokens
            assert trace.answer == hypothesis.letter


def test_votes_are_probabilities_and_the_best_is_the_most_probable(decoded: list[Decoded]) -> None:
    for some in decoded:
        logs = [hypothesis.log_probability for hypothesis in some.hypotheses]
        assert logs == sorted(logs, reverse=True)
        assert sum(map(math.exp, logs)) == pytest.approx(1, abs=1e-4)
        assert some.vote() == some.best.letter


def test_an_option_that_no_plan_reaches_is_stated_and_marked_so(decoded: list[Decoded]) -> None:
    derived = [h for some in decoded for h in some.hypotheses if not h.forced]
    stated = [h for some in decoded for h in some.hypotheses if h.forced]
    assert all("Check" in {z.operation for z in h.program} for h in derived)
    assert all(h.tokens == ("<EOR>", h.letter, "<EOS>") for h in stated)
    assert derived
    assert stated


def test_words_cannot_be_reached(search: PlanSearch) -> None:
    (some,) = decode(search, [Problem(WALK, ("42 km", "13 km", "none of these"))])
    (words,) = [hypothesis for hypothesis in some.hypotheses if hypothesis.letter == "C"]
    assert words.forced
    assert some.best.letter == "A"
    assert not some.best.forced


def test_the_order_of_the_options_does_not_matter(
    search: PlanSearch, decoded: list[Decoded]
) -> None:
    permuted = [
        replace(problem, options=tuple(problem.options[k] for k in ORDER), correct=None)
        for problem in PROBLEMS
        if len(problem.options) == len(ORDER)
    ]
    before = {some.problem.question: some for some in decoded}
    for after in decode(search, permuted):
        known = before[after.problem.question]
        assert answers(after) == pytest.approx(answers(known), rel=1e-2, abs=1e-4)
        assert solution_of(after).value == solution_of(known).value


@pytest.mark.parametrize("count", [2, 3, 7, 10])
def test_there_may_be_fewer_or_more_than_five_options(search: PlanSearch, count: int) -> None:
    options = tuple(f"{n} km" for n in (42, 13, 41, 43, 7, 6, 1, 55, 60, 420))[:count]
    few, five = decode(search, [Problem(WALK, options[::-1]), PROBLEMS[0]])
    assert few.best.letter == "ABCDEFGHIJ"[count - 1]
    assert len(few.hypotheses) == count
    assert len(five.hypotheses) == 5


def test_without_options_plans_vote_for_numbers(search: PlanSearch) -> None:
    for some in decode(search, [Problem(problem.question) for problem in PROBLEMS]):
        assert (some.vote(), some.votes()) == (None, {})
        shares = [math.exp(hypothesis.log_probability) for hypothesis in some.hypotheses]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) < 1 + 1e-6
        best = solution_of(some)
        assert best.confidence == shares[0]
        assert (best.answer, best.guess) == (None, False)
        found = [solution_of(replace(some, hypotheses=(h,))) for h in some.hypotheses]
        written = [solution.value for solution in found]
        assert None not in written
        for solution in found:
            values = [step.value for step in solution.trace.steps]
            last = next(value for value in reversed(values) if isinstance(value, float))
            if last >= 0:
                assert number_of(solution.value or "") == pytest.approx(last, rel=1e-9)


def test_the_same_problem_has_the_same_solution_whatever_is_solved_beside_it(
    search: PlanSearch, decoded: list[Decoded]
) -> None:
    assert decode(search, PROBLEMS) == decoded
    alone = PlanSearch(search.saved, replace(search.settings, at_once=1))
    for one, among_others in zip(decode(alone, PROBLEMS), decoded, strict=True):
        assert one.best.program == among_others.best.program
        assert one.votes() == pytest.approx(among_others.votes(), rel=1e-2, abs=1e-4)


def test_where_no_plan_is_found_the_answer_is_a_guess(
    search: PlanSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = torch.full((2, 1), math.nan, dtype=torch.float64)
    nowhere = torch.full((2, 1, LONGEST_PLAN), -1)
    none = FoundPlans(nowhere, torch.full_like(nothing, -math.inf), nothing, nowhere[..., 0])
    monkeypatch.setattr(search_module, "find_plans", lambda *_: none)
    choice, free = decode(search, [Problem(WALK, ("42 km", "13 km")), Problem(WALK)])
    assert all(hypothesis.forced for hypothesis in choice.hypotheses)
    assert sum(choice.votes().values()) == pytest.approx(1)
    solution = solution_of(free)
    assert (solution.guess, solution.answer, solution.value) == (True, None, None)
    assert solution.rationale == ""
    assert solution.confidence < 0.01


def test_words_change_the_rationale_of_the_best_alone_and_say_nothing_false(
    search: PlanSearch,
) -> None:
    speaking = PlanSearch(search.saved, replace(search.settings, words=True))
    worded = decode(speaking, PROBLEMS[:3])
    for some, plain in zip(worded, decode(search, PROBLEMS[:3]), strict=True):
        assert some.hypotheses[1:] == plain.hypotheses[1:]
        assert some.best.log_probability == plain.best.log_probability
        trace, explained = (execute(z.best.program, z.problem, EXTENDED) for z in (some, plain))
        assert trace.answer == explained.answer
        assert plan_of(trace) == plan_of(explained)
        found = audit(replace(some.problem, rationale=trace.rationale, correct=trace.answer))
        assert found.false_equations == ()
        assert found.answer is None or found.answer.follows is not False
    alone = replace(speaking.settings, at_once=1)
    again = decode(PlanSearch(search.saved, alone), PROBLEMS[:2])
    assert [z.best.tokens for z in again] == [z.best.tokens for z in worded[:2]]


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
    solution = solution_of(decode(speaking, [problem])[0])
    assert solution.answer == "B"
    assert solution.rationale.startswith("Ann walks") == is_taken


def test_the_facts_tell_what_the_solution_depends_on(search: PlanSearch) -> None:
    assert search.facts["samples"] == 16
    more = search.with_samples(20)
    assert more.facts == {**search.facts, "samples": 20}
    wider = PlanSearch(search.saved, replace(search.settings, at_once=2))
    assert wider.facts == search.facts
