"""Stories about work and journeys at a steady rate.

Promises: rates, times and totals in every direction: what is done, how long it takes, how much is
left, and what two do together.
"""

from scratchwork.families.words import with_article
from scratchwork.stories.amounts import (
    Amount,
    Known,
    UnfitError,
    constant,
    minus,
    over,
    plus,
    steps_in,
    times,
)
from scratchwork.stories.draft import Draft
from scratchwork.stories.world import Someone, SteadyWork, person, work

_VEHICLES = (
    *(("a lorry", 40, 90), ("a train", 50, 160), ("a bus", 30, 90), ("a ship", 15, 45)),
    *(("a cyclist", 12, 30), ("a plane", 400, 900), ("a car", 40, 120), ("a hiker", 3, 6)),
    *(("a coach", 40, 90), ("a ferry", 15, 40), ("a camper van", 40, 90), ("a tractor", 10, 30)),
    *(("a rowing boat", 4, 12), ("a motorcycle", 40, 110), ("a horse rider", 8, 20)),
)


_CAN_FAIL = frozenset(
    "bake pack fold knit solve make print fill produce wrap cut seal build draw iron paint".split()
)
"""What is done, but may have to be done again."""


class _Working:
    """The scene in the making."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.draw = draft, draft.draw
        self.is_spoiled = False
        """Whether some of what was done does not count."""
        self.work: SteadyWork = self.draw.pick(work())
        does = self.work
        if does.who == "person":
            self.who = person(self.draw)
            self.other = person(self.draw, (self.who,), "m" if self.who.gender == "f" else "f")
        else:
            noun = does.who
            self.who = Someone(f"the {noun}", "it", with_article(noun))
            self.other = Someone(f"another {noun}", "it", f"another {noun}")
        verb = does.past if draft.past else does.present
        per = self.draw.pick((f"per {does.period}", f"{with_article(does.period)}"))
        self.fixed: dict[str, object] = {
            "does": verb,
            "base": does.base,
            "units": does.units,
            "period": does.period,
            "periods": f"{does.period}s",
            "per": per,
            "every": self.draw.pick(("every", "each")),
            "other": self.other.name,
        }

    def slots(self, *, pronoun: float = 0.6) -> dict[str, object]:
        return {**self.fixed, **self.draft.slots(self.who, pronoun=pronoun)}

    def say(self, move: str, **slots: object) -> None:
        self.draft.say(f"working.{move}", {**self.slots(), **slots}, self.who)

    def number(self) -> Known:
        """A rate."""
        low, high = self.work.least, self.work.most
        return self.draft.count(low + self.draw.below(high - low + 1))

    def rate(self, *, from_total: bool) -> Amount:
        """The rate, told as it is or by what is done in some time."""
        if not from_total:
            n = self.number()
            self.say("rate", n=n)
            return n
        low, high = self.work.least, self.work.most
        rate = low + self.draw.below(high - low + 1)
        k = self.draft.count(2 + self.draw.below(7))
        n = self.draft.count(rate * int(k.value))
        self.say("rate_from_total", n=n, k=k)
        return over(n, k)

    def time(self, budget: int, *, at_this_rate: bool) -> Amount:
        """For how long, in at most so many steps; `at_this_rate` after another time was told."""
        draft, draw = self.draft, self.draw
        period = self.work.period

        def say(move: str, duration: str, **numbers: Known) -> None:
            if at_this_rate:
                self.say("at_this_rate", duration=duration)
            else:
                self.say(move, **numbers)

        if budget >= 1 and period == "day" and draw.chance(0.6):
            k = draft.count(2 + draw.below(4))
            say("time_weeks", f"{k} weeks without a day off", k=k)
            return times(k, constant(7))
        if budget >= 1 and period == "minute" and draw.chance(0.6):
            k = draft.count(2 + draw.below(4))
            say("time_hours", f"{k} hours", k=k)
            return times(k, constant(60))
        if budget >= 1 and period == "hour" and draw.chance(0.8):
            k, m = draft.count(2 + draw.below(7)), draft.count(2 + draw.below(8))
            say("time_in_parts", f"{k} hours a day on {m} days", k=k, m=m)
            return times(k, m)
        k = draft.count(2 + draw.below(11))
        say("time", f"{k} {period}s", k=k)
        return k


def working(draft: Draft) -> Amount:
    """Somebody, or two, or a machine, work at a steady rate."""
    draw, steps = draft.draw, draft.steps
    if steps == 1:
        return _one_step(draft)
    scene = _Working(draft)
    if draw.chance(0.35):
        return _two_workers(scene)
    from_total = steps >= 2 and draw.chance(0.4)
    way = draw.pick(("total", "total", "left", "rest_time"))
    if way != "total":
        return _with_goal(scene, way, from_total=from_total)
    rate = scene.rate(from_total=from_total)
    done: Amount = times(rate, scene.time(steps - 1 - steps_in(rate), at_this_rate=from_total))
    done = _extend(scene, done, steps)
    draft.ask("working.ask_counted" if scene.is_spoiled else "working.ask_total", scene.slots())
    return done


def _extend(scene: _Working, done: Amount, steps: int) -> Amount:
    """More is done, as many steps as there should be."""
    draft, draw = scene.draft, scene.draw
    for _ in range(4):
        left = steps - steps_in(done)
        if left <= 0:
            break
        if left >= 2 and draw.chance(0.6):
            n, k = scene.number(), draft.count(2 + draw.below(7))
            scene.say("then_rate", n=n, k=k)
            done = plus(done, times(n, k))
        elif draw.chance(0.6):
            n = scene.number()
            scene.say("then_more", n=n)
            done = plus(done, n)
        else:
            if scene.is_spoiled or scene.work.base not in _CAN_FAIL or done.value < 10:
                raise UnfitError
            n = draft.count(2 + draw.below(min(int(done.value) // 3, 40)))
            scene.say("spoiled", n=n)
            scene.is_spoiled = True
            done = minus(done, n)
    return done


def _one_step(draft: Draft) -> Amount:
    draw, scene = draft.draw, _Working(draft)
    way = draw.pick(("in_time", "time", "rate"))
    if way == "in_time":
        rate = scene.rate(from_total=False)
        k = draft.count(2 + draw.below(11))
        draft.ask("working.ask_in_time", {**scene.slots(), "k": k})
        return times(rate, k)
    if way == "rate":
        rate = scene.rate(from_total=True)
        draft.ask("working.ask_rate", scene.slots())
        return rate
    rate = scene.rate(from_total=False)
    n = draft.count(int(rate.value) * (2 + draw.below(11)))
    draft.ask("working.ask_time", {**scene.slots(), "n": n})
    return over(n, rate)


def _with_goal(scene: _Working, way: str, *, from_total: bool) -> Amount:
    """So much is to be done; how much is left, or how long that takes."""
    draft, draw, steps = scene.draft, scene.draw, scene.draft.steps
    last = 1 if way == "left" else 2
    rate = scene.rate(from_total=from_total)
    budget = steps - last
    if way == "rest_time" and budget <= steps_in(rate):
        # How long it takes for something else than what was measured.
        n = draft.count(int(rate.value) * (2 + draw.below(14)))
        draft.ask("working.ask_time", {**scene.slots(), "n": n})
        return over(n, rate)
    if budget - steps_in(rate) < 1:
        raise UnfitError
    done: Amount = times(rate, scene.time(budget - 1 - steps_in(rate), at_this_rate=from_total))
    if way == "left":
        done = _extend(scene, done, budget)
    rest = int(rate.value) * (2 + draw.below(8)) if way == "rest_time" else 3 + draw.below(90)
    n = draft.count(int(done.value) + rest)
    scene.say("goal", n=n)
    left = minus(n, done)
    if way == "left":
        draft.ask("working.ask_left", scene.slots())
        return left
    draft.ask("working.ask_rest_time", scene.slots())
    return over(left, rate)


def _two_workers(scene: _Working) -> Amount:
    """Two work at rates that are told, or follow from each other."""
    draft, draw, steps = scene.draft, scene.draw, scene.draft.steps
    if scene.who.gender == "it":
        noun = scene.work.who
        scene.who = Someone(f"the first {noun}", "it", with_article(noun))
    first = scene.rate(from_total=steps >= 4 and draw.chance(0.5))
    draft.people.append(scene.other)
    related = steps - steps_in(first) >= 3
    slots = scene.slots(pronoun=0)
    if not related:
        n = scene.number()
        slots["n"], second = n, n
        move = "rate_other"
    else:
        move = draw.pick(("rate_more", "rate_fewer", "rate_times"))
        if move == "rate_times":
            k, slots["k_times"] = draft.multiple(2 + draw.below(2))
            second: Amount = times(k, first)
        else:
            most = int(first.value) - 1 if move == "rate_fewer" else 2 * int(first.value)
            if most < 2:
                raise UnfitError
            n = draft.count(2 + draw.below(min(most - 1, 20)))
            slots["n"] = n
            second = plus(first, n) if move == "rate_more" else minus(first, n)
    draft.say(f"working.{move}", slots)
    scene.fixed["other"] = scene.other.name.replace("another", "the other")
    slots = scene.slots(pronoun=0)
    together = plus(first, second)
    way = draw.pick(("both", "both_time", "lead"))
    if way == "both_time":
        n = draft.count(int(together.value) * (2 + draw.below(9)))
        draft.ask("working.ask_both_time", {**slots, "n": n})
        return over(n, together)
    k = draft.count(2 + draw.below(9))
    if way == "lead" and second.value > first.value:
        draft.ask("working.ask_lead", {**slots, "k": k})
        return times(k, minus(second, first))
    draft.ask("working.ask_both", {**slots, "k": k})
    if draw.chance(0.3) and steps - steps_in(first, second) == 3:
        return plus(times(k, first), times(k, second))
    return times(k, together)


class _Journey:
    """Somebody or something on the way."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.draw = draft, draft.draw
        first, self.low, self.high = self.draw.pick(_VEHICLES)
        self.who = Someone("the " + first.split(" ", 1)[1], "it", first)
        self.unit = self.draw.pick(("kilometres", "kilometres", "miles", "km"))

    def speed(self) -> int:
        speed = self.low + self.draw.below(self.high - self.low + 1)
        return speed // 5 * 5 if speed > 20 else speed

    def slots(self) -> dict[str, object]:
        # Nobody calls a cyclist "it".
        return {"unit": self.unit, **self.draft.slots(self.who, pronoun=0)}

    def say(self, move: str, **slots: object) -> None:
        self.draft.say(f"working.{move}", {**self.slots(), **slots}, self.who)


