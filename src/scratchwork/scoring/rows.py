"""What was decoded for each problem, as lines of JSON that a command leaves behind.

Promises: `RowFile` takes rows as they come, so that a run that was killed loses none that were
written; opened again, it holds those that are there, and a line that was cut off is removed. It
refuses a file of anything else, and rows of another model, other problems or another search. The
figures that need no model are measured from rows.

Does not cover: the order of the problems. Rows stand as they were decoded.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem
from scratchwork.problems.writing import lock
from scratchwork.scoring.accuracy import Answer, How
from scratchwork.scoring.bleu import Bleu, can_measure_bleu, measure_bleu

FORMAT_VERSION = 1
_START = f'{{"version": {FORMAT_VERSION}, "id": '.encode()


@dataclass(frozen=True, slots=True)
class Row:
    """What was decoded for one problem."""

    id: str
    correct: str
    answer: str | None
    """The letter of the best program."""
    how: How
    """Where that letter came from."""
    rationale: str
    log_probability: float
    """The natural logarithm, of the best program."""
    program: str
    """The best program, in text form."""
    votes: Mapping[str, float]
    """Each letter's share of the probability of all programs found, the largest first."""
    vote_how: How
    """Where the first of these letters came from, in the best program that gives it."""

    @property
    def of_best(self) -> Answer:
        """The best program's answer."""
        return Answer(self.answer, self.how)

    @property
    def of_vote(self) -> Answer:
        """The answer that has the most votes."""
        return Answer(next(iter(self.votes)), self.vote_how)


class HasId(Protocol):
    """A dataclass of plain values, one of them the id of its problem."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str:
        """Which problem the row is of."""
        ...


Kind = TypeVar("Kind", bound=HasId)


class RowFile(Generic[Kind]):
    """A file of rows of one kind that grows; locked while it is open."""

    def __init__(self, path: Path, kind: type[Kind], settings: Mapping[str, Any]) -> None:
        if path.suffix == ".gz":
            raise UserError(f"{path}: rows are added one by one, which needs a plain file: .jsonl")
        self.rows: dict[str, Kind] = {}
        """Those that are there, by the ids of their problems."""
        self._path, self._kind = path, kind
        self._settings = dict(settings)

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+b", buffering=0)
        try:
            lock(self._file, self._path)
            self._file.seek(0)
            content = self._file.read()
            whole = content[: content.rfind(b"\n") + 1]
            rest = content[len(whole) :]
            if not rest.startswith(_START[: len(rest)]):
                raise _no_row(self._path, whole.count(b"\n") + 1)
            self.rows = {row.id: row for row in self._parsed(whole)}
            self._file.truncate(len(whole))
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def _parsed(self, content: bytes) -> Iterable[Kind]:
        return _parsed(content, self._path, self._kind, self._settings)

    def append(self, rows: Iterable[Kind]) -> None:
        """Take some more rows."""
        for row in rows:
            form = {"version": FORMAT_VERSION, **asdict(row), "settings": self._settings}
            self._file.write(json.dumps(form, ensure_ascii=False).encode("utf-8") + b"\n")
            self.rows[row.id] = row


def read_rows(path: Path) -> list[Row]:
    """The rows of a file."""
    return list(_parsed(path.read_bytes(), path, Row))


def _parsed(
    content: bytes, path: Path, kind: type[Kind], settings: Mapping[str, Any] | None = None
) -> Iterable[Kind]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            form = json.loads(line)
            if form.pop("version") != FORMAT_VERSION:
                raise ValueError("version")
            given = form.pop("settings")
            row = kind(**form)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _no_row(path, number) from error
        if settings is not None and given != settings:
            raise UserError(
                f"{path} holds rows of {_difference(given, settings)}; "
                "name another file, or remove this one to start anew"
            )
        yield row


def _no_row(path: Path, number: int) -> UserError:
    return UserError(f"{path}:{number}: this is no row of this command; name another file")


def _difference(given: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    for name, what in (("weights", "another model"), ("data", "other problems")):
        if given.get(name) != settings[name]:
            return what
    return "a search with other settings"


def has_rationale(problem: Problem) -> bool:
    """Whether there is a rationale that a model can be held to."""
    return bool((problem.rationale or "").strip())


def bleu_of(problems: Sequence[Problem], rows: Sequence[Row]) -> Bleu | None:
    """BLEU of the rows' rationales; None where no problem has one, or without sacrebleu."""
    pairs = [
        (row.rationale, problem.rationale or "")
        for problem, row in zip(problems, rows, strict=True)
        if has_rationale(problem)
    ]
    if not pairs or not can_measure_bleu():
        return None
    return measure_bleu([written for written, _ in pairs], [given for _, given in pairs])
