"""Plans and rationales as rows of choices, which the decoder makes one by one.

Promises: each step of a plan is an operation and then its arguments: constants, numbers of the
problem or results of earlier steps. After the last step comes the finish; its result is the answer.
A rationale may follow: words as pieces, with a mark for capitals; its numbers are the same
constants, numbers and results, after a form if one is not written plainly. `plan_from_choices`
reads back what `plan_to_choices` wrote. A mixed number (`2 1/2`) is one choice, and a step of the
plan that adds its parts. What cannot be written in these symbols raises `InexpressibleError`, also
the rationale of a question with mixed numbers.

Choices are numbered: first the symbols, then the problem's numbers, the results and the pieces.
"""

from collections.abc import Sequence

from scratchwork.machine.constants import CONSTANT_VALUES, NUMERALS
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.writing import Writing
from scratchwork.plans.compiling import (
    PLAIN,
    RationaleItem,
    StatedAnswer,
    StatedLetter,
    WrittenCoefficient,
    WrittenResult,
    WrittenSize,
)
from scratchwork.plans.plan import (
    Argument,
    Given,
    Plan,
    PlanConstant,
    PlanStep,
    PlanUnknown,
    PlanWord,
    Result,
    prune,
)
from scratchwork.solver.reading import (
    CAPITAL_PIECE,
    CAPITALS_PIECE,
    UNKNOWN_PIECE,
    Numeral,
    Pieces,
    Reading,
)

MOST_NUMERALS = 40
"""Further numbers of a problem cannot be pointed at."""
MOST_STEPS = 12
LONGEST_PLAN = 3 * MOST_STEPS + 2
"""The choices of the longest plan, with its beginning and its finish."""
LONGEST_RATIONALE = 160
LONGEST_ROW = LONGEST_PLAN + LONGEST_RATIONALE
"""The choices of the longest plan and the longest rationale."""

BEGIN, FINISH, END, LETTER = range(4)
"""The beginning and the finish of a plan; the end of a rationale, and the letter it may state."""
FORMS = (
    Writing("Float_to_Fraction"),
    Writing("Float_to_Thousands"),
    *(Writing("Float_to_Decimal", places) for places in range(5)),
)
"""The ways to write a number that is not written plainly."""
FIRST_FORM = LETTER + 1
SOLVER_OPERATIONS = (
    *("Add", "Subtract", "Multiply", "Divide", "Power", "Log", "Sqrt"),
    *("Sine", "Cosine", "Tangent", "Factorial", "Choose"),
    *("Radians_to_Degrees", "Degrees_to_Radians"),
    *("Round", "Floor", "Ceiling", "Absolute", "Remainder", "Gcd", "Lcm"),
    *("Permutations", "Percent", "Min", "Max"),
)
"""The operations that the network was trained to choose from. Their order numbers the symbols in
its weights, so that the machine can learn further operations, but none may come or go here."""
ARITY = tuple(len(EXTENDED[name].takes) for name in SOLVER_OPERATIONS)
FIRST_OPERATION = FIRST_FORM + len(FORMS)
CONSTANT_NUMERALS = tuple(NUMERALS.values())
"""One numeral for each constant."""
FIRST_CONSTANT = FIRST_OPERATION + len(SOLVER_OPERATIONS)
SYMBOLS = FIRST_CONSTANT + len(CONSTANT_NUMERALS)
FIRST_NUMERAL = SYMBOLS
FIRST_RESULT = FIRST_NUMERAL + MOST_NUMERALS
CHOICES = FIRST_RESULT + MOST_STEPS
"""The number of choices without the pieces."""
FIRST_PIECE = CHOICES

_OPERATION_CHOICES = {name: FIRST_OPERATION + k for k, name in enumerate(SOLVER_OPERATIONS)}
_CONSTANT_CHOICES = {
    CONSTANT_VALUES[n]: FIRST_CONSTANT + k for k, n in enumerate(CONSTANT_NUMERALS)
}


class InexpressibleError(ValueError):
    """A plan or a rationale that cannot be written in these symbols."""


def plan_to_choices(plan: Plan, reading: Reading) -> list[int]:
    """The choices that make a plan, from its beginning to its end."""
    at_place, by_value = _pointed_at(reading)
    sums = {_sum_of(n.place): at_place[n.place] for n in mixed_numbers(reading)}
    if not plan.steps or plan.answer != Result(len(plan.steps) - 1) or plan.steps[-1] in sums:
        raise InexpressibleError("the answer is not what the last step computes")
    choices = [BEGIN]
    results: list[int] = []
    """The choice that stands for the result of each step."""
    count = 0
    for step in plan.steps:
        if step in sums:
            results.append(sums[step])
            continue
        if step.operation not in _OPERATION_CHOICES:
            raise InexpressibleError(f"the solver has no operation {step.operation}")
        if any(isinstance(part, Given) and _sum_of(part.place) in sums for part in step.arguments):
            raise InexpressibleError("only a part of a mixed number is used")
        choices.append(_OPERATION_CHOICES[step.operation])
        for argument in step.arguments:
            is_result = isinstance(argument, Result)
            choices.append(
                results[argument.step] if is_result else _choice(argument, at_place, by_value)
            )
        results.append(FIRST_RESULT + count)
        count += 1
    if count > MOST_STEPS:
        raise InexpressibleError(f"there are more than {MOST_STEPS} steps")
    return [*choices, FINISH]


