"""Questions in fixed words with numbers between them, as patterns.

Promises: a `QuestionPattern` is a regular expression on a whole question, whose words are its
lexemes in lower case, each with one space between: `#` stands for a number, `...` for dots. `{n}`
is a slot, which is read by the name it has there. Words of courtesy may stand around. A question is
matched as a whole, in bounded time: what has any other word in it is another question.

Does not cover: what the answer is; see `procedures`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scratchwork.exact.clauses import parts_between, tree_or_none
from scratchwork.exact.procedures import Procedure
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import NumberNode, Tree, letters_of

MOST_WORDS = 60
"""Longer questions are none of these."""
_ORDINALS = tuple(
    """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()
)
_ANY = r"\S+(?: \S+)*?"
_SLOTS = {
    "n": _ANY,
    "list": _ANY,
    "k": rf"# (?:st|nd|rd|th)|{'|'.join(_ORDINALS)}",
    "day": "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "word": r"\S+",
    "unit": _ANY,
}
_SLOT = re.compile(r"\{(([a-z]+)[0-9]?)\}")
_BEFORE = "|".join(
    """please hi hello hey can could you tell me help with kindly question exercise problem what
    what's whats is calculate compute find work out give determine evaluate convert change express
    write list all do does are i s 's : , ⏎""".split()
)
_BEHIND = r"please|thanks|thank you|is|equals|=|\?|\.|:|⏎"
_DOTS = {"…": "...", "\n": "⏎"}


class NotAskedError(Exception):
    """What stands in a slot is not what belongs there."""


class Found:
    """A question that matched a pattern, slot by slot."""

    def __init__(
        self, lexemes: Sequence[Lexeme], match: re.Match[str], ends: Sequence[int]
    ) -> None:
        self._lexemes = lexemes
        self._match = match
        self._ends = ends

    def has(self, name: str) -> bool:
        """Whether a slot that may be left out is there."""
        return name in self._match.re.groupindex and self._match[name] is not None

    def text(self, name: str) -> str:
        """The words of a slot."""
        return self._match[name]

    def part(self, name: str) -> Sequence[Lexeme]:
        """The lexemes of a slot."""
        start, end = self._match.span(name)
        first, last = (sum(one < place for one in self._ends) for place in (start, end))
        return self._lexemes[first : last + 1]

    def tree(self, name: str) -> Tree:
        """The expression in a slot."""
        return _value_tree(self.part(name))

    def trees(self, name: str, *between: str) -> list[Tree]:
        """The expressions of a list in a slot, with commas or other signs between them."""
        parts = parts_between(self.part(name), between or (",", "and"))
        return [_value_tree(part) for part in parts]

    def ordinal(self, name: str) -> Tree:
        """The number of a place: `10th`, `tenth`."""
        word = self.text(name)
        if word in _ORDINALS:
            return NumberNode(str(_ORDINALS.index(word) + 1))
        return _value_tree(self.part(name)[:1])

    def place(self, name: str) -> int:
        """The token in the source of a word in a slot."""
        return self.part(name)[0].place


def _value_tree(lexemes: Sequence[Lexeme]) -> Tree:
    tree = tree_or_none(lexemes)
    if tree is None or letters_of(tree):
        raise NotAskedError
    return tree


@dataclass(frozen=True, slots=True)
class QuestionPattern:
    """A pattern, and what answers a question that has it."""

    pattern: re.Pattern[str]
    build: Callable[[Found], Procedure]
    """Raises `NotAskedError` where a slot does not fit."""


def question(pattern: str, build: Callable[[Found], Procedure]) -> QuestionPattern:
    """A question by the words of its pattern."""
    slots = _SLOT.sub(lambda slot: f"(?P<{slot[1]}>{_SLOTS[slot[2]]})", pattern)
    return QuestionPattern(re.compile(f"(?:(?:{_BEFORE}) )*(?:{slots})(?: (?:{_BEHIND}))*"), build)


def procedure_for(
    questions: Sequence[QuestionPattern], lexemes: Sequence[Lexeme]
) -> Procedure | None:
    """What answers the first of the questions that fits, if one does."""
    if len(lexemes) > MOST_WORDS:
        return None
    words = [_word(lexeme) for lexeme in lexemes]
    text = " ".join(words)
    ends = [len(" ".join(words[: k + 1])) for k in range(len(words))]
    for one in questions:
        match = one.pattern.fullmatch(text)
        if match is None:
            continue
        try:
            return _with_nouns(one.build(Found(lexemes, match, ends)), lexemes)
        except NotAskedError:
            continue
    return None


def _with_nouns(procedure: Procedure, lexemes: Sequence[Lexeme]) -> Procedure:
    """What answers a question, whose words may stand behind the number in an option."""
    nouns = frozenset(lexeme.text for lexeme in lexemes if lexeme.kind == "word")
    return Procedure(lambda work: replace(procedure.steps(work), nouns=nouns))


def _word(lexeme: Lexeme) -> str:
    return "#" if lexeme.kind == "number" else _DOTS.get(lexeme.text, lexeme.text.lower())
