"""Measuring a model on problems: perplexity, BLEU and accuracy, in one report.

Promises: `evaluate` forces the model to write the given rationales, solves every problem, and gives
the report and a row for each solution, in the order of the problems. Letter and rationale are those
of the best program; the accuracy of the vote among the programs found stands beside. With a file
for the rows, what was solved once is not solved again. What was not measured, for want of
rationales or of sacrebleu, is None.

Does not cover: problems without options or a correct letter, which `read_for_evaluation` passes
over.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from scratchwork.errors import UserError
from scratchwork.files import row_file, sha256_of
from scratchwork.model_folder import WEIGHTS
from scratchwork.parallel import Workers
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, OnProgress, read_problems, silent
from scratchwork.scoring.accuracy import measure_accuracy, right_of_the_confident
from scratchwork.scoring.perplexity import measure_perplexity
from scratchwork.scoring.report import Report, current_commit
from scratchwork.scoring.rows import EvaluationRow, bleu_of, evaluation_row, has_rationale
from scratchwork.solving import Search, solve_rows


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How to measure."""

    rivals: int = 0
    """Random programs for each given rationale that compete with the greedy one."""
    seed: int = 0
    """Of these programs, and of the bootstrap."""
    workers: Workers = field(default_factory=Workers)
    """Who solves the problems, and reads the given rationales."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Which model is measured, on which file; both by name and SHA-256."""

    model: str
    weights: str
    file: str
    data: str


def subject_of(folder: Path, file: Path) -> Subject:
    """A model folder and a file of problems."""
    return Subject(folder.resolve().name, sha256_of(folder / WEIGHTS), file.name, sha256_of(file))


def read_for_evaluation(
    file: Path, limit: int | None = None, on_bad: OnBad | None = None
) -> list[Problem]:
    """The first problems of a file that have options and a correct letter, repaired."""
    fitting = (p for p in read_problems(file, on_bad) if p.correct is not None)
    problems = [normalise(problem) for problem in islice(fitting, limit)]
    if not problems:
        raise UserError(f"{file}: no problem has options and a correct letter to measure against")
    return problems


def evaluate(
    search: Search,
    problems: Sequence[Problem],
    subject: Subject,
    settings: EvaluationSettings,
    to: Path | None = None,
    on_progress: OnProgress = silent,
) -> tuple[Report, list[EvaluationRow]]:
    """Measure a model; rows are added to the file `to`, and those that are there are taken."""
    facts = {"weights": subject.weights, "data": subject.data, **search.facts}
    with ExitStack() as stack:
        kept = None if to is None else stack.enter_context(row_file(to, EvaluationRow, facts))
        given = [problem for problem in problems if has_rationale(problem)]
        likely = search.likelihoods(
            given, settings.rivals, settings.seed, settings.workers.count, on_progress
        )
        rows = solve_rows(search, problems, evaluation_row, settings.workers, kept, on_progress)
    report = Report(
        model=subject.model,
        file=subject.file,
        data=subject.data,
        problems=len(problems),
        seed=settings.seed,
        commit=current_commit(),
        settings=search.facts
        | {"rivals": settings.rivals, "weights": subject.weights}
        | _training(search),
        perplexity=measure_perplexity(list(likely.values()), settings.seed) if likely else None,
        bleu=bleu_of(problems, rows),
        accuracy=measure_accuracy(problems, [row.of_best for row in rows]),
        vote=measure_accuracy(problems, [row.of_vote for row in rows]),
        confident=right_of_the_confident(problems, [(row.answer, row.confidence) for row in rows]),
    )
    return report, rows


def _training(search: Search) -> dict[str, Any]:
    """The seed of the training, if it is known: another one gives another model."""
    training = search.about.get("training", {})
    return {"training_seed": training["seed"]} if "seed" in training else {}
