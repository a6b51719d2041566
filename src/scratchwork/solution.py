"""The answer to a problem: one record, wherever it is shown.

Promises: a `Solution` keeps the programs that a search found, each with its one execution, and
tells from them the answer, its derivation, the votes, how sure the answer is, and whether it is a
guess. `to_json` is what `solve --json`, the server, its page and, in brief, the rows of files say.
What else models say of problems is here too: `Progress` of a search, and the `Likelihood` of a
given rationale.

Does not cover: whether the answer is right.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

from scratchwork.machine.execution import execute
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import Cell, Instruction, Program, Word
from scratchwork.machine.traces import Trace
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import END_OF_RATIONALE, END_OF_SEQUENCE, is_number

GUESS_BELOW = 0.5
"""An answer of less confidence is more probably wrong than right."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that a search found, executed."""

    trace: Trace
    log_probability: float
    """The natural logarithm of its probability."""
    guess: bool = False
    """Whether its answer is little more than a guess: the rationale became too long and was cut, or
    states an option that no plan reached."""
    said: str | None = None
    """The answer in words, where it is more than a number: `x = -10 or x = 14`."""

    @property
    def answer(self) -> str | None:
        """The letter; none only where the problem has no options."""
        return self.trace.answer


@dataclass(frozen=True, slots=True)
class Rival:
    """Another program than the best."""

    answer: str | None
    rationale: str
    share: float
    """Of the probability of all programs found."""
    guess: bool


@dataclass(frozen=True)
class Solution:
    """What is said of a problem: the best program, and what the others say."""

    candidates: tuple[Candidate, ...]
    """The programs found, the best first; one at least."""
    unread: int = 0
    """How many tokens of the problem were left out, because the model reads no more."""
    note: str | None = None
    """Why there is no answer, or no option for it, in one sentence."""
    is_exact: bool = False
    """Whether it was computed as the question says it, without a model."""

    @property
    def trace(self) -> Trace:
        """The execution of the best program."""
        return self.candidates[0].trace

    @property
    def log_probability(self) -> float:
        """The natural logarithm of that program's probability."""
        return self.candidates[0].log_probability

    @property
    def is_derived(self) -> bool:
        """Whether a derivation leads to the answer."""
        return not self.candidates[0].guess

    @property
    def guess(self) -> bool:
        """Whether the answer is more probably wrong than right, or nothing leads to it."""
        if self.is_exact or self.note is not None:
            return False
        return not self.is_derived or self.confidence < GUESS_BELOW

    @property
    def program(self) -> Program:
        """The best program."""
        return self.trace.program

    @property
    def rationale(self) -> str:
        """The derivation, as text."""
        return self.trace.rationale

    @property
    def answer(self) -> str | None:
        """The letter; none only where the problem has no options."""
        return self.trace.answer

    @property
    def value(self) -> str | None:
        """What the derivation ends in, as it is written, mostly a number; none for a guess."""
        said = self.candidates[0].said
        if said is not None:
            return said
        for step in reversed(self.trace.steps):
            reference = step.instruction.arguments[0]
            if step.instruction.operation == "Check" and isinstance(reference, Cell):
                return self._written_at(reference)
            if self.answer is None and step.place.room == "m" and isinstance(step.value, str):
                return step.value
        written = [token for token in self.trace.output if is_number(token)]
        return written[-1] if written and self.answer is None else None

    def _written_at(self, place: Cell) -> str:
        if place.room == "x":
            return self.trace.source[place.k - 1]
        return next(str(step.value) for step in self.trace.steps if step.place == place)

    @cached_property
    def votes(self) -> Mapping[str, float]:
        """Each letter's share of the probability of all programs found, the largest first."""
        votes: dict[str, float] = {}
        for candidate, weight in zip(self.candidates, self._weights, strict=True):
            if candidate.answer is not None:
                votes[candidate.answer] = votes.get(candidate.answer, 0.0) + weight
        total = sum(votes.values())
        return {letter: votes[letter] / total for letter in sorted(votes, key=lambda a: -votes[a])}

    @property
    def confidence(self) -> float:
        """How probable it is that the answer is right: its share of the votes, or without options
        the best program's probability; calibrated for the solver."""
        if self.note is not None and self.value is None:
            return 0.0
        if self.answer is None:
            return math.exp(self.log_probability)
        return self.votes[self.answer]

    @cached_property
    def rivals(self) -> tuple[Rival, ...]:
        """The other programs found, the best first; of those that say the same, one."""
        total = sum(self._weights)
        rivals: dict[tuple[str | None, str], Rival] = {}
        for candidate, weight in zip(self.candidates, self._weights, strict=True):
            answer, rationale = candidate.answer, candidate.trace.rationale
            rival = Rival(answer, rationale, weight / total, candidate.guess)
            rivals.setdefault((answer, rationale), rival)
        return tuple(rivals.values())[1:]

    @cached_property
    def _weights(self) -> list[float]:
        highest = max(candidate.log_probability for candidate in self.candidates)
        return [math.exp(candidate.log_probability - highest) for candidate in self.candidates]

    def to_json(self, *, brief: bool = False) -> dict[str, Any]:
        """The solution as an object of stable form; in brief, without its trace and rivals."""
        form: dict[str, Any] = {
            "answer": self.answer,
            "value": self.value,
            "rationale": self.rationale,
            "program": str(self.program),
            "confidence": round(self.confidence, 4),
            "log_probability": round(self.log_probability, 4),
            "votes": votes_to_json(self.votes),
            "guess": self.guess,
            "derived": self.is_derived,
            "unread": self.unread,
            "exact": self.is_exact,
            "note": self.note,
        }
        if brief:
            return form
        rivals = [asdict(rival) | {"share": round(rival.share, 4)} for rival in self.rivals]
        problem = self.trace.problem
        read = {"question": problem.question, "options": list(problem.options)}
        return {**form, **read, "trace": self.trace.to_json(), "rivals": rivals}


