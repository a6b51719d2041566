"""The lattice of a rationale: for each output token, all paths that write it.

Promises: `induce` finds, for every output token, the plain word (numerals only from the documented
constants), the copies, the other spellings of an available number, every derivation by one or two
operations that the rules allow, and the root of an equation that the text states (`roots`); for the
letter, wherever the rationale states it and after `<EOR>`, the `Check` paths. It is factored: paths
name values, and a value's places are listed once. `Lattice.paths(k)` expands lazily, and every path
it gives, executed, writes exactly that token.

The paper's section 4 allows one intermediate value between conversions, its section 6 speaks of
five levels of the graph. Both agree when conversions are counted as levels (read, operate, operate,
write, check); `depth` counts operations alone, two being the paper's.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scratchwork.induction.derivation import Derivation, TwoSteps
from scratchwork.induction.finding import DerivationFinder
from scratchwork.induction.roots import EquationStep, root_stated
from scratchwork.induction.rules import OPERAND_CONSTANTS, same
from scratchwork.induction.statements import letter_positions
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.operations import PAPER, OperationError, OperationSet
from scratchwork.machine.options import OptionIndex, option_numerals
from scratchwork.machine.programs import Cell, Reference, Word
from scratchwork.machine.writing import Writing, writing
from scratchwork.problems.bounds import BOUNDS, Bounds
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import OPTION_TAG, is_number, output_tokens, source_tokens

PathKind = Literal["word", "copy", "convert", "compute"]


@dataclass(frozen=True, slots=True)
class Path:
    """One way to write an output token."""

    how: PathKind
    text: str
    """The string that is written; where `checked` is set, the string whose option is looked up."""
    number: float | Derivation | EquationStep | None = None
    """What is read or computed before it is written, for the last two kinds."""
    writing: Writing | None = None
    checked: bool = False
    """Whether `Check` turns the string into the letter that is written."""

    def count(self) -> int:
        """How many operations the path computes with."""
        number = self.number
        return number.count() if isinstance(number, Derivation | EquationStep) else 0


@dataclass(frozen=True, slots=True)
class TokenPaths:
    """The paths to one token, factored."""

    token: str
    position: int
    """The token's place in the output, from 1."""
    word: bool
    """Whether the token may be written as a plain word."""
    target: float | None = None
    """The number the token stands for."""
    leaves: int = 0
    """How many leaves were available by then."""
    ones: tuple[int, ...] = ()
    twos: tuple[TwoSteps, ...] = ()
    rounded: tuple[Derivation, ...] = ()
    root: EquationStep | None = None
    """The step that solves an equation of the text for the number, if the text states so."""
    checks: tuple["TokenPaths", ...] = ()
    """For a letter: the strings that `Check` turns into it, each with its own paths."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell that shows a number, and the numeral it shows."""

    cell: Cell
    numeral: str


