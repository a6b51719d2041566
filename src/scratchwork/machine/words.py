"""What can be computed from words: their letters, and days of the week.

Promises: every function takes any strings, and gives a value or raises `NumeralError`. A letter is
a letter of any script; a count of letters does not tell capitals from small ones.

Does not cover: short names of days (`Mon`), dates.
"""

from scratchwork.problems.numerals import NumeralError, shown

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def letter_count(word: str) -> float:
    """How many letters a word has."""
    return float(sum(map(str.isalpha, word)))


def occurrences(word: str, letter: str) -> float:
    """How often a letter stands in a word."""
    if len(letter) != 1:
        raise NumeralError("domain", f"{shown(letter)} is not one letter")
    return float(word.lower().count(letter.lower()))


def weekday_after(day: str, days: float) -> str:
    """The day of the week so many days after another, or before it if the number is negative."""
    name = day.capitalize()
    if name not in WEEKDAYS:
        raise NumeralError("domain", f"{shown(day)} is no day of the week")
    if not days.is_integer():
        raise NumeralError("domain", "days of the week are counted in whole numbers")
    return WEEKDAYS[(WEEKDAYS.index(name) + int(days)) % len(WEEKDAYS)]
