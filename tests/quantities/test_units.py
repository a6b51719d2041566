"""Units as products: what cancels, what converts, and that nothing grows without bound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.quantities.unit_table import BASES
from scratchwork.quantities.units import NUMBER, Unit, scale_of, unit_of

NAMES = [*BASES, "hat", "man", "thing"]
UNITS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([-2, -1, 1, 2]), max_size=3).map(
    lambda factors: Unit(tuple(sorted(factors.items())))
)


@given(UNITS)
def test_what_is_divided_by_itself_is_a_number(unit: Unit) -> None:
    assert unit.times(unit, -1) == NUMBER


@given(UNITS, UNITS)
def test_products_commute_and_quotients_undo_them(one: Unit, other: Unit) -> None:
    product = one.times(other)
    assert product == other.times(one)
    if product is not None:
        assert product.times(other, -1) == one


@given(UNITS)
def test_the_root_of_a_square_is_what_was_squared(unit: Unit) -> None:
    square = unit.to_power(2)
    if square is not None:
        assert square.root == unit


@given(UNITS, st.sampled_from([12, 24, 60, 100, 1000, 3600, 5 / 18, 3.6, 1 / 60, 0.001]))
def test_a_conversion_keeps_the_dimension_and_has_about_its_factor(
    unit: Unit, factor: float
) -> None:
    for other in unit.converted(factor):
        assert other.dimension == unit.dimension
        # People take 4 litres for a gallon and 30 days for a month.
        assert float(scale_of(unit) / scale_of(other)) == pytest.approx(factor, rel=0.25)


@pytest.mark.parametrize(
    ("name", "factor", "wanted"),
    [
        ("km", 1000, "m"),
        ("m", 100, "cm"),
        ("h", 60, "min"),
        ("min", 60, "s"),
        ("h", 3600, "s"),
        ("day", 24, "h"),
        ("week", 7, "day"),
        ("year", 12, "month"),
        ("year", 365, "day"),
        ("ft", 12, "inch"),
        ("kg", 1000, "g"),
        ("$", 100, "cent"),
        ("Rs.", 100, "paisa"),
        ("mile", 1760, "yard"),
        ("mile", 5280, "ft"),
    ],
)
def test_a_constant_converts_there_and_back(name: str, factor: float, wanted: str) -> None:
    assert unit_of(wanted) in unit_of(name).converted(factor)
    assert unit_of(name) in unit_of(wanted).converted(1 / factor)


def test_currencies_do_not_convert() -> None:
    assert unit_of("$").converted(80) == ()


def test_a_power_beyond_the_bound_is_no_unit() -> None:
    unit: Unit | None = unit_of("m", 4)
    assert unit is not None
    assert unit.to_power(4) is None
    assert unit.times(unit) is None


def test_nouns_measure_nothing() -> None:
    unit = Unit((("hat", 1), ("km", 1)))
    assert unit.dimension == (("length", 1),)
    assert unit.measured == unit_of("km")
    assert unit.nouns == ("hat",)
