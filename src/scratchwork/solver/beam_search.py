"""Finding a problem's most probable plans, with every step computed as soon as it is chosen.

Promises: only plans that the grammar allows are found: an operation, its arguments out of
constants, the question's numbers and earlier results, and so on, until the end. A plan with a step
that cannot be computed is given up. Where options have numbers, a plan that reaches one is kept
before all that reach none. The plans of a problem are distinct, and do not depend on the other
problems of the batch, but for rounding; there is no chance in it.

Does not cover: finding the best plans for certain. A beam drops what might have become best.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from scratchwork.solver.arithmetic import matching_option
from scratchwork.solver.cached_decoder import CachedDecoder
from scratchwork.solver.network import DecoderInput, EncodedProblems, Transformer
from scratchwork.solver.plan_state import plan_mask
from scratchwork.solver.symbols import (
    BEGIN,
    CHOICES,
    FINISH,
    FIRST_CONSTANT,
    FIRST_NUMERAL,
    FIRST_OPERATION,
    FIRST_RESULT,
    LONGEST_PLAN,
    MOST_NUMERALS,
    MOST_STEPS,
)

_NEVER = -1e30
_REACHES_NONE = 1e6
"""More than a plan's probability can be worth, as a logarithm."""
_NAN = float("nan")


@dataclass(frozen=True)
class FoundPlans:
    """The most probable plans of problems, first those that reach an option, each time the best
    first; all tensors are [problem, plan, ...]."""

    choices: Tensor
    """-1 behind the end."""
    log_probabilities: Tensor
    """Minus infinity where there is no plan."""
    results: Tensor
    """What the last step computes; NaN where there is no plan."""
    reached: Tensor
    """The option that is the result, from 0, or -1."""

    def numerals_used(self) -> Tensor:
        """Which of the problem's numbers each plan uses, [problem, plan, numeral]."""
        is_numeral = (self.choices >= FIRST_NUMERAL) & (self.choices < FIRST_RESULT)
        which = torch.where(is_numeral, self.choices - FIRST_NUMERAL, MOST_NUMERALS)
        shape = (*self.choices.shape[:-1], MOST_NUMERALS + 1)
        used = torch.zeros(shape, dtype=torch.bool, device=self.choices.device)
        return used.scatter_(-1, which, True)[..., :MOST_NUMERALS]


@torch.no_grad()
def find_plans(
    model: Transformer,
    encoded: EncodedProblems,
    in_question: Tensor,
    option_values: Tensor,
    beam: int,
) -> FoundPlans:
    """At most so many plans for each of some encoded problems."""
    search = _Search(model, encoded, in_question, option_values, beam)
    while search.goes_on():
        search.step()
    return search.found


