"""Rationales as rows of choices, behind the plan that they tell.

Promises: `choices_of_items` writes words as pieces, with a mark for capitals, and numbers as
choices of what they are; `items_from` reads it back. Words of unknown characters, and numbers that
cannot be pointed at, are unspeakable.
"""

from collections.abc import Iterator, Sequence

from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.writing import Writing
from scratchwork.plans.plan import Constant, Given, Result
from scratchwork.plans.rationale import PLAINLY, Answer, Item, Letter, Written
from scratchwork.solver.pieces import CAPITAL, CAPITALS, GOES_ON, UNKNOWN, Pieces
from scratchwork.solver.reading import Reading
from scratchwork.solver.symbols import (
    CONSTANT_NUMBERS,
    CONSTANTS,
    END,
    FIRST_CONSTANT,
    FIRST_FORM,
    FIRST_NUMERAL,
    FIRST_OPERATION,
    FIRST_PIECE,
    FIRST_RESULT,
    FORMS,
    LETTER,
    MOST_NUMERALS,
    MOST_STEPS,
    UnspeakableError,
)


def choices_of_items(items: Sequence[Item], reading: Reading, pieces: Pieces) -> list[int]:
    """The choices that write a rationale, with its end."""
    numerals = {n.place: k for k, n in enumerate(reading.numerals[:MOST_NUMERALS]) if n.place}
    choices: list[int] = []
    for item in items:
        match item:
            case str():
                choices += _word(item, pieces)
            case Letter():
                choices.append(LETTER)
            case Written(result, writing):
                if result.step >= MOST_STEPS:
                    raise UnspeakableError(f"there are more than {MOST_STEPS} steps")
                if writing != PLAINLY:
                    choices.append(FIRST_FORM + FORMS.index(writing))
                choices.append(FIRST_RESULT + result.step)
            case Constant(numeral):
                choices.append(_constant(numeral))
            case Given(place):
                if place not in numerals:
                    raise UnspeakableError(f"no number that can be pointed at is at {place}")
                choices.append(FIRST_NUMERAL + numerals[place])
            case Answer():
                raise UnspeakableError("a rationale states the answer as a result")
    return [*choices, END]


def _word(word: str, pieces: Pieces) -> list[int]:
    parts = pieces.of(word)
    if UNKNOWN in parts:
        raise UnspeakableError(f"{word!r} has unknown characters")
    marks: list[int] = []
    if len(word) > 1 and word.isupper():
        marks = [CAPITALS]
    elif word[:1].isupper():
        marks = [CAPITAL]
    return [FIRST_PIECE + piece for piece in (*marks, *parts)]


def _constant(numeral: str) -> int:
    number = CONSTANT_NUMBERS.get(CONSTANT_VALUES.get(numeral, -1.0))
    if number is None or CONSTANTS[number - FIRST_CONSTANT] != numeral:
        raise UnspeakableError(f"{numeral} is no documented constant")
    return number


def items_from(choices: Sequence[int], reading: Reading, pieces: Pieces) -> Iterator[Item]:
    """The items of a rationale, up to its end; what makes no sense is left out."""
    writing: Writing = PLAINLY
    word = ""
    mark = 0
    for choice in choices:
        piece = choice - FIRST_PIECE
        text = pieces.pieces[piece] if piece >= 0 else ""
        if word and text.startswith(GOES_ON):
            word += text.removeprefix(GOES_ON)
            continue
        if word:
            yield _capital(word, mark)
            word, mark = "", 0
        if choice == END:
            return
        if piece in (CAPITAL, CAPITALS):
            mark = piece
        elif piece >= 0:
            word = text.removeprefix(GOES_ON)
        elif choice == LETTER:
            yield Letter()
        elif FIRST_FORM <= choice < FIRST_OPERATION:
            writing = FORMS[choice - FIRST_FORM]
        else:
            yield _number(choice, writing, reading)
            writing = PLAINLY
    if word:
        yield _capital(word, mark)


def _number(choice: int, writing: Writing, reading: Reading) -> Item:
    if choice >= FIRST_RESULT:
        return Written(Result(choice - FIRST_RESULT), writing)
    if choice >= FIRST_NUMERAL:
        return Given(reading.numerals[choice - FIRST_NUMERAL].place)
    return Constant(CONSTANTS[choice - FIRST_CONSTANT])


def _capital(word: str, mark: int) -> str:
    if mark == CAPITALS:
        return word.upper()
    return word[:1].upper() + word[1:] if mark == CAPITAL else word