class Lattice:
    """All paths to all tokens of a rationale."""

    def __init__(self, problem: Problem, operations: OperationSet, depth: int) -> None:
        self.problem = problem
        self.operations = operations
        self.depth = depth
        self.source = source_tokens(problem)
        self.output = output_tokens(problem)
        self.derivations = DerivationFinder(operations)
        self.tokens: list[TokenPaths] = []
        self._cells: dict[str, list[Cell]] = {}
        self._places: dict[float, list[Place]] = {}
        self._spellings: dict[float, dict[str, Cell]] = {}
        """The first cell of each numeral for a number."""
        self.exact: dict[tuple[str, int], TokenPaths] = {}
        """What was found for a numeral and the number of leaves there were, without rounding."""
        self.rounded: dict[tuple[str, int, bool], tuple[Derivation, ...]] = {}
        """The same for what is rounded, and whether the numeral was there to be copied."""
        tag = OPTION_TAG
        self.question_length = self.source.index(tag) if tag in self.source else len(self.source)
        for k, token in enumerate(self.source, 1):
            self._show(token, Cell("x", k))

    def _show(self, token: str, cell: Cell) -> None:
        """A token is there to be copied and, if it is a number, to be computed with."""
        self._cells.setdefault(token, []).append(cell)
        if is_number(token):
            value = number_of(token)
            if value is not None:
                self._places.setdefault(value, []).append(Place(cell, token))
                self._spellings.setdefault(value, {}).setdefault(token, cell)
                self.derivations.add(value)

    def append(self, paths: TokenPaths) -> None:
        """Take the paths to the next token, which can be used from then on."""
        self.tokens.append(paths)
        self._show(paths.token, Cell("y", paths.position))

    def cells(self, token: str, position: int, of_options: bool = True) -> list[Cell]:
        """The cells that show a token, before an output position."""
        shown = self._cells.get(token, [])
        cells = shown[: _before(shown, position)]
        if of_options:
            return cells
        return [cell for cell in cells if cell.room == "y" or cell.k <= self.question_length]

    def has_cell(self, token: str, position: int, of_options: bool = True) -> bool:
        """Whether any cell shows a token, before an output position."""
        shown = self._cells.get(token, [])
        end = _before(shown, position)
        return end > 0 and (
            of_options or shown[end - 1].room == "y" or shown[0].k <= self.question_length
        )

    def places(self, value: float, position: int) -> list[Place]:
        """The cells that show a number, in whatever spelling, before an output position."""
        return self._places.get(value, [])[: self._places_before(value, position)]

    def _places_before(self, value: float, position: int) -> int:
        shown = self._places.get(value, [])
        return bisect_left(shown, position, key=lambda place: _order(place.cell))

    def nearest_place(self, value: float, position: int) -> Place | None:
        """The place where a number stood last, before an output position."""
        end = self._places_before(value, position)
        return self._places[value][end - 1] if end else None

    def is_in_problem(self, value: float) -> bool:
        """Whether the question or an option shows a number."""
        shown = self._places.get(value, [])
        return bool(shown) and shown[0].cell.room == "x"

    def last_written(self, value: float, position: int) -> int:
        """The output position before another one where a number stood last, or 0."""
        nearest = self.nearest_place(value, position)
        return nearest.cell.k if nearest is not None and nearest.cell.room == "y" else 0

    def is_spelled_otherwise(self, value: float, token: str, position: int) -> bool:
        """Whether a number can be read before an output position in another spelling."""
        first = self._spellings.get(value, {})
        return _CONSTANT_OF.get(value, token) != token or any(
            _order(cell) < position for numeral, cell in first.items() if numeral != token
        )

    def last_token(self, token: str, position: int) -> int:
        """The output position before another one where a token stood last, or 0."""
        shown = self._cells.get(token, [])
        end = _before(shown, position)
        return shown[end - 1].k if end and shown[end - 1].room == "y" else 0

    def references(self, value: float, position: int) -> list[tuple[Reference, str]]:
        """Where a number can be read, each with the numeral there, the best place first.

        What was written last comes first, then the question, then the constant, then the options.
        """
        places = self.places(value, position)
        written = [place for place in reversed(places) if place.cell.room == "y"]
        asked = [place for place in places if place.cell.room == "x"]
        given = [place for place in asked if place.cell.k <= self.question_length]
        found: list[tuple[Reference, str]] = [(p.cell, p.numeral) for p in (*written, *given)]
        numeral = _CONSTANT_OF.get(value)
        if numeral is not None:
            found.append((Word(numeral), numeral))
        return found + [(p.cell, p.numeral) for p in asked[len(given) :]]

    def best_reference(self, value: float, position: int) -> tuple[Reference, str] | None:
        """The first of `references`."""
        nearest = self.nearest_place(value, position)
        if nearest is None or nearest.cell.room == "x":
            first = None if nearest is None else self._places[value][0]
            if first is not None and not self._is_option(first.cell):
                return first.cell, first.numeral
            numeral = _CONSTANT_OF.get(value)
            if numeral is not None:
                return Word(numeral), numeral
            return None if first is None else (first.cell, first.numeral)
        return nearest.cell, nearest.numeral

    def is_given(self, value: float, position: int) -> bool:
        """Whether a number stands elsewhere than in the options alone, or is a constant."""
        best = self.best_reference(value, position)
        return best is not None and not self._is_option(best[0])

    def _is_option(self, reference: Reference) -> bool:
        return (
            isinstance(reference, Cell)
            and reference.room == "x"
            and reference.k > self.question_length
        )

    def nearest_cell(self, token: str, position: int) -> Cell:
        """The cell a token is best copied from: the question, then the text, then the options."""
        shown = self._cells[token]
        last = shown[_before(shown, position) - 1]
        in_question = shown[0].room == "x" and not self._is_option(shown[0])
        return shown[0] if in_question or last.room == "x" else last

    def paths(self, position: int) -> Iterator[Path]:
        """All paths to the token at a position, counted from 1."""
        return self._expand(self.tokens[position - 1], of_options=True)

    def _expand(self, paths: TokenPaths, of_options: bool) -> Iterator[Path]:
        yield from self.short_paths(paths, of_options)
        yield from self.root_paths(paths)
        for step in self.long_steps(paths):
            yield from self.computed(paths, step)
        for check in paths.checks:
            for path in self._expand(check, of_options=False):
                if self._is_grounded(path, check.position):
                    yield Path(path.how, path.text, path.number, path.writing, checked=True)

    def _is_grounded(self, path: Path, position: int) -> bool:
        """Whether a string to be checked comes from the problem: not from the options, which would
        find themselves, nor from constants alone."""
        if path.number is None:
            return True
        number = path.number
        if isinstance(number, Derivation | EquationStep):
            values = list(number.leaves())
        else:
            values = [number]
        return all(self.is_given(value, position) for value in values) and any(
            self.nearest_place(value, position) is not None for value in values
        )

    def short_paths(self, paths: TokenPaths, of_options: bool = True) -> Iterator[Path]:
        """The paths with at most one operation."""
        token, position, target = paths.token, paths.position, paths.target
        if paths.word:
            yield Path("word", token)
        if self.has_cell(token, position, of_options):
            yield Path("copy", token)
        if target is None:
            return
        spelled = writing(target, token, self.operations)
        if spelled and self.is_spelled_otherwise(target, token, position):
            yield Path("convert", token, target, spelled)
        for code in paths.ones:
            step = self.derivations.single(code, target)
            if step is not None:
                yield from self.computed(paths, step)
        for step in paths.rounded:
            if step.count() == 1:
                yield from self.computed(paths, step)

    def long_steps(
        self, paths: TokenPaths, only: frozenset[float] | None = None
    ) -> Iterator[Derivation]:
        """The derivations with two operations, maybe from some leaves only."""
        if paths.target is None:
            return
        for two in paths.twos:
            yield from self.derivations.expand(two, paths.target, paths.leaves, only)
        for step in paths.rounded:
            if step.count() == 2 and (only is None or only.issuperset(step.leaves())):
                yield step

    def root_paths(self, paths: TokenPaths) -> Iterator[Path]:
        """The path that solves an equation of the text, if there is one."""
        if paths.root is not None:
            yield from self.computed(paths, paths.root)

    def computed(self, paths: TokenPaths, step: Derivation | EquationStep) -> Iterator[Path]:
        """The path that writes a token by a derivation, if the result is written so."""
        value = step.value()
        written = None if value is None else writing(value, paths.token, self.operations)
        if written is not None:
            yield Path("compute", paths.token, step, written)

    def is_rounded(self, path: Path, position: int) -> bool:
        """Whether a computed number is rounded, by an operation or in writing."""
        if not isinstance(path.number, Derivation):
            return False
        target = self.tokens[position - 1].target
        value = path.number.value()
        return (
            path.number.operation == "Round"
            or target is None
            or value is None
            or not same(value, target)
        )

    def is_explained(self, position: int) -> bool:
        """Whether a token has any path."""
        return next(self.paths(position), None) is not None


