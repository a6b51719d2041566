"""Auditing a rationale: which numbers are supported, which equations are false, and whether the
letter follows.

Promises: every number gets a status. `copied`: it stands in the problem or earlier in the text;
`computed`: an operation the text names, or one on nearby numbers, gives it; `constant`: it is a
documented constant; `unsupported`: none of these. Every written equation is judged.
`answer.follows` is true if a supported number of the rationale is the stated option and no other,
false if numbers point to other options only, and null if that cannot be decided. Every fault comes
with a sentence that says why. Markdown and LaTeX are understood: `Audit.read` is the problem
without markup, and every position counts its tokens.

Support is weak evidence, since a wrong number often finds some explanation; so an explanation
counts only if the text backs it (see `_is_backed`). False equations and letters that do not follow
are strong evidence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from scratchwork.auditing.conclusions import contradiction, is_rounded_to
from scratchwork.auditing.equations import Equation, equations_in
from scratchwork.auditing.reasons import Miss, why_not, why_unsupported
from scratchwork.auditing.sayings import sayings_in
from scratchwork.induction.choosing import choose_paths
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, Path, TokenPaths, induce
from scratchwork.induction.roots import EquationStep
from scratchwork.induction.statements import letter_positions, stated_before
from scratchwork.machine.operations import EXTENDED, OperationError
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.writing import writing
from scratchwork.problems.bounds import BOUNDS, Bounds
from scratchwork.problems.markup import plain_text, without_latex
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.signs import EQUALS
from scratchwork.problems.tokens import END_OF_RATIONALE, is_number, source_tokens, tokenise

NumberStatus = Literal["copied", "computed", "constant", "unsupported"]

_BEFORE_NEGATIVE = EQUALS | frozenset("( , : is about".split()) | {"\n"}
NEAR_TOKENS = 60
"""Operands written at most this many tokens before a result count as nearby."""


@dataclass(frozen=True, slots=True)
class NumberAudit:
    """What the audit finds out about one number of the rationale."""

    token: str
    position: int
    """Its place among the rationale's tokens, from 1."""
    status: NumberStatus
    how: str
    """The cell it is copied from, or the calculation: `Choose(x5, y17)`."""
    sources: tuple[str, ...]
    """The cells it comes from."""
    why: str = ""
    """If it is unsupported: a sentence that says what was tried."""


@dataclass(frozen=True, slots=True)
class AnswerAudit:
    """What the audit finds out about the stated letter."""

    letter: str
    follows: bool | None
    why: str = field(default="", compare=False)
    """A sentence that says what follows instead, if it does not."""


@dataclass(frozen=True)
class Audit:
    """The audit of one rationale."""

    problem: Problem
    read: Problem
    """The problem as it was read: without markup."""
    source: tuple[str, ...]
    tokens: tuple[str, ...]
    numbers: tuple[NumberAudit, ...]
    equations: tuple[Equation, ...]
    answer: AnswerAudit | None

    @property
    def supported(self) -> float:
        """The share of numbers that are supported."""
        if not self.numbers:
            return 1.0
        return sum(number.status != "unsupported" for number in self.numbers) / len(self.numbers)

    @property
    def false_equations(self) -> tuple[Equation, ...]:
        """The equations that do not hold."""
        return tuple(equation for equation in self.equations if not equation.holds)

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the rationale."""
        follows = self.answer is None or self.answer.follows is not False
        return self.supported == 1 and not self.false_equations and follows

    @property
    def complaints(self) -> tuple[str, ...]:
        """What speaks against the rationale, a sentence each.

        A false equation and its unsupported result share one sentence.
        """
        said = [equation.why for equation in self.equations]
        said += [number.why for number in self.numbers]
        said.append("" if self.answer is None else self.answer.why)
        return tuple(dict.fromkeys(filter(None, said)))

    def to_json(self) -> dict[str, Any]:
        """The audit as an object of stable form."""
        said = ("token", "position", "status", "how", "why")
        return {
            "id": self.problem.id,
            "question": self.read.question,
            "options": list(self.read.options),
            "rationale": self.read.rationale,
            "numbers": [{name: getattr(number, name) for name in said} for number in self.numbers],
            "equations": [{"text": e.text, "holds": e.holds, "why": e.why} for e in self.equations],
            "answer": None if self.answer is None else asdict(self.answer),
            "supported": round(self.supported, 4),
            "complaints": list(self.complaints),
        }


def readable(problem: Problem) -> Problem:
    """The problem without markup; a text that is nothing but markup stays."""
    return replace(
        problem,
        question=without_latex(problem.question) or problem.question,
        options=tuple(without_latex(option) or option for option in problem.options),
        rationale=plain_text(problem.rationale or ""),
    )


def numbers_to_audit(problem: Problem) -> int:
    """How many numbers an audit would read; its time grows faster than their square."""
    read = readable(problem)
    return sum(map(is_number, source_tokens(read) + tokenise(read.rationale or "")))


def audit(problem: Problem, bounds: Bounds = BOUNDS) -> Audit:
    """Audit a problem's rationale."""
    read = readable(problem)
    lattice = induce(read, EXTENDED, bounds=bounds)
    paths = choose_paths(lattice)
    end = lattice.output.index(END_OF_RATIONALE)
    written = lattice.output[:end]
    equations = tuple(
        sorted((*equations_in(written), *sayings_in(written)), key=lambda one: one.start)
    )
    numbers = tuple(_numbers(lattice, paths, end, equations))
    return Audit(
        problem,
        read,
        tuple(lattice.source),
        tuple(written),
        numbers,
        equations,
        _answer(read, lattice, written, numbers),
    )


