"""The numerals a program may write without copying or computing them.

Everything else that is written in digits must come from somewhere. The list holds the small whole
numbers, powers of ten, what clocks, calendars, angles and dozens are counted in, the usual
approximations of pi and small roots, and the factors between km/h and m/s. It is the same for
induction, for the families and for the models' vocabularies.
"""

from types import MappingProxyType

from scratchwork.problems.numerals import number_of

SMALL_NUMBERS = tuple(str(n) for n in range(21))
ROUND_NUMBERS = tuple("50 100 1000 10000 100000 1,000 10,000 100,000 0.1 0.01 0.5".split())
MEASURES = tuple("22 24 25 28 29 30 31 52 60 90 144 180 270 360 365 366 3600 5280".split())
FRACTIONS = tuple("1/2 1/3 2/3 1/4 3/4 5/18 18/5 22/7".split())
APPROXIMATIONS = tuple("3.14 3.1416 1.41 1.414 1.73 1.732 3.6".split())

CONSTANTS = (*SMALL_NUMBERS, *ROUND_NUMBERS, *MEASURES, *FRACTIONS, *APPROXIMATIONS)
"""The numerals, each once."""


CONSTANT_VALUES = MappingProxyType(
    {numeral: value for numeral in CONSTANTS if (value := number_of(numeral)) is not None}
)
"""Each numeral with its value."""
NUMERALS = MappingProxyType({value: numeral for numeral, value in CONSTANT_VALUES.items()})
"""One numeral for each value."""
