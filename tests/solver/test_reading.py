import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import Problem, tokenise
from scratchwork.solver.reading import (
    MOST_OPTION_PIECES,
    MOST_PIECES,
    NUMBER_PIECE,
    OPTION_PIECE,
    POSITIONS,
    SPECIAL_PIECES,
    START_PIECE,
    UNKNOWN_PIECE,
    Pieces,
    Reading,
    longest_parts,
    read_problem,
    read_texts,
)
from tests.solver.spelling import pieces_of

WORDS = ["slices", "slice", "price", "ice", "cakes"]
SLICES = Pieces([*pieces_of(WORDS).pieces, "##s", "##ice"])

PIECES = pieces_of(["men", "women", "twenty", "five", "km", "rs"])

words = st.text("abcdé-", min_size=1, max_size=12)


def spelled(pieces: Pieces, word: str) -> list[str]:
    return [pieces.pieces[k] for k in pieces.of(word)]


def test_a_word_is_cut_into_the_longest_pieces_from_its_beginning() -> None:
    assert spelled(SLICES, "slices") == ["slices"]
    assert spelled(SLICES, "prices") == ["price", "##s"]
    assert spelled(SLICES, "lice") == ["l", "##ice"]
    assert spelled(SLICES, "icecakes") == ["ice", "##c", "##a", "##k", "##e", "##s"]


def test_pieces_inside_a_word_differ_from_those_at_its_beginning() -> None:
    assert not set(SLICES.of("ice")) & set(SLICES.of("lice"))


def test_a_character_never_seen_is_the_unknown_piece() -> None:
    assert SLICES.of("√") == (UNKNOWN_PIECE,)
    assert SLICES.of("sl√ice").count(UNKNOWN_PIECE) == 1
    assert spelled(SLICES, "sl√ice")[-1] == "##ice"


def test_case_is_dropped() -> None:
    assert SLICES.of("Slices") == SLICES.of("SLICES") == SLICES.of("slices")


@pytest.mark.parametrize("special", SPECIAL_PIECES)
def test_no_text_is_read_as_a_special_piece(special: str) -> None:
    pieces = pieces_of([*"<>", *(name.strip("<>") for name in SPECIAL_PIECES)])
    assert all(piece >= len(SPECIAL_PIECES) for piece in pieces.of(special))


@given(st.lists(words, max_size=12), words)
def test_the_pieces_of_a_word_spell_it(given_words: list[str], word: str) -> None:
    pieces = pieces_of(given_words)
    found = pieces.of(word)
    if UNKNOWN_PIECE not in found:
        first, *others = spelled(pieces, word)
        assert all(part.startswith("##") for part in others)
        assert first + "".join(part.removeprefix("##") for part in others) == word
    assert all(len(SPECIAL_PIECES) <= k < len(pieces) or k == UNKNOWN_PIECE for k in found)
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


@pytest.mark.parametrize(
    "wrong", [[], ["a", "b"], list(SPECIAL_PIECES[:-1]), [*SPECIAL_PIECES[1:], "<pad>"]]
)
def test_a_list_without_the_special_pieces_is_refused(wrong: list[str]) -> None:
    with pytest.raises(ValueError, match="do not begin with <pad>, <unknown>"):
        Pieces(wrong)


def test_a_very_long_word_has_few_pieces() -> None:
    assert 1 <= len(SLICES.of("slice" * 1000)) <= 40


TEXTS = ["12 km", "Rs. 1,200", "3/4", "twenty", "none of these", "2 h 30 min", "3 : 2", "-5"]


def read(question: str, *options: str) -> Reading:
    return read_problem(Problem(question, options), PIECES)


def of_option(reading: Reading, k: int) -> tuple[list[int], list[int], list[tuple[int, float]]]:
    """The reading of an option: its pieces, their positions, and its numbers."""
    at = [j for j, segment in enumerate(reading.segments) if segment == k]
    numerals = [(n.piece - at[0], n.value) for n in reading.numerals if n.piece in at]
    return [reading.pieces[j] for j in at], [reading.positions[j] for j in at], numerals


def test_words_are_read_in_pieces_and_numerals_as_one() -> None:
    reading = read("12 men walk 1,200 km")
    men, walk, km = (list(PIECES.of(word)) for word in ("men", "walk", "km"))
    assert reading.pieces == [START_PIECE, NUMBER_PIECE, *men, *walk, NUMBER_PIECE, *km]
    assert [(n.value, n.place) for n in reading.numerals] == [(12, 1), (1200, 4)]
    assert [reading.pieces[n.piece] for n in reading.numerals] == [NUMBER_PIECE, NUMBER_PIECE]


