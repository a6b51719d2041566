"""What a question asks for.

Promises: `asked_quantity` gives the unit, if it is said (`in km/h`, `how many minutes`), what kind
of quantity it is (`how long will it take`), what is counted (`how many green hats`), and a subject
for a closing sentence: `the number of green hats`, `the speed of the goods train`. `asked_in` also
reads the unit of the options. Nothing where that is in doubt. Linear in the text.

Does not cover: questions that ask for two things; the last is taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scratchwork.machine.number_words import written_numbers
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise
from scratchwork.quantities.given import quantities_of
from scratchwork.quantities.nouns import noun_phrase_at
from scratchwork.quantities.reading_units import read_unit, unit_of_noun
from scratchwork.quantities.subjects import SUBJECT_STARTS, subject_at
from scratchwork.quantities.unit_table import SIGNS_BEFORE, Dimension
from scratchwork.quantities.units import NUMBER, PERCENT, Unit, unit_of


@dataclass(frozen=True, slots=True)
class AskedQuantity:
    """What a question asks for."""

    subject: tuple[str, ...] = ()
    """Words that can begin a closing sentence: `the speed of the train`."""
    phrase: tuple[str, ...] = ()
    """What is counted: `green hats`."""
    unit: Unit | None = None
    """The unit of the answer, if it is said."""
    dimension: Dimension | None = None
    """What the answer measures, if that is known; nothing for counts and mere numbers."""


_LENGTH: Dimension = (("length", 1),)
_AREA: Dimension = (("length", 2),)
_VOLUME: Dimension = (("length", 3),)
_TIME: Dimension = (("time", 1),)
_MONEY: Dimension = (("money", 1),)
_MASS: Dimension = (("mass", 1),)
_SPEED: Dimension = (("length", 1), ("time", -1))
_DIMENSIONS: Mapping[str, Dimension] = (
    dict.fromkeys(
        "length breadth width height depth distance radius diameter perimeter".split(), _LENGTH
    )
    | dict.fromkeys("circumference altitude".split(), _LENGTH)
    | {"area": _AREA, "volume": _VOLUME, "speed": _SPEED, "velocity": _SPEED}
    | dict.fromkeys("time age ages".split(), _TIME)
    | dict.fromkeys("price cost salary wage income rent principal investment".split(), _MONEY)
    | {"weight": _MASS}
)
"""What the things measure that a question may ask for, where their names leave no doubt."""
_HOW: Mapping[str, Dimension] = {
    "far": _LENGTH, "fast": _SPEED, "old": _TIME, "tall": _LENGTH, "high": _LENGTH,
    "deep": _LENGTH, "wide": _LENGTH, "heavy": _MASS,
}  # fmt: skip
_NAMES = {
    "far": "the distance", "fast": "the speed", "old": "the age", "tall": "the height",
    "high": "the height", "deep": "the depth", "wide": "the width", "heavy": "the weight",
    "long": "the length",
}  # fmt: skip
_PAYING = frozenset(
    "pay paid cost costs earn earned spend spent worth charge charged sell sold receive invest owe"
    " invested save saved borrow borrowed lend".split()
)
_PERCENT_WORDS = frozenset("percent percentage % pct".split())
_MERE = _PERCENT_WORDS | frozenset("ratio probability fraction".split())
_ASKING = frozenset("what how find calculate determine which compute".split())
_ENDS = frozenset("? . ; !".split()) | {"\n"}
_ENDED = _ENDS | frozenset(", ) : ]".split())
_ARE = frozenset("is are was were will would 's be".split())
_BEFORE_NOUNS = frozenset(
    "more other different additional of the such million thousand hundred full whole".split()
)
_BEFORE_CLAUSES = frozenset(". , ; then ? and".split()) | {"\n"}
_LONGEST_CLAUSE = 14


def asked_in(problem: Problem) -> AskedQuantity | None:
    """What a problem asks for, its options' unit taken into account."""
    asked = asked_quantity(tokenise(problem.question))
    unit = unit_of_options(problem.options)
    if unit is None or (asked is not None and asked.unit is not None):
        return asked
    asked = asked or AskedQuantity()
    if asked.dimension is not None and asked.dimension != unit.dimension:
        return replace(asked, dimension=None)
    return replace(asked, unit=unit, dimension=unit.dimension)


def unit_of_options(options: Sequence[str]) -> Unit | None:
    """The unit that every option with a number has, and at least two have."""
    found: set[Unit | None] = set()
    count = 0
    for option in options:
        tokens = tokenise(option)
        quantities = quantities_of(tokens)
        if next(written_numbers(tokens), None) is None:
            continue
        units = {quantity.unit for quantity in quantities.values() if quantity.unit is not None}
        found.add(units.pop() if len(units) == 1 else None)
        count += 1
    unit = next(iter(found)) if len(found) == 1 and count > 1 else None
    return unit if unit is not None and unit.factors and not unit.nouns else None


def asked_quantity(tokens: Sequence[str]) -> AskedQuantity | None:
    """What the tokens of a question ask for."""
    lower = [token.lower() for token in tokens]
    start = _start_of_asking(lower)
    if start is None:
        start = _start_of_open_clause(lower)
        asked = None if start is None else _named(tokens, lower, start)
    else:
        asked = _asked_at(tokens, lower, start)
    if start is None:
        return None
    unit = _unit_said(lower, start)
    if asked is None and unit is None:
        return None
    asked = asked or AskedQuantity()
    if _asks_twice(lower, start):
        return replace(asked, subject=(), unit=None, dimension=None)
    if unit is None or asked.unit is not None:
        return asked
    is_like = asked.dimension is None or asked.dimension == unit.dimension
    return replace(asked, unit=unit, dimension=unit.dimension) if is_like else asked


