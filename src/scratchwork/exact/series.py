"""Questions about arithmetic and geometric sequences: a term, a sum, how many terms there are.

Promises: what is written is one of the two kinds, or the question is left: two terms are not enough
to tell them apart, unless the question names the kind or the last term fits only one. A last term
that does not belong to the sequence is told.

Does not cover: other sequences (`1, 1, 2, 3, 5`), and finding the first term or the difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scratchwork.exact.matching import Said
from scratchwork.exact.no_value import NoValueError
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import Procedure, evaluated, say_computed, value_said
from scratchwork.exact.writing import Work
from scratchwork.machine.trees import NumberNode, Tree, joined, operation
from scratchwork.machine.written_values import value_of_tree

_ONE, _TWO = NumberNode("1"), NumberNode("2")
_TOLERANCE = 1e-9


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= _TOLERANCE * max(abs(a), abs(b), 1.0)


@dataclass(frozen=True, slots=True)
class _Sequence:
    """The first terms of a sequence, and what kind it is."""

    terms: Sequence[Tree]
    values: Sequence[float]
    is_arithmetic: bool

    @property
    def step(self) -> float:
        """The difference or the ratio of neighbours."""
        first, second = self.values[:2]
        return second - first if self.is_arithmetic else second / first

    def step_tree(self) -> Tree:
        """The difference, never negative, or the ratio of neighbours."""
        first, second = self.terms[:2]
        if not self.is_arithmetic:
            return operation("Divide", second, first)
        return (
            joined("Subtract", first, second) if self.falls else joined("Subtract", second, first)
        )

    @property
    def falls(self) -> bool:
        """Whether an arithmetic sequence falls."""
        return self.values[1] < self.values[0]

    def term(self, place: Tree) -> Tree:
        """The term at a place, counted from 1."""
        steps = joined("Subtract", place, _ONE)
        if not self.is_arithmetic:
            return joined("Multiply", self.terms[0], operation("Power", self.step_tree(), steps))
        change = joined("Multiply", steps, self.step_tree())
        return joined("Subtract" if self.falls else "Add", self.terms[0], change)

    def count_to(self, last: Tree) -> float | None:
        """How many terms there are up to one; None if it is none."""
        value, at = value_of_tree(last), self.values[0]
        if value is None:
            return None
        if self.is_arithmetic:
            count = (value - at) / self.step if self.step else 0.0
            is_whole = abs(count - round(count)) <= _TOLERANCE
            return round(count) + 1.0 if count >= 0 and is_whole else None
        for place in range(1, 60):
            if _same(at, value):
                return float(place)
            at *= self.step
        return None

    def count_tree(self, last: Tree) -> Tree:
        """How many terms there are up to one."""
        first = self.terms[0]
        way = joined("Subtract", first, last) if self.falls else joined("Subtract", last, first)
        steps = way if abs(self.step) == 1 else operation("Divide", way, self.step_tree())
        return joined("Add", steps, _ONE)

    def say_step(self, work: Work) -> None:
        """Add the lines that tell how it goes on."""
        step = say_computed(self.step_tree(), work)
        if self.is_arithmetic:
            work.say("Each term is", step, "less" if self.falls else "more", "than the one before")
        else:
            work.say("Each term is", step, "times the one before")


def _kind(text: str) -> str:
    """Arithmetic, geometric, or nothing."""
    words = text.replace(" . ", "").replace(" .", "").split()
    if {"arithmetic", "ap"} & {*words}:
        return "arithmetic"
    return "geometric" if {"geometric", "gp"} & {*words} else ""


def _sequence(found: Found, *between: str, last: Tree | None = None) -> _Sequence:
    """The sequence whose terms a question gives."""
    terms = found.trees("list", *between)
    values = [value for term in terms if (value := value_of_tree(term)) is not None]
    if len(values) < max(len(terms), 2):
        raise NotAskedError
    said = _kind(found.text("kind")) if found.has("kind") else ""
    steps = [b - a for a, b in pairwise(values)]
    ratios = [b / a for a, b in pairwise(values) if a]
    possible: list[_Sequence] = []
    if said != "geometric" and all(_same(step, steps[0]) for step in steps):
        possible.append(_Sequence(terms, values, is_arithmetic=True))
    is_geometric = len(ratios) == len(steps) and all(_same(one, ratios[0]) for one in ratios)
    if said != "arithmetic" and is_geometric and values[1]:
        possible.append(_Sequence(terms, values, is_arithmetic=False))
    if len(possible) > 1 and last is not None and steps[0] != 1:
        possible = [one for one in possible if one.count_to(last) is not None]
    is_clear = len(terms) > 2 or said or _is_clear_from_two(terms, values)
    if not possible or not is_clear or (len(possible) > 1 and len(terms) == 2 and steps[0] != 1):
        raise NotAskedError
    return possible[0]


def _is_clear_from_two(terms: Sequence[Tree], values: Sequence[float]) -> bool:
    """Whether two terms show how it goes on: all, all odd, or the multiples of a number.

    `1 + 4 + ... + 100` may be squares, and `1! + 2! + ... + 10!` are factorials.
    """
    first, second = values
    is_plain = all(isinstance(term, NumberNode) for term in terms)
    return is_plain and (second - first in (1, first) or (first, second) == (1, 3))


def _term(found: Found) -> Procedure:
    place = _whole(found.ordinal("k"))
    return _with_step(_sequence(found), _sequence(found).term(place))


def _with_step(sequence: _Sequence, tree: Tree) -> Procedure:
    """What computes an expression after telling how the sequence goes on."""

    def steps(work: Work) -> Said:
        sequence.say_step(work)
        return value_said(say_computed(tree, work), work)

    return Procedure(steps)


def _whole(tree: Tree) -> Tree:
    """A count of terms, which is whole."""
    value = value_of_tree(tree)
    if value is None or value < 1 or not value.is_integer():
        raise NotAskedError
    return tree


def _sum_of_first(found: Found) -> Procedure:
    count = _whole(found.tree("n"))
    sequence = _sequence(found, ",", "+", "and")
    if sequence.is_arithmetic:
        return _arithmetic_sum(sequence.terms[0], sequence.term(count), count, sequence)
    grown = operation("Power", sequence.step_tree(), count)
    return _with_step(
        sequence, _geometric_sum(sequence, joined("Multiply", sequence.terms[0], grown))
    )


def _geometric_sum(sequence: _Sequence, beyond: Tree) -> Tree:
    """The sum of the terms before one, by what it and the first differ."""
    first, ratio = sequence.terms[0], sequence.step_tree()
    if sequence.step < 1:
        below = joined("Subtract", _ONE, ratio)
        return operation("Divide", joined("Subtract", first, beyond), below)
    above = joined("Subtract", beyond, first)
    return (
        above if sequence.step == 2 else operation("Divide", above, joined("Subtract", ratio, _ONE))
    )


def _arithmetic_sum(
    first: Tree, last: Tree, count: Tree, sequence: _Sequence | None = None
) -> Procedure:
    """Half the number of terms, times the first and the last together."""

    def steps(work: Work) -> Said:
        if sequence is not None:
            sequence.say_step(work)
        terms = say_computed(count, work)
        end = say_computed(last, work)
        work.say("There are", terms, "terms, from", say_computed(first, work), "to", end)
        ends = joined("Add", first, last)
        work.say("The sum is half of", terms, "times the first and the last together")
        total = operation("Divide", joined("Multiply", count, ends), _TWO)
        return value_said(say_computed(total, work), work)

    return Procedure(steps)


def _sum_to_last(found: Found) -> Procedure:
    last = found.tree("n")
    sequence = _sequence(found, ",", "+", last=last)
    if sequence.count_to(last) is None:
        return Procedure(_not_a_term)
    if sequence.is_arithmetic:
        count = sequence.count_tree(last)
        return _arithmetic_sum(sequence.terms[0], last, count, sequence)
    beyond = joined("Multiply", last, sequence.step_tree())
    return _with_step(sequence, _geometric_sum(sequence, beyond))


def _not_a_term(work: Work) -> Said:
    del work
    raise NoValueError("There is no value: the last number is not a term of the series.")


def _sum_of_all(found: Found) -> Procedure:
    """The sum of a geometric series without an end."""
    sequence = _sequence(found, ",", "+")
    if sequence.is_arithmetic or abs(sequence.step) >= 1:
        raise NotAskedError
    below = joined("Subtract", _ONE, sequence.step_tree())
    return _with_step(sequence, operation("Divide", sequence.terms[0], below))


def _number_of_terms(found: Found) -> Procedure:
    last = found.tree("n")
    sequence = _sequence(found, last=last)
    if sequence.count_to(last) is None:
        return Procedure(_not_a_term)
    if not sequence.is_arithmetic:
        raise NotAskedError
    return _with_step(sequence, sequence.count_tree(last))


def _named(found: Found) -> Procedure:
    """The sum or the average of the first numbers of a kind that has a name."""
    count, name = _whole(found.tree("n")), found.text("name")
    product = joined("Multiply", count, joined("Add", count, _ONE))
    rule, total = ("half of", "times the next number"), operation("Divide", product, _TWO)
    if "even" in name:
        rule, total = ("", "times the next number"), product
    elif "odd" in name:
        rule, total = ("the square of", ""), operation("Power", count, _TWO)
    is_average = found.has("average")

    def steps(work: Work) -> Said:
        number = work.compute(count)
        work.say("The sum of the first", number, name, "is", rule[0], number, rule[1])
        tree = operation("Divide", total, count) if is_average else total
        return value_said(say_computed(tree, work), work)

    return Procedure(steps)


def _multiples(found: Found) -> Procedure:
    """The sum of the first multiples of a number."""
    count, number = _whole(found.tree("n1")), found.tree("n2")
    last = joined("Multiply", count, number)
    return _arithmetic_sum(number, last, count)


def _even_or_odd(found: Found) -> Procedure:
    """The even or the odd number at a place."""
    even = joined("Multiply", _TWO, _whole(found.ordinal("k")))
    is_odd = found.text("parity") == "odd"
    return evaluated(joined("Subtract", even, _ONE) if is_odd else even)


def _squares(found: Found) -> Procedure:
    count = _whole(found.tree("n"))
    following = joined("Add", count, _ONE)
    product = joined("Multiply", count, following)
    if found.text("power").startswith("cube"):
        return evaluated(operation("Power", operation("Divide", product, _TWO), _TWO))
    odd = joined("Add", joined("Multiply", _TWO, count), _ONE)
    return evaluated(operation("Divide", joined("Multiply", product, odd), NumberNode("6")))


def _from_to(found: Found) -> Procedure:
    """The sum of all, the even or the odd numbers from one to another."""
    first, last = _whole(found.tree("n1")), _whole(found.tree("n2"))
    parity = found.text("parity") if found.has("parity") else ""
    step = _ONE
    if parity:
        step = _TWO
        first = joined("Add", first, _ONE) if _is_odd(first) != (parity == "odd") else first
        last = joined("Subtract", last, _ONE) if _is_odd(last) != (parity == "odd") else last
    begin, end = value_of_tree(first), value_of_tree(last)
    if begin is None or end is None or begin > end:
        raise NotAskedError
    way = joined("Subtract", last, first)
    steps = operation("Divide", way, step) if parity else way
    return _arithmetic_sum(first, last, joined("Add", steps, _ONE))


def _is_odd(tree: Tree) -> bool:
    return (value_of_tree(tree) or 0) % 2 == 1


_KIND = (
    r"(?P<kind>(?:an? )?(?:infinite )?(?:(?:arithmetic|geometric) )?"
    r"(?:sequence|series|progression|pattern|a . p .|ap|g . p .|gp)(?: :)? )?"
)
_TERM = r"(?:term|number|element|member)"
_MANY = r"(?:how many terms are (?:there )?in|number of terms (?:in|of)) "
SERIES_QUESTIONS = (
    question(rf"{{k}} {_TERM} (?:of|in) {_KIND}{{list}} , \.\.\.", _term),
    question(
        rf"(?:in |given |for )?{_KIND}{{list}} , \.\.\.(?: ,| \.| :)?"
        rf"(?: (?:what is|find|what|calculate|determine))* {{k}} {_TERM}",
        _term,
    ),
    question(
        rf"(?:sum of |add )(?:first )?{{n}} terms (?:of|in) {_KIND}{{list}} (?:,|\+) \.\.\.",
        _sum_of_first,
    ),
    question(rf"(?:(?:sum of|add) )?{_KIND}{{list}} \+ \.\.\. \+ {{n}}", _sum_to_last),
    question(rf"(?:sum of|add) {_KIND}{{list}} , \.\.\. ,(?: and)? {{n}}", _sum_to_last),
    question(rf"(?:(?:sum of|add) )?{_KIND}{{list}} \+ \.\.\.", _sum_of_all),
    question(rf"{_MANY}{_KIND}{{list}} , \.\.\. , {{n}}", _number_of_terms),
    question(rf"how many terms does {_KIND}{{list}} , \.\.\. , {{n}} have", _number_of_terms),
    question(
        r"(?:sum of|add|(?P<average>average of|mean of)) (?:all )?first {n} "
        r"(?P<name>numbers|natural numbers|positive integers|counting numbers|"
        r"(?:positive )?(?:even|odd) (?:natural )?(?:numbers|integers))",
        _named,
    ),
    question(r"(?:sum of|add) (?:all )?first {n1} (?:positive )?multiples of {n2}", _multiples),
    question(r"{k} (?:positive )?(?P<parity>even|odd) (?:natural )?number", _even_or_odd),
    question(r"sum of {n1} (?:to|through) {n2}", _from_to),
    question(
        r"sum of (?:(?P<power>squares|cubes) of )first {n} "
        r"(?:natural numbers|positive integers|counting numbers)",
        _squares,
    ),
    question(
        r"(?:sum of|add) (?:all )?(?:natural |whole |positive )?(?:(?P<parity>even|odd) )?"
        r"(?:numbers|integers) from {n1} to {n2}(?: inclusive)?",
        _from_to,
    ),
)
"""What is asked of sequences."""
