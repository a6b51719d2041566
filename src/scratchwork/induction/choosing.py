"""Choosing one path for each token, and the program they make.

Promises: `choose(lattice)` needs no model. Its preferences, in order: what the text says before a
number, as the root of an equation or the result of a calculation (`a * b =`); a copy; another
spelling; a documented constant; the shortest derivation, with operands of the same line before
others and near ones before far ones. `Check` comes before a literal or copied letter. A scorer
replaces these preferences. The choice is deterministic, and the program, executed, writes exactly
the rationale and the letter; a numeral without a path is written as a word and listed by
`unexplained`.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, Path
from scratchwork.induction.roots import EquationStep
from scratchwork.induction.statements import (
    Statement,
    follows_connective,
    is_calculated_on,
    stated_before,
)
from scratchwork.machine.programs import Cell, Program, Reference, Word
from scratchwork.machine.writing import ProgramWriter
from scratchwork.problems.tokens import is_number

Scorer = Callable[[Lattice, int, Path], float]
"""The score of a path to the token at a position; higher is better."""

_MOST_EXPANDED = 400
"""At most this many derivations by two operations are tried where there is nothing shorter."""

_NOT_STATED, _NOT_NAMED, _LEFT_OUT = 3.0, 2.0, 1.0
_AN_OPERATION, _ANOTHER_LINE, _FAR = 0.5, 0.5, 0.001
_COMPUTED, _COPIED_RESULT, _CONSTANT_RESULT = 3.0, 4.0, 5.0
_CONVERTED, _CONSTANT, _CONSTANT_AS_RESULT = 0.5, 1.5, 3.6
_FROM_OPTIONS, _TWICE, _ROUNDED = 4.0, 1.0, 1.5
_ROOT = -1.0


def choose(lattice: Lattice, scorer: Scorer | None = None) -> Program:
    """A program that writes the rationale, of all those in the lattice."""
    return assemble(lattice, choose_paths(lattice, scorer))


def choose_paths(lattice: Lattice, scorer: Scorer | None = None) -> list[Path | None]:
    """The chosen path of every token; None where a numeral has none."""
    positions = range(1, len(lattice.output) + 1)
    if scorer is None:
        return [next(ranked_paths(lattice, position), None) for position in positions]
    return [_best_scored(lattice, position, scorer) for position in positions]


def _best_scored(lattice: Lattice, position: int, scorer: Scorer) -> Path | None:
    return max(
        lattice.paths(position), key=lambda path: scorer(lattice, position, path), default=None
    )


def unexplained(paths: list[Path | None]) -> list[int]:
    """The positions of the tokens that have no path."""
    return [position for position, path in enumerate(paths, 1) if path is None]


def ranked_paths(lattice: Lattice, position: int) -> Iterator[Path]:
    """The paths to a token that are worth considering, the preferred one first."""
    token = lattice.tokens[position - 1]
    if token.checks:
        yield from (path for path in _checks(lattice, position) if path.checked)
    if token.target is None:
        yield from (path for path in lattice.short_paths(token) if not path.checked)
        return
    statement = stated_before(lattice.output, position - 1)
    line = lattice.last_token("\n", position)

    @cache
    def farness(value: float) -> float:
        return _farness(lattice, value, position)

    candidates = list(_candidates(lattice, position, statement))
    candidates.sort(key=lambda path: _cost(lattice, position, path, statement, line, farness))
    yield from candidates


def _checks(lattice: Lattice, position: int) -> Iterator[Path]:
    """The `Check` paths of a letter: of the string written last, else of one computed."""
    paths = [path for path in islice(lattice.paths(position), 200) if path.checked]
    copied = [path for path in paths if path.how == "copy"]
    last = {path.text: lattice.cells(path.text, position, of_options=False)[-1] for path in copied}
    # Numbers before words, what was written last before what was written early.
    copied.sort(key=lambda p: (not is_number(p.text), last[p.text].room == "x", -last[p.text].k))
    yield from copied
    yield from sorted((path for path in paths if path.how != "copy"), key=lambda p: p.count())


def _candidates(lattice: Lattice, position: int, statement: Statement | None) -> Iterator[Path]:
    token = lattice.tokens[position - 1]
    anything = False
    for path in (*lattice.short_paths(token), *lattice.root_paths(token)):
        anything = True
        yield path
    if statement is not None:
        for step in lattice.long_steps(token, statement.allowed()):
            for path in lattice.computed(token, step):
                anything = True
                yield path
    if not anything:
        for step in islice(lattice.long_steps(token), _MOST_EXPANDED):
            yield from lattice.computed(token, step)


def _cost(
    lattice: Lattice,
    position: int,
    path: Path,
    statement: Statement | None,
    line: int,
    farness: Callable[[float], float],
) -> float:
    if isinstance(path.number, EquationStep):
        return _ROOT
    is_result = statement is not None and not is_calculated_on(lattice.output, position - 1)
    if path.how == "word":
        if is_result:
            return _CONSTANT_RESULT
        opens_side = follows_connective(lattice.output, position - 1)
        return _CONSTANT_AS_RESULT if opens_side and statement is None else _CONSTANT
    if path.how != "compute":
        cost = _CONVERTED if path.how == "convert" else 0.0
        if not _is_given(lattice, path, position):
            cost += _FROM_OPTIONS
        return cost + (_COPIED_RESULT if is_result else 0.0)
    assert isinstance(path.number, Derivation)
    leaves = list(path.number.leaves())
    cost = _AN_OPERATION * path.count() + sum(map(farness, leaves))
    if lattice.is_rounded(path, position):
        cost += _ROUNDED
    if statement is None:
        cost += _TWICE * (len(leaves) - len(set(leaves)))
        elsewhere = sum(lattice.last_written(value, position) <= line for value in leaves)
        return cost + _COMPUTED + _ANOTHER_LINE * elsewhere
    left = statement.numbers.copy()
    names = list(_names(path.number))
    if "Percent" in names:
        left[100.0] = 0  # the sign implies it, and so does the operation
    for value in leaves:
        if left[value] > 0:
            left[value] -= 1
        elif value in statement.parts:
            left[statement.parts[value]] = 0
        else:
            cost += _NOT_STATED
    cost += _NOT_NAMED * sum(name not in statement.operations for name in names)
    return cost + _LEFT_OUT * left.total()


def _is_given(lattice: Lattice, path: Path, position: int) -> bool:
    """Whether the question or the text so far shows what is copied or respelled."""
    if isinstance(path.number, float):
        return lattice.is_given(path.number, position)
    return lattice.has_cell(path.text, position, of_options=False)


def _names(step: Derivation) -> Iterator[str]:
    yield step.operation
    for argument in step.arguments:
        if isinstance(argument, Derivation):
            yield from _names(argument)


def _farness(lattice: Lattice, value: float, position: int) -> float:
    """How far back a number was shown; numbers that only options show are the farthest."""
    best = lattice.best_reference(value, position)
    nearest = None if best is None else best[0]
    if not isinstance(nearest, Cell):
        return 60 * _FAR
    if nearest.room == "y":
        return min(position - nearest.k, 40) * _FAR
    return 50 * _FAR if lattice.is_given(value, position) else _FROM_OPTIONS


class _Assembler:
    """Writes what paths say; takes a number from memory if its value is there."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.writer = ProgramWriter[float]()
        self.of_equations: dict[str | EquationStep, Cell] = {}
        """The cells of unknowns and of what equations make of them."""

    def token(self, position: int, path: Path | None) -> None:
        writer = self.writer
        if path is None or path.how == "word":
            writer.words(self.lattice.output[position - 1])
        elif path.how == "copy":
            cell = self.lattice.nearest_cell(path.text, position)
            writer.write("Check" if path.checked else "Id", cell)
        else:
            assert path.number is not None
            assert path.writing is not None
            arguments = [self.number(path.number, position)]
            if path.writing.places is not None:
                arguments.append(self.number(float(path.writing.places), position))
            if path.checked:
                writer.write("Check", writer.remember(path.writing.operation, *arguments))
            else:
                writer.write(path.writing.operation, *arguments)

    def number(self, number: float | str | Derivation | EquationStep, position: int) -> Cell:
        """The memory cell of a number or an unknown, filled if need be."""
        if isinstance(number, str | EquationStep):
            if number not in self.of_equations:
                self.of_equations[number] = self.of_equation(number, position)
            return self.of_equations[number]
        if not isinstance(number, Derivation):
            if number in self.writer.known:
                return self.writer.known[number]
            reference, numeral = self.best_reference(number, position)
            return self.writer.read(number, numeral, reference)
        arguments = [self.number(argument, position) for argument in number.arguments]
        cell = self.writer.remember(number.operation, *arguments)
        value = number.value()
        if value is not None:
            self.writer.known.setdefault(value, cell)
        return cell

    def of_equation(self, part: str | EquationStep, position: int) -> Cell:
        """The memory cell of an unknown or of a step with one, newly filled."""
        if isinstance(part, str):
            return self.writer.remember("Unknown", Word(part))
        arguments = [self.number(argument, position) for argument in part.arguments]
        return self.writer.remember(part.operation, *arguments)

    def best_reference(self, value: float, position: int) -> tuple[Reference, str]:
        """Where to read a number; the places to round to can always be written."""
        best = self.lattice.best_reference(value, position)
        if best is not None:
            return best
        numeral = str(int(value))
        return Word(numeral), numeral


def assemble(lattice: Lattice, paths: list[Path | None]) -> Program:
    """The program that follows the given paths."""
    assembler = _Assembler(lattice)
    for position, path in enumerate(paths, 1):
        assembler.token(position, path)
    return assembler.writer.program()
