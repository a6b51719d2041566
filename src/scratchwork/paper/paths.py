"""The paths to each output token of a problem, Z(y_k) of the paper's section 4, as integers.

Promises: a `PathTable` numbers the values of a problem, and lists for each output token at most
`MOST_PATHS` paths of at most `LONGEST_PATH` instructions that differ in their values, the one that
induction prefers first. All instructions but the last write to memory. A token that nothing can
write has the one path `Id(token)`. What can be copied is not computed from itself, as by `5 * 1`.

Does not cover: where a value is read. A model sums over all places that hold it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from scratchwork.induction.choosing import ranked_paths
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, Path, induce
from scratchwork.induction.roots import EquationStep
from scratchwork.machine.expressions import RationalExpression
from scratchwork.machine.operations import Value
from scratchwork.machine.writing import reading
from scratchwork.paper.tensors import CHECK, IDENTITY, NOTHING, OPERATION_IDS
from scratchwork.paper.vocabulary import NUMBER_ID, Vocabulary
from scratchwork.problems.problem import Problem

MOST_PATHS = 32
LONGEST_PATH = 7
"""Three reads, two operations, and the result written and checked."""

READS = frozenset(
    OPERATION_IDS[name] for name in ("Str_to_Float", "Fraction_to_Float", "Thousands_to_Float")
)
"""Operations that only put a number into memory: skipped when it is there already."""

PathStep = tuple[int, int, int, int]
"""Operation, first argument, second argument or `NOTHING`, result."""


class NumberedValues(dict[Value, int]):
    """The ids of the values of one problem, strings and numbers apart, new ones as they are met."""

    def __missing__(self, value: Value) -> int:
        self[value] = len(self)
        return self[value]


@dataclass(frozen=True, slots=True)
class ValueFeatures:
    """What a model reads of each value of a problem."""

    words: NDArray[np.int32]
    """The word it is read as."""
    writing: NDArray[np.int32]
    """The word that writes it, or 0."""
    is_number: NDArray[np.bool_]
    numbers: NDArray[np.float32]


def features(values: Sequence[Value], vocabulary: Vocabulary) -> ValueFeatures:
    """The features of values."""
    count = len(values)
    words = np.full(count, NUMBER_ID, np.int32)
    writing = np.zeros(count, np.int32)
    is_number = np.zeros(count, np.bool_)
    numbers = np.zeros(count, np.float32)
    for k, value in enumerate(values):
        if isinstance(value, str):
            words[k] = vocabulary.reading(value)
            writing[k] = vocabulary.writing(value)
        else:
            assert not isinstance(value, RationalExpression)  # which the paper's set has not
            is_number[k] = True
            numbers[k] = value
            if abs(value) < 1e6 and int(value) == value:
                words[k] = vocabulary.writing(str(int(value))) or NUMBER_ID
    return ValueFeatures(words, writing, is_number, numbers)


@dataclass(frozen=True, slots=True)
class PathTable:
    """The source, the values and the paths of one problem."""

    source_words: NDArray[np.int32]
    """The origin tag, then the words of the source."""
    source_values: NDArray[np.int16]
    """The value at each place of the source; `NOTHING` for the origin tag."""
    values: tuple[Value, ...]
    features: ValueFeatures
    tokens: NDArray[np.int16]
    """The value of each output token."""
    first_path: NDArray[np.int32]
    """The index of each token's first path; one more at the end."""
    paths: NDArray[np.int16]
    """(path, `LONGEST_PATH`, 4), padded with `NOTHING`."""


def source_arrays(
    tokens: Sequence[str], origin: str | None, vocabulary: Vocabulary, values: NumberedValues
) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """The words and values of a source, the origin tag first."""
    words = [vocabulary.origin_tag(origin), *map(vocabulary.reading, tokens)]
    places = [NOTHING, *(values[token] for token in tokens)]
    return np.array(words, np.int32), np.array(places, np.int16)


def path_table(problem: Problem, vocabulary: Vocabulary) -> PathTable:
    """The table of a problem's rationale."""
    lattice = induce(problem)
    values = NumberedValues()
    source_words, source_values = source_arrays(lattice.source, problem.origin, vocabulary, values)
    tokens = [values[token] for token in lattice.output]
    seen = set(source_values.tolist())
    rows: list[list[PathStep]] = []
    first_path = [0]
    for position, value in enumerate(tokens, 1):
        plain = value in seen or vocabulary.writing(lattice.output[position - 1]) > 0
        paths = _token_paths(lattice, position, value, values, plain)
        rows += paths or [[(IDENTITY, value, NOTHING, value)]]
        first_path.append(len(rows))
        seen.add(value)
    return PathTable(
        source_words,
        source_values,
        tuple(values),
        features(tuple(values), vocabulary),
        np.array(tokens, np.int16),
        np.array(first_path, np.int32),
        _padded(rows),
    )


def _padded(paths: Sequence[Sequence[PathStep]]) -> NDArray[np.int16]:
    array = np.full((len(paths), LONGEST_PATH, 4), NOTHING, np.int16)
    for k, path in enumerate(paths):
        array[k, : len(path)] = path
    return array


def _token_paths(
    lattice: Lattice, position: int, value: int, values: NumberedValues, plain: bool
) -> list[list[PathStep]]:
    """The distinct paths to one token, the preferred one first; `plain` if `Id` can write it."""
    token = lattice.tokens[position - 1]
    identity: PathStep = (IDENTITY, value, NOTHING, value)
    if token.target is None and not token.checks:
        return [[identity]] if plain else []
    found: dict[tuple[PathStep, ...], None] = {}
    for path in islice(ranked_paths(lattice, position), 2 * MOST_PATHS):
        if path.how in ("word", "copy") and not path.checked:
            if plain:
                found[(identity,)] = None
        elif not (plain and _gives_back(path)):
            steps = _steps(lattice, position, path, values)
            if len(steps) <= LONGEST_PATH:
                found[steps] = None
        if len(found) == MOST_PATHS:
            break
    if plain and (identity,) not in found:
        if len(found) == MOST_PATHS:
            found.popitem()
        found[(identity,)] = None
    return [list(steps) for steps in found]


def _gives_back(path: Path) -> bool:
    """Whether an operation gives a number that it took, as `5 * 1`."""
    return isinstance(path.number, Derivation) and path.number.value() in set(path.number.leaves())


def _steps(
    lattice: Lattice, position: int, path: Path, values: NumberedValues
) -> tuple[PathStep, ...]:
    """The instructions of a path that computes or checks; every number is read once."""
    token = values[lattice.output[position - 1]]
    text = values[path.text]
    steps: list[PathStep] = []

    def into_memory(number: float | Derivation) -> int:
        if isinstance(number, Derivation):
            first, second, *_ = *map(into_memory, number.arguments), NOTHING
            value = number.value()
            assert value is not None
            result = values[value]
            steps.append((OPERATION_IDS[number.operation], first, second, result))
            return result
        result = values[number]
        _, numeral = lattice.references(number, position)[0]
        read = (OPERATION_IDS[reading(numeral)], values[numeral], NOTHING, result)
        if read not in steps:
            steps.append(read)
        return result

    if path.how != "copy":
        assert path.number is not None
        assert path.writing is not None
        assert not isinstance(path.number, EquationStep)  # which the paper's set has not
        number = into_memory(path.number)
        steps.append((OPERATION_IDS[path.writing.operation], number, NOTHING, text))
    if path.checked:
        steps.append((CHECK, text, NOTHING, token))
    return tuple(steps)
