"""Questions that give equations: `3x + 7 = 22`, `If 2a = 10, find a^2 - 1`, `7 + ? = 12`.

Promises: `equations_of` reads equations in unknowns, what else must hold (`t > 0`), what is wanted
of the unknowns, and which root. Every word must be one that stands around equations; with any other
the question is None.

Does not cover: solving them; see `unknowns`.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import cast

from scratchwork.exact.asked import BLANK, Claim, Equations, RelationSign, Which
from scratchwork.exact.clauses import (
    COURTESY,
    OPERATOR_SIGNS,
    RELATIONS,
    parts_between,
    stripped,
    texts_of,
    tree_or_none,
)
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import Tree, UnknownNode, letters_of

_AROUND_EQUATIONS = COURTESY | frozenset(
    """what is find calculate compute evaluate solve determine value values of for if when where
    given that then so let and suppose equation equations system following satisfies satisfy makes
    make true solution solutions root roots unknown all rule such it holds hence both positive
    negative larger smaller greater lesser greatest largest smallest ( ) & give are which
    simultaneous pair know knowing ? work out much how i we in""".split()
)
_WHICH: dict[str, Which] = {
    "positive": "positive", "negative": "negative", "larger": "larger", "greater": "larger",
    "largest": "larger", "greatest": "larger", "smaller": "smaller", "lesser": "smaller",
    "smallest": "smaller",
}  # fmt: skip
_BREAKS = frozenset(
    """, ; : . ? if when where given then & let for find what such that evaluate calculate so makes
    make satisfies satisfy solves solve""".split()
) | {"\n"}


def equations_of(lexemes: list[Lexeme]) -> Equations | None:
    """Equations, and what is wanted of their unknowns."""
    lexemes = _split_products(_with_blanks(lexemes))
    if "=" not in texts_of(lexemes) or not any(one.kind == "letter" for one in lexemes):
        return None
    collected = _Collected()
    for clause in parts_between(lexemes, _BREAKS):
        if not _take(clause, collected):
            return None
    which: list[Which] = [_WHICH[text] for text in texts_of(lexemes) if text in _WHICH]
    if not collected.equations or len(which) > 1:
        return None
    equations = tuple(collected.equations)
    unknowns = letters_of(*(side for one in equations for side in (one.left, one.right)))
    if not unknowns or not set(letters_of(*collected.wanted)) <= {*unknowns}:
        return None
    wanted = tuple(collected.wanted)
    if all(isinstance(one, UnknownNode) for one in wanted) and {*letters_of(*wanted)} == {
        *unknowns
    }:
        wanted = ()
    return Equations(equations, tuple(collected.conditions), wanted, which[0] if which else None)


@dataclass(frozen=True)
class _Collected:
    equations: list[Claim] = field(default_factory=list[Claim])
    conditions: list[Claim] = field(default_factory=list[Claim])
    wanted: list[Tree] = field(default_factory=list[Tree])


def _take(clause: list[Lexeme], collected: _Collected) -> bool:
    """Whether all of a clause could be read."""
    for start, end in stripped(clause, _AROUND_EQUATIONS, _AROUND_EQUATIONS - {"("}):
        if _take_bare(clause[start:end], collected):
            return True
    if set(texts_of(clause)) <= _AROUND_EQUATIONS:
        return True
    parts = list(parts_between(clause, ("and",)))
    return len(parts) > 1 and all(_take(part, collected) for part in parts)


def _take_bare(clause: list[Lexeme], collected: _Collected) -> bool:
    texts = texts_of(clause)
    signs = [k for k, text in enumerate(texts) if text in RELATIONS or text == "is"]
    if not signs:
        tree = tree_or_none(clause)
        if tree is None:
            return False
        collected.wanted.append(tree)
        return True
    sides = [tree_or_none(clause[a + 1 : b]) for a, b in pairwise([-1, *signs, len(clause)])]
    if len(sides) == 2 and texts[signs[0]] == "=" and not clause[signs[0] + 1 :]:
        if sides[0] is None or not collected.equations:
            return False
        collected.wanted.append(sides[0])
        return True
    known = [side for side in sides if side is not None]
    if len(known) < len(sides):
        return False
    for k, (left, right) in zip(signs, pairwise(known), strict=True):
        sign = "=" if texts[k] == "is" else texts[k]
        statement = Claim(left, cast(RelationSign, sign), right)
        (collected.equations if sign == "=" else collected.conditions).append(statement)
    return True


def _with_blanks(lexemes: list[Lexeme]) -> list[Lexeme]:
    """With `?` and `_` as an unknown where they stand for a number in an equation."""
    texts = texts_of(lexemes)
    if "=" not in texts:
        return lexemes
    found: list[Lexeme] = []
    for k, lexeme in enumerate(lexemes):
        before = texts[k - 1] if k else ""
        after = texts[k + 1] if k + 1 < len(texts) else ""
        if lexeme.text in ("?", "_", "□") and (
            before in OPERATOR_SIGNS
            or after in OPERATOR_SIGNS - {"("}
            or (after == "=" and before != "=")
        ):
            lexeme = Lexeme("letter", BLANK, UnknownNode(BLANK, 0))
        found.append(lexeme)
    return found


def _split_products(lexemes: list[Lexeme]) -> list[Lexeme]:
    """With `xy` as two letters where both are unknowns of the question."""
    letters = {
        lexeme.text: lexeme.tree.place
        for lexeme in reversed(lexemes)
        if lexeme.kind == "letter" and isinstance(lexeme.tree, UnknownNode)
    }
    found: list[Lexeme] = []
    for lexeme in lexemes:
        is_product = (
            lexeme.kind == "word" and len(lexeme.text) < 4 and set(lexeme.text) <= {*letters}
        )
        if is_product and "=" in texts_of(lexemes):
            found += (
                Lexeme("letter", name, UnknownNode(name, letters[name])) for name in lexeme.text
            )
        else:
            found.append(lexeme)
    return found
