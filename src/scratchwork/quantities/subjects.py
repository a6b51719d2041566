"""The words of a question that can begin the sentence that answers it.

Promises: `subject_at` gives `the speed of the goods train` of `what is the speed of the goods train
?` or `find the speed of the goods train if ...`, with what it is the number of, if it is one. Words
that are no subject, or may be two, give none. It looks at a few tokens only.

Does not cover: capital letters, which the question may have lost.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scratchwork.quantities.nouns import STOP_WORDS, noun_phrase_at


class ReadSubject(NamedTuple):
    """What a question is about."""

    words: tuple[str, ...]
    """As they may begin a sentence; none if they are not fit for that."""
    heads: tuple[str, ...]
    """Those, in lower case, among which the noun is that says what it is."""
    phrase: tuple[str, ...]
    """What is counted, if it is a number of something."""


SUBJECT_STARTS = frozenset("the his her their its".split())
_ENDS = (
    frozenset("? . ; ! : , ( ) if when given so such that which who after before".split())
    | frozenset("assuming then while because where whose has have had".split())
    | {"\n"}
)
_VERBS = frozenset(
    """is are was were will would 's be in does did do should must can could he she it they you i we
    may might need needs required needed make makes""".split()
)
_LINKS = frozenset("of in on at for with from to between among by per".split())
_NAMED_BY_LETTER = frozenset("of and or angle point side train pipe city town tap".split())
_LONGEST = 14


def subject_at(
    tokens: Sequence[str], lower: Sequence[str], k: int, *, is_short: bool = False
) -> ReadSubject | None:
    """The subject that begins at a place; a short one (`what speed`) has no article yet."""
    end = k
    while end < len(lower) and end - k < _LONGEST and lower[end] not in _ENDS:
        if end > k and lower[end] in _VERBS:
            break
        end += 1
    words = [tokens[at] for at in range(k, end) if not _is_stray(lower, k, at)]
    if not words or (is_short and words[0].lower() in STOP_WORDS):
        return None
    words = ["the", *words] if is_short else words
    heads = [word.lower() for word in words]
    phrase: tuple[str, ...] = ()
    at = _of_number(heads)
    if at:
        phrase = noun_phrase_at(words, at)
        stop = at + len(phrase)
        if phrase and heads[stop : stop + 1] and heads[stop] not in _LINKS:
            words, heads = words[:stop], heads[:stop]
    is_fit = heads[0] in SUBJECT_STARTS and end - k < _LONGEST and heads[-1] not in STOP_WORDS
    if "and" in heads and "between" not in heads[: heads.index("and")]:
        return None
    ends = (n for n, word in enumerate(heads) if n and (word in STOP_WORDS or not word.isalpha()))
    return ReadSubject(
        tuple(words) if is_fit else (), tuple(heads[: next(ends, len(heads))]), phrase
    )


def _of_number(heads: Sequence[str]) -> int:
    """The place behind `the total number of`; 0 if there is no such thing."""
    for at in range(1, min(4, len(heads) - 1)):
        if heads[at] == "number" and heads[at + 1] == "of":
            return at + 2
    return 0


def _is_stray(lower: Sequence[str], start: int, at: int) -> bool:
    """Whether a word is a single letter that stands in the question for no reason: `the speed w of
    the train`."""
    if at == start or len(lower[at]) > 1 or not lower[at].isalpha() or lower[at] in "ai":
        return False
    is_before_of = lower[at + 1 : at + 2] == ["of"] and lower[at - 1] not in _NAMED_BY_LETTER
    return is_before_of or lower[at - 1] in ("probability", "percent", "percentage", "number")
