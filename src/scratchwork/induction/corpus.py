"""The lines of a corpus: for each problem its program, and its lattice if wanted, as JSON.

Promises: `chunk_lines` gives the same bytes for the same problems and settings, on every machine
of one kind. The line of a problem without a rationale, or of a formula that cannot be translated,
says so and has no program. `lattice_to_json` documents the form of a lattice, and loses no path.

Does not cover: files; see `corpus_file`.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scratchwork.errors import quoted
from scratchwork.induction.choosing import assemble, choose_paths, unexplained
from scratchwork.induction.derivation import Derivation, TwoSteps
from scratchwork.induction.lattice import Lattice, TokenPaths, induce
from scratchwork.induction.roots import EquationStep
from scratchwork.induction.rules import ARITHMETIC, COUNTING, apply, is_new, same
from scratchwork.machine.operations import EXTENDED, OPERATION_SETS
from scratchwork.machine.programs import Word
from scratchwork.machine.writing import Writing, writing
from scratchwork.plans.formulas import FormulaError, translate
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.tokens import is_number

CORPUS_VERSION = 1
_COMPRESSION = 6


@dataclass(frozen=True, slots=True)
class InductionSettings:
    """What is asked for each problem; any change changes the lines."""

    operations: str = "paper"
    depth: int = 2
    lattices: bool = False
    from_formula: bool = False
    """Translate MathQA's formula instead of inducing from the rationale."""


Counts = dict[str, int]


class WrittenChunk(NamedTuple):
    """A chunk's lines, as they go to the file, and what was counted on the way."""

    content: bytes
    counts: Counts


def chunk_lines(
    chunk: Sequence[Problem], settings: InductionSettings, compressed: bool
) -> WrittenChunk:
    """The lines of some problems, as one gzip member if they are to be compressed."""
    counts: Counter[str] = Counter()
    rows = [_row(problem, settings, counts) for problem in chunk]
    content = "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
    ).encode("utf-8")
    if compressed:
        content = gzip.compress(content, _COMPRESSION, mtime=0)
    return WrittenChunk(content, dict(counts))


def _row(problem: Problem, settings: InductionSettings, counts: Counter[str]) -> dict[str, Any]:
    counts["problems"] += 1
    try:
        if settings.from_formula:
            return _translated(normalise(problem), counts)
        return _induced(normalise(problem), settings, counts)
    except ProblemError as error:  # without markup a row may have more numbers than before
        raise ProblemError(f"the problem with the id {quoted(problem.id)}: {error}") from error
    except Exception as error:
        error.add_note(f'This was the problem with the id "{problem.id}".')
        raise


