"""The rationale that the network writes for a plan.

Promises: `write_rationale` decodes greedily, piece by piece. Numbers are pointers to the problem,
the constants and the plan's results, never digits. A rationale that repeats itself or does not end
is dropped.

Does not cover: whether the rationale is true; `search` has it audited.
"""

from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

from scratchwork.solver.cached_decoder import CachedDecoder
from scratchwork.solver.network import DecoderInput, EncodedProblems, Transformer
from scratchwork.solver.plan_state import rationale_mask
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
def write_rationale(
    model: Transformer,
    encoded: EncodedProblems,
    in_question: Tensor,
    plan: Sequence[int],
    option: int | None,
) -> list[int] | None:
    """A rationale for a plan of one encoded problem and the option that it reaches, as choices up
    to its end."""
    walk = CachedDecoder(model, encoded)
    states = _follow(walk, plan, option)
    allowed = rationale_mask(walk.state.count, in_question[None], model.config.pieces)
    only_numbers = allowed & _numbers(allowed)
    spoken: list[int] = []
    said = Counter[tuple[int, ...]]()
    for _ in range(LONGEST_RATIONALE):
        likings = torch.cat(
            [walk.logits(states), model.piece_logits(states).squeeze(1).float()], -1
        )
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


def _follow(walk: CachedDecoder, plan: Sequence[int], option: int | None) -> Tensor:
    """The state behind a plan, which ends with its finish."""
    assert plan[-1] == FINISH
    for choice in plan[:-1]:
        _tell(walk, torch.tensor([choice], device=walk.device))
    finish = torch.tensor([FINISH], device=walk.device)
    return _tell(walk, finish, None if option is None else walk.encoded.option_states[:, [option]])


def _tell(walk: CachedDecoder, choices: Tensor, options: Tensor | None = None) -> Tensor:
    """The state behind a choice of the plan."""
    value, result = walk.state.take(choices)
    return _advance(walk, choices, value, result, options)


def _say(walk: CachedDecoder, choices: Tensor) -> Tensor:
    """The state behind a word or a number, which computes nothing."""
    value = walk.state.value(choices)
    return _advance(walk, choices, value, torch.full_like(value, torch.nan))


def _advance(
    walk: CachedDecoder,
    choices: Tensor,
    value: Tensor,
    result: Tensor,
    options: Tensor | None = None,
) -> Tensor:
    told = DecoderInput(
        choices[:, None], value[:, None], result[:, None], walk.state.count[:, None]
    )
    states = walk.encoded.states
    none = states.new_zeros(len(choices), 1, states.shape[-1])
    return walk.advance(told, none if options is None else options)


def _numbers(allowed: Tensor) -> Tensor:
    kinds = torch.arange(allowed.shape[-1], device=allowed.device)
    return (kinds >= FIRST_CONSTANT) & (kinds < FIRST_PIECE)
