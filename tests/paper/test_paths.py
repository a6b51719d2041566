from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from scratchwork import Problem, execute, generate, load_families
from scratchwork.induction.choosing import choose_paths
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, Path, induce
from scratchwork.induction.roots import EquationStep
from scratchwork.paper import paths as module
from scratchwork.paper.corpus import build_tables, corpus_of
from scratchwork.paper.paths import (
    LONGEST_PATH,
    MOST_PATHS,
    READS,
    PathTable,
    features,
    path_table,
)
from scratchwork.paper.tensors import DECLARED, IDENTITY, NOTHING
from scratchwork.paper.vocabulary import Vocabulary, build_vocabulary
from scratchwork.problems.tokens import output_tokens, source_tokens
from tests.paper.samples import problems, program_of, tables, vocabulary

Rows = NDArray[np.int16]


@pytest.fixture(scope="module", params=["generated", "kings"])
def pairs(request: pytest.FixtureRequest, kings: Problem) -> list[tuple[Problem, PathTable]]:
    """Problems with their path tables."""
    if request.param == "kings":
        return [(kings, path_table(kings, build_vocabulary([kings])))]
    made = [one.problem for one in generate(load_families(), 40, seed=5)]
    return list(zip(made, build_tables(made, build_vocabulary(made)), strict=True))


def paths_of(table: PathTable, position: int) -> list[Rows]:
    """The paths to a token, without padding."""
    first, end = table.first_path[position : position + 2]
    return [path[path[:, 0] != NOTHING] for path in table.paths[first:end]]


def with_destinations(path: Rows) -> Rows:
    """Only the last instruction of a path writes to the output."""
    to_output = np.zeros((len(path), 1), np.int16)
    to_output[-1] = 1
    return np.concatenate([path, to_output], 1)


def names(path: Rows) -> list[str]:
    return [DECLARED[operation].name for operation in path[:, 0]]


def test_every_path_executed_writes_exactly_its_token(
    pairs: list[tuple[Problem, PathTable]],
) -> None:
    for problem, table in pairs:
        tokens = output_tokens(problem)
        assert [table.values[value] for value in table.tokens] == tokens
        for position, token in enumerate(tokens):
            for path in paths_of(table, position):
                trace = execute(program_of(table, with_destinations(path)), problem)
                assert list(trace.output) == [token]
                assert list(trace.values) == [table.values[row[3]] for row in path]


def test_every_token_has_paths_but_not_too_many_nor_too_long(
    pairs: list[tuple[Problem, PathTable]],
) -> None:
    most = 0
    for problem, table in pairs:
        counts = np.diff(table.first_path)
        assert len(counts) == len(output_tokens(problem))
        assert counts.min() >= 1
        assert counts.max() <= MOST_PATHS
        assert table.first_path[-1] == len(table.paths)
        assert table.paths.shape[1:] == (LONGEST_PATH, 4)
        most = max(most, counts.max())
    assert most > 5


def test_no_path_is_there_twice(pairs: list[tuple[Problem, PathTable]]) -> None:
    for _, table in pairs:
        for position in range(len(table.tokens)):
            paths = [path.tobytes() for path in paths_of(table, position)]
            assert len(set(paths)) == len(paths)


def test_strings_that_are_read_are_there(pairs: list[tuple[Problem, PathTable]]) -> None:
    for _, table in pairs:
        there = set(table.source_values.tolist()) | set(np.flatnonzero(table.features.writing))
        for position, token in enumerate(table.tokens.tolist()):
            for path in paths_of(table, position):
                made = there.copy()
                for operation, first, second, result in path.tolist():
                    if operation != IDENTITY or len(paths_of(table, position)) > 1:
                        assert {first, second} - {NOTHING} <= made
                    made.add(result)
            there.add(token)


def expected(path: Path | None) -> list[str]:
    """The operations of a path that induction chose, without those that read numbers."""

    def inside(number: float | Derivation | EquationStep | None) -> Iterator[str]:
        if isinstance(number, Derivation):
            for argument in number.arguments:
                yield from inside(argument)
            yield number.operation

    if path is None or (path.how in ("word", "copy") and not path.checked):
        return ["Id"]
    written = [path.writing.operation] if path.writing is not None else []
    return [*inside(path.number), *written, *(["Check"] if path.checked else [])]


def gives_back(path: Path | None) -> bool:
    """Whether a path computes a number from itself, as `5 * 1 = 5` does."""
    number = None if path is None else path.number
    return isinstance(number, Derivation) and number.value() in list(number.leaves())


