"""Sub-word units: every word is a sequence of known pieces, however rare it is.

Promises: `Pieces.of` cuts a word into the longest pieces it knows, from its beginning on; a piece
that goes on with a word is marked (`##`). Case is not kept. A character that no piece has is the
unknown piece.

Does not cover: numbers, which models read by their value (see `reading`); where the pieces come
from (see `pretrained`).
"""

from collections.abc import Container, Sequence

SPECIAL = ("<pad>", "<unknown>", "<number>", "<option>", "<start>", "<capital>", "<capitals>")
PAD, UNKNOWN, NUMBER, OPTION, START, CAPITAL, CAPITALS = range(len(SPECIAL))
GOES_ON = "##"
_LONGEST_WORD = 40


class Pieces:
    """A list of pieces, and how words are cut into them."""

    def __init__(self, pieces: Sequence[str]) -> None:
        if tuple(pieces[: len(SPECIAL)]) != SPECIAL:
            raise ValueError(f"the pieces do not begin with {', '.join(SPECIAL)}")
        self.pieces = list(pieces)
        known = enumerate(pieces[len(SPECIAL) :], len(SPECIAL))
        self.numbers = {piece: k for k, piece in known}
        self._cut: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.pieces)

    def of(self, word: str) -> tuple[int, ...]:
        """The pieces of a word."""
        word = word.lower()[:_LONGEST_WORD]
        if word not in self._cut:
            if len(self._cut) > 200_000:
                self._cut.clear()
            parts = longest_parts(word, self.numbers)
            self._cut[word] = tuple(self.numbers.get(part, UNKNOWN) for part in parts)
        return self._cut[word]


def longest_parts(word: str, known: Container[str]) -> list[str]:
    """A word cut into the longest known pieces; a character that is in none stands alone."""
    parts: list[str] = []
    at = 0
    while at < len(word):
        mark = GOES_ON if at else ""
        ends = range(len(word), at, -1)
        end = next((end for end in ends if mark + word[at:end] in known), at + 1)
        parts.append(mark + word[at:end])
        at = end
    return parts