def travelling(draft: Draft) -> Amount:
    """A journey in one part or several."""
    draw, steps = draft.draw, draft.steps
    scene = _Journey(draft)
    if steps == 1:
        return _short_journey(scene)
    if steps == 2 and draw.chance(0.5):
        k, speed = draft.count(2 + draw.below(6)), scene.speed()
        n = draft.count(speed * int(k.value))
        scene.say("covered", n=n, k=k)
        if draw.chance(0.5):
            m = draft.count(2 + draw.below(9))
            draft.ask("working.ask_distance_in", {**scene.slots(), "k": m})
            return times(over(n, k), m)
        m = draft.count(speed * (2 + draw.below(9)))
        draft.ask("working.ask_hours_for", {**scene.slots(), "n": m})
        return over(m, over(n, k))
    way = draw.pick(("distance", "left", "hours_left"))
    last = {"distance": 0, "left": 1, "hours_left": 2}[way]
    n, k = draft.count(scene.speed()), draft.count(2 + draw.below(6))
    scene.say("drive", n=n, k=k)
    done: Amount = times(k, n)
    while (left := steps - last - steps_in(done)) > 0:
        if left >= 2:
            n, k = draft.count(scene.speed()), draft.count(2 + draw.below(5))
            scene.say("drive_on", n=n, k=k)
            done = plus(done, times(k, n))
        else:
            n = draft.count(2 + draw.below(3 * scene.high))
            scene.say("drive_further", n=n)
            done = plus(done, n)
        if len(draft.sentences) > 5:
            raise UnfitError
    if way == "distance":
        draft.ask("working.ask_distance", scene.slots())
        return done
    speed = scene.speed()
    rest = speed * (1 + draw.below(6)) if way == "hours_left" else 5 + draw.below(2 * scene.high)
    whole = draft.count(int(done.value) + rest)
    scene.say("way_long", n=whole)
    if way == "left":
        draft.ask("working.ask_way_left", scene.slots())
        return minus(whole, done)
    v = draft.count(speed)
    draft.ask("working.ask_hours_left", {**scene.slots(), "v": v})
    return over(minus(whole, done), v)


def _short_journey(scene: _Journey) -> Amount:
    draft, draw = scene.draft, scene.draw
    way = draw.pick(("distance_in", "hours_for", "speed"))
    if way == "speed":
        k, speed = draft.count(2 + draw.below(7)), scene.speed()
        n = draft.count(speed * int(k.value))
        scene.say("covered", n=n, k=k)
        draft.ask("working.ask_speed", scene.slots())
        return over(n, k)
    v = draft.count(scene.speed())
    scene.say("speed", n=v)
    k = 2 + draw.below(9)
    if way == "distance_in":
        hours = draft.count(k)
        draft.ask("working.ask_distance_in", {**scene.slots(), "k": hours})
        return times(v, hours)
    n = draft.count(int(v.value) * k)
    draft.ask("working.ask_hours_for", {**scene.slots(), "n": n})
    return over(n, v)
