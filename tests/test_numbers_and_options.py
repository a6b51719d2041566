"""Numbers and options as people write them: tests/cases/numbers.tsv and options.tsv, which were
written as a specification. Every reader of the package must read them alike."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from scratchwork import Problem
from scratchwork.exact.matching import Said, option_that_says
from scratchwork.machine.operations import EXTENDED, OperationError
from scratchwork.machine.options import OptionIndex
from scratchwork.problems.numerals import write_number
from scratchwork.problems.problem import LETTERS
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
    Choice(tuple(options.split(" | ")), float(value), None if letter == "none" else letter)
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
