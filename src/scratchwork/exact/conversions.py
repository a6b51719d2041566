"""Questions that ask for a quantity in another unit.

Promises: `how many minutes are in 2 1/4 hours`, `90 km/h in m/s`, and times in hours, minutes and
seconds: `150 minutes in hours and minutes` is 2 h 30 min. An option may have its own unit.

Does not cover: units without a ratio of whole numbers, as of kilometres and miles.
"""

from collections.abc import Callable, Sequence

from scratchwork.exact.clauses import tree_or_none
from scratchwork.exact.matching import Said
from scratchwork.exact.measures import MeasuredNumber, MeasureUnit, measure_unit, quantity_of
from scratchwork.exact.no_value import BeyondError
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import Procedure, say_computed, value_said
from scratchwork.exact.writing import Item, Work
from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import letters_of
from scratchwork.machine.written_values import value_of_tree
from scratchwork.plans.equations import writing_of, written_value
from scratchwork.plans.plan import Argument, PlanConstant

_TOLERANCE = 1e-9


def quantity_in(found: Found, name: str) -> MeasuredNumber:
    """The quantity in a slot."""
    quantity = quantity_of(found.part(name))
    if quantity is None:
        raise NotAskedError
    return quantity


def time_unit(name: str) -> MeasureUnit:
    """A unit of time that is known by this name."""
    unit = measure_unit(name)
    assert unit is not None
    return unit


def say_units(quantity: MeasuredNumber, unit: MeasureUnit, work: Work) -> None:
    """Add a line for each ratio of units that is used."""
    for _, own in quantity.parts:
        larger, smaller = (own, unit) if own.size > unit.size else (unit, own)
        if larger != smaller:
            ratio = PlanConstant(larger.ratio(smaller))
            work.say(PlanConstant("1"), larger.one, "=", ratio, smaller.symbol)


def _in_unit(found: Found) -> Procedure:
    quantity, unit = quantity_in(found, "n"), measure_unit(found.text("unit"))
    if unit is None or unit.kind != quantity.kind or all(own == unit for _, own in quantity.parts):
        raise NotAskedError
    is_counted = found.has("many")

    def steps(work: Work) -> Said:
        say_units(quantity, unit, work)
        cell = say_computed(quantity.in_unit(unit), work)
        number = work.number(cell)
        if is_counted:
            said = value_said(cell, work)
            text = said.text
        else:
            text = f"{written_value(number, writing_of(number))} {unit.symbol}"
            work.answer(cell, unit.symbol)
        return Said(text, values=(number,), fits=_is_as_much(number, unit))

    return Procedure(steps)


def _is_as_much(number: float, unit: MeasureUnit) -> Callable[[Sequence[Lexeme]], bool]:
    def fits(option: Sequence[Lexeme]) -> bool:
        quantity = quantity_of(option)
        if quantity is not None and quantity.kind != unit.kind:
            return False
        tree = tree_or_none(option) if quantity is None else quantity.in_unit(unit)
        value = None if tree is None or letters_of(tree) else value_of_tree(tree)
        return value is not None and abs(value - number) <= _TOLERANCE * max(abs(number), 1.0)

    return fits


def _in_parts(found: Found) -> Procedure:
    """In hours and minutes, or with seconds."""
    quantity = quantity_in(found, "n")
    units = [measure_unit(name) for name in found.text("units").replace(",", " ").split()]
    known = [unit for unit in units if unit is not None]
    if quantity.kind != "time":
        raise NotAskedError

    def steps(work: Work) -> Said:
        say_units(quantity, known[-1], work)
        return duration_said(say_computed(quantity.in_unit(known[-1]), work), known, work)

    return Procedure(steps)


def _total(found: Found) -> Procedure:
    """One time and another, or without it."""
    first, second = quantity_in(found, "n1"), quantity_in(found, "n2")
    units = [unit for quantity in (first, second) for _, unit in quantity.parts]
    if any(unit.kind != "time" or unit.size > time_unit("h").size for unit in units):
        raise NotAskedError
    smallest = min(units, key=lambda unit: unit.size)
    smallest = min(smallest, time_unit("min"), key=lambda unit: unit.size)
    operation = "Add" if found.text("sign") in ("+", "plus", "and", "to") else "Subtract"

    def steps(work: Work) -> Said:
        cells: list[Argument] = []
        for quantity in (first, second):
            cells.append(work.compute(quantity.in_unit(smallest)))
            work.pass_over_steps()
            if any(unit != smallest for _, unit in quantity.parts):
                written = [item for pair in quantity.parts for item in (pair[0], pair[1].symbol)]
                line = [one if isinstance(one, str) else work.compute(one) for one in written]
                work.say(*line, "=", cells[-1], smallest.symbol)
        total = work.step(operation, *cells)
        work.say_steps()
        if work.number(total) < 0:
            raise BeyondError
        names = ("h", "min", "s") if smallest.symbol == "s" else ("h", "min")
        return duration_said(total, [time_unit(name) for name in names], work)

    return Procedure(steps)


def duration_said(total: Argument, units: Sequence[MeasureUnit], work: Work) -> Said:
    """A time in the smallest of some units as the answer: in all of them, without empty parts."""
    number = work.number(total)
    if not number.is_integer():
        raise BeyondError
    parts: list[tuple[Argument, MeasureUnit]] = []
    rest = total
    for unit in units[:-1]:
        size = PlanConstant(unit.ratio(units[-1]))
        parts.append((work.step("Floor", work.step("Divide", rest, size)), unit))
        rest = work.step("Remainder", rest, size)
    parts.append((rest, units[-1]))
    work.pass_over_steps()
    kept = [(cell, unit) for cell, unit in parts if work.number(cell)] or parts[-1:]
    items: list[Item] = []
    for cell, unit in kept:
        items += [cell, unit.symbol]
    if len(kept) > 1:
        work.say(total, units[-1].symbol, "=", *items)
    work.answer(*items)
    text = " ".join(f"{written_value(work.number(cell))} {unit.symbol}" for cell, unit in kept)
    return Said(text, fits=_is_as_much(number, units[-1]))


_HOURS = r"(?:hours|hrs?|h)"
_MINUTES = r"(?:minutes|mins?)"
_SECONDS = r"(?:seconds|secs?|s)"
_PARTS = (
    rf"(?P<units>{_HOURS}(?: ,)? (?:and )?{_MINUTES}(?:(?: ,)? and {_SECONDS})?|"
    rf"{_MINUTES} and {_SECONDS}|(?:days and ){_HOURS})"
)
CONVERSION_QUESTIONS = (
    question(rf"{{n}} (?:in|to|into|as) {_PARTS}", _in_parts),
    question(rf"how many {_PARTS} (?:are |is |make )?(?:there )?(?:in )?{{n}}", _in_parts),
    question(
        r"(?P<many>how many|number of) {unit} (?:are |is |make )?(?:there )?(?:are )?in {n}",
        _in_unit,
    ),
    question(r"(?P<many>how many) {unit} (?:are|is|make) {n}", _in_unit),
    question(r"{n} (?:in|to|into|as) {unit}", _in_unit),
    question(r"{n1} (?P<sign>\+|plus|-|minus) {n2}", _total),
    question(r"add {n1} (?P<sign>and|to) {n2}", _total),
)
"""What is asked of quantities."""
