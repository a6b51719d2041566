"""Calculations that are said in words, each as a pattern with what it means.

Promises: one table. A pattern's words stand for themselves; `{a}` and `{b}` stand for expressions,
`{*}` for a list of them with commas and `and`; articles are left out.

Does not cover: what is said between two expressions (`plus`, `times`, `squared`); that belongs to
the grammar of `parsing`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from scratchwork.machine.trees import HUNDRED, NumberNode, Tree, joined, operation

_Build = Callable[[Sequence[Tree]], Tree]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A pattern and its meaning."""

    parts: tuple[tuple[str, ...], ...]
    """Its words in stretches; an empty stretch is a slot."""
    build: _Build
    """The tree, given those of the slots in order."""
    is_list: bool


def _all(name: str) -> _Build:
    return lambda trees: reduce(lambda a, b: joined(name, a, b), trees)


def _average(trees: Sequence[Tree]) -> Tree:
    return operation("Divide", _all("Add")(trees), NumberNode(str(len(trees))))


def _of_one(name: str) -> _Build:
    return lambda trees: operation(name, trees[0])


def _two(build: Callable[[Tree, Tree], Tree]) -> _Build:
    return lambda trees: build(trees[0], trees[1])


def _swapped(build: Callable[[Tree, Tree], Tree]) -> _Build:
    return lambda trees: build(trees[1], trees[0])


def _share(part: Tree, whole: Tree) -> Tree:
    """How many percent of the whole the part is."""
    return operation("Multiply", operation("Divide", part, whole), HUNDRED)


def _of_which(part: Tree, percents: Tree) -> Tree:
    """Of what the part is so many percent."""
    return operation("Divide", operation("Multiply", part, HUNDRED), percents)


def _more(whole: Tree, percents: Tree) -> Tree:
    return operation("Add", whole, operation("Percent", percents, whole))


def _less(whole: Tree, percents: Tree) -> Tree:
    return operation("Subtract", whole, operation("Percent", percents, whole))


def _add(a: Tree, b: Tree) -> Tree:
    return joined("Add", a, b)


def _subtract(a: Tree, b: Tree) -> Tree:
    return joined("Subtract", a, b)


def _multiply(a: Tree, b: Tree) -> Tree:
    return joined("Multiply", a, b)


def _divide(a: Tree, b: Tree) -> Tree:
    return joined("Divide", a, b)


def _remainder(a: Tree, b: Tree) -> Tree:
    return operation("Remainder", a, b)


def _change(before: Tree, after: Tree) -> Tree:
    return _share(joined("Subtract", after, before), before)


def _fall(before: Tree, after: Tree) -> Tree:
    return _share(joined("Subtract", before, after), before)


_LARGEST_DIVISOR = (
    "gcd", "hcf", "gcf", "greatest common divisor", "greatest common factor",
    "highest common factor", "largest common factor",
)  # fmt: skip
_LEAST_MULTIPLE = ("lcm", "least common multiple", "lowest common multiple")


def _times(number: str) -> _Build:
    return lambda trees: operation("Multiply", NumberNode(number), trees[0])


def _patterns() -> Iterator[tuple[str, _Build]]:
    """The patterns in the order in which they are tried: what binds less closely comes first."""
    for percent in ("%", "percent", "per cent"):
        yield from _of_percents(percent)
    yield from _counts()
    for percentage in ("percent", "per cent", "percentage", "%"):
        yield from _asking_percents(percentage)
    yield from (
        ("sum of {*}", _all("Add")),
        ("add {*}", _all("Add")),
        ("add {a} to {b}", _swapped(_add)),
        ("product of {*}", _all("Multiply")),
        ("multiply {*}", _all("Multiply")),
        ("multiply {a} by {b}", _two(_multiply)),
        ("divide {a} by {b}", _two(_divide)),
        ("quotient of {a} and {b}", _two(_divide)),
        ("difference between {a} and {b}", _two(_subtract)),
        ("difference of {a} and {b}", _two(_subtract)),
        ("subtract {a} from {b}", _swapped(_subtract)),
        ("take {a} from {b}", _swapped(_subtract)),
        ("take {a} away from {b}", _swapped(_subtract)),
        ("average of {*}", _average),
        ("mean of {*}", _average),
        ("arithmetic mean of {*}", _average),
        ("larger of {*}", _all("Max")),
        ("smaller of {*}", _all("Min")),
        ("remainder when {a} is divided by {b}", _two(_remainder)),
        ("remainder of {a} divided by {b}", _two(_remainder)),
        ("square root of {a}", lambda trees: operation("Sqrt", trees[0])),
        ("square of {a}", lambda trees: operation("Power", trees[0], NumberNode("2"))),
        ("twice {a}", _times("2")),
        ("double {a}", _times("2")),
        ("reciprocal of {a}", lambda trees: operation("Divide", NumberNode("1"), trees[0])),
    )
    yield from ((f"{name} of {{*}}", _all("Gcd")) for name in _LARGEST_DIVISOR)
    yield from ((f"{name} of {{*}}", _all("Lcm")) for name in _LEAST_MULTIPLE)
    yield from (
        ("{a} more than {b}", _swapped(_add)),
        ("{a} less than {b}", _swapped(_subtract)),
        ("{a} increased by {b}", _two(_add)),
        ("{a} decreased by {b}", _two(_subtract)),
        ("{a} reduced by {b}", _two(_subtract)),
        ("{a} of {b}", _two(_multiply)),
        ("{a} divided by {b}", _two(_divide)),
    )


