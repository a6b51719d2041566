"""Solving by plans: many are found, each votes for the option it reaches, the best is explained.

Promises: `PlanSearch` gives for each problem the options' probabilities as the votes of its
candidates, and for every option the best plan that reaches it, as a program of the machine whose
every number is computed, with the plan explained in the chosen style. An option that no plan
reaches has a candidate that states its letter without a derivation, marked as a guess. No program
is executed twice.
Without options the plans vote for numbers. The same problem and settings give the same solution,
whatever else is solved beside it; the order of the options does not matter.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from scratchwork.errors import UserError
from scratchwork.explaining.explaining import explain
from scratchwork.explaining.styles import Style
from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.traces import Trace
from scratchwork.model_folder import damage_told
from scratchwork.parallel import blocks
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnProgress, silent
from scratchwork.solution import Candidate, Likelihood, Progress, Solution, without_derivation
from scratchwork.solver.beam_search import FoundPlans, find_plans
from scratchwork.solver.collating import collate
from scratchwork.solver.reading import Reading, read_problem
from scratchwork.solver.saving import SavedSolver, load_solver
from scratchwork.solver.symbols import plan_from_choices
from scratchwork.solver.unit_clashes import with_clashes
from scratchwork.solver.voting import (
    VoteWeights,
    ballot_of,
    key_of,
    number_probabilities,
    option_probabilities,
    plan_weights,
    votes_by_number,
)

_MOST_TRIED = 8
"""So many plans for an option are tried on the machine, the best first."""
_UNLIKELY = 1e-6


@dataclass(frozen=True)
class PlanSettings:
    """How a problem is solved."""

    beam: int = 64
    """Plans that beam search finds; more take longer, and reach more options."""
    weights: VoteWeights = field(default_factory=VoteWeights)
    style: Style = "sentences"
    """How plans are explained."""
    at_once: int = 8
    """Problems solved together; it changes the speed only."""


class PlanSearch:
    """Solves with the solver's network."""

    def __init__(self, saved: SavedSolver, settings: PlanSettings) -> None:
        self.saved, self.settings = saved, settings
        self.model, self.pieces = saved.model, saved.pieces
        self.about = saved.about
        self.device = next(saved.model.parameters()).device

    @property
    def facts(self) -> dict[str, Any]:
        """How many plans are found, how they vote, and how they are explained."""
        settings = self.settings
        return {"beam": settings.beam, "votes": settings.weights._asdict(), "style": settings.style}

    @property
    def at_once(self) -> int:
        """How many problems are solved together."""
        return self.settings.at_once

    def with_beam(self, beam: int) -> "PlanSearch":
        """The same with another number of plans."""
        return PlanSearch(self.saved, replace(self.settings, beam=beam))

    def with_style(self, style: Style) -> "PlanSearch":
        """The same with derivations in another style."""
        return PlanSearch(self.saved, replace(self.settings, style=style))

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        """The solution of each problem, in order."""
        done = 0
        for some in blocks(problems, self.at_once):
            for k, solution in enumerate(self._solve_some(some)):
                yield Progress(done + k, solution, True)
            done += len(some)

    def likelihoods(
        self,
        problems: Sequence[Problem],
        rivals: int = 0,
        seed: int = 0,
        workers: int | None = 1,
        on_progress: OnProgress = silent,
    ) -> dict[str, Likelihood]:
        """Of the rationales that the network could write, since they tell a plan and fit."""
        from scratchwork.solver.likelihoods import likelihoods_of

        if rivals:
            raise UserError("rivals are for the paper's models only; leave them out")
        return likelihoods_of(self.saved, problems, workers, on_progress)

    @torch.no_grad()
    def _solve_some(self, problems: list[Problem]) -> list[Solution]:
        settings = self.settings
        readings = [read_problem(problem, self.pieces) for problem in problems]
        batch = collate(readings, self.device)
        encoded = self.model.encode(batch.read)
        plans = find_plans(
            self.model, encoded, batch.in_question, batch.option_values, settings.beam
        )
        ballot = ballot_of(plans, batch.read, batch.in_question, batch.option_values)
        ballot = with_clashes(ballot, problems, readings)
        probabilities = option_probabilities(ballot, settings.weights)
        weights = plan_weights(ballot, settings.weights)
        found: list[Solution] = []
        for k, (problem, reading) in enumerate(zip(problems, readings, strict=True)):
            own = _plans(plans, weights, k)
            speaker = _Speaker(problem, reading, settings.style)
            if problem.options:
                of_options = probabilities[k, : len(problem.options)].tolist()
                solution = _by_options(speaker, own, of_options)
            else:
                votes = votes_by_number(weights[k].tolist(), plans.results[k].tolist())
                shares = number_probabilities(votes, settings.weights)
                solution = _by_numbers(speaker, own, shares)
            found.append(replace(solution, unread=reading.unread))
        return found


