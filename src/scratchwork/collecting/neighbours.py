"""The questions nearest to one that is being written, among all seeds and all work handed in.

Promises: the ratios are exact, by the rule of `problems.duplicates`: letters and digits alone,
normalised Indel ratio, once with the digits and once without. Which questions get a ratio at all is
decided by an index: the `CANDIDATES` that share most trigrams with the question. Up to that many
questions nothing is left out; beyond, at least 99 in 100 of the pairs above the default thresholds
are found (measured by `benchmarks/collecting.py`). A question that was added is found by the next
search; several threads may add and search in parallel.

`catch_up` adds what other processes have stored, by id.

Memory: two texts and some hundred numbers for each question.
Does not cover: questions in other than Latin letters, which have no text left to compare; the text
of a correction, since what a contributor handed in is what copies are made of.
"""

import threading
from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scratchwork.problems.duplicates import FEWEST_LETTERS, compared_text, ratios_of, without_digits

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

QuestionKind = Literal["seed", "submission"]
QuestionKey = tuple[QuestionKind, int]
"""A question by its table and its id there."""

CANDIDATES = 256
"""How many questions get exact ratios."""

_ALPHABET = " 0123456789abcdefghijklmnopqrstuvwxyz"
_CODES = np.zeros(128, dtype=np.int64)
_CODES[[ord(character) for character in _ALPHABET]] = range(len(_ALPHABET))
_ROWS_AT_ONCE = 500


class Near(NamedTuple):
    """A question and how near it is, 0 to 100."""

    key: QuestionKey
    ratio: float
    digit_free: float
    """The ratio without digits; 0 where both questions have fewer than `FEWEST_LETTERS` letters,
    since those look alike once their numbers are gone."""


class Neighbours:
    """An index of questions."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._keys: list[QuestionKey] = []
        self._known: set[QuestionKey] = set()
        self._highest: dict[QuestionKind, int] = {"seed": 0, "submission": 0}
        self._texts: list[str] = []
        self._letters: list[str] = []
        self._sizes = array("I")
        self._places: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
        """For each trigram the places of the questions that have it."""

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: QuestionKey, question: str) -> None:
        """Add a stored question; a known key is left unchanged."""
        text = compared_text(question)
        letters = without_digits(text)
        trigrams = _trigrams(text, letters).tolist()
        with self._lock:
            if key in self._known:
                return
            place = len(self._keys)
            self._keys.append(key)
            self._known.add(key)
            kind, number = key
            self._highest[kind] = max(self._highest[kind], number)
            self._texts.append(text)
            self._letters.append(letters)
            self._sizes.append(len(trigrams))
            for trigram in trigrams:
                self._places[trigram].append(place)

    def nearest(self, question: str, limit: int = 5) -> list[Near]:
        """The nearest questions, nearest first by their ratio, then by their digit-free ratio.

        The one with the highest digit-free ratio is always among them, if need be as the last, so
        that worse neighbours do not hide a replica.
        """
        text = compared_text(question)
        if not text or limit < 1:
            return []
        letters = without_digits(text)
        with self._lock:
            places = self._candidates(_trigrams(text, letters), max(CANDIDATES, limit))
            keys = [self._keys[place] for place in places]
            texts = [self._texts[place] for place in places]
            others = [self._letters[place] for place in places]
        found = [
            Near(key, ratio, digit_free)
            for key, ratio, digit_free in zip(
                keys, _ratios(text, texts), _digit_free_ratios(letters, others), strict=True
            )
            if ratio or digit_free
        ]
        found.sort(key=lambda near: (-near.ratio, -near.digit_free, near.key))
        nearest = found[:limit]
        alike = max(found, key=lambda near: near.digit_free, default=None)
        if alike is not None and all(near.digit_free < alike.digit_free for near in nearest):
            nearest[-1] = alike
        return nearest

    def catch_up(self, session: "Session") -> int:
        """Add the seeds and submissions that are new in the database, and return their number.

        Ids must be given in the order of commits, as `Store.write` does with `in_order`.
        """
        from sqlalchemy import select

        from scratchwork.collecting.schema import SeedProblem, Submission

        found = 0
        tables: tuple[tuple[QuestionKind, type[SeedProblem | Submission]], ...]
        tables = (("seed", SeedProblem), ("submission", Submission))
        for kind, table in tables:
            new = select(table.id, table.problem).where(table.id > self._highest[kind])
            for number, problem in session.execute(
                new.order_by(table.id).execution_options(yield_per=_ROWS_AT_ONCE)
            ):
                self.add((kind, number), problem["question"])
                found += 1
        return found

    def _candidates(self, trigrams: NDArray[np.int64], count: int) -> Sequence[int]:
        """The places of the questions that share most trigrams, by Dice's coefficient."""
        if len(self._keys) <= count:
            return range(len(self._keys))
        having = [places for t in trigrams.tolist() if (places := self._places.get(t)) is not None]
        joined = np.frombuffer(b"".join(having), dtype=np.uintc)
        shared = np.bincount(joined, minlength=len(self._keys))
        # A copy, as an array that is looked at cannot grow.
        alike = shared / (len(trigrams) + np.array(self._sizes))
        return np.argpartition(alike, -count)[-count:].tolist()


def _trigrams(text: str, letters: str) -> NDArray[np.int64]:
    """The trigrams of a question with and without its digits, each once, as numbers.

    The ends are padded, so that the shortest text has a trigram.
    """
    if not text:
        return np.zeros(0, dtype=np.int64)
    # Three spaces keep the two texts apart: a trigram that all questions have, and the lowest.
    codes = _CODES[np.frombuffer(f" {text}   {letters} ".encode("ascii"), dtype=np.uint8)]
    base = len(_ALPHABET)
    return np.unique((codes[:-2] * base + codes[1:-1]) * base + codes[2:])[1:]


def _ratios(text: str, others: Sequence[str]) -> list[float]:
    # One thread: what is answered here is one of many requests.
    return ratios_of([text], others, threads=1)[0].tolist()


def _digit_free_ratios(letters: str, others: Sequence[str]) -> list[float]:
    is_long = len(letters) >= FEWEST_LETTERS
    return [
        ratio if is_long or len(other) >= FEWEST_LETTERS else 0.0
        for ratio, other in zip(_ratios(letters, others), others, strict=True)
    ]
