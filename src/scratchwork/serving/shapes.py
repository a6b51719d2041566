"""The JSON that goes in and out, as the API's description tells it.

Promises: what a request model lets through is bounded in every part. The answer models describe
what `to_json` and the commands' `--json` give, which is defined there, not here.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from scratchwork.problems.problem import MOST_OPTIONS
from scratchwork.serving.limits import (
    LARGEST_SEED,
    LONGEST_OPTION,
    LONGEST_TEXT,
    MOST_PROBLEMS,
)
from scratchwork.serving.practice import Difficulty

_QUESTION = "Ann had 48 clips and sold half of them. How many are left?"
_PROGRAM = 'Id("24") -> y\nId("<EOR>") -> y\nCheck(y1) -> y\nId("<EOS>") -> y'

Question = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_TEXT, description="The problem.", examples=[_QUESTION]),
]
Options = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_OPTION)]],
    Field(
        max_length=MOST_OPTIONS,
        description="None, or 2 to 10 texts; labelled A), B), ... or not at all.",
        examples=[["12", "24", "26"]],
    ),
]
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]


class Asked(BaseModel):
    """A request's body; fields that are not named are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ToSolve(Asked):
    """A problem to solve."""

    question: Question
    options: Options = []


class ToAudit(Asked):
    """A derivation to audit."""

    question: Question
    options: Options = []
    rationale: str = Field(
        min_length=1,
        max_length=LONGEST_TEXT,
        description="The derivation: plain text, markdown or LaTeX.",
        examples=["She sold 48 / 2 = 24. So 48 - 24 = 26 are left."],
    )
    correct: str | None = Field(
        None, max_length=10, description="The right letter, if known.", examples=["B"]
    )


class ToExecute(Asked):
    """A program to execute, with the extended operations."""

    question: Question
    options: Options = []
    program: str = Field(
        max_length=LONGEST_TEXT,
        description="One instruction a line.",
        examples=[_PROGRAM],
    )


class ToGenerate(Asked):
    """Problems to make up."""

    topic: str | None = Field(
        None, max_length=100, description="Of this topic only.", examples=["percent"]
    )
    difficulty: Difficulty | None = Field(None, description="Of this difficulty only.")
    seed: Seed | None = Field(
        None, description="The same seed gives the same problems; without one it is drawn."
    )
    count: int = Field(1, ge=1, le=MOST_PROBLEMS, description="How many.")


class Refused(BaseModel):
    """Why a request was turned away."""

    error: str = Field(description="One sentence.", examples=["the question is empty"])


class Health(BaseModel):
    """How the server is."""

    status: Literal["ready", "loading", "no model"]
    version: str = Field(description="Of Scratchwork.", examples=["0.1.0"])
    model: str | None = Field(description="The model's name.")
    waiting: int = Field(ge=0, description="Problems that wait for the model.")


class Topic(BaseModel):
    """A topic of the families."""

    topic: str
    families: int = Field(ge=1)
    difficulties: list[Difficulty]


class Step(BaseModel):
    """One executed instruction."""

    instruction: str = Field(examples=["Divide(m1, m2) -> m"])
    value: str | float = Field(description="A string, a number, or an expression as written.")
    place: str = Field(description="Where the value went.", examples=["m3"])


class TraceShape(BaseModel):
    """A program's execution."""

    version: int
    id: str
    operations: str
    source: list[str] = Field(description="The tokens x1, x2, ... of question and options.")
    steps: list[Step]
    rationale: str
    answer: str | None


class Number(BaseModel):
    """A number of a derivation."""

    token: str
    position: int = Field(description="Its place among the rationale's tokens, from 1.")
    status: Literal["copied", "computed", "constant", "unsupported"]
    how: str = Field(description="The cell it is copied from, or the calculation.")
    why: str = Field(
        description="What was looked at in vain, a sentence; empty unless it is unsupported.",
        examples=[
            "26 is neither in the problem nor in the working before it, "
            "and no single operation on those numbers gives it."
        ],
    )


class EquationShape(BaseModel):
    """An equation of a derivation."""

    text: str
    holds: bool
    why: str = Field(
        description="What its sides really are, a sentence; empty if it holds.",
        examples=["48 - 24 is 24, not 26."],
    )


class Letter(BaseModel):
    """The stated letter."""

    letter: str
    follows: bool | None = Field(description="Null where that cannot be told.")
    why: str = Field(
        description="What follows instead, a sentence; empty unless it does not follow.",
        examples=["The working comes to 24, which is option B, not C."],
    )


class AuditShape(BaseModel):
    """What is known of a derivation."""

    id: str
    question: str = Field(description="As it was read: without LaTeX. Cells x count its tokens.")
    options: list[str] = Field(description="As they were read, without labels.")
    rationale: str = Field(
        description="As it was read: without LaTeX and markdown. Positions count its tokens."
    )
    numbers: list[Number]
    equations: list[EquationShape]
    answer: Letter | None
    supported: float = Field(description="The share of numbers that are not unsupported.")
    complaints: list[str] = Field(
        description="What speaks against it, and why, a sentence each.",
        examples=[["48 - 24 is 24, not 26."]],
    )


class RivalShape(BaseModel):
    """Another program that was found."""

    answer: str | None
    rationale: str
    share: float = Field(description="Of the probability of all programs found.")
    guess: bool


class SolutionShape(BaseModel):
    """A solved problem."""

    answer: str | None = Field(description="A letter; null without options.")
    value: str | None = Field(
        description="What the derivation ends in, mostly a number; null for a guess.",
        examples=["12", "x = -10 or x = 14"],
    )
    rationale: str
    program: str = Field(description="One instruction a line.", examples=[_PROGRAM])
    confidence: float = Field(
        description="How probable it is that the answer is right, from 0 to 1."
    )
    log_probability: float = Field(description="Of the program, the natural logarithm.")
    votes: dict[str, float] = Field(examples=[{"B": 0.8, "A": 0.2}])
    guess: bool = Field(
        description="Whether the answer is more probably wrong than right, or no derivation leads "
        "to it."
    )
    derived: bool = Field(description="Whether a derivation leads to the answer.")
    unread: int = Field(description="Words and signs of the problem that the model did not read.")
    exact: bool = Field(description="Whether it was computed as the question says it, by no model.")
    note: str | None = Field(
        description="Why there is no answer, or no option for it, a sentence; null where there is.",
        examples=["There is no value: nothing can be divided by zero."],
    )
    question: str = Field(description="As it was read: without LaTeX, and without its options.")
    options: list[str] = Field(description="As they were read, without labels.")
    trace: TraceShape
    rivals: list[RivalShape] = Field(description="The best first.")


class PracticeProblem(BaseModel):
    """A generated problem."""

    id: str
    question: str
    options: list[str] = Field(description="Labelled A), B), ...")
    rationale: str
    correct: str
    origin: str
    family: str
    topic: str
    style: str
    seed: int
    index: int
    operations: int
    program: str
    steps: list[str] = Field(description="The solution line by line, for hints.")


class Practice(BaseModel):
    """Generated problems."""

    problems: list[PracticeProblem]
