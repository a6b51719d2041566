"""Equations solved by the machine, in steps that a pupil would take.

Promises: `roots_of` solves an equation in one unknown, or two equations in two, one put into the
other; it keeps the roots that fulfil what else is said, and computes what is wanted of them. It
writes down what follows from what, and raises `NoValueError` where nothing does.

Does not cover: three unknowns, and two equations that are not linear in one of theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scratchwork.exact.asked import BLANK, Claim, Equations
from scratchwork.exact.matching import Said
from scratchwork.exact.no_value import BeyondError, NoValueError, sentence_for
from scratchwork.exact.writing import Item, Values, Work
from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.expressions import RationalExpression
from scratchwork.machine.trees import NumberNode, UnknownNode, letters_of, operation
from scratchwork.plans.equations import sign_before, written_value
from scratchwork.plans.plan import Argument, Result

_ZERO = 1e-9
"""Numbers nearer to zero are float noise."""


def holds(sign: str, relation: str) -> bool:
    """Whether a relation is true of two values between which a sign stands: `<`, `=` or `>`."""
    return sign != "=" if relation == "!=" else sign in relation


def sign_of(difference: float) -> str:
    """The sign between two values with this difference."""
    return "=" if abs(difference) < _ZERO else ">" if difference > 0 else "<"


def roots_of(asked: Equations, work: Work) -> Said:
    """What is to be said of the roots, or of what is wanted of them."""
    unknowns = _unknowns(*asked.equations)
    if len(unknowns) > 2:
        count = len(unknowns)
        raise NoValueError(f"There are {count} unknowns; equations in one or two are solved.")
    solving = _Solving(asked, work)
    return solving.of_one(unknowns[0]) if len(unknowns) == 1 else solving.of_two(unknowns)


@dataclass(frozen=True)
class _Solving:
    """Equations in one or two unknowns, and the plan that solves them."""

    asked: Equations
    work: Work

    def of_one(self, name: str) -> Said:
        """The roots of the first equation that fulfil all else."""
        first, *others = self.asked.equations
        roots = [root for root in self.roots(first, {}) if self.is_kept(root, name, others)]
        if not roots:
            raise NoValueError("There is no solution: not all that is said can be true.")
        if len(roots) == 2 and self.asked.which in ("larger", "smaller"):
            roots = [roots[1] if self.asked.which == "larger" else roots[0]]
        self.say_equation(first)
        if self.asked.wanted:
            self.work.say_so(*self.stated([{name: root} for root in roots]))
            return self.wanted([{name: root} for root in roots])
        return self.answered([{name: root} for root in roots])

    def roots(self, equation: Claim, known: Values) -> list[Result]:
        """The roots of an equation in one unknown, the smaller first."""
        sides = [self.work.compute(side, known) for side in (equation.left, equation.right)]
        roots = [self.work.step(name, *sides) for name in ("Smaller_Root", "Larger_Root")]
        smaller, larger = map(self.work.number, roots)
        return roots[:1] if smaller == larger else roots

    def root(self, equation: Claim, known: Values) -> Result:
        """The only root of an equation, with the line that finds it."""
        if len(self.roots(equation, known)) > 1:
            raise BeyondError
        sides = [self.work.compute(side, known) for side in (equation.left, equation.right)]
        root = self.work.step("Solve", *sides)
        self.work.say_solved(root)
        return root

    def is_kept(self, root: Result, name: str, others: Sequence[Claim]) -> bool:
        """Whether a root is asked for, and makes the other equations and conditions true."""
        number = self.work.number(root)
        which = self.asked.which
        if (which == "positive" and number <= 0) or (which == "negative" and number >= 0):
            return False
        for one in (*others, *self.asked.conditions):
            difference = self.work.compute(operation("Subtract", one.left, one.right), {name: root})
            self.work.pass_over_steps()
            if not holds(sign_of(self.work.number(difference)), one.relation):
                return False
        return True

    def of_two(self, unknowns: Sequence[str]) -> Said:
        """One unknown found by itself or expressed by the other, then put into the rest."""
        equations = sorted(self.asked.equations, key=lambda one: len(_unknowns(one)))
        if len(equations) == 1:
            return self.undetermined(equations[0])
        if len(equations) > 2:
            raise BeyondError
        first, second = equations
        if len(_unknowns(first)) == 1:
            (name,) = _unknowns(first)
            found: Values = {name: self.root(first, {})}
            rest = second
        else:
            name, expressed = self.expressed(first)
            (name,) = {*unknowns} - {name}
            try:
                found = {name: self.root(second, expressed)}
            except ExecutionError as error:
                raise NoValueError(_of_both(error)) from error
            rest = first
        (other,) = {*unknowns} - {name}
        both = {**found, other: self.root(rest, found)}
        if self.asked.wanted:
            return self.wanted([both])
        return self.answered([{one: both[one] for one in sorted(both)}])

    def expressed(self, equation: Claim) -> tuple[str, Values]:
        """An unknown of an equation in two, by the other."""
        work = self.work
        sides = [work.compute(side) for side in (equation.left, equation.right)]
        result = work.step("Express", *sides)
        expression = work.results()[result.step]
        assert isinstance(expression, RationalExpression)
        others = {*expression.numerator.unknowns, *expression.denominator.unknowns}
        names = [name for name in sorted(_unknowns(equation)) if name not in others]
        work.say_solved(result)
        return names[0], {names[0]: result}

    def undetermined(self, equation: Claim) -> Said:
        """One equation in two unknowns settles only some expressions of them."""
        work = self.work
        if len(self.asked.wanted) == 1:
            (tree,) = self.asked.wanted
            _, known = self.expressed(equation)
            whole = work.compute(tree, known)
            slope, constant = (
                work.step("Coefficient", whole, work.compute(NumberNode(power))) for power in "10"
            )
            if work.number(slope) == 0:
                work.say(work.compute(tree), "=", constant)
                work.answer(constant)
                number = work.number(constant)
                return Said(written_value(number), values=(number,))
        raise NoValueError("There are many solutions: this is one equation for two unknowns.")

    def wanted(self, cases: Sequence[Values]) -> Said:
        """The values of what is wanted, in each case once."""
        work = self.work
        names = [one.name if isinstance(one, UnknownNode) else None for one in self.asked.wanted]
        rows: dict[tuple[float, ...], list[Argument]] = {}
        for case in cases:
            row = [work.compute(tree, case) for tree in self.asked.wanted]
            rows[tuple(map(work.number, row))] = row
        work.say_steps()
        items: list[Item] = []
        for k, numbers in enumerate(sorted(rows)):
            items += ["or"] if k else []
            for j, (name, number) in enumerate(zip(names, rows[numbers], strict=True)):
                items += [","] if j else []
                items += [number] if name is None else [name, "=", number]
        work.answer(*items)
        texts = [", ".join(map(_stated, names, numbers)) for numbers in sorted(rows)]
        return Said(" or ".join(texts), values=tuple(numbers[0] for numbers in sorted(rows)))

    def answered(self, cases: Sequence[Values]) -> Said:
        """The roots as the answer."""
        self.work.answer(*self.stated(cases))
        numbers = [{name: self.work.number(root) for name, root in case.items()} for case in cases]
        texts = [", ".join(_stated(name, case[name]) for name in case) for case in numbers]
        alone = (
            tuple(case[name] for case in numbers for name in case) if len(numbers[0]) == 1 else ()
        )
        return Said(" or ".join(texts), values=alone, unknowns=tuple(numbers))

    def stated(self, cases: Sequence[Values]) -> list[Item]:
        """`x = -10 or x = 14`."""
        items: list[Item] = []
        for k, case in enumerate(cases):
            items += ["or"] if k else []
            for j, (name, root) in enumerate(case.items()):
                items += [","] if j else []
                sign = sign_before(self.work.number(root))
                items += [root] if name == BLANK else [name, sign, root]
        return items

    def say_equation(self, equation: Claim) -> None:
        """Add the equation as it is given."""
        left, right = map(self.work.compute, (equation.left, equation.right))
        self.work.say(left, "=", right)


def _of_both(error: ExecutionError) -> str:
    """Why two equations have no one solution."""
    if error.reason.startswith("every number"):
        return "There are many solutions: the two equations say the same."
    if error.reason.startswith("no number"):
        return "There is no solution: the two equations contradict each other."
    return sentence_for(error)


def _stated(name: str | None, number: float) -> str:
    is_bare = name is None or name == BLANK
    return (
        written_value(number)
        if is_bare
        else f"{name} {sign_before(number)} {written_value(number)}"
    )


def _unknowns(*equations: Claim) -> list[str]:
    return letters_of(*(side for one in equations for side in (one.left, one.right)))
