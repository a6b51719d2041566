from collections.abc import Generator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scratchwork import EXTENDED, PAPER, OperationSet, Problem, execute, parse_program
from scratchwork.induction import tables
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.finding import DerivationFinder
from scratchwork.induction.rules import NESTED, OPERAND_VALUES, may_nest, same
from scratchwork.problems.numerals import write_number
from tests.induction.exhaustive import all_derivations

both_sets = pytest.mark.parametrize(
    "operations", [PAPER, EXTENDED], ids=lambda operations: operations.name
)

numbers = st.one_of(
    st.integers(0, 60).map(float),
    st.integers(100, 5000).map(float),
    st.integers(10, 400).map(lambda tenths: tenths / 10),
    st.sampled_from([0.5, 1 / 3, 2 / 3, 45.0, 30.0, 90.0, 720.0, 1326.0]),
)
leaf_sets = st.lists(numbers, min_size=1, max_size=4, unique=True)
"""Numbers of a problem, besides the constants."""


@contextmanager
def few_constants() -> Generator[None]:
    """With two constants only the reference takes a moment, not a second."""
    tables.constants_alone.cache_clear()
    try:
        with patch.object(tables, "OPERAND_VALUES", (2.0, 100.0)):
            yield
    finally:
        tables.constants_alone.cache_clear()


def with_leaves(leaves: list[float], operations: OperationSet) -> DerivationFinder:
    derivations = DerivationFinder(operations)
    for leaf in leaves:
        derivations.add(leaf)
    return derivations


def singles(derivations: DerivationFinder, target: float) -> set[Derivation]:
    steps = {derivations.single(code, target) for code in derivations.one_step(target)}
    return {step for step in steps if step is not None}


def pairs(
    derivations: DerivationFinder, target: float, available: int | None = None
) -> set[Derivation]:
    count = len(derivations.leaves) if available is None else available
    return {
        step
        for two in derivations.two_steps(target)
        for step in derivations.expand(two, target, count)
    }


