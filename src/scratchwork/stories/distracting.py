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
    draw = draft.draw
    someone = draft.people[0] if draft.people else None
    about_person = someone is not None and draw.chance(0.8)
    places = _places(draft, someone if about_person else None)
    if not places:
        return
    at = draw.pick(places)
    move = _kind(draft, someone) if someone is not None and about_person else "general"
    text, least, most = draw.pick(_entries(move, draft.past))
    value = least + draw.below(most - least + 1)
    if value in {known.value for known in draft.knowns}:
        return
    slots: dict[str, object] = {}
    if someone is not None and about_person:
        before = draft.sentences[at - 1].subject
        alone = all(one is someone or one.gender != someone.gender for one in draft.people)
        pronoun = before is someone and alone and "{who}" in text
        slots |= {"who": someone.he if pronoun else someone.name, "name": someone.name}
        slots |= {"whose": someone.whose, "his": someone.his}
    if move == "thing":
        slots["others"] = another_thing(draw, draft.things[0], same_kind=False).plural
    sentence = Sentence(text.format_map({**slots, "n": draft.count(value)}), someone, follows=False)
    draft.sentences.insert(at, sentence)


def _kind(draft: Draft, someone: Someone) -> str:
    """What a sentence about somebody may be about."""
    if someone.gender == "it":
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
