"""What was decoded for each problem, and the figures that are measured from it alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scratchwork.problems.problem import Problem
from scratchwork.scoring.accuracy import Answer, How
from scratchwork.scoring.bleu import Bleu, can_measure_bleu, measure_bleu


@dataclass(frozen=True, slots=True)
class Row:
    """What was decoded for one problem."""

    id: str
    correct: str
    answer: str | None
    """The letter of the best program."""
    how: How
    """Where that letter came from."""
    rationale: str
    log_probability: float
    """The natural logarithm, of the best program."""
    program: str
    """The best program, in text form."""
    votes: Mapping[str, float]
    """Each letter's share of the probability of all programs found, the largest first."""
    vote_how: How
    """Where the first of these letters came from, in the best program that gives it."""

    @property
    def of_best(self) -> Answer:
        """The best program's answer."""
        return Answer(self.answer, self.how)

    @property
    def of_vote(self) -> Answer:
        """The answer that has the most votes."""
        return Answer(next(iter(self.votes)), self.vote_how)


def has_rationale(problem: Problem) -> bool:
    """Whether there is a rationale that a model can be held to."""
    return bool((problem.rationale or "").strip())


def bleu_of(problems: Sequence[Problem], rows: Sequence[Row]) -> Bleu | None:
    """BLEU of the rows' rationales; None where no problem has one, or without sacrebleu."""
    pairs = [
        (row.rationale, problem.rationale or "")
        for problem, row in zip(problems, rows, strict=True)
        if has_rationale(problem)
    ]
    if not pairs or not can_measure_bleu():
        return None
    return measure_bleu([written for written, _ in pairs], [given for _, given in pairs])
