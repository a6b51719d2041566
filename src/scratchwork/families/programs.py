"""Writing the gold program of a generated problem, beside its rationale.

Promises: executing the program on the problem writes exactly the rationale's tokens and the letter.
A number is copied where the same numeral was written before, computed by the step's expression
where the step computes it, and a documented constant otherwise; operands are read from the first
place that shows them. The letter comes from `Check` wherever `Check` finds it.

A number that runs together with the text beside it, so that it is no token of its own, raises
`MergedError`.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache

from scratchwork.families.expressions import Apply, Constant, Expression, Name
from scratchwork.families.options import Options
from scratchwork.families.templates import WEEKDAY, Mark, NumberSlot
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.spelling import reading
from scratchwork.problems.numerals import NumeralError, write_number
from scratchwork.problems.tokens import Span, tokenise, tokenise_with_spans


class MergedError(NumeralError):
    """A number that is no token of its own, or comes from nowhere."""

    def __init__(self, what: str) -> None:
        super().__init__("domain", what)


@cache
def _word_line(token: str) -> str:
    return f"Id({json.dumps(token, ensure_ascii=False)}) -> y"


class ProgramWriter:
    """A program in the making: its lines, and where every number can be read."""

    def __init__(self, values: Mapping[str, float], options: Options) -> None:
        self._values = values
        self._options = options
        self._lines: list[str] = []
        self._written = 0
        self._remembered = 0
        self._places: dict[str, tuple[str, str]] = {}
        """Of each number, the first cell that shows it, and how it is written there."""
        self._cells: dict[str, str] = {}
        """Of each number or constant, the memory cell that holds it."""
        self._letter_cell = ""
        self._source_length = 0

    @property
    def text(self) -> str:
        """The program's text form."""
        return "\n".join(self._lines) + "\n"

    def read_question(self, question: str, marks: Sequence[Mark]) -> None:
        """Take note of where the question shows numbers."""
        spans = tokenise_with_spans(question)
        self._source_length = len(spans)
        starts = {start: (k, token, end) for k, (token, start, end) in enumerate(spans, 1)}
        for start, end, slot in marks:
            if slot.form == WEEKDAY:
                continue
            k, token, token_end = starts.get(start, (0, "", -1))
            if token_end != end:
                raise MergedError(f"{slot.name} runs together with its neighbours in the question")
            self._places.setdefault(slot.name, (f"x{k}", token))

    def write_word(self, token: str) -> None:
        """Write a word as it is."""
        self._output(_word_line(token))

    def write_rationale(
        self, text: str, marks: Sequence[Mark], letter_at: int, answers: Sequence[str]
    ) -> None:
        """Write the rationale: words, numbers, and the letter at its place."""
        numbers = {start: (end, slot) for start, end, slot in marks}
        for span in tokenise_with_spans(text):
            token, start, end = span
            if start in numbers and numbers[start][0] == end:
                self._number(token, numbers.pop(start)[1])
            elif start == letter_at:
                self.write_letter(answers)
            elif "/" in token and len(token) > 1:
                self._fraction(span, numbers)
            else:
                self._output(_word_line(token))
        if numbers:
            _, slot = next(iter(numbers.values()))
            raise MergedError(f"{slot.name} runs together with its neighbours in the steps")

    def write_letter(self, answers: Sequence[str]) -> None:
        """Write the letter: by `Check` from the answer the first time, then by copying."""
        if self._letter_cell:
            self._output(f"Id({self._letter_cell}) -> y")
            return
        checked = self._checked_cell(answers) if self._options.stated else None
        self._output(f"Check({checked}) -> y" if checked else _word_line(self._options.letter))
        self._letter_cell = f"y{self._written}"

    def _output(self, line: str) -> None:
        self._lines.append(line)
        self._written += 1

    def _memory(self, call: str) -> str:
        self._lines.append(f"{call} -> m")
        self._remembered += 1
        return f"m{self._remembered}"

    def _number(self, token: str, slot: NumberSlot) -> None:
        name = slot.name
        place = self._places.get(name)
        if slot.form == WEEKDAY:
            self._output(_word_line(token))
            self._places[name] = (f"y{self._written}", token)
            return
        if slot.expression is not None and place is None:
            self._cells[name] = self._compute(slot.expression)
        if place is not None and place[1] == token:
            self._output(f"Id({place[0]}) -> y")
        elif place is None and name not in self._cells:
            self._from_elsewhere(token, name)
        else:
            self._output(f"{self._writing(self._load(name), token, slot.form)} -> y")
        self._places.setdefault(name, (f"y{self._written}", token))

    def _from_elsewhere(self, token: str, name: str) -> None:
        """Write a number that the question does not show in digits: an option's, or a constant."""
        at = self._source_length
        for option in self._options.texts:
            tokens = tokenise(option)
            if token in tokens:
                self._output(f"Id(x{at + 3 + tokens.index(token)}) -> y")
                return
            at += 2 + len(tokens)
        if token not in CONSTANT_VALUES:
            raise MergedError(f"{name} is {token}, which is neither written before nor a constant")
        self._output(_word_line(token))

    def _fraction(self, span: Span, numbers: dict[int, tuple[int, NumberSlot]]) -> None:
        """Write a token that two numbers with a stroke between them have become."""
        token, start, _ = span
        middle = token.index("/")
        if start not in numbers and start + middle + 1 not in numbers:
            self._output(_word_line(token))
            return
        cells: list[str] = []
        for part, at in ((token[:middle], start), (token[middle + 1 :], start + middle + 1)):
            if at in numbers:
                end, slot = numbers.pop(at)
                if end != at + len(part) or slot.expression is not None:
                    raise MergedError(f"{slot.name} runs together with its neighbours in the steps")
                cells.append(self._load(slot.name))
            else:
                cells.append(self._constant(part))
        quotient = self._memory(f"Divide({cells[0]}, {cells[1]})")
        self._output(f"Float_to_Fraction({quotient}) -> y")

    def _writing(self, cell: str, token: str, form: str) -> str:
        if form[:1] == ".":
            return f"Float_to_Decimal({cell}, {self._constant(form[1:])})"
        if "," in token:
            return f"Float_to_Thousands({cell})"
        return f"Float_to_Fraction({cell})" if "/" in token else f"Float_to_Str({cell})"

    def _compute(self, expression: Expression) -> str:
        match expression:
            case Constant(text):
                return self._constant(text)
            case Name(name):
                return self._load(name)
            case Apply(operation, arguments):
                cells = [self._compute(argument) for argument in arguments]
                return self._memory(f"{operation}({', '.join(cells)})")

    def _load(self, name: str) -> str:
        """The memory cell of a number, read from where it is shown if need be."""
        cell = self._cells.get(name)
        if cell is None:
            if name not in self._places:
                return self._constant(write_number(self._values[name]))
            place, token = self._places[name]
            cell = self._cells[name] = self._memory(f"{reading(token)}({place})")
        return cell

    def _constant(self, numeral: str) -> str:
        key = f"#{numeral}"
        if key not in self._cells:
            if numeral not in CONSTANT_VALUES:
                raise MergedError(f"{numeral} is neither written before nor a constant")
            self._cells[key] = self._memory(f'{reading(numeral)}("{numeral}")')
        return self._cells[key]

    def _checked_cell(self, answers: Sequence[str]) -> str | None:
        """A cell whose text `Check` finds in the right option, computed if need be."""
        index = OptionIndex(self._options.texts)

        def finds(text: str) -> bool:
            try:
                return index.check_by_value(text) == self._options.letter
            except NumeralError:
                return False

        for name in answers:
            if name in self._places and finds(self._places[name][1]):
                return self._places[name][0]
        if len(answers) == 2:
            first, second = (self._values[name] for name in answers)
            if second and finds(write_number(first / second)):
                ratio = self._memory(f"Divide({self._load(answers[0])}, {self._load(answers[1])})")
                return self._memory(f"Float_to_Str({ratio})")
            for count in ("60", "12"):  # minutes of an hour, inches of a foot
                if finds(write_number(first * float(count) + second)):
                    product = self._memory(
                        f"Multiply({self._load(answers[0])}, {self._constant(count)})"
                    )
                    total = self._memory(f"Add({product}, {self._load(answers[1])})")
                    return self._memory(f"Float_to_Str({total})")
        return None
