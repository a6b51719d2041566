from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch

from scratchwork import Problem, execute, generate, load_families
from scratchwork.machine.operations import PAPER, OperationError, Value
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.programs import Program
from scratchwork.paper import stack_decoder
from scratchwork.paper.expansion import largest
from scratchwork.paper.layers import NEVER
from scratchwork.paper.program_model import ModelKind
from scratchwork.paper.programs import written_out
from scratchwork.paper.search_settings import SearchSettings
from scratchwork.paper.stack_decoder import decode, decode_in_steps
from scratchwork.paper.vocabulary import SPECIALS, UNKNOWN_WORD, Vocabulary, build_vocabulary
from scratchwork.problems.tokens import END_OF_RATIONALE, END_OF_SEQUENCE, source_tokens
from scratchwork.solution import Solution
from tests.paper.untrained import Named, named, random_model, teacher_forced
from tests.solver.samples import TRIAL

KINDS: tuple[ModelKind, ...] = ("program", "seq2seq", "copy-input", "copy-output")
QUICK = SearchSettings(beam=12, longest=6, most_kept=3)
ALL = 10**6
EVERYTHING = SearchSettings(beam=ALL, enough=ALL, certain=ALL, returned=ALL)

TINY = Vocabulary([*SPECIALS, END_OF_RATIONALE, END_OF_SEQUENCE, "A", "B", "4", "is"])
DOUBLE = Problem("Twice 2 is 5 or", ("4", "5 or 3"))


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    """Of few and plain families, so that new ones do not change what the tests see."""
    return [made.problem for made in generate(load_families(TRIAL), 50, seed=1)]


@pytest.fixture(scope="module")
def vocabulary(problems: list[Problem]) -> Vocabulary:
    return build_vocabulary(problems)


def outputs(solution: Solution) -> list[tuple[str, ...]]:
    return [candidate.trace.output for candidate in solution.candidates]


Found = tuple[ModelKind, list[Solution], set[tuple[Program, tuple[str, ...]]]]
"""What was found with a kind of model, and the programs with the tokens it said that they write."""


@pytest.fixture(scope="module", params=KINDS)
def found(request: pytest.FixtureRequest, problems: list[Problem], vocabulary: Vocabulary) -> Found:
    kind: ModelKind = request.param
    model = random_model(kind, vocabulary, seed=5)  # one whose programs also convert
    told: set[tuple[Program, tuple[str, ...]]] = set()

    def noted(*given: Any) -> tuple[Program, tuple[str, ...]]:
        one = written_out(*given)
        told.add(one)
        return one

    with pytest.MonkeyPatch.context() as noting:
        noting.setattr(stack_decoder, "written_out", noted)
        return kind, decode(model, vocabulary, problems[:4], QUICK), told


def test_programs_execute_to_the_tokens_told(found: Found) -> None:
    for solution in found[1]:
        for candidate in solution.candidates:
            output = candidate.trace.output
            assert (candidate.trace.program, output) in found[2]
            assert candidate.answer == output[-2]


def test_programs_end_with_a_letter_of_the_problem(found: Found) -> None:
    for solution in found[1]:
        for candidate in solution.candidates:
            *rationale, end, letter, last = candidate.trace.output
            assert (end, last) == (END_OF_RATIONALE, END_OF_SEQUENCE)
            assert letter in tuple(solution.trace.problem.letters)
            assert not {*rationale} & {*SPECIALS, END_OF_RATIONALE, END_OF_SEQUENCE}


def test_the_probability_told_is_the_model_s(found: Found, vocabulary: Vocabulary) -> None:
    kind, solutions, _ = found
    model = random_model(kind, vocabulary, seed=5)
    for solution in solutions:
        problem = solution.trace.problem
        programs = [named(c.trace.program, problem) for c in solution.candidates]
        assert len(set(programs)) == len(programs)
        scores = teacher_forced(model, vocabulary, problem, programs)
        told = [candidate.log_probability for candidate in solution.candidates]
        assert told == pytest.approx(scores, abs=1e-4)
        assert told == sorted(told, reverse=True)


def test_only_a_model_that_computes_uses_other_instructions(found: Found) -> None:
    kind, solutions, _ = found
    programs = [c.trace.program for solution in solutions for c in solution.candidates]
    used = {z.operation for program in programs for z in program}
    destinations = {z.to for program in programs for z in program}
    if kind == "program":
        assert len(used) > 4
        assert destinations == {"y", "m"}
    else:
        assert (used, destinations) == ({"Id"}, {"y"})


