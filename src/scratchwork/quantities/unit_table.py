"""The units that people write, and what each is made of.

Promises: `BASES` holds every base unit with its dimension and its exact factor to the dimension's
base; `SPELLINGS` gives what a lower-cased word or sign after a number means, `SIGNS_BEFORE` what
one before a number means; `ratios_between` says how many of one unit make another.

Does not cover: words that are mostly something else (`in` for inches, `p` for pence), and pounds
of money, which only `£` and `pounds sterling` are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

Dimension = tuple[tuple[str, int], ...]
"""What is measured, as a product of powers in alphabetical order: a speed is `length`, 1 and
`time`, -1."""


@dataclass(frozen=True, slots=True)
class BaseUnit:
    """A unit that others are products of."""

    symbol: str
    """How it is written after a number when the question does not say."""
    dimension: Dimension
    factor: Fraction
    """To the base of its dimension: metre, second, gram, cubic metre, or its currency."""
    family: str
    """Units of one family can be converted into each other."""
    singular: str
    plural: str
    place: Literal["before", "after"] = "after"
    """Where it stands beside a number."""


_POWERS = {
    "age": (("time", 1),),
    "area": (("length", 2),),
    "volume": (("length", 3),),
    "percent": (),
}
_FAMILIES = {
    "length": """
        mm 1/1000 millimetre/millimetres millimeter millimeters mm mms
        cm 1/100 centimetre/centimetres centimeter centimeters cm cms
        m 1 metre/metres meter meters mt mts mtr mtrs m
        km 1000 kilometre/kilometres kilometer kilometers km kms
        inch 127/5000 inch/inches
        ft 381/1250 foot/feet ft
        yard 1143/1250 yard/yards yd yds
        mile 201168/125 mile/miles mi
        furlong 25146/125 furlong/furlongs""",
    "time": """
        s 1 second/seconds sec secs s
        min 60 minute/minutes min mins
        h 3600 hour/hours hr hrs h
        day 86400 day/days
        week 604800 week/weeks
        fortnight 1209600 fortnight/fortnights
        month 2628000 month/months
        year 31536000 year/years yr yrs annum
""",
    "mass": """
        mg 1/1000 milligram/milligrams mg
        g 1 gram/grams gramme grammes gm gms gr g
        kg 1000 kilogram/kilograms kilo kilos kilogramme kilogrammes kg kgs
        quintal 100000 quintal/quintals
        tonne 1000000 tonne/tonnes ton tons
        lb 45359237/100000 pound/pounds lb lbs
        oz 45359237/1600000 ounce/ounces oz""",
    "volume": """
        ml 1/1000000 millilitre/millilitres milliliter milliliters ml
        cl 1/100000 centilitre/centilitres centiliter centiliters cl
        l 1/1000 litre/litres liter liters ltr ltrs lit l
        gallon 473176473/125000000000 gallon/gallons
        quart 473176473/500000000000 quart/quarts
        pint 473176473/1000000000000 pint/pints""",
    "area": """
        acre 316160658/78125 acre/acres
        hectare 10000 hectare/hectares ha""",
    "angle": "° 1 degree/degrees °",
    "temperature": """
        °C 1 degree_Celsius/degrees_Celsius celsius centigrade
        °F 5/9 degree_Fahrenheit/degrees_Fahrenheit fahrenheit""",
    "percent": "% 1/100 percent/percent % percentage pct",
    "age": """
        decade 315360000 decade/decades
        century 3153600000 century/centuries""",
}
_CURRENCIES = """
    $ 1 dollar/dollars usd
    cent 1/100 cent/cents ¢
    | Rs. 1 rupee/rupees inr rs
    paisa 1/100 paisa/paise
    | £ 1 pound_sterling/pounds_sterling gbp
    penny 1/100 penny/pence
    | € 1 euro/euros eur
    | ¥ 1 yen/yen
    | yuan 1 yuan/yuan
    | peso 1 peso/pesos
    | franc 1 franc/francs
    | DM 1 deutschmark/deutschmarks
    | dirham 1 dirham/dirhams
    | naira 1 naira/naira
    | shilling 1 shilling/shillings
    | taka 1 taka/taka
    | won 1 won/won
    | rand 1 rand/rand"""
_BEFORE = frozenset("$ Rs. £ € ¥".split())

SIGNS_BEFORE = MappingProxyType(
    {"$": "$", "rs": "Rs.", "re": "Rs.", "₹": "Rs.", "£": "£", "€": "€", "¥": "¥"}
    | {"inr": "Rs.", "usd": "$", "rupees": "Rs."}
)
"""What a sign or an abbreviation before a number means; a full stop may follow the latter."""

_MORE_RATIOS: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("year", "month"): (12,),
    ("year", "week"): (52,),
    ("year", "day"): (360, 365, 366),
    ("month", "week"): (4,),
    ("month", "day"): (28, 29, 30, 31),
    ("gallon", "l"): (4,),
}
"""How many of one unit people take for another besides what they are exactly."""


def _bases() -> tuple[dict[str, BaseUnit], dict[str, str]]:
    bases: dict[str, BaseUnit] = {}
    spellings: dict[str, str] = {}
    groups = [(name, _POWERS.get(name, ((name, 1),)), text) for name, text in _FAMILIES.items()]
    for text in _CURRENCIES.split("|"):
        groups.append((text.split()[0], (("money", 1),), text))
    for family, dimension, text in groups:
        for line in filter(None, map(str.strip, text.splitlines())):
            symbol, factor, names, *others = line.split()
            singular, plural = (name.replace("_", " ") for name in names.split("/"))
            place = "before" if symbol in _BEFORE else "after"
            bases[symbol] = BaseUnit(
                symbol, dimension, Fraction(factor), family, singular, plural, place
            )
            spellings |= dict.fromkeys((singular, plural, *others), symbol)
    return bases, {word: symbol for word, symbol in spellings.items() if " " not in word}


_found = _bases()
BASES: Mapping[str, BaseUnit] = MappingProxyType(_found[0])
"""Every base unit by its symbol."""
SPELLINGS: Mapping[str, str] = MappingProxyType(_found[1])
"""The symbol of the base unit that a lower-cased word or sign after a number means."""

SPEEDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    dict.fromkeys("kmph kmh kmhr kmphr kph".split(), ("km", "h"))
    | {"mph": ("mile", "h"), "mps": ("m", "s"), "mpm": ("m", "min"), "fps": ("ft", "s")}
)
"""Words for one unit per another."""


def ratios_between(larger: str, smaller: str) -> tuple[float, ...]:
    """How many of the second unit make one of the first, in all ways that people count."""
    one, other = BASES[larger], BASES[smaller]
    if one.family != other.family:
        return ()
    exact = float(one.factor / other.factor)
    return (exact, *map(float, _MORE_RATIOS.get((larger, smaller), ())))
