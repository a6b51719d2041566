"""What a question can ask for, where it is itself mathematics.

Promises: plain data.
"""

from dataclasses import dataclass
from typing import Literal

from scratchwork.machine.trees import Tree

RelationSign = Literal["<", ">", "=", "<=", ">=", "!="]
Which = Literal["positive", "negative", "larger", "smaller"]
BLANK = "□"
"""The unknown of `7 + ? = 12`."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why something that looks like mathematics has no value."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An expression whose value is wanted, and the form that it should have, if that is said."""

    tree: Tree
    form: Literal["fraction", "decimal"] | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """Two expressions, and what is said of them."""

    left: Tree
    relation: RelationSign
    right: Tree


@dataclass(frozen=True, slots=True)
class Pair:
    """Two expressions that are to be compared."""

    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Extreme:
    """Expressions of which the largest or the smallest is wanted; none if they are the options."""

    trees: tuple[Tree, ...]
    is_largest: bool


@dataclass(frozen=True, slots=True)
class Equations:
    """Equations in unknowns."""

    equations: tuple[Claim, ...]
    conditions: tuple[Claim, ...] = ()
    """What else must hold of a root."""
    wanted: tuple[Tree, ...] = ()
    """What to compute from the roots; nothing if the roots themselves are asked for."""
    which: Which | None = None
    """Which of two roots."""


Exercise = Evaluation | Claim | Pair | Extreme | Equations | Fault
"""What is asked for, or why there is no answer."""
