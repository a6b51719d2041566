"""Latent programs, drawn from the model among those that write the rationale (the paper's
section 4).

Promises: every program drawn writes exactly the output tokens of its example. Token by token, each
path to the token is scored given the program so far, and one is drawn in proportion to its
probability; a number in memory is not read again. Draws depend on the given keys alone; without
keys the most probable path is taken, as for the perplexity. Nothing is executed.

The paper draws one instruction at a time. Here whole paths are the proposals: else a path that
starts well and ends badly is drawn as often as its start deserves, and training on such draws
never corrects that.

Does not cover: the effect of a path on later tokens. A program longer than `longest_program` is
reported as unfinished.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from scratchwork.paper.corpus import Corpus, Ragged
from scratchwork.paper.layers import AttentionKeys, EncodedSource
from scratchwork.paper.noise import gumbel
from scratchwork.paper.paths import LONGEST_PATH, MOST_PATHS, READS
from scratchwork.paper.program_model import ProgramModel, Recurrent
from scratchwork.paper.tensors import DECLARED, IDENTITY, NOTHING, ValueTensors

_MOST_READS = 3
"""The most numbers that a path reads."""

OPERATION, FIRST, SECOND, RESULT, TO_OUTPUT = range(5)
"""The columns of a drawn instruction."""


@dataclass(frozen=True)
class Drawn:
    """Programs that were drawn."""

    rows: Ragged
    """Instructions in the columns above."""
    finished: Tensor
    """Which examples have a program."""

    @property
    def lengths(self) -> Tensor:
        """The number of instructions of each program."""
        return self.rows.lengths


def longest_program(tokens: int) -> int:
    """The most instructions that the program for this number of tokens may have."""
    return 2 * tokens + 48


@torch.no_grad()
def draw_programs(
    model: ProgramModel,
    corpus: Corpus,
    examples: Tensor,
    keys: Tensor | None,
    most_paths: int = MOST_PATHS,
) -> Drawn:
    """A program for each example; with `most_paths` 1, of the preferred path to every token."""
    if not model.computes:
        return copied_out(corpus, examples)
    drawing = _Drawing(model, corpus, examples, keys, most_paths)
    drawing.run()
    return drawing.drawn()


def copied_out(corpus: Corpus, examples: Tensor) -> Drawn:
    """The programs that compute nothing: `Id` of each token."""
    lengths = corpus.tokens.lengths[examples]
    tokens = corpus.tokens.padded(examples, int(lengths.max()), NOTHING).long()
    identity = torch.full_like(tokens, IDENTITY)
    nothing, output = torch.full_like(tokens, NOTHING), torch.ones_like(tokens)
    rows = torch.stack([identity, tokens, nothing, tokens, output], -1).to(torch.int16)
    return Drawn(Ragged.of(rows[tokens >= 0], lengths), torch.ones_like(lengths, dtype=torch.bool))


class _Drawing:
    """Programs being drawn, one row each, a token at a time."""

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
        states = self.state.h.new_zeros(rows, self.size, model.config.hidden)
        self.attention_keys: AttentionKeys = model.attention_keys(self.encoded, states)
        self.program = torch.full((rows, self.size, 5), NOTHING, dtype=torch.int16, device=device)
        self.in_memory = torch.zeros(rows, value_size, dtype=torch.bool, device=device)
        self.length = torch.zeros(rows, dtype=torch.int64, device=device)
        self.is_read = torch.tensor([k in READS for k in range(len(DECLARED))], device=device)
        self.unfinished = torch.zeros(rows, dtype=torch.bool, device=device)

    def run(self) -> None:
        """Draw the paths to all tokens of all programs."""
        for token in range(self.most_tokens):
            there = (self.token_counts > token) & ~self.unfinished
            first = self.first_paths[:, token].clamp_max(len(self.paths) - 1)
            count = self.first_paths[:, token + 1] - first
            is_single = (count == 1) & (self.paths[first, 1, 0] < 0)
            count = count.clamp_max(self.most_paths)
            single = (there & is_single).nonzero().squeeze(1)
            others = (there & ~is_single).nonzero().squeeze(1)
            if len(single):
                self._write_single(single, self.paths[first[single], 0].long())
            if len(others):
                candidates = _Candidates(self, others, first[others], count[others])
                candidates.score()
                self._commit(candidates, candidates.chosen(token))
            self.unfinished |= self.length > self.longest

    def _write_single(self, rows: Tensor, instructions: Tensor) -> None:
        """Write a token whose only path is one instruction."""
        _, argument, _, result = instructions.unbind(-1)
        operation = instructions[:, OPERATION]
        state = self.state.rows(rows)
        r, _ = self.model.destination(state, operation)
        to_output = torch.ones_like(operation)
        q = self.model.first_slot(state, r, to_output.bool())
        state = self.model.advance(state, q[0], self.vectors[rows, result])
        row = torch.stack(
            [operation, argument, torch.full_like(argument, NOTHING), result, to_output], -1
        )
        self._append(rows, row.unsqueeze(1), state.h.unsqueeze(1), torch.ones_like(rows))
        _put(self.state, rows, state)

    def _commit(self, candidates: "_Candidates", chosen: Tensor) -> None:
        """Append the chosen path of each row to its program."""
        rows = candidates.row[chosen]
        self._append(
            rows, candidates.program[chosen], candidates.states[chosen], candidates.length[chosen]
        )
        _put(self.state, rows, candidates.state.rows(chosen))

    def _append(self, rows: Tensor, program: Tensor, states: Tensor, length: Tensor) -> None:
        """Append the first `length` instructions, with the states after them, to some rows."""
        places = torch.arange(program.shape[1], device=rows.device)
        inside = places < length.unsqueeze(1)
        row = rows.unsqueeze(1).expand_as(inside)[inside]
        place = (self.length[rows].unsqueeze(1) + places)[inside]
        written = program[inside]
        self.program[row, place] = written.to(torch.int16)
        self.history[row, place] = written[:, RESULT]
        keys = self.model.predictor.to_history.of_place(states[inside])
        self.attention_keys.history[row, place] = keys
        to_memory = written[:, TO_OUTPUT] == 0
        self.in_memory[row[to_memory], written[to_memory, RESULT]] = True
        self.length[rows] += length

    def drawn(self) -> Drawn:
        """The programs, empty where unfinished."""
        finished = ~self.unfinished
        inside = (self.program[..., OPERATION] >= 0) & finished.unsqueeze(1)
        return Drawn(Ragged.of(self.program[inside], inside.sum(1)), finished)


class _Candidates:
    """All paths to the next token of some rows, side by side.

    Paths with a common prefix share its states. Such a state is a *node*; each row starts with one.
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
            drawing.state.rows(rows),
            rows.new_full((len(rows), LONGEST_PATH), NOTHING),
            drawing.state.h.new_zeros(len(rows), LONGEST_PATH, drawing.state.h.shape[1]),
        )
        self.state = drawing.state.rows(self.row)
        self.log_prob = self.state.h.new_zeros(len(self.row))
        self.program = self.row.new_full((len(self.row), LONGEST_PATH, 5), NOTHING)
        self.states = self.nodes.states[self.owner]

    def score(self) -> None:
        """Run the model over every path, and add up the log-probabilities of its instructions,
        unless there is only one path to choose."""
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
        """Skip instructions that read a number that is in memory."""
        for _ in range(_MOST_READS):
            instruction = self._at_place()
            operation, result = instruction[:, OPERATION], instruction[:, RESULT].clamp_min(0)
            reads = self.drawing.is_read[operation.clamp_min(0)] & (operation >= 0)
            self.place += reads & self.drawing.in_memory[self.row, result]

    def _take(self, going: Tensor, instructions: Tensor, step: int) -> None:
        """Advance by one instruction: from nodes over (operation, destination), the heads, and the
        first and second arguments to new nodes."""
        model, nodes, vectors = self.model, self.nodes, self.drawing.vectors
        o, a, b, v, d = instructions.unbind(-1)
        values = vectors.shape[1]
        head_keys, head = ((self.node[going] * len(DECLARED) + o) * 2 + d).unique(
            return_inverse=True
        )
        slot_keys, slot = (head * values + a).unique(return_inverse=True)
        end_keys, end = (slot * (values + 1) + b + 1).unique(return_inverse=True)
        at, of_head = head_keys // (2 * len(DECLARED)), slot_keys // values
        state = nodes.state.rows(at)
        head_operation = head_keys // 2 % len(DECLARED)
        r, destinations = model.destination(state, head_operation)
        q = model.first_slot(state, r, (head_keys % 2).bool())
        first_vector = vectors[nodes.row[at[of_head]], slot_keys % values]
        second = model.second_slot((q[0][of_head], q[1][of_head]), first_vector)
        if self.drawing.most_paths > 1:
            heads = _Heads(head_operation, head_keys % 2, at, q[0], destinations)
            self.log_prob[going] += self._scores(heads, second[0], of_head, head, slot, a, b)
        from_slot = end_keys // (values + 1)
        from_head = of_head[from_slot]
        is_two = (end_keys % (values + 1) > 0).unsqueeze(1)
        last = torch.where(is_two, second[0][from_slot], q[0][from_head])
        result = torch.zeros_like(end_keys).scatter(0, end, v)
        row = nodes.row[at[from_head]]
        state = model.advance(state.rows(from_head), last, vectors[row, result])
        held, states = nodes.held[at[from_head]], nodes.states[at[from_head]]
        held[:, step], states[:, step] = result, state.h
        self.nodes = _Nodes(row, state, held, states)
        self.node = self.node.index_copy(0, going, end)
        self.program[going, step] = instructions
        self.length[going] += 1
        ends = d > 0
        _put(self.state, going[ends], state.rows(end[ends]))
        self.states[going[ends]] = states[end[ends]]

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
        rows, drawing = self.nodes.row[used], self.drawing
        h = self.nodes.state.h[used].unsqueeze(1)
        keys = drawing.attention_keys.attention[rows]
        attended = self.model.attend(drawing.encoded.rows(rows), keys, h).squeeze(1)
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

    def _argument(self, nodes: Tensor, q: Tensor, attended: Tensor) -> Tensor:
        """The log-probability of every value as an argument, given the program so far."""
        drawing, model = self.drawing, self.model
        rows = self.nodes.row[nodes]
        held = torch.cat([drawing.history[rows, : self.so_far], self.nodes.held[nodes]], 1)
        here = model.predictor.to_history.of_place(self.nodes.states[nodes])
        keys = AttentionKeys(
            drawing.attention_keys.attention,
            drawing.attention_keys.source[rows],
            torch.cat([drawing.attention_keys.history[rows, : self.so_far], here], 1),
        )
        given = drawing.encoded.values[rows]
        earlier = (held >= 0).unsqueeze(1)
        scores = model.argument(q.unsqueeze(1), attended.unsqueeze(1), given >= 0, keys, earlier)
        return scores.of_all(drawing.values.writing[rows], given, held)

    def chosen(self, token: int) -> Tensor:
        """The candidate of each row: drawn, or without keys the most probable."""
        table = self.log_prob.new_full((len(self.rows), int(self.count.max())), -torch.inf)
        table[self.owner, self.number] = self.log_prob
        if self.drawing.keys is not None:
            noise = gumbel(self.drawing.keys[self.rows], token, table.shape[1])
            table = table + noise.to(table.dtype)
        return (self.count.cumsum(0) - self.count) + table.argmax(1)


@dataclass(frozen=True)
class _Nodes:
    """States that candidates have reached."""

    row: Tensor
    state: Recurrent
    held: Tensor
    """The values of the token's instructions so far."""
    states: Tensor
    """The states after them."""


@dataclass(frozen=True)
class _Heads:
    """The distinct (node, operation, destination) of the candidates."""

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
