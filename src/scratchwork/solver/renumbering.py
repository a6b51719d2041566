"""Solved problems with other numbers: the same words and the same plan, computed anew.

Promises: `renumber` draws new numbers for the plans of a dataset, keeping how they are written
(small ones stay small, whole ones whole), computes every step again, and puts the new result in the
place of the right option, if there is one; the other options are changed by the same factor. Where
the new numbers make a step impossible, or its result is no longer whole, positive or below one as
it was, the plan has the numbers of its problem. What was drawn before does not matter. Numbers in
words are never changed, since the words would not fit.
"""

import torch
from torch import Tensor

from scratchwork.solver.dataset import Dataset
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.reading import NUMBER_PIECE
from scratchwork.solver.symbols import LONGEST_PLAN, MOST_NUMERALS

_SMALL = 12
_MOST_DECIMALS = 3
_AT_ONCE = 100_000
_TRIES = 16


def renumber(dataset: Dataset, share: float, generator: torch.Generator) -> float:
    """Give so many of the plans new numbers, where that works; the share that got them."""
    changed = 0
    for first in range(0, len(dataset), _AT_ONCE):
        rows = torch.arange(first, min(first + _AT_ONCE, len(dataset)), device=dataset.device)
        changed += _renumber_some(dataset, rows, share, generator)
    return changed / max(1, len(dataset))


def _renumber_some(dataset: Dataset, rows: Tensor, share: float, generator: torch.Generator) -> int:
    problems, choices = dataset.owners[rows], dataset.choices[rows]
    old = dataset.numeral_values[problems]
    pieces = dataset.numeral_pieces[problems].long().clamp(min=0)
    changeable = dataset.in_question[problems]
    changeable &= dataset.pieces[problems].gather(1, pieces) == NUMBER_PIECE
    plan = choices[:, :LONGEST_PLAN]
    before, _ = decoder_inputs(plan, old)
    chance = torch.rand(len(rows), generator=generator, device=dataset.device)
    wanted = (choices >= 0).any(1) & (dataset.reached[rows] == dataset.labels[problems])
    wanted &= chance < share
    new, done = old, torch.zeros_like(wanted)
    for _ in range(_TRIES):
        drawn = torch.where(changeable, _others(old, generator), old)
        after, _ = decoder_inputs(plan, drawn)
        results = _last(before.results), _last(after.results)
        moved, fits = _options_moved(dataset, problems, drawn, *results)
        works = wanted & ~done & fits & _is_alike(before.results, after.results).all(1)
        new = torch.where(works[:, None], moved, new)
        done |= works
    inputs, _ = decoder_inputs(choices, new)
    dataset.row_values[rows] = new
    dataset.input_values[rows] = inputs.values
    dataset.input_results[rows] = inputs.results
    return int(done.sum())


def _decimals(values: Tensor) -> Tensor:
    """How many decimals numbers have, up to a few."""
    decimals = torch.full_like(values, _MOST_DECIMALS)
    for k in reversed(range(_MOST_DECIMALS)):
        scaled = values * 10.0**k
        decimals = torch.where((scaled - scaled.round()).abs() < 1e-6, float(k), decimals)
    return decimals


def _rounded(values: Tensor, decimals: Tensor) -> Tensor:
    scale = 10.0**decimals
    return torch.floor(values * scale + 0.5 + 1e-9) / scale


def _others(values: Tensor, generator: torch.Generator) -> Tensor:
    """Other numbers, written alike."""
    shape, device = values.shape, values.device
    factor = torch.rand(shape, generator=generator, device=device, dtype=torch.float64) * 1.5 + 0.5
    decimals = _decimals(values)
    # Half of the large numbers keep their zeros: 1200 becomes 900, not 871.
    zeros = torch.zeros_like(values)
    for k in (1, 2, 3):
        zeros = torch.where((values % 10.0**k == 0) & (values >= 10.0**k), float(k), zeros)
    keep = torch.rand(shape, generator=generator, device=device) < 0.7
    places = torch.where((decimals == 0) & keep, -(zeros - 1).clamp(min=0), decimals)
    scaled = _rounded(values * factor, places)
    steps = torch.randint(-3, 4, shape, generator=generator, device=device)
    small = (values + steps).clamp(min=2)
    is_small = (values <= _SMALL) & (decimals == 0)
    result = torch.where(is_small, torch.where(values >= 2, small, values), scaled)
    result = torch.where((values <= 1) & (result >= 1) & (values > 0), values, result)
    beyond = (values <= 100) & (result > 100)
    result = torch.where(beyond, values, result)
    return torch.where(result > 0, result, values)


def _is_alike(before: Tensor, after: Tensor) -> Tensor:
    """Whether results are as whole, as positive and as far below one as they were."""
    none = torch.isnan(before)
    whole_before, whole_after = ((x - x.round()).abs() < 1e-9 for x in (before, after))
    alike = torch.isfinite(after) & (~whole_before | whole_after) & ((before > 0) == (after > 0))
    alike &= ((before <= 1) == (after <= 1)) & (after.abs() < 1e7)
    return none | alike


def _last(results: Tensor) -> Tensor:
    places = torch.arange(results.shape[1], device=results.device)
    at = torch.where(torch.isnan(results), -1, places).amax(1).clamp(min=0)
    return results.gather(1, at[:, None]).squeeze(1)


def _options_moved(
    dataset: Dataset, problems: Tensor, numerals: Tensor, before: Tensor, after: Tensor
) -> tuple[Tensor, Tensor]:
    """The numerals with those of the options changed, and where all options fit.

    Only options of one number each are changed; the right one must be the old result as it was
    written.
    """
    segments = dataset.segments[problems]
    pieces = dataset.numeral_pieces[problems].long()
    owner = segments.gather(1, pieces.clamp(min=0)).long().masked_fill(pieces < 0, 0)
    option = owner - 1
    label = dataset.labels[problems].long()
    in_option = owner > 0
    counts = torch.zeros(len(problems), 12, device=dataset.device)
    counts.scatter_add_(1, owner, in_option.float())
    single = (counts[:, 1:6] == (dataset.option_pieces[problems] >= 0)).all(1)
    decimals = _decimals(numerals)
    is_right = in_option & (option == label[:, None])
    right_fits = (_rounded(before[:, None].expand_as(numerals), decimals) - numerals).abs() < 1e-6
    fits = single & (~is_right | right_fits).all(1)
    ratio = (after / before)[:, None]
    moved = torch.where(is_right, after[:, None].expand_as(numerals), numerals * ratio)
    moved = _rounded(moved, decimals)
    moved = torch.where(in_option, moved, numerals)
    right = torch.where(is_right, moved, 0.0).sum(1, keepdim=True)
    same = in_option & ~is_right & ((moved - right).abs() < 1e-9)
    moved = torch.where(same, moved + 10.0**-decimals * (1 + option.clamp(min=0)), moved)
    fits &= torch.isfinite(moved).logical_or(torch.isnan(numerals)).all(1)
    assert numerals.shape[1] == MOST_NUMERALS
    return moved, fits
