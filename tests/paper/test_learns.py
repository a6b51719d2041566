from pathlib import Path

from scratchwork import Problem, Trace, generate, load_families
from scratchwork.machine.programs import Cell
from scratchwork.paper.config import preset
from scratchwork.paper.corpus import build_tables, corpus_of
from scratchwork.paper.models import load_model
from scratchwork.paper.search_settings import SearchSettings
from scratchwork.paper.stack_decoder import decode
from scratchwork.paper.training import Training
from scratchwork.paper.vocabulary import build_vocabulary
from scratchwork.scoring.accuracy import answer_of, measure_accuracy

FAMILIES = {
    "area-square-from-perimeter",
    "discount-flat-coupon",
    "lin-one-step-more",
    "speed-opposite-directions",
    "wavg-count-from-total",
    "work-pages-simple",
}
"""Two operations each, on numbers that different wordings put in different orders."""
ARITHMETIC = {"Add", "Subtract", "Multiply", "Divide"}


def made(count: int, seed: int) -> list[Problem]:
    families = [family for family in load_families() if family.name in FAMILIES]
    return [one.problem for one in generate(families, count, seed, style="spelled")]


def is_computed(trace: Trace) -> bool:
    """Whether the letter was looked up by `Check` with what an operation gave."""
    instructions = {step.place: step.instruction for step in trace.steps}
    used: set[str] = set()
    waiting = [Cell("y", len(trace.output) - 1)]
    while waiting:
        instruction = instructions.get(waiting.pop())
        if instruction is not None:
            used.add(instruction.operation)
            waiting += [cell for cell in instruction.arguments if isinstance(cell, Cell)]
    return "Check" in used and not used.isdisjoint(ARITHMETIC)


def test_the_tiny_preset_learns_to_compute_the_answers_of_problems_it_has_not_seen(
    tmp_path: Path,
) -> None:
    learnt, unseen = made(500, seed=1), made(40, seed=2)
    assert not {problem.question for problem in learnt} & {problem.question for problem in unseen}
    vocabulary = build_vocabulary(learnt)
    corpus = corpus_of(build_tables(learnt, vocabulary))
    assert Training(preset("tiny"), vocabulary, corpus, tmp_path).run()
    saved = load_model(tmp_path)
    found = decode(saved.model, saved.vocabulary, unseen, SearchSettings(beam=5, longest=80))
    traces = [solution.trace for solution in found]
    measured = measure_accuracy(unseen, [answer_of(trace) for trace in traces])
    assert measured.always_most_frequent < 0.4
    assert measured.share > 0.8
    assert sum(is_computed(trace) for trace in traces) > 0.8 * len(unseen)
