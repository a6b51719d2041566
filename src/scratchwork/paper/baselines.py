"""The paper's baselines (section 6.1): sequence to sequence with attention, plus copy-input, plus
copy-output.

Promises: a baseline is a model of programs whose every instruction is `Id` to the output. Its
argument comes from the softmax over words, from the source (`copy-input`), or also from earlier
output (`copy-output`).

Attention is late fusion, as in the paper's model and unlike in Bahdanau et al.: the four models
differ only in what the paper compares.
"""

import torch
from torch import Tensor, nn

from scratchwork.paper.layers import NEVER, EncodedSource, taken
from scratchwork.paper.noise import NO_DROPOUT, Dropout
from scratchwork.paper.program_model import ModelConfig, ProgramModel, Recurrent, States
from scratchwork.paper.tensors import DECLARED, IDENTITY, Programs, ValueTensors


class SequenceModel(ProgramModel):
    """Programs of `Id` alone."""

    context_size = 3
    only_identity: Tensor
    only_output: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.lower = nn.LSTM(self.embedding.size, config.hidden, batch_first=True)
        self.upper = nn.LSTM(config.hidden, config.hidden, batch_first=True)
        scores = torch.full((len(DECLARED),), NEVER)
        scores[IDENTITY] = 0
        self.register_buffer("only_identity", scores, persistent=False)
        self.register_buffer("only_output", torch.tensor([NEVER, 0.0]), persistent=False)

    def unroll(
        self,
        encoded: EncodedSource,
        values: ValueTensors,
        programs: Programs,
        dropout: Dropout = NO_DROPOUT,
    ) -> States:
        """The states before each token, which are also those of its slot."""
        vectors = dropout(taken(self.embedding.values(values), programs.results), 3)
        state = self.start(encoded)
        lower, _ = self.lower(vectors, _of_one_layer(state.lower))
        upper, _ = self.upper(dropout(lower, 4), _of_one_layer(state.upper))
        h = torch.cat([state.h.unsqueeze(1), upper], 1)
        before = h[:, :-1]
        return States(h, before, before.repeat_interleave(2, 1))

    def context(self, q: Tensor, attended: Tensor) -> Tensor:
        """The slot's state is h, which `attended` holds already."""
        return attended

    def head_log_probs(
        self, attended: Tensor, r: Tensor, operations: Tensor, to_output: Tensor
    ) -> Tensor:
        """0: only the value is uncertain."""
        return torch.zeros(operations.shape, dtype=r.dtype, device=r.device)

    def operations(self, attended: Tensor) -> Tensor:
        """`Id` for certain."""
        return self.only_identity.to(attended.dtype).expand(len(attended), -1)

    def destination(self, state: Recurrent, operations: Tensor) -> tuple[Tensor, Tensor]:
        """The output for certain."""
        return state.h, self.only_output.to(state.h.dtype).expand(len(state.h), -1)

    def first_slot(self, state: Recurrent, r: Tensor, to_output: Tensor) -> tuple[Tensor, Tensor]:
        """The state itself."""
        return state.h, state.h

    def second_slot(self, q: tuple[Tensor, Tensor], argument: Tensor) -> tuple[Tensor, Tensor]:
        """There is no second slot."""
        return q

    def advance(self, state: Recurrent, q: Tensor, value: Tensor) -> Recurrent:
        """The state after a token."""
        lower, (h, c) = self.lower(value.unsqueeze(1), _of_one_layer(state.lower))
        _, (g, d) = self.upper(lower, _of_one_layer(state.upper))
        return Recurrent((h[0], c[0]), (g[0], d[0]))


def _of_one_layer(state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return state[0].unsqueeze(0), state[1].unsqueeze(0)
