"""Sub-word units: every word is a sequence of known pieces, however rare it is.

Promises: `learn_pieces` finds pieces by joining the most frequent neighbours (byte-pair encoding),
starting from single characters; the same words and counts give the same pieces. `Pieces.of` gives
a word's pieces, the last of which is marked as the end of the word; case is not kept. A character
never seen is the unknown piece.

Does not cover: numbers, which models read by their value; see `reading`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

SPECIAL = ("<pad>", "<unknown>", "<number>", "<option>", "<capital>", "<capitals>")
PAD, UNKNOWN, NUMBER, OPTION, CAPITAL, CAPITALS = range(len(SPECIAL))
END_OF_WORD = "·"


class Pieces:
    """A list of pieces, and how words are cut into them."""

    def __init__(self, pieces: Sequence[str]) -> None:
        if tuple(pieces[: len(SPECIAL)]) != SPECIAL:
            raise ValueError(f"the pieces do not begin with {', '.join(SPECIAL)}")
        self.pieces = list(pieces)
        self.numbers = {piece: k for k, piece in enumerate(pieces)}
        self._cut: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.pieces)

    def of(self, word: str) -> tuple[int, ...]:
        """The pieces of a word."""
        word = word.lower()
        if word not in self._cut:
            if len(self._cut) > 200_000:
                self._cut.clear()
            self._cut[word] = tuple(self._pieces_of(word))
        return self._cut[word]

    def _pieces_of(self, word: str) -> list[int]:
        """Joined in the order in which the pieces were learned."""
        parts = _characters(word[:40])
        while len(parts) > 1:
            joined = [a + b for a, b in pairwise(parts)]
            ranks = [self.numbers.get(piece, len(self.pieces)) for piece in joined]
            best = min(range(len(joined)), key=ranks.__getitem__)
            if ranks[best] == len(self.pieces):
                break
            parts[best : best + 2] = [joined[best]]
        return [self.numbers.get(part, UNKNOWN) for part in parts]


def _characters(word: str) -> list[str]:
    return [*word[:-1], word[-1] + END_OF_WORD]


def learn_pieces(words: Mapping[str, int], count: int) -> Pieces:
    """At most so many pieces, from how often each word occurs."""
    spelled = [(_characters(word), n) for word, n in sorted(words.items()) if word]
    singles = Counter[str]()
    for parts, n in spelled:
        for part in parts:
            singles[part] += n
    pieces = [*SPECIAL, *(part for part, n in sorted(singles.items()) if n > 1)]
    pairs = Counter[tuple[str, str]]()
    places: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for k, (parts, n) in enumerate(spelled):
        for pair in pairwise(parts):
            pairs[pair] += n
            places[pair].add(k)
    known = set(pieces)
    while len(pieces) < count and pairs:
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        if pairs[best] < 2:
            break
        piece = "".join(best)
        if piece not in known:
            known.add(piece)
            pieces.append(piece)
        for k in sorted(places.pop(best)):
            parts, n = spelled[k]
            for pair in pairwise(parts):
                pairs[pair] -= n
                places[pair].discard(k)
            _join(parts, best)
            for pair in pairwise(parts):
                pairs[pair] += n
                places[pair].add(k)
        del pairs[best]
    return Pieces(pieces)


def _join(parts: list[str], pair: tuple[str, str]) -> None:
    k = 0
    while k + 1 < len(parts):
        if (parts[k], parts[k + 1]) == pair:
            parts[k : k + 2] = [parts[k] + parts[k + 1]]
        k += 1
