"""Expressions as trees, with the place in the question that each number was read from.

Promises: plain data. `negated` and `joined` keep minus signs out of the numbers, since in a text a
sign is a token of its own: `2 - -3` becomes `2 + 3`, and `-5 + 3` becomes `3 - 5`.

Does not cover: values; those come from the machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberNode:
    """A number as it is written."""

    numeral: str
    place: int = 0
    """Its token in the source, counted from 1; 0 if it is written otherwise there, as in words."""


@dataclass(frozen=True, slots=True)
class UnknownNode:
    """An unknown."""

    name: str
    place: int
    """Where it is read first."""


@dataclass(frozen=True, slots=True)
class OperationNode:
    """An operation of the machine on trees."""

    name: str
    arguments: tuple["Tree", ...]


Tree = NumberNode | UnknownNode | OperationNode

ZERO = NumberNode("0")
HUNDRED = NumberNode("100")


def operation(name: str, *arguments: Tree) -> OperationNode:
    """An operation on trees."""
    return OperationNode(name, arguments)


def negated(tree: Tree) -> Tree:
    """The tree with the other sign."""
    match tree:
        case OperationNode("Subtract", (NumberNode("0"), inner)):
            return inner
        case OperationNode("Subtract", (left, right)):
            return operation("Subtract", right, left)
        case _:
            return operation("Subtract", ZERO, tree)


def joined(name: str, left: Tree, right: Tree) -> Tree:
    """Two trees joined by one of the four operations, without a sign before the second."""
    plain_left, is_left_negative = _magnitude(left)
    plain_right, is_right_negative = _magnitude(right)
    match name:
        case "Add" | "Subtract" if is_right_negative:
            other = "Subtract" if name == "Add" else "Add"
            return joined(other, left, plain_right)
        case "Add" if is_left_negative:
            return operation("Subtract", right, plain_left)
        case "Multiply" | "Divide" if is_left_negative or is_right_negative:
            whole = operation(name, plain_left, plain_right)
            return whole if is_left_negative and is_right_negative else negated(whole)
        case _:
            return operation(name, left, right)


def _magnitude(tree: Tree) -> tuple[Tree, bool]:
    """A tree without the minus sign before it, and whether it had one."""
    match tree:
        case OperationNode("Subtract", (NumberNode("0"), inner)):
            return inner, True
        case _:
            return tree, False


def moved(tree: Tree, by: int) -> Tree:
    """The tree of a text that stands so many tokens later."""
    match tree:
        case NumberNode(numeral, place):
            return NumberNode(numeral, place + by if place else 0)
        case UnknownNode(name, place):
            return UnknownNode(name, place + by)
        case OperationNode(name, arguments):
            return OperationNode(name, tuple(moved(argument, by) for argument in arguments))


def nodes_of(tree: Tree) -> Iterator[Tree]:
    """The tree and all that is in it, operations after what they apply to."""
    if isinstance(tree, OperationNode):
        for argument in tree.arguments:
            yield from nodes_of(argument)
    yield tree


def letters_of(*trees: Tree) -> list[str]:
    """The names of the unknowns, in the order of reading."""
    parts = (part for tree in trees for part in nodes_of(tree))
    return list(dict.fromkeys(part.name for part in parts if isinstance(part, UnknownNode)))
