import numpy as np
import pytest
import torch

from scratchwork import Problem, execute
from scratchwork.paper import drawing
from scratchwork.paper.corpus import build_tables
from scratchwork.paper.forced import INSTRUCTIONS_AT_ONCE, force, program_of
from scratchwork.paper.paths import PathTable
from scratchwork.paper.program_model import ModelKind
from scratchwork.paper.vocabulary import Vocabulary, build_vocabulary
from scratchwork.problems.tokens import output_tokens
from tests.paper.untrained import named, random_model, teacher_forced

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def few_words(problems: list[Problem]) -> Vocabulary:
    """A vocabulary that does not hold every word of the rationales."""
    return build_vocabulary(problems[:15])


@pytest.fixture(scope="module")
def tables(problems: list[Problem], few_words: Vocabulary) -> list[PathTable]:
    return build_tables(problems, few_words)


@pytest.mark.parametrize("kind", ["program", "copy-output"])
def test_programs_write_exactly_the_rationale(
    kind: ModelKind, problems: list[Problem], tables: list[PathTable], few_words: Vocabulary
) -> None:
    model = random_model(kind, few_words, seed=1)
    found = force(model, tables, CPU, samples=1)
    operations: set[str] = set()
    for problem, table, forced in zip(problems, tables, found, strict=True):
        program = program_of(table, forced.rows)
        assert list(execute(program, problem).output) == output_tokens(problem)
        assert forced.tokens == len(output_tokens(problem))
        operations |= {z.operation for z in program}
    assert any(forced.unknown for forced in found)
    assert ("Multiply" in operations) == (kind == "program")


def test_the_probability_told_is_the_model_s(
    problems: list[Problem], tables: list[PathTable], few_words: Vocabulary
) -> None:
    model = random_model("program", few_words, seed=2)
    found = force(model, tables[:10], CPU)
    for problem, table, forced in zip(problems, tables, found, strict=False):
        program = named(program_of(table, forced.rows), problem)
        (score,) = teacher_forced(model, few_words, problem, [program])
        assert forced.log_probability == pytest.approx(score, rel=1e-5)


def test_more_samples_find_no_worse_programs(
    tables: list[PathTable], few_words: Vocabulary
) -> None:
    gains: list[float] = []
    for seed in range(3, 20):
        model = random_model("program", few_words, seed=seed)
        greedy, sampled = (force(model, tables[:6], CPU, samples) for samples in (0, 6))
        gains += (
            b.log_probability - a.log_probability for a, b in zip(greedy, sampled, strict=True)
        )
        if max(gains) > 1e-3:
            break
    assert min(gains) >= -1e-3
    assert max(gains) > 1e-3


def test_batches_change_nothing(
    tables: list[PathTable], few_words: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model("program", few_words, seed=4)
    together = force(model, tables[:5], CPU, samples=2)
    monkeypatch.setitem(INSTRUCTIONS_AT_ONCE, "cpu", 1)
    alone = force(model, tables[:5], CPU, samples=2)
    for one, other in zip(together, alone, strict=True):
        assert np.array_equal(one.rows, other.rows)
        assert one.log_probability == pytest.approx(other.log_probability, rel=1e-5)


def test_what_is_never_finished_is_copied_out(
    problems: list[Problem],
    tables: list[PathTable],
    few_words: Vocabulary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawing, "longest_program", lambda tokens: tokens)  # pyright: ignore
    model = random_model("program", few_words, seed=5)
    found = force(model, tables[:12], CPU)
    assert any({int(row[0]) for row in forced.rows} == {0} for forced in found)
    for problem, table, forced in zip(problems, tables, found, strict=False):
        program = program_of(table, forced.rows)
        assert list(execute(program, problem).output) == output_tokens(problem)