_CONSTANT_OF = {CONSTANT_VALUES[numeral]: numeral for numeral in OPERAND_CONSTANTS}


def _before(cells: Sequence[Cell], position: int) -> int:
    """How many of the cells come before an output position; source cells come first."""
    return bisect_left(cells, position, key=_order)


def _order(cell: Cell) -> int:
    """Where a cell stands among the output positions; source cells come before all of them."""
    return 0 if cell.room == "x" else cell.k


def induce(
    problem: Problem, operations: OperationSet = PAPER, depth: int = 2, bounds: Bounds = BOUNDS
) -> Lattice:
    """The lattice of a problem's rationale and letter."""
    bounds.check(problem)
    lattice = Lattice(problem, operations, depth)
    letters = letter_positions(lattice.output, problem.correct)
    checkable = _Checkable(problem, operations) if letters else None
    for position, token in enumerate(lattice.output, 1):
        if checkable is not None and position in letters:
            paths = TokenPaths(
                token, position, True, checks=tuple(checkable.strings(lattice, position))
            )
        elif is_number(token):
            paths = _number_paths(lattice, token, position)
        else:
            paths = TokenPaths(token, position, word=True)
        lattice.append(paths)
    return lattice


def _number_paths(lattice: Lattice, token: str, position: int) -> TokenPaths:
    """The paths to a numeral; a rationale repeats many of them, with nothing new in between."""
    paths = _exact_paths(lattice, token, position)
    if paths.target is None:
        return paths
    copied = lattice.has_cell(token, position)
    known = (token, paths.leaves, copied)
    rounded = lattice.rounded.get(known)
    if rounded is None:
        rounded = _rounded_paths(lattice, paths.target, token, copied)
        lattice.rounded[known] = rounded
    root = None
    if "Solve" in lattice.operations and lattice.depth > 0:
        root = root_stated(
            lattice.output,
            position - 1,
            lambda value: writing(value, token, lattice.operations) is not None,
        )
    return replace(paths, rounded=rounded, root=root)


