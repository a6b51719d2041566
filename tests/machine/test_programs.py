import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import Cell, Instruction, Program, Word, parse_program, program_from_json
from scratchwork.machine.programs import Destination, ProgramSyntaxError

references = st.one_of(
    st.builds(Cell, st.sampled_from(["x", "y", "m"]), st.integers(0, 10**9 - 1)),
    st.builds(Word, st.text(st.characters(codec="utf-8"))),
)
instructions = st.builds(
    Instruction,
    st.from_regex(r"[A-Za-z_]+", fullmatch=True),
    st.lists(references, max_size=3).map(tuple),
    st.sampled_from(get_args(Destination)),
)
programs = st.builds(Program, st.lists(instructions, max_size=8).map(tuple))


@given(programs)
def test_the_text_form_reads_back_to_the_same_program(program: Program) -> None:
    assert parse_program(str(program)) == program


@given(programs)
def test_the_json_form_reads_back_to_the_same_program(program: Program) -> None:
    assert program_from_json(json.loads(json.dumps(program.to_json()))) == program


def test_the_text_form_is_what_people_read(kings_program: Program) -> None:
    lines = str(kings_program).splitlines()
    assert lines[0] == 'Id("Let") -> y'
    assert lines[7] == 'Id("\\n") -> y'
    assert lines[20] == "Choose(m1, m2) -> m"


def test_blank_lines_and_remarks_are_passed_over() -> None:
    program = parse_program('# a remark\n\n  Id( "a" )  ->  y\r\n')
    assert program == Program((Instruction("Id", (Word("a"),), "y"),))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hello", "line 1: an instruction looks like"),
        ("Id(x1) -> y\nAdd(m1 m2) -> m", "line 2: a comma"),
        ('Id("a) -> y', "line 1: the string at column 4 is broken"),
        ("Id(x1)", "line 1: the instruction must end in"),
        ("Id(x1) -> z", "line 1: the instruction must end in"),
        ("Id(q1) -> y", "line 1: at column 4 an argument is missing"),
        ("Id(x9999999999) -> y", "line 1: a comma"),
        ("Add(m1,) -> y", "line 1: at column 8 an argument"),
    ],
)
def test_bad_text_is_told_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(ProgramSyntaxError, match=complaint):
        parse_program(text)


BAD_FORMS: list[object] = [
    [],
    {},
    {"version": 2, "instructions": []},
    {"version": 1, "instructions": {}},
    {"version": 1, "instructions": [{"operation": "Id"}]},
    {"version": 1, "instructions": [{"operation": "Id", "arguments": [], "to": "q"}]},
    {"version": 1, "instructions": [{"operation": "Id", "arguments": [{"x": -1}], "to": "y"}]},
    {
        "version": 1,
        "instructions": [{"operation": "Id", "arguments": [{"x": True}], "to": "y"}],
    },
    {"version": 1, "instructions": [{"operation": "Id", "arguments": ["x1"], "to": "y"}]},
]


@pytest.mark.parametrize("form", BAD_FORMS)
def test_bad_json_is_refused(form: object) -> None:
    with pytest.raises(ProgramSyntaxError):
        program_from_json(form)
