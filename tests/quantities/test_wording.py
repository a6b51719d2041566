"""How a derivation writes a number with its unit."""

import pytest

from scratchwork import Problem
from scratchwork.quantities.combining import read_quantities
from scratchwork.quantities.units import Unit
from scratchwork.quantities.wording import Around, UnitStyle, words_for

KM_H = Unit((("h", -1), ("km", 1)))


def around(question: str, unit: Unit, value: float) -> Around | None:
    return UnitStyle(read_quantities(Problem(question)).given.values()).around(unit, value)


@pytest.mark.parametrize(
    ("question", "unit", "value", "wanted"),
    [
        ("It takes 3 days.", Unit((("day", 1),)), 1, ((), ("day",))),
        ("It takes 1 day.", Unit((("day", 1),)), 3, ((), ("days",))),
        ("at 45 km / hr", KM_H, 36, ((), ("km", "/", "hr"))),
        ("at 45 kmph", KM_H, 36, ((), ("km", "/", "h"))),
        ("45 miles per hour", Unit((("h", -1), ("mile", 1))), 1, ((), ("mile", "per", "hour"))),
        ("in 20 seconds", Unit((("s", 1),)), 56, ((), ("seconds",))),
        ("in 20 s", Unit((("s", 1),)), 56, ((), ("s",))),
        ("20 mins", Unit((("min", 1),)), 56, ((), ("minutes",))),
        ("20 liters", Unit((("l", 1),)), 2.5, ((), ("liters",))),
        ("a pen for $7", Unit((("$", 1),)), 14, (("$",), ())),
        ("a pen for rs . 7", Unit((("Rs.", 1),)), 14, (("Rs", "."), ())),
        ("a pen for $7", Unit((("$", 1), ("kg", -1))), 14, (("$",), ("per", "kg"))),
        ("40 m of rope", Unit((("m", 2),)), 14, ((), ("m", "²"))),
        ("40 meters of rope", Unit((("m", 2),)), 14, ((), ("square", "meters"))),
        ("12 boxes", Unit((("box", 1),)), 14, ((), ("boxes",))),
        ("12 boxes", Unit((("box", 1),)), 1, ((), ("box",))),
        ("12 men", Unit((("man", 1),)), 3, ((), ("men",))),
        ("5 %", Unit((("%", 1),)), 3, ((), ("%",))),
        ("3 pens", Unit(), 3, ((), ())),
        ("3 pens and 4 hats", Unit((("thing", 1),)), 7, ((), ())),
    ],
)
def test_a_unit_is_written_as_the_question_writes_it(
    question: str, unit: Unit, value: float, wanted: Around
) -> None:
    assert around(question, unit, value) == wanted


@pytest.mark.parametrize(
    "factors",
    [
        (("$", 1), ("hat", 1)),
        (("h", -2), ("km", 1)),
        (("$", 2),),
        (("h", -1),),
        (("day", -1), ("h", -1), ("page", 1)),
    ],
)
def test_what_nobody_would_write_is_left_out(factors: tuple[tuple[str, int], ...]) -> None:
    assert around("3 hats for $4 in 2 hours", Unit(factors), 5) is None


def test_a_debt_is_not_written_with_the_sign_before_its_minus() -> None:
    assert around("he has $4", Unit((("$", 1),)), -5) is None


@pytest.mark.parametrize(
    ("factors", "wanted"),
    [
        ((), "a mere number"),
        ((("h", -1), ("km", 1)), "kilometres per hour"),
        ((("m", 2),), "square metres"),
        ((("$", 1), ("%", 1)), "dollars × percent"),
        ((("child", 1),), "children"),
        ((("day", -1),), "1 per day"),
    ],
)
def test_a_message_names_a_unit_in_words(factors: tuple[tuple[str, int], ...], wanted: str) -> None:
    assert words_for(Unit(factors)) == wanted
