"""Questions about the digits of a whole number.

Promises: the sum of the digits, the digit at a place, and the last digit even of a power that is
too large to be computed, by the cycle of last digits.

Does not cover: how many digits there are; that is an expression of `phrases`.
"""

from scratchwork.exact.matching import Said
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import (
    Procedure,
    evaluated,
    items_between,
    say_computed,
    value_said,
)
from scratchwork.exact.writing import Work
from scratchwork.machine.trees import OperationNode, Tree, operation
from scratchwork.machine.written_values import value_of_tree
from scratchwork.plans.plan import PlanConstant

_PLACES = {
    "ones": 1, "one 's": 1, "unit": 1, "units": 1, "unit 's": 1, "last": 1, "tens": 2, "ten 's": 2,
    "hundreds": 3, "hundred 's": 3, "thousands": 4, "ten thousands": 5,
}  # fmt: skip
_CYCLE = PlanConstant("4")
"""Last digits of powers come again after so many."""
_TEN = PlanConstant("10")


def _sum(found: Found) -> Procedure:
    tree = found.tree("n")

    def steps(work: Work) -> Said:
        number = say_computed(tree, work)
        total = work.step("Digit_Sum", number)
        count = int(work.number(work.step("Digit_Count", number)))
        places = map(str, range(count, 0, -1))
        digits = [work.step("Digit", number, PlanConstant(place)) for place in places]
        work.pass_over_steps()
        if count > 1:
            work.say(*items_between(digits, "+"), "=", total)
        return value_said(total, work)

    return Procedure(steps)


def _at_place(found: Found) -> Procedure:
    tree, name = found.tree("n"), found.text("place")
    if value_of_tree(tree) is None and _PLACES[name] == 1:
        return _last_of_power(tree)

    def steps(work: Work) -> Said:
        number = say_computed(tree, work)
        digit = work.step("Digit", number, PlanConstant(str(_PLACES[name])))
        work.pass_over_steps()
        work.say("The", name, "digit of", number, "is", digit)
        return value_said(digit, work)

    return Procedure(steps)


def _last_of_power(tree: Tree) -> Procedure:
    match tree:
        case OperationNode("Power", (base, exponent)):
            values = value_of_tree(base), value_of_tree(exponent)
        case _:
            raise NotAskedError
    if not all(value is not None and value >= 1 and value.is_integer() for value in values):
        raise NotAskedError

    def steps(work: Work) -> Said:
        last = say_computed(base, work)
        power = say_computed(exponent, work)
        if work.number(last) >= 10:
            whole, last = last, work.step("Digit", last, PlanConstant("1"))
            work.pass_over_steps()
            work.say("The last digit of", whole, "is", last)
        rest = work.step("Remainder", power, _CYCLE)
        # A power of four or its like ends as the fourth power does.
        short = rest if work.number(rest) else _CYCLE
        small = work.step("Power", last, short)
        digit = work.step("Remainder", small, _TEN)
        work.pass_over_steps()
        work.say("The last digits of powers repeat after", _CYCLE, "steps")
        work.say("The remainder of", power, "divided by", _CYCLE, "is", rest)
        work.say(last, "^", short, "=", small, ", which ends in", digit)
        return value_said(digit, work)

    return Procedure(steps)


def _first(found: Found) -> Procedure:
    tree = found.tree("n")

    def steps(work: Work) -> Said:
        number = say_computed(tree, work)
        digit = work.step("Digit", number, work.step("Digit_Count", number))
        work.pass_over_steps()
        work.say("The first digit of", number, "is", digit)
        return value_said(digit, work)

    return Procedure(steps)


def _reversed(found: Found) -> Procedure:
    return evaluated(operation("Digits_Reversed", found.tree("n")))


_NAMES = "|".join(sorted(_PLACES, key=len, reverse=True))
DIGIT_QUESTIONS = (
    question(r"(?:sum of (?:all )?digits (?:of|in) (?:number )?|digit sum of ){n}", _sum),
    question(rf"(?P<place>{_NAMES}) (?:place )?digit (?:of|in) (?:number )?{{n}}", _at_place),
    question(rf"digit in (?P<place>{_NAMES}) place (?:of|in) {{n}}", _at_place),
    question(r"(?:first|leading) digit (?:of|in) {n}", _first),
    question(r"reverse (?:digits of )?{n}", _reversed),
    question(r"{n} (?:reversed|backwards|with its digits reversed)", _reversed),
)
"""What is asked of digits."""
