"""MathQA's formulas (`linear_formula`) as programs.

Promises: `program_of` translates a formula into instructions of the extended set: numbers are read
from the question, constants and composite operations (areas, volumes, prices after a gain) are
unfolded into the machine's own. The program writes the result, as an option writes it where that
takes rounding, and ends in the letter that `Check` finds. `yields_label` says whether that is the
labelled one: a formula need not be right. What cannot be translated raises `FormulaError`.

Does not cover: numbers that stand in the question as words, or as half of a fraction that the
formula does not use as a whole.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

from scratchwork.machine.execution import ExecutionError, execute
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import Cell, Instruction, Program, Reference, Word
from scratchwork.machine.spelling import reading
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import (
    END_OF_RATIONALE,
    END_OF_SEQUENCE,
    is_number,
    source_tokens,
)

FORMULA = "linear_formula"

_STEP = re.compile(r"([a-z_]+)\((.*)\)")
_DIRECT = {
    "add": "Add",
    "subtract": "Subtract",
    "multiply": "Multiply",
    "divide": "Divide",
    "power": "Power",
    "sqrt": "Sqrt",
    "factorial": "Factorial",
    "floor": "Floor",
    "reminder": "Remainder",
    "choose": "Choose",
    "permutation": "Permutations",
    "lcm": "Lcm",
    "gcd": "Gcd",
    "log": "Log",
    "max": "Max",
    "min": "Min",
    "sine": "Sine",
    "cosine": "Cosine",
    "tangent": "Tangent",
    "rectangle_area": "Multiply",
    "speed": "Divide",
    "square_edge_by_area": "Sqrt",
}
_FRACTIONS = {"0_2778": ("5", "18"), "0_33": ("1", "3"), "0_3937": ("1", "2.54")}


Recipe = Union[str, "tuple[Recipe, ...]"]
"""A composite operation: an argument a, b or c, a constant, or an operation on recipes."""

_PI: Recipe = ("Degrees_to_Radians", "180")
_SQUARE: Recipe = ("Multiply", "a", "a")
_HALF_PRODUCT: Recipe = ("Divide", ("Multiply", "a", "b"), "2")
_SUM: Recipe = ("Add", ("Add", "a", "b"), "c")
_HALF_SUM: Recipe = ("Divide", _SUM, "2")
_CYLINDER: Recipe = ("Multiply", _PI, ("Multiply", _SQUARE, "b"))
_FACES: Recipe = (
    "Add",
    ("Add", ("Multiply", "a", "b"), ("Multiply", "b", "c")),
    ("Multiply", "c", "a"),
)


def _after(sign: str) -> Recipe:
    """b, changed by a percent."""
    return ("Divide", ("Multiply", "b", (sign, "100", "a")), "100")


def _before(sign: str) -> Recipe:
    """What became b when it was changed by a percent."""
    return ("Divide", ("Multiply", "b", "100"), (sign, "100", "a"))


def _heron() -> Recipe:
    product: Recipe = _HALF_SUM
    for side in "abc":
        product = ("Multiply", product, ("Subtract", _HALF_SUM, side))
    return ("Sqrt", product)


_COMPOSITE: dict[str, tuple[int, Recipe]] = {
    "inverse": (1, ("Divide", "1", "a")),
    "negate": (1, ("Subtract", "0", "a")),
    "negate_prob": (1, ("Subtract", "1", "a")),
    "square_area": (1, _SQUARE),
    "square_perimeter": (1, ("Multiply", "4", "a")),
    "rhombus_perimeter": (1, ("Multiply", "4", "a")),
    "square_edge_by_perimeter": (1, ("Divide", "a", "4")),
    "rectangle_perimeter": (2, ("Multiply", "2", ("Add", "a", "b"))),
    "triangle_area": (2, _HALF_PRODUCT),
    "rhombus_area": (2, _HALF_PRODUCT),
    "triangle_perimeter": (3, _SUM),
    "triangle_area_three_edges": (3, _heron()),
    "quadrilateral_area": (3, ("Divide", ("Multiply", "a", ("Add", "b", "c")), "2")),
    "diagonal": (2, ("Sqrt", ("Add", _SQUARE, ("Multiply", "b", "b")))),
    "circle_area": (1, ("Multiply", _PI, _SQUARE)),
    "circumface": (1, ("Multiply", _PI, ("Multiply", "2", "a"))),
    "volume_cube": (1, ("Power", "a", "3")),
    "surface_cube": (1, ("Multiply", "6", _SQUARE)),
    "cube_edge_by_volume": (1, ("Power", "a", ("Divide", "1", "3"))),
    "volume_rectangular_prism": (3, ("Multiply", ("Multiply", "a", "b"), "c")),
    "surface_rectangular_prism": (3, ("Multiply", "2", _FACES)),
    "volume_cylinder": (2, _CYLINDER),
    "volume_cone": (2, ("Divide", _CYLINDER, "3")),
    "surface_cylinder": (
        2,
        ("Multiply", _PI, ("Multiply", ("Multiply", "2", "a"), ("Add", "a", "b"))),
    ),
    "surface_sphere": (1, ("Multiply", _PI, ("Multiply", "4", _SQUARE))),
    "volume_sphere": (
        1,
        ("Divide", ("Multiply", _PI, ("Multiply", "4", ("Power", "a", "3"))), "3"),
    ),
    "p_after_gain": (2, _after("Add")),
    "p_after_loss": (2, _after("Subtract")),
    "original_price_before_gain": (2, _before("Add")),
    "original_price_before_loss": (2, _before("Subtract")),
    "stream_speed": (2, ("Divide", ("Subtract", "a", "b"), "2")),
    "speed_in_still_water": (2, ("Divide", ("Add", "a", "b"), "2")),
}


class FormulaError(ValueError):
    """Why a formula cannot be translated."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A formula's program, and the letter it reaches, if any."""

    program: Program
    letter: str | None

    def yields_label(self, problem: Problem) -> bool:
        """Whether the letter is the labelled one."""
        return self.letter is not None and self.letter == problem.correct