def _counts() -> Iterator[tuple[str, _Build]]:
    """How many digits or divisors a number has, and their sum."""
    for name, counted, summed in (
        ("digits", "Digit_Count", "Digit_Sum"),
        ("divisors", "Divisor_Count", "Divisor_Sum"),
        ("factors", "Divisor_Count", "Divisor_Sum"),
    ):
        for of in ("of", "in"):
            yield f"sum of {name} {of} {{a}}", _of_one(summed)
            yield f"number of {name} {of} {{a}}", _of_one(counted)
        for has in ("does {a} have", "has {a}", "are in {a}", "are there in {a}", "in {a}"):
            yield f"how many {name} {has}", _of_one(counted)


def _of_percents(percent: str) -> Iterator[tuple[str, _Build]]:
    """So many percent more, less, or of what."""
    yield f"{{a}} {percent} more than {{b}}", _swapped(_more)
    yield f"{{a}} {percent} less than {{b}}", _swapped(_less)
    yield f"{{a}} {percent} off {{b}}", _swapped(_less)
    yield f"add {{a}} {percent} to {{b}}", _swapped(_more)
    yield f"subtract {{a}} {percent} from {{b}}", _swapped(_less)
    for verb, build in (("increase", _more), ("decrease", _less), ("reduce", _less)):
        yield f"{verb} {{a}} by {{b}} {percent}", _two(build)
        yield f"{{a}} {verb}d by {{b}} {percent}", _two(build)
    for number in ("what", "what number", "which number"):
        yield f"{{a}} is {{b}} {percent} of {number}", _two(_of_which)
        yield f"{{a}} {percent} of {number} is {{b}}", _swapped(_of_which)
        yield f"{{a}} {percent} of {number} equals {{b}}", _swapped(_of_which)


def _asking_percents(percentage: str) -> Iterator[tuple[str, _Build]]:
    """How many percent something is."""
    yield f"{{a}} is what {percentage} of {{b}}", _two(_share)
    for asked in (percentage, f"what {percentage}"):
        yield f"{asked} of {{a}} is {{b}}", _swapped(_share)
        yield f"{asked} is {{a}} of {{b}}", _two(_share)
    for form in (percentage, f"a {percentage}"):
        yield f"{{a}} as {form} of {{b}}", _two(_share)
        yield f"{{a}} out of {{b}} as {form}", _two(_share)
        yield f"{{a}} as {form}", lambda trees: operation("Multiply", trees[0], HUNDRED)
    for change, build in (("change", _change), ("increase", _change), ("decrease", _fall)):
        yield f"{percentage} {change} from {{a}} to {{b}}", _two(build)
    yield f"by what {percentage} is {{a}} more than {{b}}", _swapped(_change)
    yield f"by what {percentage} is {{a}} less than {{b}}", _swapped(_fall)


def _phrase(pattern: str, build: _Build) -> Phrase:
    stretches = re.split(r"(\{.\})", pattern)
    parts = tuple(
        () if part.startswith("{") else tuple(part.split())
        for part in stretches
        if part.startswith("{") or part.split()
    )
    return Phrase(parts, build, "{*}" in pattern)


PHRASES = tuple(_phrase(pattern, build) for pattern, build in _patterns())
"""The phrases, in the order in which they are tried."""
