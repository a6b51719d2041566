"""Plans of problems that come with what computes their answer, written in signs.

Promises: `plan_of_statements` reads a program of statements in the fields `program` and `asked`
(`c = 11 + 7; n = c - 6`); an equation in which an unknown occurs once (`12 = 6 + u`) is solved by
rearranging it. `plan_of_calculations` reads a list of calculations in the field `calculator`
(`2*16=32`), each of which may use the results of earlier ones. A number written in them is one of
the question's, or a documented constant, or a percentage of the question's as a share (0.25 where
the question has 25). A plan counts only if its result is the answer.

Does not cover: several equations with several unknowns each; which of two equal numbers of the
question is meant, where the order in which they are used does not tell.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from scratchwork.machine.constants import NUMERALS
from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.written_values import values_of
from scratchwork.plans.compiling import results_of
from scratchwork.plans.plan import Argument, Given, Plan, PlanBuilder, PlanConstant, Result, prune
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise

PROGRAM_FIELD, ASKED_FIELD, CALCULATOR_FIELD = "program", "asked", "calculator"
ANSWER_FIELD = "answer"
_CLOSE = 1e-4
"""Answers are written with few decimals: a result may differ by this share."""
_MOST_STATEMENTS = 100
_LONGEST = 2_000
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "Add",
    ast.Sub: "Subtract",
    ast.Mult: "Multiply",
    ast.Div: "Divide",
    ast.Pow: "Power",
    ast.Mod: "Remainder",
}
_UNDONE_LEFT = {"Add": "Subtract", "Subtract": "Add", "Multiply": "Divide", "Divide": "Multiply"}
"""How to get x from the value of `x + a`, and so on."""


class _UnreadableError(Exception):
    """What is written is no plan."""


def given_answer(problem: Problem) -> float | None:
    """The number that a problem without options gives as its answer; none if it is not one."""
    answer = problem.extra.get(ANSWER_FIELD)
    values = values_of(answer) if isinstance(answer, str) else []
    return values[0] if values else None


def plan_of_statements(problem: Problem) -> Plan | None:
    """The plan of a problem's program, if that gives its answer."""
    program, asked = (problem.extra.get(field) for field in (PROGRAM_FIELD, ASKED_FIELD))
    if not isinstance(program, str) or not isinstance(asked, str):
        return None
    try:
        return _checked(_Statements(problem).plan(program, asked), problem)
    except _UnreadableError:
        return None


def plan_of_calculations(problem: Problem) -> Plan | None:
    """The plan of a problem's calculations, if their last result that equals the answer is it."""
    calculations: object = problem.extra.get(CALCULATOR_FIELD)
    answer = given_answer(problem)
    if not isinstance(calculations, list) or answer is None:
        return None
    texts = [str(text) for text in cast("list[object]", calculations)]
    try:
        return _checked(_Calculations(problem).plan(texts, answer), problem)
    except _UnreadableError:
        return None


def _checked(plan: Plan, problem: Problem) -> Plan | None:
    """The plan, if it computes the answer."""
    answer = given_answer(problem)
    if answer is None or not plan.steps:
        return None
    try:
        result = results_of(plan.steps, replace(problem, options=(), correct=None))[-1]
    except ExecutionError:
        return None
    is_right = isinstance(result, float) and is_about(result, answer)
    return plan if is_right else None


def is_about(result: float, answer: float) -> bool:
    """Whether numbers differ by no more than an answer's rounding."""
    return abs(result - answer) <= _CLOSE * max(abs(result), abs(answer))


class _Numbers:
    """Finds the numbers that are written among those of the question; an equal one that was not
    used comes first."""

    def __init__(self, problem: Problem) -> None:
        self._places: dict[float, list[int]] = {}
        for place, value in numbers_in(tokenise(problem.question)).items():
            self._places.setdefault(value, []).append(place + 1)
        self._used: set[int] = set()
        self.plan = PlanBuilder()

    def unused(self, value: float) -> Given | None:
        """A number of the question that nothing has used."""
        free = [place for place in self._places.get(value, ()) if place not in self._used]
        if not free:
            return None
        self._used.add(free[0])
        return Given(free[0])

    def of(self, value: float) -> Argument | None:
        """The number that a value stands for."""
        given = self.unused(value)
        if given is not None:
            return given
        if value in self._places:
            return Given(self._places[value][-1])
        percentage = None if value.is_integer() else self._percentage(value)
        if percentage is not None or value not in NUMERALS:
            return percentage
        return PlanConstant(NUMERALS[value])

    def _percentage(self, value: float) -> Result | None:
        """A share that the question gives as a percentage, or what it leaves or comes to."""
        hundred = PlanConstant("100")
        for percent, sign in (
            (value * 100, None),
            (100 - value * 100, "Subtract"),
            (value * 100 - 100, "Add"),
        ):
            places = self._places.get(round(percent, 9))
            if places:
                given = Given(places[0])
                return self.plan.step(
                    "Divide", self.plan.step(sign, hundred, given) if sign else given, hundred
                )
        return None


