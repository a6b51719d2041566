"""Exercises with steps of their own, such as the median of a list.

Promises: a `Procedure` computes and writes down its steps when it is given a `Work`, and tells what
is to be said.

Does not cover: which question asks for which; see `questions`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scratchwork.exact.matching import Said
from scratchwork.exact.writing import Item, Work
from scratchwork.machine.trees import Tree
from scratchwork.machine.writing import Writing
from scratchwork.plans.equations import writing_of, written_value
from scratchwork.plans.plan import Argument, Result


@dataclass(frozen=True, slots=True)
class Procedure:
    """What answers a question."""

    steps: Callable[[Work], Said]


def say_computed(tree: Tree, work: Work) -> Argument:
    """The value of an expression, with the lines that compute it."""
    cell = work.compute(tree)
    work.say_steps()
    return cell


def value_said(cell: Argument, work: Work, writing: Writing | None = None, sign: str = "") -> Said:
    """A number as the answer, with a sign behind it."""
    number = work.number(cell)
    writing = writing or writing_of(number)
    if isinstance(cell, Result):
        work.answer_with(cell, writing, sign)
    else:
        work.answer(cell)
    return Said(written_value(number, writing), values=(number,))


def word_said(word: str, work: Work) -> Said:
    """A word as the answer."""
    work.answer(word)
    return Said(word)


def items_between(numbers: Sequence[Argument], sign: str) -> list[Item]:
    """Numbers with a sign between them."""
    items: list[Item] = []
    for number in numbers:
        items += [sign, number] if items else [number]
    return items


def evaluated(tree: Tree) -> Procedure:
    """What computes an expression and gives its value."""
    return Procedure(lambda work: value_said(say_computed(tree, work), work))
