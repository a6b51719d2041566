"""Three simple families, a tiny network, and a training in which it learns them."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import torch

from scratchwork import tokenise
from scratchwork.families.generator import Generated, generate
from scratchwork.families.loading import load_families
from scratchwork.files import write_text
from scratchwork.problems.tokens import is_number
from scratchwork.solver.config import TrainingSettings
from scratchwork.solver.examples import generated_example, text_of
from scratchwork.solver.network import SolverConfig, Transformer
from scratchwork.solver.reading import Pieces
from scratchwork.solver.symbols import LONGEST_PLAN
from scratchwork.solver.tables import PlanTable, Tables, save_tables, tables_of
from scratchwork.solver.training import train_solver
from tests.solver.spelling import pieces_of

TRIAL = Path(__file__).parent / "trial.toml"
CPU = torch.device("cpu")
HELD_OUT = 2
"""The seed of problems that the tiny solver has not seen."""


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
    """Their examples."""
    examples = (generated_example(generated, pieces()) for generated in some)
    return tables_of(example for example in examples if example is not None)


def texts_of(some: Iterable[Generated]) -> Tables:
    """Their questions and rationales."""
    examples = (text_of(generated.problem, pieces()) for generated in some)
    return tables_of(example for example in examples if example is not None)


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


def table_folder(folder: Path, count: int = 30, tune: int = 6) -> Path:
    """A folder of tables of each kind, all small."""
    some = made(count + tune, seed=21)
    half = count // 2
    parts = {
        "generated/first": tables(some[: half // 2]),
        "generated/second": tables(some[half // 2 : half]),
        "real/some": half_of_the_plans(tables(some[half:count])),
        "texts/some": texts_of(some[:8]),
        "tune/tune": tables(some[count:]),
    }
    for name, part in parts.items():
        save_tables(folder / f"{name}.npz", part)
    write_text(folder / "pieces.json", json.dumps(pieces().pieces))
    return folder


SETTINGS = TrainingSettings(
    width=64, heads=4, encoder_layers=1, decoder_layers=1, dropout=0.0, steps=60, stop_at=1.0,
    tokens=768, rate=4e-3, warm_up=20, masked=0.15, average=0.95, generated_first=0.8,
    generated_last=0.5, beam=8, vote_beam=8, renumber_every=0.5, measure_every=0.25,
)  # fmt: skip


def train_tiny(folder: Path) -> None:
    """Train a tiny network on the three families."""
    train_solver(table_folder(folder / "tables", count=250, tune=50), folder, SETTINGS)
