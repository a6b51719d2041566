"""Writing the gold program of a generated problem along with its rationale.

Promises: executing the program on the problem writes exactly the rationale's tokens and the letter.
A number is copied where the same numeral was written before, computed by the step's expression
where the step computes it, and a documented constant otherwise; operands are read from the first
place that shows them. The letter comes from `Check` wherever `Check` finds it.

A number that runs together with the text next to it, so that it is not a token, raises
`MergedError`.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache

from scratchwork.families.expressions import Apply, Expression, Name, NumberLiteral, UnknownLetter
from scratchwork.families.options import AnswerOptions
from scratchwork.families.templates import WEEKDAY, Mark, NumberSlot
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.lexing import lexemes_of
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.programs import Cell, Instruction, Program, Word
from scratchwork.machine.trees import NumberNode, OperationNode, Tree, operation
from scratchwork.machine.writing import ProgramWriter
from scratchwork.machine.written_values import trees_of, value_of_tree
from scratchwork.problems.numerals import NumeralError, number_of, write_number
from scratchwork.problems.problem import LETTERS
from scratchwork.problems.tokens import Span, tokenise, tokenise_with_spans


class MergedError(NumeralError):
    """A number that is not a token by itself, or has no source."""

    def __init__(self, what: str) -> None:
        super().__init__("domain", what)


@cache
def _word(token: str) -> Instruction:
    return Instruction("Id", (Word(token),), "y")


class GoldWriter:
    """Writes a gold program; knows where every number can be read."""

    def __init__(self, values: Mapping[str, float], options: AnswerOptions) -> None:
        self._values = values
        self._options = options
        self._writer = ProgramWriter[str]()
        """Knows numbers by their names, and constants by their numerals."""
        self._places: dict[str, tuple[Cell, str]] = {}
        """Of each number, the first cell that shows it, and how it is written there."""
        self._letter_cell: Cell | None = None
        self._unknowns: dict[str, Cell] = {}
        self._source_length = 0

    def program(self) -> Program:
        """The program so far."""
        return self._writer.program()

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
            self._places.setdefault(slot.name, (Cell("x", k), token))

    def write_word(self, token: str) -> Cell:
        """Write a word as it is."""
        return self._writer.append(_word(token))

    def write_rationale(
        self, text: str, marks: Sequence[Mark], letter_at: int, answers: Sequence[str]
    ) -> None:
        """Write the rationale: words, numbers, and the letter at its place."""
        numbers = {start: (end, slot) for start, end, slot in marks}
        for span in tokenise_with_spans(text):
            token, start, end = span
            if start in numbers and numbers[start][0] == end:
                slot = numbers.pop(start)[1]
                cell = self._number(token, slot)
                if slot.form == WEEKDAY or slot.name not in self._places:
                    self._places[slot.name] = (cell, token)
            elif start == letter_at:
                self.write_letter(answers)
            elif "/" in token and len(token) > 1:
                self._fraction(span, numbers)
            else:
                self.write_word(token)
        if numbers:
            _, slot = next(iter(numbers.values()))
            raise MergedError(f"{slot.name} runs together with its neighbours in the steps")

    def write_letter(self, answers: Sequence[str]) -> None:
        """Write the letter: by `Check` from the answer the first time, then by copying."""
        if self._letter_cell is not None:
            self._writer.write("Id", self._letter_cell)
            return
        checked = self._checked_cell(answers) if self._options.stated else None
        if checked is None:
            self._letter_cell = self.write_word(self._options.letter)
        else:
            self._letter_cell = self._writer.write("Check", checked)

    def _number(self, token: str, slot: NumberSlot) -> Cell:
        """Write a number of a step, and return the cell of the output that shows it."""
        name = slot.name
        place = self._places.get(name)
        if slot.form == WEEKDAY:
            return self.write_word(token)
        if slot.expression is not None and place is None:
            self._writer.known[name] = self._compute(slot.expression)
        if place is not None and place[1] == token:
            return self._writer.write("Id", place[0])
        if place is None and name not in self._writer.known:
            return self._from_elsewhere(token, name)
        return self._write_number(self._load(name), token, slot.form)

    def _from_elsewhere(self, token: str, name: str) -> Cell:
        """Write a number that the question does not show in digits: an option's, or a constant."""
        at = self._source_length
        for option in self._options.texts:
            tokens = tokenise(option)
            if token in tokens:
                return self._writer.write("Id", Cell("x", at + 3 + tokens.index(token)))
            at += 2 + len(tokens)
        if token not in CONSTANT_VALUES:
            raise MergedError(f"{name} is {token}, which is neither written before nor a constant")
        return self.write_word(token)

    def _fraction(self, span: Span, numbers: dict[int, tuple[int, NumberSlot]]) -> None:
        """Write a token that two numbers with a stroke between them have become."""
        token, start, _ = span
        middle = token.index("/")
        if start not in numbers and start + middle + 1 not in numbers:
            self.write_word(token)
            return
        cells: list[Cell] = []
        for part, at in ((token[:middle], start), (token[middle + 1 :], start + middle + 1)):
            if at in numbers:
                end, slot = numbers.pop(at)
                if end != at + len(part) or slot.expression is not None:
                    raise MergedError(f"{slot.name} runs together with its neighbours in the steps")
                cells.append(self._load(slot.name))
            else:
                cells.append(self._constant(part))
        self._writer.write("Float_to_Fraction", self._writer.remember("Divide", *cells))

    def _write_number(self, cell: Cell, token: str, form: str) -> Cell:
        if form[:1] == ".":
            return self._writer.write("Float_to_Decimal", cell, self._constant(form[1:]))
        if "," in token:
            return self._writer.write("Float_to_Thousands", cell)
        return self._writer.write("Float_to_Fraction" if "/" in token else "Float_to_Str", cell)

    def _compute(self, expression: Expression) -> Cell:
        match expression:
            case NumberLiteral(text):
                return self._constant(text)
            case Name(name):
                return self._load(name)
            case UnknownLetter(letter):
                if letter not in self._unknowns:
                    self._unknowns[letter] = self._writer.remember("Unknown", Word(letter))
                return self._unknowns[letter]
            case Apply(operation, arguments):
                cells = [self._compute(argument) for argument in arguments]
                return self._writer.remember(operation, *cells)

    def _load(self, name: str) -> Cell:
        """The memory cell of a number, read from where it is shown if need be."""
        if name in self._writer.known:
            return self._writer.known[name]
        if name not in self._places:
            return self._constant(write_number(self._values[name]))
        place, token = self._places[name]
        return self._writer.read(name, token, place)

    def _constant(self, numeral: str) -> Cell:
        if numeral not in CONSTANT_VALUES:
            raise MergedError(f"{numeral} is neither written before nor a constant")
        return self._writer.read(numeral, numeral, Word(numeral))

    def _checked_cell(self, answers: Sequence[str]) -> Cell | None:
        """A cell whose text `Check` finds in the right option, computed if need be."""
        index = OptionIndex(self._options.texts)
        remember = self._writer.remember

        def finds(text: str) -> bool:
            try:
                return index.check_by_value(text) == self._options.letter
            except NumeralError:
                return False

        for name in answers:
            if name in self._places and finds(self._places[name][1]):
                return self._places[name][0]
        right = self._options.texts[LETTERS.index(self._options.letter)]
        for tree in trees_of(lexemes_of(right)):
            value = value_of_tree(tree)
            if value is not None and finds(write_number(value)):
                cell = self._cell_of(tree, answers)
                return None if cell is None else remember("Float_to_Str", cell)
        return None

    def _cell_of(self, tree: Tree, answers: Sequence[str]) -> Cell | None:
        """The cell of an option's expression, if its numbers are the answer's or constants."""
        match tree:
            case NumberNode(numeral):
                value = number_of(numeral) or 0.0
                for name in answers:
                    if math.isclose(self._values[name], value, rel_tol=1e-9):
                        return self._load(name)
                if numeral in CONSTANT_VALUES:
                    return self._constant(numeral)
                over, _, under = numeral.partition("/")
                parts = operation("Divide", NumberNode(over), NumberNode(under))
                return self._cell_of(parts, answers) if under else None
            case OperationNode(name, arguments):
                cells = [self._cell_of(argument, answers) for argument in arguments]
                known = [cell for cell in cells if cell is not None]
                is_known = len(known) == len(cells)
                return self._writer.remember(name, *known) if is_known else None
            case _:
                return None
