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
from scratchwork.solver.network import EncodedProblems, Transformer
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

_MOST_REPEATS = 3
"""A rationale with any three choices in a row this often is stuck in a loop."""


@torch.no_grad()
def write_rationale(
    model: Transformer,
    encoded: EncodedProblems,
    in_question: Tensor,
    plan: Sequence[int],
    option: int | None,
) -> list[int] | None:
    """A rationale for a plan of one encoded problem and the option that it reaches, as choices up
    to its end; None if it repeats itself or does not end."""
    decoder = CachedDecoder(model, encoded)
    states = _after_plan(decoder, plan, option)
    allowed = rationale_mask(decoder.state.count, in_question[None], model.config.pieces)
    allowed_numbers = allowed & _is_number(allowed)
    written: list[int] = []
    seen = Counter[tuple[int, ...]]()
    for _ in range(LONGEST_RATIONALE):
        logits = torch.cat([decoder.logits(states), model.piece_logits(states)[:, 0].float()], -1)
        follows_form = bool(written) and FIRST_FORM <= written[-1] < FIRST_OPERATION
        mask = allowed_numbers if follows_form else allowed
        choice = logits.masked_fill(~mask, -torch.inf).argmax(-1)
        written.append(int(choice))
        if written[-1] == END:
            return written
        seen[tuple(written[-3:])] += 1
        if seen[tuple(written[-3:])] == _MOST_REPEATS:
            return None
        value = decoder.state.value(choice)
        states = decoder.advance(choice, value, torch.full_like(value, torch.nan))
    return None


def _after_plan(decoder: CachedDecoder, plan: Sequence[int], option: int | None) -> Tensor:
    """The state after a whole plan."""
    assert plan[-1] == FINISH
    for choice in plan[:-1]:
        chosen = torch.tensor([choice], device=decoder.device)
        decoder.advance(chosen, *decoder.state.take(chosen))
    finish = torch.tensor([FINISH], device=decoder.device)
    reached = None if option is None else decoder.encoded.option_states[:, [option]]
    return decoder.advance(finish, *decoder.state.take(finish), reached)


def _is_number(allowed: Tensor) -> Tensor:
    kinds = torch.arange(allowed.shape[-1], device=allowed.device)
    return (kinds >= FIRST_CONSTANT) & (kinds < FIRST_PIECE)
