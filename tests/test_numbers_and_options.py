"""Numbers and options as people write them: tests/cases/numbers.tsv and options.tsv, which were
written as a specification. Every reader of the package must read them alike."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from scratchwork import Problem
from scratchwork.exact.matching import Said, option_that_says
from scratchwork.machine.lexing import lexemes_of
from scratchwork.machine.operations import EXTENDED, OperationError
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.written_values import value_of_tree
from scratchwork.problems.numerals import write_number
from scratchwork.problems.problem import LETTERS
from scratchwork.problems.typed import typed_problem
from scratchwork.solver.arithmetic import matching_option
from scratchwork.solver.collating import collate
from scratchwork.solver.reading import SPECIAL_PIECES, Pieces, read_problem

CASES = Path(__file__).parent / "cases"
PIECES = Pieces(SPECIAL_PIECES)
CPU = torch.device("cpu")


def rows_of(name: str) -> list[list[str]]:
    return [row.split("\t") for row in (CASES / name).read_text("utf-8").split("\n")[1:] if row]


class Choice(NamedTuple):
    """Options, a number, and the letter of the option that stands for it."""

    options: tuple[str, ...]
    value: float
    letter: str | None


CHOICES = [
    Choice(
        typed_problem("What?", options.split(" | ")).options,
        float(value),
        None if letter == "none" else letter,
    )
    for _, options, value, letter, _ in rows_of("options.tsv")
]


def by_check(choice: Choice) -> str | None:
    try:
        found = EXTENDED["Check"].function(write_number(choice.value), OptionIndex(choice.options))
    except OperationError:
        return None
    assert isinstance(found, str)
    return found


def by_vote(choice: Choice) -> str | None:
    read = collate([read_problem(Problem("What?", choice.options), PIECES)], CPU)
    value = torch.tensor([choice.value], dtype=torch.float64)
    option = int(matching_option(value, read.option_values))
    return None if option < 0 else LETTERS[option]


def by_exact_answer(choice: Choice) -> str | None:
    said = Said(write_number(choice.value), (choice.value,), is_percentage=True)
    return option_that_says(choice.options, said)


@pytest.mark.parametrize("reader", [by_check, by_vote, by_exact_answer])
def test_an_option_is_found_by_what_it_stands_for_as_a_whole_or_not_at_all(
    reader: Callable[[Choice], str | None],
) -> None:
    wrong = [(choice, found) for choice in CHOICES if (found := reader(choice)) != choice.letter]
    assert wrong == []


class Text(NamedTuple):
    """A text, and the numbers in it."""

    text: str
    numbers: list[float]
    joined: list[float]
    """The numbers, those in several words put together and without those that say what to do."""


def floats(text: str) -> list[float]:
    return [float(numeral) for numeral in text.split()]


TEXTS = [
    Text(text, floats(numbers), floats(joined or numbers))
    for _, text, numbers, joined, _ in rows_of("numbers.tsv")
]


def test_the_network_gets_each_number_of_a_question() -> None:
    wrong: list[tuple[Text, list[float]]] = []
    for case in TEXTS:
        found = [n.value for n in read_problem(typed_problem(case.text), PIECES).numerals]
        if found != pytest.approx(case.numbers):
            wrong.append((case, found))
    assert wrong == []


def test_the_exact_reader_sees_the_same_numbers() -> None:
    wrong: list[tuple[Text, list[float | None]]] = []
    for case in TEXTS:
        lexemes = lexemes_of(typed_problem(case.text).question)
        trees = [one.tree for one in lexemes if one.kind == "number" and one.tree is not None]
        found = [value_of_tree(tree) for tree in trees]
        if found != pytest.approx(case.joined):
            wrong.append((case, found))
    assert wrong == []


def test_there_are_enough_cases_and_a_third_of_them_are_traps() -> None:
    kinds = [row[0] for name in ("numbers.tsv", "options.tsv") for row in rows_of(name)]
    assert len(kinds) >= 150
    assert 3 * sum(kind.startswith("trap") for kind in kinds) >= len(kinds)
