"""Building a family from its table of a TOML file, with every check that needs no drawing.

Promises: the family that is returned can generate problems; a fault raises `FamilySyntaxError`, and
`reading` names the key at fault. The steps use only what has been written by then; each number is
at most two operations away from that, by operations that induction can find again, or the root of
an equation in the style for them; constants are of the documented list.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from scratchwork.families.drawing import NumberList, NumberRange, parse_numbers
from scratchwork.families.expressions import (
    FUNCTIONS,
    SOLVING_FUNCTIONS,
    Apply,
    Condition,
    Evaluator,
    Expression,
    FamilySyntaxError,
    NumberLiteral,
    compile_expression,
    count_operations,
    expression_text,
    is_root,
    names_in,
    parse_condition,
    parse_expression,
    parts_of,
)
from scratchwork.families.family import EQUATION, Family
from scratchwork.families.templates import (
    SPOKEN,
    WEEKDAY,
    NumberSlot,
    Template,
    computed,
    parse_template,
)
from scratchwork.families.words import WordLists
from scratchwork.induction.rules import may_nest
from scratchwork.machine.constants import CONSTANTS
from scratchwork.problems.tokens import is_number, tokenise

SOLUTION_STYLES = ("spelled", "terse", "algebra", "unitary", EQUATION)
FEWEST_WORDINGS = 3
MOST_OPERATIONS = 2
"""A written number is at most this many operations away from written numbers and constants."""
LONGEST_EQUATION = 24
"""An equation has at most this many operations."""

_TAKEN = {"mod", "is", "whole", *FUNCTIONS, *SOLVING_FUNCTIONS}
_KEYS = {"name", "numbers", "where", "ask", "steps", "answer", "wrong", "decimals", "only_wrong"}


class FamilyBuilder:
    """Reads one family; `reading` is the key being read, for error messages."""

    def __init__(self, row: Mapping[str, Any], topic: str, lists: WordLists) -> None:
        self.row = row
        self.topic = topic
        self.lists = lists
        self.reading = "name"

    def build(self) -> Family:
        unknown = set(self.row) - _KEYS
        if unknown:
            self.reading = min(unknown)
            raise FamilySyntaxError(f"there is no key {min(unknown)!r} in a family")
        name = self._text("name")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
            raise FamilySyntaxError("a name is lower-case words joined by hyphens")
        numbers = self._numbers()
        ask = self._wordings(set(numbers))
        given = self._given(ask)
        answer_text = self._text("answer")
        wrong_texts = self._texts("wrong", required=False)
        optional = _names_in_options(answer_text, wrong_texts) & set(numbers)
        styles = self._styles(set(numbers), given | optional, ask)
        reference = {slot.name: made for slot, made in computed(next(iter(styles.values())))}
        known = set(numbers) | set(reference)
        self.reading = "answer"
        answer = parse_template(answer_text, known, self.lists)
        self._check_answer(answer, styles, optional)
        draw_conditions, step_conditions = self._conditions(set(numbers), known)
        return Family(
            name=name,
            topic=self.topic,
            numbers=numbers,
            draw_conditions=draw_conditions,
            step_conditions=step_conditions,
            ask=ask,
            asked=tuple(
                dict.fromkeys((slot.name, slot.form) for text in ask for slot in text.numbers)
            ),
            styles=styles,
            answer=answer,
            wrong=self._wrong(wrong_texts, known, answer),
            decimals=self._whole("decimals", 2),
            only_wrong=self._flag("only_wrong"),
            used=_used(styles),
            operations=sum(map(count_operations, reference.values())),
        )

    def _text(self, key: str) -> str:
        self.reading = key
        content = self.row.get(key)
        if not isinstance(content, str) or not content.strip():
            raise FamilySyntaxError(f"{key} is missing or not a text")
        return content

    def _texts(self, key: str, required: bool = True) -> list[str]:
        self.reading = key
        content = self.row.get(key, None if required else [])
        if not isinstance(content, list) or not all(
            isinstance(text, str) for text in cast(list[Any], content)
        ):
            raise FamilySyntaxError(f"{key} is missing or not a list of texts")
        return cast(list[str], content)

    def _whole(self, key: str, default: int) -> int:
        self.reading = key
        content = self.row.get(key, default)
        if type(content) is not int or not 0 <= content <= 6:
            raise FamilySyntaxError(f"{key} is a whole number from 0 to 6")
        return content

    def _flag(self, key: str) -> bool:
        self.reading = key
        content = self.row.get(key, False)
        if not isinstance(content, bool):
            raise FamilySyntaxError(f"{key} is true or false")
        return content

    def _numbers(self) -> dict[str, NumberRange | NumberList | Evaluator]:
        self.reading = "numbers"
        table = self.row.get("numbers")
        if not isinstance(table, dict) or not table:
            raise FamilySyntaxError("numbers is missing: a table of names and ranges")
        numbers: dict[str, NumberRange | NumberList | Evaluator] = {}
        for name, text in cast(dict[str, Any], table).items():
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
                raise FamilySyntaxError(f"{name!r} is not a valid name for a number")
            if name in self.lists or name in _TAKEN:
                raise FamilySyntaxError(f"{name} already means something else; choose another name")
            if not isinstance(text, str):
                raise FamilySyntaxError(f"{name}: a range is a text such as '2..9'")
            if text.strip().startswith("="):
                expression = parse_expression(text.strip()[1:])
                _require(
                    names_in(expression) <= set(numbers), f"{name} uses a number not yet named"
                )
                numbers[name] = compile_expression(expression)
            else:
                numbers[name] = parse_numbers(text)
        return numbers

    def _wordings(self, numbers: set[str]) -> tuple[Template, ...]:
        texts = self._texts("ask")
        if len(set(texts)) < FEWEST_WORDINGS:
            raise FamilySyntaxError(f"ask needs at least {FEWEST_WORDINGS} different wordings")
        return tuple(parse_template(text, numbers, self.lists) for text in texts)

    def _given(self, ask: Sequence[Template]) -> set[str]:
        """The numbers that every wording of the question gives."""
        given = [{slot.name for slot in template.numbers} for template in ask]
        return given[0].intersection(*given[1:])

    def _styles(
        self, numbers: set[str], given: set[str], ask: Sequence[Template]
    ) -> dict[str, tuple[Template, ...]]:
        self.reading = "steps"
        content: Any = self.row.get("steps")
        table = cast(dict[str, Any], {"spelled": content} if isinstance(content, list) else content)
        if not isinstance(table, dict) or not table:  # pyright: ignore
            raise FamilySyntaxError("steps is missing: a list of texts, or a table of styles")
        styles: dict[str, tuple[Template, ...]] = {}
        for style, texts in table.items():
            self.reading = "steps" if isinstance(content, list) else style
            if style not in SOLUTION_STYLES:
                raise FamilySyntaxError(
                    f"there is no style {style!r}; see {', '.join(SOLUTION_STYLES)}"
                )
            if not isinstance(texts, list) or not texts:
                raise FamilySyntaxError(f"the steps of {style} are a list of texts")
            _require(
                bool(styles) or style != EQUATION,
                "equation is no style of reference; put another style before it",
            )
            styles[style] = self._steps(cast(list[str], texts), numbers, given, style)
        if "terse" not in styles:
            styles["terse"] = _formulas(ask, next(iter(styles.values())))
        return styles

    def _steps(
        self, texts: list[str], numbers: set[str], given: set[str], style: str
    ) -> tuple[Template, ...]:
        written = set(given)
        known = set(numbers)
        steps: list[Template] = []
        for text in texts:
            step = parse_template(text, known, self.lists, computes=True)
            for literal in step.texts():
                self._check_constants({t for t in tokenise(literal) if is_number(t)})
            for slot in step.all_slots():
                if isinstance(slot, NumberSlot):
                    self._check_slot(slot, written, style)
                    written.add(slot.name)
                    known.add(slot.name)
            steps.append(step)
        _require(
            style != EQUATION or any(is_root(expression) for _, expression in computed(steps)),
            "the steps of equation solve none; write {x = solve(2 * x + a, b)} for its root",
        )
        return tuple(steps)

    def _check_slot(self, slot: NumberSlot, written: set[str], style: str) -> None:
        if slot.expression is None:
            _require(
                slot.name in written,
                f"{slot.name} is written in the steps, but not every question gives it: compute it",
            )
            return
        unwritten = names_in(slot.expression) - written
        _require(
            not unwritten,
            f"{', '.join(sorted(unwritten))} is used before a step or every question writes it",
        )
        count = count_operations(slot.expression)
        if is_root(slot.expression):
            _require(style == EQUATION, f"{slot.name} is a root; only the style equation has them")
            _require(count <= LONGEST_EQUATION, f"the equation of {slot.name} is too long")
        elif style != "terse":
            _require(
                count <= MOST_OPERATIONS,
                f"{slot.name} is {count} operations away from what is written; "
                "write a number between",
            )
            if slot.form != WEEKDAY:
                _check_nesting(slot.expression)
        self._check_constants(
            {part.text for part in parts_of(slot.expression) if isinstance(part, NumberLiteral)}
        )

    def _check_constants(self, numerals: set[str]) -> None:
        strange = numerals - set(CONSTANTS)
        if strange:
            raise FamilySyntaxError(
                f"{min(strange)} is not a constant (see docs/families.md); "
                "make it one of the numbers"
            )

    def _check_answer(
        self, answer: Template, styles: Mapping[str, tuple[Template, ...]], optional: set[str]
    ) -> None:
        needed = {slot.name for slot in answer.numbers}
        for style, steps in styles.items():
            having = {slot.name for step in steps for slot in step.numbers}
            missing = needed - having
            _require(
                not missing or (missing <= optional and style == "terse"),
                f"the answer's {', '.join(sorted(missing))} is not written in the {style} steps",
            )

    def _conditions(
        self, numbers: set[str], known: set[str]
    ) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
        drawn: list[Condition] = []
        computed: list[Condition] = []
        for text in self._texts("where", required=False):
            condition, names = parse_condition(text)
            _require(names <= known, f"{text!r} uses an unknown number")
            (drawn if names <= numbers else computed).append(condition)
        return tuple(drawn), tuple(computed)

    def _wrong(
        self, texts: Sequence[str], known: set[str], answer: Template
    ) -> tuple[Evaluator | Template, ...]:
        self.reading = "wrong"
        several = len(answer.numbers) != 1
        wrong: list[Evaluator | Template] = []
        for text in texts:
            if "{" in text or several:
                wrong.append(parse_template(text, known, self.lists))
                continue
            expression = parse_expression(text)
            _require(names_in(expression) <= known, f"{text!r} uses an unknown number")
            wrong.append(compile_expression(expression))
        return tuple(wrong)


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise FamilySyntaxError(complaint)


def _used(styles: Mapping[str, Sequence[Template]]) -> dict[str, frozenset[str]]:
    """For each style, the numbers that others are computed from.

    Any of the drawn styles may be drawn for the same numbers, so they share them.
    """
    names = {
        style: {name for _, expression in computed(steps) for name in names_in(expression)}
        for style, steps in styles.items()
    }
    drawn = frozenset[str]().union(*(names[style] for style in styles if style != EQUATION))
    return {style: drawn | names[style] for style in styles}


def _check_nesting(expression: Expression) -> None:
    """Refuse what induction could not find again: see `rules`."""
    if not isinstance(expression, Apply):
        return
    outer = expression.operation
    if outer in ("Min", "Max"):
        raise FamilySyntaxError("min and max only repeat a number; write the one that is meant")
    for argument in expression.arguments:
        if isinstance(argument, Apply) and not may_nest(outer, argument.operation):
            raise FamilySyntaxError(
                f"{outer} of the result of {argument.operation} cannot be found "
                "again; write a number between"
            )


def _names_in_options(answer: str, wrong: Sequence[str]) -> set[str]:
    """What the options name, of which the steps may speak when the options are tested."""
    return set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", " ".join([answer, *wrong])))


def _formulas(ask: Sequence[Template], steps: Sequence[Template]) -> tuple[Template, ...]:
    """Terse steps: every number computed, as formula and result."""
    forms: dict[str, str] = {}
    spoken: set[str] = set()
    for template in (*ask, *steps):
        for slot in template.numbers:
            if slot.form not in SPOKEN and slot.form not in ("ordinal", "times"):
                forms.setdefault(slot.name, slot.form)
            else:
                spoken.add(slot.name)
    forms = dict.fromkeys(spoken, "") | forms
    fractions = frozenset(name for name, form in forms.items() if form == "fraction")
    lines: list[Template] = []
    for slot, expression in computed(steps):
        formula = parse_template(expression_text(expression, fractions), set(forms), {})
        parts = [
            NumberSlot(part.name, forms[part.name]) if isinstance(part, NumberSlot) else part
            for part in formula.parts
        ]
        lines.append(Template((*parts, " = ", slot)))
    return tuple(lines)
