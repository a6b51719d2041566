"""Questions about primes and prime factors.

Promises: whether a number is prime; the n-th prime, the next one, how many there are, their sum; a
number as a product of primes. Of options it finds the one that is prime.

Does not cover: primes above a million, and numbers above 10^12; the machine says so.
"""

from scratchwork.exact.clauses import tree_or_none
from scratchwork.exact.matching import Said, trees_of_options
from scratchwork.exact.no_value import BeyondError
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import (
    Procedure,
    evaluated,
    items_between,
    say_computed,
    value_said,
    word_said,
)
from scratchwork.exact.writing import Work
from scratchwork.machine.trees import NumberNode, OperationNode, Tree, joined, operation
from scratchwork.machine.written_values import value_of_tree
from scratchwork.plans.plan import Argument

_ONE, _TWO = NumberNode("1"), NumberNode("2")
_MOST_ADDED = 25
"""So many primes are added at most."""


def _is_prime(found: Found) -> Procedure:
    tree, asks_for_prime = found.tree("n"), found.text("kind") == "prime"

    def steps(work: Work) -> Said:
        number = say_computed(tree, work)
        if work.number(number) in (0, 1):
            work.say(number, "is neither prime nor composite")
            return word_said("no", work)
        if work.number(number) < 0:
            work.say(number, "is below zero, and primes are not")
            return word_said("no", work)
        is_prime = _say_whether_prime(number, work)
        return word_said("yes" if is_prime == asks_for_prime else "no", work)

    return Procedure(steps)


def _say_whether_prime(number: Argument, work: Work) -> bool:
    """Add the line that shows it: two factors, or that there are none."""
    factor = work.step("Smallest_Prime_Factor", number)
    is_prime = work.number(factor) == work.number(number)
    if is_prime:
        work.pass_over_steps()
        work.say(number, "is divisible by", work.compute(_ONE), "and itself alone")
    else:
        other = work.step("Divide", number, factor)
        work.pass_over_steps()
        work.say(number, "=", factor, "*", other)
    return is_prime


def _which_is_prime(found: Found) -> Procedure:
    del found  # the numbers are the options

    def steps(work: Work) -> Said:
        cells = [work.compute(tree) for tree in trees_of_options(work.problem)]
        if any(work.number(cell) < 2 for cell in cells):
            raise BeyondError
        primes = [cell for cell in cells if _say_whether_prime(cell, work)]
        if len(primes) != 1:
            raise BeyondError
        return value_said(primes[0], work)

    return Procedure(steps)


def _prime(found: Found) -> Procedure:
    return evaluated(operation("Prime", found.ordinal("k")))


def _next(found: Found) -> Procedure:
    place = joined("Add", operation("Prime_Count", found.tree("n")), _ONE)
    return evaluated(operation("Prime", place))


def _last_before(found: Found) -> Procedure:
    below = joined("Subtract", found.tree("n"), _ONE)
    return evaluated(operation("Prime", operation("Prime_Count", below)))


def _count_below(found: Found) -> Procedure:
    below = joined("Subtract", found.tree("n"), _ONE)
    return evaluated(operation("Prime_Count", below))


def _count_up_to(found: Found) -> Procedure:
    return evaluated(operation("Prime_Count", found.tree("n")))


def _count_between(found: Found) -> Procedure:
    first, last = found.tree("n1"), found.tree("n2")
    tree = joined(
        "Subtract",
        operation("Prime_Count", last),
        operation("Prime_Count", joined("Subtract", first, _ONE)),
    )
    if found.text("sides") == "between" and any(map(_has_prime_value, (first, last))):
        raise NotAskedError  # the ends may count or not
    return evaluated(tree)


def _has_prime_value(tree: Tree) -> bool:
    factor = value_of_tree(operation("Smallest_Prime_Factor", tree))
    return factor is not None and factor == value_of_tree(tree)


def _total(found: Found) -> Procedure:
    """The sum or the average of the first primes, or of those in a range."""
    is_average = found.text("what").startswith(("average", "mean"))
    if found.has("n"):
        first, count = 1.0, value_of_tree(found.tree("n"))
    else:
        first, count = _range_of_primes(found)
    if count is None or not 1 <= count <= _MOST_ADDED or not count.is_integer():
        raise NotAskedError
    numbers = [NumberNode(str(int(first) + k)) for k in range(int(count))]

    def steps(work: Work) -> Said:
        primes = [work.compute(operation("Prime", number)) for number in numbers]
        work.pass_over_steps()
        work.say("The primes are", *items_between(primes, ","))
        total = primes[0]
        for prime in primes[1:]:
            total = work.step("Add", total, prime)
        work.pass_over_steps()
        if len(primes) > 1:
            work.say(*items_between(primes, "+"), "=", total)
        if is_average:
            total = work.step("Divide", total, work.compute(NumberNode(str(len(primes)))))
            work.say_steps()
        return value_said(total, work)

    return Procedure(steps)