def _numbers(
    lattice: Lattice, paths: list[Path | None], end: int, equations: Sequence[Equation]
) -> Iterator[NumberAudit]:
    """The audit of each number; a true equation computes its result, nothing that of a false."""
    results = {e.result + 1: e for e in equations if e.result is not None}
    refuted = {position: e.why for position, e in results.items() if not e.holds}
    options = {f"x{k}" for k in range(lattice.question_length + 1, len(lattice.source) + 1)}
    asked = filter(is_number, reversed(lattice.source[: lattice.question_length]))
    before = dict.fromkeys(reversed(dict.fromkeys(asked)))  # the one that stood last comes last
    for position, (token, path) in enumerate(
        zip(lattice.output[:end], paths[:end], strict=True), 1
    ):
        if is_number(token):
            is_computed = path is not None and path.how == "compute"
            kept = None if is_computed and position in refuted else path
            status, how, sources = _explained(lattice, position, kept)
            is_stated = position in results and position not in refuted
            if is_stated and (status == "unsupported" or how in options):
                status, how, sources = _stated(lattice, results[position])
            why = ""
            if status == "unsupported":
                why = refuted.get(position) or _why_unsupported(
                    lattice, position, list(reversed(before))
                )
            before.pop(token, None)
            before[token] = None
            yield NumberAudit(token, position, status, how, sources, why)


def _stated(lattice: Lattice, equation: Equation) -> tuple[NumberStatus, str, tuple[str, ...]]:
    """The result of a true equation, computed from the numbers of its other side."""
    assert equation.result is not None
    words: list[str] = []
    sources: dict[str, None] = {}
    signs = [k for k in range(equation.start, equation.result) if lattice.output[k] in EQUALS]
    sign = max(signs, default=equation.result - 1)
    for token in lattice.output[equation.start : sign]:
        value = number_of(token) if is_number(token) else None
        words.append(token if value is None else _cell(lattice, value, equation.result))
        sources |= {} if value is None else {words[-1]: None}
    return "computed", " ".join(words), tuple(sources)


def _why_unsupported(lattice: Lattice, position: int, operands: list[str]) -> str:
    paths = lattice.tokens[position - 1]
    return why_unsupported(paths.token, _miss(lattice, paths), operands)


def _miss(lattice: Lattice, paths: TokenPaths) -> Miss:
    if lattice.has_cell(paths.token, paths.position):
        return "option"
    if paths.target is None or writing(paths.target, paths.token, EXTENDED) is None:
        return "spelling"
    is_far = any(path.how == "compute" for path in lattice.short_paths(paths))
    return "far" if is_far else "everything"


def _explained(
    lattice: Lattice, position: int, path: Path | None
) -> tuple[NumberStatus, str, tuple[str, ...]]:
    if path is None:
        return "unsupported", "", ()
    if path.how == "word":
        return "constant", "", ()
    if path.how == "copy":
        cell = str(lattice.nearest_cell(path.text, position))
        return "copied", cell, (cell,)
    if path.how == "convert":
        assert isinstance(path.number, float)
        cell = _cell(lattice, path.number, position)
        return "copied", cell, (cell,)
    assert isinstance(path.number, Derivation | EquationStep)
    if isinstance(path.number, Derivation) and not _is_backed(lattice, position, path.number):
        return "unsupported", "", ()
    return (
        "computed",
        _written(lattice, path.number, position),
        tuple(dict.fromkeys(_cell(lattice, v, position) for v in path.number.leaves())),
    )


