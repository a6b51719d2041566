"""Measuring a model on problems: perplexity, BLEU and accuracy, in one report.

Promises: `evaluate` forces the model to write the given rationales, decodes every problem, and
gives the report and what was decoded, in the order of the problems. Letter and rationale are those
of the best program; the accuracy of the vote among the programs found stands beside. With a file
for the rows, what was decoded once is not decoded again. What was not measured, for want of
rationales or of sacrebleu, is None.

Does not cover: problems without options or a correct letter, which `read_for_evaluation` passes
over.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from scratchwork.errors import UserError
from scratchwork.files import RowFile, row_file, sha256_of
from scratchwork.machine.execution import execute
from scratchwork.machine.traces import Trace
from scratchwork.model_folder import WEIGHTS
from scratchwork.paper.corpus import build_tables
from scratchwork.paper.decoded import Decoded, Hypothesis
from scratchwork.paper.forced import force
from scratchwork.paper.models import SavedModel
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, OnProgress, read_problems, silent
from scratchwork.problems.tokens import output_tokens
from scratchwork.scoring.accuracy import How, answer_of, measure_accuracy
from scratchwork.scoring.perplexity import Forced, Perplexity, measure_perplexity
from scratchwork.scoring.report import Report, current_commit
from scratchwork.scoring.rows import Row, bleu_of, has_rationale
from scratchwork.searching import BeamSearch, Search
from scratchwork.solver.dataset import Dataset
from scratchwork.solver.examples import example_of, with_rationale
from scratchwork.solver.saving import SavedSolver
from scratchwork.solver.search import PlanSearch
from scratchwork.solver.tables import Example, tables_of
from scratchwork.solver.teacher_forcing import log_probabilities


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How to measure."""

    rivals: int = 0
    """Random programs for each given rationale that compete with the greedy one."""
    seed: int = 0
    """Of these programs, and of the bootstrap."""
    workers: int = 1
    """Processes that find the paths to the given rationales."""


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
) -> tuple[Report, list[Row]]:
    """Measure a model; rows are added to the file `to`, and those that are there are taken."""
    facts = {"weights": subject.weights, "data": subject.data, **search.facts}
    with ExitStack() as stack:
        kept = None if to is None else stack.enter_context(row_file(to, Row, facts))
        perplexity = None
        if isinstance(search, BeamSearch):
            perplexity = perplexity_of(search.saved, problems, settings, on_progress)
        elif isinstance(search, PlanSearch):
            told = told_by(search.saved, problems)
            perplexity = perplexity_of_told(search.saved, told, settings.seed)
        rows = _decoded(search, problems, kept, on_progress)
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
        perplexity=perplexity,
        bleu=bleu_of(problems, rows),
        accuracy=measure_accuracy(problems, [row.of_best for row in rows]),
        vote=measure_accuracy(problems, [row.of_vote for row in rows]),
    )
    return report, rows


def perplexity_of(
    saved: SavedModel,
    problems: Sequence[Problem],
    settings: EvaluationSettings,
    on_progress: OnProgress = silent,
) -> Perplexity | None:
    """How well a model predicts the rationales of those problems that have one."""
    given = [problem for problem in problems if has_rationale(problem)]
    if not given:
        return None

    def show(what: str) -> Callable[[int], None]:
        return lambda done: on_progress(what, done, len(given))

    tables = build_tables(given, saved.vocabulary, settings.workers, show("finding paths"))
    device = next(saved.model.parameters()).device
    found = force(
        saved.model, tables, device, settings.rivals, settings.seed, on_progress=show("forcing")
    )
    forced = [Forced(one.tokens, one.log_probability, one.unknown) for one in found]
    return measure_perplexity(forced, settings.seed)


def told_by(saved: SavedSolver, problems: Sequence[Problem]) -> list[tuple[Problem, Example]]:
    """Those problems whose rationale the solver could write, since it tells a plan and fits."""
    given = [problem for problem in problems if has_rationale(problem)]
    read = [(problem, example_of(problem, saved.pieces)) for problem in given]
    told = [(p, with_rationale(example)) for p, example in read if example is not None]
    return [(problem, example) for problem, example in told if example.plans]


def perplexity_of_told(
    saved: SavedSolver, told: Sequence[tuple[Problem, Example]], seed: int
) -> Perplexity | None:
    """How well the solver predicts rationales that it could write. The plan's probability counts as
    well, and the letter follows from it."""
    if not told:
        return None
    device = next(saved.model.parameters()).device
    dataset = Dataset(*tables_of(example for _, example in told), device)
    logs = log_probabilities(saved.model, dataset).tolist()
    forced = [Forced(len(output_tokens(p)), log) for (p, _), log in zip(told, logs, strict=True)]
    return measure_perplexity(forced, seed)


def _decoded(
    search: Search, problems: Sequence[Problem], kept: RowFile[Row] | None, on_progress: OnProgress
) -> list[Row]:
    rows = {} if kept is None else dict(kept.rows)
    left = [problem for problem in problems if problem.id not in rows]
    done = len(problems) - len(left)
    for step in search.steps(left):
        if step.is_last:
            row = _row(step.decoded)
            rows[row.id] = row
            if kept is not None:
                kept.append(row)
            done += 1
            on_progress("decoding", done, len(problems))
    return [rows[problem.id] for problem in problems]


def _row(decoded: Decoded) -> Row:
    problem, best, vote = decoded.problem, decoded.best, decoded.vote()
    assert problem.correct is not None
    trace = execute(best.program, problem, decoded.operations)
    voted = next(found for found in decoded.hypotheses if found.letter == vote)
    return Row(
        id=problem.id,
        correct=problem.correct,
        answer=trace.answer,
        how=_how(best, trace),
        rationale=trace.rationale,
        log_probability=best.log_probability,
        program=str(best.program),
        votes=decoded.votes(),
        vote_how=_how(voted, execute(voted.program, problem, decoded.operations)),
    )


def _how(hypothesis: Hypothesis, trace: Trace) -> How:
    return "forced" if hypothesis.forced else answer_of(trace).how


def _training(search: Search) -> dict[str, Any]:
    """The seed of the training, if it is known: another one gives another model."""
    training = search.about.get("training", {})
    return {"training_seed": training["seed"]} if "seed" in training else {}
