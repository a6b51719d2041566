"""What a question asks for, where it is itself mathematics.

Promises: `asked_of` reads a question that is an expression, a comparison of expressions, or
equations in unknowns with what is wanted of them, in whatever polite words it is wrapped. A
question with any other word in it is `None`, since it may ask for more than the value. A bracket
that is missing is told as a `Fault`.

Does not cover: what comes out; see `answering`.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, cast

from scratchwork.exact.asked import Claim, Evaluation, Exercise, Extreme, Fault, Pair, RelationSign
from scratchwork.exact.clauses import (
    COURTESY,
    OPERATOR_SIGNS,
    RELATIONS,
    inner_tree,
    parts_between,
    texts_of,
    tree_or_none,
)
from scratchwork.exact.equations import equations_of
from scratchwork.exact.patterns import procedure_for
from scratchwork.exact.procedures import Procedure
from scratchwork.exact.questions import QUESTIONS
from scratchwork.machine.grammar import DEEPEST, MOST_LEXEMES
from scratchwork.machine.lexing import Lexeme, has_date
from scratchwork.machine.trees import NumberNode, OperationNode, Tree, letters_of, operation

_LEADING = COURTESY | frozenset(
    """what what's whats is calculate compute evaluate find work out how much many value values of
    result answer to give solve simplify determine equals equal which these following = do does i
    s""".split()
)
_TRAILING = COURTESY | frozenset("= ? equals equal to is what are".split())
_SAID: tuple[tuple[tuple[str, ...], RelationSign], ...] = tuple(
    (tuple(words.split()), cast(RelationSign, sign))
    for words, sign in (
        *((f"{word} than", ">") for word in ("greater", "larger", "bigger", "more", "higher")),
        *((f"{word} than", "<") for word in ("less", "smaller", "lower")),
        ("as large as", "="), ("same as", "="), ("equal to", "="), ("equals", "="), ("equal", "="),
    )
)  # fmt: skip
_LARGEST = frozenset("larger largest greater greatest bigger biggest higher highest more".split())
_SMALLEST = frozenset("smaller smallest less least lower lowest lesser".split())
_AROUND_CHOICES = _LEADING | _LARGEST | _SMALLEST | frozenset("number one or ? fraction".split())
_AROUND_STATEMENTS = frozenset("is are does do true or false ? . : , it correct , right".split())
_TOO_LONG = f"The question is too long: it has more than {MOST_LEXEMES} numbers and signs."
_MATHEMATICAL = frozenset("+ - * / ^ ( ) = ! % √ , . ?".split())


def asked_of(lexemes: Sequence[Lexeme]) -> Exercise | Procedure | None:
    """What is asked for; None if not only mathematics is."""
    if not lexemes or has_date(lexemes):
        return None
    if len(lexemes) > MOST_LEXEMES:
        return Fault(_TOO_LONG) if _is_mathematical(lexemes) else None
    lexemes = _with_times(_without_label(list(lexemes)))
    if not lexemes:
        return None
    for attempt in (_fault, equations_of, _comparison, _statement, _extreme, _procedure, _value):
        found = attempt(lexemes)
        if found is not None:
            return found
    return None


def _without_label(lexemes: list[Lexeme]) -> list[Lexeme]:
    """Without the label of an exercise: `a)`, `(b)`, `1)`."""
    texts = texts_of(lexemes)
    if texts[0] == "(" and len(texts) > 3 and texts[2] == ")" and not lexemes[3].is_closed_up:
        is_short = lexemes[1].kind == "letter" or texts[1] in ("1", "2", "3", "4", "5")
        return lexemes[3:] if is_short and texts[3] not in OPERATOR_SIGNS else lexemes
    if len(texts[0]) == 2 and texts[0].endswith(")"):
        return lexemes[1:]
    is_numbered = lexemes[0].kind in ("number", "letter") and texts[1:2] == [")"]
    return lexemes[2:] if is_numbered and len(lexemes) > 2 else lexemes


def _with_times(lexemes: list[Lexeme]) -> list[Lexeme]:
    """With `x` as a multiplication sign between two numbers, as in `2 x 4`."""
    found = list(lexemes)
    for k in range(1, len(lexemes) - 1):
        is_between = lexemes[k - 1].kind == lexemes[k + 1].kind == "number"
        if is_between and lexemes[k].text in ("x", "X"):
            found[k] = Lexeme("sign", "*")
    return found


def _fault(lexemes: list[Lexeme]) -> Fault | None:
    """A bracket too many or too few, where all else is mathematics."""
    if not _is_mathematical(lexemes):
        return None
    steps = [{"(": 1, ")": -1}.get(text, 0) for text in texts_of(lexemes)]
    depths = list(accumulate(steps))
    if min(depths) < 0:
        return Fault("There is a closing bracket without an opening one.")
    if max(depths) >= DEEPEST:
        return Fault(f"The brackets are nested {DEEPEST} deep or more.")
    return Fault("A closing bracket is missing.") if depths[-1] else None


def _is_mathematical(lexemes: Sequence[Lexeme]) -> bool:
    """Whether there are numbers, and nothing but mathematics."""
    return any(one.kind == "number" for one in lexemes) and not any(
        one.kind == "word" or (one.kind == "sign" and one.text not in _MATHEMATICAL)
        for one in lexemes
    )


def _procedure(lexemes: list[Lexeme]) -> Procedure | None:
    return procedure_for(QUESTIONS, lexemes)


def _value(lexemes: list[Lexeme]) -> Evaluation | None:
    """An expression, or a number that is to be written in another form."""
    texts = texts_of(lexemes)
    form: Literal["fraction", "decimal"] | None = None
    for k in range(len(texts) - 1):
        if texts[k] in ("as", "to") and texts[k + 1 :][:2] in (["a", "fraction"], ["a", "decimal"]):
            form = "fraction" if texts[k + 2] == "fraction" else "decimal"
            lexemes = [*lexemes[:k], *lexemes[k + 3 :]]
            break
    tree = inner_tree(_as_list(lexemes), _LEADING, _TRAILING)
    match tree:
        case NumberNode(numeral) if "/" in numeral and (form or len(lexemes) == 1):
            over, under = map(NumberNode, numeral.split("/"))
            return Evaluation(operation("Divide", over, under), form)
        case NumberNode(numeral) if form == "fraction" and "." in numeral:
            return Evaluation(_over_power_of_ten(numeral), form)
        case NumberNode() if form or {"equal", "equals"} & {*texts}:
            return Evaluation(tree, form)
        case OperationNode("Subtract", (NumberNode("0", 0), NumberNode())):
            return None
        case OperationNode() if not letters_of(tree):
            return Evaluation(tree, form)
        case _:
            return None


def _over_power_of_ten(numeral: str) -> Tree:
    """A decimal as a fraction that is not in lowest terms: 125/1000."""
    whole, _, decimals = numeral.replace(",", "").partition(".")
    over = str(int(whole + decimals))
    return operation("Divide", NumberNode(over), NumberNode("1" + "0" * len(decimals)))


def _as_list(lexemes: list[Lexeme]) -> list[Lexeme]:
    """`Add these:` and a column of numbers as a list with commas."""
    texts = texts_of(lexemes)
    if texts[:1] != ["add"]:
        return lexemes
    rest = [one for one in lexemes[1:] if one.text not in ("these", "following", "numbers", ":")]
    comma = Lexeme("sign", ",")
    return [lexemes[0], *(comma if one.text == "\n" else one for one in rest)]


def _comparison(lexemes: list[Lexeme]) -> Pair | None:
    """`compare 5/8 and 0.6`, `1/3 vs 0.33`, `3/4 __ 0.75`."""
    texts = texts_of(lexemes)
    starts = [k for k, text in enumerate(texts) if text == "compare"]
    begin = starts[0] + 1 if starts else 0
    if starts and not set(texts[: begin - 1]) <= _LEADING:
        return None
    between = ("and", "with", "to", ",") if starts else ("vs", "versus", "_", "?")
    for k in range(begin + 1, len(texts) - 1):
        if texts[k] in between:
            behind = k + 1
            while texts[behind] == "_" and behind < len(texts) - 1:
                behind += 1
            left = tree_or_none(lexemes[begin:k])
            right = inner_tree(lexemes[behind:], frozenset("."), COURTESY | {"?"})
            if left is not None and right is not None and not letters_of(left, right):
                return Pair(left, right)
    return None


def _statement(lexemes: list[Lexeme]) -> Claim | None:
    """`is 2/3 > 3/5?`, `5 > 3`, `does 6 * 7 equal 42?`, `are 4/6 and 2/3 equal?`"""
    texts = texts_of(lexemes)
    if texts[0] == "are" and "equal" in texts[-3:]:
        end = len(texts) - texts[::-1].index("equal") - 1
        for k in range(2, end - 1):
            left, right = tree_or_none(lexemes[1:k]), tree_or_none(lexemes[k + 1 : end])
            if texts[k] == "and" and left and right and not letters_of(left, right):
                return Claim(left, "=", right)
    asks = texts[0] in ("is", "are", "does", "do")
    for k in range(1, len(texts) - 1):
        relation, behind = _relation_at(texts, k)
        if relation is None or (texts[k] not in RELATIONS and not asks):
            continue
        left = inner_tree(lexemes[:k], _AROUND_STATEMENTS | COURTESY, frozenset(("is", "are")))
        right = inner_tree(lexemes[behind:], frozenset(), _AROUND_STATEMENTS | COURTESY)
        if left is not None and right is not None and not letters_of(left, right):
            return Claim(left, relation, right)
    return None


def _relation_at(texts: list[str], k: int) -> tuple[RelationSign | None, int]:
    """The relation that is said at a place, and what is behind it."""
    if texts[k] in RELATIONS:
        return cast(RelationSign, texts[k]), k + 1
    for words, relation in _SAID:
        if tuple(texts[k : k + len(words)]) == words:
            return relation, k + len(words)
    return None, k


def _extreme(lexemes: list[Lexeme]) -> Extreme | None:
    """`which is larger, 3/4 or 0.7`, `the smallest of 0.4, 3/8 and 0.38`."""
    texts = texts_of(lexemes)
    said = [text for text in texts if text in _LARGEST | _SMALLEST]
    if len(said) != 1:
        return None
    trees: list[Tree] = []
    for part in parts_between(lexemes, (",", ":", "or", "and", "?", "\n")):
        if set(texts_of(part)) <= _AROUND_CHOICES:
            continue
        tree = inner_tree(part, _AROUND_CHOICES, _AROUND_CHOICES)
        if tree is None or letters_of(tree):
            return None
        trees.append(tree)
    return Extreme(tuple(trees), said[0] in _LARGEST) if len(trees) != 1 else None
