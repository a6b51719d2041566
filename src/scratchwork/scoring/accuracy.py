"""How many letters are right, where the letters came from, and what guessing would give.

Promises: every problem with a correct letter counts, whether or not it was answered: one without
an answer is wrong. A letter that the fallback supplied, since no program was finished, is told
apart (`forced`) and never hidden among the answers. Beside the accuracy stand the scores of always
answering A and of always giving the letter that is most often correct.

Does not cover: problems without a correct letter, which are passed over and not in `problems`.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from scratchwork.errors import UserError
from scratchwork.induction.choosing import choose
from scratchwork.induction.lattice import induce
from scratchwork.machine.operations import PAPER, OperationSet
from scratchwork.machine.programs import Cell, Instruction, Program, Word
from scratchwork.machine.traces import Trace
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem
from scratchwork.scoring.intervals import Interval, wilson

How = Literal["check", "copy", "literal", "forced", "none"]
"""Where a letter came from: `Check` looked it up; a copy of a token that no `Check` wrote; a word
written out; the fallback, in want of a finished program; or there is none."""

ANSWERED: tuple[How, ...] = ("check", "copy", "literal")
"""The letters that a program gave."""

OPERATION_BINS = ("0", "1", "2", "3", "4", "5+")
CONFIDENCE_LEVELS = (0.5, 0.6, 0.7)


@dataclass(frozen=True, slots=True)
class Answer:
    """The letter given for one problem."""

    answer: str | None
    how: How

    def __post_init__(self) -> None:
        if (self.answer is None) != (self.how == "none"):
            raise ValueError(f"the letter {self.answer} cannot come from {self.how}")


def answer_of(trace: Trace) -> Answer:
    """The letter that an executed program gives."""
    if trace.answer is None:
        return Answer(None, "none")
    letter_position = len(trace.output) - 1  # before <EOS>
    return Answer(trace.answer, how_chosen(trace.program, letter_position))


def how_chosen(program: Program, position: int) -> How:
    """Where the output token at a position, from 1, came from; meant for the letter after `<EOR>`.

    Copies are followed: what `Check` wrote into the rationale and the end repeats was chosen by
    `Check`. A token that is not there, or was computed, is no letter: `none`.
    """
    came_from: dict[Cell, How] = {}
    filled: Counter[str] = Counter()
    for instruction in program:
        filled[instruction.to] += 1
        cell = Cell(instruction.to, filled[instruction.to])
        came_from[cell] = _how_written(instruction, came_from)
    return came_from.get(Cell("y", position), "none")


def _how_written(instruction: Instruction, came_from: Mapping[Cell, How]) -> How:
    match instruction:
        case Instruction("Check"):
            return "check"
        case Instruction("Id", (Word(),)):
            return "literal"
        case Instruction("Id", (Cell() as cell,)):
            return "check" if came_from.get(cell) == "check" else "copy"
        case _:
            return "none"


def operations_in_gold(problem: Problem, operations: OperationSet = PAPER) -> int | None:
    """How many operations induction's default program for the given rationale computes with.

    Conversions, copies and `Check` do not count. None without a rationale.
    """
    if problem.rationale is None:
        return None
    program = choose(induce(normalise(problem), operations))
    return sum(
        not operations[z.operation].converts and not operations[z.operation].reads_options
        for z in program
    )


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the problems."""

    problems: int
    right: int

    @property
    def share(self) -> float | None:
        """The share that is right; None where there are no problems."""
        return self.right / self.problems if self.problems else None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many letters are right, and of which kind they are."""

    problems: int
    right: int
    predicted: Mapping[str, int]
    """How often each letter was given, and `none`."""
    correct: Mapping[str, int]
    """How often each letter is correct."""
    by_how: Mapping[str, Part]
    """Where the letters came from."""
    by_operations: Mapping[str, Part]
    """By the operations in the gold program; problems without a rationale are in no bin."""

    @property
    def share(self) -> float:
        """The share of right letters."""
        return self.right / self.problems

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the share."""
        return wilson(self.right, self.problems)

    @property
    def standard_error(self) -> float:
        """The standard error of the share."""
        return math.sqrt(self.share * (1 - self.share) / self.problems)

    @property
    def always_a(self) -> float:
        """What always answering A would score."""
        return self.correct["A"] / self.problems

    @property
    def most_frequent(self) -> str:
        """The letter that is most often correct; of several, the first."""
        return max(self.correct, key=lambda letter: self.correct[letter])

    @property
    def always_most_frequent(self) -> float:
        """What always giving that letter would score."""
        return self.correct[self.most_frequent] / self.problems

    @property
    def answered(self) -> Part:
        """The problems whose letter a program gave."""
        parts = [self.by_how[how] for how in ANSWERED]
        return Part(sum(part.problems for part in parts), sum(part.right for part in parts))

    def to_json(self) -> dict[str, Any]:
        """The figures as an object of stable form; shares are from 0 to 1."""
        return {
            "problems": self.problems,
            "right": self.right,
            "share": round(self.share, 4),
            "interval": [round(end, 4) for end in self.interval],
            "standard_error": round(self.standard_error, 4),
            "always_a": round(self.always_a, 4),
            "most_frequent": self.most_frequent,
            "always_most_frequent": round(self.always_most_frequent, 4),
            "answered": asdict(self.answered),
            "predicted": dict(self.predicted),
            "correct": dict(self.correct),
            "by_how": {how: asdict(part) for how, part in self.by_how.items()},
            "by_operations": {name: asdict(part) for name, part in self.by_operations.items()},
        }


