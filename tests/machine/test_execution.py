import pytest

from scratchwork import (
    EXTENDED,
    PAPER,
    ExecutionError,
    OperationSet,
    Problem,
    Program,
    check,
    execute,
    output_tokens,
    parse_program,
)

TABLE_2 = """Let s be the sample space . \\n Then n ( s ) = 52 C 2 = 1326
    E = event of getting 2 kings out of""".split()
"""The output of the paper's table 2, which leaves out the line break behind 1326."""


def table_2_program() -> Program:
    """The instructions of the paper's table 2, as printed there."""
    words = [f'Id("{word}") -> y' for word in TABLE_2]
    return parse_program(
        "\n".join(
            [
                *words[:14],
                "Str_to_Float(x5) -> m",
                "Float_to_Str(m1) -> y",
                *words[15:18],
                "Str_to_Float(y17) -> m",
                "Choose(m1, m2) -> m",
                "Float_to_Str(m3) -> y",
                *words[19:],
            ]
        )
    )


def test_the_program_of_the_papers_table_2_writes_the_papers_tokens(kings: Problem) -> None:
    trace = execute(table_2_program(), kings)
    assert list(trace.output) == [word.replace("\\n", "\n") for word in TABLE_2]
    assert [str(step.place) for step in trace.steps[14:22]] == (
        "m1 y15 y16 y17 y18 m2 m3 y19".split()
    )
    assert trace.values[14:22] == (52.0, "52", "C", "2", "=", 2.0, 1326.0, "1326")


def test_the_whole_example_writes_its_rationale_and_letter(
    kings: Problem, kings_program: Program
) -> None:
    trace = execute(kings_program, kings)
    assert list(trace.output) == output_tokens(kings)
    assert trace.rationale == kings.rationale
    assert trace.answer == "C"


@pytest.mark.parametrize(
    ("text", "kind", "position"),
    [
        ("Multiply(x5, x5) -> m", "type", 1),
        ("Str_to_Float(x5) -> y", "type", 1),
        ("Str_to_Float(x5) -> m\nId(m1) -> y", "type", 2),
        ("Str_to_Float(x5, x5) -> m", "type", 1),
        ("Id(x0) -> y", "reference", 1),
        ("Id(x900) -> y", "reference", 1),
        ("Id(y1) -> y", "reference", 1),
        ("Id(m1) -> m", "reference", 1),
        ("Pow(x1) -> y", "reference", 1),
        ("Round(x1) -> y", "reference", 1),
        ("Str_to_Float(x1) -> m", "domain", 1),
        ('Check("7") -> y', "domain", 1),
        ('Str_to_Float("99999999999999999999") -> m', "range", 1),
        (f'Id("{"a" * 201}") -> y', "limit", 1),
        ('Id("a") -> y\n' * 10_001, "limit", 10_001),
    ],
)
def test_an_error_names_its_kind_and_instruction(
    kings: Problem, text: str, kind: str, position: int
) -> None:
    with pytest.raises(ExecutionError) as error:
        execute(parse_program(text), kings)
    assert error.value.kind == kind
    assert error.value.position == position


def test_extended_operations_need_the_extended_set(kings: Problem) -> None:
    program = parse_program(
        """Str_to_Float(x5) -> m
        Str_to_Float("5") -> m
        Remainder(m1, m2) -> m
        Float_to_Decimal(m3, m3) -> y"""
    )
    assert execute(program, kings, EXTENDED).output == ("2.00",)
    with pytest.raises(ExecutionError, match="no operation Remainder in the set paper"):
        execute(program, kings, PAPER)


def test_a_checked_program_runs_again_on_other_numbers(kings: Problem) -> None:
    from scratchwork.machine.options import OptionIndex

    checked = check(parse_program("Str_to_Float(x1) -> m\nMultiply(m1, m1) -> m"), 1)
    assert [checked.run([n], OptionIndex([]))[1] for n in ("3", "4")] == [9.0, 16.0]


def test_a_program_without_a_closing_letter_has_no_answer(kings: Problem) -> None:
    for ending in ("", 'Id("<EOR>") -> y\nId("<EOS>") -> y', 'Id("Z") -> y\nId("<EOS>") -> y'):
        assert execute(parse_program(ending), kings).answer is None


def test_the_trace_as_json_says_where_every_value_went(
    kings: Problem, kings_program: Program
) -> None:
    form = execute(kings_program, kings).to_json()
    assert form["answer"] == "C"
    assert form["steps"][20] == {
        "instruction": "Choose(m1, m2) -> m",
        "value": 1326.0,
        "place": "m3",
    }


def test_operation_sets_are_named() -> None:
    for operations in (PAPER, EXTENDED):
        assert isinstance(operations, OperationSet)
        for name, operation in operations.operations.items():
            assert operation.name == name
            assert operation.about
