"""The search for solutions with the paper's models: the stack decoder.

Promises: `PaperSearch` solves with the stack decoder, and tells how probable its model finds given
rationales.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from scratchwork.paper.models import SavedModel, load_model
from scratchwork.paper.search_settings import SearchSettings
from scratchwork.paper.stack_decoder import decode_in_steps
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnProgress, silent
from scratchwork.solution import Likelihood, Progress

_USUAL = SearchSettings()


class PaperSearch:
    """The paper's stack decoder on one of its models."""

    at_once = 32

    def __init__(self, saved: SavedModel, settings: SearchSettings = _USUAL) -> None:
        self.saved, self.settings = saved, settings
        self.about = saved.about

    @property
    def facts(self) -> dict[str, Any]:
        """The width of the beam, and what else is not as usual; the size of groups changes
        nothing."""
        usual = asdict(_USUAL)
        settings = asdict(self.settings)
        changed = {name: value for name, value in settings.items() if value != usual[name]}
        changed.pop("most_numbers", None)
        return {"beam": self.settings.beam} | changed

    def with_beam(self, beam: int) -> "PaperSearch":
        """The same with another beam."""
        return PaperSearch(self.saved, replace(self.settings, beam=beam))

    def with_style(self, style: str) -> "PaperSearch":
        """The same: these models write their rationales themselves."""
        return self

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        """What is found so far, in no certain order."""
        return decode_in_steps(self.saved.model, self.saved.vocabulary, problems, self.settings)

    def likelihoods(
        self,
        problems: Sequence[Problem],
        rivals: int = 0,
        seed: int = 0,
        workers: int | None = 1,
        on_progress: OnProgress = silent,
    ) -> dict[str, Likelihood]:
        """Of all given rationales; the greedy program for each and `rivals` random ones compete."""
        from scratchwork.paper.corpus import build_tables
        from scratchwork.paper.forced import force

        model, count = self.saved.model, len(problems)
        tables = build_tables(
            problems,
            self.saved.vocabulary,
            workers,
            lambda done: on_progress("finding paths", done, count),
        )
        found = force(
            model,
            tables,
            next(model.parameters()).device,
            rivals,
            seed,
            on_progress=lambda done: on_progress("forcing", done, count),
        )
        return {
            problem.id: Likelihood(one.tokens, one.log_probability, one.unknown)
            for problem, one in zip(problems, found, strict=True)
        }


def load_paper_search(folder: Path, device: torch.device) -> PaperSearch:
    """The search for a model folder, with the usual settings."""
    return PaperSearch(load_model(folder, device))
