"""Questions about clock times: how long from one to another, and what time it is before or after.

Promises: times are read with am or pm or by 24 hours (`9:40 am`, `5 pm`, `16:05`, `noon`). A time
that is early or late in the day by another reading is left: `from 9:40 to 1:15` may take 3 h 35 min
or more than half a day. What is past midnight is told by its time alone.

Does not cover: dates, time zones, seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scratchwork.exact.conversions import duration_said, quantity_in, time_unit
from scratchwork.exact.matching import Said
from scratchwork.exact.measures import MeasuredNumber
from scratchwork.exact.no_value import BeyondError
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import Procedure, value_said
from scratchwork.exact.writing import Item, Work
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import NumberNode, Tree, joined
from scratchwork.machine.writing import Writing
from scratchwork.plans.compiling import WrittenResult
from scratchwork.plans.plan import Argument, PlanConstant

_NOON, _SIXTY = NumberNode("12"), NumberNode("60")
_HALF_DAY, _DAY = 720, 1440
"""Minutes."""
_TWO_DIGITS = Writing("Float_to_Digits", 2)


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of the day as it is written."""

    hour: Tree
    minute: Tree | None
    half: str
    """`am`, `pm`, or nothing."""
    shown: tuple[int, int]
    """The hour and the minute."""
    is_padded: bool = False
    """Whether a zero stands before the hour."""
    name: str = ""
    """Noon or midnight."""

    @property
    def minutes(self) -> int:
        """The minutes after midnight; without a half of the day, as written."""
        hour, minute = self.shown
        if self.half:
            hour = hour % 12 + (12 if self.half == "pm" else 0)
        return hour * 60 + minute

    @property
    def is_of_24_hours(self) -> bool:
        """Whether the hours are counted to 24."""
        return not self.half and (self.is_padded or not 1 <= self.shown[0] <= 12)

    def tree(self) -> Tree:
        """The minutes after midnight as an expression."""
        hour, _ = self.shown
        hours: Tree | None = self.hour
        if self.half == "pm" and hour < 12:
            hours = joined("Add", self.hour, _NOON)
        elif self.half == "am" and hour == 12:
            hours = None
        parts = [joined("Multiply", hours, _SIXTY)] if hours is not None else []
        parts += [self.minute] if self.minute is not None else []
        return joined("Add", *parts) if len(parts) == 2 else [*parts, NumberNode("0")][0]

    def items(self, work: Work) -> list[Item]:
        """The time as the question writes it."""
        if self.name:
            return [self.name]
        items: list[Item] = [work.compute(self.hour)]
        if self.minute is not None:
            items += [":", work.compute(self.minute)]
        return [*items, *([self.half] if self.half else [])]


def clock_time_of(lexemes: Sequence[Lexeme]) -> ClockTime | None:
    """The time that is written; None if it is none."""
    texts = [lexeme.text.lower() for lexeme in lexemes]
    if texts in (["noon"], ["midnight"]):
        half = "pm" if texts == ["noon"] else "am"
        return ClockTime(_NOON, None, half, (12, 0), name=texts[0])
    has_minutes = texts[1:2] == [":"] and len(texts) > 2
    behind = "".join(texts[3 if has_minutes else 1 :]).replace(".", "")
    if behind not in ("am", "pm", "o'clock", "") or not texts or lexemes[0].kind != "number":
        return None
    if not has_minutes and not behind:
        return None
    half = behind if behind in ("am", "pm") else ""
    hour, minute = texts[0], texts[2] if has_minutes else ("o" if behind == "o'clock" else "")
    return _clock_time(lexemes, hour, minute, half)


def _clock_time(lexemes: Sequence[Lexeme], hour: str, minute: str, half: str) -> ClockTime | None:
    if not half and "." not in hour and minute == "o":
        minute = ""
    elif "." in hour and not minute and half:
        hour, _, minute = hour.partition(".")  # as 1.15 pm, in options
    if not hour.isdecimal() or len(hour) > 2 or (minute and not _is_minute(minute)):
        return None
    shown = int(hour), int(minute or "0")
    if shown[0] > 24 or (half and not 1 <= shown[0] <= 12):
        return None
    first = lexemes[0].tree
    assert first is not None
    last = lexemes[2].tree if len(lexemes) > 2 and lexemes[1].text == ":" else None
    return ClockTime(first, last, half, shown, hour.startswith("0"))


def _is_minute(text: str) -> bool:
    return len(text) == 2 and text.isdecimal() and int(text) < 60


def _time_in(found: Found, name: str) -> ClockTime:
    time = clock_time_of(found.part(name))
    if time is None:
        raise NotAskedError
    return time


def _say_time(time: ClockTime, work: Work) -> Argument:
    """The minutes after midnight, with the line that tells them."""
    cell = work.compute(time.tree())
    work.pass_over_steps()
    work.say(*time.items(work), "is", cell, "minutes after midnight")
    return cell


def _how_long(found: Found) -> Procedure:
    start, end = _time_in(found, "n1"), _time_in(found, "n2")
    if bool(start.half) != bool(end.half):
        raise NotAskedError
    is_over_midnight = end.minutes <= start.minutes
    if is_over_midnight and not start.half and not (start.is_of_24_hours or end.is_of_24_hours):
        raise NotAskedError
    unit = found.text("unit") if found.has("unit") else ""

    def steps(work: Work) -> Said:
        begin, finish = _say_time(start, work), _say_time(end, work)
        if is_over_midnight:
            work.say("A day has", PlanConstant(str(_DAY)), "minutes")
            finish = work.step("Add", finish, PlanConstant(str(_DAY)))
        minutes = work.step("Subtract", finish, begin)
        work.say_steps()
        if unit == "minutes":
            return value_said(minutes, work)
        if unit == "hours":
            hours = work.step("Divide", minutes, work.compute(_SIXTY))
            work.say_steps()
            return value_said(hours, work)
        return duration_said(minutes, [time_unit("h"), time_unit("min")], work)

    return Procedure(steps)


