"""Three simple families, a tiny network, and the course in which it learns them."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from scratchwork import tokenise
from scratchwork.families.generator import Generated, generate
from scratchwork.families.loading import load_families
from scratchwork.problems.tokens import is_number
from scratchwork.solver.course import Course, CourseSettings
from scratchwork.solver.examples import generated_lesson, text_of
from scratchwork.solver.network import SolverConfig, Transformer
from scratchwork.solver.reading import Pieces
from scratchwork.solver.saving import save_solver
from scratchwork.solver.studying import Study, StudySettings
from scratchwork.solver.symbols import LONGEST_PLAN
from scratchwork.solver.tables import PlanTable, ProblemTable, save_lessons, tables_of
from tests.solver.spelling import pieces_of

TRIAL = Path(__file__).parent / "trial.toml"
CPU = torch.device("cpu")
HELD_OUT = 2
"""The seed of problems that the tiny solver has not seen."""

Tables = tuple[ProblemTable, PlanTable]


@cache
def made(count: int, seed: int) -> tuple[Generated, ...]:
    """Problems of the three families."""
    return tuple(generate(load_families(TRIAL), count, seed))


@cache
def pieces() -> Pieces:
    """What their words are made of."""
    problems = [generated.problem for generated in made(300, seed=1)]
    texts = (text for p in problems for text in (p.question, *p.options, p.rationale or ""))
    words = (word.lower() for text in texts for word in tokenise(text) if not is_number(word))
    return pieces_of(words)


def tables(some: Iterable[Generated]) -> Tables:
    """Their lessons."""
    lessons = (generated_lesson(generated, pieces()) for generated in some)
    return tables_of(lesson for lesson in lessons if lesson is not None)


def texts_of(some: Iterable[Generated]) -> Tables:
    """Their questions and rationales."""
    lessons = (text_of(generated.problem, pieces()) for generated in some)
    return tables_of(lesson for lesson in lessons if lesson is not None)


def tiny_network(seed: int = 0) -> Transformer:
    """A network that knows nothing yet."""
    torch.manual_seed(seed)
    return Transformer(
        SolverConfig(
            len(pieces()), width=64, heads=4, encoder_layers=1, decoder_layers=1, dropout=0.0
        )
    )


def half_of_the_plans(given: Tables) -> Tables:
    """The tables with every second plan; the other problems have none."""
    problems, plans = given
    return problems, PlanTable(plans.problems[::2], plans.choices[::2], plans.reached[::2])


def without_rationales(given: Tables) -> Tables:
    """The tables without the plans that a rationale follows, which are long."""
    problems, plans = given
    short = (plans.choices >= 0).sum(1) <= LONGEST_PLAN
    kept = (plans.problems[short], plans.choices[short, :LONGEST_PLAN], plans.reached[short])
    return problems, PlanTable(*kept)


def train_tiny(folder: Path) -> None:
    """Let a tiny network take the course, and keep it with what was told of the course."""
    some = made(300, seed=1)
    (folder / "shards").mkdir(parents=True)
    save_lessons(folder / "shards" / "first.npz", *tables(some[:150]))
    told: list[dict[str, Any]] = []
    network = tiny_network()
    study = Study(
        network, StudySettings(tokens=768, rate=4e-3, warm_up=20, forgetting=0.15, average=0.95)
    )
    settings = CourseSettings(
        steps=60, until=1.0, generated_first=0.8, generated_last=0.5,
        beam=8, renumber_every=0.5, measure_every=0.25,
    )  # fmt: skip
    real, tune = half_of_the_plans(tables(some[150:250])), tables(some[250:])
    texts = texts_of(some[:50])
    course = Course(study, settings, real, texts, {"tune": tune}, folder / "shards", told.append)

    def save() -> None:
        weights = study.averaged_weights()
        save_solver(network.config, weights, pieces(), folder, {"training": {"steps": 60}})

    course.run(save)
    (folder / "log.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in told))
