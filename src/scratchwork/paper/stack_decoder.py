"""Finding the most probable program for a problem: the paper's stack decoder.

Promises: `decode` works for every model of programs, on the model's device, for many problems at
once; a problem's result does not depend on the others, but for rounding. `decode_in_steps` gives
each one as soon as its search is over, and before that what is found so far. There is one stack for
each number of tokens written. The hypotheses of a stack go on by one instruction at a time: what
they write is a candidate of the next stack, what they put into memory stays in this one, for as
many instructions as the settings allow; each contest keeps the best. Instructions are scored first,
the best are executed, and those that fail are dropped. Every program found ends with a letter of
its problem, if that has options; it is executed by the machine once, when it is first among the
best.

Does not cover: finding the best program for certain. A beam drops what might have become best.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scratchwork.errors import UserError
from scratchwork.machine.execution import execute
from scratchwork.paper.expansion import Expansion, SearchContext, Sources, grown
from scratchwork.paper.grammar import KEEPING_KINDS, WRITING_KINDS, Grammar, Phase
from scratchwork.paper.hypotheses import History, Stack, stacked
from scratchwork.paper.layers import NEVER
from scratchwork.paper.program_model import ProgramModel
from scratchwork.paper.programs import written_out
from scratchwork.paper.search_settings import SearchSettings
from scratchwork.paper.tensors import NOTHING, Source, by_length
from scratchwork.paper.value_tables import LARGEST_GROUP, KnownWords, ValueTables
from scratchwork.paper.vocabulary import PAD_ID, Vocabulary
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import END_OF_RATIONALE, source_tokens
from scratchwork.solution import Candidate, Progress, Solution

_BEHIND_RATIONALE = 3
"""`<EOR>`, the letter, `<EOS>`."""

_DEFAULT = SearchSettings()


_NUMBERS_ON_GPU, _NUMBERS_ON_CPU = 1 << 30, 1 << 25
"""On a CPU, larger groups need more memory and more time."""
_BYTES_FOR_A_NUMBER = 32
"""Some tensors of 4 bytes a number, and as much again left free."""


def decode(
    model: ProgramModel,
    vocabulary: Vocabulary,
    problems: Sequence[Problem],
    settings: SearchSettings = _DEFAULT,
) -> list[Solution]:
    """The most probable programs for each problem, in the order of the problems."""
    steps = decode_in_steps(model, vocabulary, problems, settings)
    found = {step.place: step.solution for step in steps if step.is_last}
    return [found[k] for k in range(len(problems))]


@torch.no_grad()
def decode_in_steps(
    model: ProgramModel,
    vocabulary: Vocabulary,
    problems: Sequence[Problem],
    settings: SearchSettings = _DEFAULT,
) -> Iterator[Progress]:
    """The same as it is found: a step whenever a problem has further programs, and a last one."""
    known = _known_words(vocabulary, settings.may_be_unknown)
    for group in _groups(model, problems, settings):
        search = _Search(model, known, [problems[k] for k in group], settings)
        for p, is_last in search.steps():
            yield Progress(group[p], search.solution(p), is_last)


@lru_cache(2)
def _known_words(vocabulary: Vocabulary, may_be_unknown: bool) -> KnownWords:
    # Every word is looked at, which would be a good part of a short search.
    return KnownWords(vocabulary, may_be_unknown)


def _groups(
    model: ProgramModel, problems: Sequence[Problem], settings: SearchSettings
) -> Iterator[list[int]]:
    """Problems with sources of about the same length, as many as fit together."""
    most_numbers = settings.most_numbers or _most_numbers(next(model.parameters()).device)

    def fitting(length: int) -> int:
        places = length + settings.longest
        each = settings.beam * (model.config.words + places * model.config.hidden)
        return min(most_numbers // each, LARGEST_GROUP)

    return by_length([len(source_tokens(problem)) for problem in problems], fitting)


def _most_numbers(device: torch.device) -> int:
    """How many numbers the largest tensor may hold on a device."""
    if device.type != "cuda":
        return _NUMBERS_ON_CPU
    free, _ = torch.cuda.mem_get_info(device)
    return min(_NUMBERS_ON_GPU, free // _BYTES_FOR_A_NUMBER)


@dataclass(eq=False, slots=True)
class _Finished:
    """A finished hypothesis."""

    rank: float
    log_probability: float
    instructions: NDArray[np.int64]
    candidate: Candidate | None = None
    """Its program, once that is executed."""


class _Search:
    """The search for the programs of a group of problems."""

    def __init__(
        self,
        model: ProgramModel,
        known: KnownWords,
        problems: Sequence[Problem],
        settings: SearchSettings,
    ) -> None:
        self.model, self.problems, self.settings = model, problems, settings
        self.device = next(model.parameters()).device
        self.tables = ValueTables(known, problems, self.device)
        self.finished: list[list[_Finished]] = [[] for _ in problems]
        self.sources, self.stack = self._begin(known.vocabulary)
        self.history = History(len(problems), model.config.hidden, self.sources.encoded.u)
        self.around = SearchContext(
            model,
            Grammar(known.vocabulary.writing(END_OF_RATIONALE), self.device),
            self.tables,
            self.history,
            settings.beam,
            settings.heads or settings.beam,
        )

    def _begin(self, vocabulary: Vocabulary) -> tuple[Sources, Stack]:
        """The sources, and for each problem one hypothesis that has done nothing yet."""
        tokens = [source_tokens(problem) for problem in self.problems]
        self.places = 1 + max(map(len, tokens))
        words = np.full((len(tokens), self.places), PAD_ID, np.int64)
        for k, problem in enumerate(self.problems):
            read = [vocabulary.origin_tag(problem.origin), *map(vocabulary.reading, tokens[k])]
            words[k, : len(read)] = read
        lengths = torch.tensor([1 + len(some) for some in tokens], device=self.device)
        values = self.tables.sources(tokens)
        source = Source(torch.tensor(words, device=self.device), values, lengths)
        encoded = self.model.encode(source)
        state = stacked(self.model.start(encoded)).unsqueeze(1)
        prepared = self.model.attention_keys(encoded, state[:, :, 0])
        sources = Sources(
            problems=torch.arange(len(tokens), device=self.device),
            have_options=torch.tensor([bool(p.options) for p in self.problems], device=self.device),
            encoded=encoded,
            first_places=(values.unsqueeze(2) == values.unsqueeze(1)).long().argmax(2),
            for_attention=prepared.attention,
            for_pointers=prepared.source,
        )
        zero = torch.zeros(len(tokens), 1, dtype=torch.int64, device=self.device)
        past = torch.full_like(zero, NOTHING).unsqueeze(2)
        return sources, Stack(zero.double(), state, past, zero, zero + Phase.RATIONALE)

    def steps(self) -> Iterator[tuple[int, bool]]:
        """Search until every problem has its programs: whenever one has further programs, and once
        when its search is over, that problem, and whether it is over."""
        for written in range(self.settings.longest + _BEHIND_RATIONALE):
            if written == self.settings.longest:
                self._cut()
            self.stack = self._next_stack()
            grown = self._collect(written + 1)
            settled = self._drop_settled()
            for p in sorted(grown | settled):
                yield p, p in settled
            if not len(self.sources.problems):
                break

    def _next_stack(self) -> Stack:
        """The hypotheses that have written one more token."""
        following = self.stack.picked(self.stack.phase[:, :0])
        which = torch.arange(len(self.sources.problems), device=self.device)
        stack = self.stack
        for kept in range(self.settings.most_kept + 1):
            sources = self.sources.rows(which)
            expansion = Expansion(self.around, sources, stack)
            for kind in WRITING_KINDS:
                drafts = expansion.instructions(kind, self._floor(following)[which])
                candidates = grown(self.around, sources, stack, drafts)
                following = _merged(following, candidates, which).best(self.settings.beam)
            if kept == self.settings.most_kept:
                break
            floor = self._floor(following)[which]
            drafts, *more = [expansion.instructions(kind, floor) for kind in KEEPING_KINDS]
            for some in more:
                drafts = drafts.joined(some)
            stack = grown(self.around, sources, stack, drafts.best(self.settings.beam))
            goes_on = stack.there.any(1).nonzero().squeeze(1)
            if not len(goes_on):
                break
            which, stack = which[goes_on], stack.rows(goes_on)
        return following

    def _floor(self, stack: Stack) -> Tensor:
        """The score that a hypothesis must exceed to get into a stack."""
        if stack.score.shape[1] < self.settings.beam:
            return stack.score.new_full((len(stack.score),), NEVER)
        return stack.score[:, -1]

    def _cut(self) -> None:
        """Let `<EOR>` follow wherever a rationale is still open."""
        phase = self.stack.phase
        cut = torch.where(phase == Phase.RATIONALE, int(Phase.CUT), phase)
        self.stack = replace(self.stack, phase=cut)

    def _collect(self, written: int) -> set[int]:
        """Take the finished hypotheses out of the stack; the problems they belong to."""
        is_finished = (self.stack.phase == Phase.FINISHED) & self.stack.there
        row, column = is_finished.nonzero().unbind(1)
        if not len(row):
            return set()
        problems = self.sources.problems[row]
        instructions = self.history.instructions(problems, self.stack.past[row, column])
        for p, score, length, rows in zip(
            _integers(problems),
            self.stack.score[row, column].cpu().numpy(),
            _integers(self.stack.length[row, column]),
            instructions.cpu().numpy(),
            strict=True,
        ):
            rank = float(score) / written**self.settings.length_penalty
            self.finished[p].append(_Finished(rank, float(score), rows[:length]))
        open_ = torch.where(is_finished, NEVER, self.stack.score)
        self.stack = replace(self.stack, score=open_).best(self.settings.beam)
        return set(_integers(problems))

    def _drop_settled(self) -> set[int]:
        """Drop the problems whose search is over, and what no hypothesis needs any more; which
        problems these are."""
        none = self.stack.score.new_full((len(self.stack.score), 1), NEVER)
        best = torch.cat([none, self.stack.score], 1).amax(1).cpu().numpy()
        problems = _integers(self.sources.problems)
        unsettled = [
            k
            for k, (p, score) in enumerate(zip(problems, best, strict=True))
            if not self._is_settled(p, float(score))
        ]
        if len(unsettled) < len(problems):
            rows = torch.tensor(unsettled, dtype=torch.int64, device=self.device)
            self.sources, self.stack = self.sources.rows(rows), self.stack.rows(rows)
        if unsettled:
            past = self.history.keep(self.sources.problems, self.stack.past)
            self.stack = replace(self.stack, past=past).narrowed()
        return set(problems) - {problems[k] for k in unsettled}

    def _is_settled(self, problem: int, best_open: float) -> bool:
        settings, ranks = self.settings, [one.rank for one in self.finished[problem]]
        if best_open <= NEVER / 2 or len(ranks) >= (settings.enough or settings.beam):
            return True
        most_tokens = settings.longest + _BEHIND_RATIONALE
        reachable = best_open / most_tokens**settings.length_penalty
        return sum(rank >= reachable for rank in ranks) >= settings.certain

    def solution(self, p: int) -> Solution:
        """The best programs found so far for a problem."""
        if not self.finished[p]:
            raise UserError("the model gives no program a probability; is it damaged?")
        best = sorted(self.finished[p], key=lambda one: -one.rank)[: self.settings.returned]
        return Solution(tuple(self._candidate(p, one) for one in best))

    def _candidate(self, p: int, found: _Finished) -> Candidate:
        if found.candidate is None:
            program, tokens = written_out(
                [tuple(map(int, row)) for row in found.instructions],
                self.places,
                lambda number: self.tables.value(p, number),
            )
            is_cut = tokens.index(END_OF_RATIONALE) == self.settings.longest
            trace = execute(program, self.problems[p])
            found.candidate = Candidate(trace, found.log_probability, is_cut)
        return found.candidate


def _merged(stack: Stack, more: Stack, which: Tensor) -> Stack:
    """A stack with further hypotheses of some of its problems."""
    row = torch.zeros(len(stack.score), dtype=torch.int64, device=which.device)
    row[which] = torch.arange(len(which), device=which.device)
    is_one = torch.zeros_like(row, dtype=torch.bool)
    is_one[which] = True
    more = more.rows(row)
    more = replace(more, score=torch.where(is_one.unsqueeze(1), more.score, NEVER))
    size = max(stack.past.shape[2], more.past.shape[2])
    return stack.widened(size).joined(more.widened(size))


def _integers(numbers: Tensor) -> list[int]:
    return [int(number) for number in numbers.cpu().numpy()]