def _is_backed(lattice: Lattice, position: int, step: Derivation) -> bool:
    """Whether the text supports a calculation.

    It does if the expression right before the number has its numbers. Otherwise a single operation
    counts if its numbers are nearby or in the question, two operations only if all their numbers
    stand in the same line or sentence.
    """
    statement = stated_before(lattice.output, position - 1)
    leaves = set(step.leaves())
    if statement is not None and leaves <= statement.allowed():
        return True
    rounds = step.operation == "Round"  # which is a way of writing rather than a calculation
    if step.count() - rounds <= 1:
        return all(_is_near(lattice, value, position) for value in leaves)
    sentence = max(lattice.last_token(mark, position) for mark in ("\n", "."))
    return all(lattice.last_written(value, position) > sentence for value in leaves)


def _is_near(lattice: Lattice, value: float, position: int) -> bool:
    if lattice.nearest_place(value, position) is None:  # a constant
        return True
    return (
        lattice.is_in_problem(value)
        or lattice.last_written(value, position) >= position - NEAR_TOKENS
    )


def _cell(lattice: Lattice, value: float, position: int) -> str:
    """The best place to read a number from, or the constant itself."""
    best = lattice.best_reference(value, position)
    return f'"{value:g}"' if best is None else str(best[0])


def _written(lattice: Lattice, step: float | str | Derivation | EquationStep, position: int) -> str:
    """A calculation with the cells of its numbers and the letters of its unknowns."""
    if isinstance(step, str):
        return step
    if not isinstance(step, Derivation | EquationStep):
        return _cell(lattice, step, position)
    arguments = (_written(lattice, argument, position) for argument in step.arguments)
    return f"{step.operation}({', '.join(arguments)})"


def _answer(
    problem: Problem, lattice: Lattice, tokens: list[str], numbers: tuple[NumberAudit, ...]
) -> AnswerAudit | None:
    """Whether the stated letter follows; the letter of the problem counts if none is stated.

    A number that was only copied from the options says nothing for the option it is.
    """
    if not problem.options:
        return None
    letter = stated_letter(tokens, problem.letters) or problem.correct
    if letter is None:
        return None
    index = OptionIndex(problem.options)
    contradicted = contradiction(tokens, letter, index)
    if contradicted:
        return AnswerAudit(letter, False, contradicted)
    from_options = {f"x{k}" for k in range(lattice.question_length + 1, len(lattice.source) + 1)}
    supported = [
        _with_sign(number, tokens)
        for number in numbers
        if number.status != "unsupported" and not from_options.issuperset(number.sources or ("",))
    ]
    named = dict(_letters_of(supported, index))
    option = problem.options[problem.letters.index(letter)]
    numerals = [token for token in tokenise(option) if is_number(token)]
    has_all = len(numerals) > 1 and set(numerals) <= set(supported)
    if letter in named.values() or has_all or is_rounded_to(tokens, letter, option):
        return AnswerAudit(letter, True)
    if not named or not numerals:
        return AnswerAudit(letter, None)
    last = next(token for token in reversed(supported) if token in named)
    why = why_not(letter, option, last, named[last], is_last=last == supported[-1])
    return AnswerAudit(letter, False, why)


def _with_sign(number: NumberAudit, tokens: list[str]) -> str:
    """A number of the rationale as it is written, with the minus sign that belongs to it."""
    k = number.position - 1
    is_negative = k > 1 and tokens[k - 1] == "-" and tokens[k - 2] in _BEFORE_NEGATIVE
    return f"-{number.token}" if is_negative else number.token


def _letters_of(numerals: list[str], index: OptionIndex) -> Iterator[tuple[str, str]]:
    """The numerals that name options, each with the letter."""
    for numeral in dict.fromkeys(numerals):
        try:
            yield numeral, index.check_by_value(numeral)
        except OperationError:
            continue


def stated_letter(tokens: list[str], letters: str) -> str | None:
    """The letter that a rationale states last, if it states one."""
    stated = {
        position: letter for letter in letters for position in letter_positions(tokens, letter)
    }
    return stated[max(stated)] if stated else None
