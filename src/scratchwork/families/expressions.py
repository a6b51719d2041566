"""The small language of family files: expressions and conditions.

Promises: `price * off / 100`, `choose(n, 2)`, `2 ^ k`, `a mod b` are parsed into trees whose inner
nodes are the machine's own operations, so that what is computed here is what a program computes.
Conditions compare two expressions (`a < b`, `total != 5`) or ask `x is whole`. An equation is
solved by `solve(2 * x + a, b)`; the letter that names no number is its unknown. What does not parse
raises `FamilySyntaxError`.

Does not cover: negative literals, strings, two unknowns, or anything that could run code.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import cast

from scratchwork.induction.roots import SOLVING
from scratchwork.induction.rules import ARITHMETIC
from scratchwork.machine.expressions import Term, unknown
from scratchwork.machine.operations import EXTENDED, Operation, Type
from scratchwork.problems.numerals import NumeralError, read_number


class FamilySyntaxError(ValueError):
    """What is wrong with an expression."""


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    """A number written out in the expression."""

    text: str
    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """A number of the family, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class UnknownLetter:
    """The unknown of an equation."""

    letter: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the machine on sub-expressions."""

    operation: str
    arguments: tuple["Expression", ...]


Expression = NumberLiteral | Name | UnknownLetter | Apply

NamedValues = Mapping[str, float]
Evaluator = Callable[[NamedValues], float]

FUNCTIONS = {
    "sqrt": "Sqrt",
    "log": "Log",
    "sin": "Sine",
    "cos": "Cosine",
    "tan": "Tangent",
    "radians": "Degrees_to_Radians",
    "degrees": "Radians_to_Degrees",
    "factorial": "Factorial",
    "choose": "Choose",
    "arrange": "Permutations",
    "gcd": "Gcd",
    "lcm": "Lcm",
    "floor": "Floor",
    "ceiling": "Ceiling",
    "round": "Round",
    "abs": "Absolute",
    "percent": "Percent",
    "min": "Min",
    "max": "Max",
}
"""The names of functions, and the operations they stand for; `percent(a, b)` is a% of b."""
SOLVING_FUNCTIONS = {operation.lower(): operation for operation in SOLVING}
"""What solves an equation, of which it takes both sides."""

MOST_SIGNS = 150
"""An expression has at most so many numbers, names and signs."""
_SIGNS = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "Remainder": "mod",
    "Power": "^",
}
_TIGHT_SIGNS = {"Choose": "C", "Permutations": "P", "Percent": "% of "}
_STRENGTH = {"Add": 1, "Subtract": 1, "Multiply": 2, "Divide": 2, "Remainder": 2, "Power": 3}
_OPERATIONS = {sign: operation for operation, sign in _SIGNS.items()}
_LEXEME = re.compile(
    r"\s*(?:([0-9]+(?:\.[0-9]+)?)|([A-Za-z_][A-Za-z0-9_]*)|(!=|<=|>=|[-+*/^(),=<>]))"
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class _Parser:
    """Recursive descent over the lexemes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lexemes: list[str] = []
        at = 0
        stripped = text.rstrip()
        while at < len(stripped):
            match = _LEXEME.match(stripped, at)
            if match is None:
                raise FamilySyntaxError(f"cannot read {stripped[at:].strip()!r} in {text!r}")
            self.lexemes.append(match.group().strip())
            at = match.end()
            if len(self.lexemes) > MOST_SIGNS:
                raise FamilySyntaxError(
                    f"{text.strip()[:20]!r}... goes on for more than {MOST_SIGNS} signs"
                )
        self.at = 0

    def peek(self) -> str:
        return self.lexemes[self.at] if self.at < len(self.lexemes) else ""

    def take(self) -> str:
        lexeme = self.peek()
        self.at += 1
        return lexeme

    def expect(self, lexeme: str) -> None:
        if self.take() != lexeme:
            raise FamilySyntaxError(f"{lexeme!r} is missing in {self.text!r}")

    def sum(self) -> Expression:
        left = self.product()
        while self.peek() in ("+", "-"):
            left = Apply(_OPERATIONS[self.take()], (left, self.product()))
        return left

    def product(self) -> Expression:
        left = self.power()
        while self.peek() in ("*", "/", "mod"):
            left = Apply(_OPERATIONS[self.take()], (left, self.power()))
        return left

    def power(self) -> Expression:
        base = self.atom()
        if self.peek() == "^":
            self.take()
            return Apply("Power", (base, self.power()))
        return base

    def atom(self) -> Expression:
        lexeme = self.take()
        if lexeme == "(":
            inner = self.sum()
            self.expect(")")
            return inner
        if lexeme and lexeme[0].isdigit():
            return NumberLiteral(lexeme, read_number(lexeme))
        if _IDENTIFIER.fullmatch(lexeme):
            return self.call(lexeme) if self.peek() == "(" else Name(lexeme)
        raise FamilySyntaxError(f"a number or name is missing in {self.text!r}")

    def call(self, function: str) -> Expression:
        if function in SOLVING_FUNCTIONS:
            raise FamilySyntaxError(
                f"{function} stands alone in a slot of the style equation, not in {self.text!r}"
            )
        if function not in FUNCTIONS:
            raise FamilySyntaxError(f"there is no function {function}; see {', '.join(FUNCTIONS)}")
        operation = EXTENDED[FUNCTIONS[function]]
        self.expect("(")
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum())
        self.expect(")")
        if len(arguments) != len(operation.takes):
            raise FamilySyntaxError(f"{function} takes {len(operation.takes)} numbers")
        return Apply(operation.name, tuple(arguments))

    def end(self) -> None:
        if self.peek():
            raise FamilySyntaxError(f"{self.peek()!r} is unexpected in {self.text!r}")