def _shifted(found: Found, operation: str) -> Procedure:
    time, span = _time_in(found, "n1"), quantity_in(found, "n2")
    if span.kind != "time":
        raise NotAskedError

    def steps(work: Work) -> Said:
        start, change = _say_time(time, work), _minutes_of(span, work)
        if operation == "Subtract" and work.number(change) > work.number(start):
            start, change = _day_before(start, change, work)
        minutes = work.step(operation, start, change)
        if not work.number(minutes).is_integer():
            raise BeyondError
        work.say_steps()
        if work.number(minutes) >= _DAY:
            work.say("A day has", PlanConstant(str(_DAY)), "minutes")
            minutes = work.step("Remainder", minutes, PlanConstant(str(_DAY)))
            work.say_steps()
        return _time_said(minutes, time, work)

    return Procedure(steps)


def _day_before(start: Argument, change: Argument, work: Work) -> tuple[Argument, Argument]:
    """A time and what is to be taken from it, so that it is not too much: days are put to the one
    or taken out of the other."""
    day = PlanConstant(str(_DAY))
    work.say("A day has", day, "minutes")
    if work.number(change) >= _DAY:
        change = work.step("Remainder", change, day)
    if work.number(change) > work.number(start):
        start = work.step("Add", start, day)
    work.say_steps()
    return start, change


def _minutes_of(span: MeasuredNumber, work: Work) -> Argument:
    """The minutes of a time that has passed, with its line."""
    minute = time_unit("min")
    cell = work.compute(span.in_unit(minute))
    work.pass_over_steps()
    if any(unit != minute for _, unit in span.parts):
        line: list[Item] = []
        for number, unit in span.parts:
            line += [work.compute(number), unit.symbol]
        work.pass_over_steps()
        work.say(*line, "=", cell, minute.symbol)
    return cell


def _time_said(minutes: Argument, like: ClockTime, work: Work) -> Said:
    """A time of the day as the answer, written like another."""
    number = int(work.number(minutes))
    is_early_or_late = not 60 <= number < _HALF_DAY + 60
    if not like.half and not like.is_of_24_hours and is_early_or_late:
        raise BeyondError
    hour: Argument = work.step("Floor", work.step("Divide", minutes, work.compute(_SIXTY)))
    minute = work.step("Remainder", minutes, work.compute(_SIXTY))
    half = "" if not like.half else "am" if number < _HALF_DAY else "pm"
    if half and number >= _HALF_DAY + 60:
        hour = work.step("Subtract", hour, work.compute(_NOON))
    elif half and number < 60:
        hour = work.compute(_NOON)
    shown = int(work.number(hour)), number % 60
    items: list[Item] = [hour, ":", WrittenResult(minute, _TWO_DIGITS), *([half] if half else [])]
    work.pass_over_steps()
    work.say(minutes, "minutes after midnight is", *items)
    work.answer(*items)
    text = f"{shown[0]}:{shown[1]:02} {half}".rstrip()

    def fits(option: Sequence[Lexeme]) -> bool:
        time = clock_time_of(option)
        if time is None:
            return False
        return (time.shown, time.half) == (shown, half)

    return Said(text, fits=fits)


def _later(found: Found) -> Procedure:
    return _shifted(found, "Add")


def _earlier(found: Found) -> Procedure:
    return _shifted(found, "Subtract")


_BETWEEN = r"(?:from|between) {n1} (?:to|until|till|and) {n2}"
_AT = r"what time (?:is|will|was|would)(?: it)?(?: be)?"
_NOW = (
    r"(?:if |suppose )?(?:it is|it 's|time is)(?: now)? {n1}(?: now)?(?: (?:,|\.|;))?"
    r"(?: and)?(?: then)?"
)
TIME_QUESTIONS = (
    question(
        r"(?:how long|how much time)(?: (?:is|does|it|there|take|passes))*(?: (?:from|between))? "
        r"{n1} (?:to|until|till|and) {n2}",
        _how_long,
    ),
    question(rf"(?:elapsed time|time|difference) {_BETWEEN}", _how_long),
    question(
        r"how many (?P<unit>hours and minutes|hours|minutes)(?: (?:are|is|it|there|pass))* "
        + _BETWEEN,
        _how_long,
    ),
    question(rf"{_AT} {{n2}} (?:after|past|later than|from) {{n1}}", _later),
    question(rf"{_AT} {{n2}} (?:before|earlier than|to) {{n1}}", _earlier),
    question(rf"{_NOW} {_AT} (?:in|after) {{n2}}(?: from now)?", _later),
    question(rf"{_NOW} {_AT} {{n2}} (?:later|from now|after that)", _later),
    question(rf"{_NOW} {_AT} {{n2}} (?:ago|earlier|before)", _earlier),
    question(r"{n1} (?:\+|plus) {n2}", _later),
    question(r"{n1} (?:-|minus) {n2}", _earlier),
    question(r"add {n2} to {n1}", _later),
    question(r"subtract {n2} from {n1}", _earlier),
    question(r"{n2} (?:after|later than) {n1}", _later),
    question(r"{n2} (?:before|earlier than) {n1}", _earlier),
)
"""What is asked of clock times."""
