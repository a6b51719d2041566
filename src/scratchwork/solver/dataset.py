"""Examples on a device, ready to be drawn in batches of few shapes.

Promises: everything that a batch needs lies on the device; a plan's numbers may be changed row by
row (`row_values`, see `renumbering`) without touching its problem. `hide_options` hides the
options of problems: the network then reads the same as of problems that have none.
"""

import torch
from torch import Tensor

from scratchwork.solver.network import ProblemBatch
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.reading import PAD_PIECE
from scratchwork.solver.symbols import END, LONGEST_PLAN, LONGEST_ROW
from scratchwork.solver.tables import LONGEST_READING, PlanTable, ProblemTable, with_empty_rows

_READING_LENGTHS = (48, 64, 96, LONGEST_READING)
_PLAN_LENGTHS = (20, LONGEST_PLAN, 100, LONGEST_ROW)
_AT_ONCE = 200_000


class Dataset:
    """Examples on a device: problems, and plans with the decoder's inputs.

    A problem without a plan has a row without choices, so that its words are learned from.
    """

    def __init__(
        self,
        problems: ProblemTable,
        plans: PlanTable,
        device: torch.device,
    ) -> None:
        def put(column: object) -> Tensor:
            return torch.as_tensor(column).to(device)

        plans = with_empty_rows(problems, plans)
        self.device = device
        self.pieces, self.segments = put(problems.pieces), put(problems.segments)
        self.positions, self.lengths = put(problems.positions), put(problems.lengths)
        self.numeral_pieces = put(problems.numeral_pieces)
        self.numeral_values = put(problems.numeral_values)
        self.in_question = put(problems.in_question)
        self.option_pieces = put(problems.option_pieces)
        self.option_values, self.labels = put(problems.option_values), put(problems.labels)
        self.answers = put(problems.answers)
        self.owners, self.choices = put(plans.problems).long(), put(plans.choices)
        self.reached = put(plans.reached).long()
        count = len(plans)
        self.row_values = self.numeral_values[self.owners]
        parts = [
            decoder_inputs(self.choices[k : k + _AT_ONCE], self.row_values[k : k + _AT_ONCE])
            for k in range(0, max(1, count), _AT_ONCE)
        ]
        self.input_values = torch.cat([inputs.values for inputs, _ in parts])
        self.input_results = torch.cat([inputs.results for inputs, _ in parts])
        self.input_counts = torch.cat([inputs.result_counts.to(torch.int8) for inputs, _ in parts])
        self.missing = torch.cat([missing.to(torch.int8) for _, missing in parts])
        self.buckets = self._buckets()

    def __len__(self) -> int:
        return len(self.owners)

    def _buckets(self) -> dict[tuple[int, int], Tensor]:
        """The rows of plans by the shape that they need."""
        readings = self.lengths[self.owners].long()
        plans = (self.choices >= 0).sum(1)
        # However short a rationale is, its row needs a shape in which pieces are choices.
        has_rationale = (self.choices == END).any(1)
        plans = torch.where(has_rationale, plans.clamp(min=LONGEST_PLAN + 1), plans)
        buckets: dict[tuple[int, int], Tensor] = {}
        shortest = 0
        for reading in _READING_LENGTHS:
            shorter = 0
            for plan in _PLAN_LENGTHS:
                inside = (readings > shortest) & (readings <= reading)
                rows = (inside & (plans >= shorter) & (plans <= plan)).nonzero().squeeze(1)
                if len(rows):
                    buckets[reading, plan] = rows
                shorter = plan + 1
            shortest = reading
        return buckets

    def read(self, problems: Tensor, length: int = LONGEST_READING) -> ProblemBatch:
        """Some problems, as the network reads them."""
        return ProblemBatch(
            self.pieces[problems, :length].long(),
            self.segments[problems, :length].long(),
            self.positions[problems, :length].long(),
            self.numeral_pieces[problems].long(),
            self.numeral_values[problems],
            self.option_pieces[problems].long(),
        )

    def read_plans(self, rows: Tensor, length: int = LONGEST_READING) -> ProblemBatch:
        """The problems of some plans, with the plans' own numbers."""
        read = self.read(self.owners[rows], length)
        return read._replace(numeral_values=self.row_values[rows])


def hide_options(read: ProblemBatch, in_question: Tensor, hidden: Tensor) -> ProblemBatch:
    """Problems, those that are to be hidden as if they had no options."""
    in_option = hidden[:, None] & (read.segments > 0)
    of_option = hidden[:, None] & ~in_question
    return ProblemBatch(
        read.pieces.masked_fill(in_option, PAD_PIECE),
        read.segments.masked_fill(in_option, -1),
        read.positions.masked_fill(in_option, 0),
        read.numeral_pieces.masked_fill(of_option, -1),
        read.numeral_values.masked_fill(of_option, float("nan")),
        read.option_pieces.masked_fill(hidden[:, None], -1),
    )