def parse_expression(text: str) -> Expression:
    """The tree of an expression."""
    parser = _Parser(text)
    try:
        tree = parser.sum()
    except NumeralError as error:
        raise FamilySyntaxError(str(error)) from error
    parser.end()
    return tree


def parse_solution(text: str, numbers: Set[str]) -> Apply | None:
    """The tree of an equation that is solved, or None of any other expression.

    The one name in it that is none of the numbers is its unknown, a single letter.
    """
    parser = _Parser(text)
    function = parser.take()
    if function not in SOLVING_FUNCTIONS:
        return None
    parser.expect("(")
    left = parser.sum()
    parser.expect(",")
    right = parser.sum()
    parser.expect(")")
    parser.end()
    others = (names_in(left) | names_in(right)) - numbers
    letter = next(iter(others), "")
    if len(others) != 1 or len(letter) > 1 or not letter.isalpha():
        found = " and ".join(sorted(others)) or "none"
        raise FamilySyntaxError(
            f"{function} needs one unknown, a single letter that names no number; "
            f"{text!r} has {found}"
        )
    sides = tuple(_with_unknown(side, letter) for side in (left, right))
    return Apply(SOLVING_FUNCTIONS[function], sides)


def _with_unknown(side: Expression, letter: str) -> Expression:
    """A side of an equation in which a letter is the unknown."""
    if isinstance(side, Name):
        return UnknownLetter(letter) if side.name == letter else side
    if not isinstance(side, Apply):
        return side
    if side.operation not in ARITHMETIC:
        raise FamilySyntaxError(
            f"an equation is written with + - * / ^ and percent; compute {side.operation} before it"
        )
    applied = Apply(side.operation, tuple(_with_unknown(part, letter) for part in side.arguments))
    if _meant(applied).misfit(_types(applied)) is not None:
        raise FamilySyntaxError(f"the unknown {letter} stands in an exponent")
    return applied


def _types(applied: Apply) -> list[Type]:
    """Which of the arguments are expressions, and which are numbers."""
    return [
        "expression"
        if any(isinstance(part, UnknownLetter) for part in parts_of(argument))
        else "number"
        for argument in applied.arguments
    ]


def _meant(applied: Apply) -> Operation:
    """The machine's operation on such arguments."""
    return EXTENDED[applied.operation].applied_to(_types(applied))


def parts_of(expression: Expression) -> Iterator[Expression]:
    """The expression and all within it, the arguments of an operation before it."""
    if isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from parts_of(argument)
    yield expression


def names_in(expression: Expression) -> set[str]:
    """The names an expression uses."""
    return {part.name for part in parts_of(expression) if isinstance(part, Name)}


