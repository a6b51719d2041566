"""What number a short text, such as an option, stands for as a whole.

Promises: `values_of` reads one number among words and units (`Rs. 40`, `four hours`, `45 sq. cm`,
`A = 5`, `10 % loss`), written arithmetic (`5!*6!`, `2^16 - 2`, `144√3`, `9C5`, `7π/9`), a mixed
number (`3 1/2`, `7 ½`, `5 5 / 8`, `2(2/9)`), a ratio (`3 : 2`, `3 out of 5`), two units (`2 h 30
min` is 150 and 2.5) and a time of day (`8:30 am` is 510 and 8.5). A text with symbols, a range, a
list, a date or a statement (`5xy/(12w)`, `10-20`, `5 men and 6 women`, `more than 5`) has no value,
and neither has any part of it. It never fails or takes long.

Does not cover: units (`2 km` and `2000 m` are different).
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scratchwork.machine.grammar import NotMathematicsError, tree_of_expression
from scratchwork.machine.lexing import Lexeme, has_date, lexemes_of
from scratchwork.machine.number_words import NUMBER_WORDS, numeral_of
from scratchwork.machine.operations import EXTENDED, OperationError
from scratchwork.machine.trees import NumberNode, OperationNode, Tree, UnknownNode, operation
from scratchwork.problems.numerals import number_of

_LONGEST = 60
"""A text of more numbers, signs and words has no value."""
_MOST_WORDS = 3
"""So many words may follow a number that is itself a word."""
_RELATIONS = frozenset("< > <= >= != ~".split())
_NOT_BEFORE = frozenset(
    """all both none neither either not cannot never only least most above over below under exceeds
    than divisible multiple factor between from if when within past up before or and""".split()
)
"""Words before a number that make a statement or a range of it."""
_NOT_BEHIND = frozenset("or and if when whenever unless none neither above below past".split())
_UNIT_LETTERS = frozenset("m s h g l o º â".split())
_SHORT_WORDS = frozenset(
    """km kms cm cms mm dm ft in hr hrs min sec kg kgs gm gms mg ml cl lt ltr lb lbs yd yr yrs mt
    mts mph kmh kph mps rpm bpm rs ps cc sq cu am pm th st nd rd oz pt qt deg mi kw hz mln
    dh mtr a an as at be by he if is it my no of on or so to up we""".split()
)
_LENGTHS = frozenset(
    "m cm km mm dm ft feet foot in inch inches yd meter meters metre metres".split()
)
_ABBREVIATED = frozenset("a p m s c".split())
"""The letters of `a.m.`, `p.a.` and the like."""
_MARKS = frozenset(". % ° º ◦ ∘ ' \" ″ ′ ’ ,".split())
_MATHEMATICAL = frozenset("+ - * / ^ ( ) | √ ∛ % ! , & ?".split())
_PERCENT = frozenset("% percent".split())
_MINUTES = frozenset("m min mins minute minutes".split())
_TWO_UNITS = (
    (frozenset("h hr hrs hour hours".split()), _MINUTES, "60"),
    (_MINUTES, frozenset("s sec secs second seconds".split()), "60"),
    (frozenset("foot feet ft".split()), frozenset("inch inches in".split()), "12"),
    (frozenset("year years yr yrs".split()), frozenset("month months".split()), "12"),
)
"""Units that stand together, and how many of the smaller make one of the larger."""
_TIME_OF_DAY = re.compile(r"(?:[ap] ?\.? ?m|noon|hrs|hours)? ?\.?")
_RATIO_WORDS = ((":",), ("∶",), ("to",), ("is", "to"), ("out", "of"))


def values_of(text: str) -> list[float]:
    """The numbers that a text may stand for as a whole: at most two, the plainest first. `5 lakh`
    is 500,000 or 5 in lakhs, `27π` is a number or 27 in units of π."""
    return values_of_lexemes(lexemes_of(text))


def values_of_lexemes(lexemes: Sequence[Lexeme]) -> list[float]:
    """The numbers that lexemes may stand for as a whole."""
    values = [value_of_tree(tree) for tree in trees_of(lexemes)]
    return [value for value in values if value is not None]


def trees_of(lexemes: Sequence[Lexeme]) -> list[Tree]:
    """What lexemes may stand for as a whole, as expressions of the numbers in them."""
    if not lexemes or len(lexemes) > _LONGEST or has_date(lexemes):
        return []
    lexemes = _behind_equals(_prepared(without_label(lexemes)))
    if not any(one.kind == "number" for one in lexemes):
        return _word(lexemes)
    for read in (_two_units, _time_of_day, _said_twice, _one_value):
        trees = read(lexemes)
        if trees:
            return trees
    return []


def without_label(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    """Without the label of an option: `A)`, `(b)`, `[C]`, `a .`"""
    texts = [one.text for one in lexemes]
    if len(texts) > 1 and len(texts[0]) == 2 and texts[0][1] == ")":
        return list(lexemes[1:])
    if len(texts) > 3 and texts[0] == "(" and lexemes[1].kind == "letter" and texts[2] == ")":
        return list(lexemes[3:])
    if len(texts) > 2 and lexemes[0].kind == "letter" and texts[1] in (")", "."):
        return list(lexemes[2:])
    return list(lexemes)


def value_of_tree(tree: Tree) -> float | None:
    """The value of an expression whose only letter is π; None if it has none."""
    match tree:
        case NumberNode(numeral):
            return number_of(numeral)
        case UnknownNode(name):
            return math.pi if name == "π" else None
        case OperationNode(name, arguments):
            values = [value_of_tree(argument) for argument in arguments]
            known = [value for value in values if value is not None]
            try:
                result = EXTENDED[name].function(*known) if len(known) == len(values) else None
            except OperationError:
                return None
            return result if isinstance(result, float) else None


def _prepared(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    """With `x` as a sign, π as a letter, and `9 C 5` closed up."""
    found = list(lexemes)
    for k, one in enumerate(found):
        before = found[k - 1] if k else None
        behind = found[k + 1] if k + 1 < len(found) else None
        if one.text.lower() == "pi" or one.text == "∏":
            found[k] = replace(one, kind="letter", text="π", tree=UnknownNode("π", 0))
        elif before is None or behind is None:
            continue
        elif one.text in ("x", "X") and _ends_factor(before) and _begins_factor(behind):
            found[k] = Lexeme("sign", "*")
        elif one.text in ("C", "P", "c", "p") and before.kind == behind.kind == "number":
            found[k], found[k + 1] = (replace(each, is_closed_up=True) for each in (one, behind))
    return found


def _ends_factor(one: Lexeme) -> bool:
    return one.kind == "number" or one.text in (")", "!", "%")


def _begins_factor(one: Lexeme) -> bool:
    return one.kind == "number" or one.text in ("(", "√", "sqrt")


def _behind_equals(lexemes: list[Lexeme]) -> list[Lexeme]:
    """What `A = 5` says of A; nothing where there is a number before, or a relation."""
    texts = [one.text for one in lexemes]
    if not _RELATIONS.isdisjoint(texts):
        return []
    if "=" not in texts:
        return lexemes
    sign = len(texts) - texts[::-1].index("=") - 1
    return [] if any(one.kind == "number" for one in lexemes[:sign]) else lexemes[sign + 1 :]


def _word(lexemes: Sequence[Lexeme]) -> list[Tree]:
    """What `twice as much` stands for."""
    is_short = len(lexemes) <= _MOST_WORDS + 1 and all(one.kind == "word" for one in lexemes)
    value = NUMBER_WORDS.get(lexemes[0].text) if is_short and lexemes else None
    return [] if value is None else [NumberNode(numeral_of(value))]


def _said_twice(lexemes: Sequence[Lexeme]) -> list[Tree]:
    """`five (5)`: a number in words and in digits."""
    numbers = [one for one in lexemes if one.kind == "number"]
    if len(numbers) != 2 or numbers[0].is_in_words == numbers[1].is_in_words:
        return []
    trees = [tree for one in numbers if (tree := _expression([one])) is not None]
    return trees[:1] if len({value_of_tree(tree) for tree in trees}) == 1 else []


def _one_value(lexemes: list[Lexeme]) -> list[Tree]:
    """What is written between words and units, the fewest of which are left out."""
    for end in _ends(lexemes):
        if lexemes[end - 1].text in _PERCENT:
            continue
        for start in _starts(lexemes[:end]):
            trees = _trees_of_inner(lexemes[start:end])
            if trees:
                is_long = start or len(lexemes) - end > _MOST_WORDS
                return [] if lexemes[start].is_in_words and is_long else trees
    return []


def _starts(lexemes: Sequence[Lexeme]) -> Iterator[int]:
    """Where what is meant may begin: behind words that only stand around it."""
    for k, one in enumerate(lexemes):
        yield k
        behind = lexemes[k + 1] if k + 1 < len(lexemes) else None
        is_article = one.text in ("a", "A") and behind is not None and behind.kind == "word"
        is_cut_off = one.text in ("s", "S")  # Rs. without its R
        is_currency = one.kind == "letter" and behind is not None and behind.text in (".", ":")
        is_word = one.kind == "word" and one.text not in _NOT_BEFORE and not _is_symbols(one)
        is_mark = one.kind == "sign" and one.text not in _MATHEMATICAL
        is_name = _is_name(lexemes, k)
        if not (is_word or is_article or is_cut_off or is_currency or is_mark or is_name):
            return


def _ends(lexemes: Sequence[Lexeme]) -> Iterator[int]:
    """Where what is meant may end: before units, words and marks."""
    end = len(lexemes)
    yield end
    while end > 1:
        taken = _unit_before(lexemes, end)
        if not taken:
            return
        end -= taken
        yield end


def _unit_before(lexemes: Sequence[Lexeme], end: int) -> int:
    """How many lexemes are a unit, a word or a mark that ends at a place."""
    one, before = lexemes[end - 1], lexemes[end - 2]
    if one.kind == "number":
        is_power = one.text in ("2", "3") and before.text.lower() in {*_LENGTHS, "^"}
        has_unit = before.text != "^" or lexemes[end - 3].text.lower() in _LENGTHS
        return (2 if before.text == "^" else 1) if end > 2 and is_power and has_unit else 0
    if one.kind == "word":
        return 0 if one.text in _NOT_BEHIND or _is_symbols(one) else 1
    if one.kind == "letter" and _is_name(lexemes, end - 1):
        return 1
    if one.kind == "letter":
        is_unit = one.text.lower() in _UNIT_LETTERS or before.text in ("°", "º", "◦")
        is_abbreviation = lexemes[end].text == "." if end < len(lexemes) else before.text == "."
        return 1 if is_unit or (is_abbreviation and one.text.lower() in _ABBREVIATED) else 0
    if one.text in _MARKS:
        return 1
    is_stroke = one.text in ("/", "-") and (before.text == "/" or end < len(lexemes))
    return 1 if is_stroke and (end == len(lexemes) or lexemes[end].kind != "number") else 0


def _is_name(lexemes: Sequence[Lexeme], k: int) -> bool:
    """Whether a capital letter beside a word is a name: `can give C 4 points`."""
    beside = lexemes[max(k - 1, 0) : k + 2]
    is_capital = lexemes[k].kind == "letter" and lexemes[k].text.isupper()
    return is_capital and any(one.kind == "word" and not _is_symbols(one) for one in beside)


def _is_symbols(one: Lexeme) -> bool:
    """Whether a short word is a product of unknowns, as in `5xy`, and no unit or word."""
    text = one.text
    if len(text) > 3 or text in _SHORT_WORDS:
        return False
    return len(text) == 2 or one.is_closed_up or set("aeiou").isdisjoint(text)


def _trees_of_inner(lexemes: Sequence[Lexeme]) -> list[Tree]:
    """A ratio, a mixed number or an expression, and what it counts."""
    texts = [one.text for one in lexemes]
    for words in _RATIO_WORDS:
        places = [k for k in range(len(texts)) if tuple(texts[k : k + len(words)]) == words]
        if places:
            sides = lexemes[: places[0]], lexemes[places[-1] + len(words) :]
            a, b = (_expression(side) for side in sides)
            if a is None or b is None or len(places) > 1:
                return []
            ratio = operation("Divide", a, b)
            return [] if value_of_tree(ratio) is None else [ratio]
    tree = _mixed(lexemes) or _expression(lexemes)
    return [] if tree is None else [tree, *_counts(lexemes)]


def _counts(lexemes: Sequence[Lexeme]) -> list[Tree]:
    """What `5 lakh` counts in lakhs, and `27π` in units of π."""
    if len(lexemes) == 2 and lexemes[1].text == "π":
        count = _expression(lexemes[:1])
        return [] if count is None else [count]
    match lexemes[0].tree if len(lexemes) == 1 else None:
        case OperationNode("Multiply", (count, NumberNode())):
            return [count]
        case _:
            return []


def _expression(lexemes: Sequence[Lexeme]) -> Tree | None:
    """The expression that lexemes are, if it has a value; `10 - 20` is a range."""
    try:
        tree = tree_of_expression(lexemes)
    except NotMathematicsError:
        return None
    match tree:
        case OperationNode("Subtract", (NumberNode(a), NumberNode(b))) if a != "0" and (
            (number_of(a) or 0) < (number_of(b) or 0)
        ):
            return None
        case _:
            return None if value_of_tree(tree) is None else tree


def _mixed(lexemes: Sequence[Lexeme]) -> Tree | None:
    """`2(2/9)`, `2 and 1/2`: a whole number and a fraction below 1."""
    whole, rest = lexemes[0], lexemes[1:]
    if whole.kind != "number" or not whole.text.isdecimal() or len(rest) < 2:
        return None
    if rest[0].text == "(" and rest[-1].text == ")":
        rest = rest[1:-1]
    elif rest[0].text == "and":
        rest = rest[1:]
    else:
        return None
    is_fraction = all(one.kind == "number" or one.text == "/" for one in rest)
    fraction = _expression(rest) if is_fraction else None
    if whole.tree is None or fraction is None or not 0 < (value_of_tree(fraction) or 0) < 1:
        return None
    return operation("Add", whole.tree, fraction)


def _two_units(lexemes: Sequence[Lexeme]) -> list[Tree]:
    """`2 h 30 min` in the smaller unit and in the larger."""
    parts = [one for one in lexemes if one.text not in (".", ",", "and")]
    while parts and parts[0].kind == "word" and parts[0].text not in _NOT_BEFORE:
        parts = parts[1:]
    while len(parts) > 4 and parts[-1].kind == "word" and parts[-1].text not in _NOT_BEHIND:
        parts.pop()
    if len(parts) != 4 or [one.kind == "number" for one in parts] != [True, False, True, False]:
        return []
    a, b = (_expression([part]) for part in parts[::2])
    larger_unit, smaller_unit = (part.text.lower() for part in parts[1::2])
    for larger, smaller, count in _TWO_UNITS:
        if larger_unit in larger and smaller_unit in smaller and a is not None and b is not None:
            return _in_both(a, b, count)
    return []


def _in_both(a: Tree, b: Tree, count: str) -> list[Tree]:
    """So many of a larger unit and of a smaller one, in the smaller and in the larger."""
    number = NumberNode(count)
    return [
        tree
        for tree in (
            operation("Add", operation("Multiply", a, number), b),
            operation("Add", a, operation("Divide", b, number)),
        )
        if value_of_tree(tree) is not None
    ]


def _time_of_day(lexemes: Sequence[Lexeme]) -> list[Tree]:
    """`8:30 am` and `15 : 00` in minutes and in hours, as the clock shows them."""
    texts = [one.text for one in lexemes]
    is_time = len(texts) > 2 and texts[1] == ":" and texts[0].isdecimal() and texts[2].isdecimal()
    behind = " ".join(texts[3:]).lower()
    if not is_time or len(texts[2]) != 2 or _TIME_OF_DAY.fullmatch(behind) is None:
        return []
    hours, minutes = (_expression([one]) for one in lexemes[:3:2])
    is_meant = behind.strip(" .") != "" or texts[2].startswith("0")
    if not is_meant or hours is None or minutes is None:
        return []
    is_on_clock = len(texts[0]) <= 2 and int(texts[0]) <= 24 and int(texts[2]) <= 59
    return _in_both(hours, minutes, "60") if is_on_clock else []
