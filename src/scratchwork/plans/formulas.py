"""MathQA's formulas (`linear_formula`) as plans and programs.

Promises: `translate` turns a problem's formula into operations of the extended set; its named
constants and composite operations (areas, volumes, prices after a gain) are unfolded. The program
writes the result as its option does and ends in the letter that `Check` finds. `yields_label` says
whether that is the label: a formula need not be right. What cannot be translated raises
`FormulaError`.

Does not cover: numbers that the question gives in words, or half a fraction.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Union

from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import Program
from scratchwork.plans.compiling import StatedAnswer, compile_plan
from scratchwork.plans.plan import Argument, Given, Plan, PlanBuilder, PlanConstant, prune
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number, tokenise

FORMULA_FIELD = "linear_formula"

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


_Recipe = Union[str, "tuple[_Recipe, ...]"]
"""What a composite operation computes: an argument a, b or c, a constant, or an operation on
recipes."""

_PI: _Recipe = ("Degrees_to_Radians", "180")
_SQUARE: _Recipe = ("Multiply", "a", "a")
_HALF_PRODUCT: _Recipe = ("Divide", ("Multiply", "a", "b"), "2")
_SUM: _Recipe = ("Add", ("Add", "a", "b"), "c")
_HALF_SUM: _Recipe = ("Divide", _SUM, "2")
_CYLINDER: _Recipe = ("Multiply", _PI, ("Multiply", _SQUARE, "b"))
_FACES: _Recipe = (
    "Add",
    ("Add", ("Multiply", "a", "b"), ("Multiply", "b", "c")),
    ("Multiply", "c", "a"),
)


def _after(sign: str) -> _Recipe:
    """b, raised or lowered by a percent."""
    return ("Divide", ("Multiply", "b", (sign, "100", "a")), "100")


def _before(sign: str) -> _Recipe:
    """The number that becomes b when raised or lowered by a percent."""
    return ("Divide", ("Multiply", "b", "100"), (sign, "100", "a"))


def _heron() -> _Recipe:
    product: _Recipe = _HALF_SUM
    for side in "abc":
        product = ("Multiply", product, ("Subtract", _HALF_SUM, side))
    return ("Sqrt", product)


_COMPOSITE: dict[str, tuple[int, _Recipe]] = {
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
class TranslatedFormula:
    """A formula's plan, the program that follows it, and the letter it reaches, if any."""

    plan: Plan
    program: Program
    letter: str | None

    def yields_label(self, problem: Problem) -> bool:
        """Whether the letter is the labelled one."""
        return self.letter is not None and self.letter == problem.correct


def translate(problem: Problem) -> TranslatedFormula:
    """The plan and the program of a problem's formula."""
    plan = _plan_of(problem)
    try:
        trace = compile_plan(plan, [StatedAnswer()], problem)
        return TranslatedFormula(plan, trace.program, trace.answer)
    except ExecutionError:
        pass  # no option has the result; a program without options may still write it
    without_options = replace(problem, options=(), correct=None)
    try:
        trace = compile_plan(plan, [StatedAnswer()], without_options)
        return TranslatedFormula(plan, trace.program, None)
    except ExecutionError as error:
        raise FormulaError(str(error)) from error


def _plan_of(problem: Problem) -> Plan:
    """The plan of a problem's formula."""
    formula = problem.extra.get(FORMULA_FIELD)
    if not isinstance(formula, str) or not formula.strip("| "):
        raise FormulaError("there is no formula")
    reader = _Reader(tokenise(problem.question))
    for text in formula.strip("| ").split("|"):
        step = _STEP.fullmatch(text.strip())
        if step is None:
            raise FormulaError(f"{text.strip()!r} is no step of a formula")
        reader.step(step[1], [argument.strip() for argument in step[2].split(",")])
    return prune(reader.plan.steps, reader.results[-1])


class _Reader:
    """Reads the steps of a formula one by one."""

    def __init__(self, question: Sequence[str]) -> None:
        self.question = question
        self.numbers = _numbers(question)
        self.plan = PlanBuilder()
        self.results: list[Argument] = []

    def step(self, name: str, arguments: Sequence[str]) -> None:
        """Take the next step of the formula."""
        result = self.fraction(arguments) if name == "divide" else None
        if result is None:
            result = self.apply(name, [self.argument(argument) for argument in arguments])
        self.results.append(result)

    def argument(self, text: str) -> Argument:
        if text.startswith("#") and text[1:].isdigit() and int(text[1:]) < len(self.results):
            return self.results[int(text[1:])]
        if text.startswith("n") and text[1:].isdigit():
            return self.number(int(text[1:]))
        if text.startswith("const_"):
            return self.named_constant(text.removeprefix("const_"))
        raise FormulaError(f"{text} is neither a number, a constant nor a result")

    def number(self, k: int) -> Given:
        if k >= len(self.numbers):
            raise FormulaError(f"the question has no number {k}")
        place, numeral = self.numbers[k]
        if numeral != self.question[place - 1]:
            raise FormulaError(f"number {k} is half of the fraction {self.question[place - 1]}")
        return Given(place)

    def fraction(self, arguments: Sequence[str]) -> Given | None:
        """The fraction that two neighbouring numbers are, if they are one."""
        if len(arguments) != 2 or not all(re.fullmatch(r"n[0-9]+", a) for a in arguments):
            return None
        i, j = (int(argument[1:]) for argument in arguments)
        if j != i + 1 or j >= len(self.numbers) or self.numbers[i][0] != self.numbers[j][0]:
            return None
        return Given(self.numbers[i][0])

    def named_constant(self, name: str) -> Argument:
        if name == "pi":
            return self.unfold(_PI, {})
        if name in _FRACTIONS:
            return self.plan.step("Divide", *map(PlanConstant, _FRACTIONS[name]))
        numeral = name.replace("_", ".").removesuffix(".0")
        if not is_number(numeral):
            raise FormulaError(f"there is no constant {name}")
        return PlanConstant(numeral)

    def apply(self, name: str, arguments: Sequence[Argument]) -> Argument:
        if name in _DIRECT:
            operation = EXTENDED[_DIRECT[name]]
            if len(operation.takes) != len(arguments):
                raise FormulaError(f"{name} takes {len(operation.takes)} numbers")
            return self.plan.step(operation.name, *arguments)
        if name not in _COMPOSITE:
            raise FormulaError(f"there is no operation {name}")
        count, recipe = _COMPOSITE[name]
        if count != len(arguments):
            raise FormulaError(f"{name} takes {count} numbers")
        return self.unfold(recipe, dict(zip("abc", arguments, strict=False)))

    def unfold(self, recipe: _Recipe, arguments: Mapping[str, Argument]) -> Argument:
        """The result of a recipe."""
        if isinstance(recipe, str):
            return arguments[recipe] if recipe in arguments else PlanConstant(recipe)
        operation, *parts = recipe
        assert isinstance(operation, str)
        return self.plan.step(operation, *(self.unfold(part, arguments) for part in parts))


def _numbers(question: Sequence[str]) -> list[tuple[int, str]]:
    """Places and numerals as MathQA counts them: a fraction has two."""
    numbers: list[tuple[int, str]] = []
    for place, token in enumerate(question, 1):
        if is_number(token):
            numbers += ((place, part) for part in token.split("/"))
    return numbers
