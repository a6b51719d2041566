"""Texts with slots: the wordings, steps and answers of a family.

`{price}` writes a number, `{price:,}` with thousands separators, `{price:.2}` with two decimals,
`{f:fraction}` as a/b; `{n:word}`, `{n:Word}`, `{k:times}`, `{n:ordinal}`, `{d:weekday}` in words.
`{cut = price * off / 100}` computes a number and writes it; an expression without a name does too.
`{x = solve(2 * x + a, b)}` writes the root of an equation.
`{name}`, `{item.plural}`, `{a item}`, `{A item}`, `{name2.his}` are words of the shared lists, and
`{count item}` is a number with its noun in agreement. `[buys|purchases]` is one of the two; square
brackets without a bar are brackets.

Promises: `parse_template` raises `FamilySyntaxError` on a text that is wrong; a template renders to
text together with the place of every number in it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from scratchwork.families.drawing import Draw
from scratchwork.families.expressions import (
    Evaluator,
    Expression,
    FamilySyntaxError,
    Name,
    compile_expression,
    parse_expression,
    parse_solution,
)
from scratchwork.families.words import (
    WordForms,
    WordLists,
    as_ordinal,
    as_times,
    as_weekday,
    in_words,
    with_article,
)
from scratchwork.problems.numerals import (
    write_decimal,
    write_fraction,
    write_number,
    write_thousands,
)

SPOKEN = {"word", "Word", "weekday"}
"""Forms in which a number is not written in digits."""
WEEKDAY = "weekday"
"""The one spoken form in which a number may be computed."""

_WORDS = {"word": in_words, "times": as_times, "ordinal": as_ordinal, WEEKDAY: as_weekday}
_FORM = re.compile(r",|\.[0-6]|fraction|word|Word|times|ordinal|weekday")
_SLOT_OR_ALTERNATIVES = re.compile(r"\{([^{}]*)\}|\[([^\[\]]*\|[^\[\]]*)\]")
_DEFINITION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*([^=].*)")
_WORD_SLOT = re.compile(r"(?:(a|an|A|An) )?([a-z]+)([0-9]?)(?:\.(plural|he|his|him|He|His))?")
_ARTICLE = re.compile(r"(?<![\w'’-])(a|an|A|An) $")
_COUNTED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*) ([a-z]+)([0-9]?)")


@dataclass(frozen=True, slots=True)
class NumberSlot:
    """Where a number is written."""

    name: str
    form: str
    expression: Expression | None = None
    """How the number is computed, where this slot is the first to write it."""
    evaluate: Evaluator | None = None


@dataclass(frozen=True, slots=True)
class WordSlot:
    """Where a word of a shared list is written."""

    entries: tuple[WordForms, ...]
    which: str
    """Which draw from the list: slots that agree in this get the same word."""
    form: str
    article: str = ""
    counted_by: str = ""
    """The number that decides between singular and plural."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Several texts, one of which is written."""

    choices: tuple["Template", ...]


TemplatePart = str | NumberSlot | WordSlot | Alternatives


@dataclass(frozen=True)
class Template:
    """A text with slots."""

    parts: tuple[TemplatePart, ...]

    @cached_property
    def numbers(self) -> tuple[NumberSlot, ...]:
        """The number slots that are written whatever alternative is chosen, in order."""
        return tuple(part for part in self.parts if isinstance(part, NumberSlot))

    def texts(self) -> Iterator[str]:
        """The text between the slots, of all alternatives."""
        for part in self.parts:
            if isinstance(part, str):
                yield part
            elif isinstance(part, Alternatives):
                for choice in part.choices:
                    yield from choice.texts()

    def all_slots(self) -> Iterator[NumberSlot | WordSlot]:
        """All slots, of all alternatives."""
        for part in self.parts:
            if isinstance(part, Alternatives):
                for choice in part.choices:
                    yield from choice.all_slots()
            elif not isinstance(part, str):
                yield part


def computed(steps: Iterable[Template]) -> Iterator[tuple[NumberSlot, Expression]]:
    """The slots of some steps that compute a number, each with its expression."""
    for step in steps:
        for slot in step.numbers:
            if slot.expression is not None:
                yield slot, slot.expression


Mark = tuple[int, int, NumberSlot]
"""The start and end of a number's digits in a rendered text, and the slot that wrote it."""


