# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
"""Executing a checked program, beside a plain dictionary of lambdas."""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

from benchmarks.timing import best_seconds
from scratchwork import EXTENDED, Cell, check, parse_program, read_problems, source_tokens
from scratchwork.examples import example_path
from scratchwork.machine.expressions import (
    RationalExpression,
    add,
    divide,
    multiply,
    power,
    unknown,
)
from scratchwork.machine.operations import OperationError
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.programs import Reference

ARITHMETIC = """
Str_to_Float(x1) -> m
Str_to_Float(x2) -> m
Multiply(m1, m2) -> m
Add(m3, m1) -> m
Subtract(m4, m2) -> m
Divide(m5, m2) -> m
Sqrt(m6) -> m
Power(m2, m2) -> m
Choose(m1, m2) -> m
Float_to_Str(m9) -> m
"""

PLAIN: dict[str, Callable[..., Any]] = {
    "Str_to_Float": lambda a: float(a),
    "Multiply": lambda a, b: a * b,
    "Add": lambda a, b: a + b,
    "Subtract": lambda a, b: a - b,
    "Divide": lambda a, b: a / b,
    "Sqrt": lambda a: math.sqrt(a),
    "Power": lambda a, b: a**b,
    "Choose": lambda a, b: float(math.comb(int(a), int(b))),
    "Float_to_Str": lambda a: str(a),
}


def measure() -> Iterator[str]:
    """Microseconds a value of arithmetic, of the worked example, and of the costliest operands."""
    program = parse_program(ARITHMETIC)
    checked = check(program, 2)
    options = OptionIndex([])
    source = ["52", "3"]
    runs = 20_000

    def machine() -> None:
        for _ in range(runs):
            checked.run(source, options)

    steps = [(z.operation, [_slot(argument) for argument in z.arguments]) for z in program]

    def plain() -> None:
        for _ in range(runs):
            slots: list[Any] = list(source)
            for name, arguments in steps:
                slots.append(PLAIN[name](*[slots[k] for k in arguments]))

    values = runs * len(program)
    ours, theirs = best_seconds(machine) / values * 1e6, best_seconds(plain) / values * 1e6
    yield (
        f"arithmetic: {ours:.2f} us a value; a dictionary of lambdas {theirs:.2f}; "
        f"ratio {ours / theirs:.2f}"
    )

    kings = next(read_problems(example_path("kings.json")))
    tokens = source_tokens(kings)
    example = parse_program(example_path("kings.program").read_text("utf-8"))
    checked_example = check(example, len(tokens))
    kings_options = OptionIndex(kings.options)

    def worked_example() -> None:
        for _ in range(2000):
            checked_example.run(tokens, kings_options)

    per_value = best_seconds(worked_example) / (2000 * len(example)) * 1e6
    yield f"worked example: {per_value:.2f} us a value over {len(example)} instructions"
    yield f"costliest single call: {_costliest()}"


def _slot(argument: Reference) -> int:
    assert isinstance(argument, Cell)
    return argument.k + (1 if argument.room == "m" else -1)


def _costliest() -> str:
    """The slowest operation over operands chosen to be hard."""
    numbers = [0.0, 1.0, 17.0, 49.0, 170.5, 999_999.0, 1e14 + 1, 9.99e14, 1 / 3, math.pi, 1e-14]
    hard: dict[str, list[Any]] = {"number": numbers, "expression": _hard_expressions()}
    worst = (0.0, "")
    for one in EXTENDED.operations.values():
        for operation in filter(None, (one, one.with_unknowns)):
            if not hard.keys() >= set(operation.takes):
                continue
            for arguments in product(*(hard[kind] for kind in operation.takes)):

                def call(
                    function: Callable[..., Any] = operation.function,
                    arguments: tuple[Any, ...] = arguments,
                ) -> None:
                    with suppress(OperationError):
                        function(*arguments)

                seconds = best_seconds(call, repeats=3)
                worst = max(worst, (seconds, f"{operation.name}({', '.join(map(str, arguments))})"))
    return f"{worst[0] * 1e6:.1f} us, {worst[1]}"


def _hard_expressions() -> list[RationalExpression]:
    """Expressions with long numbers and many terms."""
    x, y = unknown("x"), unknown("y")
    long = add(multiply(x, 1234567.89012), 9.87654321012)
    both = add(add(long, multiply(y, 1.41421356237)), multiply(multiply(x, y), 3.0))
    return [
        x,
        long,
        both,
        multiply(long, long),
        multiply(add(x, 0.123456789), add(multiply(x, x), 0.987654321)),
        power(add(x, add(y, 0.123456)), 4.0),
        divide(multiply(x, x), add(multiply(x, x), 0.123456789)),
        divide(long, add(x, 1 / 7)),
        divide(both, add(y, multiply(x, 0.7))),
    ]
