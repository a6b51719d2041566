"""Where a rationale states the chosen option.

Promises: the letter after `<EOR>` is one place; in the rationale a token counts that is the correct
letter and stands behind a word for an answer ("Answer: C", "the correct option is (C)") or closes
the rationale. A capital A that opens a sentence does not count.
"""

from collections.abc import Sequence

from scratchwork.problems.tokens import END_OF_RATIONALE

_ANSWER_WORDS = frozenset("answer ans option choice correct".split())
_BETWEEN = frozenset("is : = - ( . the option answer choice correct be ) ‘ ' \" * # ,".split())
_CLOSING = frozenset(". ) ! ; ' \" * ] } \n".split(" "))
_FARTHEST = 5


def letter_positions(output: Sequence[str], letter: str | None) -> frozenset[int]:
    """The positions, counted from 1, of the tokens that state the letter."""
    if letter is None:
        return frozenset()
    end = output.index(END_OF_RATIONALE) if END_OF_RATIONALE in output else len(output)
    found = {
        k + 1
        for k in range(end)
        if output[k] == letter and (_follows_answer(output, k) or _closes(output, k, end))
    }
    if end + 1 < len(output) and output[end + 1] == letter:
        found.add(end + 2)
    return frozenset(found)


def _follows_answer(output: Sequence[str], k: int) -> bool:
    for back in range(k - 1, max(k - 1 - _FARTHEST, -1), -1):
        word = output[back].lower()
        if word in _ANSWER_WORDS:
            return True
        if word not in _BETWEEN:
            return False
    return False


def _closes(output: Sequence[str], k: int, end: int) -> bool:
    return all(token in _CLOSING for token in output[k + 1 : end])