@st.composite
def targets(draw: st.DrawFn, leaves: list[float]) -> float:
    """A number made of the leaves by one or two operations, or any number."""
    a, b, c = (draw(st.sampled_from([*leaves, 2.0, 100.0])) for _ in range(3))
    made = [a * b, a + b, abs(a - b), a * b / 100, a * b + c, (a + b) * c, abs(a * b - c), a * a]
    if b and c:
        made += [a / b, a / b / c, (a + c) / b, float(a // b)]
    return round(draw(st.one_of(st.sampled_from(made), numbers)), 12)


@both_sets
@given(data=st.data())
@settings(max_examples=30)
def test_the_table_finds_what_trying_everything_finds(
    operations: OperationSet, data: st.DataObject
) -> None:
    leaves = data.draw(leaf_sets)
    target = data.draw(targets(leaves))
    with few_constants():
        derivations = with_leaves(leaves, operations)
        reference = all_derivations(target, derivations.leaves, operations, 2)
        one, two = singles(derivations, target), pairs(derivations, target)
    assert one == {step for step in reference if step.count() == 1}
    expected = {step for step in reference if step.count() == 2}
    assert set(filter(makes_sense, two)) == set(filter(makes_sense, expected))


def makes_sense(pair: Derivation) -> bool:
    """Whether a pair is no factorial, divisor or multiple of zero, and turns once at most."""
    inner = next(argument for argument in pair.arguments if isinstance(argument, Derivation))
    if pair.operation in ("Factorial", "Gcd", "Lcm"):
        return inner.value() != 0 and 0 not in pair.leaves()
    return inner.operation != "Degrees_to_Radians" or max(inner.leaves()) <= 360


@both_sets
def test_with_all_constants_it_is_the_same(operations: OperationSet) -> None:
    derivations = with_leaves([52.0], operations)
    assert tuple(derivations.leaves) == (*OPERAND_VALUES, 52.0)
    reference = all_derivations(1326.0, derivations.leaves, operations, 2)
    assert Derivation("Choose", (52.0, 2.0)) in reference
    assert singles(derivations, 1326.0) | pairs(derivations, 1326.0) == reference


def machine_value(step: Derivation, operations: OperationSet) -> float:
    """What the machine computes, as a program."""
    lines: list[str] = []

    def cell(number: float | Derivation) -> str:
        if isinstance(number, Derivation):
            arguments = ", ".join([cell(argument) for argument in number.arguments])
            lines.append(f"{number.operation}({arguments}) -> m")
        else:
            lines.append(f'Str_to_Float("{write_number(number)}") -> m')
        return f"m{len(lines)}"

    cell(step)
    value = execute(parse_program("\n".join(lines)), Problem("?"), operations).values[-1]
    assert isinstance(value, float)
    return value


written_numbers = st.one_of(
    st.integers(1, 60).map(float),
    st.integers(100, 5000).map(float),
    st.integers(1, 400).map(lambda tenths: tenths / 10),
)


@both_sets
@given(data=st.data())
@settings(max_examples=15)
def test_every_step_is_what_the_machine_computes(
    operations: OperationSet, data: st.DataObject
) -> None:
    leaves = data.draw(st.lists(written_numbers, min_size=1, max_size=3, unique=True))
    target = data.draw(targets(leaves))
    with few_constants():
        derivations = with_leaves(leaves, operations)
        for step in singles(derivations, target) | pairs(derivations, target):
            assert set(step.leaves()) <= set(derivations.leaves)
            assert step.value() == machine_value(step, operations)
            assert same(machine_value(step, operations), target)
            for argument in step.arguments:
                if isinstance(argument, Derivation):
                    assert may_nest(step.operation, argument.operation)
                    assert target not in step.leaves() or step.operation in NESTED


@both_sets
@given(early=leaf_sets, late=leaf_sets, data=st.data())
@settings(max_examples=15)
def test_numbers_added_later_are_not_used_for_earlier_targets(
    operations: OperationSet, early: list[float], late: list[float], data: st.DataObject
) -> None:
    target = data.draw(targets(early))
    with few_constants():
        derivations = with_leaves(early, operations)
        available = len(derivations.leaves)
        twos = derivations.two_steps(target)
        before = {step for two in twos for step in derivations.expand(two, target, available)}
        for leaf in late:
            derivations.add(leaf)
        after = {step for two in twos for step in derivations.expand(two, target, available)}
        assert after == before
        assert pairs(derivations, target, available) == before


def test_only_some_leaves_may_be_asked_for() -> None:
    derivations = with_leaves([8.0, 9.0, 17.0], PAPER)
    only = frozenset({8.0, 9.0, 2.0})
    twos = derivations.two_steps(34.0)
    found = {step for two in twos for step in derivations.expand(two, 34.0, only=only)}
    assert Derivation("Multiply", (Derivation("Add", (8.0, 9.0)), 2.0)) in found
    assert all(only.issuperset(step.leaves()) for step in found)
    everything = {step for two in twos for step in derivations.expand(two, 34.0)}
    assert found == {step for step in everything if only.issuperset(step.leaves())}


def test_a_number_is_added_once() -> None:
    derivations = DerivationFinder(PAPER)
    assert derivations.add(52.0) == derivations.add(52.0) == len(derivations.leaves) - 1
    assert derivations.add(2.0) == OPERAND_VALUES.index(2.0)


@pytest.mark.parametrize(
    ("target", "leaves", "step"),
    [
        (1326.0, [52.0], Derivation("Choose", (52.0, 2.0))),
        (1 / 221, [6.0, 1326.0], Derivation("Divide", (6.0, 1326.0))),
        (720.0, [6.0], Derivation("Factorial", (6.0,))),
        (0.5, [30.0], Derivation("Sine", (Derivation("Degrees_to_Radians", (30.0,)),))),
        (13.0, [169.0], Derivation("Sqrt", (169.0,))),
        (-4.0, [8.0, 12.0], Derivation("Subtract", (8.0, 12.0))),
        (0.0, [8.0], Derivation("Subtract", (8.0, 8.0))),
    ],
)
def test_what_the_paper_has_is_found(target: float, leaves: list[float], step: Derivation) -> None:
    derivations = with_leaves(leaves, PAPER)
    assert step in singles(derivations, target) | pairs(derivations, target)


@pytest.mark.parametrize(
    ("target", "leaves", "step"),
    [
        (60.0, [20.0, 300.0], Derivation("Percent", (20.0, 300.0))),
        (2.0, [17.0, 5.0], Derivation("Remainder", (17.0, 5.0))),
        (2.0, [12.0, 18.0, 20.0], Derivation("Gcd", (Derivation("Gcd", (12.0, 18.0)), 20.0))),
        (33.0, [100.0, 3.0], Derivation("Floor", (Derivation("Divide", (100.0, 3.0)),))),
        (34.0, [100.0, 3.0], Derivation("Ceiling", (Derivation("Divide", (100.0, 3.0)),))),
        (4.0, [8.0, 12.0], Derivation("Absolute", (Derivation("Subtract", (8.0, 12.0)),))),
        (336.0, [8.0, 3.0], Derivation("Permutations", (8.0, 3.0))),
    ],
)
def test_what_the_extended_set_adds_is_found_there_only(
    target: float, leaves: list[float], step: Derivation
) -> None:
    extended, paper = with_leaves(leaves, EXTENDED), with_leaves(leaves, PAPER)
    assert step in singles(extended, target) | pairs(extended, target)
    assert step not in singles(paper, target) | pairs(paper, target)


@pytest.mark.parametrize(
    ("target", "leaves", "hidden"),
    [
        (15.0, [15.0, 8.0], Derivation("Subtract", (Derivation("Add", (15.0, 8.0)), 8.0))),
        (23.0, [15.0, 8.0], Derivation("Add", (Derivation("Multiply", (15.0, 1.0)), 8.0))),
        (8.0, [8.0, 3.0], Derivation("Divide", (Derivation("Multiply", (8.0, 3.0)), 3.0))),
    ],
)
def test_two_operations_never_hide_a_copy(
    target: float, leaves: list[float], hidden: Derivation
) -> None:
    found = pairs(with_leaves(leaves, PAPER), target)
    assert hidden not in found
    for step in found:
        assert target not in step.leaves()