def accuracy_from_json(form: Mapping[str, Any]) -> Accuracy:
    """The figures from their JSON form; those that follow from counts are counted again."""
    return Accuracy(
        problems=form["problems"],
        right=form["right"],
        predicted=form["predicted"],
        correct=form["correct"],
        by_how={how: Part(**part) for how, part in form["by_how"].items()},
        by_operations={name: Part(**part) for name, part in form["by_operations"].items()},
    )


def measure_accuracy(
    problems: Sequence[Problem], answers: Sequence[Answer], operations: OperationSet = PAPER
) -> Accuracy:
    """The accuracy of the answers, one for each problem and in the same order.

    Operations are those that the gold programs may use.
    """
    pairs = [
        (problem, answer)
        for problem, answer in zip(problems, answers, strict=True)
        if problem.correct is not None
    ]
    if not pairs:
        raise UserError("none of the problems has a correct letter that answers could be held to")
    rights = [answer.answer == problem.correct for problem, answer in pairs]
    predicted = Counter(answer.answer or "none" for _, answer in pairs)
    correct = Counter(problem.correct for problem, _ in pairs)
    letters = sorted({*"".join(problem.letters for problem, _ in pairs), *predicted} - {"none"})
    bins = [_bin(operations_in_gold(problem, operations)) for problem, _ in pairs]
    return Accuracy(
        problems=len(pairs),
        right=sum(rights),
        predicted={letter: predicted[letter] for letter in (*letters, "none")},
        correct={letter: correct[letter] for letter in letters},
        by_how=_parts(get_args(How), [answer.how for _, answer in pairs], rights),
        by_operations=_parts(OPERATION_BINS, bins, rights),
    )


def right_of_the_confident(
    problems: Sequence[Problem], answers: Sequence[tuple[str | None, float]]
) -> dict[str, Part]:
    """Of the answers with at least so much confidence, how many there are and how many are right,
    by level; an answer is a letter and its confidence."""
    pairs = [
        (confidence, letter == problem.correct)
        for problem, (letter, confidence) in zip(problems, answers, strict=True)
        if problem.correct is not None
    ]
    sure = {level: [right for p, right in pairs if p >= level] for level in CONFIDENCE_LEVELS}
    return {str(level): Part(len(rights), sum(rights)) for level, rights in sure.items()}


def _bin(operations: int | None) -> str | None:
    if operations is None:
        return None
    return OPERATION_BINS[min(operations, len(OPERATION_BINS) - 1)]


def _parts(
    names: Sequence[str], named: Sequence[str | None], rights: Sequence[bool]
) -> dict[str, Part]:
    """The problems of each name, and how many of them are right."""
    problems = Counter(named)
    right = Counter(name for name, is_right in zip(named, rights, strict=True) if is_right)
    return {name: Part(problems[name], right[name]) for name in names}