def _exact_paths(lattice: Lattice, token: str, position: int) -> TokenPaths:
    """The paths to a numeral by which nothing is rounded."""
    known = (token, len(lattice.derivations.leaves))
    paths = lattice.exact.get(known)
    if paths is None:
        paths = lattice.exact[known] = _find_exact_paths(lattice, token)
    return replace(paths, position=position)


def _find_exact_paths(lattice: Lattice, token: str) -> TokenPaths:
    derivations = lattice.derivations
    target = number_of(token)
    word = token in CONSTANT_VALUES
    if target is None:
        return TokenPaths(token, 0, word)
    can_write = writing(target, token, lattice.operations) is not None
    return TokenPaths(
        token,
        0,
        word,
        target,
        len(derivations.leaves),
        tuple(derivations.one_step(target)) if can_write and lattice.depth > 0 else (),
        tuple(derivations.two_steps(target)) if can_write and lattice.depth > 1 else (),
    )


def _rounded_paths(
    lattice: Lattice, target: float, token: str, copied: bool
) -> tuple[Derivation, ...]:
    """Derivations whose result is rounded, by an operation or in writing."""
    rounding = lattice.derivations.rounding
    by_operation = rounding.round_steps(target, token, copied)
    steps = (*by_operation, *rounding.written_rounded(target, token))
    return tuple(step for step in steps if step.count() <= lattice.depth)


class _Checkable:
    """Which strings `Check` turns into the right letter."""

    def __init__(self, problem: Problem, operations: OperationSet) -> None:
        index = OptionIndex(problem.options)
        self._check = index.check if operations is PAPER else index.check_by_value
        self._correct = problem.correct
        self._known: dict[str, bool] = {}
        assert problem.correct is not None
        right = problem.options[problem.letters.index(problem.correct)]
        numerals = option_numerals(right, by_value=operations is not PAPER)
        self._numerals = [numeral for numeral in numerals if self._finds(numeral)]
        self._words = frozenset(word for option in problem.options for word in option.split())

    def _finds(self, text: str) -> bool:
        known = self._known.get(text)
        if known is None:
            try:
                known = self._check(text) == self._correct
            except OperationError:
                known = False
            self._known[text] = known
        return known

    def strings(self, lattice: Lattice, position: int) -> Iterator[TokenPaths]:
        """The strings that are there by then or can be computed, each with its paths."""
        seen = dict.fromkeys(lattice.output[: position - 1])
        seen.update(dict.fromkeys(lattice.source[: lattice.question_length]))
        for token in seen:
            if (is_number(token) or token in self._words) and self._finds(token):
                yield TokenPaths(token, position, word=False)
        for numeral in self._numerals:
            if numeral not in seen and number_of(numeral) is not None:
                yield replace(_exact_paths(lattice, numeral, position), word=False)