def _tree_of(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise _UnreadableError
    try:
        return ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _UnreadableError from error


def _sides(statement: str) -> tuple[ast.expr, ast.expr]:
    sides = statement.split("=")
    if len(sides) != 2:
        raise _UnreadableError
    return _tree_of(sides[0]), _tree_of(sides[1])


def _names(tree: ast.expr) -> list[str]:
    """The names in an expression, as often as they occur."""
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _fraction(tree: ast.expr) -> float | None:
    """The value of a quotient of two numbers that may be written as one."""
    match tree:
        case ast.BinOp(ast.Constant(int(a)), ast.Div(), ast.Constant(int(b))) if b and a % b:
            return a / b
        case _:
            return None


class _Reader:
    """Adds the steps of expressions to a plan."""

    def __init__(self, problem: Problem) -> None:
        self.numbers = _Numbers(problem)
        self.step = self.numbers.plan.step

    def number(self, value: float) -> Argument:
        found = self.numbers.of(value)
        if found is None:
            raise _UnreadableError
        return found

    def argument(self, tree: ast.expr, known: Mapping[str, Argument]) -> Argument:
        """What an expression computes."""
        fraction = _fraction(tree)
        if fraction is not None and (given := self.numbers.unused(fraction)) is not None:
            return given
        match tree:
            case ast.BinOp(left, sign, right) if type(sign) in _SIGNS:
                first = self.argument(left, known)
                return self.step(_SIGNS[type(sign)], first, self.argument(right, known))
            case ast.UnaryOp(ast.USub(), operand):
                return self.step("Subtract", PlanConstant("0"), self.argument(operand, known))
            case ast.Name(name) if name in known:
                return known[name]
            case ast.Constant(int(value) | float(value)):
                return self.number(float(value))
            case _:
                raise _UnreadableError

    def finished(self, answer: Argument) -> Plan:
        """The plan of an answer."""
        if not isinstance(answer, Result):
            raise _UnreadableError
        return prune(self.numbers.plan.steps, answer)


class _Statements(_Reader):
    """Reads a program of statements."""

    def plan(self, program: str, asked: str) -> Plan:
        waiting = [_sides(text) for text in program.split(";")[:_MOST_STATEMENTS] if text.strip()]
        known: dict[str, Argument] = {}
        while waiting:
            left = [sides for sides in waiting if not self._is_solved(*sides, known)]
            if len(left) == len(waiting):
                break
            waiting = left
        return self.finished(self.argument(_tree_of(asked), known))

    def _is_solved(self, left: ast.expr, right: ast.expr, known: dict[str, Argument]) -> bool:
        """Whether an equation has become known, since one unknown occurs in it, and once."""
        for side, other in ((left, right), (right, left)):
            unknown = [name for name in _names(side) if name not in known]
            if len(unknown) == 1 and not set(_names(other)) - known.keys():
                known[unknown[0]] = self._rearranged(side, self.argument(other, known), known)
                return True
        return not {*_names(left), *_names(right)} - known.keys()

    def _rearranged(
        self, tree: ast.expr, value: Argument, known: Mapping[str, Argument]
    ) -> Argument:
        """The one unknown in an expression whose value is known."""
        while not isinstance(tree, ast.Name):
            match tree:
                case ast.BinOp(ast.Name(name) as left, ast.Pow(), right) if name not in known:
                    one_by = self.step("Divide", PlanConstant("1"), self.argument(right, known))
                    tree, value = left, self.step("Power", value, one_by)
                    continue
                case ast.BinOp(left, sign, right) if _SIGNS.get(type(sign)) in _UNDONE_LEFT:
                    operation = _SIGNS[type(sign)]
                case _:
                    raise _UnreadableError
            is_left = any(name not in known for name in _names(left))
            if is_left:
                other = self.argument(right, known)
                tree, value = left, self.step(_UNDONE_LEFT[operation], value, other)
                continue
            other = self.argument(left, known)
            if operation in ("Subtract", "Divide"):  # a - x is b where x is a - b
                value = self.step(operation, other, value)
            else:
                value = self.step(_UNDONE_LEFT[operation], value, other)
            tree = right
        return value


class _Calculations(_Reader):
    """Reads calculations one after the other."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._results: list[tuple[float, Result]] = []
        self._waiting: set[Result] = set()
        """Results that nothing has used."""

    def plan(self, texts: Sequence[str], answer: float) -> Plan:
        found: Argument | None = None
        for text in texts[:_MOST_STATEMENTS]:
            left, right = _sides(_without_units(text))
            value = next(_value_of(right), None)
            if value is None:
                raise _UnreadableError
            result = self.argument(left, {})
            if not isinstance(result, Result):
                continue
            self._results.append((value, result))
            self._waiting.add(result)
            found = result if is_about(value, answer) else found
        if found is None:
            raise _UnreadableError
        return self.finished(found)

    def number(self, value: float) -> Argument:
        """A result that waits to be used comes first, then the question's numbers."""
        equal = [result for known, result in reversed(self._results) if is_about(known, value)]
        waiting = [result for result in equal if result in self._waiting]
        given = None if waiting else self.numbers.unused(value)
        if given is not None:
            return given
        if equal:
            result = (waiting or equal)[0]
            self._waiting.discard(result)
            return result
        return super().number(value)


def _without_units(text: str) -> str:
    """A calculation with plain numbers: `$1,200*20%` is `1200*20/100`."""
    return text.replace("$", "").replace(",", "").replace("%", "/100")


def _value_of(tree: ast.expr) -> Iterator[float]:
    """The number that is written behind the sign of equality."""
    match tree:
        case ast.Constant(int(value) | float(value)):
            yield float(value)
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value) | float(value))):
            yield -float(value)
        case _:
            fraction = _fraction(tree)
            if fraction is not None:
                yield fraction
