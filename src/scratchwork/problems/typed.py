"""Problems as people type them.

Promises: `typed_problem` makes a problem of a text and options: LaTeX, full-width characters and
thousands set apart by spaces become plain, a list such as `72,108` gets its space, and options that
the text lists at its end are taken from it where none are given.

Does not cover: rows of files, which are read as they are; see `rows`.
"""

from collections.abc import Sequence

from scratchwork.problems.markup import without_latex
from scratchwork.problems.normalise import normalise
from scratchwork.problems.option_lists import without_options
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import problem_from_row
from scratchwork.problems.thousands import with_clear_thousands

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def typed_problem(question: str, options: Sequence[str] = ()) -> Problem:
    """The problem of a typed question, with its options if it has any."""
    if not options:
        question, options = without_options(question)
    return normalise(
        problem_from_row(
            {"question": _plain(question), "options": [_plain(option) for option in options]}
        )
    )


def _plain(text: str) -> str:
    return with_clear_thousands(without_latex(text.translate(_FULL_WIDTH)))
