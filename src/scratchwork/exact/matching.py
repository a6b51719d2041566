"""Which option says what was computed.

Promises: `option_that_says` gives the letter of the option that has the value as a whole: `3/8` for
0.375, `fifty-six`, `x = 3`, `x = 2, y = 3`, `14 or -10`, `yes`, `None of these`. A number inside an
option counts for nothing, nor does one that is merely near. Of equal options, the one written like
the answer is meant, else none.

Does not cover: roundings and units.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scratchwork.exact.clauses import tree_or_none
from scratchwork.exact.no_value import BeyondError
from scratchwork.machine.lexing import Lexeme, lexemes_of
from scratchwork.machine.trees import Tree, letters_of, moved
from scratchwork.machine.written_values import values_of_lexemes, without_label
from scratchwork.problems.problem import LETTERS, Problem
from scratchwork.problems.tokens import tokenise

_NONE = ("none of these", "none of above", "none of those", "none")
_NO_VALUE = frozenset("undefined impossible meaningless".split())
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Said:
    """An answer as text, and what it stands for."""

    text: str = ""
    values: tuple[float, ...] = ()
    """The number, or the numbers that are possible."""
    unknowns: tuple[Mapping[str, float], ...] = ()
    """The numbers of the unknowns, in each case."""
    is_percentage: bool = False
    none: str = ""
    """Why there is no value."""
    nouns: frozenset[str] = frozenset()
    """Words that may stand behind the number in an option, as `ways` in `360 ways`."""
    fits: Callable[[Sequence[Lexeme]], bool] | None = None
    """Whether an option says it, where it is neither a number nor an equation."""


def option_that_says(options: Sequence[str], said: Said) -> str | None:
    """The letter of the option that says it; None if none does, or more than one."""
    fitting = [
        letter for letter, option in zip(LETTERS, options, strict=False) if _fits(option, said)
    ]
    if len(fitting) > 1:
        plain = said.text.replace(" ", "")
        alike = [one for one in fitting if _bare(options[LETTERS.index(one)]) == plain]
        fitting = alike or _one_root(fitting, options, said)
    if fitting:
        return fitting[0] if len(fitting) == 1 else None
    if said.none:
        return None
    texts = [_plain(option) for option in options]
    return next((LETTERS[k] for k, text in enumerate(texts) if text in _NONE), None)


def _one_root(fitting: list[str], options: Sequence[str], said: Said) -> list[str]:
    """Where options are roots by themselves and one is all of them, that one."""
    whole = [
        one for one in fitting if len(_numbers(options[LETTERS.index(one)])) == len(said.values)
    ]
    return whole if len(said.values) > 1 else fitting


def value_of_option(option: str) -> Tree | None:
    """The expression that an option is, if it has no unknown."""
    tree = tree_or_none(without_label(lexemes_of(option)))
    return None if tree is None or letters_of(tree) else tree


def trees_of_options(problem: Problem) -> tuple[Tree, ...]:
    """The expressions that all options are, of two or more."""
    trees: list[Tree] = []
    before = len(tokenise(problem.question))
    for option in problem.options:
        tree = value_of_option(option)
        if tree is None:
            break
        trees.append(moved(tree, before + 2))
        before += 2 + len(tokenise(option))
    if len(trees) < max(len(problem.options), 2):
        raise BeyondError
    return tuple(trees)


def _plain(option: str) -> str:
    words = [lexeme.text.lower() for lexeme in without_label(lexemes_of(option))]
    return " ".join(words).removesuffix(" .")


def _bare(option: str) -> str:
    return "".join(lexeme.text for lexeme in without_label(lexemes_of(option)))


def _fits(option: str, said: Said) -> bool:
    plain = _plain(option)
    if said.none:
        is_no_solution = plain == "no solution" and "no solution" in said.none
        is_undefined = plain in _NO_VALUE and "no value" in said.none.lower()
        return is_no_solution or is_undefined
    if said.fits is not None:
        return said.fits(without_label(lexemes_of(option)))
    if not said.values and not said.unknowns:
        return plain == said.text.lower()
    equations = _equations(option)
    if equations and said.unknowns:
        return any(_same_numbers(equations, case) for case in said.unknowns)
    if len(said.unknowns) == 1 and len(said.unknowns[0]) > 1:
        return False
    lexemes = _without_nouns(without_label(lexemes_of(option)), said.nouns)
    whole = _values_of(lexemes, said.is_percentage)
    if whole:
        return any(_same(a, b) for a in whole for b in said.values)
    numbers = _numbers(option, said.is_percentage)
    return 1 < len(numbers) == len(said.values) and all(
        any(_same(number, value) for value in said.values) for number in numbers
    )


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= _TOLERANCE * max(abs(a), abs(b), 1.0)


def _same_numbers(a: Mapping[str, float], b: Mapping[str, float]) -> bool:
    return a.keys() == b.keys() and all(_same(a[name], b[name]) for name in a)


def _numbers(option: str, is_percentage: bool = False) -> list[float]:
    """The numbers that an option gives: one, or several with `or` or commas between them."""
    lexemes = without_label(lexemes_of(option))
    whole = _values_of(lexemes, is_percentage)
    if whole:
        return whole[:1]
    parts = [_values_of(part, is_percentage) for part in _parts(lexemes)]
    return [values[0] for values in parts] if all(parts) else []


def _without_nouns(lexemes: list[Lexeme], nouns: frozenset[str]) -> list[Lexeme]:
    while len(lexemes) > 1 and lexemes[-1].text in nouns:
        lexemes = lexemes[:-1]
    return lexemes


def _values_of(part: Sequence[Lexeme], is_percentage: bool = False) -> list[float]:
    """The numbers that an option or a part of one may stand for; hundredths, where it is in percent
    and the answer is not."""
    is_in_hundredths = part and part[-1].text in ("%", "percent") and not is_percentage
    return [value / 100 if is_in_hundredths else value for value in values_of_lexemes(part)]


def _equations(option: str) -> dict[str, float]:
    """What an option such as `x = 2, y = 3` says of unknowns."""
    found: dict[str, float] = {}
    for part in _parts(without_label(lexemes_of(option))):
        if len(part) < 3 or part[0].kind != "letter" or part[1].text != "=":
            return {}
        values = _values_of(part[2:])
        if not values:
            return {}
        found[part[0].text] = values[0]
    return found


def _parts(lexemes: Sequence[Lexeme]) -> list[list[Lexeme]]:
    parts: list[list[Lexeme]] = [[]]
    for lexeme in lexemes:
        if lexeme.text in (",", "or", "and"):
            parts.append([])
        else:
            parts[-1].append(lexeme)
    return parts
