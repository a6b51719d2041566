"""Roots: numbers that a rationale states after their equation, as in `2x + 3 = 15, so x = 6`.

Promises: `root_stated` finds, for a numeral that the text calls an unknown (`x =`, `x is`), the
nearest equation before it in that unknown alone that has the number as a root, as the operations
that make and solve it. Only linear and quadratic equations written with numbers, brackets, the
four operations, powers and percent are read, on one line, the unknown being a single letter.

Does not cover: what an unknown stands for, and equations in two unknowns.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scratchwork.induction.statements import is_calculated_on, unknown_before
from scratchwork.machine.expressions import RationalExpression, Term, subtract, unknown
from scratchwork.machine.grammar import NotMathematicsError, tree_of_expression
from scratchwork.machine.lexing import lexemes_of_tokens
from scratchwork.machine.operations import EXTENDED, OperationError, Type
from scratchwork.machine.trees import NumberNode, OperationNode, Tree, UnknownNode
from scratchwork.problems.numerals import number_of
from scratchwork.problems.signs import CLOSING, CURRENCIES, OPENING, signs_of
from scratchwork.problems.tokens import is_number

SOLVING = ("Solve", "Larger_Root", "Smaller_Root")
"""The operations that give a root, in the order in which they are tried."""

_FARTHEST = 200
_MOST_EQUATIONS = 6
"""So many tokens and equations before a numeral are read."""
_LONGEST_SIDE = 40
_SIGNS = signs_of("Add", "Subtract", "Multiply", "Divide", "Power", "Percent")
_OTHERS = OPENING | CLOSING | CURRENCIES | {"of"}


@dataclass(frozen=True, slots=True)
class EquationStep:
    """An operation on numbers of the text, on an unknown, or on other steps."""

    operation: str
    arguments: "tuple[float | str | EquationStep, ...]"
    """An unknown is its letter."""

    def value(self) -> float | None:
        """The number that the step gives; None if it gives none."""
        try:
            value = _computed(self)
        except OperationError:
            return None
        return value if isinstance(value, float) else None

    def difference(self) -> RationalExpression:
        """What the two sides of an equation differ by, which is zero for its roots."""
        return subtract(*map(_computed, self.arguments))

    def leaves(self) -> Iterator[float]:
        """The numbers the step starts from."""
        for argument in self.arguments:
            if isinstance(argument, EquationStep):
                yield from argument.leaves()
            elif isinstance(argument, float):
                yield argument

    def count(self) -> int:
        """How many operations there are."""
        return 1 + sum(a.count() for a in self.arguments if isinstance(a, EquationStep))


_Side = float | str | EquationStep


def _computed(side: _Side) -> Term:
    if isinstance(side, str):
        return unknown(side)
    if not isinstance(side, EquationStep):
        return side
    values = [_computed(argument) for argument in side.arguments]
    types: list[Type] = ["number" if isinstance(v, float) else "expression" for v in values]
    meant = EXTENDED[side.operation].applied_to(types)
    if meant.misfit(types) is not None:
        raise OperationError("domain", f"{side.operation} takes no unknown there")
    result = meant.function(*values)
    assert not isinstance(result, str)
    return result


def root_stated(
    output: Sequence[str], k: int, is_written: Callable[[float], bool]
) -> EquationStep | None:
    """The step that solves an equation for output token k (counted from 0), if the text states so;
    `is_written` says whether a number would be written as the token."""
    stated = unknown_before(output, k)
    if stated is None or is_calculated_on(output, k):
        return None
    letter, at = stated
    for start, first, second in _equations_before(output, at, letter):
        if output[k] in output[start:at]:
            return None  # it was written since, or is part of the equation
        for operation in SOLVING:
            step = EquationStep(operation, (first, second))
            root = step.value()
            if root is not None and is_written(root):
                return step
    return None


def _equations_before(
    output: Sequence[str], at: int, letter: str
) -> Iterator[tuple[int, _Side, _Side]]:
    """The last equations in an unknown before a token, the nearest first: the place of the equals
    sign, and both sides."""
    found = 0
    for sign in range(at - 1, max(at - _FARTHEST, 0), -1):
        if output[sign] == "=" and found < _MOST_EQUATIONS:
            begin = end = sign
            while (
                begin > 0 and sign - begin < _LONGEST_SIDE and _is_part(output[begin - 1], letter)
            ):
                begin -= 1
            end = sign + 1
            while end < at and end - sign < _LONGEST_SIDE and _is_part(output[end], letter):
                end += 1
            first, second = _side(output[begin:sign], letter), _side(output[sign + 1 : end], letter)
            if first is None or second is None:
                continue
            with_letter = [side for side in (first, second) if _has_unknown(side)]
            without = [side for side in (first, second) if not _has_unknown(side)]
            if with_letter and not (without and with_letter == [letter]):
                found += 1
                yield sign, first, second


def _is_part(token: str, letter: str) -> bool:
    """Whether a token may be part of a side of an equation."""
    return token == letter or token in _SIGNS or token in _OTHERS or is_number(token)


def _has_unknown(side: _Side) -> bool:
    if isinstance(side, EquationStep):
        return any(map(_has_unknown, side.arguments))
    return isinstance(side, str)


def _side(tokens: Sequence[str], letter: str) -> _Side | None:
    """A side of an equation in one unknown; None if the tokens are none."""
    try:
        return _from_tree(tree_of_expression(lexemes_of_tokens(tokens)), letter)
    except NotMathematicsError:
        return None


def _from_tree(tree: Tree, letter: str) -> _Side:
    match tree:
        case NumberNode(numeral) if (value := number_of(numeral)) is not None:
            return value
        case UnknownNode(name) if name == letter:
            return letter
        case OperationNode(name, arguments):
            return EquationStep(name, tuple(_from_tree(part, letter) for part in arguments))
        case _:
            raise NotMathematicsError
