"""Wording the rationale of a plan.

Promises: `speak` writes a rationale for a plan in the most probable words, one by one. Numbers in
it are pointed at, never spelled out in digits of its own. One that stammers, or finds no end, is
none.

Does not cover: whether what is said is true; see `planning`, which lets the audit look.
"""

from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

from scratchwork.solver.incremental import Walk
from scratchwork.solver.network import Encoded, Told, Transformer
from scratchwork.solver.replay import tellable_choices
from scratchwork.solver.symbols import (
    END,
    FINISH,
    FIRST_CONSTANT,
    FIRST_FORM,
    FIRST_OPERATION,
    FIRST_PIECE,
    LONGEST_RATIONALE,
)

_STAMMERED = 3
"""So many times in all three choices in a row are said only in stammering."""


@torch.no_grad()
def speak(
    model: Transformer,
    encoded: Encoded,
    in_question: Tensor,
    plan: Sequence[int],
    option: int | None,
) -> list[int] | None:
    """A rationale for a plan of one encoded problem and the option that it reaches, as choices up
    to its end."""
    walk = Walk(model, encoded)
    states = _follow(walk, plan, option)
    allowed = tellable_choices(walk.register.count, in_question[None], model.config.pieces)
    only_numbers = allowed & _numbers(allowed)
    spoken: list[int] = []
    said = Counter[tuple[int, ...]]()
    for _ in range(LONGEST_RATIONALE):
        likings = torch.cat([walk.likings(states), model.speak(states).squeeze(1).float()], -1)
        # Behind a form only a number may stand.
        was_form = bool(spoken) and FIRST_FORM <= spoken[-1] < FIRST_OPERATION
        likings = likings.masked_fill(~(only_numbers if was_form else allowed), -torch.inf)
        choice = likings.argmax(-1)
        spoken.append(int(choice))
        if spoken[-1] == END:
            return spoken
        said[tuple(spoken[-3:])] += 1
        if said[tuple(spoken[-3:])] == _STAMMERED:
            return None
        states = _say(walk, choice)
    return None


def _follow(walk: Walk, plan: Sequence[int], option: int | None) -> Tensor:
    """The state behind a plan, which ends with its finish."""
    assert plan[-1] == FINISH
    for choice in plan[:-1]:
        _tell(walk, torch.tensor([choice], device=walk.device))
    finish = torch.tensor([FINISH], device=walk.device)
    return _tell(walk, finish, None if option is None else walk.encoded.option_states[:, [option]])


def _tell(walk: Walk, choices: Tensor, options: Tensor | None = None) -> Tensor:
    """The state behind a choice of the plan."""
    value, result = walk.register.take(choices)
    return _advance(walk, choices, value, result, options)


def _say(walk: Walk, choices: Tensor) -> Tensor:
    """The state behind a word or a number, which computes nothing."""
    value = walk.register.value(choices)
    return _advance(walk, choices, value, torch.full_like(value, torch.nan))


def _advance(
    walk: Walk, choices: Tensor, value: Tensor, result: Tensor, options: Tensor | None = None
) -> Tensor:
    told = Told(choices[:, None], value[:, None], result[:, None], walk.register.count[:, None])
    states = walk.encoded.states
    none = states.new_zeros(len(choices), 1, states.shape[-1])
    return walk.advance(told, none if options is None else options)


def _numbers(allowed: Tensor) -> Tensor:
    kinds = torch.arange(allowed.shape[-1], device=allowed.device)
    return (kinds >= FIRST_CONSTANT) & (kinds < FIRST_PIECE)
