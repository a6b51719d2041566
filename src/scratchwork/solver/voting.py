"""The vote of plans for options, or for numbers where there are no options.

Promises: each plan votes for the option that it reaches. A vote weighs more the more probable the
plan is, the fewer of the question's numbers it leaves unused, and the less its result is rounded to
match the option, and less where units clash. How many votes there are counts, not only how they are
divided: options that only improbable plans reach are all about as probable. With fitted weights the
result is calibrated: of the answers with probability p, about a share p is right.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.solver.beam_search import FoundPlans
from scratchwork.solver.network import ProblemBatch
from scratchwork.solver.reading import NUMBER_PIECE

_SMALLEST = 1e-9

Weight = float | Tensor
"""A tensor while the vote is fitted."""


class VoteWeights(NamedTuple):
    """How votes are weighed; fitted on problems that the network was not trained on."""

    probability: Weight = 0.6
    """The power of a plan's probability."""
    unused: Weight = 0.8
    """How much a plan's log weight falls with each of the question's numbers in digits that it
    leaves unused."""
    rounding: Weight = 150.0
    """How much it falls with the relative difference between the plan's result and its option."""
    clash: Weight = 2.0
    """How much it falls where units clash."""
    floor: Weight = 0.03
    """Added to each option's votes."""
    sharpness: Weight = 1.2
    """The power of an option's votes."""
    number_sharpness: Weight = 0.9
    """The power of a number's votes, where there are no options."""
    number_floor: Weight = 0.3
    """The votes for all numbers that no plan found."""


class Ballot(NamedTuple):
    """The plans of problems, with what the vote needs to know of them."""

    found: FoundPlans
    unused: Tensor
    """[problem, plan]: how many of the question's numbers in digits a plan leaves unused"""
    rounding: Tensor
    """[problem, plan]: the relative difference between a plan's result and the option it reaches;
    0 where it reaches none"""
    clashes: Tensor
    """[problem, plan]: 1 where a plan's units clash, as `unit_clashes` finds out; else 0"""
    is_option: Tensor
    """[problem, option]: whether the problem has so many"""


def ballot_of(
    found: FoundPlans, batch: ProblemBatch, in_question: Tensor, option_values: Tensor
) -> Ballot:
    """The ballot of plans found for a batch of problems."""
    at = batch.numeral_pieces.clamp(min=0)
    in_digits = in_question & (batch.pieces.gather(1, at) == NUMBER_PIECE)
    unused = (in_digits[:, None] & ~found.numerals_used()).sum(-1)
    rounded = rounding(found, option_values)
    return Ballot(found, unused, rounded, torch.zeros_like(rounded), batch.option_pieces >= 0)


def rounding(found: FoundPlans, option_values: Tensor) -> Tensor:
    """See `Ballot.rounding`."""
    at = found.reached.clamp(min=0)[..., None].expand(-1, -1, option_values.shape[-1])
    values = option_values.gather(1, at)
    apart = (values - found.results[..., None]).abs() / values.abs().clamp(min=_SMALLEST)
    least = torch.where(apart.isfinite(), apart, torch.inf).amin(-1)
    return torch.where((found.reached >= 0) & least.isfinite(), least, 0.0)


def plan_weights(ballot: Ballot, weights: VoteWeights) -> Tensor:
    """The weight of each plan, [problem, plan]; 0 where there is none."""
    found = ballot.found
    is_there = torch.isfinite(found.log_probabilities)
    # Minus infinity times a weight would make the weight's gradient NaN.
    probable = torch.where(is_there, found.log_probabilities, 0.0)
    logs = weights.probability * probable - weights.unused * ballot.unused
    logs = logs - weights.rounding * ballot.rounding - weights.clash * ballot.clashes
    return torch.where(is_there, torch.exp(logs), 0.0)


def option_probabilities(ballot: Ballot, weights: VoteWeights) -> Tensor:
    """The probability of each option, [problem, option]."""
    is_option, reached = ballot.is_option, ballot.found.reached
    weight = torch.where(reached >= 0, plan_weights(ballot, weights), 0.0)
    votes = torch.zeros(is_option.shape, dtype=torch.float64, device=is_option.device)
    votes.scatter_add_(1, reached.clamp(min=0), weight)
    scores = torch.log(votes + weights.floor) * weights.sharpness
    return torch.softmax(scores.masked_fill(~is_option, -torch.inf), -1)


def number_votes(ballot: Ballot, weights: VoteWeights) -> list[dict[float, float]]:
    """For each problem the votes for the numbers that plans compute."""
    columns = (plan_weights(ballot, weights).tolist(), ballot.found.results.tolist())
    return [votes_by_number(*row) for row in zip(*columns, strict=True)]


def votes_by_number(weights: Sequence[float], results: Sequence[float]) -> dict[float, float]:
    """The votes for the numbers that plans of these weights compute."""
    votes: dict[float, float] = {}
    for weight, result in zip(weights, results, strict=True):
        if weight and math.isfinite(result):
            votes[key_of(result)] = votes.get(key_of(result), 0.0) + weight
    return votes


def key_of(result: float) -> float:
    """What numbers that differ by float noise only have in common."""
    return float(f"{result:.9g}")


def number_probabilities(votes: Mapping[float, float], weights: VoteWeights) -> dict[float, float]:
    """The probability of each number that has votes, the highest first; together less than 1, since
    the right number may not be among them."""
    powers = {value: vote ** float(weights.number_sharpness) for value, vote in votes.items()}
    total = sum(powers.values()) + float(weights.number_floor)
    return {value: powers[value] / total for value in sorted(powers, key=lambda v: -powers[v])}
