"""Questions about days of the week: so many days after or before another.

Promises: days and weeks are counted from the day that is named, or from today where the question
says what day it is.

Does not cover: dates, working days, and how many days lie between two.
"""

from collections.abc import Callable, Sequence

from scratchwork.exact.matching import Said
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import Procedure, say_computed
from scratchwork.exact.writing import Work
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import NumberNode, operation
from scratchwork.machine.written_values import value_of_tree
from scratchwork.plans.plan import PlanWord
from scratchwork.problems.tokens import source_tokens

_NONE, _WEEK = NumberNode("0"), NumberNode("7")


def _weekday(found: Found, is_before: bool) -> Procedure:
    """The day so many days after another, or before it."""
    place = found.place("day")
    number = NumberNode("1") if found.has("one") else found.tree("n")
    value = value_of_tree(number)
    if value is None or value < 0 or not value.is_integer():
        raise NotAskedError
    unit = found.text("unit")
    days = operation("Multiply", number, _WEEK) if unit.startswith("week") else number

    def steps(work: Work) -> Said:
        given = PlanWord(source_tokens(work.problem)[place - 1], place)
        count = say_computed(days, work)
        left = count
        if work.number(count) >= 7:
            left = work.step("Remainder", count, work.compute(_WEEK))
            work.pass_over_steps()
            work.say("The days of the week come again after", work.compute(_WEEK), "days")
            work.say("The remainder of", count, "divided by", work.compute(_WEEK), "is", left)
        shift = work.step("Subtract", work.compute(_NONE), left) if is_before else left
        day = work.step("Weekday_After", given, shift)
        work.pass_over_steps()
        unit = "day" if work.number(left) == 1 else "days"
        if work.number(left):
            work.say(left, unit, "before" if is_before else "after", given, "is", day)
        else:
            work.say("So it is", day, "again")
        work.answer(day)
        name = str(work.results()[day.step])
        return Said(name, fits=_is_named(name))

    return Procedure(steps)


def _is_named(name: str) -> Callable[[Sequence[Lexeme]], bool]:
    def fits(option: Sequence[Lexeme]) -> bool:
        return [one.text.lower() for one in option if one.text != "."] == [name.lower()]

    return fits


def _after(found: Found) -> Procedure:
    return _weekday(found, is_before=False)


def _before(found: Found) -> Procedure:
    return _weekday(found, is_before=True)


_DAY = r"(?:(?:on )?(?:what|which) (?:day(?: of week)?|weekday)|what (?:is|will be|would be) day)"
_ASKED = rf"{_DAY}(?: (?:is|was|will|would))?(?: (?:it|that|comes|falls))?(?: be)?"
_SPAN = r"(?:(?P<one>an?) |{n} )(?P<unit>days?|weeks?)(?: 's time)?"
_BREAK = r"(?: (?:,|\.|;|:))?(?: then)? "
WEEKDAY_QUESTIONS = (
    question(rf"{_ASKED} {_SPAN} (?:after|from|later than|past) (?:an? )?{{day}}", _after),
    question(rf"{_ASKED} {_SPAN} (?:before|earlier than) (?:an? )?{{day}}", _before),
    *(
        question(rf"{said}{_BREAK}{_ASKED} {ahead}", build)
        for said in (
            r"(?:if |suppose |given that )?today is(?: an?)? {day}",
            r"(?:if |suppose |given that )?it (?:is|'s) {day} (?:today|now)",
        )
        for ahead, build in (
            (rf"(?:in |after ){_SPAN}(?: from (?:now|today))?", _after),
            (rf"{_SPAN} (?:from (?:now|today)|later|after today|hence|from it)", _after),
            (rf"{_SPAN} (?:ago|earlier|before(?: today)?)", _before),
        )
    ),
)
"""What is asked of days of the week."""
