"""Drawing programs from a model, restricted to the paths that write the rationale.

Promises: every program drawn writes exactly the output tokens of its example. Token by token, every
path to the token is scored whole, with all its instructions, given what was written so far, and one
is drawn by these probabilities. A number that lies in memory is taken from there and not read
again. Nothing is executed, and there is no loop over examples. Draws depend on the given keys
alone; without keys the likeliest path is taken, which is how a rationale is scored.

Whole paths are scored because drawing instruction by instruction looks no further than the next
choice: a path that starts likely and goes on badly would be drawn as often as its start deserves,
and a model that is trained on such draws keeps whatever share it happened to give to it.

Does not cover: what a path does to the tokens behind it. Rationales whose program would grow longer
than twice its tokens and some are reported as unfinished.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from scratchwork.paper.corpus import Corpus, Ragged
from scratchwork.paper.layers import AttentionKeys, EncodedSource
from scratchwork.paper.noise import gumbel
from scratchwork.paper.paths import LONGEST_PATH, MOST_PATHS, READS
from scratchwork.paper.program_model import ProgramModel, Recurrent
from scratchwork.paper.tensors import NOTHING, OPERATIONS, ValueTensors

_MOST_READS = 3
"""A path reads at most so many numbers."""

OPERATION, FIRST, SECOND, RESULT, TO_OUTPUT = range(5)
"""The columns of a drawn instruction."""


@dataclass(frozen=True)
class Drawn:
    """Programs as rows of (operation, first, second, result, whether to the output)."""

    rows: Ragged
    finished: Tensor
    """Which examples have a program."""

    @property
    def lengths(self) -> Tensor:
        """How many instructions each program has."""
        return self.rows.lengths


def longest_program(tokens: int) -> int:
    """How many instructions the program of so many tokens may have."""
    return 2 * tokens + 48


@torch.no_grad()
def draw_programs(
    model: ProgramModel,
    corpus: Corpus,
    examples: Tensor,
    keys: Tensor | None,
    most_paths: int = MOST_PATHS,
) -> Drawn:
    """A program for each example; `most_paths` 1 follows the preferred path of every token."""
    if not model.computes:
        return copied_out(corpus, examples)
    drawing = _Drawing(model, corpus, examples, keys, most_paths)
    drawing.run()
    return drawing.drawn()


def copied_out(corpus: Corpus, examples: Tensor) -> Drawn:
    """The programs that only write: `Id` of each token."""
    lengths = corpus.tokens.lengths[examples]
    tokens = corpus.tokens.padded(examples, int(lengths.max()), NOTHING).long()
    identity = torch.full_like(tokens, OPERATIONS.index("Id"))
    nothing, output = torch.full_like(tokens, NOTHING), torch.ones_like(tokens)
    rows = torch.stack([identity, tokens, nothing, tokens, output], -1).to(torch.int16)
    return Drawn(_ragged_rows(rows, tokens >= 0), torch.ones_like(lengths, dtype=torch.bool))


def _ragged_rows(rows: Tensor, inside: Tensor) -> Ragged:
    lengths = inside.sum(1)
    starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    return Ragged(rows[inside], starts)


class _Drawing:
    """The state of many programs that are being drawn, one row each, a token at a time."""

    def __init__(
        self,
        model: ProgramModel,
        corpus: Corpus,
        examples: Tensor,
        keys: Tensor | None,
        most_paths: int,
    ) -> None:
        self.model, self.keys, self.most_paths = model, keys, most_paths
        device, rows = corpus.device, len(examples)
        value_size = int(corpus.value_words.lengths[examples].max())
        self.token_counts = corpus.tokens.lengths[examples]
        self.most_tokens = int(self.token_counts.max())
        most = [longest_program(tokens) for tokens in self.token_counts.tolist()]
        self.longest = torch.tensor(most, device=device)
        self.size = max(most) + LONGEST_PATH
        self.values: ValueTensors = corpus.values(examples, value_size)
        source_size = int(corpus.source_words.lengths[examples].max())
        self.encoded: EncodedSource = model.encode(corpus.source(examples, source_size))
        self.vectors = model.embedding.values(self.values)
        self.state: Recurrent = model.start(self.encoded)
        self.paths = corpus.paths
        self.first_paths = corpus.first_paths.padded(examples, self.most_tokens + 1, 0)
        self.history = torch.full((rows, self.size), NOTHING, dtype=torch.int64, device=device)
        behind = self.state.h.new_zeros(rows, self.size, model.config.hidden)
        self.prepared: AttentionKeys = model.prepare(self.encoded, behind)
        self.program = torch.full((rows, self.size, 5), NOTHING, dtype=torch.int16, device=device)
        self.in_memory = torch.zeros(rows, value_size, dtype=torch.bool, device=device)
        self.length = torch.zeros(rows, dtype=torch.int64, device=device)
        self.is_read = torch.tensor([k in READS for k in range(len(OPERATIONS))], device=device)
        self.unfinished = torch.zeros(rows, dtype=torch.bool, device=device)

    def run(self) -> None:
        """Write all tokens of all programs."""
        for token in range(self.most_tokens):
            there = (self.token_counts > token) & ~self.unfinished
            first = self.first_paths[:, token].clamp_max(len(self.paths) - 1)
            count = self.first_paths[:, token + 1] - first
            is_plain = (count == 1) & (self.paths[first, 1, 0] < 0)
            count = count.clamp_max(self.most_paths)
            plain = (there & is_plain).nonzero().squeeze(1)
            others = (there & ~is_plain).nonzero().squeeze(1)
            if len(plain):
                self._write_plainly(plain, self.paths[first[plain], 0].long())
            if len(others):
                candidates = _Candidates(self, others, first[others], count[others])
                candidates.score()
                self._commit(candidates, candidates.chosen(token))
            self.unfinished |= self.length > self.longest

    def _write_plainly(self, rows: Tensor, instructions: Tensor) -> None:
        """Write a token that has only one path, of one instruction."""
        _, argument, _, result = instructions.unbind(-1)
        operation = instructions[:, OPERATION]
        state = _of_rows(self.state, rows)
        r, _ = self.model.destination(state, operation)
        to_output = torch.ones_like(operation)
        q = self.model.open(state, r, to_output.bool())
        state = self.model.advance(state, q[0], self.vectors[rows, result])
        row = torch.stack(
            [operation, argument, torch.full_like(argument, NOTHING), result, to_output], -1
        )
        self._append(rows, row.unsqueeze(1), state.h.unsqueeze(1), torch.ones_like(rows))
        _put(self.state, rows, state)

    def _commit(self, candidates: "_Candidates", chosen: Tensor) -> None:
        """Let the chosen path of each row be part of its program."""
        rows = candidates.row[chosen]
        self._append(
            rows, candidates.program[chosen], candidates.behind[chosen], candidates.length[chosen]
        )
        _put(self.state, rows, _of_rows(candidates.state, chosen))

    def _append(self, rows: Tensor, program: Tensor, behind: Tensor, length: Tensor) -> None:
        """Append instructions to the programs of some rows, `length` of those given for each."""
        places = torch.arange(program.shape[1], device=rows.device)
        inside = places < length.unsqueeze(1)
        row = rows.unsqueeze(1).expand_as(inside)[inside]
        place = (self.length[rows].unsqueeze(1) + places)[inside]
        written = program[inside]
        self.program[row, place] = written.to(torch.int16)
        self.history[row, place] = written[:, RESULT]
        keys = self.model.predictor.to_history.of_place(behind[inside])
        self.prepared.history[row, place] = keys
        hidden = written[:, TO_OUTPUT] == 0
        self.in_memory[row[hidden], written[hidden, RESULT]] = True
        self.length[rows] += length

    def drawn(self) -> Drawn:
        """The programs; the unfinished ones are told, not given."""
        finished = ~self.unfinished
        inside = (self.program[..., OPERATION] >= 0) & finished.unsqueeze(1)
        return Drawn(_ragged_rows(self.program, inside), finished)


def _of_rows(state: Recurrent, rows: Tensor) -> Recurrent:
    lower, upper = state
    return Recurrent((lower[0][rows], lower[1][rows]), (upper[0][rows], upper[1][rows]))


class _Candidates:
    """All paths to the next token of some rows, side by side.

    Paths that start alike share the states of their common start: a state is a *node*, of which all
    rows have one at first.
    """

    def __init__(self, drawing: _Drawing, rows: Tensor, first: Tensor, count: Tensor) -> None:
        self.drawing, self.model = drawing, drawing.model
        self.rows, self.count = rows, count
        self.owner = torch.arange(len(rows), device=rows.device).repeat_interleave(count)
        self.row = rows[self.owner]
        before = count.cumsum(0) - count
        self.number = torch.arange(len(self.row), device=rows.device) - before[self.owner]
        self.path = first[self.owner] + self.number
        self.place = torch.zeros_like(self.row)
        self.length = torch.zeros_like(self.row)
        self.so_far = max(1, int(drawing.length[rows].max()))
        self.node = self.owner
        self.nodes = _Nodes(
            rows,
            _of_rows(drawing.state, rows),
            rows.new_full((len(rows), LONGEST_PATH), NOTHING),
            drawing.state.h.new_zeros(len(rows), LONGEST_PATH, drawing.state.h.shape[1]),
        )
        self.state = _of_rows(drawing.state, self.row)
        self.log_prob = self.state.h.new_zeros(len(self.row))
        self.program = self.row.new_full((len(self.row), LONGEST_PATH, 5), NOTHING)
        self.behind = self.nodes.behind[self.owner]

    def score(self) -> None:
        """Follow every path to its end, adding up the log-probabilities of its instructions; where
        there is nothing to choose, only follow it."""
        for step in range(LONGEST_PATH):
            self._skip_reads()
            instructions = self._at_place()
            going = (instructions[:, OPERATION] >= 0).nonzero().squeeze(1)
            if not len(going):
                return
            self.place[going] += 1
            to_output = (self._at_place()[going, OPERATION] < 0).long()
            taken = torch.cat([instructions[going], to_output.unsqueeze(1)], 1)
            self._take(going, taken, step)

    def _at_place(self) -> Tensor:
        rows = self.drawing.paths[self.path, self.place.clamp_max(LONGEST_PATH - 1)].long()
        return torch.where((self.place < LONGEST_PATH).unsqueeze(1), rows, NOTHING)

    def _skip_reads(self) -> None:
        """Pass over instructions that read what lies in memory."""
        for _ in range(_MOST_READS):
            instruction = self._at_place()
            operation, result = instruction[:, OPERATION], instruction[:, RESULT].clamp_min(0)
            reads = self.drawing.is_read[operation.clamp_min(0)] & (operation >= 0)
            self.place += reads & self.drawing.in_memory[self.row, result]

    def _take(self, going: Tensor, instructions: Tensor, step: int) -> None:
        """Take one more instruction on the paths that go on: from nodes over operations and
        destinations (heads), first arguments (slots) and second ones to new nodes."""
        model, nodes, vectors = self.model, self.nodes, self.drawing.vectors
        o, a, b, v, d = instructions.unbind(-1)
        values = vectors.shape[1]
        head_keys, head = ((self.node[going] * len(OPERATIONS) + o) * 2 + d).unique(
            return_inverse=True
        )
        slot_keys, slot = (head * values + a).unique(return_inverse=True)
        end_keys, end = (slot * (values + 1) + b + 1).unique(return_inverse=True)
        at, of_head = head_keys // (2 * len(OPERATIONS)), slot_keys // values
        state = _of_rows(nodes.state, at)
        head_operation = head_keys // 2 % len(OPERATIONS)
        r, destinations = model.destination(state, head_operation)
        q = model.open(state, r, (head_keys % 2).bool())
        first_vector = vectors[nodes.row[at[of_head]], slot_keys % values]
        second = model.next_slot((q[0][of_head], q[1][of_head]), first_vector)
        if self.drawing.most_paths > 1:
            heads = _Heads(head_operation, head_keys % 2, at, q[0], destinations)
            self.log_prob[going] += self._scores(heads, second[0], of_head, head, slot, a, b)
        from_slot = end_keys // (values + 1)
        from_head = of_head[from_slot]
        is_two = (end_keys % (values + 1) > 0).unsqueeze(1)
        last = torch.where(is_two, second[0][from_slot], q[0][from_head])
        result = torch.zeros_like(end_keys).scatter(0, end, v)
        row = nodes.row[at[from_head]]
        state = model.advance(_of_rows(state, from_head), last, vectors[row, result])
        held, behind = nodes.held[at[from_head]], nodes.behind[at[from_head]]
        held[:, step], behind[:, step] = result, state.h
        self.nodes = _Nodes(row, state, held, behind)
        self.node = self.node.index_copy(0, going, end)
        self.program[going, step] = instructions
        self.length[going] += 1
        ends = d > 0
        _put(self.state, going[ends], _of_rows(state, end[ends]))
        self.behind[going[ends]] = behind[end[ends]]

    def _scores(
        self,
        heads: "_Heads",
        second: Tensor,
        of_head: Tensor,
        head: Tensor,
        slot: Tensor,
        a: Tensor,
        b: Tensor,
    ) -> Tensor:
        """The log-probability of the instruction that each path takes."""
        used, node = heads.at.unique(return_inverse=True)
        attended = self._attended(used)
        operations = self.model.operations(attended)
        of_heads = operations[node, heads.operation]
        of_heads = of_heads + heads.destinations.gather(1, heads.to_output.unsqueeze(1)).squeeze(1)
        firsts = self._argument(heads.at, heads.q, attended[node])
        scores = of_heads[head] + firsts[head, a]
        two = (b >= 0).nonzero().squeeze(1)
        if len(two):
            slots, place = slot[two].unique(return_inverse=True)
            owner = of_head[slots]
            seconds = self._argument(heads.at[owner], second[slots], attended[node[owner]])
            scores[two] += seconds[place, b[two]]
        return scores

    def _attended(self, nodes: Tensor) -> Tensor:
        rows, drawing = self.nodes.row[nodes], self.drawing
        encoded = _encoded_of(drawing.encoded, rows)
        h = self.nodes.state.h[nodes].unsqueeze(1)
        return self.model.attend(encoded, drawing.prepared.attention[rows], h).squeeze(1)

    def _argument(self, nodes: Tensor, q: Tensor, attended: Tensor) -> Tensor:
        """The log-probability of every value as an argument, by all that was written or
        remembered so far."""
        drawing, model = self.drawing, self.model
        rows = self.nodes.row[nodes]
        held = torch.cat([drawing.history[rows, : self.so_far], self.nodes.held[nodes]], 1)
        here = model.predictor.to_history.of_place(self.nodes.behind[nodes])
        prepared = AttentionKeys(
            drawing.prepared.attention,
            drawing.prepared.source[rows],
            torch.cat([drawing.prepared.history[rows, : self.so_far], here], 1),
        )
        given = drawing.encoded.values[rows]
        earlier = (held >= 0).unsqueeze(1)
        scores = model.argument(
            q.unsqueeze(1), attended.unsqueeze(1), given >= 0, prepared, earlier
        )
        return scores.of_all(drawing.values.writing[rows], given, held)

    def chosen(self, token: int) -> Tensor:
        """The candidate that each row takes: drawn by its probability, or the likeliest."""
        table = self.log_prob.new_full((len(self.rows), int(self.count.max())), -torch.inf)
        table[self.owner, self.number] = self.log_prob
        if self.drawing.keys is not None:
            noise = gumbel(self.drawing.keys[self.rows], token, table.shape[1])
            table = table + noise.to(table.dtype)
        return (self.count.cumsum(0) - self.count) + table.argmax(1)


@dataclass(frozen=True)
class _Nodes:
    """States that candidates have come to."""

    row: Tensor
    state: Recurrent
    held: Tensor
    """The values of the token's instructions so far."""
    behind: Tensor
    """The states behind them."""


@dataclass(frozen=True)
class _Heads:
    """Operations and destinations that candidates take from their nodes."""

    operation: Tensor
    to_output: Tensor
    at: Tensor
    """The node."""
    q: Tensor
    destinations: Tensor


def _put(state: Recurrent, rows: Tensor, new: Recurrent) -> None:
    """Overwrite the states of some rows."""
    for ours, theirs in zip((*state.lower, *state.upper), (*new.lower, *new.upper), strict=True):
        ours[rows] = theirs


def _encoded_of(encoded: EncodedSource, rows: Tensor) -> EncodedSource:
    return EncodedSource(
        encoded.u[rows], encoded.whole[rows], encoded.mask[rows], encoded.values[rows]
    )
