"""Near copies of held-out problems among others: exact, reworded or with other numbers.

Promises: two questions are compared by letters and digits only (lower-cased, everything but a-z
and 0-9 deleted), by the normalised Indel ratio: 100 x 2 x length of the longest common
subsequence / sum of both lengths, not rounded. A problem is a near copy of a held-out one when the
ratio reaches the text threshold, or when it reaches the digit-free threshold after deleting the
digits too; the latter only for held-out questions with at least `FEWEST_LETTERS` letters, since
shorter ones look alike once their numbers are gone. Every pair is compared.

Memory: the held-out problems, a block of the others, and the hits that are kept; the files
compared with may be of any length.
Does not cover: rationales and options; questions in other than Latin letters, which have no text
left to compare and are near copies of nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scratchwork.errors import UserError
from scratchwork.files import sha256_of
from scratchwork.parallel import blocks
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, OnProgress, read_problems, silent
from scratchwork.problems.rows import write_problems

FEWEST_LETTERS = 30
"""A held-out question with fewer letters is not compared without its digits."""
BLOCK = 4096
"""How many problems are compared at a time."""

_HELDOUT_BLOCK = 512  # with BLOCK, a matrix of 16 MB
_NOT_COMPARED = re.compile(r"[^a-z0-9]+")
_DIGITS = str.maketrans("", "", "0123456789")
_SNIPPET = 100


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which ratio on, 0 to 100, a question counts as a near copy."""

    text: float = 75.0
    digit_free: float = 80.0


class Match(NamedTuple):
    """A near copy, by the places of both questions in their lists."""

    heldout: int
    other: int
    ratio: float
    digit_free_ratio: float
    kind: Literal["text", "digit-free"]

    @property
    def nearness(self) -> tuple[float, float]:
        """What near copies are sorted by."""
        return self.ratio, self.digit_free_ratio


def compared_text(question: str) -> str:
    """What of a question is compared: its letters and digits."""
    return _NOT_COMPARED.sub("", question.lower())


def without_digits(compared: str) -> str:
    """Of such a text, the letters."""
    return compared.translate(_DIGITS)


def _ratio(one: str, other: str) -> float:
    from rapidfuzz import fuzz

    return fuzz.ratio(one, other) if one and other else 0.0


def ratios_of(
    ones: Sequence[str], others: Sequence[str], cutoff: float = 0, threads: int = -1
) -> NDArray[np.float64]:
    """The ratio of every pair of such texts, or 0 where it is below the cutoff."""
    # float64, as float32 would round 74.999999 up to a threshold of 75.
    # Imported only here: tables are also made where nothing is compared, and it is not installed.
    from rapidfuzz import fuzz, process

    ratios = process.cdist(
        ones, others, scorer=fuzz.ratio, score_cutoff=cutoff, dtype=np.float64, workers=threads
    )
    empty = [k for k, text in enumerate(ones) if not text]
    ratios[empty, :] = 0.0  # two empty texts would be equal
    return ratios


class HeldOut:
    """Held-out questions, made ready for comparison with any number of others."""

    def __init__(self, questions: Sequence[str], thresholds: Thresholds | None = None) -> None:
        self.thresholds = thresholds or Thresholds()
        self._texts, self._letters = _compared(questions)
        self._long = [k for k, text in enumerate(self._letters) if len(text) >= FEWEST_LETTERS]

    def pairs(self, questions: Sequence[str]) -> set[tuple[int, int]]:
        """The places of all pairs of a held-out question and a near copy, without their ratios."""
        texts, letters = _compared(questions)
        return self._by_text(texts) | self._by_letters(letters)

    def near(self, others: "HeldOut") -> set[tuple[int, int]]:
        """The places of all pairs of which one is a near copy of the other, whichever is held out.

        The thresholds are this object's.
        """
        pairs = self._by_text(others._texts) | self._by_letters(others._letters)
        # The ratio is the same both ways: only the digit-free one of a short question is left.
        short = sorted(set(range(len(self._letters))).difference(self._long))
        letters = [self._letters[k] for k in short]
        back = _reaching(others._letters, others._long, letters, self.thresholds.digit_free)
        return pairs | {(short[one], other) for other, one in back}

    def matches(self, questions: Sequence[str]) -> list[Match]:
        """The near copies among the questions, each with every held-out question it is near to."""
        texts, letters = _compared(questions)
        by_text = self._by_text(texts)
        return [
            Match(
                heldout,
                other,
                _ratio(self._texts[heldout], texts[other]),
                _ratio(self._letters[heldout], letters[other]),
                "text" if (heldout, other) in by_text else "digit-free",
            )
            for heldout, other in sorted(by_text | self._by_letters(letters))
        ]

    def _by_text(self, texts: Sequence[str]) -> set[tuple[int, int]]:
        places = range(len(self._texts))
        return set(_reaching(self._texts, places, texts, self.thresholds.text))

    def _by_letters(self, letters: Sequence[str]) -> set[tuple[int, int]]:
        return set(_reaching(self._letters, self._long, letters, self.thresholds.digit_free))