def operations_in(expression: Expression) -> list[str]:
    """The operations of an expression, in the order they are applied."""
    return [part.operation for part in parts_of(expression) if isinstance(part, Apply)]


def is_root(expression: Expression) -> bool:
    """Whether an expression solves an equation."""
    return isinstance(expression, Apply) and expression.operation in SOLVING


def count_operations(expression: Expression) -> int:
    """How many operations an expression has."""
    return len(operations_in(expression))


def compile_expression(expression: Expression) -> Evaluator:
    """A function that evaluates the expression with the machine's own operations."""
    return cast(Evaluator, _compiled(expression))  # what has an unknown is a side of an equation


def _compiled(expression: Expression) -> Callable[[NamedValues], Term]:
    match expression:
        case NumberLiteral(_, value):
            return lambda values: value
        case Name(name):
            return operator.itemgetter(name)
        case UnknownLetter(letter):
            alone = unknown(letter)
            return lambda values: alone
        case Apply(_, arguments):
            function: Callable[..., Term] = _meant(expression).function  # pyright: ignore
            parts = [_compiled(argument) for argument in arguments]
            if len(parts) == 1:
                only = parts[0]
                return lambda values: function(only(values))
            first, second = parts
            return lambda values: function(first(values), second(values))


Condition = Callable[[NamedValues], bool]

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "=": lambda a, b: abs(a - b) < 1e-9,
    "!=": lambda a, b: abs(a - b) >= 1e-9,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def parse_condition(text: str) -> tuple[Condition, set[str]]:
    """A condition as a function, and the names it uses."""
    parser = _Parser(text)
    left = parser.sum()
    evaluate_left = compile_expression(left)
    if parser.peek() == "is":
        parser.take()
        parser.expect("whole")
        parser.end()
        return (lambda values: is_whole(evaluate_left(values))), names_in(left)
    compare = _COMPARISONS.get(parser.take())
    if compare is None:
        raise FamilySyntaxError(
            f"a comparison (=, !=, <, <=, >, >=, is whole) is missing in {text!r}"
        )
    right = parser.sum()
    parser.end()
    evaluate_right = compile_expression(right)
    return (
        lambda values: compare(evaluate_left(values), evaluate_right(values)),
        names_in(left) | names_in(right),
    )


def is_whole(value: float) -> bool:
    """Whether a value is whole up to float noise, as from thirds or roots."""
    return abs(value - round(value)) < 1e-9


def expression_text(expression: Expression, fractions: Set[str] = frozenset()) -> str:
    """The expression as the text of a step, its names as slots: `{price} * {off} / 100`.

    Names that are written as fractions are put in brackets next to a stroke or power.
    """

    def operand(inner: Expression, strength: int) -> str:
        text = expression_text(inner, fractions)
        if isinstance(inner, Apply):
            weak = _STRENGTH.get(inner.operation, 4) < strength
        else:
            weak = strength > 2 and isinstance(inner, Name) and inner.name in fractions
        return f"({text})" if weak else text

    match expression:
        case NumberLiteral(text):
            return text
        case Name(name):
            return f"{{{name}}}"
        case UnknownLetter(letter):
            return letter
        case Apply("Factorial", (a,)):
            return f"{operand(a, 4)}!"
        case Apply(operation, (a, b)) if operation in _TIGHT_SIGNS:
            return f"{operand(a, 4)}{_TIGHT_SIGNS[operation]}{operand(b, 4)}"
        case Apply("Multiply", (a, b)):
            left = expression_text(a, fractions) if isinstance(a, Name) else operand(a, 2)
            right = expression_text(b, fractions) if isinstance(b, Name) else operand(b, 3)
            return f"{left} * {right}"
        case Apply(operation, (a, b)) if operation in _SIGNS:
            strength = _STRENGTH[operation]
            # A fraction is divided by a stroke as well: (3/4) / 2.
            first = operand(a, 3 if operation == "Divide" and isinstance(a, Name) else strength)
            return f"{first} {_SIGNS[operation]} {operand(b, strength + 1)}"
        case Apply(operation, arguments):
            function = next(name for name, meant in FUNCTIONS.items() if meant == operation)
            listed = ", ".join(expression_text(argument, fractions) for argument in arguments)
            return f"{function}({listed})"
