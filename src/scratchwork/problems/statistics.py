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
from collections.abc import Iterable
from dataclasses import dataclass, field
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
        all_tokens = self.occurrences.total()
        numeric_tokens = sum(self.occurrences[token] for token in numeric)
        return {
            "numeric": self._measure(numeric_tokens, len(numeric)),
            "non_numeric": self._measure(
                all_tokens - numeric_tokens, len(self.occurrences) - len(numeric)
            ),
            "all": self._measure(all_tokens, len(self.occurrences)),
        }

    def _measure(self, tokens: int, vocabulary: int) -> Measure:
        return Measure(tokens / self.texts if self.texts else 0.0, vocabulary)


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
            "question": _side_as_json(self.question),
            "rationale": _side_as_json(self.rationale),
        }


def _side_as_json(side: TokenCounts) -> dict[str, Any]:
    cells = {
        kind: {"average_length": measure.average_length, "vocabulary": measure.vocabulary}
        for kind, measure in side.measures().items()
    }
    return {"texts": side.texts, **cells}


def statistics_of(problems: Iterable[Problem]) -> Statistics:
    """The statistics of the problems."""
    statistics = Statistics()
    for problem in problems:
        statistics.add(problem)
    return statistics
