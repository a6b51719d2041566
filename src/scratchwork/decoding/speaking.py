"""Wording the rationale of a plan.

Promises: `speak` writes rationales for a plan, the most probable words first (without chance), and
further ones drawn at random, the same ones for the same seed. Numbers in them are pointed at, never
spelled out in digits of its own.

Does not cover: whether what is said is true; see `planning`, which lets the audit look.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from scratchwork.decoding.walking import Walk
from scratchwork.models.replaying import tellable_choices
from scratchwork.models.symbols import (
    CHOICES,
    END,
    FINISH,
    FIRST_CONSTANT,
    FIRST_FORM,
    FIRST_OPERATION,
    FIRST_PIECE,
    LONGEST_RATIONALE,
)
from scratchwork.models.transformer import Encoded, Told, Transformer

_TEMPERATURE = 0.6


@torch.no_grad()
def speak(
    model: Transformer,
    encoded: Encoded,
    in_question: Tensor,
    plan: Sequence[int],
    option: int | None,
    rationales: int,
    seed: int,
) -> list[list[int]]:
    """So many rationales for a plan of one encoded problem and the option that it reaches, as
    choices up to their ends; those that find no end are left out."""
    walk = Walk(model, encoded)
    states = _follow(walk, plan, option)
    rows = torch.zeros(rationales, dtype=torch.long, device=walk.device)
    walk.go_on_with(rows)
    states = states[rows]
    generator = torch.Generator().manual_seed(seed)
    allowed = tellable_choices(
        walk.register.count, in_question.expand(rationales, -1), model.config.pieces
    )
    spoken: list[list[int]] = [[] for _ in range(rationales)]
    was_form = torch.zeros(rationales, dtype=torch.bool, device=walk.device)
    for _ in range(LONGEST_RATIONALE):
        likings = torch.cat([walk.likings(states), model.speak(states).squeeze(1).float()], -1)
        likings = likings.masked_fill(~(allowed & _after_form(was_form, allowed)), -torch.inf)
        choices = _chosen(likings, generator)
        for row, choice in zip(spoken, choices.tolist(), strict=True):
            if not row or row[-1] != END:
                row.append(choice)
        if all(row[-1] == END for row in spoken):
            break
        was_form = (choices >= FIRST_FORM) & (choices < FIRST_OPERATION)
        states = _tell(walk, choices)
    return [row for row in spoken if row[-1] == END]


def _follow(walk: Walk, plan: Sequence[int], option: int | None) -> Tensor:
    """The state behind a plan, which ends with its finish."""
    assert plan[-1] == FINISH
    for choice in plan[:-1]:
        _tell(walk, torch.tensor([choice], device=walk.device))
    finish = torch.tensor([FINISH], device=walk.device)
    return _tell(walk, finish, None if option is None else walk.encoded.option_states[:, [option]])


def _tell(walk: Walk, choices: Tensor, options: Tensor | None = None) -> Tensor:
    value, result = walk.register.take(choices)
    told = Told(choices[:, None], value[:, None], result[:, None], walk.register.count[:, None])
    states = walk.encoded.states
    none = states.new_zeros(len(choices), 1, states.shape[-1])
    return walk.advance(told, none if options is None else options)


def _after_form(was_form: Tensor, allowed: Tensor) -> Tensor:
    """Behind a form only a number may stand."""
    kinds = torch.arange(allowed.shape[-1], device=allowed.device)
    is_number = (kinds >= FIRST_CONSTANT) & (kinds < FIRST_PIECE)
    return ~was_form[:, None] | is_number


def _chosen(likings: Tensor, generator: torch.Generator) -> Tensor:
    """The best choice of the first row, and random ones of the others."""
    assert likings.shape[-1] > CHOICES
    noise = torch.rand(likings.shape, generator=generator).clamp(1e-9, 1 - 1e-7)
    gumbel = -torch.log(-torch.log(noise)).to(likings.device)
    gumbel[0] = 0.0
    return (likings / _TEMPERATURE + gumbel).argmax(-1)