class _Writer:
    """Instructions in the making."""

    def __init__(self, source: list[str], question_length: int) -> None:
        self.source = source
        self.instructions: list[Instruction] = []
        self.filled = 0
        self.known: dict[str, Cell] = {}
        self.numbers = _numbers(source[:question_length])

    def remember(self, operation: str, *arguments: Reference) -> Cell:
        self.instructions.append(Instruction(operation, arguments, "m"))
        self.filled += 1
        return Cell("m", self.filled)

    def constant(self, numeral: str) -> Cell:
        if numeral not in self.known:
            self.known[numeral] = self.remember(reading(numeral), Word(numeral))
        return self.known[numeral]

    def argument(self, text: str, results: list[Cell]) -> Cell:
        if text.startswith("#") and text[1:].isdigit() and int(text[1:]) < len(results):
            return results[int(text[1:])]
        if text.startswith("n") and text[1:].isdigit():
            return self.number(int(text[1:]))
        if text.startswith("const_"):
            return self.named_constant(text.removeprefix("const_"))
        raise FormulaError(f"{text} is neither a number, a constant nor a result")

    def number(self, k: int) -> Cell:
        if k >= len(self.numbers):
            raise FormulaError(f"the question has no number {k}")
        position, numeral = self.numbers[k]
        if numeral != self.source[position - 1]:
            raise FormulaError(f"number {k} is half of the fraction {self.source[position - 1]}")
        key = f"x{position}"
        if key not in self.known:
            self.known[key] = self.remember(reading(numeral), Cell("x", position))
        return self.known[key]

    def fraction(self, arguments: list[str]) -> Cell | None:
        """The fraction that two neighbouring numbers are, if they are one."""
        if len(arguments) != 2 or not all(re.fullmatch(r"n[0-9]+", a) for a in arguments):
            return None
        i, j = (int(argument[1:]) for argument in arguments)
        if j != i + 1 or j >= len(self.numbers) or self.numbers[i][0] != self.numbers[j][0]:
            return None
        return self.remember("Fraction_to_Float", Cell("x", self.numbers[i][0]))

    def named_constant(self, name: str) -> Cell:
        if name == "pi":
            return self.unfold(_PI, {})
        if name in _FRACTIONS:
            top, bottom = _FRACTIONS[name]
            return self.remember("Divide", self.constant(top), self.constant(bottom))
        numeral = name.replace("_", ".").removesuffix(".0")
        if not is_number(numeral):
            raise FormulaError(f"there is no constant {name}")
        return self.constant(numeral)

    def apply(self, name: str, arguments: list[Cell]) -> Cell:
        if name in _DIRECT:
            operation = EXTENDED[_DIRECT[name]]
            if len(operation.takes) != len(arguments):
                raise FormulaError(f"{name} takes {len(operation.takes)} numbers")
            return self.remember(operation.name, *arguments)
        if name not in _COMPOSITE:
            raise FormulaError(f"there is no operation {name}")
        count, recipe = _COMPOSITE[name]
        if count != len(arguments):
            raise FormulaError(f"{name} takes {count} numbers")
        return self.unfold(recipe, dict(zip("abc", arguments, strict=False)))

    def unfold(self, recipe: Recipe, arguments: Mapping[str, Cell]) -> Cell:
        """The cell of a composite operation's result."""
        if isinstance(recipe, str):
            return arguments[recipe] if recipe in arguments else self.constant(recipe)
        operation, *parts = recipe
        assert isinstance(operation, str)
        return self.remember(operation, *(self.unfold(part, arguments) for part in parts))


