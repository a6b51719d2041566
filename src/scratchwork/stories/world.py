"""The world of a story: people, shops, things, and what is done with them.

Promises: nothing is done with a thing that nobody does with it, and nobody has more of it than
things.toml says; every word has the forms that a sentence needs.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scratchwork.families.drawing import Draw
from scratchwork.families.words import regular_plural, with_article

_FOLDER = Path(__file__).parent
_PRONOUNS = MappingProxyType(
    {"f": ("she", "her", "her"), "m": ("he", "his", "him"), "it": ("it", "its", "it")}
)


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb's forms: gives, gave, given, give."""

    present: str
    past: str
    participle: str
    base: str


@dataclass(frozen=True, slots=True)
class ThingKind:
    """A class of things."""

    name: str
    gains: tuple[Verb, ...]
    losses: tuple[Verb, ...]
    containers: tuple[tuple[str, str], ...]
    """What the things come in, singular and plural."""
    shops: tuple[str, ...]
    place: str
    """Where somebody keeps them."""
    moves: bool
    """Whether people carry them about in what they come in."""
    daily: bool
    """Whether somebody may get some every day."""
    most: int
    """So many one person may have."""
    cheapest: int
    """In cents, as the next."""
    dearest: int


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be counted."""

    one: str
    plural: str
    kind: ThingKind


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that people do so many times."""

    present: str
    past: str
    base: str
    one: str
    many: str
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class SteadyWork:
    """SteadyWork that is done at a steady rate."""

    present: str
    past: str
    base: str
    units: str
    period: str
    """`hour`, `day` or `minute`."""
    least: int
    most: int
    who: str
    """`person`, or what does it."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A set whose members are of several sorts."""

    members: str
    short: str
    group: tuple[str, str]
    parts: tuple[tuple[str, str], ...]
    """What the members of each sort are or do, in the present and in the past."""


@dataclass(frozen=True, slots=True)
class Venue:
    """A place to which some come, and which they leave."""

    members: str
    first: str
    """Where it is, at first: `on a bus`."""
    later: str
    group: tuple[str, str] | None
    arrive: tuple[str, str]
    """In the present and in the past, as the next."""
    leave: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Goods:
    """Something that is sold by weight, volume or length."""

    name: str
    unit: str
    units: str
    cheapest: int
    """The price of one unit, in cents, as the next."""
    dearest: int


@dataclass(frozen=True, slots=True)
class Someone:
    """A person or a shop, who has things."""

    name: str
    """As it is named once it is known."""
    gender: str
    """`f`, `m` or, for a shop, `it`."""
    first: str
    """As it is named first: `a bakery`."""
    is_shop: bool = False

    @property
    def he(self) -> str:
        return _PRONOUNS[self.gender][0]

    @property
    def his(self) -> str:
        return _PRONOUNS[self.gender][1]

    @property
    def him(self) -> str:
        return _PRONOUNS[self.gender][2]

    @property
    def whose(self) -> str:
        return f"{self.name}'" if self.name.endswith("s") else f"{self.name}'s"


def _read(name: str) -> dict[str, Any]:
    with (_FOLDER / name).open("rb") as file:
        return tomllib.load(file)


def noun_forms(entry: str) -> tuple[str, str]:
    """The singular and the plural of `pear` or `box/boxes`."""
    one, _, many = entry.partition("/")
    return one, many or regular_plural(one)


@cache
def _verbs() -> dict[str, Verb]:
    entries: dict[str, str] = _read("words.toml")["verbs"]
    return {name: Verb(*forms.split("/")) for name, forms in entries.items()}


@cache
def things() -> tuple[Thing, ...]:
    """All things, class by class."""
    found: list[Thing] = []
    verbs = _verbs()
    for name, entry in _read("things.toml").items():
        kind = ThingKind(
            name,
            tuple(verbs[verb] for verb in entry["gain"]),
            tuple(verbs[verb] for verb in entry["lose"]),
            tuple(noun_forms(container) for container in entry["within"]),
            tuple(entry["shop"]),
            entry.get("place", "house"),
            entry.get("moves", True),
            entry.get("daily", True),
            entry["most"],
            *entry["price"],
        )
        found += [Thing(*noun_forms(noun), kind) for noun in entry["things"].split(", ")]
    return tuple(found)


