"""Units of measure, and quantities as they are written: `2.5 km`, `1 h 15 min`, `5 feet 3 inches`.

Promises: `quantity_of` reads numbers with units of one kind, the larger first; `in_unit` gives the
expression that converts it. Only units with a ratio of whole numbers are of one kind, so metres and
feet are not. `m` is minutes beside hours or seconds, and metres by itself.

Does not cover: areas, money, temperatures.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scratchwork.machine.lexing import Lexeme
from scratchwork.machine.trees import NumberNode, Tree, joined, operation


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit, and how many of the smallest of its kind it is."""

    symbol: str
    one: str
    """Its name beside 1."""
    kind: str
    size: Fraction

    def ratio(self, smaller: "MeasureUnit") -> str:
        """How many of a smaller unit it is."""
        ratio = self.size / smaller.size
        return str(ratio) if ratio.denominator == 1 else str(float(ratio))


def _units(kind: str, *rows: tuple[str, str | int, str]) -> Iterator[tuple[str, MeasureUnit]]:
    for symbol, size, names in rows:
        one, _, several = symbol.partition("|")
        unit = MeasureUnit(several or one, one, kind, Fraction(size))
        yield from ((name, unit) for name in names.split(","))


_NAMED = dict(
    (
        *_units(
            "length",
            ("mm", 1, "mm,millimeter,millimeters,millimetre,millimetres"),
            ("cm", 10, "cm,centimeter,centimeters,centimetre,centimetres"),
            ("dm", 100, "dm,decimeter,decimeters,decimetre,decimetres"),
            ("m", 1000, "m,meter,meters,metre,metres"),
            ("km", 1000000, "km,kilometer,kilometers,kilometre,kilometres"),
        ),
        *_units(
            "length in feet",
            ("in", 1, "inch,inches"),
            ("ft", 12, "ft,foot,feet"),
            ("yd", 36, "yd,yard,yards"),
            ("mi", 63360, "mile,miles"),
        ),
        *_units(
            "mass",
            ("mg", 1, "mg,milligram,milligrams"),
            ("g", 1000, "g,gram,grams,gramme,grammes"),
            ("kg", 1000000, "kg,kilogram,kilograms,kilo,kilos"),
            ("t", 1000000000, "t,tonne,tonnes"),
        ),
        *_units("mass in pounds", ("oz", 1, "oz,ounce,ounces"), ("lb", 16, "lb,lbs,pound,pounds")),
        *_units(
            "volume",
            ("ml", 1, "ml,milliliter,milliliters,millilitre,millilitres"),
            ("cl", 10, "cl,centiliter,centiliters,centilitre,centilitres"),
            ("L", 1000, "l,liter,liters,litre,litres"),
        ),
        *_units(
            "volume in pints",
            ("pt", 1, "pint,pints"),
            ("qt", 2, "quart,quarts"),
            ("gal", 8, "gallon,gallons"),
        ),
        *_units(
            "time",
            ("s", 1, "s,sec,secs,second,seconds"),
            ("min", 60, "min,mins,minute,minutes"),
            ("h", 3600, "h,hr,hrs,hour,hours"),
            ("day|days", 86400, "day,days"),
            ("week|weeks", 604800, "week,weeks"),
        ),
        *_units(
            "time in months",
            ("month|months", 1, "month,months"),
            ("year|years", 12, "year,years"),
            ("decade|decades", 120, "decade,decades"),
            ("century|centuries", 1200, "century,centuries"),
        ),
        *_units(
            "speed",
            (
                "km/h",
                1,
                "km / h,km / hr,kmph,kph,kilometers per hour,kilometres per hour,km per hour",
            ),
            ("m/s", "18/5", "m / s,m / sec,meters per second,metres per second,m per second"),
        ),
    )
)
_MINUTE = _NAMED["min"]
_ONE = NumberNode("1")


def measure_unit(words: str) -> MeasureUnit | None:
    """The unit of a name; `m` is metres."""
    return _NAMED.get(words)


@dataclass(frozen=True, slots=True)
class MeasuredNumber:
    """Numbers with units of one kind."""

    parts: tuple[tuple[Tree, MeasureUnit], ...]

    @property
    def kind(self) -> str:
        """What is measured."""
        return self.parts[0][1].kind

    def in_unit(self, unit: MeasureUnit) -> Tree:
        """The expression that gives it in a unit of its kind."""
        trees = [_converted(number, own, unit) for number, own in self.parts]
        total = trees[0]
        for tree in trees[1:]:
            total = joined("Add", total, tree)
        return total


def _converted(number: Tree, own: MeasureUnit, unit: MeasureUnit) -> Tree:
    if own.size == unit.size:
        return number
    if own.size < unit.size:
        return operation("Divide", number, NumberNode(unit.ratio(own)))
    factor = NumberNode(own.ratio(unit))
    return factor if number == _ONE else joined("Multiply", number, factor)


def quantity_of(lexemes: Sequence[Lexeme]) -> MeasuredNumber | None:
    """The quantity that is written; None if it is none."""
    parts: list[tuple[Tree, str]] = []
    at = 0
    while at < len(lexemes):
        if parts and lexemes[at].text in ("and", ","):
            at += 1
        number, at = _number_at(lexemes, at)
        if number is None:
            return None
        name, at = _unit_at(lexemes, at)
        parts.append((number, name))
    return _together(parts)


def _number_at(lexemes: Sequence[Lexeme], at: int) -> tuple[Tree | None, int]:
    """A number, `a` for one, or `half an`, and where it ends."""
    if at >= len(lexemes):
        return None, at
    article = ("a", "an")
    if lexemes[at].text in article:
        return _ONE, at + 1
    if lexemes[at].kind != "number":
        return None, at
    is_before_article = at + 1 < len(lexemes) and lexemes[at + 1].text in article
    return lexemes[at].tree, at + 2 if is_before_article else at + 1


def _unit_at(lexemes: Sequence[Lexeme], at: int) -> tuple[str, int]:
    """The longest name of a unit, and where it ends."""
    for count in (3, 1):
        name = " ".join(lexeme.text.lower() for lexeme in lexemes[at : at + count])
        if name in _NAMED:
            at += count
            # An abbreviation may have a full stop, if something follows it.
            is_stop = at + 1 < len(lexemes) and lexemes[at].text == "."
            return name, at + 1 if is_stop else at
    return "", at


def _together(parts: Sequence[tuple[Tree, str]]) -> MeasuredNumber | None:
    """The parts, if their units are of one kind and become smaller."""
    units = [_NAMED.get(name) for _, name in parts]
    is_time = any(unit is not None and unit.kind == "time" for unit in units)
    read = [_MINUTE if is_time and name == "m" else measure_unit(name) for _, name in parts]
    known = [unit for unit in read if unit is not None]
    if not known or len(known) < len(parts) or len({unit.kind for unit in known}) > 1:
        return None
    sizes = [unit.size for unit in known]
    if sizes != sorted(set(sizes), reverse=True):
        return None
    return MeasuredNumber(
        tuple((number, unit) for (number, _), unit in zip(parts, known, strict=True))
    )
