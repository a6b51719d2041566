"""Fit how the plans of a solver vote, and say how far its confidence can be relied upon.

    python scripts/fit_votes.py my-solver tune.jsonl --open open.jsonl --write

The weights of votes for options are fitted to the problems of the first file, which the network was
not trained on; the weights of votes for numbers to the same problems without their options, and to
those of `--open`, which have none (their `answer` is the right number). Prints, and writes to
results/votes.json: the weights; and of the answers that are at least so confident, how many there
are and how many are right, for each fold of five with weights fitted to the other four.
With `--write`, the model folder gets the weights.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch
from result_files import origin, share, write_result

from scratchwork import Problem, read_problems
from scratchwork.files import write_text
from scratchwork.model_folder import CONFIG, model_folder
from scratchwork.parallel import blocks
from scratchwork.problems.normalise import normalise
from scratchwork.scoring.accuracy import CONFIDENCE_LEVELS
from scratchwork.solver.beam_search import FoundPlans, find_plans
from scratchwork.solver.collating import collate
from scratchwork.solver.examples import right_number
from scratchwork.solver.measuring import fit_number_votes, fit_votes, right_of
from scratchwork.solver.reading import read_problem
from scratchwork.solver.saving import SavedSolver, load_solver
from scratchwork.solver.unit_clashes import with_clashes
from scratchwork.solver.voting import (
    Ballot,
    VoteWeights,
    ballot_of,
    number_probabilities,
    number_votes,
    option_probabilities,
)

FOLDS = 5
AT_ONCE = 32


@dataclass(frozen=True)
class Judged:
    """An answer: how sure, and whether right."""

    confidence: float
    right: bool


def ballots(saved: SavedSolver, problems: Sequence[Problem], beam: int) -> Iterator[Ballot]:
    """The plans found for each problem."""
    device = next(saved.model.parameters()).device
    for some in blocks(problems, AT_ONCE):
        readings = [read_problem(problem, saved.pieces) for problem in some]
        batch = collate(readings, device)
        with torch.no_grad():
            encoded = saved.model.encode(batch.read)
            found = find_plans(saved.model, encoded, batch.in_question, batch.option_values, beam)
        whole = ballot_of(found, batch.read, batch.in_question, batch.option_values)
        whole = with_clashes(whole, some, readings)
        for k in range(len(some)):
            one = FoundPlans(*(getattr(found, f.name)[k : k + 1].cpu() for f in fields(found)))
            yield Ballot(one, *(column[k : k + 1].cpu() for column in whole[1:]))


def joined(some: Sequence[Ballot]) -> Ballot:
    """The ballots of problems with as many options as the one with the most."""
    most = max(ballot.is_option.shape[1] for ballot in some)
    found = (
        torch.cat([getattr(ballot.found, f.name) for ballot in some]) for f in fields(FoundPlans)
    )
    padded = [torch.nn.functional.pad(b.is_option, (0, most - b.is_option.shape[1])) for b in some]

    def column(name: str) -> torch.Tensor:
        return torch.cat([getattr(ballot, name) for ballot in some])

    columns = column("unused"), column("rounding"), column("clashes")
    return Ballot(FoundPlans(*found), *columns, torch.cat(padded))


def folds(count: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """The places of problems, dealt out at random: those of each fold, and all others."""
    places = list(range(count))
    random.Random(seed).shuffle(places)
    for fold in (places[k::FOLDS] for k in range(FOLDS)):
        inside = set(fold)
        yield fold, [k for k in range(count) if k not in inside]


def judged_options(ballot: Ballot, labels: torch.Tensor, weights: VoteWeights) -> list[Judged]:
    """The answers that these votes give."""
    sure, chosen = option_probabilities(ballot, weights).max(-1)
    pairs = zip(sure.tolist(), (chosen == labels).tolist(), strict=True)
    return [Judged(confidence, right) for confidence, right in pairs]


def cross_validated_options(
    some: Sequence[Ballot], labels: torch.Tensor, seed: int
) -> list[Judged]:
    """The answers of each fold by the votes fitted to the others."""
    judged: list[Judged] = []
    for fold, others in folds(len(some), seed):
        weights = fit_votes(joined([some[k] for k in others]), labels[others])
        judged += judged_options(joined([some[k] for k in fold]), labels[fold], weights)
    return judged


@dataclass(frozen=True)
class Open:
    """A problem without options: the votes for each number found, and which is right."""

    votes: dict[float, float]
    answer: float


def judged_numbers(problems: Sequence[Open], weights: VoteWeights) -> list[Judged]:
    """The answers that these votes give; without any number, a wrong one."""
    judged: list[Judged] = []
    for problem in problems:
        best = list(number_probabilities(problem.votes, weights).items())[:1]
        judged += [Judged(p, right_of([v], problem.answer) is not None) for v, p in best] or [
            Judged(0, False)
        ]
    return judged


def fitted_to_numbers(problems: Sequence[Open], weights: VoteWeights) -> VoteWeights:
    """The votes for numbers fitted to these problems."""
    found = [problem for problem in problems if problem.votes]
    right = [right_of(problem.votes, problem.answer) for problem in found]
    return fit_number_votes([problem.votes for problem in found], right, weights)


def summary(judged: Sequence[Judged]) -> dict[str, Any]:
    """How many are right, of all and of those that are sure."""
    rows: dict[str, Any] = {"right": share(sum(one.right for one in judged), len(judged))}
    rows["mean confidence"] = round(sum(one.confidence for one in judged) / len(judged), 4)
    for level in CONFIDENCE_LEVELS:
        sure = [one for one in judged if one.confidence >= level]
        part = share(sum(one.right for one in sure), len(sure))
        rows[f"at least {level}"] = {"covers": round(len(sure) / len(judged), 4), **part}
    return rows


def open_problems(path: Path) -> Iterator[tuple[Problem, float]]:
    """The problems of a file without their options, with the number that is right; those whose
    answer is not one number are left out."""
    for problem in map(normalise, read_problems(path)):
        answer = right_number(problem)
        if answer is not None:
            yield replace(problem, options=(), correct=None), answer


def main() -> None:
    """Fit, print and write."""
    parser = argparse.ArgumentParser(description="Fit how the plans of a solver vote.")
    parser.add_argument("model")
    parser.add_argument("file", type=Path)
    parser.add_argument("--open", type=Path, action="append", default=[], dest="others")
    parser.add_argument("--beam", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, help="take so many problems of each file")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--write", action="store_true", help="write the weights to the folder")
    options = parser.parse_args()
    folder = model_folder(options.model)
    saved = load_solver(folder, options.device)

    choices = [p for p in map(normalise, read_problems(options.file)) if p.correct][: options.limit]
    labels = torch.tensor([p.letters.index(p.correct or "") for p in choices])
    found = list(ballots(saved, choices, options.beam))
    weights = fit_votes(joined(found), labels)
    judged = cross_validated_options(found, labels, options.seed)
    rows: dict[str, Any] = {"with options": {options.file.name: summary(judged)}}

    files = [options.file, *options.others]
    known = {path.name: list(open_problems(path))[: options.limit] for path in files}
    asked = {
        name: [
            Open(number_votes(ballot, weights)[0], answer)
            for ballot, (_, answer) in zip(
                ballots(saved, [p for p, _ in pairs], options.beam), pairs, strict=True
            )
        ]
        for name, pairs in known.items()
    }
    everything = [problem for some in asked.values() for problem in some]
    sure: dict[int, Judged] = {}
    for fold, others in folds(len(everything), options.seed):
        theirs = fitted_to_numbers([everything[k] for k in others], weights)
        sure |= dict(zip(fold, judged_numbers([everything[k] for k in fold], theirs), strict=True))
    at = iter(range(len(everything)))
    rows["without options"] = {
        name: summary([sure[next(at)] for _ in some]) for name, some in asked.items()
    }
    weights = fitted_to_numbers(everything, weights)
    if options.write:
        config = json.loads((folder / CONFIG).read_text("utf-8"))
        config["votes"] = weights._asdict()
        write_text(folder / CONFIG, json.dumps(config, indent=1) + "\n")
    named = {path.name: path for path in files}
    result = {"model": options.model, "beam": options.beam, "seed": options.seed}
    result = {**origin(named), **result, "votes": weights._asdict(), **rows}
    write_result("votes.json", result)


if __name__ == "__main__":
    main()
