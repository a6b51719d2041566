"""The values of the problems being decoded, and the execution that makes new ones.

Promises: `ValueTables` gives each value of a problem an id: first the words of the vocabulary, with
their own ids, then the strings and numbers of the source and of execution. Tables on the device
hold, by id, how a model reads a value and which rules of the grammar it meets. Instructions are
executed by the machine's own operations, once for the same arguments; one that cannot be applied
gives `NOTHING`.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from scratchwork.machine.execution import LONGEST_WORD
from scratchwork.machine.operations import OperationError, Value
from scratchwork.machine.options import OptionIndex
from scratchwork.paper.grammar import RULE_COUNT, ArgumentRule, meets
from scratchwork.paper.paths import features
from scratchwork.paper.tensors import CHECK, DECLARED, IDENTITY, NOTHING, ValueTensors
from scratchwork.paper.vocabulary import SPECIALS, UNKNOWN_ID, Vocabulary
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import END_OF_RATIONALE, END_OF_SEQUENCE, tokenise

_VALUE_BITS, _OPERATION_BITS, _PROBLEM_BITS = 24, 5, 10
"""An instruction is cached under one integer: problem, operation, argument, argument."""
LARGEST_GROUP = 1 << _PROBLEM_BITS
"""The most problems that can be decoded together."""
_FIRST_ROOM = 256
"""The initial room for values that are not words."""

_ONE_ARGUMENT = [
    (k, operation)
    for k, operation in enumerate(DECLARED)
    if k not in (IDENTITY, CHECK) and len(operation.takes) == 1
]


class KnownWords:
    """The rules that each word of a vocabulary meets in every problem."""

    def __init__(self, vocabulary: Vocabulary, may_be_unknown: bool) -> None:
        self.vocabulary = vocabulary
        self.bits = [
            _bits_of_string(word) if len(word) <= LONGEST_WORD else 0 for word in vocabulary.words
        ]
        if may_be_unknown:
            self.bits[UNKNOWN_ID] = 1 << ArgumentRule.IS_WRITABLE
        self._by_plain: dict[str, list[int]] = {}
        for k, word in enumerate(vocabulary.words):
            self._by_plain.setdefault(_plain(word), []).append(k)

    def equal_to(self, tokens: Iterable[str]) -> list[int]:
        """The words that equal one of the tokens, thousands separators apart."""
        return sorted({k for token in tokens for k in self._by_plain.get(_plain(token), ())})


def _plain(token: str) -> str:
    return token.replace(",", "")


def _bits_of_string(text: str) -> int:
    """The rules that a string meets in every problem."""
    if text in SPECIALS:
        return 0
    if text == END_OF_SEQUENCE:
        return 1 << ArgumentRule.IS_END
    if text == END_OF_RATIONALE:
        return 1 << ArgumentRule.IS_END_OF_RATIONALE | 1 << ArgumentRule.IS_WRITABLE
    return 1 << ArgumentRule.IS_WRITABLE | 1 << ArgumentRule.IS_KEPT | _applicable(text)


def _applicable(value: Value) -> int:
    """A bit for each applicable operation of one argument, other than `Id` and `Check`."""
    bits = 0
    type_ = "string" if isinstance(value, str) else "number"
    for k, operation in _ONE_ARGUMENT:
        if operation.takes[0] == type_:
            try:
                operation.function(value)
            except OperationError:
                continue
            bits |= 1 << k
    return bits


class ValueTables:
    """The values of some problems."""

    def __init__(
        self, known: KnownWords, problems: Sequence[Problem], device: torch.device
    ) -> None:
        if len(problems) > LARGEST_GROUP:
            raise ValueError(f"{len(problems)} problems at once, more than {LARGEST_GROUP}")
        self._vocabulary, self._device = known.vocabulary, device
        self.words = len(known.vocabulary)
        self._options = [OptionIndex(problem.options) for problem in problems]
        self._letters = [frozenset(problem.letters) for problem in problems]
        self._extras: list[list[Value]] = [[] for _ in problems]
        self._ids: list[dict[Value, int]] = [{} for _ in problems]
        self._new: list[tuple[int, Value]] = []
        self._results: dict[int, int] = {}
        shape = (len(problems), self.words + _FIRST_ROOM)
        self.bits = torch.zeros(shape, dtype=torch.int32, device=device)
        """(problem, value): a bit for each rule that it meets."""
        reading = torch.zeros(shape, dtype=torch.int64, device=device)
        is_number = torch.zeros(shape, dtype=torch.bool, device=device)
        numbers = torch.zeros(shape, device=device)
        self._features = ValueTensors(reading, torch.zeros_like(reading), is_number, numbers)
        self._enter_words(known, problems)
        rules = torch.arange(RULE_COUNT, dtype=torch.int32, device=device).unsqueeze(-1)
        self.word_allowed = meets(self.bits[:, None, : self.words], rules)
        """Which words meet each rule: (problem, rule, word)."""
        self.met_by_words = self.word_allowed.any(2)

    def _enter_words(self, known: KnownWords, problems: Sequence[Problem]) -> None:
        self._features.words[:, : self.words] = torch.arange(self.words, device=self._device)
        bits = np.tile(np.array(known.bits, np.int32), (len(problems), 1))
        for p, problem in enumerate(problems):
            # `Check` applies to nothing else.
            tokens = [token for option in problem.options for token in tokenise(option)]
            for k in known.equal_to([*tokens, *problem.letters]):
                bits[p, k] |= self._bits_by_options(p, known.vocabulary.words[k])
        self.bits[:, : self.words] = torch.tensor(bits, device=self._device)

    def _bits_by_options(self, problem: int, text: str) -> int:
        """The rules that a string meets because of the problem's options."""
        bits = 1 << ArgumentRule.IS_LETTER if text in self._letters[problem] else 0
        try:
            self._options[problem].check(text)
        except OperationError:
            return bits
        return bits | 1 << CHECK

    def value(self, problem: int, number: int) -> Value:
        """The value with this id."""
        if number < self.words:
            return self._vocabulary.words[number]
        return self._extras[problem][number - self.words]

    def sources(self, sources: Sequence[Sequence[str]]) -> Tensor:
        """The values of the source of each problem, after the origin tag: (problem, place)."""
        rows = [[self._number(p, token) for token in tokens] for p, tokens in enumerate(sources)]
        size = max(map(len, rows))
        padded = [[NOTHING, *row, *[NOTHING] * (size - len(row))] for row in rows]
        self._publish()
        return torch.tensor(padded, device=self._device)

    def _number(self, problem: int, value: Value) -> int:
        """The id of a value, new if need be."""
        if isinstance(value, str) and (word := self._vocabulary.writing(value)):
            return word
        known = self._ids[problem].get(value)
        if known is None:
            extras = self._extras[problem]
            known = self._ids[problem][value] = self.words + len(extras)
            extras.append(value)
            self._new.append((problem, value))
        return known

    def _publish(self) -> None:
        """Enter the new values into the tables on the device."""
        if not self._new:
            return
        needed = self.words + max(map(len, self._extras))
        if needed > self.bits.shape[1]:
            room = 2 * needed - self.words - self.bits.shape[1]
            self.bits = functional.pad(self.bits, (0, room))
            self._features = self._features.each(lambda table: functional.pad(table, (0, room)))
        known = features([value for _, value in self._new], self._vocabulary)
        bits = [self._bits(p, value) for p, value in self._new]
        at = [(p, self._ids[p][value]) for p, value in self._new]
        p, k = torch.tensor(at, device=self._device).unbind(1)
        self.bits[p, k] = torch.tensor(bits, dtype=torch.int32, device=self._device)
        self._features.words[p, k] = torch.tensor(known.words, device=self._device).long()
        self._features.is_number[p, k] = torch.tensor(known.is_number, device=self._device)
        self._features.numbers[p, k] = torch.tensor(known.numbers, device=self._device)
        self._new.clear()

    def _bits(self, problem: int, value: Value) -> int:
        if isinstance(value, str):
            always = _bits_of_string(value)
            return always | self._bits_by_options(problem, value) if always else 0
        return 1 << ArgumentRule.IS_NUMBER | 1 << ArgumentRule.IS_KEPT | _applicable(value)

    def described(self, problems: Tensor, values: Tensor) -> ValueTensors:
        """The features of values, (problem, place), as a model reads them."""
        return self._features.each(lambda table: table[problems.unsqueeze(1), values])

    def rules_met(self, problems: Tensor, values: Tensor) -> Tensor:
        """The bits of values, (problem, ...); 0 for `NOTHING`."""
        index = problems.reshape(-1, *(1,) * (values.dim() - 1))
        bits = self.bits[index, values.clamp_min(0)]
        return bits.masked_fill(values < 0, 0)

    def execute(
        self, problems: Tensor, operations: Tensor, first: Tensor, second: Tensor, there: Tensor
    ) -> Tensor:
        """The results of instructions, (problem, instruction); `NOTHING` where one is missing or
        cannot be applied."""
        results = torch.where(there, first, NOTHING)
        computed = there & (operations != IDENTITY)
        keys = problems.unsqueeze(1) << _OPERATION_BITS | operations
        keys = (keys << _VALUE_BITS | first) << _VALUE_BITS | second.clamp_min(0)
        distinct, which = np.unique(keys[computed].cpu().numpy(), return_inverse=True)
        if len(distinct):
            found = np.array([self._result(int(key)) for key in distinct])
            results[computed] = torch.tensor(found[which], device=self._device)
            self._publish()
        return results

    def _result(self, key: int) -> int:
        known = self._results.get(key)
        if known is None:
            known = self._results[key] = self._executed(key)
        return known

    def _executed(self, key: int) -> int:
        mask = (1 << _VALUE_BITS) - 1
        head, a, b = key >> 2 * _VALUE_BITS, key >> _VALUE_BITS & mask, key & mask
        problem, k = head >> _OPERATION_BITS, head & (1 << _OPERATION_BITS) - 1
        operation = DECLARED[k]
        arguments: list[Value | OptionIndex] = [self.value(problem, a)]
        if operation.reads_options:
            arguments.append(self._options[problem])
        elif len(operation.takes) == 2:
            arguments.append(self.value(problem, b))
        try:
            return self._number(problem, operation.function(*arguments))
        except OperationError:
            return NOTHING
