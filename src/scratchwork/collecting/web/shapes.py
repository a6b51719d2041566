"""The JSON that the pages send.

Promises: everything is bounded. A problem that is handed in may have any form that fits the largest
body, as even what is sent back is kept; `handing_in` checks it.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from scratchwork.collecting.forms import OPTION_COUNT
from scratchwork.collecting.passwords import MOST_IN_PASSWORD
from scratchwork.collecting.schema import MOST_IN_KEY, MOST_IN_NAME, JsonObject
from scratchwork.problems.rows import problem_from_row
from scratchwork.serving.limits import LARGEST_SEED, LONGEST_OPTION, LONGEST_TEXT
from scratchwork.serving.shapes import Asked

RowNumber = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
"""The number of a row, which may not exist."""


class ToRemarkOn(Asked):
    """A problem that may be incomplete."""

    question: str = Field(max_length=LONGEST_TEXT)
    options: list[Annotated[str, Field(max_length=LONGEST_OPTION)]] = Field(max_length=OPTION_COUNT)
    rationale: str = Field(max_length=LONGEST_TEXT)
    correct: Literal["A", "B", "C", "D", "E"] | None = None


class ToHandIn(Asked):
    """A problem for a task."""

    task: RowNumber
    seed: RowNumber
    key: str = Field(min_length=1, max_length=MOST_IN_KEY)
    problem: Any


class ToSkip(Asked):
    """A task to skip."""

    task: RowNumber


class ToLogIn(Asked):
    """A reviewer's name and password."""

    name: str = Field(max_length=MOST_IN_NAME)
    password: str = Field(max_length=MOST_IN_PASSWORD)


class ToDecide(Asked):
    """A verdict on a submission."""

    submission: RowNumber
    verdict: Literal["accept", "reject", "correct"]
    reason: str | None = None
    corrected: Any = None


def shown_problem(row: JsonObject) -> JsonObject:
    """What a page shows of a problem: its four fields, the options without their labels."""
    problem = problem_from_row(row)
    return {
        "question": problem.question,
        "options": list(problem.options),
        "rationale": problem.rationale or "",
        "correct": problem.correct,
    }
