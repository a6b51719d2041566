import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import tokenise
from scratchwork.machine.number_words import NUMBER_WORDS, numbers_in

TENS: dict[str, int] = dict(
    zip(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(),
        range(20, 100, 10),
        strict=True,
    )
)
UNITS = "one two three four five six seven eight nine".split()


def found(text: str) -> list[float]:
    return list(numbers_in(tokenise(text)).values())


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("How many 10-slice cakes make 1,200 slices?", [10, 1200]),
        ("3/4 of .5 and 2.50", [0.75, 0.5, 2.5]),
        ("Three men and twelve boys", [3, 12]),
        ("half of a dozen eggs, twice", [0.5, 12, 2]),
        ("a quarter, doubled and tripled", [0.25, 2, 3]),
        ("a hundred, a thousand, a million, a lakh", [100, 1000, 1e6, 1e5]),
        ("nineteen and twenty and ninety", [19, 20, 90]),
    ],
)
def test_numerals_and_number_words_have_their_values(text: str, values: list[float]) -> None:
    assert found(text) == values


@pytest.mark.parametrize("tens", TENS)
@pytest.mark.parametrize("units", range(1, 10))
def test_tens_and_units_are_one_number_at_the_place_of_the_tens(tens: str, units: int) -> None:
    text = f"He is {tens}-{UNITS[units - 1]} years old."
    assert numbers_in(tokenise(text)) == {2: TENS[tens] + units}


def test_one_by_itself_is_a_word() -> None:
    assert found("One of them has one, and one of twenty-one") == [21]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one-third of the men and two-fifths of the boys", [1 / 3, 0.4]),
        ("One sixth, three fourths, two quarters", [1 / 6, 0.75, 0.5]),
        ("one-half and a half of seven-eighths", [0.5, 0.5, 0.875]),
        ("two third graders are the second and third of five", [2, 5]),
        ("nine fifths, three-halves, one thirds, two -", [1.8, 1.5, 2]),
        ("two third of the boys", [2 / 3]),
        ("cut into two halves", [2]),
    ],
)
def test_a_part_in_words_is_one_number_at_the_place_of_its_count(
    text: str, values: list[float]
) -> None:
    assert found(text) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a twenty-minute walk", [20]),
        ("twenty-", [20]),
        ("twenty-12", [20, 12]),
        ("twenty five", [20, 5]),
        ("twelve-five", [12, 5]),
        ("five-twenty", [5, 20]),
    ],
)
def test_only_tens_are_joined_and_only_to_units(text: str, values: list[float]) -> None:
    assert found(text) == values


@pytest.mark.parametrize("text", ["the third of May", "tend to often weigh", "a tenth", "", "once"])
def test_ordinals_and_other_words_are_no_numbers(text: str) -> None:
    assert found(text) == []


@given(st.lists(st.sampled_from([*NUMBER_WORDS, "7", "1,000", "-", "one", "and", "pens"])))
def test_case_does_not_matter_and_every_place_holds_a_number_or_a_number_word(
    tokens: list[str],
) -> None:
    values = numbers_in(tokens)
    assert numbers_in([token.upper() for token in tokens]) == values
    known = {"7": 7.0, "1,000": 1000.0, "one": 1.0} | NUMBER_WORDS
    assert all(token in known for token in map(tokens.__getitem__, values))
    missing = [
        k for k, token in enumerate(tokens) if token in known and token != "one" and k not in values
    ]
    parts = [k for k in missing if tokens[k] in ("half", "quarter")]
    assert all(tokens[k - 1] in UNITS or tokens[k - 2] in UNITS for k in parts)
    units = [k for k in missing if k not in parts]
    assert all(tokens[k - 1] == "-" and tokens[k - 2] in TENS for k in units)


@given(st.text())
def test_any_text_has_finite_numbers_at_places_it_has(text: str) -> None:
    tokens = tokenise(text)
    assert all(k < len(tokens) and abs(v) < 1e15 for k, v in numbers_in(tokens).items())
