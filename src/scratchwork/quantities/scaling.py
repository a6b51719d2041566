"""What a constant makes of a unit.

Promises: `scaled_units` gives the units that a quantity may have after it is multiplied by a
constant: the same unit, or that of a conversion (60 makes minutes of hours, 5/18 makes m/s of
km/h), of a percentage (100), or of a constant that stands for a time (the 60 seconds of a minute,
times m/s). `may_bring_unit` says whether a constant may be a quantity itself.

Does not cover: which of them is meant, other than by their order.
"""

from collections.abc import Iterator, Mapping
from math import isclose

from scratchwork.quantities.units import PERCENT, Unit, unit_of

_TIMES_HIDDEN: Mapping[str, tuple[float, ...]] = {
    "s": (1, 60, 3600),
    "min": (1, 60),
    "h": (1, 24),
    "day": (1, 7, 30, 31, 360, 365, 366),
    "week": (1, 4, 52),
    "month": (1, 12),
    "year": (1,),
}
"""Constants that may stand for so much time."""
_PER_HOUR: Mapping[float, Unit] = {
    60: Unit((("h", -1), ("min", 1))),
    3600: Unit((("h", -1), ("s", 1))),
}
"""So many of one are in an hour."""
_MERE_FACTORS = (1, 2, 3, 4, 100)
"""What people multiply by or divide by without thinking of a quantity."""
_PLAIN_ABOVE = 16
"""Whole numbers up to this rather divide and multiply than convert, 12 excepted."""


def may_bring_unit(constant: float) -> bool:
    """Whether a constant may be a quantity: 60 minutes, 360 degrees, the 5000 dollars of a plan
    that does not point at them."""
    return not any(isclose(constant, n) or isclose(constant, 1 / n) for n in _MERE_FACTORS)


def scaled_units(unit: Unit, factor: float) -> Iterator[Unit]:
    """The units that a quantity may have when it is multiplied by a factor, the likeliest first."""
    if isclose(factor, 100):
        yield from _times_hundred(unit)
    elif isclose(factor, 0.01):
        yield from _by_hundred(unit)
    elif _converts_mostly(factor):
        yield from (*unit.converted(factor), unit)
    else:
        yield from (unit, *unit.converted(factor))
    if ("°", 1) in unit.factors and (isclose(factor, 1 / 360) or isclose(factor, 1 / 180)):
        part = unit.times(unit_of("°"), -1)
        if part is not None:
            yield part
    per_hour = unit.times(_PER_HOUR[factor]) if factor in _PER_HOUR else None
    if per_hour is not None:
        yield per_hour
    for name, n in unit.factors:
        is_time = n == -1 and factor in _TIMES_HIDDEN.get(name, ())
        product = unit.times(unit_of(name)) if is_time else None
        if product is not None:
            yield product


def _times_hundred(unit: Unit) -> Iterator[Unit]:
    """A hundred takes a `per cent` away, or makes a percentage of a part."""
    percent = unit.times(PERCENT)
    if percent is None or dict(unit.factors).get("%", 0) < 0:
        yield percent or unit
    elif unit.dimension:
        yield from (unit, percent, *unit.converted(100))
    else:
        yield from (percent, unit)


def _by_hundred(unit: Unit) -> Iterator[Unit]:
    """A hundredth of something is one per cent of it."""
    part = unit.times(PERCENT, -1)
    if part is None or dict(unit.factors).get("%", 0) > 0:
        yield part or unit
    else:
        yield from (unit, *unit.converted(0.01), part)


def _converts_mostly(factor: float) -> bool:
    """Whether a factor that may convert a unit mostly does; dividing by 2 or 3 rather does not."""
    size = max(factor, 1 / factor) if factor > 0 else 0.0
    return size > _PLAIN_ABOVE or isclose(size, 12) or not isclose(size, round(size))