@dataclass(slots=True)
class Rendering:
    """A text being written."""

    draw: Draw
    values: Mapping[str, float]
    words: dict[str, WordForms] = field(default_factory=dict[str, WordForms])
    pieces: list[str] = field(default_factory=list[str])
    marks: list[Mark] = field(default_factory=list[Mark])
    length: int = 0

    def fresh(self) -> "Rendering":
        """Another text of the same story: same numbers, same words."""
        return Rendering(self.draw, self.values, self.words)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    def write(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)

    def render(self, template: Template) -> None:
        """Write a template at the end of the text."""
        for part in template.parts:
            if isinstance(part, str):
                self.write(part)
            elif isinstance(part, NumberSlot):
                self._number(part)
            elif isinstance(part, WordSlot):
                word = self._word(part)
                self._agree_article(word)
                self.write(word)
            else:
                self.render(self.draw.pick(part.choices))

    def _agree_article(self, word: str) -> None:
        """Turn an `a` right before a word into `an`, or back, as its first sound asks for."""
        before = self.pieces[-1] if self.pieces else ""
        match = _ARTICLE.search(before)
        if match is not None:
            article = with_article(word).partition(" ")[0]
            if match[1][0] == "A":
                article = article.capitalize()
            agreed = before[: match.start(1)] + article + " "
            self.length += len(agreed) - len(before)
            self.pieces[-1] = agreed

    def _number(self, slot: NumberSlot) -> None:
        text = write_as(slot.form, self.values[slot.name])
        self._agree_article(text)
        if slot.form not in SPOKEN or slot.form == WEEKDAY:
            digits = text
            if slot.form in ("ordinal", "times"):
                digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
            if digits:
                self.marks.append((self.length, self.length + len(digits), slot))
        self.write(text)

    def _word(self, slot: WordSlot) -> str:
        word = self.words.get(slot.which)
        if word is None:
            taken = {other["one"] for other in self.words.values()}
            word = self.draw.pick(slot.entries)
            while word["one"] in taken:
                word = self.draw.pick(slot.entries)
            self.words[slot.which] = word
        form = slot.form
        if slot.counted_by:
            form = "one" if self.values[slot.counted_by] == 1 else "plural"
        text = word[form]
        if slot.article:
            text = with_article(text)
            return text[0].upper() + text[1:] if slot.article[0] == "A" else text
        return text


def write_as(form: str, value: float) -> str:
    """A number in one of the forms of a slot."""
    if form == "":
        return write_number(value)
    if form == ",":
        return write_thousands(value) if value >= 1000 else write_number(value)
    if form[0] == ".":
        return write_decimal(value, int(form[1]))
    if form == "fraction":
        return write_number(value) if value.is_integer() else write_fraction(value)
    words = _WORDS[form.lower()](value)
    return words.capitalize() if form == "Word" else words


def parse_template(
    text: str, numbers: Set[str], lists: WordLists, computes: bool = False
) -> Template:
    """The template of a text; `numbers` are the names known by then.

    Where `computes` is set (in steps), slots may compute; what they name is known from there on.
    """
    return Template(tuple(_Reader(set(numbers), lists, computes).parts(text)))


class _Reader:
    """Reads a template; knows the names of numbers and of word lists."""

    def __init__(self, known: set[str], lists: WordLists, computes: bool) -> None:
        self.known = known
        self.lists = lists
        self.computes = computes

    def parts(self, text: str) -> Iterator[TemplatePart]:
        at = 0
        for match in _SLOT_OR_ALTERNATIVES.finditer(text):
            if match.start() > at:
                yield _plain(text[at : match.start()])
            at = match.end()
            if match[1] is not None:
                yield from self._slot(match[1].strip())
            else:
                inner = _Reader(self.known, self.lists, computes=False)
                choices = match[2].split("|")
                yield Alternatives(tuple(Template(tuple(inner.parts(c))) for c in choices))
        if at < len(text):
            yield _plain(text[at:])

    def _slot(self, content: str) -> Iterator[TemplatePart]:
        body, _, form = content.rpartition(":") if ":" in content else (content, "", "")
        body, form = body.strip(), form.strip()
        if form and _FORM.fullmatch(form) is None:
            raise FamilySyntaxError(f"{{{content}}}: there is no form {form!r} of a number")
        if body in self.known:
            yield NumberSlot(body, form)
            return
        counted = None if body.startswith(("a ", "A ")) else _COUNTED.fullmatch(body)
        if counted and counted[1] in self.known and counted[2] in self.lists:
            entries = self.lists[counted[2]]
            yield NumberSlot(counted[1], form)
            yield " "
            yield WordSlot(entries, counted[2] + counted[3], "plural", counted_by=counted[1])
            return
        word = _WORD_SLOT.fullmatch(body)
        if word and word[2] in self.lists and not form:
            yield self._word_slot(word, content)
        elif self.computes:
            yield self._computed(body, form)
        else:
            raise FamilySyntaxError(
                f"{{{content}}} is neither a number of the family nor a word list"
            )

    def _word_slot(self, word: re.Match[str], content: str) -> WordSlot:
        form = word[4] or "one"
        entries = self.lists[word[2]]
        if form not in entries[0]:
            raise FamilySyntaxError(f"{{{content}}}: the words of {word[2]} have no form {form!r}")
        if word[3] and int(word[3]) > len(entries):
            raise FamilySyntaxError(f"{{{content}}}: {word[2]} has only {len(entries)} words")
        return WordSlot(entries, word[2] + word[3], form, word[1] or "")

    def _computed(self, body: str, form: str) -> NumberSlot:
        if form in SPOKEN and form != WEEKDAY:
            raise FamilySyntaxError(f"{{{body}}}: a computed number is written in digits")
        definition = _DEFINITION.fullmatch(body)
        name, source = (definition[1], definition[2]) if definition else (f"_{body}", body)
        if name in self.known:
            raise FamilySyntaxError(f"{{{body}}}: {name} already has a value; choose a new name")
        if name in self.lists:
            raise FamilySyntaxError(f"{{{body}}}: {name} is the name of a word list")
        expression = parse_solution(source, self.known) or parse_expression(source)
        if isinstance(expression, Name):
            raise FamilySyntaxError(f"{{{body}}}: there is no number called {expression.name}")
        self.known.add(name)
        return NumberSlot(name, form, expression, compile_expression(expression))


def _plain(text: str) -> str:
    if "{" in text or "}" in text:
        raise FamilySyntaxError(f"a brace is not closed in {text.strip()!r}")
    return text
