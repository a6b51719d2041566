"""Hypotheses extended by one instruction: scored, then executed.

Promises: `Expansion` scores what the grammar allows next and keeps the best of each stage:
(hypothesis, operation, destination), then with the first argument, then with the second. Kinds of
instructions (to the output or to memory; taking a string, one number or two) do not compete here.
The probability of an argument is summed over the word and the places that hold its value. `grown`
executes the instructions that were chosen, drops those that fail, and advances the model.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from scratchwork.paper.grammar import (
    FORBIDDEN,
    OUTPUT,
    RULE_COUNT,
    ArgumentRule,
    Grammar,
    InstructionKind,
    meets,
    phase_after,
)
from scratchwork.paper.hypotheses import (
    COLUMNS,
    History,
    Scored,
    Stack,
    picked,
    recurrent,
    stacked,
)
from scratchwork.paper.layers import (
    COPY_INPUT,
    COPY_OUTPUT,
    NEVER,
    SOFTMAX,
    AttentionKeys,
    EncodedSource,
)
from scratchwork.paper.program_model import ProgramModel
from scratchwork.paper.tensors import NOTHING, Tensors
from scratchwork.paper.value_tables import ValueTables
from scratchwork.paper.vocabulary import PAD_ID, UNKNOWN_ID


@dataclass(frozen=True, slots=True)
class Drafts(Scored):
    """Instructions, complete or not."""

    parent: Tensor
    """The hypothesis that is extended."""
    operation: Tensor
    to_output: Tensor
    rule: Tensor
    """The rule that the arguments must meet."""
    first: Tensor
    """The first argument; `NOTHING` while it is open."""
    first_from: Tensor
    """The most probable place it is copied from: of the source, then of the instructions so far;
    `NOTHING` if the softmax over words is more probable."""
    second: Tensor
    second_from: Tensor
    result: Tensor
    """`NOTHING` before it is executed."""
    q: Tensor
    """(problem, draft, 2, unit): the state of the last slot."""


@dataclass(frozen=True, slots=True)
class Sources(Tensors):
    """The encoded sources of some problems."""

    problems: Tensor
    """The rows of the problems in the value tables and in the history."""
    have_options: Tensor
    encoded: EncodedSource
    first_places: Tensor
    """For each place the first one that holds the same value."""
    for_attention: Tensor
    for_pointers: Tensor


@dataclass(frozen=True)
class SearchContext:
    """What all expansions of a search share."""

    model: ProgramModel
    grammar: Grammar
    tables: ValueTables
    history: History
    beam: int
    heads: int
    """The (hypothesis, operation, destination) of each kind that are kept for a problem."""


class Expansion:
    """The next instructions of all hypotheses of a stack."""

    def __init__(self, context: SearchContext, sources: Sources, stack: Stack) -> None:
        self.context, self.sources, self.stack = context, sources, stack
        self.model = context.model
        self.attended = self.model.attend(sources.encoded, sources.for_attention, stack.h)
        self.values, self.first_places = context.history.values(sources.problems, stack.past)
        self.met = context.tables.rules_met(sources.problems, self.values)
        self.source_met = context.tables.rules_met(sources.problems, sources.encoded.values)
        self._score_heads()

    def _score_heads(self) -> None:
        """Score every operation with both destinations: (problem, hypothesis, operation, 2)."""
        grammar, stack = self.context.grammar, self.stack
        shape = stack.score.shape
        scores = self.model.operations(self.attended.flatten(0, 1)).view(*shape, -1)
        rules = grammar.rules[stack.phase]
        # Without an argument that it may take, a head would waste a place.
        met = self._rules_met().gather(2, rules.clamp_min(0).flatten(2)).view(rules.shape)
        allowed = (rules != FORBIDDEN) & met
        allowed &= ((scores > NEVER / 2) & stack.there.unsqueeze(-1)).unsqueeze(-1)
        possible = allowed.flatten(0, 1).any(-1).any(0)
        self.operations = possible.nonzero().squeeze(1)
        count = len(self.operations)
        state = recurrent(stack.state.flatten(0, 1).repeat_interleave(count, 0))
        operations = self.operations.repeat(shape.numel())
        r, destinations = self.model.destination(state, operations)
        self.r = r.view(*shape, count, r.shape[-1])
        scores = stack.score[..., None, None] + scores[..., self.operations].unsqueeze(-1)
        scores = scores + destinations.view(*shape, count, 2)
        self.rules = rules[:, :, self.operations]
        self.head_scores = torch.where(allowed[:, :, self.operations], scores, NEVER)

    def _rules_met(self) -> Tensor:
        """The rules that some possible argument meets: (problem, hypothesis, rule)."""
        every = torch.arange(RULE_COUNT, dtype=torch.int32, device=self.met.device)
        by_source = meets(self.source_met.unsqueeze(-1), every).any(1)
        by_words = self.context.tables.met_by_words[self.sources.problems]
        return meets(self.met.unsqueeze(-1), every).any(2) | (by_source | by_words).unsqueeze(1)

    def instructions(self, kind: InstructionKind, floor: Tensor) -> Drafts:
        """The best instructions of a kind, those that score above the floor of their problem."""
        drafts = self._heads(kind, floor)
        fill = self._with_number if kind.takes_numbers else self._with_string
        for slot in range(1 + kind.is_pair):
            if not drafts.score.shape[1]:
                break
            if slot:
                drafts = self._second_slot(drafts)
            drafts = fill(drafts).above(floor).best(self.context.beam)
        return drafts

    def _heads(self, kind: InstructionKind, floor: Tensor) -> Drafts:
        """The best heads, with the first slot open."""
        is_kind = self.context.grammar.of_kind(kind)[self.operations]
        scores = torch.where(is_kind, self.head_scores[..., kind.destination], NEVER).flatten(1)
        scores = torch.where(scores > floor.unsqueeze(1), scores, NEVER)
        best, at = scores.topk(min(self.context.heads, scores.shape[1]), 1)
        needed = int((best > NEVER / 2).sum(1).amax())
        best, at = best[:, :needed], at[:, :needed]
        parent, operation = at // len(self.operations), at % len(self.operations)
        r = picked(self.r.flatten(1, 2), at)
        to_output = torch.full_like(at, kind.destination)
        state = recurrent(picked(self.stack.state, parent).flatten(0, 1))
        q = self.model.first_slot(state, r.flatten(0, 1), to_output.flatten().bool())
        nothing = torch.full_like(at, NOTHING)
        return Drafts(
            score=best,
            parent=parent,
            operation=self.operations[operation],
            to_output=to_output,
            rule=picked(self.rules[..., kind.destination].flatten(1, 2), at),
            first=nothing,
            first_from=nothing,
            second=nothing,
            second_from=nothing,
            result=nothing,
            q=torch.stack(q, 1).view(*at.shape, 2, r.shape[-1]),
        )

    def _second_slot(self, drafts: Drafts) -> Drafts:
        """Open the second slot."""
        described = self.context.tables.described(self.sources.problems, drafts.first)
        vectors = self.model.embedding.values(described).flatten(0, 1)
        h, c = drafts.q.flatten(0, 1).unbind(1)
        q = self.model.second_slot((h, c), vectors)
        return replace(drafts, q=torch.stack(q, 1).view(*drafts.score.shape, 2, -1))

    def _with_string(self, drafts: Drafts) -> Drafts:
        """The best values for an open slot that takes a string, or any value."""
        past = picked(self.stack.past, drafts.parent)
        keys = AttentionKeys(
            self.sources.for_attention, self.sources.for_pointers, self._history_keys(past)
        )
        scores = self.model.argument(
            drafts.q[:, :, 0],
            picked(self.attended, drafts.parent),
            self.sources.encoded.values >= 0,
            keys,
            past >= 0,
        )
        choice = scores.choice
        words = scores.words.add_(choice[..., SOFTMAX : SOFTMAX + 1])
        copied = scores.source + choice[..., COPY_INPUT : COPY_INPUT + 1]
        recalled = scores.history + choice[..., COPY_OUTPUT : COPY_OUTPUT + 1]
        places = torch.cat([copied, recalled], -1)
        held = self._at_places(self.sources.encoded.values, self.values, drafts)
        first = self._at_places(self.sources.first_places, self.first_places, drafts)
        total = _summed(places, first)
        word = torch.where((held < self.context.tables.words) & (total > NEVER / 2), held, PAD_ID)
        spelled = words.gather(-1, word)
        # The unknown word itself is never copied.
        together = torch.where(word == UNKNOWN_ID, total, torch.logaddexp(spelled, total))
        words.scatter_(-1, word, together)
        spelled = torch.where(word == PAD_ID, NEVER, spelled)

        peak, offset = _levelled(drafts)
        allowed = self.context.tables.word_allowed[
            self.sources.problems.unsqueeze(1), drafts.rule.clamp_min(0)
        ]
        words.add_(offset).masked_fill_(~allowed, NEVER)
        met = self._at_places(self.source_met, self.met, drafts)
        is_other = (word == PAD_ID) & meets(met, drafts.rule.unsqueeze(-1))
        others = torch.where(is_other, total + offset, NEVER)

        word_scores, word_at = largest(words.flatten(1), self.context.beam)
        other_scores, other_at = largest(others.flatten(1), self.context.beam)
        value = torch.cat([word_at % words.shape[2], held.flatten(1).gather(1, other_at)], 1)
        which = torch.cat([word_at // words.shape[2], other_at // others.shape[2]], 1)
        scores, order = largest(torch.cat([word_scores, other_scores], 1), self.context.beam)
        value, which = value.gather(1, order), which.gather(1, order)
        from_ = _likeliest(value, *(picked(x, which) for x in (held, places, spelled)))
        return _filled(drafts, which, value, from_, scores + peak)

    def _with_number(self, drafts: Drafts) -> Drafts:
        """The best values for an open slot that takes a number."""
        past = picked(self.stack.past, drafts.parent)
        scores = self.model.copy_output(
            drafts.q[:, :, 0],
            picked(self.attended, drafts.parent),
            self._history_keys(past),
            past >= 0,
        )
        held, met = picked(self.values, drafts.parent), picked(self.met, drafts.parent)
        scores = torch.where(meets(met, ArgumentRule.IS_NUMBER), scores, NEVER)
        before = self.sources.encoded.values.shape[1]
        first = picked(self.first_places, drafts.parent) - before
        total = _summed(scores, first.clamp_min(0))
        peak, offset = _levelled(drafts)
        total = torch.where(meets(met, drafts.rule.unsqueeze(-1)), total + offset, NEVER)
        best, at = largest(total.flatten(1), self.context.beam)
        which, value = at // total.shape[2], held.flatten(1).gather(1, at)
        holds = picked(held, which) == value.unsqueeze(-1)
        from_ = before + torch.where(holds, picked(scores, which), NEVER).argmax(-1)
        return _filled(drafts, which, value, from_, best + peak)

    def _history_keys(self, past: Tensor) -> Tensor:
        if COPY_OUTPUT in self.model.predictor.copies:
            return self.context.history.keys(self.sources.problems, past)
        return self.attended.new_zeros(1).expand(*past.shape, 1)  # never read

    def _at_places(self, of_source: Tensor, of_history: Tensor, drafts: Drafts) -> Tensor:
        """Of every place that a draft can copy from: of the source, then of its history."""
        of_source = of_source.unsqueeze(1).expand(-1, drafts.parent.shape[1], -1)
        return torch.cat([of_source, picked(of_history, drafts.parent)], -1)


def _summed(scores: Tensor, first: Tensor) -> Tensor:
    """The log-probabilities of places, summed at the first place that holds the same value."""
    total = torch.zeros_like(scores).scatter_add(-1, first, torch.exp(scores))
    is_first = first == torch.arange(first.shape[-1], device=first.device)
    return torch.where(is_first & (total > 0), torch.log(total), NEVER)


def _levelled(drafts: Drafts) -> tuple[Tensor, Tensor]:
    """The best score of each problem, and in single precision each draft's distance to it."""
    peak = drafts.score.amax(1, keepdim=True)
    return peak, (drafts.score - peak).float().unsqueeze(-1)


