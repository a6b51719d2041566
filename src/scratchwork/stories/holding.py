"""Stories about what somebody has: a start, what comes and goes, and a question about it.

Promises: `holding` composes as many changes as the plan should have steps; the start, a change, the
end, or what is then done with the things may be what is asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scratchwork.families.words import with_article
from scratchwork.stories.amounts import (
    Amount,
    Known,
    UnfitError,
    constant,
    minus,
    over,
    percent_of,
    plus,
    steps_in,
    times,
)
from scratchwork.stories.draft import Draft
from scratchwork.stories.outcomes import divisors, outcome, some_count
from scratchwork.stories.world import (
    Verb,
    giver_for,
    person,
    shop_for,
    things,
)

_FRIENDS = (
    *("friends", "classmates", "children", "neighbours", "cousins", "teammates"),
    *("students", "visitors", "relatives"),
)
_NO_FRIENDS_OF_A_SHOP = ("customers", "schools", "clubs", "hotels")
_DOZENS = frozenset({"baked", "snacks", "flowers", "fruit", "stationery"})
_MOST_EATEN = 8
_MOST_TRIES = 30


@dataclass(frozen=True, slots=True)
class Change:
    """A change of what somebody has."""

    gains: bool
    move: str
    """Its wordings: of predicates (`..._does`) or of whole sentences."""
    forms: Mapping[str, object]
    amount: Amount | None = None
    part: Known | None = None
    """Which part of what there is goes, if that is what the story tells; or how many percent."""

    def after(self, amount: Amount) -> Amount:
        """What there is after the change."""
        if self.amount is not None:
            return plus(amount, self.amount) if self.gains else minus(amount, self.amount)
        assert self.part is not None
        is_share = self.part.value < 1
        gone = times(self.part, amount) if is_share else percent_of(self.part, amount)
        return minus(amount, gone)

    def before(self, amount: Amount) -> Amount:
        """What there was before."""
        if self.amount is not None:
            return minus(amount, self.amount) if self.gains else plus(amount, self.amount)
        assert self.part is not None
        if self.part.value < 1:
            return over(amount, minus(constant(1), self.part))
        whole = constant(100)
        return over(times(amount, whole), minus(whole, self.part))


class _Holding:
    """The scene in the making."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.draw = draft, draft.draw
        self.thing = self.draw.pick(things())
        kind = self.thing.kind
        self.is_shop = self.draw.chance(0.2)
        self.owner = shop_for(self.draw, kind) if self.is_shop else person(self.draw)
        self.most = kind.most * (4 if self.is_shop else 1)
        self.container = self.draw.pick(kind.containers)
        draft.things.append(self.thing)
        self.asked = ""
        self.compared = False
        self.slots: dict[str, object] = {
            "thing": self.thing.one,
            "things": self.thing.plural,
            "container": self.container[0],
            "a_container": with_article(self.container[0]),
            "place": kind.place,
            "containers": self.container[1],
        }

    def friends(self) -> str:
        return self.draw.pick(_NO_FRIENDS_OF_A_SHOP if self.is_shop else _FRIENDS)

    def about_owner(self, *, pronoun: float = 0.7) -> dict[str, object]:
        return {**self.slots, **self.draft.slots(self.owner, pronoun=pronoun)}

    def verb(self, gains: bool, amount: int) -> dict[str, str]:
        """A verb that fits, in its forms."""
        kind = self.thing.kind
        verbs = kind.gains if gains else kind.losses
        if self.is_shop:
            wanted = ("order", "buy", "receive") if gains else ("sell", "give away", "donate")
            verbs = [verb for verb in verbs if verb.base in wanted]
        fitting = [verb for verb in verbs if self._fits(verb, amount)]
        if not fitting:
            raise UnfitError
        verb = self.draw.pick(fitting)
        chosen = verb.past if self.draft.past else verb.present
        return {
            "verb": chosen,
            "done": verb.participle,
            "base": verb.base,
            "past": verb.past,
        }

    def _fits(self, verb: Verb, amount: int) -> bool:
        return verb.base not in ("eat", "break", "lose") or amount <= _MOST_EATEN

    # The start

    def start(self, budget: int) -> tuple[Amount, str | None]:
        """What there is at first, in at most so many steps; the predicate, if it was not said."""
        draft, draw = self.draft, self.draw
        kind = self.thing.kind
        ways = ["plain"] * (2 if budget else 1)
        if budget >= 1:
            ways += ["groups"] * 3
            ways += ["dozens"] if kind.name in _DOZENS else []
            if not self.is_shop:
                ways += ["two_places", "more", "fewer", "times"]
                ways += ["daily"] if kind.daily else []
        if budget >= 2:
            ways += ["groups_and_loose"] * 2
        way = draw.pick(ways)
        if way == "plain":
            n = draft.count(some_count(draw, self.most, 4))
            if draw.chance(0.5):
                move = "holding.start_shop_does" if self.is_shop else "holding.start_does"
                return n, draft.write(move, {**self.slots, "n": n})
            move = "holding.start_shop" if self.is_shop else "holding.start"
            draft.say(move, {**self.about_owner(), "n": n}, self.owner)
            return n, None
        slots: dict[str, object] = {}
        if way in ("groups", "groups_and_loose"):
            k, n = draft.count(2 + draw.below(8)), draft.count(2 + draw.below(11))
            slots = {"k": k, "n": n}
            amount: Amount = times(k, n)
            if way == "groups_and_loose":
                slots["m"] = m = draft.count(2 + draw.below(min(9, int(n.value) * 2)))
                amount = plus(amount, m)
        elif way == "dozens":
            k, dozen = draft.count(2 + draw.below(4)), draft.known(12, "dozen")
            slots = {"k": k, "dozen": dozen}
            amount = times(k, dozen)
        elif way == "two_places":
            n, m = (draft.count(some_count(draw, self.most // 2)) for _ in range(2))
            slots = {"n": n, "m": m}
            amount = plus(n, m)
        elif way == "daily":
            n, k = draft.count(2 + draw.below(8)), draft.count(3 + draw.below(7))
            slots = {"n": n, "k": k, **self.verb(True, int(n.value))}
            amount = times(n, k)
        else:
            return self._start_from_other(way), None
        draft.say(f"holding.start_{way}", {**self.about_owner(), **slots}, self.owner)
        return amount, None

    def _start_from_other(self, way: str) -> Amount:
        """What somebody has, told by what another has."""
        draft, draw = self.draft, self.draw
        gender = "m" if self.owner.gender == "f" else "f"
        other = person(draw, (self.owner,), gender)
        m = draft.count(some_count(draw, self.most // 2, 4))
        slots: dict[str, object] = {"m": m, "other": other.name}
        if way == "times":
            k, slots["k_times"] = draft.multiple(2 + draw.below(4))
            amount: Amount = times(k, m)
        else:
            bound = int(m.value) - 1 if way == "fewer" else self.most // 2
            slots["n"] = n = draft.count(2 + draw.below(max(min(bound, 30) - 2, 1)))
            amount = plus(m, n) if way == "more" else minus(m, n)
        draft.people.append(other)
        self.compared = draft.names_owner = True
        draft.say(f"holding.start_{way}", {**self.about_owner(pronoun=0), **slots}, None)
        return amount

    # Changes

    def change(self, now: int, budget: int, *, only_gain: bool = False) -> Change:
        """A change of what there is now, in at most so many steps."""
        draw = self.draw
        gains = only_gain or draw.chance(0.45) or now < 5
        ways = ["plain", "plain"]
        if budget >= 2:
            kind = self.thing.kind
            ways += ["groups"] if kind.moves or not gains else []
            ways += ["daily"] if kind.daily else []
            ways += [] if gains else ["part", "part"]
        way = draw.pick(ways)
        if way == "part":
            return self._part(now)
        if way == "plain":
            return self._plain(gains, now)
        room = 60 if gains else now - 1
        k = 2 + draw.below(5)
        if room // k < 2:
            return self._plain(gains, now)
        n = 2 + draw.below(min(room // k - 1, 9))
        numbers = {"k": self.draft.count(k), "n": self.draft.count(n)}

        forms = {**self.verb(gains, n), **numbers, "friends": self.friends()}
        name = f"{'gain' if gains else 'lose'}_{way}"
        if name == "gain_groups" and self.is_shop:
            name += "_does"
        elif name != "gain_daily":
            name = self._either(name)
        return Change(gains, name, forms, times(numbers["k"], numbers["n"]))

    def _plain(self, gains: bool, now: int) -> Change:
        draw = self.draw
        value = some_count(draw, self.most // 2 if gains else now - 1, 2)
        n = self.draft.count(value)
        forms = {**self.verb(gains, value), "n": n}
        if not gains and not self.is_shop and draw.chance(0.2):
            return Change(gains, "lose_to", forms, n)
        name = "gain" if gains else "lose"
        if draw.chance(0.5):
            return Change(gains, f"{name}_does", forms, n)
        return Change(gains, "gain_shop" if gains and self.is_shop else name, forms, n)

    def _part(self, now: int) -> Change:
        draw, draft = self.draw, self.draft
        ways = divisors(now, 2, 10)
        if not ways:
            return self._plain(False, now)
        of = draw.pick(ways)
        parts = 1 if of == 2 or draw.chance(0.5) else 1 + draw.below(of - 1)
        forms: dict[str, object] = {**self.verb(False, now * parts // of)}
        if 100 * parts % of == 0 and draw.chance(0.4):
            part, rate = draft.rate(100 * parts // of)
            forms["part"] = f"{rate} of"
        else:
            part, forms["part"] = draft.part(parts, of)
        return Change(False, self._either("lose_part"), forms, None, part)

    def _either(self, name: str) -> str:
        return self.draw.pick((name, f"{name}_does"))

    # Telling

    def tell(self, predicate: str | None, changes: Sequence[Change], *, ask: bool) -> bool:
        """Say what changes, after the start if it was not said; whether the last change is kept
        for the question, which may only be if `ask`."""
        draft, draw = self.draft, self.draw
        is_start = predicate is not None
        waiting = predicate
        for k, change in enumerate(changes):
            if not change.move.endswith("_does"):
                self._say(waiting)
                waiting, is_start = None, False
                slots = {**self.about_owner(), **change.forms}
                slots.setdefault("giver", self._giver())
                draft.say(f"holding.{change.move}", slots, self.owner)
                continue
            text = draft.write(f"holding.{change.move}", {**self.about_owner(), **change.forms})
            if k + 1 == len(changes) and ask and draw.chance(0.4):
                self._say(waiting)
                self.asked = text
                return True
            if waiting is None:
                waiting, is_start = text, False
                continue
            move = "holding.join_start" if is_start else "holding.join_then"
            draft.say(move, {**self.about_owner(), "a": waiting, "b": text}, self.owner)
            waiting, is_start = None, False
        self._say(waiting)
        return False

    def _say(self, predicate: str | None) -> None:
        if predicate is not None:
            who = self.draft.subject(self.owner)
            self.draft.add(f"{who} {predicate}.", self.owner)

    def _giver(self) -> str:
        return "a supplier" if self.is_shop else giver_for(self.draw, self.owner)


def holding(draft: Draft) -> Amount:
    """What somebody has, and what becomes of it."""
    way = draft.draw.pick(("end", "end", "end", "then", "then", "then", "first", "change"))
    scene = _Holding(draft)
    if way == "first":
        return _ask_for_start(scene)
    if way == "change":
        return _ask_for_change(scene)
    last = 0 if way == "end" else 1
    budget = draft.steps - last
    amount, predicate = scene.start(budget)
    changes, amount = _changes(scene, amount, budget)
    kept = scene.tell(predicate, changes, ask=way == "end")
    if way == "then":
        return outcome(draft, scene.owner, scene.thing, scene.container, amount, scene.friends())
    _ask_for_end(scene, changes, scene.asked if kept else None)
    return amount


def _changes(scene: _Holding, amount: Amount, budget: int) -> tuple[list[Change], Amount]:
    """As many changes as the budget allows, and what there is after them."""
    changes: list[Change] = []
    while (left := budget - steps_in(amount)) > 0 and len(changes) < 4:
        change = scene.change(int(amount.value), left)
        amount = change.after(amount)
        changes.append(change)
    return changes, amount


def _ask_for_end(scene: _Holding, changes: Sequence[Change], asked: str | None) -> None:
    slots = scene.about_owner()
    if asked is not None:
        scene.draft.ask("holding.ask_after", {**slots, "a": asked})
    elif not changes:
        move = "holding.ask_plain" if scene.compared else "holding.ask_total"
        scene.draft.ask(move, {**slots, "owner": scene.owner.name})
    elif not changes[-1].gains and scene.draw.chance(0.8):
        scene.draft.ask("holding.ask_left", slots)
    else:
        scene.draft.ask("holding.ask_final", slots)


def _ask_for_start(scene: _Holding) -> Amount:
    """The end is told, and the start is asked for."""
    draft = scene.draft
    draft.past = True
    now = some_count(scene.draw, scene.most, 6)
    draft.say("holding.start_unknown", scene.about_owner(), scene.owner)
    changes: list[Change] = []
    used = 0
    while used < draft.steps and len(changes) < 4:
        change = scene.change(now, draft.steps - used)
        probe = change.after(Known(now, "", ""))
        used += steps_in(change.before(Known(now, "", "")))
        now = int(probe.value)
        changes.append(change)
    if now < 2:
        raise UnfitError
    scene.tell(None, changes, ask=False)
    end = draft.count(now)
    draft.say("holding.now", {**scene.about_owner(), "n": end}, scene.owner)
    draft.ask("holding.ask_start", scene.about_owner())
    amount: Amount = end
    for change in reversed(changes):
        amount = change.before(amount)
    return amount


def _ask_for_change(scene: _Holding) -> Amount:
    """Start and end are told, and one change is asked for."""
    draft, draw = scene.draft, scene.draw
    draft.past = True
    amount, predicate = scene.start(draft.steps - 1)
    changes, amount = _changes(scene, amount, draft.steps - 1)
    scene.tell(predicate, changes, ask=False)
    gains = draw.chance(0.5)
    now = int(amount.value)
    if now < 5:
        raise UnfitError
    change = some_count(draw, scene.most // 2 if gains else now - 2, 2)
    verb = scene.verb(gains, change)
    after = now + change if gains else now - change
    slots = {**scene.about_owner(), **verb}
    move = "holding.gain_some" if gains else "holding.lose_some"
    draft.say(move, slots, scene.owner)
    end = draft.count(after)
    draft.say("holding.now", {**scene.about_owner(), "n": end}, scene.owner)
    draft.ask("holding.ask_change", {**scene.about_owner(), **verb})
    return minus(end, amount) if gains else minus(amount, end)