@pytest.mark.parametrize("kind", ["program", "copy-output"])
def test_problems_do_not_disturb_each_other(
    kind: ModelKind, problems: list[Problem], vocabulary: Vocabulary
) -> None:
    model = random_model(kind, vocabulary, seed=1)
    some = [*problems[4:7], problems[4]]
    together = decode(model, vocabulary, some, QUICK)
    alone = decode(model, vocabulary, some, replace(QUICK, most_numbers=1))
    assert [solution.trace.problem for solution in together] == some
    for one, other in zip(together, alone, strict=True):
        assert outputs(one) == outputs(other)
        assert [c.log_probability for c in one.candidates] == pytest.approx(
            [c.log_probability for c in other.candidates], abs=1e-4
        )


def test_what_is_found_so_far_is_told_in_steps() -> None:
    model = random_model("seq2seq", TINY, seed=2)
    settings = replace(EVERYTHING, longest=2, most_numbers=10**12)
    some = [DOUBLE, replace(DOUBLE, options=())]
    steps = list(decode_in_steps(model, TINY, some, settings))
    for k, solution in enumerate(decode(model, TINY, some, settings)):
        told = [step for step in steps if step.place == k]
        assert [step.is_last for step in told] == [False, False, True]
        counts = [len(step.solution.candidates) for step in told]
        assert counts == sorted(set(counts))
        assert told[-1].solution == solution
        # No program is executed again for a later step.
        traces = {c.trace.program: c.trace for c in told[0].solution.candidates}
        for candidate in told[-1].solution.candidates:
            trace = candidate.trace
            assert traces.get(trace.program, trace) is trace
    # The problem without options has a letter less to write, and does not wait for the other.
    assert [step.place for step in steps if step.is_last] == [1, 0]


def test_a_wide_beam_finds_every_text_of_a_baseline() -> None:
    for kind in ("seq2seq", "copy-input", "copy-output"):
        words = {"A", "B", "4", "is"}
        if kind != "seq2seq":
            words |= set(source_tokens(DOUBLE)) - {*SPECIALS}
        texts = [
            (*rationale, END_OF_RATIONALE, letter, END_OF_SEQUENCE)
            for length in range(3)
            for rationale in product(sorted(words), repeat=length)
            for letter in "AB"
        ]
        programs: list[list[Named]] = [[("Id", "y", (w,), w) for w in text] for text in texts]
        model = random_model(kind, TINY, seed=2)
        scores = teacher_forced(model, TINY, DOUBLE, programs)
        (found,) = decode(model, TINY, [DOUBLE], replace(EVERYTHING, longest=2))
        assert {c.trace.output: c.log_probability for c in found.candidates} == pytest.approx(
            dict(zip(texts, scores, strict=True)), abs=1e-4
        )
        (best,) = decode(model, TINY, [DOUBLE], SearchSettings(beam=ALL, longest=2))
        assert best.trace.output == texts[scores.index(max(scores))]


def every_answer(
    problem: Problem, words: list[str], done: tuple[Named, ...], most_kept: int
) -> list[tuple[Named, ...]]:
    """All ways to give an answer behind `<EOR>`."""
    options = OptionIndex(problem.options)
    values: list[Value] = [*words, *(z[3] for z in done[1:])]
    found: dict[tuple[Named, ...], None] = {}
    for name, operation in PAPER.operations.items():
        for arguments in product(values, repeat=len(operation.takes)):
            types = ["string" if isinstance(a, str) else "number" for a in arguments]
            if any(
                t not in ("any", having) for t, having in zip(operation.takes, types, strict=True)
            ):
                continue
            more = (options,) if operation.reads_options else ()
            try:
                result = operation.function(*arguments, *more)
            except OperationError:
                continue
            if result in tuple(problem.letters) and name in ("Id", "Check"):
                end: Named = ("Id", "y", (END_OF_SEQUENCE,), END_OF_SEQUENCE)
                found[(*done, (name, "y", arguments, result), end)] = None
            if most_kept:
                kept = (*done, (name, "m", arguments, result))
                found |= dict.fromkeys(every_answer(problem, words, kept, most_kept - 1))
    return list(found)


def test_a_wide_beam_finds_every_program() -> None:
    begun: Named = ("Id", "y", (END_OF_RATIONALE,), END_OF_RATIONALE)
    words = sorted({"A", "B", "4", "is", *source_tokens(DOUBLE)} - {*SPECIALS})
    programs = every_answer(DOUBLE, words, (begun,), 2)
    assert len(programs) > 1000
    model = random_model("program", TINY, seed=3)
    scores = teacher_forced(model, TINY, DOUBLE, programs)
    settings = replace(EVERYTHING, longest=0, most_kept=2)
    (solution,) = decode(model, TINY, [DOUBLE], settings)
    found = {named(c.trace.program, DOUBLE): c.log_probability for c in solution.candidates}
    assert found == pytest.approx(dict(zip(programs, scores, strict=True)), abs=1e-4)


