"""The paper's model: instructions, and the values they compute (its section 3).

Promises: the symbols are the paper's (section 3.3). The state h_i predicts the operation o_i; h_i
and o_i give the state r_i, which predicts the destination; an LSTM that starts with r_i and reads
the destination gives q_i1, and after the first argument q_i2; each q predicts an argument; the
value v_i, the last q and h_i give h_{i+1}.

An argument is a value: its probability is summed over all places that hold it, which is exact,
since the next state depends on the value alone. The paper leaves open which decoder state
copy-output points at; here it is the one after the instruction, which has seen its value.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from scratchwork.paper.layers import EncodedSource, taken
from scratchwork.paper.noise import NO_DROPOUT, Dropout
from scratchwork.paper.program_model import ModelConfig, ProgramModel, Recurrent, States
from scratchwork.paper.recurrence import LSTMCell, Products, gated
from scratchwork.paper.tensors import DECLARED, Programs, ValueTensors

_TAKES_TWO = [len(operation.takes) == 2 for operation in DECLARED]


class InstructionModel(ProgramModel):
    """Programs of typed operations."""

    takes_two: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        hidden, vector = config.hidden, self.embedding.size
        self.operation_head = nn.Linear(3 * hidden, len(DECLARED))
        self.operation_vector = nn.Embedding(len(DECLARED), config.embedding)
        self.to_r = nn.Linear(hidden + config.embedding, hidden)
        self.destination_head = nn.Linear(hidden, 1)
        self.destination_vector = nn.Embedding(2, vector)
        self.slots = LSTMCell(vector, hidden)
        self.lower = LSTMCell(hidden + vector, hidden)
        self.upper = LSTMCell(hidden, hidden)
        self.register_buffer("takes_two", torch.tensor(_TAKES_TWO), persistent=False)

    def unroll(
        self,
        encoded: EncodedSource,
        values: ValueTensors,
        programs: Programs,
        dropout: Dropout = NO_DROPOUT,
    ) -> States:
        """h, r and q over given programs."""
        hidden = self.config.hidden
        vectors = self.embedding.values(values)
        arguments = dropout(taken(vectors, programs.arguments[..., 0]), 2)
        results = dropout(taken(vectors, programs.results), 3)
        operations = self.operation_vector(programs.operations)
        destinations = self.destination_vector(programs.to_output.long())
        # What does not depend on the states is computed once for all instructions.
        of_h, of_q = self.to_r.weight[:, :hidden], self.lower.of_input.weight[:, :hidden]
        o = functional.linear(operations, self.to_r.weight[:, hidden:], self.to_r.bias)
        v = functional.linear(
            results, self.lower.of_input.weight[:, hidden:], self.lower.of_input.bias
        )
        d, a = self.slots.of_input(destinations), self.slots.of_input(arguments)
        two = self.takes_two[programs.operations].unsqueeze(-1)
        upper_bias = self.upper.of_input.bias
        times = Products(
            [
                of_h,
                self.slots.of_state.weight,
                of_q,
                self.lower.of_state.weight,
                self.upper.of_input.weight,
                self.upper.of_state.weight,
            ]
        )
        (lower, c1), (h, c2) = self.start(encoded)
        h = times.begin(h)
        between = dropout(torch.ones_like(h).unsqueeze(1), 4).squeeze(1)
        hs, rs, qs = [h], list[Tensor](), list[Tensor]()
        steps = (x.transpose(0, 1).contiguous().unbind(0) for x in (o, d, a, v, two))
        for o_i, d_i, a_i, v_i, is_two in zip(*steps, strict=True):
            r = torch.tanh(o_i + times(0, h))
            q1, c = gated(d_i, times(1, r), r)
            q2, _ = gated(a_i, times(1, q1), c)
            q = torch.where(is_two, q2, q1)
            lower, c1 = gated(v_i + times(2, q), times(3, lower), c1)
            h, c2 = gated(times(4, lower * between) + upper_bias, times(5, h), c2)
            hs.append(h)
            rs.append(r)
            qs += [q1, q2]
        return States(torch.stack(hs, 1), torch.stack(rs, 1), torch.stack(qs, 1))

    def head_log_probs(
        self, attended: Tensor, r: Tensor, operations: Tensor, to_output: Tensor
    ) -> Tensor:
        """log p(o_i) + log p(r_i) of given operations and destinations."""
        scores = torch.log_softmax(self.operation_head(attended), -1)
        score = self.destination_head(r).squeeze(-1)
        destination = functional.logsigmoid(torch.where(to_output, score, -score))
        return scores.gather(-1, operations.unsqueeze(-1)).squeeze(-1) + destination

    def operations(self, attended: Tensor) -> Tensor:
        """p(o_i | z_<i, x)."""
        return torch.log_softmax(self.operation_head(attended), -1)

    def destination(self, state: Recurrent, operations: Tensor) -> tuple[Tensor, Tensor]:
        """r_i, and p(r_i | z_<i, x, o_i)."""
        r = torch.tanh(self.to_r(torch.cat([state.h, self.operation_vector(operations)], -1)))
        score = self.destination_head(r)
        return r, functional.logsigmoid(torch.cat([-score, score], -1))

    def first_slot(self, state: Recurrent, r: Tensor, to_output: Tensor) -> tuple[Tensor, Tensor]:
        """q_i1."""
        return self.slots(self.destination_vector(to_output.long()), (r, r))

    def second_slot(self, q: tuple[Tensor, Tensor], argument: Tensor) -> tuple[Tensor, Tensor]:
        """q_i2."""
        return self.slots(argument, q)

    def advance(self, state: Recurrent, q: Tensor, value: Tensor) -> Recurrent:
        """h_{i+1}."""
        lower = self.lower(torch.cat([q, value], -1), state.lower)
        return Recurrent(lower, self.upper(lower[0], state.upper))
