import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import Problem, detokenise, output_tokens, read_problems, source_tokens, tokenise
from scratchwork.problems import tokens as tokens_module
from scratchwork.problems.numerals import NumeralError, read_fraction, write_fraction
from scratchwork.problems.tokens import is_number, spaced

mathematical_text = st.text(
    st.one_of(
        st.sampled_from("0123456789.,/:-+*=()<>!%$' \nACxe²½√×"), st.characters(codec="utf-8")
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1,000,000 and 0.75 or .5", "1,000,000 and 0.75 or .5"),
        ("3/4 of 1/221", "3/4 of 1/221"),
        ("6/1326 48/2 2.5/10 5/1", "6 / 1326 48 / 2 2.5 / 10 5 / 1"),
        ("1/4/2012", "1 / 4 / 2012"),
        ("x = -5", "x = - 5"),
        ("52C2=1326", "52 C 2 = 1326"),
        ("A)3/7", "A) 3/7"),
        ("P(A) (A)", "P ( A ) ( A )"),
        ("Rs.500 costs $.50", "Rs . 500 costs $ .50"),
        ("5% of €20", "5 % of € 20"),
        ("2×3÷4−1 √2 x² 1⁄2", "2 × 3 ÷ 4 − 1 √ 2 x ² 1 ⁄ 2"),
        ("5,9,16,28", "5 , 9 , 16 , 28"),
        ("36,72,144,196,225", "36 , 72 , 144 , 196 , 225"),
        ("1,20,000", "1,20,000"),
        ("(0,300)", "( 0 , 300 )"),
        ("27x + 17th", "27 x + 17 th"),
        ("John's don't", "John 's don 't"),
        ("x>=5 => y", "x >= 5 => y"),
        ("ends in 5.Then", "ends in 5 . Then"),
    ],
)
def test_texts_fall_into_the_documented_tokens(text: str, tokens: str) -> None:
    assert tokenise(text) == tokens.split(" ")


def test_line_breaks_are_tokens_however_they_are_written() -> None:
    assert tokenise("a\nb\r\nc\rd\n\ne") == ["a", "\n", "b", "\n", "c", "\n", "d", "\n", "\n", "e"]


@given(mathematical_text)
def test_detokenising_keeps_the_tokens(text: str) -> None:
    tokens = tokenise(text)
    assert tokenise(detokenise(tokens)) == tokens


closing_up = st.sampled_from(
    "( ) , . ; : % - / * = 5 6 12 3/4 1,000 .5 ab cde f n C P th 's ' ° ² $ ... -> A) \n".split(" ")
)
long_chunks = st.lists(closing_up | st.text(min_size=1, max_size=3), max_size=12).flatmap(
    lambda some: st.lists(st.sampled_from(some), max_size=250) if some else st.just(some)
)


def plainly_detokenised(tokens: Sequence[str]) -> str:
    """What `detokenise` promises, by trying every token behind all that it would close up with."""
    pieces: list[list[str]] = []
    for k, token in enumerate(tokens):
        chunk = pieces[-1] if pieces and pieces[-1] != ["\n"] else []
        closed = [*chunk, token]
        wants = chunk and token != "\n" and tokens_module.wants_to_close(tokens, k)
        if wants and tokenise("".join(closed)) == closed:
            pieces[-1] = closed
        else:
            pieces.append([token])
    text = ""
    for k, piece in enumerate(pieces):
        beside_a_break = ["\n"] in (piece, *pieces[max(k - 1, 0) : k])
        text += "".join(piece) if beside_a_break or k == 0 else " " + "".join(piece)
    return text


@given(long_chunks)
def test_long_chunks_close_up_as_short_ones_do(tokens: list[str]) -> None:
    assert detokenise(tokens) == plainly_detokenised(tokens)


@pytest.mark.parametrize("pair", ["( (", "6 /", "5 :", ", ;", "abc -", "f ("])
def test_a_long_chunk_takes_no_longer_for_each_token(pair: str) -> None:
    reads: list[int] = []

    def count(text: str) -> list[str]:
        reads.append(len(text))
        return tokenise(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens_module, "tokenise", count)
        text = detokenise(pair.split() * 5_000)
    assert len(text) <= 45_000
    assert sum(reads) < 10_000 * 1_500


@given(mathematical_text)
def test_spaced_tokens_are_the_text(text: str) -> None:
    tokens = tokenise(text)
    assert "".join(space + token for space, token in spaced(tokens)) == detokenise(tokens)


@given(mathematical_text)
def test_no_character_but_white_space_is_lost(text: str) -> None:
    assert "".join(t for t in tokenise(text) if t != "\n") == re.sub(r"\s", "", text)


@given(mathematical_text)
def test_every_token_is_a_token_by_itself(text: str) -> None:
    for token in tokenise(text):
        assert tokenise(token) == [token]


@given(st.integers(0, 2000), st.integers(1, 2000))
def test_a_closed_fraction_is_one_token_exactly_when_conversion_keeps_it(a: int, b: int) -> None:
    text = f"{a}/{b}"
    try:
        kept = write_fraction(read_fraction(text)) == text
    except NumeralError:
        kept = False
    assert (tokenise(text) == [text]) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Then n(s) = 52C2 = 1326\nP(E) = 6/1326 = 1/221.",
        "John's share is $3,500, i.e. 35% of it; x = -5 (say).",
        "The ratio is 3:2, the 17th is 27x.",
    ],
)
def test_ordinary_sentences_look_the_same_after_a_round_trip(text: str) -> None:
    assert detokenise(tokenise(text)) == text.replace("i.e.", "i. e.")


@pytest.mark.parametrize("token", ["52", "0.75", ".5", "1,000", "1/221", "007"])
def test_numerals_are_numbers(token: str) -> None:
    assert is_number(token)


@pytest.mark.parametrize("token", ["x", "½", "three", "-", "A)", "1e5", "²", "3:2", "<EOR>"])
def test_other_tokens_are_no_numbers(token: str) -> None:
    assert not is_number(token)


def test_source_and_output_follow_the_paper(kings: Problem) -> None:
    source = source_tokens(kings)
    assert source[4] == "52"
    assert source[25:32] == ["?", "<O>", "A)", "2/1223", "<O>", "B)", "1/122"]
    assert output_tokens(kings)[-6:] == ["Answer", "is", "C", "<EOR>", "C", "<EOS>"]


def test_a_free_form_problem_ends_without_a_letter() -> None:
    problem = Problem("What is 1 + 1?", rationale="It is 2")
    assert output_tokens(problem) == ["It", "is", "2", "<EOR>", "<EOS>"]


def test_real_texts_survive_the_round_trip(data_folder: Path) -> None:
    for problem in read_problems(data_folder / "aqua" / "train-rationale.jsonl.gz"):
        if int(problem.id) > 3000:
            break
        for text in (problem.question, problem.rationale or "", *problem.options):
            tokens = tokenise(text)
            assert tokenise(detokenise(tokens)) == tokens