_BLOCK = 64


def largest(scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """`topk` of each row, fast for long rows: only blocks with the largest maxima are searched."""
    if scores.shape[1] <= _BLOCK * count:
        return scores.topk(min(count, scores.shape[1]), 1)
    room = -scores.shape[1] % _BLOCK
    blocks = functional.pad(scores, (0, room), value=NEVER).view(len(scores), -1, _BLOCK)
    block = blocks.amax(2).topk(count, 1).indices
    best, at = picked(blocks, block).flatten(1).topk(count, 1)
    at = block.gather(1, at // _BLOCK) * _BLOCK + at % _BLOCK
    return best, at.clamp_max(scores.shape[1] - 1)  # of the padding


def _likeliest(value: Tensor, held: Tensor, places: Tensor, spelled: Tensor) -> Tensor:
    """The most probable place of a value; `NOTHING` if the softmax over words is more probable."""
    holds = held == value.unsqueeze(-1)
    best, place = torch.where(holds, places, NEVER).max(-1)
    as_word = torch.where(holds, spelled, NEVER).amax(-1)
    return torch.where(best > as_word, place, NOTHING)


def _filled(drafts: Drafts, which: Tensor, value: Tensor, from_: Tensor, score: Tensor) -> Drafts:
    """Some of the drafts with the open slot filled."""
    chosen = drafts.picked(which)
    is_second = chosen.first >= 0
    return replace(
        chosen,
        score=score,
        first=torch.where(is_second, chosen.first, value),
        first_from=torch.where(is_second, chosen.first_from, from_),
        second=torch.where(is_second, value, NOTHING),
        second_from=torch.where(is_second, from_, NOTHING),
    )


def grown(context: SearchContext, sources: Sources, stack: Stack, drafts: Drafts) -> Stack:
    """The hypotheses of a stack extended by these instructions, the best first."""
    drafts = _executed(context, sources, drafts)
    parents = stack.picked(drafts.parent)
    if not drafts.score.shape[1]:
        return parents
    described = context.tables.described(sources.problems, drafts.result)
    state = context.model.advance(
        recurrent(parents.state.flatten(0, 1)),
        drafts.q[:, :, 0].flatten(0, 1),
        context.model.embedding.values(described).flatten(0, 1),
    )
    columns = [getattr(drafts, name) for name in COLUMNS[:-1]]
    place = context.history.add(
        sources.problems,
        [*columns, _first_place(context, sources, parents, drafts.result)],
        context.model.predictor.to_history.of_place(state.h).view(*drafts.score.shape, -1),
    )
    past = functional.pad(parents.past, (0, 1), value=NOTHING)
    return Stack(
        drafts.score,
        stacked(state).view(*drafts.score.shape, 4, -1),
        past.scatter(2, parents.length.unsqueeze(2), place.unsqueeze(2)),
        parents.length + 1,
        phase_after(
            parents.phase,
            drafts.to_output == OUTPUT,
            drafts.result == context.grammar.end_of_rationale,
            sources.have_options.unsqueeze(1),
        ),
    )


def _executed(context: SearchContext, sources: Sources, drafts: Drafts) -> Drafts:
    """The instructions that can be applied, with their results."""
    result = context.tables.execute(
        sources.problems, drafts.operation, drafts.first, drafts.second, drafts.there
    )
    score = torch.where(result >= 0, drafts.score, NEVER)
    # An empty place still needs a valid id.
    return replace(drafts, score=score, result=result.clamp_min(PAD_ID)).best(context.beam)


def _first_place(
    context: SearchContext, sources: Sources, parents: Stack, result: Tensor
) -> Tensor:
    """The first place of each hypothesis that holds the result: a new one if the value is new."""
    before, _ = context.history.values(sources.problems, parents.past)
    in_source = sources.encoded.values.unsqueeze(1) == result.unsqueeze(-1)
    holds = torch.cat([in_source, before == result.unsqueeze(-1)], -1)
    own = sources.encoded.values.shape[1] + parents.length
    return torch.where(holds.any(-1), holds.long().argmax(-1), own)