def _translated(problem: Problem, counts: Counter[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "version": CORPUS_VERSION,
        "id": problem.id,
        "operations": EXTENDED.name,
        "program": None,
        "letter": None,
        "yields_label": False,
        "problem": None,
    }
    try:
        translated = translate(problem)
    except FormulaError as error:
        counts["failed"] += 1
        return row | {"problem": str(error)}
    row["program"] = str(translated.program)
    row["letter"] = translated.letter
    row["yields_label"] = translated.yields_label(problem)
    counts["translated"] += 1
    if translated.letter is None:
        counts["no_letter"] += 1
    else:
        counts["label" if row["yields_label"] else "other_letter"] += 1
    return row


def _induced(problem: Problem, settings: InductionSettings, counts: Counter[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "version": CORPUS_VERSION,
        "id": problem.id,
        "operations": settings.operations,
        "depth": settings.depth,
        "program": None,
        "explained": None,
        "unexplained": [],
    }
    if settings.lattices:
        row["lattice"] = None
    if problem.rationale is None:
        counts["without_rationale"] += 1
        return row
    lattice = induce(problem, OPERATION_SETS[settings.operations], settings.depth)
    paths = choose_paths(lattice)
    row["program"] = str(assemble(lattice, paths))
    row["unexplained"] = unexplained(paths)
    numerals = sum(map(is_number, lattice.output))
    if numerals:
        row["explained"] = round(1 - len(row["unexplained"]) / numerals, 4)
    counts["numerals"] += numerals
    counts["unexplained"] += len(row["unexplained"])
    if settings.lattices:
        row["lattice"] = lattice_to_json(lattice)
    return row


def lattice_to_json(lattice: Lattice) -> dict[str, Any]:
    """A lattice as an object, factored as it is in memory.

    `source`, `output`: the tokens, x1 and y1 being the first ones.
    `leaves`: the numbers that derivations start from, each `[value, cells]` with all cells that
    show it, `"x5"` or `"y17"`; `[value, cells, "100"]` if it may also be read as that constant.
    `intermediates`: the numbers between two operations, each as the list of its derivations. A
    derivation is `[operation, leaf, ...]`; leaves count from 0.
    `tokens`: for each output token, how it can be written. A plain n is a word, which may also be
    copied, from the n cells before it that show the same. Any other is an object:
    - `word`: true if it may be written as a word; `copies`: from how many cells it can be copied;
    - `value`: the number it stands for;
    - `written`: each operation `by` which a number is written as this token (to a number of
      `places`), and the numbers: `read`, the leaf that shows it in another spelling; `one`, its
      derivations by one operation; `two`, those by two, where an argument `"v3"` stands for every
      derivation in `intermediates[3]`; the places that `Round` rounds to are a literal, `"2"`;
      `root`, the operations that solve an equation for it, one in the other, with the letters of
      unknowns;
    - `checks`: for a letter, what `Check` turns into it: such objects again, each with its `text`.
      Here the cells of options do not count, and a derivation has a leaf that is not a constant.

    A token can use a leaf that is a constant or has a cell before the token. Of the intermediate
    numbers it uses the derivations with such leaves only, none of which is its own `value`.
    """
    return _LatticeForm(lattice).to_json()


Form = tuple[str | int, ...]
"""A derivation in JSON: the operation and its arguments."""

_TAKES_ANY = frozenset((*ARITHMETIC, *COUNTING))
"""Operations of two numbers whose intermediate number may come from any operation."""


class _Intermediate(NamedTuple):
    """An intermediate number, with its derivations, and the newest leaf that each of them needs."""

    value: float
    steps: list[tuple[Derivation, int]]

    def is_usable(self, target: float, leaves: int) -> bool:
        """Whether some derivation needs the first leaves only, and not the target itself."""
        return any(newest < leaves and target not in step.arguments for step, newest in self.steps)


class _LatticeForm:
    """A lattice on its way to JSON; numbers leaves and intermediates as they are used."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self._leaves: dict[float, int] = {}
        self._intermediates: dict[tuple[int | str, float], int] = {}
        self._derivations: list[dict[Form, None]] = []
        self._looked_up: dict[int, list[_Intermediate]] = {}

    def to_json(self) -> dict[str, Any]:
        tokens = [self._token(paths) for paths in self.lattice.tokens]
        return {
            "source": self.lattice.source,
            "output": self.lattice.output,
            "leaves": [self._places(value) for value in self._leaves],
            "intermediates": [list(derivations) for derivations in self._derivations],
            "tokens": tokens,
        }

    def _places(self, value: float) -> list[Any]:
        references = self.lattice.references(value, len(self.lattice.output) + 1)
        cells = [str(reference) for reference, _ in references if not isinstance(reference, Word)]
        constants = [reference.text for reference, _ in references if isinstance(reference, Word)]
        return [value, cells, *constants]

    def _token(self, paths: TokenPaths) -> int | dict[str, Any]:
        if paths.word and paths.target is None and not paths.checks:
            return len(self.lattice.cells(paths.token, paths.position))
        form = self._ways(paths, of_options=True)
        if paths.checks:
            form["checks"] = [
                {"text": check.token, **self._ways(check, of_options=False)}
                for check in paths.checks
            ]
        return form

    def _ways(self, paths: TokenPaths, of_options: bool) -> dict[str, Any]:
        form: dict[str, Any] = {"word": True} if paths.word else {}
        copies = len(self.lattice.cells(paths.token, paths.position, of_options))
        if copies:
            form["copies"] = copies
        if paths.target is not None:
            form["value"] = paths.target
            form["written"] = self._written(paths, paths.target)
        return form

    def _written(self, paths: TokenPaths, target: float) -> list[dict[str, Any]]:
        by_operation: dict[Writing, dict[str, Any]] = {}
        known: dict[float, dict[str, Any] | None] = {}

        def written_like(value: float) -> dict[str, Any] | None:
            """The numbers that are written by the same operation as this one."""
            if value not in known:
                by = writing(value, paths.token, self.lattice.operations)
                known[value] = by and by_operation.setdefault(by, _form_of_writing(by))
            return known[value]

        if self.lattice.is_spelled_otherwise(target, paths.token, paths.position):
            group = written_like(target)
            if group is not None:
                group["read"] = self._leaf(target)
        for kind, found in (("one", self._ones), ("two", self._twos)):
            for value, form in found(paths, target):
                group = written_like(value)
                if group is not None:
                    group.setdefault(kind, []).append(form)
        root = paths.root and paths.root.value()
        group = None if root is None else written_like(root)
        if paths.root is not None and group is not None:
            group["root"] = self._equation(paths.root)
        return list(by_operation.values())

    def _equation(self, step: float | str | EquationStep) -> int | str | list[Any]:
        if isinstance(step, EquationStep):
            return [step.operation, *map(self._equation, step.arguments)]
        return step if isinstance(step, str) else self._leaf(step)

    def _ones(self, paths: TokenPaths, target: float) -> Iterator[tuple[float, Form]]:
        exact = (self.lattice.derivations.single(code, target) for code in paths.ones)
        yield from self._forms(step for step in exact if step is not None)
        yield from self._forms(step for step in paths.rounded if step.count() == 1)

    def _twos(self, paths: TokenPaths, target: float) -> Iterator[tuple[float, Form]]:
        expand = self.lattice.derivations.expand
        others: list[Derivation] = []
        for two in paths.twos:
            if two.operation in _TAKES_ANY:
                yield from self._of_any(two, paths, target)
            else:
                others += expand(two, target, paths.leaves)
        others += (step for step in paths.rounded if step.count() == 2)
        # Those that differ in the first operation only have the same form.
        yield from dict.fromkeys(self._forms(others))

    def _forms(self, steps: Iterable[Derivation]) -> Iterator[tuple[float, Form]]:
        for step in steps:
            value = step.value()
            if value is not None:
                yield value, self._form(step)

    def _of_any(
        self, two: TwoSteps, paths: TokenPaths, target: float
    ) -> Iterator[tuple[float, Form]]:
        """What `DerivationFinder.expand` finds, but each intermediate number is tried only once."""
        other = None if two.leaf is None else self.lattice.derivations.leaves[two.leaf]
        if other is None or other == target or (two.leaf or 0) >= paths.leaves:
            return
        for inner in self._look_up(two.inner_key):
            arguments = (inner.value, other) if two.inner_first else (other, inner.value)
            value = apply(two.operation, *arguments)
            if value is None or not same(value, target) or not is_new(value, arguments):
                continue
            if inner.is_usable(target, paths.leaves):
                name = self._name(two.inner_key, inner)
                leaf = self._leaf(other)
                pair = (name, leaf) if two.inner_first else (leaf, name)
                yield value, (two.operation, *pair)

    def _look_up(self, key: int) -> list[_Intermediate]:
        """The intermediate numbers of a key; they differ by float noise, if at all."""
        found = self._looked_up.get(key)
        if found is None:
            derivations = self.lattice.derivations
            by_value: dict[float, _Intermediate] = {}
            for code in derivations.codes(key):
                step = derivations.step(code)
                value = step.value()
                if value is not None and step.is_fit_inside("Add"):
                    inner = by_value.setdefault(value, _Intermediate(value, []))
                    inner.steps.append((step, max(derivations.leaves_of(code))))
            found = self._looked_up[key] = list(by_value.values())
        return found

    def _name(self, found_by: int | str, inner: _Intermediate) -> str:
        """The name of an intermediate number, found by its key or for a second operation."""
        number = self._intermediates.get((found_by, inner.value))
        if number is None:
            number = self._intermediates[found_by, inner.value] = len(self._derivations)
            self._derivations.append({})
        elif isinstance(found_by, int):  # all its derivations are there already
            return f"v{number}"
        forms = (self._form(step) for step, _ in inner.steps)
        self._derivations[number].update(dict.fromkeys(forms))
        return f"v{number}"

    def _form(self, step: Derivation) -> Form:
        if step.operation == "Round":
            number, places = step.arguments
            return (step.operation, self._argument(step, number), f"{places:g}")
        return (step.operation, *(self._argument(step, argument) for argument in step.arguments))

    def _argument(self, step: Derivation, argument: float | Derivation) -> int | str:
        if not isinstance(argument, Derivation):
            return self._leaf(argument)
        value = argument.value()
        assert value is not None
        return self._name(step.operation, _Intermediate(value, [(argument, 0)]))

    def _leaf(self, value: float) -> int:
        return self._leaves.setdefault(value, len(self._leaves))


def _form_of_writing(by: Writing) -> dict[str, Any]:
    return {"by": by.operation} if by.places is None else {"by": by.operation, "places": by.places}