def _range_of_primes(found: Found) -> tuple[float, float | None]:
    """The place of the first prime between two numbers, and how many there are."""
    low, high = found.tree("n1"), found.tree("n2")
    if any(map(_has_prime_value, (low, high))) and found.text("sides") == "between":
        raise NotAskedError
    below = value_of_tree(operation("Prime_Count", joined("Subtract", low, _ONE)))
    up_to = value_of_tree(operation("Prime_Count", high))
    if below is None or up_to is None:
        raise NotAskedError
    return below + 1, up_to - below


def _product(found: Found) -> Procedure:
    tree = found.tree("n")

    def steps(work: Work) -> Said:
        number = say_computed(tree, work)
        factors = _factors(number, work)
        work.pass_over_steps()
        if len(factors) == 1:
            work.say(number, "is a prime")
            return value_said(number, work)
        product = items_between(factors, "×")
        work.say(number, "=", *product)
        work.answer(*product)
        values = [work.number(factor) for factor in factors]
        text = " × ".join(str(int(value)) for value in values)
        return Said(text, fits=lambda option: _prime_leaves(tree_or_none(option)) == values)

    return Procedure(steps)


def _factors(number: Argument, work: Work) -> list[Argument]:
    """The prime factors from the smallest on, with a line for each but the last."""
    factors: list[Argument] = []
    rest = number
    while True:
        factor = work.step("Smallest_Prime_Factor", rest)
        factors.append(factor)
        if work.number(factor) == work.number(rest):
            return factors
        following = work.step("Divide", rest, factor)
        work.say(rest, "=", factor, "*", following)
        rest = following


def _prime_leaves(tree: Tree | None) -> list[float]:
    """The factors of a written product, powers taken apart, from the smallest on."""
    match tree:
        case OperationNode("Multiply", (left, right)):
            return sorted([*_prime_leaves(left), *_prime_leaves(right)])
        case OperationNode("Power", (base, NumberNode(numeral))) if numeral.isdecimal():
            return _prime_leaves(base) * min(int(numeral), 40)
        case NumberNode():
            value = value_of_tree(tree)
            return [] if value is None else [value]
        case _:
            return []


def _extreme_factor(found: Found) -> Procedure:
    tree, is_smallest = found.tree("n"), found.text("size") in ("smallest", "least", "lowest")

    def steps(work: Work) -> Said:
        number = say_computed(tree, work)
        if is_smallest:
            factor: Argument = work.step("Smallest_Prime_Factor", number)
            work.say_steps()
        else:
            factor = _factors(number, work)[-1]
            work.pass_over_steps()
        return value_said(factor, work)

    return Procedure(steps)


_PRIMES = r"prime(?: number)?s?(?: are)?(?: there)?(?: are)?"
_COUNT = rf"(?:how many|number of) {_PRIMES}"
_TOTAL = r"(?P<what>sum of|add|average of|mean of)"
PRIME_QUESTIONS = (
    question(r"is {n} (?:an? )?(?P<kind>prime|composite)(?: number)?(?: or not)?", _is_prime),
    question(
        r"which (?:one )?(?:of (?:these|them|following|those) (?:numbers )?|number )?is "
        r"(?:an? )?prime(?: number)?",
        _which_is_prime,
    ),
    question(r"{k} prime(?: number)?", _prime),
    question(
        r"(?:smallest|first|next|least) prime(?: number)? "
        r"(?:after|above|(?:that is )?(?:greater|larger|bigger|more|higher) than) {n}",
        _next,
    ),
    question(
        r"(?:largest|greatest|biggest|highest|last) prime(?: number)? "
        r"(?:before|below|under|(?:that is )?(?:less|smaller|lower) than) {n}",
        _last_before,
    ),
    question(rf"{_COUNT} (?:below|under|(?:less|smaller|lower) than) {{n}}", _count_below),
    question(rf"{_COUNT} (?:up to|not above|until) {{n}}", _count_up_to),
    question(rf"{_COUNT} (?P<sides>between|from) {{n1}} (?:and|to) {{n2}}", _count_between),
    question(rf"{_TOTAL} first {{n}} primes?(?: numbers)?", _total),
    question(
        rf"{_TOTAL} (?:all )?(?:the )?primes?(?: numbers)? (?P<sides>between|from) {{n1}} "
        r"(?:and|to) {n2}",
        _total,
    ),
    question(r"prime (?:factori[sz]ation|decomposition|factors) of {n}", _product),
    question(
        r"(?:write |express )?{n} as an? product of (?:its )?(?:primes|prime (?:factors|numbers))",
        _product,
    ),
    question(r"(?:factori[sz]e|factor) {n}(?: into primes)?", _product),
    question(
        r"(?P<size>smallest|least|lowest|largest|greatest|biggest|highest) prime "
        r"(?:factor|divisor) of {n}",
        _extreme_factor,
    ),
)
"""What is asked of primes."""
