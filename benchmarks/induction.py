"""Inducing lattices, choosing programs and auditing, beside trying every derivation."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from benchmarks.timing import best_seconds
from scratchwork import EXTENDED, PAPER, OperationSet, Problem
from scratchwork.auditing.audit import audit
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.induction.choosing import choose
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.finding import DerivationFinder
from scratchwork.induction.lattice import induce
from tests.induction.exhaustive import all_derivations

PROBLEMS = 60
LENGTHS = (100, 1_000, 10_000)
SMALL_CASES = (([52.0, 4.0], 1326.0), ([48.0, 17.5], 65.5), ([36.0, 250.0, 8.0], 90.0))
"""Numbers of a problem beside the constants, and a number to derive from them."""


def measure() -> Iterator[str]:
    """Lattices, programs and audits a second, and what looking up saves over trying."""
    problems = [generated.problem for generated in generate(load_families(), PROBLEMS, 1)]
    for operations in (PAPER, EXTENDED):
        yield _rates(problems, operations)
    seconds = best_seconds(lambda: [audit(problem) for problem in problems], 2)
    yield f"audits: {PROBLEMS / seconds:,.0f} a second"
    for operations in (PAPER, EXTENDED):
        yield _beside_the_reference(operations)
    yield _growth("inducing", lambda problem: induce(problem, EXTENDED))
    yield _growth("auditing", audit)


def _growth(what: str, work: Callable[[Problem], object]) -> str:
    """What 100, 1,000 and 10,000 tokens take, of which a fiftieth are numbers of a few kinds."""
    seconds = [best_seconds(lambda problem=text: work(problem), 3) for text in map(_text, LENGTHS)]
    ratios = ", ".join(f"{b / a:.1f}" for a, b in pairwise(seconds))
    return f"{what} {', '.join(f'{n:,}' for n in LENGTHS)} tokens: each {ratios} times the last"


def _text(tokens: int) -> Problem:
    words = "so the shop has sold all that it had on the day before , and then".split()
    rationale = [str(k % 500 // 50 + 3) if k % 50 == 0 else words[k % 15] for k in range(tokens)]
    return Problem("How many of 12 pens are left ?", rationale=" ".join(rationale[:-20]))


def _rates(problems: list[Problem], operations: OperationSet) -> str:
    lattices = [induce(problem, operations) for problem in problems]
    tokens = sum(len(lattice.output) for lattice in lattices)
    inducing = best_seconds(lambda: [induce(problem, operations) for problem in problems], 3)
    choosing = best_seconds(lambda: [choose(lattice) for lattice in lattices], 2)
    return (
        f"{operations.name}: {PROBLEMS / inducing:,.0f} lattices a second on one core "
        f"({tokens / inducing:,.0f} tokens); {PROBLEMS / choosing:,.0f} programs chosen a second"
    )


def _beside_the_reference(operations: OperationSet) -> str:
    ours = best_seconds(lambda: [_looked_up(*case, operations) for case in SMALL_CASES], 3)
    theirs = best_seconds(lambda: [_tried(*case, operations) for case in SMALL_CASES], 1)
    count = sum(len(_looked_up(*case, operations)) for case in SMALL_CASES)
    return (
        f"{operations.name}, {len(SMALL_CASES)} small cases: {count:,} derivations listed in "
        f"{ours * 1e3:,.1f} ms; by trying everything {theirs * 1e3:,.0f} ms; "
        f"ratio {theirs / ours:,.0f}"
    )


def _looked_up(leaves: list[float], target: float, operations: OperationSet) -> set[Derivation]:
    derivations = DerivationFinder(operations)
    for leaf in leaves:
        derivations.add(leaf)
    singles = (derivations.single(code, target) for code in derivations.one_step(target))
    found = {step for step in singles if step is not None}
    for two in derivations.two_steps(target):
        found.update(derivations.expand(two, target))
    return found


def _tried(leaves: list[float], target: float, operations: OperationSet) -> set[Derivation]:
    available = list(dict.fromkeys((*DerivationFinder(operations).leaves, *leaves)))
    return all_derivations(target, available, operations, 2)
