"""Expressions of signs, numbers and unknowns, as trees of the machine's operations.

Promises: `tree_of_expression` reads arithmetic as a maths teacher does: powers from the right,
`-2^2` is -4, `2(3 + 4)` is a product like `2 * (3 + 4)`; percentages (`15% of 80`), roots,
factorials, `|x|`, common divisors and multiples, and the words that stand between or before numbers
(`two plus three`, `5 squared`). `100 + 10%` is 110, as people mean it. What is not wholly an
expression raises `NotMathematicsError`, in bounded time. It is the one grammar for questions,
options and the equations of rationales.

Does not cover: calculations that are said in whole phrases; see `exact.parsing`.
"""

from collections.abc import Callable, Sequence

from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import (
    HUNDRED,
    NumberNode,
    OperationNode,
    Tree,
    joined,
    negated,
    operation,
)

MOST_LEXEMES = 200
DEEPEST = 40
_SUMS = {"+": "Add", "-": "Subtract", "plus": "Add", "minus": "Subtract"}
_PRODUCTS = {
    ("*",): "Multiply",
    ("/",): "Divide",
    ("times",): "Multiply",
    ("of",): "Multiply",
    ("multiplied", "by"): "Multiply",
    ("divided", "by"): "Divide",
    ("over",): "Divide",
    ("mod",): "Remainder",
    ("modulo",): "Remainder",
}
_POWERS = (
    ("^",),
    ("to", "power", "of"),
    ("to", "power"),
    ("raised", "to", "power", "of"),
    ("raised", "to", "power"),
    ("raised", "to"),
)
_FOLLOWING: dict[tuple[str, ...], Callable[[Tree], Tree]] = {
    ("!",): lambda a: operation("Factorial", a),
    ("factorial",): lambda a: operation("Factorial", a),
    ("squared",): lambda a: operation("Power", a, NumberNode("2")),
    ("cubed",): lambda a: operation("Power", a, NumberNode("3")),
}
_PERCENT = (("%",), ("percent",), ("per", "cent"))
_PREFIXES: dict[tuple[str, ...], Callable[[Tree], Tree]] = {
    ("√",): lambda a: operation("Sqrt", a),
    ("sqrt",): lambda a: operation("Sqrt", a),
    ("square", "root", "of"): lambda a: operation("Sqrt", a),
    ("∛",): lambda a: operation("Power", a, NumberNode("1/3")),
    ("cube", "root", "of"): lambda a: operation("Power", a, NumberNode("1/3")),
    ("log",): lambda a: operation("Log", a),
    ("abs",): lambda a: operation("Absolute", a),
    ("factorial", "of"): lambda a: operation("Factorial", a),
    ("square", "of"): lambda a: operation("Power", a, NumberNode("2")),
    ("cube", "of"): lambda a: operation("Power", a, NumberNode("3")),
    ("double",): lambda a: operation("Multiply", NumberNode("2"), a),
    ("twice",): lambda a: operation("Multiply", NumberNode("2"), a),
    ("triple",): lambda a: operation("Multiply", NumberNode("3"), a),
    ("thrice",): lambda a: operation("Multiply", NumberNode("3"), a),
}
_ANGLES = {"sin": "Sine", "cos": "Cosine", "tan": "Tangent"}
_OF_TWO = {
    "gcd": "Gcd", "hcf": "Gcd", "gcf": "Gcd", "lcm": "Lcm", "max": "Max", "min": "Min",
}  # fmt: skip
_BETWEEN = {"c": "Choose", "p": "Permutations"}


class NotMathematicsError(Exception):
    """The words are not an expression."""


def tree_of_expression(lexemes: Sequence[Lexeme]) -> Tree:
    """The tree of an expression."""
    if len(lexemes) > MOST_LEXEMES:
        raise NotMathematicsError
    return _Parser(lexemes).whole()


