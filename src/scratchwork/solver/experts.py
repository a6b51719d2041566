"""Learning from its own plans: find many for each problem, keep those that reach the label.

Promises: a plan is kept to be imitated if it reaches the labelled option, uses at least two of the
question's numbers, and its option has a fair share of the probability of all plans that reach any
option. Of the plans that reach an option the most probable right ones and wrong ones are kept to
learn to judge by.

Does not cover: luck; one plan in some reaches the label for no good reason.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from scratchwork.solver.beam_search import Found, find_plans
from scratchwork.solver.dataset import Shelf
from scratchwork.solver.network import Transformer
from scratchwork.solver.voting import Ballot, ballot_of


@dataclass(frozen=True)
class ExpertSettings:
    """What is kept of the plans found."""

    beam: int = 32
    at_once: int = 1024
    """Problems at a time."""
    fewest_share: float = 0.2
    """The labelled option's share of the probability, at least."""
    fewest_numbers: int = 2
    imitated: int = 2
    """Of a problem's plans at most so many are imitated, the most probable ones."""
    judged: int = 6
    """So many right ones, and as many wrong ones, are judged."""


@dataclass(frozen=True)
class OwnPlans:
    """Plans that the network found itself, a row each."""

    problems: Tensor
    choices: Tensor
    reached: Tensor
    imitated: Tensor
    verdicts: Tensor
    """1 for right, 0 for wrong, -1 for not to be judged."""
    answered: float
    """The share of problems of which a plan reaches an option."""
    solved: float
    """The share of problems of which a plan reaches the label."""


def find_own_plans(
    model: Transformer,
    shelf: Shelf,
    problems: Tensor,
    labels: Tensor,
    settings: ExpertSettings,
) -> OwnPlans:
    """Plans for some problems of a shelf, with their labels, by what is to be learned from them."""
    parts: list[tuple[Tensor, ...]] = []
    answered = solved = 0
    for first in range(0, len(problems), settings.at_once):
        rows = problems[first : first + settings.at_once]
        found = find_for(model, shelf, rows, settings.beam).found
        right = found.reached == labels[first : first + settings.at_once][:, None]
        answered += int((found.reached >= 0).any(1).sum())
        solved += int(right.any(1).sum())
        parts.append(_kept(found, right, rows, settings))
    rows, choices, reached, imitated, verdicts = (
        torch.cat(column) for column in zip(*parts, strict=True)
    )
    shares = answered / len(problems), solved / len(problems)
    return OwnPlans(rows, choices, reached, imitated, verdicts, *shares)


def find_for(model: Transformer, shelf: Shelf, rows: Tensor, beam: int) -> Ballot:
    """Plans for some problems of a shelf."""
    is_cuda = shelf.device.type == "cuda"
    with torch.no_grad(), torch.autocast(shelf.device.type, torch.bfloat16, is_cuda):
        read = shelf.read(rows, int(shelf.lengths[rows].max()))
        encoded = model.encode(read)
        in_question, options = shelf.in_question[rows], shelf.option_values[rows]
        found = find_plans(model, encoded, in_question, options, beam)
    return ballot_of(found, read, in_question, options)


def _kept(
    found: Found, right: Tensor, rows: Tensor, settings: ExpertSettings
) -> tuple[Tensor, ...]:
    """Of plans found: problem, choices, option reached, imitated, verdict."""
    probabilities = torch.exp(found.log_probabilities)
    answers = found.reached >= 0
    of_label = (probabilities * right).sum(1)
    of_all = (probabilities * answers).sum(1).clamp(min=1e-30)
    good = right & (of_label / of_all >= settings.fewest_share)[:, None]
    good &= found.uses().sum(-1) >= settings.fewest_numbers
    imitated = _first(good, settings.imitated)
    judged = _first(right, settings.judged) | _first(answers & ~right, settings.judged)
    problem, plan = (imitated | judged).nonzero().unbind(1)
    verdicts = torch.where(judged, right.to(torch.int8), -1).to(torch.int8)
    return (
        rows[problem],
        found.choices[problem, plan].to(torch.int16),
        found.reached[problem, plan],
        imitated[problem, plan],
        verdicts[problem, plan],
    )


def _first(eligible: Tensor, most: int) -> Tensor:
    """Of the eligible plans of each problem the first, which are the most probable."""
    return eligible & (eligible.cumsum(1) <= most)
