"""Words for the problems' stories, and numbers in words.

Promises: a word slot such as `{name}`, `{item.plural}` or `{a item}` draws from a shared list
(words.toml) and agrees: a/an, he/she, singular/plural. `{name2}` is another draw from the same list
than `{name}`. Numbers are spelled out (`three`, `two-thirds`, `twice`, `3rd`, `Monday`).

Does not cover: languages other than English.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from scratchwork.problems.numerals import NumeralError, write_fraction, write_number

WordForms = Mapping[str, str]
"""A word's forms: always `one`, and `plural`, `he`, `his`, `him` where it has them."""

_PRONOUNS = {
    "f": {"he": "she", "his": "her", "him": "her", "He": "She", "His": "Her"},
    "m": {"he": "he", "his": "his", "him": "him", "He": "He", "His": "His"},
}


WordLists = Mapping[str, tuple[WordForms, ...]]


@cache
def shared_words() -> WordLists:
    """The shared lists, by name."""
    with (Path(__file__).parent / "words.toml").open("rb") as file:
        return word_lists(tomllib.load(file))


def word_lists(lists: Mapping[str, Sequence[str]]) -> WordLists:
    """Lists of words with their forms, from lists of entries."""
    return {name: tuple(map(_forms, entries)) for name, entries in lists.items()}


def _forms(entry: str) -> WordForms:
    """`pen`, `box/boxes` or, for people, `Anna (f)`."""
    if entry.endswith((" (f)", " (m)")):
        return {"one": entry[:-4], **_PRONOUNS[entry[-2]]}
    one, _, plural = entry.partition("/")
    return {"one": one, "plural": plural or regular_plural(one)}


def regular_plural(noun: str) -> str:
    """The plural of a noun that follows the rules."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


_SOUNDS_LIKE_A_VOWEL = re.compile(r"(?i)[aeio]|u(?!ni|se|ti)|hour|honest|8|11(?!\d)|18(?!\d)")
_SOUNDS_LIKE_A_CONSONANT = re.compile(r"(?i)eu|one\b|once\b")


def with_article(word: str) -> str:
    """`a pen`, `an apple`, `an hour`, `a unit`, `an 8`, `an 80`, `a 110`."""
    vowel = _SOUNDS_LIKE_A_VOWEL.match(word) and not _SOUNDS_LIKE_A_CONSONANT.match(word)
    return f"an {word}" if vowel else f"a {word}"


_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_PARTS = {
    **{"1/2": "half", "1/3": "one-third", "2/3": "two-thirds"},
    **{"1/4": "one-fourth", "3/4": "three-fourths", "1/6": "one-sixth", "5/6": "five-sixths"},
    **{"1/5": "one-fifth", "2/5": "two-fifths", "3/5": "three-fifths", "4/5": "four-fifths"},
    **{"1/8": "one-eighth", "3/8": "three-eighths", "5/8": "five-eighths", "1/10": "one-tenth"},
}
_DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split()


def in_words(number: float) -> str:
    """`three`, `forty-two`, `one hundred`, `half`; NumeralError if it has no word here."""
    if number.is_integer():
        n = int(number)
        if 0 <= n < 20:
            return _ONES[n]
        if n < 100:
            ones = f"-{_ONES[n % 10]}" if n % 10 else ""
            return _TENS[n // 10 - 2] + ones
        if n in (100, 1000):
            return {100: "one hundred", 1000: "one thousand"}[n]
    elif 0 < number < 1:
        word = _PARTS.get(write_fraction(number))
        if word is not None:
            return word
    raise NumeralError("domain", f"{write_number(number)} has no word")


def as_times(number: float) -> str:
    """`twice`, `thrice`, `4 times`, `half`."""
    known = {0.5: "half", 2.0: "twice", 3.0: "thrice"}
    return known.get(number) or f"{write_number(number)} times"


def as_ordinal(number: float) -> str:
    """`1st`, `22nd`, `13th`."""
    n = int(number)
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def as_weekday(number: float) -> str:
    """`Sunday` for 0, and so on round the week."""
    return _DAYS[int(number) % 7]