def test_the_path_that_induction_prefers_comes_first(
    pairs: list[tuple[Problem, PathTable]],
) -> None:
    computed = 0
    for problem, table in pairs:
        for position, chosen in enumerate(choose_paths(induce(problem))):
            first = paths_of(table, position)[0]
            found = [DECLARED[k].name for k in first[:, 0] if k not in READS]
            if not gives_back(chosen):  # those may be left out
                assert found == expected(chosen)
            computed += chosen is not None and chosen.how == "compute"
    assert computed > 0


def test_a_token_can_be_copied_or_spelled_wherever_it_is_there(
    pairs: list[tuple[Problem, PathTable]],
) -> None:
    for _, table in pairs:
        there = set(table.source_values.tolist())
        for position, token in enumerate(table.tokens.tolist()):
            if token in there or table.features.writing[token]:
                found = [path.tolist() for path in paths_of(table, position)]
                assert [[IDENTITY, token, NOTHING, token]] in found
            there.add(token)


def test_letters_can_be_checked(pairs: list[tuple[Problem, PathTable]]) -> None:
    checked = 0
    for problem, table in pairs:
        lattice: Lattice = induce(problem)
        letter = len(table.tokens) - 2
        assert lattice.output[letter] == problem.correct
        for position, token in enumerate(lattice.tokens):
            checks = [path for path in paths_of(table, position) if names(path)[-1] == "Check"]
            assert bool(checks) == bool(token.checks)
        checked += bool(lattice.tokens[letter].checks)
    assert checked >= 0.9 * len(pairs)


def test_a_number_that_can_be_copied_is_not_computed_from_itself() -> None:
    problem = Problem("A pen costs 17 cents.", (), "It costs 17 * 1 = 17 cents.")
    table = path_table(problem, build_vocabulary([problem]))
    paths = paths_of(table, 6)
    assert names(paths[0]) == ["Id"]
    read = {table.values[row[1]] for path in paths for row in path.tolist() if row[0] in READS}
    assert read
    assert "17" not in read


def test_numbers_are_only_written_by_what_computes_or_copies_them() -> None:
    problem = Problem("A pen costs 17 cents.", (), "3 pens cost 3 * 17 = 51 cents, not 83947.29.")
    table = path_table(problem, build_vocabulary([problem]))
    tokens = output_tokens(problem)
    computed = paths_of(table, tokens.index("51"))
    assert all(names(path) != ["Id"] for path in computed)
    assert names(computed[0]) == ["Str_to_Float", "Str_to_Float", "Multiply", "Float_to_Str"]
    # Nothing can write it: it is left to the unknown word.
    assert [names(path) for path in paths_of(table, tokens.index("83947.29"))] == [["Id"]]


def test_a_frequent_numeral_of_a_plain_vocabulary_is_a_word() -> None:
    problem = Problem("A pen costs 17 cents.", (), "It is 977 and 977.")
    known = build_vocabulary([problem], "plain")
    table = path_table(problem, known)
    assert table.features.writing[table.tokens[2]] == known.writing("977") > 0


def test_fewer_paths_begin_with_the_preferred_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    tables()
    monkeypatch.setattr(module, "MOST_PATHS", 3)
    few = [path_table(problem, vocabulary()) for problem in problems()[:6]]
    for table, whole in zip(few, tables(), strict=False):
        assert int(np.diff(table.first_path).max()) == 3
        for position in range(len(table.tokens)):
            assert names(paths_of(table, position)[0]) == names(paths_of(whole, position)[0])


def test_the_source_starts_with_the_origin_tag(pairs: list[tuple[Problem, PathTable]]) -> None:
    for problem, table in pairs:
        assert table.source_values[0] == NOTHING
        assert [table.values[k] for k in table.source_values[1:]] == source_tokens(problem)
    known = vocabulary()
    assert known.words[tables()[0].source_words[0]] == "<generated>"


def test_strings_and_numbers_are_different_values(kings: Problem) -> None:
    table = path_table(kings, vocabulary())
    assert "52" in table.values
    assert 52.0 in table.values
    found = features(("52", 52.0, 0.3, -4.0, 1e9), Vocabulary(vocabulary().words))
    words = [vocabulary().words[k] for k in found.words]
    assert words == ["52", "52", "<number>", "<number>", "<number>"]
    assert [vocabulary().words[k] for k in found.writing] == ["52", *["<pad>"] * 4]
    assert found.is_number.tolist() == [False, True, True, True, True]
    assert found.numbers.tolist() == pytest.approx([0, 52, 0.3, -4, 1e9])


def test_several_processes_find_the_same_paths() -> None:
    two = corpus_of(build_tables(problems(), vocabulary(), workers=2))
    assert two.digest(vocabulary()) == corpus_of(tables()).digest(vocabulary())
    assert two.paths.equal(corpus_of(tables()).paths)
