"""Pieces for tests: whole words, and every character of them in both places; and reading them."""

from collections.abc import Iterable, Iterator, Sequence

from scratchwork.plans.compiling import PLAIN, RationaleItem, StatedLetter, WrittenResult
from scratchwork.plans.plan import Given, PlanConstant, Result
from scratchwork.solver.reading import (
    CAPITAL_PIECE,
    CAPITALS_PIECE,
    CONTINUATION,
    SPECIAL_PIECES,
    Pieces,
    Reading,
)
from scratchwork.solver.symbols import (
    CONSTANT_NUMERALS,
    END,
    FIRST_CONSTANT,
    FIRST_FORM,
    FIRST_NUMERAL,
    FIRST_OPERATION,
    FIRST_PIECE,
    FIRST_RESULT,
    FORMS,
    LETTER,
)


def pieces_of(words: Iterable[str]) -> Pieces:
    """Pieces by which each word is one, and others can be spelled in its characters."""
    listed = list(dict.fromkeys(word.lower() for word in words))
    letters = sorted({letter for word in listed for letter in word})
    spelled = [mark + letter for letter in letters for mark in ("", CONTINUATION)]
    return Pieces(list(dict.fromkeys([*SPECIAL_PIECES, *spelled, *listed])))


def rationale_from_choices(
    choices: Sequence[int], reading: Reading, pieces: Pieces
) -> Iterator[RationaleItem]:
    """The items of a rationale, up to its end."""
    writing, word, mark = PLAIN, "", 0
    for choice in choices:
        piece = choice - FIRST_PIECE
        text = pieces.pieces[piece] if piece >= 0 else ""
        if word and text.startswith(CONTINUATION):
            word += text.removeprefix(CONTINUATION)
            continue
        if word:
            yield _capitalised(word, mark)
            word, mark = "", 0
        if choice == END:
            return
        if piece in (CAPITAL_PIECE, CAPITALS_PIECE):
            mark = piece
        elif piece >= 0:
            word = text.removeprefix(CONTINUATION)
        elif choice == LETTER:
            yield StatedLetter()
        elif FIRST_FORM <= choice < FIRST_OPERATION:
            writing = FORMS[choice - FIRST_FORM]
        else:
            number = _number(choice, reading)
            yield WrittenResult(number, writing) if isinstance(number, Result) else number
            writing = PLAIN


def _number(choice: int, reading: Reading) -> Given | PlanConstant | Result:
    if choice >= FIRST_RESULT:
        return Result(choice - FIRST_RESULT)
    if choice >= FIRST_NUMERAL:
        return Given(reading.numerals[choice - FIRST_NUMERAL].place)
    return PlanConstant(CONSTANT_NUMERALS[choice - FIRST_CONSTANT])


def _capitalised(word: str, mark: int) -> str:
    if mark == CAPITALS_PIECE:
        return word.upper()
    return word[:1].upper() + word[1:] if mark == CAPITAL_PIECE else word
