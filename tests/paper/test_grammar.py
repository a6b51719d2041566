from itertools import product

import torch

from scratchwork.paper.grammar import Phase, phase_behind


def test_behind_every_phase_lies_a_phase() -> None:
    cases = list(product(Phase, *[(False, True)] * 3))
    phase, writes, ends, options = (torch.tensor(column) for column in zip(*cases, strict=True))
    behind = phase_behind(phase, writes, ends, options).tolist()
    assert {*behind} <= {int(one) for one in Phase}


def test_a_rationale_ends_before_its_letter_and_a_problem_without_options_has_none() -> None:
    def behind(phase: Phase, *, ends: bool, options: bool) -> int:
        asked = (torch.tensor([x]) for x in (int(phase), True, ends, options))
        return int(phase_behind(*asked))

    assert behind(Phase.RATIONALE, ends=False, options=True) == Phase.RATIONALE
    assert behind(Phase.RATIONALE, ends=True, options=True) == Phase.ANSWER
    assert behind(Phase.RATIONALE, ends=True, options=False) == Phase.END
    assert behind(Phase.ANSWER, ends=False, options=True) == Phase.END
    assert behind(Phase.END, ends=False, options=True) == Phase.FINISHED
