"""Random programs, however wild: `make fuzz` runs many more of them."""

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from scratchwork import (
    EXTENDED,
    Cell,
    ExecutionError,
    Instruction,
    OperationSet,
    Problem,
    Program,
    Word,
    execute,
)
from scratchwork.machine.expressions import RationalExpression
from scratchwork.machine.operations import OPERATION_SETS, Type
from scratchwork.problems.numerals import LONGEST_NUMERAL

EXAMPLES = int(os.environ.get("SCRATCHWORK_FUZZ_EXAMPLES", "300"))

LONGEST_EXPRESSION_TEXT = 3_000
WITH_UNKNOWNS = """Str_to_Float Unknown Add Subtract Multiply Divide Power Percent Solve Larger_Root
    Smaller_Root Express Coefficient""".split()

numerals = st.one_of(
    st.integers(0, 10**20).map(str),
    st.decimals(0, 10**6, places=3).map(str),
    st.fractions(0, 100, max_denominator=1000).map(str),
    st.integers(1000, 10**9).map(lambda n: f"{n:,}"),
    st.sampled_from(["", "-", "9" * 500, "1/0", "-0", "0.000000000000000001", "nan", "1e400"]),
)
words = st.one_of(numerals, st.text(max_size=5))
cells = st.builds(Cell, st.sampled_from(["x", "y", "m"]), st.integers(0, 8))
wild = st.builds(
    Instruction,
    st.sampled_from([*EXTENDED.operations, "Nonsense"]),
    st.lists(st.one_of(cells, words.map(Word)), max_size=3).map(tuple),
    st.sampled_from(["y", "m"]),
)


@st.composite
def tame(draw: st.DrawFn) -> Program:
    """Programs with right types and references, so that execution gets far."""
    names = draw(st.sampled_from([sorted(EXTENDED.operations), WITH_UNKNOWNS]))
    program = [
        Instruction("Str_to_Float", (Word(draw(numerals)),), "m"),
        Instruction("Unknown", (Word(draw(st.sampled_from("xxxy"))),), "m"),
    ]
    held: dict[Type, list[Cell]] = {"number": [Cell("m", 1)], "expression": [Cell("m", 2)]}
    for position in range(3, draw(st.integers(3, 24))):
        name = draw(st.sampled_from(names))
        operation = EXTENDED[name]
        if operation.with_unknowns is not None and draw(st.booleans()):
            operation = operation.with_unknowns
        arguments: list[Cell | Word] = []
        for k, kind in enumerate(operation.takes):
            if kind == "expression" and k:  # beside an expression, a number stands for one
                arguments.append(draw(st.sampled_from(held["number"] + held["expression"])))
            elif kind in held:
                arguments.append(draw(st.sampled_from(held[kind])))
            else:
                arguments.append(Word(draw(words)))
        program.append(Instruction(name, tuple(arguments), "m"))
        if operation.gives in held:
            held[operation.gives].append(Cell("m", position))
    return Program(tuple(program))


@settings(max_examples=EXAMPLES)
@given(
    st.one_of(tame(), st.builds(Program, st.lists(wild, max_size=12).map(tuple))),
    st.lists(words, min_size=2, max_size=5),
    st.sampled_from(sorted(OPERATION_SETS)).map(lambda name: OPERATION_SETS[name]),
)
def test_any_program_ends_in_a_trace_or_in_an_execution_error(
    program: Program, options: list[str], operations: OperationSet
) -> None:
    problem = Problem("Take 52 of 1,000 and 3/4.", tuple(option + "." for option in options))
    try:
        trace = execute(program, problem, operations)
    except ExecutionError as error:
        assert error.kind in {"type", "reference", "domain", "range", "limit"}
        assert 1 <= error.position <= len(program)
        assert len(str(error)) < 2000
        return
    assert len(trace.values) == len(program)
    for z, value in zip(program, trace.values, strict=True):
        if isinstance(value, RationalExpression):
            assert len(str(value)) < LONGEST_EXPRESSION_TEXT
        elif not isinstance(value, str):
            assert value == 0 or 1e-15 <= abs(value) < 1e15
        elif z.operation.startswith("Float_to"):
            assert len(value) <= LONGEST_NUMERAL
