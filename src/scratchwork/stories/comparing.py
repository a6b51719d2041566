"""Stories that compare: several people, or the same one on several days.

Promises: each amount follows from one told before it, in whatever order the facts stand; what is
asked is one amount, a difference, a total, an average or how many times as many.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scratchwork.families.words import in_words
from scratchwork.stories.amounts import (
    Amount,
    UnfitError,
    constant,
    minus,
    over,
    plus,
    steps_in,
    times,
)
from scratchwork.stories.draft import Draft
from scratchwork.stories.outcomes import divisors, some_count
from scratchwork.stories.world import Someone, Thing, deeds, person, things

_DAYS: Sequence[str] = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(frozen=True, slots=True)
class _Deed:
    """What is counted, and the verb with it."""

    forms: Mapping[str, object]
    least: int
    most: int
    thing: Thing | None


def _deed(draft: Draft) -> _Deed:
    draw = draft.draw
    if draw.chance(0.35):
        deed = draw.pick(deeds())
        forms = {
            "verb": deed.past if draft.past else deed.present,
            "plural_verb": deed.past if draft.past else deed.base,
            "base": deed.base,
            "things": deed.many,
        }
        return _Deed(forms, deed.least, deed.most, None)
    thing = draw.pick(things())
    draft.things.append(thing)
    most = min(thing.kind.most, 90)
    if draw.chance(0.5):
        forms = {"verb": "had" if draft.past else "has", "base": "have"}
        forms["plural_verb"] = "had" if draft.past else "have"
    else:
        verb = draw.pick(thing.kind.gains)
        forms = {"verb": verb.past if draft.past else verb.present, "base": verb.base}
        forms["plural_verb"] = verb.past if draft.past else verb.base
    return _Deed({**forms, "things": thing.plural}, 4, most, thing)


class _People:
    """People and what they have, told one after the other."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.draw = draft, draft.draw
        self.deed = _deed(draft)
        self.people: list[Someone] = []
        self.amounts: list[Amount] = []
        self.facts: list[str] = []

    def newcomer(self) -> Someone:
        someone = person(self.draw, tuple(self.people))
        self.people.append(someone)
        self.draft.people.append(someone)
        return someone

    def fact(self, move: str, **slots: object) -> None:
        self.facts.append(self.draft.write(f"comparing.{move}", {**self.deed.forms, **slots}))

    def first(self, budget: int) -> None:
        """Somebody whose number is told."""
        draw, draft, thing = self.draw, self.draft, self.deed.thing
        a = self.newcomer()
        if budget and thing is not None and thing.kind.moves and draw.chance(0.3):
            one, many = draw.pick(thing.kind.containers)
            k, n = draft.count(2 + draw.below(7)), draft.count(2 + draw.below(9))
            slots = {"k": k, "n": n, "container": one, "containers": many}
            self.fact("groups", a=a.name, **slots)
            self.amounts.append(times(k, n))
            return
        n = draft.count(some_count(draw, self.deed.most, self.deed.least))
        self.fact("plain", a=a.name, n=n)
        self.amounts.append(n)

    def next(self, budget: int) -> None:
        """Somebody whose number follows from an earlier one."""
        draw, draft = self.draw, self.draft
        which = draw.below(len(self.people))
        b, known = self.people[which], self.amounts[which]
        now = int(known.value)
        ways = ["more", "fewer", "times", "times"]
        ways += ["divided", "part"] if divisors(now, 2, 6) else []
        if budget >= 2:
            ways += ["more_than_times", "fewer_than_times", "more_than_times"]
        if len(self.people) >= 2:
            ways += ["sum"] * 2 + (["more_than_sum"] if budget >= 2 else [])
        way = draw.pick(ways)
        slots: dict[str, object] = {"b": b.name}
        if way in ("sum", "more_than_sum"):
            j = (which + 1) % len(self.people)
            slots["c"] = self.people[j].name
            amount: Amount = plus(known, self.amounts[j])
            if way == "more_than_sum":
                slots["n"] = n = draft.count(2 + draw.below(15))
                amount = plus(amount, n)
        elif way == "part":
            of = draw.pick(divisors(now, 2, 5) or [0])
            if not of:
                raise UnfitError
            fraction, part = draft.part(1, of)
            slots["part"] = part.removesuffix(" of")
            amount = times(known, fraction)
        elif way in ("more", "fewer"):
            bound = now - 2 if way == "fewer" else max(self.deed.most // 2, 6)
            n = draft.count(some_count(draw, max(bound, 3), 2))
            slots["n"] = n
            amount = plus(known, n) if way == "more" else minus(known, n)
        else:
            factors = divisors(now, 2, 6) if way == "divided" else [2, 3, 4, 5]
            factor, slots["k_times"] = draft.multiple(draw.pick(factors))
            amount = over(known, factor) if way == "divided" else times(factor, known)
            if way.endswith("_than_times"):
                slots["n"] = n = draft.count(2 + draw.below(min(15, int(amount.value))))
                amount = plus(amount, n) if way.startswith("more") else minus(amount, n)
        if amount.value > 4 * self.deed.most:
            raise UnfitError
        a = self.newcomer()
        self.fact(way, a=a.name, a_he=a.he, **slots)
        self.amounts.append(amount)

    def tell(self) -> None:
        """Say the facts, often in another order."""
        facts = self.draw.shuffled(self.facts) if self.draw.chance(0.35) else self.facts
        for fact in facts:
            self.draft.add(fact)


def comparing(draft: Draft) -> Amount:
    """Several people; what is asked depends on all of them or on some."""
    draw = draft.draw
    if draft.steps <= 4 and draw.chance(0.22):
        return _from_total(draft)
    scene = _People(draft)
    way = draw.pick(("one", "two", "difference", "all", "average", "ratio", "all", "one"))
    last = {"one": 0, "two": 1, "difference": 1, "ratio": 1, "all": 1, "average": 2}[way]
    scene.first(draft.steps - last)
    while len(scene.people) < 2 or (
        steps_in(*scene.amounts) + _ending(way, len(scene.people)) < draft.steps
        and len(scene.people) < 4
    ):
        budget = draft.steps - steps_in(*scene.amounts) - _ending(way, len(scene.people) + 1)
        if budget < 1:
            if way == "one" or len(scene.people) > 1:
                break
            _unrelated(scene)
            continue
        scene.next(budget)
    scene.tell()
    return _ask_people(scene, way)


def _ending(way: str, people: int) -> int:
    """How many steps what is asked takes, once all amounts are known."""
    return {"all": people - 1, "average": people, "one": 0}.get(way, 1)


def _unrelated(scene: _People) -> None:
    """A second person whose number is told."""
    n = scene.draft.count(some_count(scene.draw, scene.deed.most, scene.deed.least))
    a = scene.newcomer()
    scene.fact("plain", a=a.name, n=n)
    scene.amounts.append(n)


def _ask_people(scene: _People, way: str) -> Amount:
    draft, amounts, people = scene.draft, scene.amounts, scene.people
    i, j = len(people) - 1, scene.draw.below(len(people) - 1)
    if amounts[i].value < amounts[j].value and way in ("difference", "ratio"):
        i, j = j, i
    a, b = people[i], people[j]
    slots = {**scene.deed.forms, "a": a.name, "b": b.name, "count": in_words(float(len(people)))}
    if way == "one":
        a = people[-1]
        draft.ask("comparing.ask_one", {**slots, "a": a.name})
        return amounts[-1]
    draft.ask(f"comparing.ask_{way}", slots)
    if way == "two":
        return plus(amounts[i], amounts[j])
    if way == "difference":
        return minus(amounts[i], amounts[j])
    if way == "ratio":
        ratio = over(amounts[i], amounts[j])
        if not isinstance(ratio.value, int) or ratio.value < 2:
            raise UnfitError
        return ratio
    total = plus(*amounts)
    if way == "all":
        return total
    average = over(total, constant(len(people)))
    if not isinstance(average.value, int):
        raise UnfitError
    return average


def _from_total(draft: Draft) -> Amount:
    """A total is told, and how the parts compare."""
    draw = draft.draw
    scene = _People(draft)
    a, b = scene.newcomer(), scene.newcomer()
    low = some_count(draw, scene.deed.most, scene.deed.least)
    way = draw.pick(("known", "more", "times")) if draft.steps > 1 else "known"
    names = {"a": a.name, "b": b.name, "a_he": a.he}
    if way == "known":
        high = some_count(draw, scene.deed.most, scene.deed.least)
        if draft.steps >= 2:
            return _from_total_of_three(scene, (low, high))
        n = draft.count(low + high)
        scene.fact("together", n=n, **names)
        m = draft.count(high)
        scene.fact("plain", n=m, a=b.name)
        answer: Amount = minus(n, m)
    elif way == "more":
        difference = some_count(draw, 20, 2)
        n, m = draft.count(2 * low + difference), draft.count(difference)
        scene.fact("together", n=n, **names)
        scene.fact("more", n=m, **names)
        small = over(minus(n, m), constant(2))
        wants_small = draft.steps < 3
        a = b if wants_small else a
        answer = small if wants_small else plus(small, m)
    else:
        factor = 2 + draw.below(4)
        n = draft.count(low * (factor + 1))
        scene.fact("together", n=n, **names)
        k, k_times = draft.multiple(factor)
        scene.fact("times", k_times=k_times, **names)
        small = over(n, plus(k, constant(1)))
        wants_small = draft.steps < 3
        a = b if wants_small else a
        answer = small if wants_small else times(small, k)
    scene.tell()
    draft.ask("comparing.ask_one", {**scene.deed.forms, "a": a.name})
    return answer


def _from_total_of_three(scene: _People, others: tuple[int, int]) -> Amount:
    """The total of three people, of whom two are known or follow from each other."""
    draft, draw = scene.draft, scene.draw
    b, c = scene.people
    a = scene.newcomer()
    scene.amounts = [draft.count(others[0])]
    scene.fact("plain", a=b.name, n=scene.amounts[0])
    scene.people = [b]
    if draft.steps >= 3:
        scene.next(draft.steps - 2)
        scene.people = [b, scene.people[-1]]
        c = scene.people[-1]
    else:
        scene.amounts.append(draft.count(others[1]))
        scene.fact("plain", a=c.name, n=scene.amounts[1])
    total = int(scene.amounts[0].value + scene.amounts[1].value)
    n = draft.count(total + some_count(draw, scene.deed.most, scene.deed.least))
    scene.fact("together_three", n=n, a=a.name, b=b.name, c=c.name)
    if a.name == c.name:
        raise UnfitError
    scene.tell()
    draft.ask("comparing.ask_one", {**scene.deed.forms, "a": a.name})
    return minus(minus(n, scene.amounts[0]), scene.amounts[1])


def day_by_day(draft: Draft) -> Amount:
    """What somebody does on several days."""
    draw = draft.draw
    deed = _deed(draft)
    if deed.forms["base"] == "have":
        raise UnfitError
    a = person(draw)
    draft.people.append(a)
    start = draw.below(3)
    way = draw.pick(("total", "average", "difference", "goal", "one", "missing"))
    last = {"total": 1, "average": 2, "difference": 1, "goal": 2, "one": 0, "missing": 1}[way]
    told = 1 if way == "one" else max(1, min(3, draft.steps - last + draw.below(2)))
    days = _DAYS[start:]
    amounts: list[Amount] = [
        draft.count(some_count(draw, min(deed.most, 60), deed.least)) for _ in range(told)
    ]
    spoken = [f"{n} {deed.forms['things']}" if k == 0 else f"{n}" for k, n in enumerate(amounts)]
    listed = [f"{text} on {day}" for text, day in zip(spoken, days, strict=False)]
    joined = ", ".join(listed[:-1]) + (" and " if len(listed) > 1 else "") + listed[-1]
    slots: dict[str, object] = {**deed.forms, "a": a.name, "a_he": a.he, "whose": a.whose}
    draft.say("comparing.days", {**slots, "list_of_things": joined}, a)
    while len(amounts) < 4 and _days_steps(way, amounts) < draft.steps:
        day, before = days[len(amounts)], days[len(amounts) - 1]
        known = amounts[-1]
        change = draw.pick(("more", "fewer", "times"))
        if change == "times":
            k, text = draft.multiple(2 + draw.below(3))
            forms: dict[str, object] = {"k_times": text}
            amount: Amount = times(k, known)
        else:
            bound = int(known.value) - 2 if change == "fewer" else 15
            n = draft.count(2 + draw.below(max(bound - 1, 1)))
            forms = {"n": n}
            amount = plus(known, n) if change == "more" else minus(known, n)
        draft.say(
            f"comparing.day_after_{change}", {**slots, **forms, "day": day, "before": before}, a
        )
        amounts.append(amount)
    return _ask_days(draft, way, amounts, days, slots)


def _days_steps(way: str, amounts: list[Amount]) -> int:
    count = len(amounts)
    ending = {"total": count - 1, "goal": count, "average": count, "missing": count}
    return steps_in(*amounts) + ending.get(way, 0 if way == "one" else 1)


def _ask_days(
    draft: Draft, way: str, amounts: list[Amount], days: Sequence[str], slots: dict[str, object]
) -> Amount:
    draw, count = draft.draw, len(amounts)
    if way == "one":
        draft.ask("comparing.ask_days_one", {**slots, "day": days[count - 1]})
        return amounts[-1]
    if count < 2 and way != "missing":
        raise UnfitError
    if way == "difference":
        i, j = count - 1, draw.below(count - 1)
        if amounts[i].value < amounts[j].value:
            i, j = j, i
        draft.ask("comparing.ask_days_difference", {**slots, "high": days[i], "low": days[j]})
        return minus(amounts[i], amounts[j])
    total = plus(*amounts)
    if way == "total":
        draft.ask("comparing.ask_days_total", slots)
        return total
    if way == "average":
        draft.ask("comparing.ask_days_average", {**slots, "count": in_words(float(count))})
        average = over(total, constant(count))
        if not isinstance(average.value, int):
            raise UnfitError
        return average
    if way == "goal":
        n = draft.count(int(total.value) + 2 + draw.below(40))
        draft.ask("comparing.days_goal", {**slots, "n": n})
        return minus(n, total)
    n = draft.count(int(total.value) + some_count(draw, 30, 3))
    day = days[count]
    forms = {**slots, "n": n, "day": day, "count": in_words(float(count + 1))}
    draft.say("comparing.days_total_given", forms)
    draft.ask("comparing.ask_days_one", {**slots, "day": day})
    rest: Amount = n
    for amount in amounts:
        rest = minus(rest, amount)
    return rest