def _asks_twice(lower: Sequence[str], start: int) -> bool:
    """Whether another question comes before the last one in the same sentence."""
    for k in range(start - 1, -1, -1):
        if lower[k] in _ENDS:
            return False
        if lower[k] in _ASKING:
            return "and" in lower[k:start]
    return False


def _start_of_asking(lower: Sequence[str]) -> int | None:
    """The last word that asks, `how many` before a mere `what`."""
    for k in range(len(lower) - 1, -1, -1):
        if lower[k] in _ASKING:
            return k
    return None


def _start_of_open_clause(lower: Sequence[str]) -> int | None:
    """Where the subject of a clause begins that ends in `is :` or `will be ?`."""
    end = len(lower)
    while end > 0 and not lower[end - 1].isalpha():
        end -= 1
    if not end or lower[end - 1] not in _ARE | {"in", "required", "needed"}:
        return None
    for k in range(end - 2, max(end - 2 - _LONGEST_CLAUSE, -1), -1):
        if lower[k] in SUBJECT_STARTS and (not k or lower[k - 1] in _BEFORE_CLAUSES):
            return k
    return None


def _asked_at(tokens: Sequence[str], lower: Sequence[str], k: int) -> AskedQuantity | None:
    word = lower[k]
    following = lower[k + 1] if k + 1 < len(lower) else ""
    if word == "how":
        return _how(tokens, lower, k + 1)
    if word in ("what", "which"):
        if following in _PERCENT_WORDS:
            return AskedQuantity(("the", "percentage"), unit=PERCENT, dimension=())
        if following in _ARE:
            at = k + 2 + (lower[k + 2 : k + 3] == ["be"])
            return _named(tokens, lower, at)
        return _named(tokens, lower, k + 1, is_short=True)
    return _named(tokens, lower, k + 1 + (following == "out"))


def _how(tokens: Sequence[str], lower: Sequence[str], k: int) -> AskedQuantity | None:
    """What `how many`, `how much`, `how long` and the like ask for."""
    word = lower[k] if k < len(lower) else ""
    if word == "many":
        return _how_many(tokens, lower, k + 1)
    if word == "much" and lower[k + 1 : k + 2] and lower[k + 1] in _PERCENT_WORDS:
        return AskedQuantity(("the", "percentage"), unit=PERCENT, dimension=())
    if word == "much":
        if lower[k + 1 : k + 2] == ["time"]:
            return AskedQuantity(("the", "time"), dimension=_TIME)
        if lower[k + 1 : k + 2] == ["money"] or _PAYING.intersection(lower[k + 1 : k + 8]):
            return AskedQuantity(("the", "amount"), dimension=_MONEY)
        return None
    if word == "long":
        rest = lower[k + 1 : k + 9]
        if rest[:1] in (["is"], ["was"], ["are"]) and "take" not in rest:
            return AskedQuantity(("the", "length"), dimension=None)
        return AskedQuantity(("the", "time"), dimension=_TIME)
    if word in _HOW:
        return AskedQuantity(tuple(_NAMES[word].split()), dimension=_HOW[word])
    return None


def _how_many(tokens: Sequence[str], lower: Sequence[str], k: int) -> AskedQuantity | None:
    at = k
    while at < len(lower) and (lower[at] in _BEFORE_NOUNS or _is_stray(lower[at])):
        at += 1
    read = read_unit(lower, at)
    if read is not None and read.units:
        subject = ("the", "number", "of", *tokens[at : read.end])
        unit = read.units[0]
        return AskedQuantity(subject, tuple(tokens[at : read.end]), unit, unit.dimension)
    phrase = noun_phrase_at(tokens, at)
    if not phrase:
        return None
    noun = unit_of_noun(phrase[-1].lower())
    return AskedQuantity(("the", "number", "of", *phrase), phrase, noun, noun.dimension)


def _is_stray(word: str) -> bool:
    """Whether a word is one of the single letters that stand in some questions for no reason."""
    return len(word) == 1 and word.isalpha()


def _named(
    tokens: Sequence[str], lower: Sequence[str], k: int, *, is_short: bool = False
) -> AskedQuantity | None:
    """What `what is the speed of the train` and `find the speed of the train` ask for."""
    read = subject_at(tokens, lower, k, is_short=is_short)
    if read is None:
        return None
    words, heads = read.words, read.heads
    if read.phrase:
        noun = unit_of_noun(read.phrase[-1].lower())
        return AskedQuantity(words, read.phrase, noun, noun.dimension)
    known = [word for word in heads if word in _DIMENSIONS or word in _MERE]
    head = known[-1] if known else ""
    if head in _PERCENT_WORDS:
        return AskedQuantity(words, unit=PERCENT, dimension=())
    if head in _MERE:
        return AskedQuantity(words, unit=NUMBER, dimension=())
    return AskedQuantity(words, dimension=_DIMENSIONS.get(head))


def _unit_said(lower: Sequence[str], start: int) -> Unit | None:
    """The unit behind an `in` that follows the question word: `in km/h ?`, `( in metres )`."""
    found: Unit | None = None
    for k in range(start, len(lower) - 1):
        if lower[k] != "in":
            continue
        if lower[k + 1] in SIGNS_BEFORE and not _is_followed_by_number(lower, k + 2):
            found = unit_of(SIGNS_BEFORE[lower[k + 1]])
            continue
        read = read_unit(lower, k + 1)
        if read is not None and read.units and _ENDED.issuperset(lower[read.end : read.end + 1]):
            found = read.units[0]
    return found


def _is_followed_by_number(lower: Sequence[str], k: int) -> bool:
    return any(token[:1].isdigit() for token in lower[k : k + 2])
