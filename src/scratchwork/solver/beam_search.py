"""Beam search for a problem's most probable plans; every step is computed as soon as it is chosen.

Promises: only plans that the grammar allows are found, and none with a step that cannot be
computed. Where options have numbers, plans that reach one come before all that reach none. The
plans of a problem are distinct; they are always the same and, but for rounding, do not depend on
the other problems of the batch.

Does not cover: finding the best plans for certain. A beam may drop what would have become the best.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from scratchwork.solver.arithmetic import matching_option
from scratchwork.solver.cached_decoder import CachedDecoder
from scratchwork.solver.network import EncodedProblems, Transformer
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

_MASKED = -1e30
_NO_OPTION_PENALTY = 1e6
"""Larger than any difference between the log probabilities of two plans."""
_NAN = float("nan")


@dataclass(frozen=True)
class FoundPlans:
    """The most probable plans of problems: first those that reach an option, then the others, the
    best first; all tensors are [problem, plan, ...]."""

    choices: Tensor
    """-1 after the end."""
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
    """At most `beam` plans for each of some encoded problems."""
    search = _BeamSearch(model, encoded, in_question, option_values, beam)
    while search.is_open():
        search.step()
    return search.found


class _BeamSearch:
    """Unfinished plans, the same number of rows for each problem, and the best finished ones."""

    def __init__(
        self,
        model: Transformer,
        encoded: EncodedProblems,
        in_question: Tensor,
        option_values: Tensor,
        beam: int,
    ) -> None:
        self.encoded, self.beam = encoded, beam
        self.in_question, self.option_values = in_question, option_values
        self.decoder = CachedDecoder(model, encoded)
        self.device, self.problems = self.decoder.device, self.decoder.problems
        self.choices = torch.full((self.problems, 1), BEGIN, device=self.device)
        self.scores = torch.zeros(self.problems, 1, dtype=torch.float64, device=self.device)
        self.found = self._no_plans()
        self.ranks = self.found.log_probabilities
        """What found plans are sorted by: log probabilities, with a penalty for no option."""
        self.has_numbers = option_values.isfinite().flatten(1).any(1)

    def _no_plans(self) -> FoundPlans:
        shape = (self.problems, self.beam)
        results = torch.full(shape, _NAN, dtype=torch.float64, device=self.device)
        choices = torch.full((*shape, LONGEST_PLAN), -1, device=self.device)
        return FoundPlans(choices, torch.full_like(results, -torch.inf), results, choices[..., 0])

    def is_open(self) -> bool:
        return self.decoder.place < LONGEST_PLAN and bool((self.scores > _MASKED).any())

    def step(self) -> None:
        """Give the decoder the last choices, and extend the plans by the best next ones."""
        choices, state = self.choices[:, -1], self.decoder.state
        had_missing = state.missing > 0
        values, results = state.take(choices)
        self._drop(had_missing & (state.missing == 0) & results.isnan())
        ends = (choices == FINISH) & (self.scores.flatten() > _MASKED)
        options = self._finish(ends) if bool(ends.any()) else None
        states = self.decoder.advance(choices, values, results, options)
        self._drop(ends)
        if self.decoder.place < LONGEST_PLAN:
            self._extend(states)

    def _drop(self, rows: Tensor) -> None:
        self.scores = self.scores.masked_fill(rows.view(self.problems, -1), _MASKED)

    def _finish(self, ends: Tensor) -> Tensor:
        """Keep the plans that end here; gives the states of the options that they reach."""
        decoder, option_states = self.decoder, self.encoded.option_states
        results = decoder.last_results()
        reached = matching_option(results, decoder.per_row(self.option_values))
        self._keep(ends, reached, results)
        problem = decoder.per_row(torch.arange(self.problems, device=self.device))
        states = option_states[problem, reached.clamp(min=0)][:, None]
        return torch.where((ends & (reached >= 0))[:, None, None], states, 0.0)

    def _keep(self, ends: Tensor, reached: Tensor, results: Tensor) -> None:
        """Merge finished plans into those found, and keep the best."""
        shape = self.scores.shape
        scores = torch.where(ends, self.scores.flatten(), -torch.inf)
        misses = (reached < 0) & self.decoder.per_row(self.has_numbers)
        ranks = torch.where(misses, scores - _NO_OPTION_PENALTY, scores)
        padded = torch.full((len(ends), LONGEST_PLAN), -1, device=self.device)
        padded[:, : self.choices.shape[1]] = self.choices
        old = self.found
        self.ranks, at = torch.cat([self.ranks, ranks.view(shape)], 1).topk(self.beam, 1)
        is_empty = torch.isinf(self.ranks)
        columns = (
            (old.log_probabilities, scores.view(shape), -torch.inf),
            (old.results, results.view(shape), _NAN),
            (old.reached, reached.view(shape), -1),
        )
        merged = [
            torch.cat([kept, new], 1).gather(1, at).masked_fill(is_empty, none)
            for kept, new, none in columns
        ]
        rows = torch.cat([old.choices, padded.view(*shape, LONGEST_PLAN)], 1)
        choices = rows.gather(1, at[..., None].expand(-1, -1, LONGEST_PLAN))
        self.found = FoundPlans(choices.masked_fill(is_empty[..., None], -1), *merged)

    def _extend(self, states: Tensor) -> None:
        """Go on with the best choices of all rows of a problem."""
        allowed = self._allowed()
        logits = self.decoder.logits(states).double().masked_fill(~allowed, _MASKED)
        logs = torch.log_softmax(logits, -1).masked_fill(~allowed, _MASKED)
        totals = (self.scores[..., None] + logs.view(*self.scores.shape, CHOICES)).flatten(1)
        scores, at = totals.topk(min(self.beam, totals.shape[1]), 1)
        # A plan only gets less probable: one below the last of those found has no chance.
        is_hopeless = scores < self.ranks[:, -1:]
        scores = scores.masked_fill(is_hopeless | (scores <= _MASKED), _MASKED)
        width = max(1, int((scores > _MASKED).sum(1).max()))
        self._select(scores[:, :width], at[:, :width])

    def _select(self, scores: Tensor, at: Tensor) -> None:
        first = torch.arange(self.problems, device=self.device)[:, None] * self.decoder.width
        rows = (first + at // CHOICES).flatten()
        self.choices = torch.cat([self.choices[rows], (at % CHOICES).flatten()[:, None]], 1)
        self.decoder.select(rows)
        self.scores = scores

    def _allowed(self) -> Tensor:
        """Which choices each row may make; no operation if there is no room for its arguments and
        the finish."""
        state = self.decoder.state
        in_question = self.decoder.per_row(self.in_question)
        allowed = plan_mask(state.missing, state.count, in_question)
        room = (state.count < MOST_STEPS) & (LONGEST_PLAN - self.decoder.place >= 4)
        allowed[:, FIRST_OPERATION:FIRST_CONSTANT] &= room[:, None]
        return allowed
