"""What the solver learns from: problems and plans as tables of numbers, and folders of tables.

Promises: a table of problems has each once, and a table of plans the row of each one's problem;
tables can be saved, loaded and put together; a file that is damaged or made for other symbols is
refused. A `TableFolder` holds `pieces.json`, a list of sub-word units, and folders of tables.

Does not cover: problems that are too long or have more than five options; they are left out.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile

import numpy as np

from scratchwork.errors import UserError
from scratchwork.files import atomic_file, sha256_of
from scratchwork.problems.problem import LETTERS
from scratchwork.solver.arithmetic import OPTION_VALUES
from scratchwork.solver.reading import OPTION_PIECE, PAD_PIECE, SPECIAL_PIECES, Reading
from scratchwork.solver.symbols import (
    FIRST_CONSTANT,
    FIRST_NUMERAL,
    FIRST_OPERATION,
    FIRST_PIECE,
    FIRST_RESULT,
    LONGEST_ROW,
    MOST_NUMERALS,
)

LONGEST_READING = 160
OPTIONS = 5
_LAYOUT = (
    len(SPECIAL_PIECES),
    FIRST_OPERATION,
    FIRST_CONSTANT,
    FIRST_NUMERAL,
    FIRST_RESULT,
    FIRST_PIECE,
    OPTION_VALUES,
)
"""What the numbers in the tables stand for depends on these."""

Array = np.ndarray
Table = TypeVar("Table", "ProblemTable", "PlanTable")


@dataclass
class ProblemTable:
    """Problems, one a row."""

    pieces: Array
    segments: Array
    positions: Array
    lengths: Array
    numeral_pieces: Array
    numeral_values: Array
    """In float64; NaN where there is none."""
    in_question: Array
    """Whether a numeral stands in the question."""
    option_pieces: Array
    option_values: Array
    """In float64, [problem, option, value]; NaN where there is none."""
    labels: Array
    """The right option, from 0; -1 where it is not known."""
    answers: Array
    """The right number, in float64; NaN where it is not known, or no number is right."""

    def __len__(self) -> int:
        return len(self.labels)


@dataclass
class PlanTable:
    """Plans, one a row."""

    problems: Array
    """The row of the plan's problem."""
    choices: Array
    """-1 behind the end."""
    reached: Array
    """The option that the plan reaches, -1 for none."""

    def __len__(self) -> int:
        return len(self.problems)


Tables = tuple[ProblemTable, PlanTable]


@dataclass(frozen=True, slots=True)
class Example:
    """A problem as it was read, with plans that solve it."""

    reading: Reading
    label: str | None
    plans: Sequence[Sequence[int]]
    """As rows of choices; a rationale may follow its plan in the same row."""
    answer: float | None = None
    """The right number of a problem without a label, if it is known."""


def fits(reading: Reading) -> bool:
    """Whether a problem can be put into a table."""
    return len(reading.pieces) <= LONGEST_READING and len(reading.options) <= OPTIONS


def tables_of(examples: Iterable[Example]) -> Tables:
    """Tables of all examples; each must fit."""
    listed = list(examples)
    problems = _empty_problems(len(listed))
    owners: list[int] = []
    rows: list[Sequence[int]] = []
    for k, example in enumerate(listed):
        _fill(problems, k, example)
        owners += [k] * len(example.plans)
        rows += example.plans
    choices = np.full((len(rows), LONGEST_ROW), -1, np.int16)
    for k, row in enumerate(rows):
        choices[k, : len(row)] = row
    owned = np.array(owners, np.int32)
    return problems, PlanTable(owned, choices, problems.labels[owned].copy())


def _empty_problems(count: int) -> ProblemTable:
    """A table for so many problems."""
    length = LONGEST_READING
    return ProblemTable(
        pieces=np.full((count, length), PAD_PIECE, np.int16),
        segments=np.full((count, length), -1, np.int8),
        positions=np.zeros((count, length), np.int16),
        lengths=np.zeros(count, np.int16),
        numeral_pieces=np.full((count, MOST_NUMERALS), -1, np.int16),
        numeral_values=np.full((count, MOST_NUMERALS), np.nan),
        in_question=np.zeros((count, MOST_NUMERALS), bool),
        option_pieces=np.full((count, OPTIONS), -1, np.int16),
        option_values=np.full((count, OPTIONS, OPTION_VALUES), np.nan),
        labels=np.full(count, -1, np.int8),
        answers=np.full(count, np.nan),
    )


