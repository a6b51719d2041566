"""Hypotheses behind their next instruction.

Promises: `grown` executes the instructions that were chosen, drops those that fail, enters the
others into the history and advances the model's state behind them.
"""

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional

from scratchwork.paper.expansion import Drafts, Sources, Surroundings
from scratchwork.paper.grammar import OUTPUT, phase_behind
from scratchwork.paper.hypotheses import Instructions, Stack, recurrent, stacked
from scratchwork.paper.layers import NEVER
from scratchwork.paper.tensors import NOTHING
from scratchwork.paper.vocabulary import PAD_ID


def grown(around: Surroundings, sources: Sources, stack: Stack, drafts: Drafts) -> Stack:
    """The hypotheses of a stack that go on with these instructions, the best first."""
    drafts = _executed(around, sources, drafts)
    parents = stack.picked(drafts.parent)
    if not drafts.score.shape[1]:
        return parents
    described = around.tables.described(sources.problems, drafts.result)
    state = around.model.advance(
        recurrent(parents.state.flatten(0, 1)),
        drafts.q[:, :, 0].flatten(0, 1),
        around.model.embedding.values(described).flatten(0, 1),
    )
    place = around.history.add(
        sources.problems,
        Instructions(
            drafts.operation,
            drafts.to_output,
            drafts.first,
            drafts.first_from,
            drafts.second,
            drafts.second_from,
            drafts.result,
            _first_place(around, sources, parents, drafts.result),
        ),
        around.model.predictor.to_history.of_place(state.h).view(*drafts.score.shape, -1),
    )
    past = functional.pad(parents.past, (0, 1), value=NOTHING)
    return Stack(
        drafts.score,
        stacked(state).view(*drafts.score.shape, 4, -1),
        past.scatter(2, parents.length.unsqueeze(2), place.unsqueeze(2)),
        parents.length + 1,
        phase_behind(
            parents.phase,
            drafts.to_output == OUTPUT,
            drafts.result == around.grammar.end_of_rationale,
            sources.have_options.unsqueeze(1),
        ),
    )


def _executed(around: Surroundings, sources: Sources, drafts: Drafts) -> Drafts:
    """The instructions that can be applied, with their results."""
    result = around.tables.execute(
        sources.problems, drafts.operation, drafts.first, drafts.second, drafts.there
    )
    score = torch.where(result >= 0, drafts.score, NEVER)
    # What stands in an empty place must still be some value.
    return replace(drafts, score=score, result=result.clamp_min(PAD_ID)).best(around.beam)


def _first_place(around: Surroundings, sources: Sources, parents: Stack, result: Tensor) -> Tensor:
    """The first place of each hypothesis that holds a new result: its own if it is new."""
    before, _ = around.history.values(sources.problems, parents.past)
    in_source = sources.values.unsqueeze(1) == result.unsqueeze(-1)
    holds = torch.cat([in_source, before == result.unsqueeze(-1)], -1)
    own = sources.values.shape[1] + parents.length
    return torch.where(holds.any(-1), holds.long().argmax(-1), own)
