"""Solving problems with a trained model: the one door to every kind of model.

Promises: `load` gives a `Solver` for a model folder, or for the name of a model that comes with
this package, or for the default one of these; `Solver.solve` gives a `Solution`. A `Search` is what
each kind of model brings: nothing of the other kind is loaded. With the solver, a question that is
itself mathematics never reaches the network, and one without anything to compute gets a sentence
instead of an answer; the paper's models are left as they are. The same model, problem and beam give
the same solution. `solve_rows` solves many problems on many processes, and gives the same rows
whoever does the work and however often the run was stopped.

Does not cover: whether a solution is right.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from scratchwork.errors import UserError
from scratchwork.exact.answering import solution_without_model
from scratchwork.explaining.styles import Style
from scratchwork.files import RowFile
from scratchwork.model_folder import SOLVER, model_folder, read_config
from scratchwork.parallel import Workers, blocks
from scratchwork.problems.bounds import BOUNDS
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnProgress, silent
from scratchwork.problems.typed import typed_problem
from scratchwork.solution import Likelihood, Progress, Solution, SolutionRow

_Row = TypeVar("_Row", bound=SolutionRow)


class Search(Protocol):
    """Finds solutions with one model; may be used by several threads at once."""

    @property
    def at_once(self) -> int:
        """How many problems are best solved together; it changes the speed only."""
        ...

    @property
    def about(self) -> Mapping[str, Any]:
        """How the model was trained."""
        ...

    @property
    def facts(self) -> dict[str, Any]:
        """The settings that a solution depends on."""
        ...

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        """What is found, whenever there is more; each problem's last step is marked."""
        ...

    def with_beam(self, beam: int) -> "Search":
        """The same with another number of programs that are considered at a time."""
        ...

    def with_style(self, style: Style) -> "Search":
        """The same with derivations in another style, where the model does not word them itself."""
        ...

    def likelihoods(
        self,
        problems: Sequence[Problem],
        rivals: int = 0,
        seed: int = 0,
        workers: int | None = 1,
        on_progress: OnProgress = silent,
    ) -> dict[str, Likelihood]:
        """Of those given rationales that the model can be made to write, by the problems' ids.

        With `rivals`, so many random programs compete for each rationale.
        """
        ...


class Solver:
    """A model that solves problems. One solver may be used by several threads at once."""

    def __init__(self, search: Search) -> None:
        self.search = search

    def solve(
        self,
        question: str,
        options: Sequence[str] = (),
        beam: int | None = None,
        style: Style | None = None,
    ) -> Solution:
        """Solve a problem; without options there is a rationale, but no letter.

        Options may also stand in the question, as a list at its end.
        `beam` is how many programs are considered at a time. More take longer.
        `style` is `sentences`, which is usual, or `terse`: how the derivation is worded.
        """
        problem = _typed_within_bounds(question, options)
        (solution,) = self.solve_all([problem], beam, style)
        return solution

    def solve_all(
        self, problems: Sequence[Problem], beam: int | None = None, style: Style | None = None
    ) -> list[Solution]:
        """Solve many problems, which is faster than one after the other."""
        search = self.search if beam is None else self.search.with_beam(beam)
        return _solutions(search if style is None else search.with_style(style), problems)


def solve_without_model(
    question: str, options: Sequence[str] = (), style: Style = "sentences"
) -> Solution | None:
    """The exact solution of what is itself mathematics, or that of a question with nothing to
    compute; None where it takes a model. No model is loaded."""
    return solution_without_model(_typed_within_bounds(question, options), style)


def _typed_within_bounds(question: str, options: Sequence[str]) -> Problem:
    problem = typed_problem(question, options)
    BOUNDS.check(problem)
    return problem


def load(folder_or_name: str | Path | None = None, device: str = "auto") -> Solver:
    """The solver of a model folder, or of a model that comes with this package.

    The device is `cpu`, `cuda`, or `auto`: a GPU if there is one.
    """
    return Solver(search_of(model_folder(folder_or_name), device))


def search_of(
    folder: Path, device: str, beam: int | None = None, style: Style | None = None
) -> Search:
    """The search for a model folder; with its usual beam and style, if not said."""
    from scratchwork.devices import chosen_device

    if read_config(folder).get("kind") == SOLVER:
        from scratchwork.solver.search import load_plan_search

        search = ExactFirst(load_plan_search(folder, chosen_device(device)))
    else:
        from scratchwork.paper.search import load_paper_search

        search = load_paper_search(folder, chosen_device(device))
    search = search if beam is None else search.with_beam(beam)
    return search if style is None else search.with_style(style)


class ExactFirst:
    """Answers exactly what is itself mathematics, and leaves all else to a model's search."""

    def __init__(self, search: Search, style: Style = "sentences") -> None:
        self.search = search
        self.style: Style = style
        self.about, self.likelihoods = search.about, search.likelihoods

    @property
    def at_once(self) -> int:
        """As many as the search takes."""
        return self.search.at_once

    @property
    def facts(self) -> dict[str, Any]:
        """Those of the search."""
        return {**self.search.facts, "exact_first": True}

    def with_beam(self, beam: int) -> "ExactFirst":
        """The same with another number of programs."""
        return ExactFirst(self.search.with_beam(beam), self.style)

    def with_style(self, style: Style) -> "ExactFirst":
        """The same with derivations in another style."""
        return ExactFirst(self.search.with_style(style), style)

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        """First the problems that take no search, then those that do."""
        left: list[int] = []
        for place, problem in enumerate(problems):
            solution = solution_without_model(problem, self.style)
            if solution is None:
                left.append(place)
            else:
                yield Progress(place, solution, True)
        for step in self.search.steps([problems[place] for place in left]):
            yield step._replace(place=left[step.place])


def _solutions(search: Search, problems: Sequence[Problem]) -> list[Solution]:
    found = {step.place: step.solution for step in search.steps(problems) if step.is_last}
    return [found[k] for k in range(len(problems))]


def solve_rows(
    search: Search,
    problems: Sequence[Problem],
    row_of: Callable[[Problem, Solution], _Row],
    workers: Workers,
    kept: RowFile[_Row] | None = None,
    on_progress: OnProgress = silent,
) -> list[_Row]:
    """A row for each problem, in their order.

    Those that a file holds are taken from there, and new ones are added to it in this order.
    """
    rows = {} if kept is None else dict(kept.rows)
    # The whole file is cut into blocks: what is solved together must not depend on what is left.
    left = [b for b in blocks(problems, search.at_once) if any(p.id not in rows for p in b)]
    for made in workers.map_with(partial(_block_solver, search, row_of), left):
        for row in made:
            if row.id not in rows:
                rows[row.id] = row
                if kept is not None:
                    kept.append(row)
        on_progress("solving", len(rows), len(problems))
    return [rows[problem.id] for problem in problems]


def _block_solver(
    search: Search, row_of: Callable[[Problem, Solution], _Row]
) -> Callable[[list[Problem]], list[_Row]]:
    import torch

    # With other numbers of threads sums are rounded otherwise.
    torch.set_num_threads(1)

    def solved(block: list[Problem]) -> list[_Row]:
        pairs = zip(block, _solutions(search, block), strict=True)
        return [row_of(problem, solution) for problem, solution in pairs]

    return solved


def workers_for(device: str, count: int | None, ray: str | None) -> Workers:
    """Who solves: one process for each processor, but one alone has the GPU, if not said."""
    from scratchwork.devices import chosen_device

    if chosen_device(device).type == "cuda":
        if ray is not None:
            raise UserError("--ray works on processors: give --device cpu as well")
        count = count or 1
    return Workers(count, ray)