def _compared(questions: Sequence[str]) -> tuple[list[str], list[str]]:
    """The questions' letters and digits, and their letters alone."""
    texts = [compared_text(question) for question in questions]
    return texts, [without_digits(text) for text in texts]


def _reaching(
    heldout: Sequence[str], places: Sequence[int], others: Sequence[str], threshold: float
) -> Iterator[tuple[int, int]]:
    """The pairs of places, one of `places` and any other, with a ratio of the threshold or more."""
    for some in blocks(places, _HELDOUT_BLOCK):
        ratios = ratios_of([heldout[k] for k in some], others, threshold)
        for row, column in np.argwhere(ratios >= threshold).tolist():
            yield some[row], column


def nearest_ratios(
    heldout: Sequence[str], against: Iterable[str], *, digit_free: bool = False
) -> list[float]:
    """For each held-out question the ratio of the question nearest to it; 0 if there is none.

    With `digit_free` the digits are deleted first, however few letters remain.
    """

    def text(question: str) -> str:
        compared = compared_text(question)
        return without_digits(compared) if digit_free else compared

    texts = [text(question) for question in heldout]
    nearest = np.zeros(len(texts))
    for block in blocks(against, BLOCK):
        others = [text(question) for question in block]
        for start in range(0, len(texts), _HELDOUT_BLOCK):
            rows = slice(start, start + _HELDOUT_BLOCK)
            best = ratios_of(texts[rows], others).max(axis=1)
            nearest[rows] = np.maximum(nearest[rows], best)
    return nearest.tolist()


class JoinedFiles:
    """Several files whose problems are to become one file; the first reading comes before others.

    Ids are kept as they are if no two files share one. Otherwise (line numbers, say) each gets its
    file's name in front, `train-rationale:17`, or its file's place, `2:17`, if names are shared.
    """

    def __init__(self, files: Sequence[Path], on_bad: OnBad | None) -> None:
        self.files = files
        self.counts = [0] * len(files)
        """How many problems were read of each file."""
        self._on_bad = on_bad
        names = [file.name.partition(".")[0].replace(":", "-") for file in files]
        distinct = len(set(names)) == len(names)
        self._prefixes = names if distinct else [str(k) for k in range(1, len(names) + 1)]
        self._shared = False

    def read(self) -> Iterator[tuple[int, Problem]]:
        """The problems of all files in order, each with the place of its file; the first time."""
        seen: set[int] = set()
        for place, file in enumerate(self.files):
            for problem in read_problems(file, self._on_bad):
                self.counts[place] += 1
                key = hash(problem.id)
                self._shared = self._shared or key in seen
                seen.add(key)
                yield place, problem

    def again(self) -> Iterator[tuple[int, Problem]]:
        """The same another time."""
        for place in range(len(self.files)):
            for problem in self.one_again(place):
                yield place, problem

    def one_again(self, place: int) -> Iterator[Problem]:
        """The problems of one file, whose bad rows the first reading reported."""
        skip = None if self._on_bad is None else lambda error: None
        return read_problems(self.files[place], skip)

    def id_of(self, file: int, problem: Problem) -> str:
        """The problem's id in the joined file; `file` is the place of its file."""
        return f"{self._prefixes[file]}:{problem.id}" if self._shared else problem.id

    def renamed(self, file: int, problem: Problem) -> Problem:
        """The problem with its id in the joined file."""
        return replace(problem, id=self.id_of(file, problem)) if self._shared else problem

    def as_json(self) -> list[dict[str, Any]]:
        """Each file's name, checksum and number of problems."""
        return [
            {"file": file.name, "sha256": sha256_of(file), "problems": count}
            for file, count in zip(self.files, self.counts, strict=True)
        ]