class _Parser:
    """Recursive descent over lexemes."""

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.lexemes = lexemes
        self.texts = tuple(lexeme.text.lower() for lexeme in lexemes)
        self.at = 0
        self.depth = 0

    def peek(self, ahead: int = 0) -> str:
        k = self.at + ahead
        return self.texts[k] if k < len(self.texts) else ""

    def takes(self, *words: str) -> bool:
        """Whether these words come next, which are then passed over."""
        if self.texts[self.at : self.at + len(words)] != words:
            return False
        self.at += len(words)
        return True

    def whole(self) -> Tree:
        tree = self.sum()
        if self.at < len(self.lexemes):
            raise NotMathematicsError
        return tree

    def descend(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotMathematicsError

    def sum(self) -> Tree:
        self.descend()
        tree, _ = self.product()
        while (name := _SUMS.get(self.peek())) is not None:
            self.at += 1
            right, is_percentage = self.product()
            if is_percentage and isinstance(right, OperationNode):
                right = operation("Percent", right.arguments[0], tree)
            tree = joined(name, tree, right)
        self.depth -= 1
        return tree

    def product(self) -> tuple[Tree, bool]:
        """A product, and whether it is a percentage alone."""
        tree, is_percentage = self.signed()
        while True:
            name = self.product_sign()
            if name is None:
                return tree, is_percentage
            if name == "Multiply" and is_percentage and isinstance(tree, OperationNode):
                right, _ = self.product()
                return operation("Percent", tree.arguments[0], right), False
            right, _ = self.signed()
            tree, is_percentage = joined(name, tree, right), False

    def product_sign(self) -> str | None:
        """The operation of a sign or of words that join factors, which may be left out."""
        for words, name in _PRODUCTS.items():
            if self.takes(*words):
                return name
        if self.at >= len(self.lexemes):
            return None
        lexeme = self.lexemes[self.at]
        is_factor = lexeme.kind == "letter" or lexeme.text in ("(", "√", "sqrt")
        follows = self.at > 0 and self.texts[self.at - 1] in (")", "!") and lexeme.is_closed_up
        return "Multiply" if is_factor or (follows and lexeme.kind == "number") else None

    def signed(self) -> tuple[Tree, bool]:
        if self.takes("-") or self.takes("minus") or self.takes("negative"):
            self.descend()
            tree, is_percentage = self.signed()
            self.depth -= 1
            return negated(tree), is_percentage
        self.takes("+")
        tree = self.power()
        for words in _PERCENT:
            if self.takes(*words):
                return operation("Divide", tree, HUNDRED), True
        return tree, False

    def power(self) -> Tree:
        base = self.followed()
        for words in _POWERS:
            if self.takes(*words):
                exponent, _ = self.signed()
                return operation("Power", base, exponent)
        return base

    def followed(self) -> Tree:
        """An atom with what follows it closely."""
        tree = self.atom()
        while True:
            for words, build in _FOLLOWING.items():
                if self.takes(*words):
                    tree = build(tree)
                    break
            else:
                return tree

    def atom(self) -> Tree:
        for words, build in _PREFIXES.items():
            if self.takes(*words):
                self.descend()
                tree = build(self.followed())
                self.depth -= 1
                return tree
        if self.peek() in _ANGLES:
            return self.angle(_ANGLES[self.peek()])
        if self.peek() in _OF_TWO and self.peek(1) == "(":
            return self.of_two(_OF_TWO[self.peek()])
        if self.takes("("):
            tree = self.sum()
            if not self.takes(")"):
                raise NotMathematicsError
            return tree
        if self.takes("|"):
            tree = self.sum()
            if not self.takes("|"):
                raise NotMathematicsError
            return operation("Absolute", tree)
        if self.at >= len(self.lexemes) or self.lexemes[self.at].tree is None:
            raise NotMathematicsError
        tree = self.lexemes[self.at].tree
        assert tree is not None
        self.at += 1
        return self.chosen(tree)

    def chosen(self, tree: Tree) -> Tree:
        """`52C2`, `5P3`: only where the three touch."""
        if self.at + 1 >= len(self.lexemes) or not isinstance(tree, NumberNode):
            return tree
        letter, second = self.lexemes[self.at : self.at + 2]
        name = _BETWEEN.get(letter.text.lower())
        touch = letter.is_closed_up and second.is_closed_up and isinstance(second.tree, NumberNode)
        if name is None or not touch or second.tree is None:
            return tree
        self.at += 2
        return operation(name, tree, second.tree)

    def angle(self, name: str) -> Tree:
        """An angle in degrees; without a unit it could be in radians as well."""
        self.at += 1
        has_bracket = self.takes("(")
        tree = self.followed()
        is_in_degrees = self.takes("°") or self.takes("degrees") or self.takes("degree")
        if not is_in_degrees or (has_bracket and not self.takes(")")):
            raise NotMathematicsError
        return operation(name, operation("Degrees_to_Radians", tree))

    def of_two(self, name: str) -> Tree:
        """`gcd(12, 18)`, of two numbers or more."""
        self.at += 2
        tree = self.sum()
        while self.takes(","):
            tree = operation(name, tree, self.sum())
        if not self.takes(")"):
            raise NotMathematicsError
        return tree
