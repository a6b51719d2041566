"""A family: a recipe for endless problems of one kind."""

from collections.abc import Mapping
from dataclasses import dataclass

from scratchwork.families.drawing import NumberList, NumberRange
from scratchwork.families.expressions import Condition, Evaluator
from scratchwork.families.templates import Template

EQUATION = "equation"
"""The style that solves an equation, which is written only where it is asked for."""


@dataclass(frozen=True, slots=True)
class Family:
    """A recipe for problems of one kind."""

    name: str
    topic: str
    numbers: Mapping[str, NumberRange | NumberList | Evaluator]
    """How each number is drawn, or computed from those before it."""
    draw_conditions: tuple[Condition, ...]
    """What must hold of the numbers drawn."""
    step_conditions: tuple[Condition, ...]
    """What must hold of the numbers that the steps compute."""
    ask: tuple[Template, ...]
    asked: tuple[tuple[str, str], ...]
    """The numbers that some wording shows, each with its form."""
    styles: Mapping[str, tuple[Template, ...]]
    """The steps of each style, that of reference first."""
    answer: Template
    wrong: tuple[Evaluator | Template, ...]
    decimals: int
    """The most decimals a number is written with where its slot does not say."""
    only_wrong: bool
    """Whether the wrong options are exactly those named: none is made up, none of these is none."""
    used: Mapping[str, frozenset[str]]
    """For each style, the numbers that others are computed from."""
    operations: int
    """How many operations the reference steps compute with: the difficulty."""

    @property
    def reference(self) -> str:
        """The style that the others are compared with."""
        return next(iter(self.styles))

    @property
    def drawn_styles(self) -> tuple[str, ...]:
        """The styles of which one is drawn where none is asked for."""
        return tuple(style for style in self.styles if style != EQUATION)
