"""Stories about a whole and its parts: numbers, fractions and percentages of a set.

Promises: all parts are whole numbers, and together they are the whole.
"""

from fractions import Fraction

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
from scratchwork.stories.outcomes import some_count
from scratchwork.stories.world import Whole, wholes

_SHARES = tuple(
    Fraction(p, q) for q in (2, 3, 4, 5, 6, 8, 10) for p in range(1, q) if 2 * p <= q + 2
)
_PERCENTS = (10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 75, 80)


class _Parts:
    """The scene in the making."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.draw = draft, draft.draw
        self.whole: Whole = self.draw.pick(wholes())
        order = self.draw.shuffled(self.whole.parts)
        self.parts = [past if draft.past else present for present, past in order]
        self.count = 0
        self.fixed: dict[str, object] = {
            "members": self.whole.members,
            "short": self.whole.short,
            "group": self.whole.group[0],
            "groups": self.whole.group[1],
        }

    def say(self, move: str, **slots: object) -> None:
        self.draft.say(f"parts.{move}", {**self.fixed, **slots})

    def ask(self, move: str, **slots: object) -> None:
        self.draft.ask(f"parts.{move}", {**self.fixed, **slots})

    def share(self, whole: int) -> tuple[Known, str, bool]:
        """A share of a whole that leaves whole numbers, and how to say it."""
        draft, draw = self.draft, self.draw
        if draw.chance(0.4):
            rates = [rate for rate in _PERCENTS if rate * whole % 100 == 0]
            if rates:
                rate, text = draft.rate(draw.pick(rates))
                return rate, f"{text} of", True
        shares = [share for share in _SHARES if whole % share.denominator == 0]
        if not shares:
            raise UnfitError
        share = draw.pick(shares)
        known, text = draft.part(share.numerator, share.denominator)
        return known, text, False

    def total(self, budget: int) -> Amount:
        """How many there are, told as it is or in groups."""
        draft, draw = self.draft, self.draw
        if budget >= 1 and draw.chance(0.4):
            k, n = draft.count(2 + draw.below(10)), draft.count(4 + draw.below(27))
            self.say("groups", k=k, n=n)
            return times(k, n)
        base = draw.pick((12, 20, 24, 30, 40, 50, 60, 72, 80, 100, 120))
        value = base * (1 + draw.below(4)) if draw.chance(0.7) else 15 + draw.below(300)
        n = draft.count(value)
        self.say("whole", n=n)
        return n


def parts(draft: Draft) -> Amount:
    """A whole is divided into parts."""
    draw = draft.draw
    scene = _Parts(draft)
    if draft.steps <= 3 and draw.chance(0.3):
        return _ask_for_whole(scene)
    whole = scene.total(draft.steps - 1)
    left, known = whole, []
    way = draw.pick(("rest", "rest", "part", "difference", "percent"))
    names = scene.parts
    while len(known) < len(names) - 1 and (
        steps_in(left, *known) < draft.steps - (way == "difference") or not known
    ):
        part = _part(scene, names[len(known)], whole, left, known, draft.steps)
        known.append(part)
        left = minus(left, part)
    if left.value < 1:
        raise UnfitError
    return _ask_parts(scene, way, whole, left, known)


def _part(
    scene: _Parts, name: str, whole: Amount, left: Amount, known: list[Amount], steps: int
) -> Amount:
    """The next part, told in one way or another."""
    draft, draw = scene.draft, scene.draw
    rest = int(left.value)
    if rest < 6:
        raise UnfitError
    ways = ["number"]
    if steps - steps_in(left) >= 2:
        ways += ["share", "share"]
        ways += ["more", "times"] if known else []
    way = draw.pick(ways)
    if way == "number":
        n = draft.count(some_count(draw, rest - 2, 2))
        move = "rest_number" if known else "part_number"
        scene.say(move, n=n, a=name)
        return n
    if way == "share":
        of_rest = bool(known)
        base = left if of_rest else whole
        share, text, in_percent = scene.share(int(base.value))
        bare = text.removesuffix(" of")
        scene.say("rest_share" if of_rest else "part_share", part=text, bare_part=bare, a=name)
        return percent_of(share, base) if in_percent else times(share, base)
    earlier = known[-1]
    before = scene.parts[len(known) - 1]
    if way == "times":
        k, text = draft.multiple(2 + draw.below(3))
        amount: Amount = times(k, earlier)
        scene.say("part_times", k_times=text, a=name, b=before)
    else:
        n = draft.count(2 + draw.below(20))
        amount = plus(earlier, n)
        scene.say("part_more", n=n, a=name, b=before)
    if amount.value >= rest:
        raise UnfitError
    return amount


def _ask_parts(scene: _Parts, way: str, whole: Amount, left: Amount, known: list[Amount]) -> Amount:
    names, draw = scene.parts, scene.draw
    count = len(known)
    if way == "part" and steps_in(known[-1]):
        scene.ask("ask_part", a=names[count - 1])
        return known[-1]
    if way == "percent" and not steps_in(known[0]) and count == 1:
        part = known[0]
        if draw.chance(0.5):
            share = over(part, whole)
            if not isinstance(share.value, Fraction) or share.value.denominator > 12:
                raise UnfitError
            scene.ask("ask_fraction", a=names[0])
            return share
        rate = times(over(part, whole), constant(100))
        if not isinstance(rate.value, int):
            raise UnfitError
        scene.ask("ask_percent", a=names[0])
        return rate
    if way == "difference":
        scene.say("others", a=names[count])
        a, b = (count, count - 1) if left.value > known[-1].value else (count - 1, count)
        scene.ask("ask_difference", a=names[a], b=names[b])
        high, low = (left, known[-1]) if a == count else (known[-1], left)
        return minus(high, low)
    if count < 2 or draw.chance(0.7):
        scene.say("others", a=names[count])
        scene.ask("ask_part", a=names[count])
    else:
        scene.ask("ask_not")
    return left


def _ask_for_whole(scene: _Parts) -> Amount:
    """The parts are told, or one of them as a number and a share."""
    draft, draw, names = scene.draft, scene.draw, scene.parts
    if draft.steps == 1 or draw.chance(0.4):
        if len(names) < draft.steps + 1:
            raise UnfitError
        numbers = [draft.count(4 + draw.below(80)) for _ in range(draft.steps + 1)]
        for k, n in enumerate(numbers):
            move = "first_number" if k == 0 else "rest_number"
            scene.say(move, n=n, a=names[k])
        if draft.steps + 1 < len(names):
            raise UnfitError
        scene.ask("ask_whole")
        return plus(*numbers)
    of = draw.pick((2, 3, 4, 5, 6, 8, 10))
    told = 1 if of == 2 else 1 + draw.below(min(of - 1, 3))
    if told > 1 and Fraction(told, of).denominator != of:
        raise UnfitError
    value = of * (2 + draw.below(20))
    share, text = draft.part(told, of)
    scene.say("first_share", part=text, bare_part=text.removesuffix(" of"), a=names[0])
    if draft.steps == 2:
        n = draft.count(value - value * told // of)
        scene.say("other_number", n=n, a=names[1])
        scene.ask("ask_whole")
        return over(n, minus(constant(1), share))
    if len(names) < 3:
        raise UnfitError
    low = some_count(draw, value - value * told // of - 2, 2)
    n, m = draft.count(low), draft.count(value - value * told // of - low)
    scene.say("rest_number", n=n, a=names[1])
    scene.say("other_number", n=m, a=names[2])
    scene.ask("ask_whole")
    return over(plus(n, m), minus(constant(1), share))