def without_derivation(problem: Problem, letter: str | None) -> Trace:
    """The execution of a program that states a letter, or nothing, and tells no derivation."""
    words = (END_OF_RATIONALE, *([letter] if letter else []), END_OF_SEQUENCE)
    program = Program(tuple(Instruction("Id", (Word(word),), "y") for word in words))
    return execute(program, problem, EXTENDED)


def unanswered(problem: Problem, note: str, letter: str | None = None) -> Solution:
    """The solution of a problem that has no value, for the reason that is noted."""
    return Solution((Candidate(without_derivation(problem, letter), 0.0),), note=note)


def votes_to_json(votes: Mapping[str, float]) -> dict[str, float]:
    """The votes as an object of stable form."""
    return {letter: round(share, 4) for letter, share in votes.items()}


class Progress(NamedTuple):
    """What is found so far for one of several problems."""

    place: int
    """The problem's, in their sequence."""
    solution: Solution
    is_last: bool
    """Whether its search is over."""


@dataclass(frozen=True, slots=True)
class SolutionRow:
    """A solution in a file of them: `to_json` in brief, with the problem's id."""

    id: str
    answer: str | None
    value: str | None
    rationale: str
    program: str
    confidence: float
    log_probability: float
    votes: Mapping[str, float]
    guess: bool
    derived: bool
    unread: int
    exact: bool
    note: str | None

    @classmethod
    def of(cls, problem: Problem, solution: Solution, **more: Any) -> Self:
        """The row of a problem's solution; rows of a kind of their own have more to say."""
        return cls(id=problem.id, **solution.to_json(brief=True), **more)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How probable a model finds the rationale that a problem was given."""

    tokens: int
    log_probability: float
    """The natural logarithm for the most probable program found that writes the rationale."""
    unknown: int = 0
    """How many of the tokens only the unknown token could write, with whose probability they count.
    """

    def __post_init__(self) -> None:
        if not 0 <= self.unknown <= self.tokens or self.tokens == 0:
            raise ValueError(f"{self.unknown} of {self.tokens} tokens cannot be unknown")
        if not _LEAST <= self.log_probability / self.tokens <= _ROUNDING:
            raise ValueError(
                f"{self.log_probability} is no logarithm of a probability of {self.tokens} tokens"
            )


_ROUNDING = 1e-4
"""So far above 0 may single precision leave the logarithm of a probability, for each token."""
_LEAST = -700.0
"""Below it the perplexity overflows: the model has forbidden the token, not scored it."""
