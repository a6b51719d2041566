"""A story in the making: its sentences, the numbers in them, and who was mentioned.

Promises: every number is written once, at a mark that `assembled` replaces; a pronoun stands for
somebody only if nobody else of that gender was mentioned and the sentence before was about the same
person.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from scratchwork.families.drawing import Draw
from scratchwork.families.words import in_words
from scratchwork.problems.numerals import write_number
from scratchwork.stories.amounts import Exact, Known, UnfitError
from scratchwork.stories.wordings import wordings_of
from scratchwork.stories.world import Someone, Thing

_FIRST_MARK = 0xE000
_MARKS = re.compile("([\ue000-\ue0ff])")
_SENTENCE_START = re.compile("(?:^|(?<=[.?!] ))([a-z])")
_CHANCE_OF_AND = 0.12
_CHANCE_OF_IF = 0.25
_JOINS = re.compile(r"(?!.* and )[^,.]*\.$")
"""A sentence that may be joined with another by `and`: one that has no comma and no `and`."""
_STAY_APART = ("If", "After", "When", "Unfortunately", "So ", "But", "Up to")
_NOT_AFTER_IF = (
    *("at ", "in ", "on ", "for ", "with", "before", "besides", "compared", "among", "of "),
    *("into", "to ", "over", "from", "up ", "while", "after", "together", "every", "each"),
    *("if ", "exactly", "somebody", "nobody", "altogether", "not long", "last", "here"),
)
_QUESTIONS = ("How many", "How much", "What is the total", "How long", "How far")
_REFERRING = frozenset("he she it his her its that these this they then".split())
_NO_NAMES = frozenset(
    "A After All Altogether Among An Another At Before Besides Compared Each Every Exactly Find "
    "For From How In Into It Later Next Now Of On Once One Over Some Somebody Soon The Then There "
    "To Together Up What While With Within".split()
)
"""Words that have a capital at the beginning of a sentence only."""
_WORDS = re.compile("[a-z]+")
_ABBREVIATION = re.compile(r"(?:Mrs?|Ms|[ap]\.m)\. $")


@dataclass(slots=True)
class Sentence:
    """A sentence, or two or three that belong together."""

    text: str
    subject: Someone | None
    is_aside: bool = False
    """Whether it tells something that is not needed."""


@dataclass(frozen=True, slots=True)
class Besides:
    """Something else, of which a number may be told that is not needed."""

    move: str
    slots: Mapping[str, object]
    least: int
    most: int
    in_cents: bool = False


class Draft:
    """What is known of a story so far."""

    def __init__(self, draw: Draw, steps: int) -> None:
        self.draw = draw
        self.steps = steps
        """How many steps the plan should have."""
        self.past = draw.chance(0.55)
        self.currency = draw.pick(("$", "$", "$", "$", "£", "€"))
        self.in_words = draw.pick((0.0, 0.0, 0.0, 0.0, 0.15, 0.5))
        self.with_commas = draw.chance(0.7)
        self.knowns: list[Known] = []
        self.sentences: list[Sentence] = []
        self.asking = ""
        self.people: list[Someone] = []
        self.things: list[Thing] = []
        self.names_owner = False
        """Whether every sentence has to say whose things it is about."""
        self.besides: Besides | None = None
        """What may be told of something else that is like what the story is about."""
        self._openings: set[str] = set()
        """The first words of wordings, which are not used twice if it can be helped."""

    # Numbers

    def known(self, value: Exact, text: str) -> Known:
        """A number that the text will give as it is written here."""
        number = Known(value, text, chr(_FIRST_MARK + len(self.knowns)))
        self.knowns.append(number)
        return number

    def count(self, value: int) -> Known:
        """A whole number, in digits or in words."""
        if value < 2:
            # Every noun beside a count is in the plural.
            raise UnfitError
        if value < 100 and self.draw.chance(self.in_words if value <= 20 else self.in_words / 3):
            return self.known(value, in_words(float(value)))
        return self.known(value, f"{value:,}" if self.with_commas else str(value))

    def rate(self, value: int) -> tuple[Known, str]:
        """So many percent, and how to say it."""
        # Nobody writes "five%".
        number = self.known(value, str(value))
        return number, self.draw.pick((f"{number}%", f"{number} percent"))

    def decimal(self, value: Exact) -> Known:
        """A number in digits."""
        if isinstance(value, int):
            return self.count(value)
        return self.known(value, write_number(float(value)))

    def money(self, cents: int) -> Known:
        """A sum of money without its sign."""
        value = Fraction(cents, 100)
        if value.denominator == 1:
            whole = value.numerator
            text = f"{whole:,}" if self.with_commas else str(whole)
            return self.known(whole, text)
        return self.known(value, f"{cents // 100}.{cents % 100:02}")

    def multiple(self, factor: int) -> tuple[Known, str]:
        """A factor, and how to say so many times."""
        if factor == 2 and self.draw.chance(0.85):
            number = self.known(2, "twice")
            return number, f"{number}"
        number = self.count(factor)
        return number, f"{number} times"

    def part(self, parts: int, of: int) -> tuple[Known, str]:
        """A fraction, and how to say so much of something."""
        value = Fraction(parts, of)
        if value.denominator == 2:
            number = self.known(value, "half")
            return number, f"{number} of"
        parts, of = value.numerator, value.denominator
        if of <= 10 and self.draw.chance(0.5):
            names = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 7: "seventh"}
            names |= {8: "eighth", 9: "ninth", 10: "tenth"}
            joint = self.draw.pick(("-", " ")) if parts == 1 else "-"
            ending = "" if parts == 1 else "s"
            number = self.known(value, f"{in_words(float(parts))}{joint}{names[of]}{ending}")
        else:
            number = self.known(value, f"{parts}/{of}")
        return number, f"{number} of"

    # People

    def subject(self, someone: Someone, *, pronoun: float = 0.7) -> str:
        """Somebody as the subject of the next sentence."""
        if someone not in self.people:
            return someone.first
        last = self.sentences[-1].subject if self.sentences else None
        if last == someone and self._alone(someone) and self.draw.chance(pronoun):
            return someone.he
        return someone.name

    def slots(self, someone: Someone, *, pronoun: float = 0.7) -> dict[str, str]:
        """The slots for a sentence about somebody."""
        who = self.subject(someone, pronoun=pronoun)
        alone = self._alone(someone)
        return {
            "who": who,
            "whom": someone.name if who == someone.he else who,
            "name": someone.name,
            "whose": someone.whose,
            "he": someone.he if alone else someone.name,
            "his": someone.his,
            "him": someone.him if alone else someone.name,
        }

    def _alone(self, someone: Someone) -> bool:
        """Whether nobody else of the same gender was mentioned."""
        return all(one is someone or one.gender != someone.gender for one in self.people)

    # Sentences

    def write(self, move: str, slots: Mapping[str, object]) -> str:
        """A wording of a move; one that says who, if `names_owner` is set."""
        wordings = wordings_of(move, past=self.past, naming=self.names_owner)
        wording = self.draw.pick(wordings)
        for _ in range(2):
            if wording.partition(" ")[0] in self._openings:
                wording = self.draw.pick(wordings)
        opening = wording.partition(" ")[0]
        if not opening.startswith("{"):
            self._openings.add(opening)
        return wording.format_map(slots)

    def add(self, text: str, subject: Someone | None = None) -> None:
        """Add a sentence."""
        words = set(_WORDS.findall(text.lower()))
        if subject is not None and (subject.name in text or subject.first in text):
            if subject not in self.people:
                self.people.append(subject)
        elif subject is not None and not words & {subject.he, subject.his, subject.him}:
            subject = None
        self.sentences.append(Sentence(text, subject))

    def say(self, move: str, slots: Mapping[str, object], subject: Someone | None = None) -> None:
        """Add a sentence in a wording of a move."""
        self.add(self.write(move, slots), subject)

    def ask(self, move: str, slots: Mapping[str, object]) -> None:
        """End with a question in a wording of a move."""
        self.asking = self.write(move, slots)

    def join(self) -> None:
        """Make one sentence of some two, or of the only one and the question."""
        if len(self.sentences) == 1 and self.draw.chance(_CHANCE_OF_IF):
            self._ask_with_if(self.sentences[0])
            return
        joined: list[Sentence] = []
        for sentence in self.sentences:
            last = joined[-1] if joined else None
            can_join = last is not None and _JOINS.match(last.text) and _JOINS.match(sentence.text)
            can_join = can_join and not sentence.text.startswith(_STAY_APART)
            can_join = can_join and last is not None and last.is_aside == sentence.is_aside
            if last is None or not can_join or not self.draw.chance(_CHANCE_OF_AND):
                joined.append(sentence)
                continue
            subject, told = sentence.subject, sentence.text
            if subject is not None and subject is last.subject and told.startswith(subject.name):
                if not self._alone(subject) or (subject.gender == "it" and not subject.is_shop):
                    joined.append(sentence)
                    continue
                if told.startswith(subject.whose):
                    told = subject.his + told.removeprefix(subject.whose)
                else:
                    told = subject.he + told.removeprefix(subject.name)
            text = f"{last.text[:-1]}, and {self._inside(told)}"
            joined[-1] = Sentence(text, sentence.subject)
        self.sentences = joined

    def _ask_with_if(self, sentence: Sentence) -> None:
        """Ask with what is told as a condition, before the question or after it."""
        asking, told, subject = self.asking, sentence.text, sentence.subject
        if (
            ". " in told
            or told.lower().startswith(_NOT_AFTER_IF)
            or not asking.startswith(_QUESTIONS)
        ):
            return
        if " if " in asking or "? " in asking or ". " in asking:
            return
        names_all = subject is not None and told.startswith(subject.name) and subject.name in asking
        names_all = names_all and not set(_WORDS.findall(asking.lower())) & _REFERRING
        self.sentences = []
        if names_all and self.draw.chance(0.5):
            self.asking = f"{asking[:-1]} if {self._inside(told)[:-1]}?"
        else:
            self.asking = f"If {self._inside(told)[:-1]}, {self._inside(asking)}"

    @staticmethod
    def _inside(text: str) -> str:
        """A sentence as it is written inside another."""
        first = text.partition(" ")[0]
        return text[0].lower() + text[1:] if first in _NO_NAMES else text

    def assembled(self) -> tuple[str, dict[str, int]]:
        """The text, and where in it each number begins, by its mark."""
        text = " ".join([*(sentence.text for sentence in self.sentences), self.asking])
        text = _SENTENCE_START.sub(lambda match: self._capital(match, text), text)
        whole = ""
        starts: dict[str, int] = {}
        for piece in _MARKS.split(text):
            if not _MARKS.match(piece):
                whole += piece
                continue
            known = self.knowns[ord(piece) - _FIRST_MARK]
            written = known.text
            if not whole or (whole.endswith((". ", "? ")) and not _ABBREVIATION.search(whole)):
                written = written[0].upper() + written[1:]
            starts[piece] = len(whole)
            whole += written
        return whole, starts

    @staticmethod
    def _capital(match: re.Match[str], text: str) -> str:
        if _ABBREVIATION.search(text[: match.start()]):
            return match.group()
        return match.group().upper()
