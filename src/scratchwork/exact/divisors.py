"""Questions about the divisors of a whole number.

Promises: how many divisors there are, their sum, all of them; whether one number divides another,
and whether a number is even.

Does not cover: divisors of numbers above 10^12, and lists of more than 40.
"""

from collections.abc import Sequence
from math import isqrt

from scratchwork.exact.clauses import parts_between, tree_or_none
from scratchwork.exact.matching import Said
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import (
    Procedure,
    evaluated,
    items_between,
    say_computed,
    word_said,
)
from scratchwork.exact.writing import Work
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import NumberNode, letters_of, operation
from scratchwork.machine.written_values import value_of_tree
from scratchwork.plans.plan import Argument

_TWO = NumberNode("2")
_MOST_LISTED, _LARGEST_LISTED = 40, 10**6
"""So many divisors are listed at most, of numbers up to a million."""


def _count_of_divisors(found: Found) -> Procedure:
    return evaluated(operation("Divisor_Count", found.tree("n")))


def _sum_of_divisors(found: Found) -> Procedure:
    return evaluated(operation("Divisor_Sum", found.tree("n")))


def _all_divisors(found: Found) -> Procedure:
    tree = found.tree("n")
    value = value_of_tree(tree)
    count = value_of_tree(operation("Divisor_Count", tree))
    if value is None or count is None or count > _MOST_LISTED or value > _LARGEST_LISTED:
        raise NotAskedError
    smaller = [k for k in range(1, isqrt(int(value)) + 1) if value % k == 0]

    def steps(work: Work) -> Said:
        number = say_computed(tree, work)
        divisors: list[Argument] = [work.compute(NumberNode(str(k))) for k in smaller]
        others: list[Argument] = []
        for divisor in divisors:
            other = work.step("Divide", number, divisor)
            work.pass_over_steps()
            work.say(number, "=", divisor, "*", other)
            others.append(other)
        if work.number(others[-1]) == smaller[-1]:
            others.pop()
        divisors += reversed(others)
        work.answer(*items_between(divisors, ","))
        values = [work.number(one) for one in divisors]
        text = ", ".join(str(int(one)) for one in values)
        return Said(text, fits=lambda option: _listed(option) == values)

    return Procedure(steps)


def _listed(option: Sequence[Lexeme]) -> list[float]:
    """The numbers of a list, in order; nothing if it has anything else."""
    trees = [tree_or_none(part) for part in parts_between(option, (",", "and"))]
    values = [value_of_tree(tree) for tree in trees if tree is not None and not letters_of(tree)]
    known = [value for value in values if value is not None]
    return sorted(known) if len(known) == len(trees) else []


def _divides(found: Found) -> Procedure:
    tree, divisor = found.tree("n"), found.tree("n2") if found.has("n2") else _TWO
    is_odd = found.has("parity") and found.text("parity") == "odd"

    def steps(work: Work) -> Said:
        rest = say_computed(operation("Remainder", tree, divisor), work)
        return word_said("yes" if (work.number(rest) == 0) != is_odd else "no", work)

    return Procedure(steps)


_DIVISORS = r"(?:different |distinct |positive )*(?:divisors|factors)"
DIVISOR_QUESTIONS = (
    question(rf"how many {_DIVISORS} does {{n}} have", _count_of_divisors),
    question(rf"how many {_DIVISORS} has {{n}}", _count_of_divisors),
    question(rf"how many {_DIVISORS} (?:are )?(?:there )?(?:in|of) {{n}}", _count_of_divisors),
    question(rf"number of {_DIVISORS} (?:in|of) {{n}}", _count_of_divisors),
    question(rf"sum of (?:all )?{_DIVISORS} of {{n}}", _sum_of_divisors),
    question(rf"{_DIVISORS} of {{n}}", _all_divisors),
    question(r"is {n} (?:evenly )?divisible by {n2}", _divides),
    question(r"is {n} an? multiple of {n2}", _divides),
    question(r"is {n2} an? (?:factor|divisor) of {n}", _divides),
    question(r"does {n2} divide {n}", _divides),
    question(r"is {n} (?:an? )?(?P<parity>even|odd)(?: number)?", _divides),
)
"""What is asked of divisors."""
