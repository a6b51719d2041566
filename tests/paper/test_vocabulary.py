from collections import Counter
from collections.abc import Sequence

import pytest

from scratchwork import Problem, UserError
from scratchwork.machine.constants import CONSTANTS
from scratchwork.paper import vocabulary as module
from scratchwork.paper.vocabulary import (
    NUMBER_ID,
    ORIGIN_TAGS,
    PAD_ID,
    SPECIALS,
    UNKNOWN_ID,
    Vocabulary,
    build_vocabulary,
)
from scratchwork.problems.tokens import OPTION_TAG, is_number, output_tokens, source_tokens
from tests.paper.samples import problems


def pens(price: int) -> Problem:
    return Problem(
        f"A pen costs {price} cents. What do 37 pens cost?",
        (str(37 * price), "4711"),
        f"They cost 37 * {price} = {37 * price} cents.",
        "A",
    )


def numerals(words: Sequence[str]) -> set[str]:
    return {word for word in words if is_number(word)}


@pytest.mark.parametrize("kind", ["constants", "plain"])
def test_the_special_words_come_first(kind: module.VocabularyKind) -> None:
    words = build_vocabulary(problems(), kind).words
    assert words[: len(SPECIALS)] == SPECIALS
    assert words[PAD_ID] == "<pad>"
    assert words[UNKNOWN_ID] == "<unk>"
    assert words[NUMBER_ID] == "<number>"


def test_letters_ends_and_constants_are_always_words() -> None:
    known = build_vocabulary([pens(23)])
    for word in ("A", "E", "<EOR>", "<EOS>", "100", "3/4", "3.14"):
        assert known.words[known.writing(word)] == word


def test_of_numerals_only_the_constants_are_words() -> None:
    assert numerals(build_vocabulary(problems()).words) == set(CONSTANTS)


def test_a_plain_vocabulary_has_frequent_numerals_too() -> None:
    known = build_vocabulary([pens(23), pens(29), pens(31)], "plain")
    assert {"37", "23", "4711"} <= numerals(known.words) - set(CONSTANTS)
    assert "999" not in known.words


def test_a_word_seen_once_is_left_out() -> None:
    problem = Problem("A pen and a pencil.", (), "The pen costs more.")
    words = build_vocabulary([problem]).words
    assert "pen" in words
    assert "pencil" not in words


def test_too_many_words_leave_the_frequent_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = build_vocabulary(problems()).words
    monkeypatch.setattr(module, "LARGEST_VOCABULARY", 150)
    assert build_vocabulary(problems()).words == whole[:150]
    counts = Counter(
        token
        for problem in problems()
        for token in (*source_tokens(problem), *output_tokens(problem))
    )
    always = {*SPECIALS, *CONSTANTS, *"ABCDE", "<EOR>", "<EOS>"}
    found = [counts[word] for word in whole if word not in always]
    assert found == sorted(found, reverse=True)
    assert found[-1] == 2


def test_the_same_problems_give_the_same_words_in_any_order() -> None:
    assert build_vocabulary(problems()).words == build_vocabulary(reversed(problems())).words


def test_known_words_are_read_and_written_as_themselves() -> None:
    known = build_vocabulary(problems())
    for k, word in enumerate(known.words):
        assert known.reading(word) == k
        assert known.writing(word) == (k if k >= len(SPECIALS) else 0)


@pytest.mark.parametrize(
    ("token", "read"),
    [
        ("4711", NUMBER_ID),
        ("47.11", NUMBER_ID),
        ("4,711", NUMBER_ID),
        ("47/11", NUMBER_ID),
        ("quokka", UNKNOWN_ID),
        ("¶", UNKNOWN_ID),
    ],
)
def test_what_is_not_known_is_read_as_a_number_or_a_word_and_never_written(
    token: str, read: int
) -> None:
    known = build_vocabulary(problems())
    assert known.reading(token) == read
    assert known.writing(token) == 0


@pytest.mark.parametrize("special", SPECIALS)
def test_special_words_are_never_written(special: str) -> None:
    assert build_vocabulary(problems()).writing(special) == 0


def test_the_tag_of_options_is_read() -> None:
    known = build_vocabulary(problems())
    assert known.words[known.reading(OPTION_TAG)] == OPTION_TAG


def test_every_origin_has_a_style() -> None:
    known = build_vocabulary(problems())
    assert known.words[known.origin_tag("generated")] == "<generated>"
    assert known.words[known.origin_tag("mathqa")] == "<mathqa>"
    for origin in (None, "aqua", "elsewhere"):
        assert known.words[known.origin_tag(origin)] == ORIGIN_TAGS[0]


@pytest.mark.parametrize(
    "words",
    [
        (),
        SPECIALS[1:],
        ("pen", *SPECIALS),
        (*SPECIALS, "pen", "pen"),
        (*SPECIALS, "<unk>"),
    ],
)
def test_a_damaged_list_is_told(words: Sequence[str]) -> None:
    with pytest.raises(UserError, match=r"^this vocabulary is damaged: .*; take the model"):
        Vocabulary(words)
