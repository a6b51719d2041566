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
_WORDS = re.compile("[a-z]+")
_ABBREVIATION = re.compile(r"(?:Mrs?|Ms|[ap]\.m)\. $")


@dataclass(slots=True)
class Sentence:
    """A sentence, or two or three that belong together."""

    text: str
    subject: Someone | None


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
