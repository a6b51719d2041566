"""Plans written as arithmetic: `(n1 - n2) * 100 / n1`.

Promises: `parse_plan` reads the four operations, powers (`**`), and calls of the machine's other
operations in lower case (`sqrt(n1)`, `choose(n1, 2)`). `n1` is the question's first number, in
digits or in words; other numbers must be documented constants, such as the fraction `1/3`. A single
letter is an unknown, for equations: `solve(2*x + n1, n2)`. Equal subexpressions become one step.
Anything else raises `PlanExpressionError` with the reason. `write_plan` writes a plan so that
`parse_plan` reads it back.

Does not cover: whether a plan is right; nothing is computed here.
"""

import ast

from scratchwork.machine.constants import CONSTANT_VALUES, NUMERALS
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.operations import EXTENDED, Type
from scratchwork.plans.plan import (
    PLAN_OPERATIONS,
    Argument,
    Given,
    Plan,
    PlanBuilder,
    PlanConstant,
    PlanUnknown,
    PlanWord,
    Result,
)
from scratchwork.problems.tokens import tokenise

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "Add",
    ast.Sub: "Subtract",
    ast.Mult: "Multiply",
    ast.Div: "Divide",
    ast.Pow: "Power",
}
_WRITTEN_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
_CALLS = {name.lower(): EXTENDED[name] for name in PLAN_OPERATIONS if name not in _SIGNS.values()}


class PlanExpressionError(ValueError):
    """Why an expression is not a plan for the question."""


def parse_plan(expression: str, question: str) -> Plan:
    """The plan that an expression describes for a question."""
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise PlanExpressionError(f"{expression!r} is no arithmetic") from error
    places = [k + 1 for k in sorted(numbers_in(tokenise(question)))]
    reader = _Reader(places)
    answer = reader.argument(tree)
    if not isinstance(answer, Result):
        raise PlanExpressionError(f"{expression!r} computes nothing")
    if reader.type_of(answer) != "number":
        raise PlanExpressionError(f"{expression!r} is no number, its unknown is not solved for")
    return Plan(tuple(reader.plan.steps), answer)


def write_plan(plan: Plan, question: str) -> str:
    """The expression that describes a plan without unknowns for a question."""
    names = {
        place + 1: f"n{k}" for k, place in enumerate(sorted(numbers_in(tokenise(question))), 1)
    }
    signs = {name: _WRITTEN_SIGNS[sign] for sign, name in _SIGNS.items()}

    def written(argument: Argument, *, inside: bool = True) -> str:
        match argument:
            case Given(place):
                return names[place]
            case PlanConstant(numeral):
                return numeral
            case PlanUnknown(letter):
                return letter
            case PlanWord(text):
                return f'"{text}"'
            case Result(k):
                step = plan.steps[k]
                if step.operation not in signs:
                    arguments = (written(one, inside=False) for one in step.arguments)
                    return f"{step.operation.lower()}({', '.join(arguments)})"
                text = f" {signs[step.operation]} ".join(map(written, step.arguments))
                return f"({text})" if inside else text

    return written(plan.answer, inside=False)


class _Reader:
    """Reads an expression from its leaves up."""

    def __init__(self, places: list[int]) -> None:
        self.places = places
        self.plan = PlanBuilder()
        self._expressions: set[Result] = set()

    def type_of(self, argument: Argument) -> Type:
        """Whether an argument is a number or an expression."""
        is_unknown = isinstance(argument, PlanUnknown) or argument in self._expressions
        return "expression" if is_unknown else "number"

    def argument(self, tree: ast.expr) -> Argument:
        match tree:
            case ast.BinOp(ast.Constant(int(a)), ast.Div(), ast.Constant(int(b))) if (
                f"{a}/{b}" in CONSTANT_VALUES
            ):
                return PlanConstant(f"{a}/{b}")
            case ast.BinOp(left, sign, right) if type(sign) in _SIGNS:
                return self._step(_SIGNS[type(sign)], left, right)
            case ast.Call(ast.Name(name), arguments, []) if name in _CALLS:
                takes = len(_CALLS[name].takes)
                if len(arguments) != takes:
                    raise PlanExpressionError(f"{name} takes {takes} numbers")
                return self._step(_CALLS[name].name, *arguments)
            case ast.Name(name) if name[0] == "n" and name[1:].isdecimal():
                return self._given(int(name[1:]))
            case ast.Name(letter) if len(letter) == 1:
                return PlanUnknown(letter)
            case ast.Constant(int(value) | float(value)):
                if value not in NUMERALS:
                    raise PlanExpressionError(f"{value} is no documented constant")
                return PlanConstant(NUMERALS[value])
            case _:
                raise PlanExpressionError(f"{ast.unparse(tree)!r} cannot be part of a plan")

    def _given(self, number: int) -> Given:
        if not 1 <= number <= len(self.places):
            raise PlanExpressionError(
                f"the question has {len(self.places)} numbers, and no n{number}"
            )
        return Given(self.places[number - 1])

    def _step(self, operation: str, *trees: ast.expr) -> Result:
        arguments = [self.argument(tree) for tree in trees]
        types: list[Type] = [self.type_of(argument) for argument in arguments]
        meant = EXTENDED[operation].applied_to(types)
        misfit = meant.misfit(types)
        if misfit is not None:
            part, wanted = ast.unparse(trees[misfit]), meant.takes[misfit]
            raise PlanExpressionError(f"{part!r} is no {wanted}, which {operation.lower()} takes")
        result = self.plan.step(operation, *arguments)
        if meant.gives == "expression":
            self._expressions.add(result)
        return result
