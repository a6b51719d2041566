"""The decoder run one place at a time, with the keys and values of earlier places cached.

Promises: a `CachedDecoder` gives the states that `Transformer.decode` gives for whole rows, for
several rows of each problem; between places, rows can be dropped, repeated and reordered.
"""

import torch
from torch import Tensor

from scratchwork.solver.layers import rotation_angles
from scratchwork.solver.network import DecoderInput, EncodedProblems, Transformer
from scratchwork.solver.plan_state import PlanState
from scratchwork.solver.symbols import MOST_STEPS


class CachedDecoder:
    """`width` rows of each problem, a place at a time."""

    def __init__(self, model: Transformer, encoded: EncodedProblems) -> None:
        self.model, self.encoded = model, encoded
        states = encoded.states
        self.device, self.problems, self.width = states.device, len(states), 1
        self.state = PlanState(encoded.numeral_values)
        self.place = 0
        self.numeral_keys = model.be_numeral(encoded.numerals)
        self.result_keys = states.new_zeros(self.problems, MOST_STEPS, states.shape[-1])
        self._memories = [layer.memory(states) for layer in model.decoding_layers]
        self._keys: list[Tensor] = []
        self._values: list[Tensor] = []
        """The cache: those of earlier places, a tensor for each layer."""

    def per_row(self, table: Tensor) -> Tensor:
        """A tensor of problems, repeated for the rows of each."""
        return table.repeat_interleave(self.width, 0)

    def last_results(self) -> Tensor:
        """What each row computed last; NaN if it has no result yet."""
        at = (self.state.count - 1).clamp(min=0)[:, None]
        return self.state.results.gather(1, at).squeeze(1)

    def advance(
        self, choices: Tensor, values: Tensor, results: Tensor, options: Tensor | None = None
    ) -> Tensor:
        """The states of the next place, [row, 1, width], from the last choice of each row, which
        `state` has taken already, and what came of it (see `DecoderInput`)."""
        model = self.model
        if options is None:
            options = self.encoded.states.new_zeros(len(choices), 1, model.config.width)
        columns = (choices, values, results, self.state.count)
        inputs = DecoderInput(*(column[:, None] for column in columns))
        x = model.embed(inputs, self.per_row(self.encoded.numerals), options)
        position = torch.full((1, 1), self.place, device=self.device)
        angles = rotation_angles(position, model.config.width // model.config.heads)
        for k, layer in enumerate(model.decoding_layers):
            query, key, value = layer.self_attention(x, angles)
            if self.place:
                self._keys[k] = torch.cat([self._keys[k], key], 2)
                self._values[k] = torch.cat([self._values[k], value], 2)
            else:
                self._keys.append(key)
                self._values.append(value)
            own = (query, self._keys[k], self._values[k])
            x = layer.step(x, own, self._memories[k], self.encoded.mask, self.width)
        self.place += 1
        states = model.after_decoder(x)
        self._keep_results(states, results)
        return states

    def _keep_results(self, states: Tensor, results: Tensor) -> None:
        """Keep a key for each result computed at this place."""
        at = (self.state.count - 1).clamp(min=0)[:, None, None].expand(-1, 1, states.shape[-1])
        is_new = torch.isfinite(results)[:, None, None]
        kept = torch.where(is_new, self.model.be_result(states), self.result_keys.gather(1, at))
        self.result_keys = self.result_keys.scatter(1, at, kept)

    def logits(self, states: Tensor) -> Tensor:
        """The logits of each choice but the pieces, [row, choice]."""
        model = self.model
        together = states.view(self.problems, self.width, -1)
        to_numerals = model.pointer_logits(model.ask_numeral(together), self.numeral_keys)
        to_results = model.pointer_logits(model.ask_result(states), self.result_keys)
        logits = [model.choose_symbol(states), to_numerals.view(len(states), 1, -1), to_results]
        return torch.cat(logits, -1).squeeze(1).float()

    def select(self, rows: Tensor) -> None:
        """Go on with these rows, the same number of each problem, in the order of the problems."""
        self._keys = [keys[rows] for keys in self._keys]
        self._values = [values[rows] for values in self._values]
        self.result_keys = self.result_keys[rows]
        self.state = self.state.select(rows)
        self.width = len(rows) // self.problems
