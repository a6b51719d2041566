"""What a set of problems looks like in numbers: the paper's table 1 and its figure of lengths.

Promises: one pass over the problems, whose texts are not kept. The question side is the question
plus its options: the source tokens without the `<O>` tags and the option labels. A vocabulary
counts distinct tokens as they are written (`The` and `the` are two); a line break is a token, as
everywhere in this package. Averages of the rationale are over the problems that have one.

Memory: the vocabularies and a count per length.
Does not cover: the tokeniser of the paper, which was never published, nor all its rows: neither
averages nor vocabulary sizes are to be compared with the paper's to the digit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number, tokenise


@dataclass(frozen=True, slots=True)
class Measure:
    """One cell pair of the table: how many tokens a text has on average, and how many differ."""

    average_length: float
    vocabulary: int


@dataclass(slots=True)
class TokenCounts:
    """How often each token occurs on one side of the problems, question or rationale."""

    texts: int = 0
    occurrences: Counter[str] = field(default_factory=Counter[str])

    def add(self, tokens: Iterable[str]) -> None:
        """Count the tokens of one more text."""
        self.texts += 1
        self.occurrences.update(tokens)

    def merge(self, other: "TokenCounts") -> None:
        """Count the texts of another set as well."""
        self.texts += other.texts
        self.occurrences.update(other.occurrences)

    def measures(self) -> dict[str, Measure]:
        """The measures of the numeric, the non-numeric and all tokens, in this order."""
        numeric = {token for token in self.occurrences if is_number(token)}
        kinds = {"numeric": numeric, "non_numeric": self.occurrences.keys() - numeric}
        kinds["all"] = set(self.occurrences)
        return {
            kind: Measure(
                sum(self.occurrences[token] for token in tokens) / max(self.texts, 1), len(tokens)
            )
            for kind, tokens in kinds.items()
        }

    def as_json(self) -> dict[str, Any]:
        """The measures as an object of stable form."""
        cells = {kind: asdict(measure) for kind, measure in self.measures().items()}
        return {"texts": self.texts, **cells}


@dataclass(slots=True)
class Statistics:
    """The counts of a set of problems."""

    question: TokenCounts = field(default_factory=TokenCounts)
    """The questions with their options."""
    rationale: TokenCounts = field(default_factory=TokenCounts)
    lengths: Counter[int] = field(default_factory=Counter[int])
    """How many problems have this many tokens in question, options and rationale together."""

    @property
    def examples(self) -> int:
        """How many problems there are."""
        return self.question.texts

    def add(self, problem: Problem) -> None:
        """Count one more problem."""
        question = tokenise(problem.question)
        for option in problem.options:
            question += tokenise(option)
        self.question.add(question)
        length = len(question)
        if problem.rationale is not None:
            rationale = tokenise(problem.rationale)
            self.rationale.add(rationale)
            length += len(rationale)
        self.lengths[length] += 1

    def merge(self, other: "Statistics") -> None:
        """Count the problems of another set as well."""
        self.question.merge(other.question)
        self.rationale.merge(other.rationale)
        self.lengths.update(other.lengths)

    def as_json(self) -> dict[str, Any]:
        """The table as an object of stable form."""
        return {
            "examples": self.examples,
            "question": self.question.as_json(),
            "rationale": self.rationale.as_json(),
        }

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """The table as texts: what is measured, of the questions, of the rationales."""
        yield "examples", f"{self.examples:,}", f"{self.rationale.texts:,}"
        rationale = self.rationale.measures()
        for kind, question in self.question.measures().items():
            name, beside = kind.replace("_", "-"), rationale[kind]
            lengths = f"{question.average_length:.1f}", f"{beside.average_length:.1f}"
            yield f"{name}: average length", *lengths
            yield f"{name}: vocabulary", f"{question.vocabulary:,}", f"{beside.vocabulary:,}"


def statistics_of(problems: Iterable[Problem]) -> Statistics:
    """The statistics of the problems."""
    statistics = Statistics()
    for problem in problems:
        statistics.add(problem)
    return statistics
