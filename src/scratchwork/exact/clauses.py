"""Stretches of a question: what is left without the words around, and between signs.

Promises: `stripped` tries what is left out from nothing to everything that may be, so that a word
which could be meant is kept if an expression comes out.

Does not cover: what the words mean.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from scratchwork.exact.parsing import tree_of
from scratchwork.machine.grammar import NotMathematicsError
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import Tree

COURTESY = frozenset(
    """please hi hello hey thanks thank you bye cheers question exercise problem can could would
    tell me help with kindly convert write : , . ! - 's""".split()
) | {"\n"}
"""Words and marks that may stand around anything."""
RELATIONS = frozenset(("<", ">", "=", "<=", ">=", "!="))
OPERATOR_SIGNS = frozenset("+ - * / ^ (".split())


def texts_of(lexemes: Sequence[Lexeme]) -> list[str]:
    """The lexemes in lower case."""
    return [lexeme.text.lower() for lexeme in lexemes]


def stripped(
    lexemes: Sequence[Lexeme], leading: frozenset[str], trailing: frozenset[str]
) -> Iterator[tuple[int, int]]:
    """Every way to leave out words around, the fewest first."""
    texts = texts_of(lexemes)
    end = len(texts)
    ends = [end]
    while end and texts[end - 1] in trailing:
        if texts[end - 1] == "!" and lexemes[end - 2].kind != "word":
            break
        end -= 1
        ends.append(end)
    start = 0
    starts = [0]
    while start < end and texts[start] in leading:
        start += 1
        starts.append(start)
    return ((start, end) for end in reversed(ends) for start in starts if start < end)


def tree_or_none(lexemes: Sequence[Lexeme]) -> Tree | None:
    """The tree of an expression; None if it is not one."""
    try:
        return tree_of(lexemes)
    except NotMathematicsError:
        return None


def inner_tree(
    lexemes: Sequence[Lexeme], leading: frozenset[str], trailing: frozenset[str]
) -> Tree | None:
    """The expression between words around it."""
    for start, end in stripped(lexemes, leading, trailing):
        tree = tree_or_none(lexemes[start:end])
        if tree is not None:
            return tree
    return None


def parts_between(lexemes: Sequence[Lexeme], between: Collection[str]) -> Iterator[list[Lexeme]]:
    """The stretches between some signs and words."""
    places = [k for k, text in enumerate(texts_of(lexemes)) if text in between]
    for start, end in pairwise([-1, *places, len(lexemes)]):
        if start + 1 < end:
            yield list(lexemes[start + 1 : end])