def mixed_numbers(reading: Reading) -> list[Numeral]:
    """The mixed numbers of the question."""
    return [n for n in reading.numerals[:MOST_NUMERALS] if n.is_mixed and n.place]


def _sum_of(place: int) -> PlanStep:
    """The step that adds the parts of the mixed number at a place."""
    return PlanStep("Add", (Given(place), Given(place + 1)))


def _pointed_at(reading: Reading) -> tuple[dict[int, int], dict[float, int]]:
    """The choices of the question's numbers, by place and by value."""
    numerals = enumerate(reading.numerals[:MOST_NUMERALS], FIRST_NUMERAL)
    choices = [(numeral, choice) for choice, numeral in numerals if numeral.place]
    return {n.place: choice for n, choice in choices}, {n.value: choice for n, choice in choices}


def _choice(argument: Argument, at_place: dict[int, int], by_value: dict[float, int]) -> int:
    if isinstance(argument, Result):
        return FIRST_RESULT + argument.step
    if isinstance(argument, Given):
        return _given_choice(argument, at_place)
    if isinstance(argument, PlanUnknown):
        raise InexpressibleError("the solver has no unknowns")
    if isinstance(argument, PlanWord):
        raise InexpressibleError("the solver does not compute with words")
    value = CONSTANT_VALUES.get(argument.numeral)
    if value in by_value:
        # A number that the question gives, in words or in another spelling, is no constant.
        return by_value[value]
    if value not in _CONSTANT_CHOICES:
        raise InexpressibleError(f"{argument.numeral} is no documented constant")
    return _CONSTANT_CHOICES[value]


def _given_choice(given: Given, at_place: dict[int, int]) -> int:
    if given.place not in at_place:
        raise InexpressibleError(f"no number that can be pointed at is at {given.place}")
    return at_place[given.place]


def plan_from_choices(choices: Sequence[int], reading: Reading) -> Plan:
    """The plan of a row of choices, without steps that the answer does not need."""
    steps: list[PlanStep] = []
    results: list[Result] = []
    at = 1

    def argument(choice: int) -> Argument:
        if choice >= FIRST_RESULT:
            return results[choice - FIRST_RESULT]
        found = _argument(choice, reading)
        if not isinstance(found, Given) or not reading.numerals[choice - FIRST_NUMERAL].is_mixed:
            return found
        whole = _sum_of(found.place)
        if whole not in steps:
            steps.append(whole)
        return Result(steps.index(whole))

    while choices[at] != FINISH:
        name = SOLVER_OPERATIONS[choices[at] - FIRST_OPERATION]
        count = ARITY[choices[at] - FIRST_OPERATION]
        step = PlanStep(name, tuple(map(argument, choices[at + 1 : at + 1 + count])))
        results.append(Result(len(steps)))
        steps.append(step)
        at += 1 + count
    return prune(steps, results[-1])


def _argument(choice: int, reading: Reading) -> Given | PlanConstant | Result:
    if choice >= FIRST_RESULT:
        return Result(choice - FIRST_RESULT)
    if choice >= FIRST_NUMERAL:
        return Given(reading.numerals[choice - FIRST_NUMERAL].place)
    return PlanConstant(CONSTANT_NUMERALS[choice - FIRST_CONSTANT])


def rationale_to_choices(
    items: Sequence[RationaleItem], reading: Reading, pieces: Pieces
) -> list[int]:
    """The choices of a rationale, with its end."""
    if mixed_numbers(reading):
        raise InexpressibleError("a rationale has no choice for a mixed number")
    at_place, _ = _pointed_at(reading)
    choices: list[int] = []
    for item in items:
        match item:
            case str():
                choices += _word_choices(item, pieces)
            case StatedLetter():
                choices.append(LETTER)
            case WrittenResult(result, writing):
                if result.step >= MOST_STEPS:
                    raise InexpressibleError(f"there are more than {MOST_STEPS} steps")
                if writing != PLAIN:
                    choices.append(FIRST_FORM + FORMS.index(writing))
                choices.append(FIRST_RESULT + result.step)
            case PlanConstant(numeral):
                choices.append(_constant_choice(numeral))
            case Given():
                choices.append(_given_choice(item, at_place))
            case StatedAnswer() | WrittenCoefficient() | WrittenSize() | PlanWord():
                raise InexpressibleError("a rationale's numbers are given, constants or results")
    return [*choices, END]


def _word_choices(word: str, pieces: Pieces) -> list[int]:
    parts = pieces.of(word)
    if UNKNOWN_PIECE in parts:
        raise InexpressibleError(f"{word!r} has unknown characters")
    marks: list[int] = []
    if len(word) > 1 and word.isupper():
        marks = [CAPITALS_PIECE]
    elif word[:1].isupper():
        marks = [CAPITAL_PIECE]
    return [FIRST_PIECE + piece for piece in (*marks, *parts)]


def _constant_choice(numeral: str) -> int:
    number = _CONSTANT_CHOICES.get(CONSTANT_VALUES.get(numeral, -1.0))
    if number is None or CONSTANT_NUMERALS[number - FIRST_CONSTANT] != numeral:
        raise InexpressibleError(f"{numeral} is no documented constant")
    return number
