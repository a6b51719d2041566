"""The words that a model reads, and those that its softmax can write.

Promises: a vocabulary is a list of words, the special ones first; the same problems give the same
list. By default (`constants`) the documented constants are its only numerals, and all others are
copied or computed. `plain` is the paper's: the most frequent types, numerals included.

A numeral outside the vocabulary is read as `<number>` and any other word as `<unk>`; both are
written as `<unk>`, but only where nothing else can write the token.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from scratchwork.errors import UserError
from scratchwork.machine.constants import CONSTANTS
from scratchwork.problems.problem import LETTERS, Problem
from scratchwork.problems.tokens import (
    END_OF_RATIONALE,
    END_OF_SEQUENCE,
    OPTION_TAG,
    is_number,
    output_tokens,
    source_tokens,
)

_PAD, UNKNOWN_WORD, _NUMBER = "<pad>", "<unk>", "<number>"
ORIGIN_TAGS = ("<aqua>", "<mathqa>", "<generated>")
"""The first token of a source: problems of different origins are worded differently."""
SPECIALS = (_PAD, UNKNOWN_WORD, _NUMBER, *ORIGIN_TAGS, OPTION_TAG)
"""Words that are read but never written, except that `<unk>` stands for what cannot be written."""
PAD_ID, UNKNOWN_ID, NUMBER_ID = 0, 1, 2

VocabularyKind = Literal["constants", "plain"]

LARGEST_VOCABULARY = 20_000
_FEWEST = 2


class Vocabulary:
    """The words of a model and their ids."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        if self.words[: len(SPECIALS)] != SPECIALS or len(set(self.words)) != len(self.words):
            raise UserError(
                "this vocabulary is damaged: it must start with the special words and name every "
                "word once; take the model folder anew"
            )

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: k for k, word in enumerate(self.words)}

    def reading(self, token: str) -> int:
        """The id of the word that a token is read as."""
        known = self._ids.get(token)
        if known is not None:
            return known
        return NUMBER_ID if is_number(token) else UNKNOWN_ID

    def writing(self, token: str) -> int:
        """The id of the word that writes this token, or 0 if there is none."""
        known = self._ids.get(token, PAD_ID)
        return known if known >= len(SPECIALS) else PAD_ID

    def origin_tag(self, origin: str | None) -> int:
        """The id of the tag of an origin."""
        return self._ids.get(f"<{origin}>", self._ids[ORIGIN_TAGS[0]])


def build_vocabulary(problems: Iterable[Problem], kind: VocabularyKind = "constants") -> Vocabulary:
    """The most frequent words among those seen at least twice."""
    counts: Counter[str] = Counter()
    for problem in problems:
        counts.update(source_tokens(problem))
        counts.update(output_tokens(problem))
    always = [END_OF_RATIONALE, END_OF_SEQUENCE, *LETTERS[:5], *CONSTANTS]
    for word in (*SPECIALS, *always):
        counts.pop(word, None)
    frequent = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    words = [
        word
        for word, count in frequent
        if count >= _FEWEST and (kind == "plain" or not is_number(word))
    ]
    return Vocabulary([*SPECIALS, *always, *words][:LARGEST_VOCABULARY])
