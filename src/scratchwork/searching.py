"""One way of searching for every kind of model.

Promises: a `Search` finds programs for problems, and tells what is found so far. `BeamSearch` is
the paper's stack decoder on one of its models; `PlanSearch` (see `planning`) draws plans from the
solver's network. `search_of` gives the one that fits a model folder.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

import torch

from scratchwork.model_folder import SOLVER, damage_told, read_config
from scratchwork.paper.models import SavedModel, load_model
from scratchwork.paper.search_settings import SearchSettings
from scratchwork.paper.stack_decoder import Step, decode_in_steps
from scratchwork.problems.problem import Problem
from scratchwork.solver.saving import load_solver
from scratchwork.solver.search import PlanSearch, PlanSettings
from scratchwork.solver.voting import VoteWeights

_USUAL = SearchSettings()


class Search(Protocol):
    """Finds programs for problems."""

    @property
    def about(self) -> dict[str, Any]:
        """How the model was trained."""
        ...

    @property
    def facts(self) -> dict[str, Any]:
        """What a report should say of the search."""
        ...

    def steps(self, problems: Sequence[Problem]) -> Iterator[Step]:
        """What is found, whenever there is more; each problem's last step is marked."""
        ...

    def with_samples(self, samples: int) -> "Search":
        """The same search with so many programs at a time: the beam, or the plans drawn."""
        ...


class BeamSearch:
    """The paper's stack decoder."""

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

    def steps(self, problems: Sequence[Problem]) -> Iterator[Step]:
        """What is found so far, in no certain order."""
        return decode_in_steps(self.saved.model, self.saved.vocabulary, problems, self.settings)

    def with_samples(self, samples: int) -> "BeamSearch":
        """The same with another beam."""
        return BeamSearch(self.saved, replace(self.settings, beam=samples))


def search_of(folder: Path, device: torch.device) -> Search:
    """The search for a model folder, with its usual settings."""
    if read_config(folder).get("kind") != SOLVER:
        return BeamSearch(load_model(folder, device))
    saved = load_solver(folder, device)
    with damage_told(folder):
        weights = VoteWeights(**saved.about.get("votes", {}))
    return PlanSearch(saved, PlanSettings(weights=weights))
