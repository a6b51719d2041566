"""Problems for tests: as many as wanted, none near another; and short ways to hand them in."""

from typing import Any

from scratchwork.collecting.assigning import task_for
from scratchwork.collecting.handing_in import HandedIn, HandIn, hand_in
from scratchwork.collecting.inviting import invite
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.storing import Store
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import problem_from_row

_STORIES = (
    "A train leaves the station at {a} km/h and reaches a town {b} km away; when does it arrive?",
    "Mira buys {a} apples for {b} cents each and pays with a large note; what do they cost?",
    "Two pipes fill a tank in {a} and {b} hours; how long do both of them need together?",
    "The sum of {a} consecutive even integers equals {b}; which is the smallest one of them?",
    "A rectangle has a width of {a} feet and an area of {b} square feet; find its perimeter.",
    "From a deck with {a} red and {b} black cards one is drawn blindly; how likely is a red card?",
    "Interest of {a} percent is paid yearly on {b} dollars; what has been earned after two years?",
    "If {a} workers build a wall within {b} days, how fast would twice as many workers build it?",
)
_WORDS = "amber brook cedar dune ember fjord grove heron inlet jasper knoll lagoon maple".split()


def row(k: int, **changes: Any) -> dict[str, Any]:
    """Problem number k as a contributor sends it; far from all others below 8 x 13."""
    story = _STORIES[k % len(_STORIES)].format(a=2 * k + 3, b=17 * k + 20)
    place = k // len(_STORIES)
    words = " ".join(_WORDS[(place * 5 + n * (place + 1)) % len(_WORDS)] for n in range(8))
    answer = 1000 + 7 * k
    question = story if place == 0 else f"{words}: {story[place % 20 :]} {words[::-1]}"
    return {
        "question": question,
        "options": [str(answer + n) for n in range(5)],
        "rationale": f"Thinking it over leads to {answer}, so A.",
        "correct": "A",
    } | changes


def seed(k: int) -> Problem:
    """A seed; numbers from 0 on are the seeds of the store, so contributors take higher ones."""
    problem = problem_from_row(row(k))
    return Problem(
        problem.question,
        problem.options,
        problem.rationale,
        problem.correct,
        extra={"topic": ("speed", "money", "sets")[k % 3]},
    )


class Writer:
    """A contributor who writes."""

    def __init__(self, store: Store, neighbours: Neighbours, name: str = "Mira") -> None:
        self.store = store
        self.neighbours = neighbours
        self.id = invite(store, name).contributor_id

    def prepare(self, row: object, key: str = "key") -> HandIn:
        """A hand-in for the open task, or a new one; its first seed is chosen."""
        task = task_for(self.store, self.id)
        return HandIn(task.task_id, task.seeds[0].id, key, row)

    def send(self, row: object, key: str = "key") -> Any:
        """What becomes of a problem that is handed in."""
        return hand_in(self.store, self.neighbours, self.id, self.prepare(row, key))

    def submit(self, k: int) -> int:
        """The number of the submission of problem k."""
        result = self.send(row(k), f"key {k}")
        assert isinstance(result, HandedIn), result
        return result.submission_id
