"""Stories about a place to which people, animals or vehicles come, and which they leave.

Promises: nobody leaves who is not there; what is asked is how many are there at the end or at
first, how many came or left, or for how many there is room.
"""

from collections.abc import Callable

from scratchwork.stories.amounts import (
    Amount,
    UnfitError,
    minus,
    over,
    plus,
    steps_in,
    times,
)
from scratchwork.stories.draft import Draft
from scratchwork.stories.outcomes import divisors, some_count
from scratchwork.stories.world import Venue, places


class _Visiting:
    """The scene in the making."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.draw = draft, draft.draw
        self.place: Venue = self.draw.pick(places())
        self.is_unknown = False
        """Whether nobody knows how many there were at first."""
        self.undo: list[Callable[[Amount], Amount]] = []
        """How to come from the number after each change to the number before it."""
        place = self.place
        self.fixed: dict[str, object] = {
            "members": place.members,
            "place": place.first,
            "arrive": place.arrive[draft.past],
            "leave": place.leave[draft.past],
        }

    def say(self, move: str, **slots: object) -> None:
        self.draft.say(f"visiting.{move}", {**self.fixed, **slots})
        self.fixed["place"] = self.place.later

    def start(self, budget: int) -> Amount:
        draft, draw = self.draft, self.draw
        if budget and self.place.group is not None and draw.chance(0.5):
            k, n = draft.count(2 + draw.below(7)), draft.count(3 + draw.below(15))
            one, many = self.place.group
            self.say("start_groups", k=k, n=n, group=one, groups=many)
            return times(k, n)
        n = draft.count(some_count(draw, 80, 5))
        self.say("start", n=n)
        return n

    def change(self, now: int, budget: int) -> Callable[[Amount], Amount]:
        """Something happens; what it does to the number."""
        draft, draw = self.draft, self.draw
        ways = ["come", "go"]
        if budget >= 2:
            ways += ["come_groups", "go_groups", "come_and_go", "come_and_go", "go_share"]
        way = draw.pick(ways)
        if way != "come" and way != "come_groups" and now < 8:
            raise UnfitError
        if way == "come":
            n = draft.count(some_count(draw, 40, 2))
            self.undo.append(lambda after: minus(after, n))
            self.say(way, n=n)
            return lambda before: plus(before, n)
        if way == "go":
            n = draft.count(some_count(draw, now - 2, 2))
            self.undo.append(lambda after: plus(after, n))
            self.say(way, n=n)
            return lambda before: minus(before, n)
        if way == "come_and_go":
            n, m = draft.count(some_count(draw, now - 3, 2)), draft.count(some_count(draw, 20, 2))
            self.undo.append(lambda after: plus(minus(after, m), n))
            self.say(way, n=n, m=m)
            return lambda before: plus(minus(before, n), m)
        if way == "go_share":
            shares = divisors(now, 2, 6)
            if not shares:
                raise UnfitError
            part, text = draft.part(1, draw.pick(shares))
            if self.is_unknown:
                raise UnfitError
            self.say(way, part=text, bare_part=text.removesuffix(" of"))
            return lambda before: minus(before, times(part, before))
        k = draft.count(2 + draw.below(5))
        most = 15 if way == "come_groups" else (now - 1) // int(k.value)
        if most < 3:
            raise UnfitError
        n = draft.count(2 + draw.below(min(most - 1, 14)))
        self.say(way, k=k, n=n)
        amount = times(k, n)
        if way == "come_groups":
            self.undo.append(lambda after: minus(after, amount))
            return lambda before: plus(before, amount)
        self.undo.append(lambda after: plus(after, amount))
        return lambda before: minus(before, amount)


def visiting(draft: Draft) -> Amount:
    """Some come and some go."""
    draw = draft.draw
    way = draw.pick(("now", "now", "first", "some", "room", "groups"))
    if way in ("first", "some"):
        draft.past = True
    scene = _Visiting(draft)
    if way == "first":
        return _ask_for_first(scene)
    budget = draft.steps - (way != "now")
    amount = scene.start(budget)
    while (left := budget - steps_in(amount)) > 0:
        if len(draft.sentences) > 5:
            raise UnfitError
        amount = scene.change(int(amount.value), left)(amount)
    now = int(amount.value)
    if now < 5:
        raise UnfitError
    if way == "now":
        draft.ask(
            "visiting.ask_now" if len(draft.sentences) > 1 else "visiting.ask_total", scene.fixed
        )
        return amount
    if way == "room":
        n = draft.count(now + 2 + draw.below(40))
        draft.ask("visiting.room_for", {**scene.fixed, "n": n})
        return minus(n, amount)
    if way == "groups":
        sizes = divisors(now, 2, 12)
        if not sizes:
            raise UnfitError
        k = draft.count(draw.pick(sizes))
        draft.ask("visiting.sort_into", {**scene.fixed, "k": k})
        return over(amount, k)
    comes = draw.chance(0.5)
    scene.say("some_come" if comes else "some_go")
    change = some_count(draw, 40 if comes else now - 3, 2)
    n = draft.count(now + change if comes else now - change)
    scene.say("now", n=n)
    draft.ask("visiting.ask_came" if comes else "visiting.ask_went", scene.fixed)
    return minus(n, amount) if comes else minus(amount, n)


def _ask_for_first(scene: _Visiting) -> Amount:
    """The end is told, and the start is asked for."""
    draft = scene.draft
    scene.is_unknown = True
    now = some_count(scene.draw, 80, 6)
    scene.say("start_unknown")
    used = 0
    while used < draft.steps:
        change = scene.change(now, draft.steps - used)
        probe = draft.known(now, "")
        draft.knowns.pop()
        after = change(probe)
        used += steps_in(after)
        now = int(after.value)
        if len(draft.sentences) > 5:
            raise UnfitError
    if now < 3:
        raise UnfitError
    n = draft.count(now)
    scene.say("now", n=n)
    draft.ask("visiting.ask_first", scene.fixed)
    amount: Amount = n
    for undo in reversed(scene.undo):
        amount = undo(amount)
    return amount
