"""Expressions, in signs or in phrases, as trees.

Promises: `tree_of` reads what the grammar of `machine.grammar` reads, and calculations that are
said in words: `the sum of 5 and 9`, `80 is what percent of 320`, also one inside another. What is
not wholly an expression raises `NotMathematicsError`, in bounded time.

Does not cover: equations and comparisons; see `asking`.
"""

from collections.abc import Sequence

from scratchwork.exact.phrases import PHRASES, Phrase
from scratchwork.machine.grammar import MOST_LEXEMES, NotMathematicsError, tree_of_expression
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import Tree

_Slot = tuple[int, int]
"""Where an expression begins and ends."""


def tree_of(lexemes: Sequence[Lexeme]) -> Tree:
    """The tree of an expression, in signs or in words."""
    if len(lexemes) > MOST_LEXEMES:
        raise NotMathematicsError
    return _Reader(lexemes).tree(0, len(lexemes))


class _Reader:
    """Reads stretches of lexemes, each once."""

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.lexemes = lexemes
        self.texts = tuple(lexeme.text.lower() for lexeme in lexemes)
        self.known: dict[tuple[int, int], Tree | None] = {}

    def tree(self, start: int, end: int) -> Tree:
        key = start, end
        if key not in self.known:
            self.known[key] = None
            self.known[key] = self.expression(start, end) or self.phrase(start, end)
        tree = self.known[key]
        if tree is None:
            raise NotMathematicsError
        return tree

    def expression(self, start: int, end: int) -> Tree | None:
        try:
            return tree_of_expression(self.lexemes[start:end])
        except NotMathematicsError:
            return None

    def phrase(self, start: int, end: int) -> Tree | None:
        for phrase in PHRASES:
            for slots in self.matches(phrase, 0, start, end):
                try:
                    return phrase.build([self.tree(*slot) for slot in slots])
                except NotMathematicsError:
                    continue
        return None

    def matches(self, phrase: Phrase, part: int, at: int, end: int) -> list[list[_Slot]]:
        """Where the slots of a phrase can be, between two places."""
        if part == len(phrase.parts):
            return [[]] if at == end else []
        words = phrase.parts[part]
        if words:
            behind = at + len(words)
            fits = behind <= end and self.texts[at:behind] == words
            return self.matches(phrase, part + 1, behind, end) if fits else []
        if phrase.is_list:
            items = self.items(at, end)
            return [items] if len(items) > 1 else []
        is_last = part + 1 == len(phrase.parts)
        ends = [end] if is_last else self.places_of(phrase.parts[part + 1], at + 1, end)
        return [[(at, k), *rest] for k in ends for rest in self.matches(phrase, part + 1, k, end)]

    def places_of(self, words: tuple[str, ...], start: int, end: int) -> list[int]:
        return [k for k in range(start, end) if self.texts[k : k + len(words)] == words]

    def items(self, start: int, end: int) -> list[_Slot]:
        """The items of a list: `2, 3 and 4`."""
        items: list[_Slot] = []
        begin = start
        for k in range(start, end):
            if self.texts[k] in (",", "and"):
                if k > begin:
                    items.append((begin, k))
                begin = k + 1
        return [*items, (begin, end)] if begin < end else []
