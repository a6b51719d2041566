"""The signs of arithmetic in a text, and which operation each stands for.

Promises: the one table of such signs. `SIGNS` always mean their operation; `LETTER_SIGNS` do so
between numbers, but may be unknowns elsewhere; `WORD_SIGNS` are weaker hints.
"""

from types import MappingProxyType

SIGNS = MappingProxyType(
    {"+": "Add", "^": "Power", "²": "Power", "³": "Power", "!": "Factorial", "√": "Sqrt"}
    | {"%": "Percent"}
    | dict.fromkeys("- − –".split(), "Subtract")
    | dict.fromkeys("* × ⋅ · ∗ •".split(), "Multiply")
    | dict.fromkeys("/ ÷ ⁄".split(), "Divide")
)
LETTER_SIGNS = MappingProxyType(
    {"x": "Multiply", "X": "Multiply", "C": "Choose", "P": "Permutations"}
)
WORD_SIGNS = MappingProxyType(
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
