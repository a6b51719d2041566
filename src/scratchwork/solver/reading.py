"""A problem as the network's input: pieces of words, and numbers with their values.

Promises: `Pieces.of` cuts a word into the longest known pieces, from left to right; a piece inside
a word is marked (`##`). Case is dropped, and a character that is in no piece is unknown.
`read_problem` gives the pieces of the question and of each option, with the place and the value of
every number, also of those in words; a mixed number (`2 1/2`) is one. Options have no letters, and
each starts at the same position, the question's end, so their order does not matter. Of a text that
is too long, the sentence that asks and what fits of the beginning are read, and the tokens left out
are counted.

Does not cover: where the pieces come from; see `pretrained`.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from scratchwork.machine.number_words import is_mixed_number, numbers_in
from scratchwork.machine.written_values import values_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number, tokenise

SPECIAL_PIECES = (
    "<pad>",
    "<unknown>",
    "<number>",
    "<option>",
    "<start>",
    "<capital>",
    "<capitals>",
)
PAD_PIECE, UNKNOWN_PIECE, NUMBER_PIECE, OPTION_PIECE, START_PIECE, CAPITAL_PIECE, CAPITALS_PIECE = (
    range(len(SPECIAL_PIECES))
)
CONTINUATION = "##"
_LONGEST_WORD = 40


class Pieces:
    """A vocabulary of pieces, which cuts words into them."""

    def __init__(self, pieces: Sequence[str]) -> None:
        if tuple(pieces[: len(SPECIAL_PIECES)]) != SPECIAL_PIECES:
            raise ValueError(f"the pieces do not begin with {', '.join(SPECIAL_PIECES)}")
        self.pieces = list(pieces)
        known = enumerate(pieces[len(SPECIAL_PIECES) :], len(SPECIAL_PIECES))
        self.indices = {piece: k for k, piece in known}
        self._cache: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.pieces)

    def of(self, word: str) -> tuple[int, ...]:
        """The pieces of a word."""
        word = word.lower()[:_LONGEST_WORD]
        if word not in self._cache:
            if len(self._cache) > 200_000:
                self._cache.clear()
            parts = longest_parts(word, self.indices)
            self._cache[word] = tuple(self.indices.get(part, UNKNOWN_PIECE) for part in parts)
        return self._cache[word]


def longest_parts(word: str, known: Container[str]) -> list[str]:
    """A word cut into the longest known pieces; a character that is in none is a part by itself."""
    parts: list[str] = []
    at = 0
    while at < len(word):
        mark = CONTINUATION if at else ""
        ends = range(len(word), at, -1)
        end = next((end for end in ends if mark + word[at:end] in known), at + 1)
        parts.append(mark + word[at:end])
        at = end
    return parts


POSITIONS = 512
"""The question starts at 0, and each option at the question's end."""
MOST_PIECES = 400
"""A part of a longer question is read."""
MOST_OPTION_PIECES = POSITIONS - MOST_PIECES
"""A part of a longer option is read."""
_SENTENCE_ENDS = frozenset(".?!\n")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number of the problem."""

    piece: int
    """Its piece, counted from 0."""
    value: float
    place: int
    """Its token in the question, counted from 1; 0 in an option."""
    is_mixed: bool = False
    """Whether the fraction in the next token belongs to it, as in `2 1/2`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A problem as the network's input."""

    pieces: list[int]
    segments: list[int]
    """0 in the question, 1 in the first option, and so on."""
    positions: list[int]
    numerals: list[Numeral]
    """The question's numbers first."""
    options: list[list[float]]
    """The numbers that each option may stand for as a whole."""
    unread: int = 0
    """How many tokens of the question and the options are left out."""


def read_problem(problem: Problem, pieces: Pieces) -> Reading:
    """The reading of a problem."""
    return read_texts(tokenise(problem.question), problem.options, pieces)


def read_texts(question: Sequence[str], options: Sequence[str], pieces: Pieces) -> Reading:
    """The reading of a question's tokens and the options' texts."""
    reading = Reading([], [], [], [], [])
    unread = _add(reading, question, 0, pieces)
    for k, option in enumerate(options, 1):
        unread += _add(reading, tokenise(option), k, pieces)
        reading.options.append(values_of(option))
    return replace(reading, unread=unread)


def _add(reading: Reading, tokens: Sequence[str], segment: int, pieces: Pieces) -> int:
    """Add a text; how many of its tokens are left out."""
    values = numbers_in(tokens)
    cut = [(NUMBER_PIECE,) if is_number(token) else pieces.of(token) for token in tokens]
    mixed = [k for k in values if is_mixed_number(tokens, k)]
    for k in mixed:
        values[k] += values.pop(k + 1)
        cut[k + 1] = ()
    most = MOST_OPTION_PIECES if segment else MOST_PIECES
    found = [OPTION_PIECE if segment else START_PIECE]
    start = len(reading.pieces)
    read = _which_fit(tokens, [len(some) for some in cut], most - 1)
    for k in read:
        if k in values:
            place = 0 if segment else k + 1
            numeral = Numeral(start + len(found), values[k], place, k in mixed)
            reading.numerals.append(numeral)
        found += cut[k]
    reading.pieces.extend(found)
    reading.segments.extend([segment] * len(found))
    first = reading.segments.index(1) if segment else 0
    reading.positions.extend(range(first, first + len(found)))
    return len(tokens) - len(read)


def _which_fit(tokens: Sequence[str], sizes: Sequence[int], room: int) -> Sequence[int]:
    """The tokens that are read: all, or the sentence that asks and what fits of the beginning."""
    if sum(sizes) <= room:
        return range(len(tokens))
    asking = _asking(tokens)
    end: list[int] = []
    for k in reversed(asking):
        if sizes[k] > room:
            break
        room -= sizes[k]
        end.append(k)
    beginning: list[int] = []
    for k in range(asking.start):
        if sizes[k] > room:
            break
        room -= sizes[k]
        beginning.append(k)
    return [*beginning, *reversed(end)]


def _asking(tokens: Sequence[str]) -> range:
    """The last sentence that ends in a question mark, or else the last one."""
    ends = [k for k, token in enumerate(tokens) if token in _SENTENCE_ENDS]
    starts = [0, *(k + 1 for k in ends)]
    sentences = [range(a, b) for a, b in zip(starts, [*starts[1:], len(tokens)], strict=True)]
    with_words = [s for s in sentences if any(tokens[k].isalnum() for k in s)] or sentences
    return next((s for s in reversed(with_words) if tokens[s[-1]] == "?"), with_words[-1])
