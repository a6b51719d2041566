from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.models.pieces import SPECIAL, UNKNOWN, Pieces, learn_pieces

WORDS = Counter({"slices": 9, "slice": 8, "price": 7, "prices": 6, "ice": 5, "cakes": 4, "q": 1})

words = st.text("abcdé-", min_size=1, max_size=12)
counted = st.dictionaries(words, st.integers(1, 30), max_size=12)


def spelled(pieces: Pieces, word: str) -> list[str]:
    return [pieces.pieces[k] for k in pieces.of(word)]


def test_frequent_neighbours_are_joined_first() -> None:
    few, many = learn_pieces(WORDS, 22), learn_pieces(WORDS, 60)
    assert len(few) == 22
    assert "ic" in few.pieces
    assert len(spelled(few, "slices")) > len(spelled(many, "slices")) == 1
    assert len(spelled(many, "slice")) == 1


def test_a_word_ends_otherwise_than_its_beginning_goes_on() -> None:
    pieces = learn_pieces(WORDS, 60)
    assert not set(pieces.of("slice")) & set(pieces.of("slices"))


def test_a_word_never_seen_is_spelled_in_known_pieces() -> None:
    pieces = learn_pieces(WORDS, 60)
    assert UNKNOWN not in pieces.of("lice")
    assert len(pieces.of("lice")) > 1


def test_a_character_never_seen_is_the_unknown_piece() -> None:
    pieces = learn_pieces(WORDS, 60)
    assert pieces.of("√") == (UNKNOWN,)
    assert pieces.of("sl√ice").count(UNKNOWN) == 1
    # Once is not enough to know a character by.
    assert pieces.of("q") == (UNKNOWN,)


def test_case_is_not_kept() -> None:
    pieces = learn_pieces(WORDS, 60)
    assert pieces.of("Slices") == pieces.of("SLICES") == pieces.of("slices")


@given(counted, st.randoms(use_true_random=False), st.integers(0, 80))
def test_the_same_words_and_counts_give_the_same_pieces(
    given_words: dict[str, int], random: Random, count: int
) -> None:
    shuffled = list(given_words.items())
    random.shuffle(shuffled)
    pieces = learn_pieces(given_words, count).pieces
    assert learn_pieces(dict(shuffled), count).pieces == pieces
    assert len(set(pieces)) == len(pieces)
    assert tuple(pieces[: len(SPECIAL)]) == SPECIAL


@given(counted, words)
def test_the_pieces_of_a_word_spell_it(given_words: dict[str, int], word: str) -> None:
    pieces = learn_pieces(given_words, 60)
    found = pieces.of(word)
    if UNKNOWN not in found:
        assert "".join(spelled(pieces, word)) == f"{word}·"
    assert all(len(SPECIAL) <= k < len(pieces) or k == UNKNOWN for k in found)
    assert Pieces(pieces.pieces).of(word) == found


@given(counted.filter(bool))
def test_words_that_were_learned_from_twice_are_never_unknown(given_words: dict[str, int]) -> None:
    pieces = learn_pieces({word: count + 1 for word, count in given_words.items()}, 60)
    assert all(UNKNOWN not in pieces.of(word) for word in given_words)


@pytest.mark.parametrize("wrong", [[], ["a", "b"], list(SPECIAL[:-1]), [*SPECIAL[1:], "<pad>"]])
def test_a_list_without_the_special_pieces_is_refused(wrong: list[str]) -> None:
    with pytest.raises(ValueError, match="do not begin with <pad>, <unknown>"):
        Pieces(wrong)


def test_a_very_long_word_has_few_pieces() -> None:
    assert 1 <= len(learn_pieces(WORDS, 60).of("slice" * 1000)) <= 40
