import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.solver.pieces import SPECIAL, UNKNOWN, Pieces, longest_parts
from tests.solver.spelling import pieces_of

WORDS = ["slices", "slice", "price", "ice", "cakes"]
PIECES = Pieces([*pieces_of(WORDS).pieces, "##s", "##ice"])

words = st.text("abcdé-", min_size=1, max_size=12)


def spelled(pieces: Pieces, word: str) -> list[str]:
    return [pieces.pieces[k] for k in pieces.of(word)]


def test_a_word_is_cut_into_the_longest_pieces_from_its_beginning() -> None:
    assert spelled(PIECES, "slices") == ["slices"]
    assert spelled(PIECES, "prices") == ["price", "##s"]
    assert spelled(PIECES, "lice") == ["l", "##ice"]
    assert spelled(PIECES, "icecakes") == ["ice", "##c", "##a", "##k", "##e", "##s"]


def test_a_word_goes_on_otherwise_than_another_begins() -> None:
    assert not set(PIECES.of("ice")) & set(PIECES.of("lice"))


def test_a_character_never_seen_is_the_unknown_piece() -> None:
    assert PIECES.of("√") == (UNKNOWN,)
    assert PIECES.of("sl√ice").count(UNKNOWN) == 1
    assert spelled(PIECES, "sl√ice")[-1] == "##ice"


def test_case_is_not_kept() -> None:
    assert PIECES.of("Slices") == PIECES.of("SLICES") == PIECES.of("slices")


@pytest.mark.parametrize("special", SPECIAL)
def test_no_text_is_read_as_a_special_piece(special: str) -> None:
    pieces = pieces_of([*"<>", *(name.strip("<>") for name in SPECIAL)])
    assert all(piece >= len(SPECIAL) for piece in pieces.of(special))


@given(st.lists(words, max_size=12), words)
def test_the_pieces_of_a_word_spell_it(given_words: list[str], word: str) -> None:
    pieces = pieces_of(given_words)
    found = pieces.of(word)
    if UNKNOWN not in found:
        first, *others = spelled(pieces, word)
        assert all(part.startswith("##") for part in others)
        assert first + "".join(part.removeprefix("##") for part in others) == word
    assert all(len(SPECIAL) <= k < len(pieces) or k == UNKNOWN for k in found)
    assert Pieces(pieces.pieces).of(word) == found


@given(st.lists(words, min_size=1, max_size=12))
def test_no_piece_of_a_word_could_be_longer(given_words: list[str]) -> None:
    known = set(pieces_of(given_words).pieces)
    word = "".join(given_words)
    at = 0
    for part in longest_parts(word, known):
        mark = "##" if at else ""
        at += len(part.removeprefix(mark))
        longer = (mark + word[at - len(part) + len(mark) : end] for end in range(at + 1, len(word)))
        assert not any(piece in known for piece in longer)


@pytest.mark.parametrize("wrong", [[], ["a", "b"], list(SPECIAL[:-1]), [*SPECIAL[1:], "<pad>"]])
def test_a_list_without_the_special_pieces_is_refused(wrong: list[str]) -> None:
    with pytest.raises(ValueError, match="do not begin with <pad>, <unknown>"):
        Pieces(wrong)


def test_a_very_long_word_has_few_pieces() -> None:
    assert 1 <= len(PIECES.of("slice" * 1000)) <= 40