def refuse_overwriting(inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """UserError if an output is one of the inputs."""
    read = {path.resolve() for path in inputs}
    for path in outputs:
        if path.resolve() in read:
            raise UserError(f"{path} would be overwritten, but is read: write to another place")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A near copy of a held-out problem, as it is reported."""

    heldout: str
    """The id of the held-out problem."""
    file: Path
    id: str
    match: Match
    heldout_question: str
    question: str
    """Both questions are shortened to one line."""

    def as_json(self) -> dict[str, Any]:
        """The near copy as an object of stable form."""
        return {
            "heldout": self.heldout,
            "file": str(self.file),
            "id": self.id,
            "ratio": self.match.ratio,
            "digit_free_ratio": self.match.digit_free_ratio,
            "kind": self.match.kind,
            "heldout_question": self.heldout_question,
            "question": self.question,
        }


@dataclass(frozen=True, slots=True)
class DuplicateReport:
    """What a comparison found."""

    heldout_problems: int
    other_problems: int
    pairs: int
    """Near copies are counted once for each held-out problem they are near to."""
    heldout_hit: int
    others_hit: int
    nearest: list[Duplicate]
    """Nearest first, at most `top` for each held-out problem."""
    kept: int | None
    """How many problems were written without the near copies, if that was asked for."""

    def as_json(self) -> dict[str, Any]:
        """The report as an object of stable form."""
        return asdict(self) | {"nearest": [duplicate.as_json() for duplicate in self.nearest]}


def find_duplicates(
    heldout_file: Path,
    against: Sequence[Path],
    thresholds: Thresholds,
    *,
    top: int = 5,
    drop: Path | None = None,
    on_bad: OnBad | None = None,
    on_progress: OnProgress = silent,
) -> DuplicateReport:
    """The near copies of the held-out problems in the other files.

    `drop` names a file that is to hold the problems of the other files in order, without the near
    copies; see `JoinedFiles` for their ids.
    """
    if drop is not None:
        refuse_overwriting([heldout_file, *against], [drop])
    heldout = list(read_problems(heldout_file, on_bad))
    questions = HeldOut([problem.question for problem in heldout], thresholds)
    joined = JoinedFiles(against, on_bad)
    nearest: list[list[Duplicate]] = [[] for _ in heldout]
    hit: set[int] = set()
    pairs = others = 0
    for block in blocks(joined.read(), BLOCK):
        for match in questions.matches([problem.question for _, problem in block]):
            pairs += 1
            hit.add(others + match.other)
            place, problem = block[match.other]
            found = nearest[match.heldout]
            if len(found) == top and match.nearness <= found[-1].match.nearness:
                continue
            near = heldout[match.heldout]
            found.append(
                Duplicate(
                    near.id,
                    against[place],
                    problem.id,
                    match,
                    _snippet(near.question),
                    _snippet(problem.question),
                )
            )
            found.sort(key=_nearest_first)
            del found[top:]
        others += len(block)
        on_progress("comparing", others, None)
    kept = None
    if drop is not None:
        left = (problem for k, problem in enumerate(joined.again()) if k not in hit)
        kept = write_problems(drop, starmap(joined.renamed, left))
    return DuplicateReport(
        heldout_problems=len(heldout),
        other_problems=others,
        pairs=pairs,
        heldout_hit=sum(1 for found in nearest if found),
        others_hit=len(hit),
        nearest=sorted((d for found in nearest for d in found), key=_nearest_first),
        kept=kept,
    )


def _nearest_first(duplicate: Duplicate) -> tuple[float, float]:
    ratio, digit_free_ratio = duplicate.match.nearness
    return -ratio, -digit_free_ratio


def _snippet(question: str) -> str:
    line = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(question.split()))
    return line if len(line) <= _SNIPPET else line[: _SNIPPET - 3] + "..."