def _numbers(question: list[str]) -> list[tuple[int, str]]:
    """The numbers as MathQA counts them: those of a fraction are two."""
    numbers: list[tuple[int, str]] = []
    for position, token in enumerate(question, 1):
        if is_number(token):
            numbers += ((position, part) for part in token.split("/"))
    return numbers


def program_of(problem: Problem) -> Translated:
    """The program of a problem's formula."""
    formula = problem.extra.get(FORMULA)
    if not isinstance(formula, str) or not formula.strip("| "):
        raise FormulaError("there is no formula")
    source = source_tokens(problem)
    question_length = source.index("<O>") if problem.options else len(source)
    writer = _Writer(source, question_length)
    results: list[Cell] = []
    for text in formula.strip("| ").split("|"):
        step = _STEP.fullmatch(text.strip())
        if step is None:
            raise FormulaError(f"{text.strip()!r} is no step of a formula")
        arguments = [argument.strip() for argument in step[2].split(",")]
        result = writer.fraction(arguments) if step[1] == "divide" else None
        if result is None:
            cells = [writer.argument(argument, results) for argument in arguments]
            result = writer.apply(step[1], cells)
        results.append(result)
    return _finished(problem, writer, results[-1])


def _finished(problem: Problem, writer: _Writer, result: Cell) -> Translated:
    """Write the result so that `Check` finds an option, rounded if need be."""
    plain: list[list[Instruction]] = []
    for operation, places in (
        ("Float_to_Str", None),
        ("Float_to_Fraction", None),
        ("Float_to_Decimal", "2"),
        ("Float_to_Decimal", "1"),
        ("Float_to_Decimal", "0"),
    ):
        more: list[Instruction] = []
        arguments: tuple[Reference, ...] = (result,)
        if places is not None:
            more.append(Instruction("Str_to_Float", (Word(places),), "m"))
            arguments = (result, Cell("m", writer.filled + 1))
        more.append(Instruction(operation, arguments, "y"))
        plain.append(more)
    for more in plain:
        program = Program((*writer.instructions, *more, *_ENDING))
        try:
            return Translated(program, execute(program, problem, EXTENDED).answer)
        except ExecutionError:
            continue
    program = Program((*writer.instructions, *plain[0]))
    try:
        execute(program, problem, EXTENDED)
    except ExecutionError as error:
        raise FormulaError(str(error)) from error
    return Translated(program, None)


_ENDING = (
    Instruction("Id", (Word(END_OF_RATIONALE),), "y"),
    Instruction("Check", (Cell("y", 1),), "y"),
    Instruction("Id", (Word(END_OF_SEQUENCE),), "y"),
)
