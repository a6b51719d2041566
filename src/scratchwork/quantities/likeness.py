"""Which units people put together, and which answer a question.

Promises: `units_of_sum` gives the units that the sum of two numbers may have, none where nobody
would add them: years and percent, kilometres and metres, dollars and dollars times percent. It is
lenient where texts are: what is paid by the piece or by the month is money, boys and girls are
children, a rate of interest may have lost its year. `answers` says whether a unit can be what is
asked for.

Does not cover: whether the sum is the right thing to compute.
"""

from functools import lru_cache

from scratchwork.quantities.asked import AskedQuantity
from scratchwork.quantities.unit_table import BASES
from scratchwork.quantities.units import NUMBER, PERCENT, THINGS, Unit, scale_of, unit_of

_COUNTED = unit_of(THINGS)
_CACHED = 1 << 14


@lru_cache(_CACHED)
def units_of_sum(one: Unit, other: Unit) -> tuple[Unit, ...]:
    """The units that a sum or a difference may have; none if it makes no sense."""
    if one == other:
        return (one,)
    a, b = _told(one), _told(other)
    if not a.factors and not b.factors:
        return (_COUNTED,)
    if a == b:
        shorter, longer = sorted((one, other), key=lambda unit: len(unit.factors))
        return (longer if _percents(a) else shorter,)
    if a.dimension == b.dimension and a.dimension and not _percents(a) and not _percents(b):
        return (a,) if scale_of(a) == scale_of(b) else ()
    # A part of a whole may be told in percent or not, but 30 % and 5 marks are no sum.
    is_part = {a, b} == {PERCENT, NUMBER} and not one.nouns and not other.nouns
    return (PERCENT, NUMBER) if is_part else ()


@lru_cache(_CACHED)
def _told(unit: Unit) -> Unit:
    """The unit without what texts leave out: the nouns, and what is counted per."""
    money = [name for name, n in unit.factors if n == 1 and _is_money(name)]
    if money:
        kept = (money[0], "%")
        return Unit(tuple(factor for factor in unit.factors if factor[0] in kept))
    measured = unit.measured
    above = [name for name, n in measured.factors if n == 1]
    is_share = above == ["%"] or not above or (len(above) == 1 and _is_time(above[0]))
    if len(measured.factors) != len(above) + 1 or not is_share or not (above or unit.nouns):
        return measured
    # A rate of interest by the year, hours by the week, pages by the day.
    return Unit(tuple((name, n) for name, n in measured.factors if n != -1 or not _is_time(name)))


def _is_money(name: str) -> bool:
    return name in BASES and BASES[name].dimension == (("money", 1),)


def _is_time(name: str) -> bool:
    return name in BASES and BASES[name].dimension == (("time", 1),)


def _percents(unit: Unit) -> int:
    return dict(unit.factors).get("%", 0)


def answers(unit: Unit, asked: AskedQuantity) -> bool:
    """Whether a number in a unit can be what is asked for."""
    told, dimension = _told(unit), asked.dimension
    if unit.is_count:
        return True  # what is counted is often misread
    if not dimension:
        # Texts count so freely that anything may be a count.
        is_measured = asked.unit in (PERCENT, NUMBER)
        return told.dimension in ((), (("time", -1),)) or not is_measured
    if _percents(told):
        return False
    if dimension == (("mass", 1),):
        # What a litre weighs is told apart, or is known for water.
        return {name for name, n in told.dimension if name != "length" or n < 0} <= {"mass"}
    if told.dimension == dimension:
        return asked.unit is None or scale_of(told) == scale_of(_told(asked.unit))
    # In an hour one goes as far as the speed says.
    return told.dimension == (("length", 1), ("time", -1)) and dimension == (("length", 1),)
