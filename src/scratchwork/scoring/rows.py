"""What was found for each problem, and the figures that are measured from it alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from scratchwork.problems.problem import Problem
from scratchwork.scoring.accuracy import Answer, How, answer_of
from scratchwork.scoring.bleu import Bleu, can_measure_bleu, measure_bleu
from scratchwork.solution import Candidate, Solution, SolutionRow


@dataclass(frozen=True, slots=True)
class EvaluationRow(SolutionRow):
    """The solution of a problem whose letter is known."""

    correct: str
    how: How
    """Where the letter of the best program came from."""
    vote_how: How
    """Where the letter with the most votes came from, in the best program that gives it."""

    @property
    def of_best(self) -> Answer:
        """The best program's answer."""
        return Answer(self.answer, self.how)

    @property
    def of_vote(self) -> Answer:
        """The answer that has the most votes."""
        return Answer(next(iter(self.votes), None), self.vote_how)


def evaluation_row(problem: Problem, solution: Solution) -> EvaluationRow:
    """The row of a solution."""
    best, most = solution.candidates[0], next(iter(solution.votes), None)
    voted = next(found for found in solution.candidates if found.answer == most)
    return EvaluationRow.of(
        problem, solution, correct=problem.correct, how=_how(best), vote_how=_how(voted)
    )


def _how(candidate: Candidate) -> How:
    return "forced" if candidate.guess else answer_of(candidate.trace).how


def has_rationale(problem: Problem) -> bool:
    """Whether there is a rationale that a model can be held to."""
    return bool((problem.rationale or "").strip())


def bleu_of(problems: Sequence[Problem], rows: Sequence[EvaluationRow]) -> Bleu | None:
    """BLEU of the rows' rationales; None where no problem has one, or without sacrebleu."""
    pairs = [
        (row.rationale, problem.rationale or "")
        for problem, row in zip(problems, rows, strict=True)
        if has_rationale(problem)
    ]
    if not pairs or not can_measure_bleu():
        return None
    return measure_bleu([written for written, _ in pairs], [given for _, given in pairs])