@pytest.mark.parametrize("count", [0, 2, 3, 10])
def test_any_number_of_options_works(
    count: int, problems: list[Problem], vocabulary: Vocabulary
) -> None:
    options = tuple(str(3 * k + 1) for k in range(count))
    problem = replace(problems[0], options=options, correct=None)
    other = problems[1]
    for kind in KINDS:
        model = random_model(kind, vocabulary, seed=5)
        first, second = decode(model, vocabulary, [problem, other], QUICK)
        for candidate in first.candidates:
            assert execute(candidate.trace.program, problem).output == candidate.trace.output
            if count:
                assert candidate.answer in tuple(problem.letters)
            else:
                assert candidate.answer is None
                assert candidate.trace.output[-2:] == (END_OF_RATIONALE, END_OF_SEQUENCE)
        assert (not first.votes) == (count == 0)
        assert second.answer in tuple(other.letters)


def test_an_answer_is_found_where_nothing_can_be_checked(vocabulary: Vocabulary) -> None:
    problem = Problem("Which?", ("the same", "the same"))
    for seed in range(3):
        model = random_model("program", vocabulary, seed)
        (solution,) = decode(model, vocabulary, [problem], QUICK)
        assert solution.answer in ("A", "B")


def test_settings_are_respected(problems: list[Problem], vocabulary: Vocabulary) -> None:
    model = random_model("program", vocabulary, seed=5)
    settings = SearchSettings(beam=8, longest=5, most_kept=1, returned=3)
    for solution in decode(model, vocabulary, problems[:3], settings):
        assert len(solution.candidates) <= 3
        for candidate in solution.candidates:
            written = len(candidate.trace.output)
            assert written <= 5 + 3
            destinations = "".join(z.to for z in candidate.trace.program)
            assert "mm" not in destinations
            assert candidate.guess == (written == 5 + 3)
    for name, value in {"beam": 0, "longest": -1, "returned": 0, "length_penalty": -1.0}.items():
        with pytest.raises(ValueError, match=name):
            SearchSettings(**{name: value})  # pyright: ignore[reportArgumentType]


def test_more_programs_are_finished_where_more_are_asked_for(
    problems: list[Problem], vocabulary: Vocabulary
) -> None:
    model = random_model("copy-output", vocabulary, seed=6)
    few, many = (
        decode(model, vocabulary, problems[:2], replace(QUICK, certain=n, beam=40, returned=99))
        for n in (1, 30)
    )
    for one, other in zip(few, many, strict=True):
        assert one.trace.output == other.trace.output
        assert len(one.candidates) <= len(other.candidates)
        assert len(other.candidates) >= 30


def test_a_length_penalty_ranks_by_the_average() -> None:
    model = random_model("seq2seq", TINY, seed=7)
    settings = replace(EVERYTHING, length_penalty=1.0, longest=3)
    (found,) = decode(model, TINY, [DOUBLE], settings)
    ranks = [c.log_probability / len(c.trace.output) for c in found.candidates]
    assert ranks == sorted(ranks, reverse=True)
    assert len({len(output) for output in outputs(found)}) > 1


def test_the_unknown_word_is_written_only_on_request() -> None:
    for kind in ("program", "copy-output"):
        model = random_model(kind, TINY, seed=8)
        settings = replace(EVERYTHING, longest=2, most_kept=0, may_be_unknown=True)
        (with_,) = decode(model, TINY, [DOUBLE], settings)
        (without,) = decode(model, TINY, [DOUBLE], replace(settings, may_be_unknown=False))
        assert any(output[:2] == (UNKNOWN_WORD, UNKNOWN_WORD) for output in outputs(with_))
        assert not any(UNKNOWN_WORD in output for output in outputs(without))
        programs = [named(c.trace.program, DOUBLE) for c in with_.candidates]
        scores = teacher_forced(model, TINY, DOUBLE, programs)
        told = [c.log_probability for c in with_.candidates]
        assert told == pytest.approx(scores, abs=1e-4)


def test_the_largest_scores_lie_within_the_row() -> None:
    scores = torch.full((2, 1000), NEVER)
    scores[0, 999], scores[1, 3] = 1.0, 2.0
    best, at = largest(scores, 4)
    assert best[:, 0].tolist() == [1.0, 2.0]
    assert at[:, 0].tolist() == [999, 3]
    assert int(at.max()) < 1000
