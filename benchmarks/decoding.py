"""Searching programs with wider and wider beams, beside the baseline that only copies."""

from collections.abc import Iterator

import torch

from benchmarks.samples import device, name_of, sample, wait_for
from benchmarks.timing import best_seconds
from scratchwork.paper.config import preset
from scratchwork.paper.models import build_model
from scratchwork.paper.program_model import ModelConfig, ModelKind
from scratchwork.paper.search_settings import SearchSettings
from scratchwork.paper.stack_decoder import decode

BEAMS = (1, 10, 50)
PROBLEMS, LONGEST = 8, 20
END = 3
"""`<EOR>`, the letter, `<EOS>`."""


def measure() -> Iterator[str]:
    """Tokens a second that the beams of all problems grow by, with random weights."""
    on = device()
    data = sample(PROBLEMS)
    size = preset("small")
    yield f"small on {name_of(on)}, {PROBLEMS} problems at a time; tokens a second:"
    yield f"{'beam':>4}{'program':>10}{'copy-output':>13}{'ratio':>8}"

    def rate(kind: ModelKind, beam: int) -> float:
        torch.manual_seed(0)
        config = ModelConfig(kind, len(data.vocabulary), size.hidden, size.embedding)
        model = build_model(config).to(on)
        # Never content, so that all write as many tokens as they may.
        settings = SearchSettings(beam, longest=LONGEST, enough=10**9, certain=10**9)

        def search() -> None:
            decode(model, data.vocabulary, data.problems, settings)
            wait_for(on)

        return PROBLEMS * (LONGEST + END) / best_seconds(search, 2)

    for beam in BEAMS:
        program, copies = rate("program", beam), rate("copy-output", beam)
        yield f"{beam:>4}{program:>10,.0f}{copies:>13,.0f}{copies / program:>8.1f}"