@dataclass(frozen=True)
class _Speaker:
    """Makes programs of a problem's plans, and executes them."""

    problem: Problem
    reading: Reading
    style: Style

    def explained(self, choices: Sequence[int], letter: str | None) -> Trace | None:
        """A plan as a program that says itself what it does; none if the machine does not find it
        to give the letter."""
        plan = plan_from_choices(choices, self.reading)
        try:
            trace = explain(plan, self.problem, self.style)
        except ExecutionError:
            return None
        return trace if trace.answer == letter else None


@dataclass(frozen=True, slots=True)
class _Plan:
    """A plan that was found."""

    choices: tuple[int, ...]
    option: int
    result: float
    weight: float


def _plans(found: FoundPlans, weights: Tensor, k: int) -> list[_Plan]:
    """The plans of a problem, the heaviest first."""
    columns = (found.choices, found.reached, found.results, weights)
    rows = zip(*(column[k].tolist() for column in columns), strict=True)
    plans = [
        _Plan(tuple(choice for choice in choices if choice >= 0), option, result, weight)
        for choices, option, result, weight in rows
        if math.isfinite(result)
    ]
    return sorted(plans, key=lambda plan: -plan.weight)


def _by_options(speaker: _Speaker, plans: list[_Plan], shares: list[float]) -> Solution:
    """A candidate for each option, weighed by the option's probability."""
    problem = speaker.problem
    candidates: list[Candidate] = []
    # Equal shares are told apart by the options' texts, since their order must not matter.
    order = sorted(range(len(shares)), key=lambda k: (-round(shares[k], 9), problem.options[k]))
    for option in order:
        letter = problem.letters[option]
        own = [plan for plan in plans if plan.option == option]
        trace = _derivation(speaker, own, letter)
        candidates.append(_candidate(problem, trace, letter, shares[option]))
    return Solution(tuple(candidates))


def _by_numbers(speaker: _Speaker, plans: list[_Plan], shares: Mapping[float, float]) -> Solution:
    """A candidate for each of the most probable numbers that plans compute."""
    candidates: list[Candidate] = []
    for value in list(shares)[:_MOST_TRIED]:
        own = [plan for plan in plans if key_of(plan.result) == value]
        trace = _derivation(speaker, own, None)
        if trace is not None:
            candidates.append(_candidate(speaker.problem, trace, None, shares[value]))
    return Solution(tuple(candidates or [_candidate(speaker.problem, None, None, 0.0)]))


def _derivation(speaker: _Speaker, plans: list[_Plan], letter: str | None) -> Trace | None:
    """Of the first of the plans that the machine finds to give the letter."""
    for plan in plans[:_MOST_TRIED]:
        trace = speaker.explained(plan.choices, letter)
        if trace is not None:
            return trace
    return None


def _candidate(
    problem: Problem, trace: Trace | None, letter: str | None, share: float
) -> Candidate:
    """A derivation, or in want of one the letter as a guess."""
    probability = math.log(max(share, _UNLIKELY))
    if trace is not None:
        return Candidate(trace, probability)
    return Candidate(without_derivation(problem, letter), probability, guess=True)


def load_plan_search(folder: Path, device: torch.device) -> PlanSearch:
    """The search for a model folder, with the votes weighed as it says."""
    saved = load_solver(folder, device)
    with damage_told(folder):
        weights = VoteWeights(**saved.about.get("votes", {}))
    return PlanSearch(saved, PlanSettings(weights=weights))
