"""The paper's model: instructions, and the values they compute (its section 3).

Promises: the symbols are the paper's. From the state h_i comes the operation o_i; from h_i and o_i
the state r_i and the destination; an LSTM over argument slots, started with r_i and reading the
destination, gives q_i1, and with the first argument q_i2; each argument is a latent choice among
words, places of the source and earlier instructions; the value v_i, the last q and h_i give
h_{i+1}.

An argument is a value: its probability is summed over all the places that hold it, which is exact
since the next state depends on the value alone. Where the paper leaves it open, the pointer to an
earlier instruction looks at the state behind it (which has seen its value).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from scratchwork.machine.operations import PAPER
from scratchwork.models.interface import ModelConfig, ProgramModel, Recurrent, States
from scratchwork.models.layers import Encoded, taken
from scratchwork.models.noise import Dropout
from scratchwork.models.tensors import Programs, Values

OPERATIONS = tuple(PAPER.operations)
_TAKES_TWO = [len(operation.takes) == 2 for operation in PAPER.operations.values()]


class InstructionModel(ProgramModel):
    """Programs of typed operations."""

    takes_two: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        hidden, vector = config.hidden, self.embedding.size
        self.operation_head = nn.Linear(3 * hidden, len(OPERATIONS))
        self.operation_vector = nn.Embedding(len(OPERATIONS), config.embedding)
        self.to_r = nn.Linear(hidden + config.embedding, hidden)
        self.destination_head = nn.Linear(hidden, 1)
        self.destination_vector = nn.Embedding(2, vector)
        self.slots = nn.LSTMCell(vector, hidden)
        self.lower = nn.LSTMCell(hidden + vector, hidden)
        self.upper = nn.LSTMCell(hidden, hidden)
        self.register_buffer("takes_two", torch.tensor(_TAKES_TWO), persistent=False)

    def unroll(
        self,
        encoded: Encoded,
        values: Values,
        programs: Programs,
        dropout: Dropout = ProgramModel.NO_DROPOUT,
    ) -> States:
        """h, r and q over given programs."""
        vectors = self.embedding.values(values)
        arguments = dropout(taken(vectors, programs.arguments[..., 0]), 2)
        results = dropout(taken(vectors, programs.results), 3)
        operations = self.operation_vector(programs.operations)
        destinations = self.destination_vector(programs.to_output.long())
        two = self.takes_two[programs.operations].unsqueeze(-1)
        state = self.start(encoded)
        between = dropout(torch.ones_like(state.h).unsqueeze(1), 4).squeeze(1)
        hs, rs, qs = [state.h], list[Tensor](), list[Tensor]()
        for o, d, a, v, is_two in zip(
            *(x.unbind(1) for x in (operations, destinations, arguments, results, two)), strict=True
        ):
            r = torch.tanh(self.to_r(torch.cat([state.h, o], -1)))
            first = self.slots(d, (r, r))
            second = self.slots(a, first)
            q = torch.where(is_two, second[0], first[0])
            state = self._advanced(state, q, v, between)
            hs.append(state.h)
            rs.append(r)
            qs += [first[0], second[0]]
        return States(torch.stack(hs, 1), torch.stack(rs, 1), torch.stack(qs, 1))

    def _advanced(self, state: Recurrent, q: Tensor, v: Tensor, between: Tensor) -> Recurrent:
        lower = self.lower(torch.cat([q, v], -1), state.lower)
        return Recurrent(lower, self.upper(lower[0] * between, state.upper))

    def head_log_probs(
        self, h: Tensor, attended: Tensor, r: Tensor, operations: Tensor, to_output: Tensor
    ) -> Tensor:
        """Of given operations and destinations."""
        scores = torch.log_softmax(self.operation_head(attended), -1)
        score = self.destination_head(r).squeeze(-1)
        destination = functional.logsigmoid(torch.where(to_output, score, -score))
        return scores.gather(-1, operations.unsqueeze(-1)).squeeze(-1) + destination

    def operations(self, state: Recurrent, attended: Tensor) -> Tensor:
        """p(o_i | z_<i, x)."""
        return torch.log_softmax(self.operation_head(attended), -1)

    def destination(self, state: Recurrent, operations: Tensor) -> tuple[Tensor, Tensor]:
        """r_i, and p(r_i | z_<i, x, o_i)."""
        r = torch.tanh(self.to_r(torch.cat([state.h, self.operation_vector(operations)], -1)))
        score = self.destination_head(r)
        return r, functional.logsigmoid(torch.cat([-score, score], -1))

    def open(self, state: Recurrent, r: Tensor, to_output: Tensor) -> tuple[Tensor, Tensor]:
        """q_i1."""
        return self.slots(self.destination_vector(to_output.long()), (r, r))

    def next_slot(self, q: tuple[Tensor, Tensor], argument: Tensor) -> tuple[Tensor, Tensor]:
        """q_i2."""
        return self.slots(argument, q)

    def advance(self, state: Recurrent, q: Tensor, value: Tensor) -> Recurrent:
        """h_{i+1}."""
        return self._advanced(state, q, value, torch.ones_like(state.h))
