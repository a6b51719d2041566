"""Pieces for tests: whole words, and every character of them in both places."""

from collections.abc import Iterable

from scratchwork.solver.reading import CONTINUATION, SPECIAL_PIECES, Pieces


def pieces_of(words: Iterable[str]) -> Pieces:
    """Pieces by which each word is one, and others can be spelled in its characters."""
    listed = list(dict.fromkeys(word.lower() for word in words))
    letters = sorted({letter for word in listed for letter in word})
    spelled = [mark + letter for letter in letters for mark in ("", CONTINUATION)]
    return Pieces(list(dict.fromkeys([*SPECIAL_PIECES, *spelled, *listed])))
