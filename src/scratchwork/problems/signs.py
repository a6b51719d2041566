"""The signs of arithmetic in a text, and which operation each stands for.

Promises: the one table of such signs; whoever reads calculations picks from it. `SIGNS` always mean
what they say; `LETTERS` do so between numbers, and may be unknowns elsewhere; `WORDS` are weaker
hints.
"""

from types import MappingProxyType

SIGNS = MappingProxyType(
    {"+": "Add", "^": "Power", "²": "Power", "³": "Power", "!": "Factorial", "√": "Sqrt"}
    | {"%": "Percent"}
    | dict.fromkeys("- − –".split(), "Subtract")
    | dict.fromkeys("* × ⋅ · ∗ •".split(), "Multiply")
    | dict.fromkeys("/ ÷ ⁄".split(), "Divide")
)
LETTERS = MappingProxyType({"x": "Multiply", "X": "Multiply", "C": "Choose", "P": "Permutations"})
WORDS = MappingProxyType(
    {"and": "Add", "plus": "Add", "minus": "Subtract", "times": "Multiply", "of": "Multiply"}
    | {"by": "Divide", "per": "Divide", "mod": "Remainder", "sqrt": "Sqrt", "log": "Log"}
    | {"sin": "Sine", "cos": "Cosine", "tan": "Tangent"}
)
EXPONENTS = MappingProxyType({"²": 2.0, "³": 3.0})
EQUALS = frozenset("= ≈ ≅ ≃ ~".split())
OPENING, CLOSING = frozenset("( [ {".split()), frozenset(") ] }".split())
CURRENCIES = frozenset("$ £ € ₹ ¥".split())


def signs_of(*operations: str) -> frozenset[str]:
    """The signs, letters left out, that stand for some operations."""
    return frozenset(sign for sign, operation in SIGNS.items() if operation in operations)