@cache
def deeds() -> tuple[Deed, ...]:
    """What people do so many times."""
    entries: list[str] = _read("words.toml")["deeds"]["list"]
    found: list[Deed] = []
    for entry in entries:
        verb, one, many, least, most = entry.split(", ")
        present, past, base = verb.split("/")
        found.append(Deed(present, past, base, one, many, int(least), int(most)))
    return tuple(found)


@cache
def work() -> tuple[SteadyWork, ...]:
    """What is done at a steady rate."""
    entries: list[str] = _read("words.toml")["work"]["list"]
    found: list[SteadyWork] = []
    for entry in entries:
        verb, units, period, least, most, who = entry.split(", ")
        present, past, base = verb.split("/")
        found.append(SteadyWork(present, past, base, units, period, int(least), int(most), who))
    return tuple(found)


@cache
def wholes() -> tuple[Whole, ...]:
    """Sets whose members are of several sorts."""
    entries: list[str] = _read("words.toml")["wholes"]["list"]
    found: list[Whole] = []
    for entry in entries:
        members, short, group, parts = entry.split("; ")
        pairs = [part.partition("/") for part in parts.split(", ")]
        sorts = tuple((present, past) for present, _, past in pairs)
        found.append(Whole(members, short, noun_forms(group), sorts))
    return tuple(found)


@cache
def goods() -> tuple[Goods, ...]:
    """What is sold by weight, volume or length."""
    entries: list[str] = _read("words.toml")["goods"]["list"]
    found: list[Goods] = []
    for entry in entries:
        name, unit, cheapest, dearest = entry.split(", ")
        found.append(Goods(name, *noun_forms(unit), int(cheapest), int(dearest)))
    return tuple(found)


@cache
def growing_numbers() -> tuple[tuple[str, str], ...]:
    """Where there are members that become more or fewer: `in a village`, `people`."""
    entries: list[str] = _read("words.toml")["numbers"]["list"]
    return tuple((one, many) for one, _, many in (entry.partition("/") for entry in entries))


@cache
def pastimes() -> tuple[str, ...]:
    """What people spend minutes on: `reading`."""
    return tuple(_read("words.toml")["times"]["doing"])


@cache
def day_events() -> tuple[str, ...]:
    """What starts and ends at a time of the day: `the concert`."""
    return tuple(_read("words.toml")["times"]["events"])


@cache
def places() -> tuple[Venue, ...]:
    """Places to which some come, and which they leave."""
    entries: list[str] = _read("words.toml")["places"]["list"]
    found: list[Venue] = []
    for entry in entries:
        members, first, group, arrive, leave, later = re.split("; ?", entry)
        (comes, came), (goes, went) = arrive.split("/"), leave.split("/")
        groups = noun_forms(group) if group else None
        found.append(Venue(members, first, later, groups, (comes, came), (goes, went)))
    return tuple(found)


@cache
def _people() -> dict[str, tuple[str, ...]]:
    entries: dict[str, str] = _read("words.toml")["people"]
    return {name: tuple(entry.split(", ")) for name, entry in entries.items()}


def person(draw: Draw, taken: tuple[Someone, ...] = (), gender: str | None = None) -> Someone:
    """Somebody else than those taken."""
    chosen = gender or draw.pick(("f", "m"))
    names = {one.name for one in taken}
    while (name := draw.pick(_people()[chosen])) in names:
        pass
    return Someone(name, chosen, name)


def shop_for(draw: Draw, kind: ThingKind) -> Someone:
    """A shop that has things of a kind."""
    shop = draw.pick(kind.shops)
    return Someone(f"the {shop}", "it", with_article(shop), is_shop=True)


def giver_for(draw: Draw, someone: Someone) -> str:
    """Who gives things to somebody, and can be meant by no pronoun of that one."""
    if someone.gender == "it" or draw.chance(0.4):
        return draw.pick(_people()["some"][:-2])
    return f"{someone.his} {draw.pick(_people()[f'kin_of_{someone.gender}'])}"


@cache
def _by_kind() -> dict[str, tuple[Thing, ...]]:
    names = dict.fromkeys(thing.kind.name for thing in things())
    return {name: tuple(one for one in things() if one.kind.name == name) for name in names}


def another_thing(draw: Draw, thing: Thing, *, same_kind: bool) -> Thing:
    """Another thing, of the same kind or not, whose name does not contain the first one's."""
    pool = _by_kind()[thing.kind.name] if same_kind else things()
    while True:
        other = draw.pick(pool)
        apart = thing.one not in other.one and other.one not in thing.one
        if apart and (same_kind or other.kind is not thing.kind):
            return other
