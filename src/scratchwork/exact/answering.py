"""Answers to questions that are themselves mathematics, as programs with their traces.

Promises: `exact_solution` gives the solution of such a question, computed by the machine, or None
where the question asks for more, or is no mathematics. Both roots of a quadratic equation are told,
unless one is asked for. Where there is no value, the solution says why in one sentence. With
options it chooses the one that is the value as a whole, and says so where none is.

Does not cover: problems told in words.
"""

from dataclasses import replace

from scratchwork.exact.asked import Claim, Equations, Evaluation, Exercise, Extreme, Fault, Pair
from scratchwork.exact.asking import asked_of
from scratchwork.exact.matching import Said, option_that_says, trees_of_options
from scratchwork.exact.no_value import BeyondError, NoValueError, sentence_for
from scratchwork.exact.procedures import Procedure, value_said
from scratchwork.exact.tasks import has_task
from scratchwork.exact.unknowns import holds, roots_of, sign_of
from scratchwork.exact.writing import Work
from scratchwork.explaining.styles import Style
from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.lexing import lexemes_of
from scratchwork.machine.trees import NumberNode, OperationNode, Tree, operation
from scratchwork.machine.writing import Writing
from scratchwork.plans.compiling import PLAIN
from scratchwork.plans.equations import writing_of, written_value
from scratchwork.problems.numerals import NumeralError, write_fraction
from scratchwork.problems.problem import Problem
from scratchwork.solution import Candidate, Solution, unanswered

NOTHING_TO_COMPUTE = (
    "There is nothing to compute here: ask for a number, as in 'How many 10-slice cakes make 120 "
    "slices?' or '15% of 80'."
)


def solution_without_model(problem: Problem, style: Style = "sentences") -> Solution | None:
    """The exact solution, or that of a question with nothing to compute; None for all others."""
    solution = exact_solution(problem, style)
    if solution is None and not has_task(problem):
        return unanswered(problem, NOTHING_TO_COMPUTE)
    return solution


def exact_solution(problem: Problem, style: Style = "sentences") -> Solution | None:
    """The solution of a question that is itself mathematics, with its derivation in a style; None
    for all others."""
    asked = asked_of(lexemes_of(problem.question))
    if asked is None:
        return None
    try:
        said, work = _answered(asked, Work(problem, style))
        return _with_letter(said, work)
    except ExecutionError as error:
        return None if error.kind == "type" else _without_value(sentence_for(error), problem)
    except NoValueError as error:
        return _without_value(str(error), problem)
    except BeyondError:
        return None


def _without_value(sentence: str, problem: Problem) -> Solution | None:
    """The sentence and, where there are options, the one that says the same; None without it."""
    if not problem.options:
        return unanswered(problem, sentence)
    letter = option_that_says(problem.options, Said(none=sentence))
    return unanswered(problem, sentence, letter) if letter else None


def _with_letter(said: Said, work: Work) -> Solution:
    options = work.problem.options
    letter = option_that_says(options, said)
    note = f"None of the options is {said.text}." if options and letter is None else None
    candidate = Candidate(work.finish(letter), 0.0, said=said.text)
    return Solution((candidate,), note=note, is_exact=True)


def _answered(asked: Exercise | Procedure, work: Work) -> tuple[Said, Work]:
    """What is to be said, and the program that says it."""
    match asked:
        case Fault(sentence):
            raise NoValueError(sentence)
        case Evaluation(tree, form):
            return _value(tree, form, work), work
        case Claim():
            return _truth(asked, work), work
        case Pair(left, right):
            return _relation(left, right, work), work
        case Extreme():
            return _extreme(asked, work), work
        case Equations():
            return roots_of(asked, work), work
        case Procedure(steps):
            return steps(work), work


def _value(tree: Tree, form: str | None, work: Work) -> Said:
    cell = work.compute(tree)
    number = work.number(cell)
    writing = _writing(number, form)
    work.say_steps(written_value(number, writing))
    match tree:
        case OperationNode("Multiply", (OperationNode("Divide"), NumberNode("100", 0))):
            is_percentage = True
        case _:
            is_percentage = False
    said = value_said(cell, work, writing, "%" if is_percentage else "")
    return replace(said, is_percentage=is_percentage)


def _writing(number: float, form: str | None) -> Writing:
    """How to write a value, as it is asked for where that can be."""
    if form == "fraction" and not number.is_integer():
        try:
            write_fraction(number)
        except NumeralError:
            return PLAIN
        return Writing("Float_to_Fraction")
    return writing_of(number) if form is None else PLAIN


def _compared(left: Tree, right: Tree, work: Work) -> str:
    """The relation of two values, with a line that states it."""
    sides = [work.compute(side) for side in (left, right)]
    work.say_steps()
    # The machine's difference has no float noise.
    sign = sign_of(work.number(work.compute(operation("Subtract", left, right))))
    work.pass_over_steps()
    work.say(sides[0], sign, sides[1])
    return sign


def _truth(asked: Claim, work: Work) -> Said:
    is_true = holds(_compared(asked.left, asked.right, work), asked.relation)
    said = "yes" if is_true else "no"
    work.answer(said)
    return Said(said)


def _relation(left: Tree, right: Tree, work: Work) -> Said:
    sign = _compared(left, right, work)
    work.answer(sign)
    return Said(sign)


def _extreme(asked: Extreme, work: Work) -> Said:
    trees = asked.trees or trees_of_options(work.problem)
    best = trees[0]
    for tree in trees[1:]:
        sign = _compared(best, tree, work)
        best = tree if sign == ("<" if asked.is_largest else ">") else best
    cell = work.compute(best)
    work.answer(cell)
    number = work.number(cell)
    text = best.numeral if isinstance(best, NumberNode) else written_value(number)
    return Said(text, values=(number,))
