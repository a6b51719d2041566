"""Numbers that a story does not need, in a sentence that is clearly about something else.

Promises: `distract` adds such a sentence where it does not come between a pronoun and what that
stands for, or adds none if there is no such place.
"""

import re
from functools import cache

from scratchwork.stories.draft import Draft, Sentence
from scratchwork.stories.wordings import wordings_of
from scratchwork.stories.world import Someone, another_thing

_WORDS = re.compile(r"[a-z]+")
_POINTS_BACK = frozenset(
    "it its this that these those them they their one ones both another each again rest".split()
)
_PEOPLE = frozenset("he she his her him".split())
_ADULT = re.compile(r"M(?:rs?|s)\.")


@cache
def _entries(move: str, past: bool) -> tuple[tuple[str, int, int], ...]:
    """The wordings of a move, each with the least and the largest number."""
    found: list[tuple[str, int, int]] = []
    for entry in wordings_of(f"distracting.{move}", past=past):
        text, least, most = entry.split(" | ")
        found.append((text, int(least), int(most)))
    return tuple(found)


def distract(draft: Draft) -> None:
    """Add a sentence with a number that is not needed."""
    draw, besides = draft.draw, draft.besides
    someone = next((one for one in draft.people if one.gender != "it" or one.is_shop), None)
    if draw.chance(0.2):
        someone = None
    places = _places(draft, someone)
    if not places:
        return
    at = draw.pick(places)
    slots: dict[str, object] = {}
    in_cents = False
    if someone is not None and besides is not None and draw.chance(0.5):
        text = draw.pick(wordings_of(f"distracting.{besides.move}", past=draft.past))
        slots |= besides.slots
        least, most, in_cents = besides.least, besides.most, besides.in_cents
    else:
        move = "general" if someone is None else _kind(draft, someone)
        text, least, most = draw.pick(_entries(move, draft.past))
        if move == "thing":
            other = another_thing(draw, draft.things[0], same_kind=False)
            slots |= {"others": other.plural, "place": other.kind.place}
            most = min(most, other.kind.most)
    if someone is not None:
        slots |= _slots(draft, someone, text, at)
    value = least + draw.below(most - least + 1)
    number = draft.money(value) if in_cents else draft.count(value)
    if number.value in {known.value for known in draft.knowns[:-1]}:
        draft.knowns.pop()
        return
    slots |= {"n": number, "price": f"{draft.currency}{number}"}
    sentence = Sentence(text.format_map(slots), someone, is_aside=True)
    draft.sentences.insert(at, sentence)


def _slots(draft: Draft, someone: Someone, text: str, at: int) -> dict[str, object]:
    """The slots for somebody in a sentence at a place."""
    before = draft.sentences[at - 1].subject
    alone = all(one is someone or one.gender != someone.gender for one in draft.people)
    pronoun = before is someone and alone
    return {
        "who": someone.he if pronoun and "{who}" in text else someone.name,
        "name": someone.name,
        "whose": someone.whose,
        "his": someone.his,
    }


def _kind(draft: Draft, someone: Someone) -> str:
    """What a sentence about somebody may be about."""
    if someone.is_shop:
        return "shop"
    kinds = ["person", "person", "grown" if _ADULT.match(someone.name) else "child"]
    return draft.draw.pick([*kinds, "thing", "thing"] if draft.things else kinds)


def _places(draft: Draft, someone: Someone | None) -> list[int]:
    """Where a sentence may be added: before which others, by their numbers."""
    texts = [*(sentence.text for sentence in draft.sentences), draft.asking]
    pointing = _POINTS_BACK if someone is not None else _POINTS_BACK | _PEOPLE
    known = False
    found: list[int] = []
    for k, text in enumerate(texts):
        if (someone is None or known) and not pointing & set(_WORDS.findall(text.lower())):
            found.append(k)
        known = (
            known or (someone is not None and someone.name in text) or _introduces(text, someone)
        )
    return found


def _introduces(text: str, someone: Someone | None) -> bool:
    return someone is not None and someone.first in text
