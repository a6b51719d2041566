"""The words a model knows: which it reads, and which it can write from its softmax.

Promises: a vocabulary is a list of words, the special ones first; it is built from counts, so the
same problems give the same list. `constants` is the default: of numerals only the documented
constants are words, everything else in digits is copied or computed. `plain` is the paper's: the
most frequent types, numerals among them.

Reading, a numeral outside the vocabulary is `<number>` and any other word outside is `<unk>`;
writing, both are `<unk>`, to be used only where nothing else can write the token.
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
"""The source starts with one of these: the texts of these origins look different."""
SPECIALS = (_PAD, UNKNOWN_WORD, _NUMBER, *ORIGIN_TAGS, OPTION_TAG)
"""Words that are read but never written; `<unk>` stands for what could not be written."""
PAD_ID, UNKNOWN_ID, NUMBER_ID = 0, 1, 2

VocabularyKind = Literal["constants", "plain"]

LARGEST_VOCABULARY = 20_000
_FEWEST = 2


class Vocabulary:
    """The words of a model, by number."""

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
        """The word that stands for a token that is read."""
        known = self._ids.get(token)
        if known is not None:
            return known
        return NUMBER_ID if is_number(token) else UNKNOWN_ID

    def writing(self, token: str) -> int:
        """The word that writes exactly this token, or 0 if there is none."""
        known = self._ids.get(token, PAD_ID)
        return known if known >= len(SPECIALS) else PAD_ID

    def style(self, origin: str | None) -> int:
        """The word that the source of a problem of this origin starts with."""
        return self._ids.get(f"<{origin}>", self._ids[ORIGIN_TAGS[0]])


def build_vocabulary(problems: Iterable[Problem], kind: VocabularyKind = "constants") -> Vocabulary:
    """The words seen at least twice, the most frequent ones if there are too many."""
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
