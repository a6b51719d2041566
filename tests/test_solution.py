import json
import math

import pytest

from scratchwork import Problem, Solution, execute, parse_program
from scratchwork.machine.operations import EXTENDED
from scratchwork.solution import Candidate, SolutionRow

PROBLEM = Problem("Twice 2 is", ("4", "5", "4"), id="twice")
END = 'Id("<EOR>") -> y\nId("{}") -> y\nId("<EOS>") -> y'


def found(text: str, letter: str, probability: float, guess: bool = False) -> Candidate:
    words = "".join(f"Id({json.dumps(word)}) -> y\n" for word in text.split())
    trace = execute(parse_program(words + END.format(letter)), PROBLEM)
    return Candidate(trace, math.log(probability), guess)


SOLUTION = Solution(
    (
        found("It is 4", "A", 0.4),
        found("It is 5", "B", 0.3),
        found("It is 5", "B", 0.2),
        found("", "C", 0.1, guess=True),
    )
)


def test_letters_are_voted_on_by_probability() -> None:
    first_three = Solution(SOLUTION.candidates[:3])
    assert first_three.answer == "A"
    assert first_three.votes == pytest.approx({"B": 5 / 9, "A": 4 / 9})
    assert list(first_three.votes) == ["B", "A"]
    assert SOLUTION.confidence == pytest.approx(0.4)


def test_rivals_are_the_other_programs_and_say_what_they_are() -> None:
    told = [(r.answer, r.rationale, round(r.share, 9), r.guess) for r in SOLUTION.rivals]
    assert told == [("B", "It is 5", 0.3, False), ("C", "", 0.1, True)]
    assert Solution(SOLUTION.candidates[:1]).rivals == ()


def test_the_form_in_brief_is_the_form_without_problem_trace_and_rivals() -> None:
    form = json.loads(json.dumps(SOLUTION.to_json()))
    assert list(form) == [
        "answer",
        "value",
        "rationale",
        "program",
        "confidence",
        "log_probability",
        "votes",
        "guess",
        "derived",
        "unread",
        "exact",
        "note",
        "question",
        "options",
        "trace",
        "rivals",
    ]
    assert (form["answer"], form["rationale"], form["derived"]) == ("A", "It is 4", True)
    assert form["log_probability"] == round(math.log(0.4), 4)
    assert str(parse_program(form["program"])) == form["program"]
    assert form["rivals"][0] == {
        "answer": "B",
        "rationale": "It is 5",
        "share": 0.3,
        "guess": False,
    }
    row = SolutionRow.of(PROBLEM, SOLUTION)
    assert row.id == "twice"
    whole = ("question", "options", "trace", "rivals")
    brief = {name: value for name, value in form.items() if name not in whole}
    assert SOLUTION.to_json(brief=True) == brief
    assert {name: getattr(row, name) for name in brief} == brief


DOUBLED = """Str_to_Float(x2) -> m
Multiply(m1, m1) -> m
Float_to_Str(m2) -> m
Id("<EOR>") -> y
Check(m3) -> y
Id("<EOS>") -> y"""


@pytest.mark.parametrize(
    "program",
    [
        'Id("<EOR>") -> y\nCheck(x6) -> y\nId("<EOS>") -> y',
        DOUBLED,
        'Id("4") -> y\nId("<EOR>") -> y\nCheck(y1) -> y\nId("<EOS>") -> y',
    ],
    ids=["read", "computed", "written"],
)
def test_the_value_is_what_was_looked_up_wherever_it_lay(program: str) -> None:
    problem = Problem("Twice 2 is", ("4", "5"))
    solution = Solution((Candidate(execute(parse_program(program), problem, EXTENDED), -1.0),))
    assert (solution.answer, solution.value) == ("A", "4")
