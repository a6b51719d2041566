import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.errors import UserError
from scratchwork.scoring.perplexity import measure_perplexity
from scratchwork.solution import Likelihood

SHORT_AND_SURE = Likelihood(2, -2 * math.log(2))
LONG_AND_UNSURE = Likelihood(6, -6 * math.log(8), unknown=2)


def sentence(tokens: int, nats: float) -> Likelihood:
    return Likelihood(tokens, -tokens * nats)


SENTENCES = st.builds(sentence, st.integers(1, 300), st.floats(0, 10))


def test_a_perfect_model_has_perplexity_1() -> None:
    measured = measure_perplexity([Likelihood(7, 0.0), Likelihood(31, 0.0)])
    assert measured.sentence_average == measured.all_tokens == measured.sentence_geometric == 1
    assert measured.all_tokens_interval == measured.sentence_average_interval == (1, 1)


@pytest.mark.parametrize("words", [2, 50, 20_000])
def test_a_uniform_choice_of_words_has_their_number_as_perplexity(words: int) -> None:
    measured = measure_perplexity([Likelihood(n, -n * math.log(words)) for n in (1, 12, 140)])
    for figure in (measured.sentence_average, measured.all_tokens, measured.sentence_geometric):
        assert figure == pytest.approx(words)


def test_the_averages_differ_as_computed_by_hand() -> None:
    measured = measure_perplexity([SHORT_AND_SURE, LONG_AND_UNSURE])
    assert measured.sentence_average == pytest.approx((2 + 8) / 2)
    assert measured.sentence_geometric == pytest.approx(math.sqrt(2 * 8))
    assert measured.all_tokens == pytest.approx(2 ** ((2 * 1 + 6 * 3) / 8))
    assert (measured.problems, measured.tokens, measured.unknown) == (2, 8, 2)
    assert measured.unknown_share == 0.25


@given(st.lists(SENTENCES, min_size=1, max_size=20))
def test_averages_lie_between_the_best_and_the_worst_sentence(sentences: list[Likelihood]) -> None:
    measured = measure_perplexity(sentences)
    each = [math.exp(-one.log_probability / one.tokens) for one in sentences]
    slack = 1 + 1e-9
    for figure in (measured.sentence_average, measured.all_tokens, measured.sentence_geometric):
        assert min(each) / slack <= figure <= max(each) * slack
    assert measured.sentence_geometric <= measured.sentence_average * slack


def test_intervals_follow_the_seed_and_narrow_with_more_problems() -> None:
    few = [SHORT_AND_SURE, LONG_AND_UNSURE] * 20
    measured = measure_perplexity(few, seed=3)
    assert measured == measure_perplexity(few, seed=3)
    assert measured.all_tokens_interval != measure_perplexity(few, seed=4).all_tokens_interval
    low, high = measured.sentence_average_interval
    assert low < measured.sentence_average < high
    # The mean of 40 draws of 2 or 8 has a standard deviation of 3 / sqrt(40).
    assert high - low == pytest.approx(2 * 1.96 * 3 / math.sqrt(40), rel=0.1)
    more_low, more_high = measure_perplexity(few * 16).sentence_average_interval
    assert more_high - more_low == pytest.approx((high - low) / 4, rel=0.1)


def test_what_is_no_probability_is_refused() -> None:
    for log_probability in (0.1, math.nan, math.inf, -math.inf, -1e9):
        with pytest.raises(ValueError, match="no logarithm of a probability"):
            Likelihood(3, log_probability)
    with pytest.raises(ValueError, match="cannot be unknown"):
        Likelihood(3, -1.0, unknown=4)
    with pytest.raises(UserError, match="no rationale"):
        measure_perplexity([])
