"""Questions about a list of numbers: its median, its mode, its range.

Promises: the numbers are put in order and the middle taken, or half the sum of the two in the
middle; the numbers that occur most often are told, all of them if there are several.

Does not cover: means, which are expressions of `phrases`; weights and classes of numbers.
"""

from collections import Counter

from scratchwork.exact.matching import Said
from scratchwork.exact.no_value import NoValueError
from scratchwork.exact.patterns import Found, NotAskedError, question
from scratchwork.exact.procedures import Procedure, items_between, say_computed, value_said
from scratchwork.exact.writing import Work
from scratchwork.machine.trees import NumberNode, Tree, joined, operation
from scratchwork.machine.written_values import value_of_tree
from scratchwork.plans.equations import written_value
from scratchwork.plans.plan import Argument

_LEAST = 2
"""A list has so many numbers at least."""


def _numbers(found: Found) -> list[tuple[float, Tree]]:
    """The numbers of the list, the smallest first."""
    trees = found.trees("list")
    values = [(value, tree) for tree in trees if (value := value_of_tree(tree)) is not None]
    if len(values) < max(len(trees), _LEAST):
        raise NotAskedError
    return sorted(values, key=lambda one: one[0])


def _in_order(numbers: list[tuple[float, Tree]], work: Work) -> list[Argument]:
    """The numbers, with the line that lists them."""
    cells = [say_computed(tree, work) for _, tree in numbers]
    work.say("In order:", *items_between(cells, ","))
    return cells


def _median(found: Found) -> Procedure:
    numbers = _numbers(found)

    def steps(work: Work) -> Said:
        cells = _in_order(numbers, work)
        half = len(cells) // 2
        if len(cells) % 2:
            work.say("The number in the middle is", cells[half])
            return value_said(cells[half], work)
        (_, left), (_, right) = numbers[half - 1 : half + 1]
        middle = operation("Divide", joined("Add", left, right), NumberNode("2"))
        return value_said(say_computed(middle, work), work)

    return Procedure(steps)


def _mode(found: Found) -> Procedure:
    numbers = _numbers(found)
    counts = Counter(value for value, _ in numbers)
    most = max(counts.values())
    modes = [value for value, count in counts.items() if count == most]

    def steps(work: Work) -> Said:
        if most == 1 or (len(modes) == len(counts) > 1):
            raise NoValueError("There is no mode: no number occurs more often than the others.")
        cells = _in_order(numbers, work)
        places = [[value for value, _ in numbers].index(mode) for mode in modes]
        if len(modes) == 1:
            work.say(cells[places[0]], "occurs most often")
            return value_said(cells[places[0]], work)
        work.answer(*items_between([cells[place] for place in places], "and"))
        return Said(" and ".join(map(written_value, modes)), values=tuple(modes))

    return Procedure(steps)


def _range(found: Found) -> Procedure:
    numbers = _numbers(found)

    def steps(work: Work) -> Said:
        _in_order(numbers, work)
        width = joined("Subtract", numbers[-1][1], numbers[0][1])
        return value_said(say_computed(width, work), work)

    return Procedure(steps)


_OF = (
    r"(?:of|for|:) (?:these |following |this )?(?:(?:numbers|values|data|list|data set|set) )?"
    r"(?:: )?"
)
AVERAGE_QUESTIONS = (
    question(rf"median {_OF}{{list}}", _median),
    question(rf"mode {_OF}{{list}}", _mode),
    question(rf"range {_OF}{{list}}", _range),
    question(rf"median {_OF}\( {{list}} \)", _median),
    question(rf"mode {_OF}\( {{list}} \)", _mode),
    question(rf"range {_OF}\( {{list}} \)", _range),
)
"""What is asked of a list of numbers."""