class _Search:
    """Plans in the making, some of each problem, a row each."""

    def __init__(
        self,
        model: Transformer,
        encoded: EncodedProblems,
        in_question: Tensor,
        option_values: Tensor,
        beam: int,
    ) -> None:
        self.model, self.encoded, self.beam = model, encoded, beam
        self.in_question, self.option_values = in_question, option_values
        self.walk = CachedDecoder(model, encoded)
        self.device, self.problems = self.walk.device, self.walk.problems
        self.choices = torch.full((self.problems, 1), BEGIN, device=self.device)
        self.scores = torch.zeros(self.problems, 1, dtype=torch.float64, device=self.device)
        self.found = self._nothing()
        self.ranks = self.found.log_probabilities
        self.has_numbers = option_values.isfinite().flatten(1).any(1)

    def _nothing(self) -> FoundPlans:
        shape = (self.problems, self.beam)
        numbers = torch.full(shape, _NAN, dtype=torch.float64, device=self.device)
        whole = torch.full((*shape, LONGEST_PLAN), -1, device=self.device)
        never = torch.full_like(numbers, -torch.inf)
        return FoundPlans(whole, never, numbers, whole[..., 0])

    def goes_on(self) -> bool:
        return self.walk.place < LONGEST_PLAN and bool((self.scores > _NEVER).any())

    def step(self) -> None:
        """Tell the last choices, and choose anew."""
        choices, register = self.choices[:, -1], self.walk.state
        waited = register.missing > 0
        value, result = register.take(choices)
        self._drop(waited & (register.missing == 0) & result.isnan())
        ends = (choices == FINISH) & (self.scores.flatten() > _NEVER)
        told = DecoderInput(
            choices[:, None], value[:, None], result[:, None], register.count[:, None]
        )
        states = self._states(told, ends)
        self._drop(ends)
        if self.walk.place < LONGEST_PLAN:
            self._choose(states)

    def _drop(self, rows: Tensor) -> None:
        self.scores = self.scores.masked_fill(rows.view(self.problems, -1), _NEVER)

    def _states(self, told: DecoderInput, ends: Tensor) -> Tensor:
        """The decoder's states at this place; plans that end here are kept."""
        walk, option_states = self.walk, self.encoded.option_states
        options = option_states.new_zeros(len(ends), 1, option_states.shape[-1])
        if not bool(ends.any()):
            return walk.advance(told, options)
        results = walk.last_results()
        reached = matching_option(results, walk.per_row(self.option_values))
        owner = walk.per_row(torch.arange(self.problems, device=self.device))
        there = option_states[owner, reached.clamp(min=0)][:, None]
        options = torch.where((ends & (reached >= 0))[:, None, None], there, options)
        self._keep(ends, reached, results)
        return walk.advance(told, options)

    def _keep(self, ends: Tensor, reached: Tensor, results: Tensor) -> None:
        """Put finished plans among those found, of which the best stay."""
        shape = self.scores.shape
        scores = torch.where(ends, self.scores.flatten(), -torch.inf)
        misses = (reached < 0) & self.walk.per_row(self.has_numbers)
        ranks = torch.where(misses, scores - _REACHES_NONE, scores)
        padded = torch.full((len(ends), LONGEST_PLAN), -1, device=self.device)
        padded[:, : self.choices.shape[1]] = self.choices
        old = self.found
        self.ranks, at = torch.cat([self.ranks, ranks.view(shape)], 1).topk(self.beam, 1)
        nobody = torch.isinf(self.ranks)
        columns = (
            (old.log_probabilities, scores.view(shape), -torch.inf),
            (old.results, results.view(shape), _NAN),
            (old.reached, reached.view(shape), -1),
        )
        joined = [
            torch.cat([kept, new], 1).gather(1, at).masked_fill(nobody, none)
            for kept, new, none in columns
        ]
        rows = torch.cat([old.choices, padded.view(*shape, LONGEST_PLAN)], 1)
        choices = rows.gather(1, at[..., None].expand(-1, -1, LONGEST_PLAN))
        self.found = FoundPlans(choices.masked_fill(nobody[..., None], -1), *joined)

    def _choose(self, states: Tensor) -> None:
        """Go on with the best choices of all rows of a problem."""
        allowed = self._allowed()
        likings = self.walk.logits(states).double().masked_fill(~allowed, _NEVER)
        logs = torch.log_softmax(likings, -1).masked_fill(~allowed, _NEVER)
        totals = (self.scores[..., None] + logs.view(*self.scores.shape, CHOICES)).flatten(1)
        scores, at = totals.topk(min(self.beam, totals.shape[1]), 1)
        # What is worse than the last of those found cannot get among them any more.
        hopeless = scores < self.ranks[:, -1:]
        scores = scores.masked_fill(hopeless | (scores <= _NEVER), _NEVER)
        width = max(1, int((scores > _NEVER).sum(1).max()))
        self._go_on(scores[:, :width], at[:, :width])

    def _go_on(self, scores: Tensor, at: Tensor) -> None:
        first = torch.arange(self.problems, device=self.device)[:, None] * self.walk.width
        rows = (first + at // CHOICES).flatten()
        self.choices = torch.cat([self.choices[rows], (at % CHOICES).flatten()[:, None]], 1)
        self.walk.select(rows)
        self.scores = scores

    def _allowed(self) -> Tensor:
        """Which choices each row may make; no operation where there is no room for its arguments
        and the end."""
        register = self.walk.state
        in_question = self.walk.per_row(self.in_question)
        allowed = plan_mask(register.missing, register.count, in_question)
        room = (register.count < MOST_STEPS) & (LONGEST_PLAN - self.walk.place >= 4)
        allowed[:, FIRST_OPERATION:FIRST_CONSTANT] &= room[:, None]
        return allowed
