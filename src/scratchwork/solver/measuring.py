"""What a network in training can do on the tune problems, and how its plans should vote.

Promises: `find_all` finds plans for every problem of a dataset; `accuracies` says how often they
give the right option, chosen in several ways, and `number_accuracies` how often the right number
without options; `plan_loss` is the loss on the known plans.
`fit_votes` finds the weights under which the labelled options are most probable, so that the
probabilities are calibrated, as far as six weights allow. `fit_number_votes` does so for numbers,
where there are no options. The same plans give the same weights.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.solver.beam_search import FoundPlans, find_plans
from scratchwork.solver.dataset import Dataset, hide_options
from scratchwork.solver.network import Transformer
from scratchwork.solver.symbols import LONGEST_PLAN
from scratchwork.solver.tables import TUNE, TUNE_FAR
from scratchwork.solver.teacher_forcing import target_logs, teacher_force
from scratchwork.solver.voting import (
    Ballot,
    VoteWeights,
    ballot_of,
    number_probabilities,
    number_votes,
    option_probabilities,
)

_AT_ONCE_ON_GPU, _AT_ONCE_ON_CPU = 512, 8
_FIT_STEPS, _FIT_RATE = 300, 0.05
_OF_OPTIONS = ("probability", "unused", "rounding", "clash", "floor", "sharpness")
_OF_NUMBERS = ("number_sharpness", "number_floor")
_NO_VOTE = 1e-12
_CLOSE = 0.005
"""A number is right if it differs by no more than this share: answers are often rounded."""
_WITHOUT_OPTIONS = "without options right"
_WAYS = {
    "right by probability": VoteWeights(unused=0.0, rounding=0.0),
    "right": VoteWeights(),
}
"""How options are chosen, to see what each part brings."""


def _at_once(device: torch.device) -> int:
    return _AT_ONCE_ON_GPU if device.type == "cuda" else _AT_ONCE_ON_CPU


@torch.no_grad()
def find_all(model: Transformer, dataset: Dataset, beam: int) -> Ballot:
    """Plans for all problems of a dataset."""
    rows = torch.arange(len(dataset.labels), device=dataset.device)
    return _find(model, dataset, rows, beam, hides=False)


class Numbers(NamedTuple):
    """The plans of problems whose options are hidden, and the right number of each."""

    ballot: Ballot
    answers: list[float]

    def found(self, weights: VoteWeights) -> list[dict[float, float]]:
        """The votes for each number found for each problem."""
        return number_votes(self.ballot, weights)


@torch.no_grad()
def find_numbers(model: Transformer, dataset: Dataset, beam: int) -> Numbers | None:
    """Plans for those problems of a dataset whose right number is known, as if they had no options;
    none if there is no such problem."""
    rows = torch.isfinite(dataset.answers).nonzero().flatten()
    if not len(rows):
        return None
    ballot = _find(model, dataset, rows, beam, hides=True)
    return Numbers(ballot, dataset.answers[rows].tolist())


def _find(model: Transformer, dataset: Dataset, rows: Tensor, beam: int, hides: bool) -> Ballot:
    """Plans for some problems of a dataset."""
    parts = [
        _find_some(model, dataset, some, beam, hides)
        for some in rows.split(_at_once(dataset.device))
    ]
    found = [part.found for part in parts]
    columns = (torch.cat([getattr(some, f.name) for some in found]) for f in fields(FoundPlans))
    others = (torch.cat(column) for column in zip(*(part[1:] for part in parts), strict=True))
    return Ballot(FoundPlans(*columns), *others)


def _find_some(
    model: Transformer, dataset: Dataset, rows: Tensor, beam: int, hides: bool
) -> Ballot:
    with torch.autocast(dataset.device.type, torch.bfloat16, dataset.device.type == "cuda"):
        read = dataset.read(rows, int(dataset.lengths[rows].max()))
        in_question, options = dataset.in_question[rows], dataset.option_values[rows]
        if hides:
            read = hide_options(read, in_question, torch.ones_like(rows, dtype=torch.bool))
            options = torch.full_like(options, torch.nan)
        encoded = model.encode(read)
        found = find_plans(model, encoded, in_question, options, beam)
    return ballot_of(found, read, in_question, options)


@torch.no_grad()
def plan_loss(model: Transformer, dataset: Dataset) -> float:
    """The mean loss on the choices of a dataset's plans, rationales left out."""
    total, count = 0.0, 0
    for (reading, plan), bucket in dataset.buckets.items():
        planned = bucket[(dataset.choices[bucket] >= 0).any(1)]
        if plan > LONGEST_PLAN:
            continue
        for rows in planned.split(_at_once(dataset.device)):
            with torch.autocast(dataset.device.type, torch.bfloat16, dataset.device.type == "cuda"):
                encoded = model.encode(dataset.read_plans(rows, reading))
                forced = teacher_force(model, dataset, rows, encoded, plan)
            total -= float(target_logs(*forced).sum())
            count += int((forced.targets >= 0).sum())
    return total / max(1, count)


def scores_of(model: Transformer, dataset: Dataset, beam: int) -> dict[str, float]:
    """The loss on the plans of a dataset, and what is right with the plans found: of the options
    where labels are known, and of the numbers without options."""
    scores: dict[str, float] = {}
    if has_labels(dataset):
        ballot = find_all(model, dataset, beam)
        scores = {"loss": plan_loss(model, dataset), **accuracies(ballot, dataset.labels.long())}
    numbers = find_numbers(model, dataset, beam)
    return scores if numbers is None else scores | number_accuracies(numbers, VoteWeights())


def has_labels(dataset: Dataset) -> bool:
    """Whether the right option of each problem is known."""
    return bool((dataset.labels >= 0).all())


