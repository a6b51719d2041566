from itertools import product

import torch

from scratchwork.paper.grammar import Phase, phase_after


def test_every_phase_is_followed_by_a_phase() -> None:
    cases = list(product(Phase, *[(False, True)] * 3))
    phase, writes, ends, options = (torch.tensor(column) for column in zip(*cases, strict=True))
    after = phase_after(phase, writes, ends, options).tolist()
    assert {*after} <= {int(one) for one in Phase}


def test_a_rationale_ends_before_its_letter_and_a_problem_without_options_has_none() -> None:
    def after(phase: Phase, *, ends: bool, options: bool) -> int:
        asked = (torch.tensor([x]) for x in (int(phase), True, ends, options))
        return int(phase_after(*asked))

    assert after(Phase.RATIONALE, ends=False, options=True) == Phase.RATIONALE
    assert after(Phase.RATIONALE, ends=True, options=True) == Phase.ANSWER
    assert after(Phase.RATIONALE, ends=True, options=False) == Phase.END
    assert after(Phase.ANSWER, ends=False, options=True) == Phase.END
    assert after(Phase.END, ends=False, options=True) == Phase.FINISHED