def test_numbers_in_words_are_read_as_words_that_have_a_value() -> None:
    reading = read("Twenty-five men, half of them women")
    assert reading.pieces[:2] == [START_PIECE, *PIECES.of("twenty")]
    assert NUMBER_PIECE not in reading.pieces
    first = reading.numerals[0]
    assert (first.value, first.place, first.piece) == (25, 1, 1)
    assert [n.value for n in reading.numerals] == [25, 0.5]


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("Rs. 1,200", [1200]),
        ("3/4 hours", [0.75]),
        ("3 : 2", [1.5]),
        ("2 h 30 min", [150, 2.5]),
        ("3 1/2", [3.5]),
        ("5 men and 6 women", []),
        ("none of these", []),
    ],
)
def test_an_option_stands_for_numbers_as_a_whole(option: str, values: list[float]) -> None:
    assert read("What?", option, "7").options == [values, [7]]


def test_the_numbers_of_the_question_come_first_and_have_places() -> None:
    reading = read("7 and 8", "9", "7")
    assert [(n.value, n.place) for n in reading.numerals] == [(7, 1), (8, 3), (9, 0), (7, 0)]


def test_without_options_there_is_the_question_alone() -> None:
    reading = read("7 and 8")
    assert set(reading.segments) == {0}
    assert reading.options == []


@given(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=6), st.integers(0, 5))
def test_an_option_is_read_alike_wherever_it_stands(options: list[str], place: int) -> None:
    reading = read("7 men", *options)
    k = place % len(options)
    moved = read("7 men", options[k], *options[:k], *options[k + 1 :])
    assert of_option(moved, 1) == of_option(reading, k + 1)
    assert moved.options[0] == reading.options[k]
    assert of_option(moved, 0) == of_option(reading, 0)


@given(st.text(min_size=1).filter(str.strip), st.lists(st.sampled_from(TEXTS), max_size=3))
def test_whatever_is_read_fits_together(question: str, options: list[str]) -> None:
    reading = read_texts(question.split(), options, PIECES)
    assert len(reading.pieces) == len(reading.segments) == len(reading.positions)
    assert reading.segments == sorted(reading.segments)
    begins = [j for j, piece in enumerate(reading.pieces) if piece == OPTION_PIECE]
    assert [reading.segments[j] for j in begins] == list(range(1, len(options) + 1))
    assert all(reading.positions[j] == reading.segments.count(0) for j in begins)
    assert all(n.piece < len(reading.pieces) for n in reading.numerals)
    assert len({n.piece for n in reading.numerals}) == len(reading.numerals)


@pytest.mark.parametrize("word", ["men", "km 7", "abcdefghijklmnopqrstuvwxyz", "7"])
def test_of_a_very_long_question_as_much_is_read_as_fits(word: str) -> None:
    reading = read(f"{word} " * 700, "7", "8")
    pieces, positions, numerals = of_option(reading, 0)
    assert MOST_PIECES - len(word) <= len(pieces) <= MOST_PIECES
    assert max(positions) < MOST_PIECES
    assert all(piece < MOST_PIECES for piece, _ in numerals)
    assert of_option(reading, 2)[2] == [(1, 8.0)]
    assert reading.unread >= 700 * len(word.split()) - MOST_PIECES


def test_of_a_very_long_option_as_much_is_read_as_fits() -> None:
    reading = read("km 7 " * 700, "men 7 " * 700, "8")
    pieces, positions, numerals = of_option(reading, 1)
    assert len(pieces) == MOST_OPTION_PIECES
    assert max(positions) == POSITIONS - 1
    assert all(piece < MOST_OPTION_PIECES for piece, _ in numerals)


@pytest.mark.parametrize("behind", ["", "\n", " km 8 . " * 300], ids=["last", "line", "middle"])
def test_the_sentence_that_asks_is_read_however_long_the_question_is(behind: str) -> None:
    question = "5 men . " + "km 7 . " * 300 + f"9 men , 11 km ?{behind}"
    reading = read(question)
    values = [numeral.value for numeral in reading.numerals]
    assert values[0] == 5
    assert values[-2:] == [9, 11]
    tokens = tokenise(question)
    assert [tokens[numeral.place - 1] for numeral in reading.numerals[-2:]] == ["9", "11"]
    read_of_it = len(tokens) - reading.unread
    assert MOST_PIECES - 3 <= read_of_it < MOST_PIECES


def test_nothing_of_an_ordinary_question_is_left_out() -> None:
    assert read("7 men ? 8 km .", "7", "8 km").unread == 0
