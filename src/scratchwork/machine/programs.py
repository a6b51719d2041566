"""Programs: references, instructions, and their text and JSON forms.

Promises: a program's text and JSON forms both read back to the very same program; text that is no
program raises `ProgramSyntaxError` with the line and what is wrong there. In the text form every
instruction is a line, `Choose(m1, m2) -> m`; literals are JSON strings; blank lines and lines that
start with `#` are passed over.

Does not cover: whether the program makes sense (types, references, domains): see `execution`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

from scratchwork.errors import UserError, quoted

PROGRAM_VERSION = 1
LARGEST_PROGRAM_FILE = 16 << 20
"""Bytes of a program; far more than the instructions take that may be executed."""

Destination = Literal["y", "m"]
"""Where a value goes: to the output or to the memory."""


class ProgramSyntaxError(UserError):
    """Text or JSON that is not a program."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A reference to source token x_k, output token y_k or memory cell m_k, counted from 1."""

    room: Literal["x", "y", "m"]
    k: int

    def __str__(self) -> str:
        return f"{self.room}{self.k}"


@dataclass(frozen=True, slots=True)
class Word:
    """An argument that is written out: a literal string."""

    text: str

    def __str__(self) -> str:
        return _quoted(self.text)


@lru_cache(1 << 14)
def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


Reference = Cell | Word


@dataclass(frozen=True, slots=True)
class Instruction:
    """An operation, its arguments, and where the result goes."""

    operation: str
    arguments: tuple[Reference, ...]
    to: Destination

    def __str__(self) -> str:
        return f"{self.operation}({', '.join(map(str, self.arguments))}) -> {self.to}"


@dataclass(frozen=True, slots=True)
class Program:
    """A list of instructions."""

    instructions: tuple[Instruction, ...]

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def __len__(self) -> int:
        return len(self.instructions)

    def __str__(self) -> str:
        return "".join(f"{instruction}\n" for instruction in self.instructions)

    def to_json(self) -> dict[str, Any]:
        """The JSON form: the same content as objects and lists."""
        return {
            "version": PROGRAM_VERSION,
            "instructions": [
                {
                    "operation": instruction.operation,
                    "arguments": [_argument_to_json(a) for a in instruction.arguments],
                    "to": instruction.to,
                }
                for instruction in self.instructions
            ],
        }


def _argument_to_json(argument: Reference) -> dict[str, Any]:
    return {"word": argument.text} if isinstance(argument, Word) else {argument.room: argument.k}


_HEAD = re.compile(r"\s*([A-Za-z_]+)\s*\(\s*")
_CELL = re.compile(r"([xym])([0-9]{1,9})")
_TAIL = re.compile(r"\)\s*->\s*([ym])\s*")
_COMMA = re.compile(r"\s*,\s*")
_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder()
_LONGEST_KEPT = 100


def parse_instruction(line: str) -> Instruction:
    """One instruction from its text form."""
    # Most lines come again and again: words, and the first cells.
    return _parse_short(line) if len(line) <= _LONGEST_KEPT else _parse(line)


def _parse(line: str) -> Instruction:
    head = _HEAD.match(line)
    if head is None:
        raise ProgramSyntaxError("an instruction looks like Add(m1, m2) -> m")
    arguments: list[Reference] = []
    at = head.end()
    while not line.startswith(")", at):
        if arguments:
            comma = _COMMA.match(line, at)
            if comma is None:
                raise ProgramSyntaxError(f"a comma or ) is missing at column {at + 1}")
            at = comma.end()
        argument, at = _parse_argument(line, at)
        arguments.append(argument)
        at = cast(re.Match[str], _SPACE.match(line, at)).end()
    tail = _TAIL.fullmatch(line, at)
    if tail is None:
        raise ProgramSyntaxError("the instruction must end in ) -> y or ) -> m")
    return Instruction(head[1], tuple(arguments), cast(Destination, tail[1]))


_parse_short = lru_cache(1 << 14)(_parse)


def _parse_argument(line: str, at: int) -> tuple[Reference, int]:
    cell = _CELL.match(line, at)
    if cell is not None:
        room = cast(Literal["x", "y", "m"], cell[1])
        return Cell(room, int(cell[2])), cell.end()
    if line.startswith('"', at):
        try:
            text, end = _DECODER.raw_decode(line, at)
        except json.JSONDecodeError as error:
            raise ProgramSyntaxError(f"the string at column {at + 1} is broken") from error
        return Word(_whole(text)), end
    raise ProgramSyntaxError(
        f'at column {at + 1} an argument is missing: x1, y1, m1 or a "word" in double quotes'
    )


def _whole(text: str) -> str:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            fault = "a word holds half a character (a lone surrogate)"
            raise ProgramSyntaxError(fault) from None
    return text


def parse_program(text: str) -> Program:
    """A program from its text form."""
    instructions: list[Instruction] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            instructions.append(parse_instruction(line))
        except ProgramSyntaxError as error:
            raise ProgramSyntaxError(f"line {number}: {error}") from error
    return Program(tuple(instructions))


def program_from_json(form: object) -> Program:
    """A program from its JSON form, already parsed."""
    if not isinstance(form, Mapping):
        raise ProgramSyntaxError("a program in JSON is an object")
    fields = cast(Mapping[str, Any], form)
    if fields.get("version") != PROGRAM_VERSION:
        raise ProgramSyntaxError(
            f"the program's version is {quoted(fields.get('version'))}, "
            f"this reads {PROGRAM_VERSION}"
        )
    rows = fields.get("instructions")
    if not isinstance(rows, list):
        raise ProgramSyntaxError('a program in JSON has a list of "instructions"')
    return Program(
        tuple(_instruction_from_json(row, i) for i, row in enumerate(cast(list[Any], rows), 1))
    )


def _instruction_from_json(row: object, position: int) -> Instruction:
    if isinstance(row, Mapping):
        fields = cast(Mapping[str, Any], row)
        operation, to, arguments = (fields.get(k) for k in ("operation", "to", "arguments"))
        if isinstance(operation, str) and to in ("y", "m") and isinstance(arguments, list):
            references = tuple(
                _argument_from_json(a, position) for a in cast(Sequence[Any], arguments)
            )
            return Instruction(operation, references, to)
    raise ProgramSyntaxError(
        f'instruction {position} needs "operation", "arguments" and "to" ("y" or "m")'
    )


def _argument_from_json(form: object, position: int) -> Reference:
    if isinstance(form, Mapping) and len(cast(Mapping[str, Any], form)) == 1:
        ((kind, content),) = cast(Mapping[str, Any], form).items()
        if kind == "word" and isinstance(content, str):
            return Word(_whole(content))
        if kind in ("x", "y", "m") and type(content) is int and 0 <= content < 10**9:
            return Cell(kind, content)
    raise ProgramSyntaxError(
        f"instruction {position}: an argument is one of "
        '{"x": 5}, {"y": 1}, {"m": 2} and {"word": "Let"}'
    )