def fitted_votes(
    model: Transformer, datasets: Mapping[str, Dataset], beam: int
) -> tuple[VoteWeights, dict[str, float]]:
    """The vote weights fitted to the tune problems and, for numbers, to those without options as
    well; and the shares of right answers with them."""
    # Those that are far are among the tune problems already.
    fitted_to = {name: dataset for name, dataset in datasets.items() if name != TUNE_FAR}
    weights, scores = VoteWeights(), dict[str, float]()
    for name, dataset in fitted_to.items():
        if name == TUNE and has_labels(dataset):
            ballot, labels = find_all(model, dataset, beam), dataset.labels.long()
            weights = fit_votes(ballot, labels)
            is_right = option_probabilities(ballot, weights).argmax(-1) == labels
            scores[f"{name} with fitted votes right"] = _share(is_right)
    found = {name: find_numbers(model, dataset, beam) for name, dataset in fitted_to.items()}
    numbers = {name: some for name, some in found.items() if some is not None}
    pairs = [
        (votes, right_of(votes, answer))
        for some in numbers.values()
        for votes, answer in zip(some.found(weights), some.answers, strict=True)
        if votes
    ]
    if pairs:
        weights = fit_number_votes([votes for votes, _ in pairs], [r for _, r in pairs], weights)
    for name, some in numbers.items():
        shares = number_accuracies(some, weights)
        scores[f"{name} without options with fitted votes right"] = shares[_WITHOUT_OPTIONS]
    return weights, scores


def number_accuracies(numbers: Numbers, weights: VoteWeights) -> dict[str, float]:
    """The shares of problems whose right number has the most votes, and of those where it is among
    the numbers found."""
    found = numbers.found(weights)
    best = [list(number_probabilities(votes, weights))[:1] for votes in found]

    def share(values: Iterable[Collection[float]]) -> float:
        pairs = zip(values, numbers.answers, strict=True)
        right = [right_of(some, answer) is not None for some, answer in pairs]
        return sum(right) / len(right)

    return {_WITHOUT_OPTIONS: share(best), "without options among plans": share(found)}


def right_of(values: Iterable[float], answer: float) -> float | None:
    """The right one of some numbers, if one is."""
    return next((v for v in values if abs(v - answer) <= _CLOSE * abs(answer)), None)


def accuracies(ballot: Ballot, labels: Tensor) -> dict[str, float]:
    """Shares of right answers, chosen in several ways, and of answered problems."""
    found = ballot.found
    answers = found.reached >= 0
    answered = answers.any(1)
    voted = option_probabilities(ballot, _WAYS["right by probability"]).argmax(-1) == labels
    best = found.reached.gather(1, answers.int().argmax(1, keepdim=True)).squeeze(1)
    chosen = {
        name: option_probabilities(ballot, weights).argmax(-1) == labels
        for name, weights in _WAYS.items()
    }
    found_right = {
        "answered": answered,
        "right of answered": voted[answered],
        "among plans": (found.reached == labels[:, None]).any(1),
        "best plan": best == labels,
    }
    return {name: _share(those) for name, those in (chosen | found_right).items()}


def _share(those: Tensor) -> float:
    """Of truth values; 0 if there are none."""
    return float(those.double().sum() / max(1, len(those)))


def fit_votes(ballot: Ballot, labels: Tensor) -> VoteWeights:
    """The weights of votes for options, of plans found for problems with labels; those of votes for
    numbers stay as they are."""

    def loss(weights: VoteWeights) -> Tensor:
        probabilities = option_probabilities(ballot, weights)
        return -torch.log(probabilities.gather(1, labels[:, None])).mean()

    return _fitted(loss, VoteWeights(), _OF_OPTIONS, labels.device)


def fit_number_votes(
    found: Sequence[Mapping[float, float]], right: Sequence[float | None], weights: VoteWeights
) -> VoteWeights:
    """The weights of votes for numbers, given the votes for each number found for some problems,
    and which of the numbers is right, if one is; those of votes for options stay as they are."""
    votes = torch.zeros(len(found), max(map(len, found)) + 1, dtype=torch.float64)
    for k, some in enumerate(found):
        votes[k, : len(some)] = torch.tensor(list(some.values()), dtype=torch.float64)
    # The last place is that of the numbers that no plan found.
    places = [
        len(votes[0]) - 1 if value is None else list(some).index(value)
        for some, value in zip(found, right, strict=True)
    ]

    def loss(weights: VoteWeights) -> Tensor:
        logs = torch.log(votes.clamp(min=_NO_VOTE)) * weights.number_sharpness
        logs = logs.masked_fill(votes == 0, -torch.inf)
        floor = torch.as_tensor(weights.number_floor, dtype=torch.float64).log()
        scores = torch.cat([logs[:, :-1], floor.expand(len(votes), 1)], 1)
        at = torch.tensor(places)[:, None]
        return -torch.log_softmax(scores, 1).gather(1, at).mean()

    return _fitted(loss, weights, _OF_NUMBERS, votes.device)


def _fitted(
    loss: Callable[[VoteWeights], Tensor],
    start: VoteWeights,
    names: Sequence[str],
    device: torch.device,
) -> VoteWeights:
    """The start with the named weights changed so that the loss is least."""
    values = [getattr(start, name) for name in names]
    logs = torch.tensor(values, dtype=torch.float64, device=device).log().requires_grad_()
    optimiser = torch.optim.Adam([logs], _FIT_RATE)
    for _ in range(_FIT_STEPS):
        optimiser.zero_grad()
        some = start._replace(**dict(zip(names, logs.exp().unbind(), strict=True)))
        loss(some).backward()
        optimiser.step()
    found = {name: round(float(x), 4) for name, x in zip(names, logs.detach().exp(), strict=True)}
    return start._replace(**found)