def _fill(table: ProblemTable, k: int, example: Example) -> None:
    reading, answer = example.reading, example.answer
    length = len(reading.pieces)
    table.pieces[k, :length] = reading.pieces
    table.segments[k, :length] = reading.segments
    table.positions[k, :length] = reading.positions
    table.lengths[k] = length
    for j, numeral in enumerate(reading.numerals[:MOST_NUMERALS]):
        table.numeral_pieces[k, j] = numeral.piece
        table.numeral_values[k, j] = numeral.value
        table.in_question[k, j] = numeral.place > 0
    begins = [j for j, piece in enumerate(reading.pieces) if piece == OPTION_PIECE]
    table.option_pieces[k, : len(begins)] = begins
    for j, stands_for in enumerate(reading.options):
        table.option_values[k, j, : len(stands_for)] = stands_for
    if example.label:
        table.labels[k] = right = LETTERS.index(example.label)
        answer = next(iter(reading.options[right]), answer)
    if answer is not None:
        table.answers[k] = answer


def _joined(tables: Sequence[Table]) -> Table:
    """One table after the other; the rows of plans are not renumbered."""
    kind = type(tables[0])
    columns = (
        np.concatenate([getattr(table, field.name) for table in tables]) for field in fields(kind)
    )
    return kind(*columns)


def joined_tables(parts: Sequence[Tables]) -> Tables:
    """Problems and plans of several parts, the plans with their problems' new rows."""
    shifted: list[PlanTable] = []
    first = 0
    for problems, plans in parts:
        shifted.append(PlanTable(plans.problems + first, plans.choices, plans.reached))
        first += len(problems)
    return _joined([problems for problems, _ in parts]), _joined(shifted)


def with_empty_rows(problems: ProblemTable, plans: PlanTable) -> PlanTable:
    """The plans, and a row without choices for each problem that has none."""
    missing = np.setdiff1d(np.arange(len(problems)), plans.problems)
    choices = np.full((len(missing), plans.choices.shape[1]), -1, np.int16)
    return PlanTable(
        np.concatenate([plans.problems, missing.astype(np.int32)]),
        np.concatenate([plans.choices, choices]),
        np.concatenate([plans.reached, np.full(len(missing), -1, plans.reached.dtype)]),
    )


def save_tables(path: Path, tables: Tables) -> None:
    """Write both tables to one file, which appears when it is whole."""
    columns: dict[str, Array] = {"layout": np.array(_LAYOUT)}
    for prefix, table in zip(("problems", "plans"), tables, strict=True):
        columns |= {f"{prefix}.{f.name}": getattr(table, f.name) for f in fields(table)}
    with atomic_file(path) as file:
        np.savez_compressed(file, **columns)  # pyright: ignore[reportArgumentType]


def load_tables(path: Path) -> Tables:
    """What `save_tables` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as columns:
            if tuple(columns["layout"]) != _LAYOUT:
                raise UserError(f"{path} was made for other symbols; delete it and make it anew")
            problems = ProblemTable(*(columns[f"problems.{f.name}"] for f in fields(ProblemTable)))
            plans = PlanTable(*(columns[f"plans.{f.name}"] for f in fields(PlanTable)))
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile) as error:
        raise UserError(f"{path} holds no tables, or is damaged; make it anew") from error
    return problems, plans


PIECES = "pieces.json"
REAL, GENERATED, STORIES = "real", "generated", "stories"
TEXTS, TUNE = "texts", "tune"
"""The folders of tables: problems with their plans, generated ones, told stories; texts of which
only words are learned; and problems to measure on."""
TUNE_FAR = "tune-far"
"""The table of those tune problems that are far from every training question."""


@dataclass(frozen=True)
class TableFolder:
    """A folder of tables that a solver is trained on."""

    pieces: list[str]
    files: dict[str, list[Path]]
    """By the name of its folder, every file of tables."""
    digest: str
    """Of the names and the contents of all files."""

    @classmethod
    def read(cls, folder: Path) -> "TableFolder":
        """Find the tables in a folder."""
        try:
            pieces = json.loads((folder / PIECES).read_text("utf-8"))
            if tuple(pieces[: len(SPECIAL_PIECES)]) != SPECIAL_PIECES:
                raise ValueError("pieces")
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"{folder} is no folder of tables: it has no {PIECES} with sub-word units; "
                "make one with: scratchwork train tables"
            ) from error
        kinds = (REAL, GENERATED, STORIES, TEXTS, TUNE)
        files = {
            kind: sorted((folder / kind).glob("*.npz"), key=lambda file: file.stem)
            for kind in kinds
        }
        if not any(files[kind] for kind in (REAL, GENERATED, STORIES)):
            raise UserError(
                f"{folder} has no tables to learn from, in {REAL}, {GENERATED} or {STORIES}"
            )
        digest = hashlib.sha256(json.dumps(pieces).encode())
        for kind, listed in files.items():
            for file in listed:
                digest.update(f"{kind}/{file.name} {sha256_of(file)}\n".encode())
        return cls(pieces, files, digest.hexdigest())
