"""English nouns as far as counting needs them: which words are plurals, and of what.

Promises: `noun_phrase_at` finds what is counted at a place of a text (`blue hats`), or nothing
where it is in doubt; `singular_of` and `plural_of` undo each other for common words.

Does not cover: nouns that have no plural ending (`12 salmon`), and all of grammar.
"""

from collections.abc import Sequence
from types import MappingProxyType

_IRREGULAR = MappingProxyType(
    {"men": "man", "women": "woman", "children": "child", "people": "person", "mice": "mouse"}
    | {"geese": "goose", "teeth": "tooth", "feet": "foot", "oxen": "ox", "cattle": "cattle"}
    | {"sheep": "sheep", "fish": "fish", "dice": "die", "knives": "knife", "wives": "wife"}
    | {"loaves": "loaf", "halves": "half", "leaves": "leaf", "shelves": "shelf", "wolves": "wolf"}
    | {"salesmen": "salesman", "gentlemen": "gentleman", "potatoes": "potato", "buses": "bus"}
    | {"tomatoes": "tomato", "mangoes": "mango", "heroes": "hero", "horses": "horse"}
    | {"houses": "house", "movies": "movie", "cookies": "cookie", "pies": "pie", "ties": "tie"}
    | {"vertices": "vertex", "policemen": "policeman", "women's": "woman", "roses": "rose"}
    | {"vases": "vase", "cases": "case", "purses": "purse", "nurses": "nurse", "caches": "cache"}
)
_IRREGULAR_PLURALS = MappingProxyType(
    {singular: plural for plural, singular in _IRREGULAR.items() if "'" not in plural}
)
_NO_PLURALS = frozenset(
    """
    is was has does his its this thus plus minus times less always perhaps various previous
    across besides towards afterwards besides sometimes unless as us yes versus
    costs gives takes runs plays works walks travels sells buys makes gets goes leaves passes
    crosses covers finishes completes spends saves earns meets gains loses pays drives flies rides
    rows swims equals receives needs wants weighs starts begins ends becomes remains decides
    contains consists fills empties divides exceeds increases decreases happens comes lives lies
    says asks finds adds keeps brings returns reaches invests borrows lends joins stops produces
    uses moves rises falls sees thinks knows knew means measures amounts succeeds fails
    first last next another same more fewer most least all both each every other
    """.split()
)
"""Words in -s that are verbs or function words far more often than plurals."""
STOP_WORDS = frozenset(
    """
    a an the this that these those and or but nor so if then than when while where who whom whose
    which what how why of in on at to for from by with without within into onto per as is are was
    were be been being am do does did done has have had having will would shall should can could
    may might must it he she they we you i his her their its our your my him them us me not no
    each every all both any some more less fewer most least only also too very about over under
    after before between among through during until till since because though although whether
    up down out off again once there here just even still yet respectively
    took takes take gave gives given gets get got make makes made find determine calculate let say
    says said
    """.split()
)
"""Words that end a noun phrase."""
_LONGEST_PHRASE = 4


def is_plural(word: str) -> bool:
    """Whether a lower-cased word is a plural, as far as its form tells."""
    if word in _IRREGULAR:
        return True
    is_form = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return is_form and word not in _NO_PLURALS


def singular_of(word: str) -> str:
    """The singular of a lower-cased noun; a singular stays."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not is_plural(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def plural_of(word: str) -> str:
    """The plural of a lower-cased singular noun."""
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("ch", "sh", "s", "x", "z")) else f"{word}s"


def noun_phrase_at(tokens: Sequence[str], start: int) -> tuple[str, ...]:
    """The words from a place to the first plural, if nothing but adjectives can lie between."""
    for k in range(start, min(start + _LONGEST_PHRASE, len(tokens))):
        word = tokens[k].lower()
        if not word.isalpha() or len(word) < 2 or word in STOP_WORDS:
            break
        if is_plural(word):
            return tuple(tokens[start : k + 1])
    return ()
