"""Stories about time: minutes and hours, times of the day, ages.

Promises: times of the day lie between 1:00 and 12:59, and what ends later starts earlier; nobody is
older than a hundred.
"""

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
from scratchwork.stories.world import Someone, day_events, pastimes, person

_OLDEST = 100


def spending_time(draft: Draft) -> Amount:
    """Somebody does one thing after the other."""
    draw = draft.draw
    who = person(draw)
    order = draw.shuffled(pastimes())
    way = draw.pick(("minutes", "minutes", "hours", "left", "left_hours", "difference", "one"))
    amounts: list[Amount] = []
    by_day = False
    last = {"hours": 1, "left": 1, "left_hours": 2}.get(way, 0)

    def slots(**more: object) -> dict[str, object]:
        return {**draft.slots(who), **more}

    def named(doing: str) -> dict[str, object]:
        return {"doing": doing}

    def used() -> int:
        joins = 0 if way == "one" else 1 if way == "difference" else len(amounts) - 1
        return steps_in(*amounts) + joins + last

    while not amounts or used() < draft.steps:
        if len(amounts) == 4:
            raise UnfitError
        left = draft.steps - used() - (1 if amounts and way != "one" else 0)
        doing = order[len(amounts)]
        moves = ["spends"]
        if left >= 1:
            if not amounts:
                moves += ["spends_times"]
            elif not by_day:
                moves += ["spends_more", "spends_less", "spends_factor"] * 2
        move = draw.pick(moves)
        # After "10 minutes a day", "as long as" could mean a day or all of them.
        by_day = by_day or move == "spends_times"
        forms: dict[str, object] = named(doing)
        if move in ("spends", "spends_times"):
            minutes = draw.pick((5, 5, 5, 3, 2))
            n = draft.count(minutes * (2 + draw.below(11)))
            forms["n"] = n
            amount: Amount = n
            if move == "spends_times":
                forms["k"] = k = draft.count(2 + draw.below(7))
                amount = times(k, n)
        else:
            before = amounts[-1]
            forms["before"] = order[len(amounts) - 1]
            if move == "spends_factor":
                k, forms["k_times"] = draft.multiple(2 + draw.below(2))
                amount = times(k, before)
            else:
                most = int(before.value) // 5 - 1 if move == "spends_less" else 8
                if most < 1:
                    raise UnfitError
                forms["n"] = n = draft.count(5 * (1 + draw.below(most)))
                amount = plus(before, n) if move == "spends_more" else minus(before, n)
        draft.say(f"timing.{move}", slots(**forms), who)
        amounts.append(amount)
    if way == "one":
        if not steps_in(amounts[-1]):
            raise UnfitError
        draft.ask("timing.ask_one", slots(**named(order[len(amounts) - 1])))
        return amounts[-1]
    if way == "difference":
        if len(amounts) < 2:
            raise UnfitError
        i = len(amounts) - 1
        high, low = (i, 0) if amounts[i].value > amounts[0].value else (0, i)
        draft.ask("timing.ask_difference", slots(a=order[high], b=order[low]))
        return minus(amounts[high], amounts[low])
    total = plus(*amounts)
    return _ask_for_time(draft, who, way, total)


def _ask_for_time(draft: Draft, who: Someone, way: str, total: Amount) -> Amount:
    draw = draft.draw
    if way == "minutes":
        draft.ask("timing.ask_minutes", draft.slots(who))
        return total
    if way == "hours":
        hours = over(total, constant(60))
        if not isinstance(hours.value, int) and hours.value.denominator > 4:
            raise UnfitError
        draft.ask("timing.ask_hours", draft.slots(who))
        return hours
    if way == "left_hours":
        n = draft.count(max(2, int(total.value) // 60 + 1 + draw.below(2)))
        draft.say("timing.has_hours", {**draft.slots(who), "n": n}, who)
        has: Amount = times(n, constant(60))
    else:
        n = draft.count(int(total.value) + 5 * (1 + draw.below(20)))
        draft.say("timing.has_minutes", {**draft.slots(who), "n": n}, who)
        has = n
    draft.ask("timing.ask_minutes_left", draft.slots(who))
    return minus(has, total)


def clock(draft: Draft) -> Amount:
    """From one time of the day to another."""
    draw = draft.draw
    if draft.steps not in (1, 2, 4, 5):
        raise UnfitError
    event = draw.pick(day_events())
    same_hour = draft.steps <= 2
    h1 = 1 + draw.below(10)
    h2 = h1 if same_hour else h1 + 1 + draw.below(min(4, 12 - h1))
    m1, m2 = (5 * (1 + draw.below(11)) for _ in range(2))
    if same_hour and m1 >= m2:
        raise UnfitError
    begin_hour, end_hour = (draft.known(hour, str(hour)) for hour in (h1, h2))
    begin, end = (draft.known(minute, f"{minute:02}") for minute in (m1, m2))
    slots: dict[str, object] = {
        "event": event,
        "h1": begin_hour,
        "m1": begin,
        "h2": end_hour,
        "m2": end,
    }
    draft.say("timing.from_to", slots)
    duration: Amount = end
    if not same_hour:
        duration = plus(times(minus(end_hour, begin_hour), constant(60)), end)
    duration = minus(duration, begin)
    if duration.value < 20:
        raise UnfitError
    if draft.steps in (1, 4):
        draft.ask("timing.ask_duration", slots)
        return duration
    n = draft.count(min(5 * (1 + draw.below(6)), int(duration.value) - 10))
    draft.say("timing.break_of", {**slots, "n": n})
    draft.ask("timing.ask_without_break", slots)
    return minus(duration, n)


def ages(draft: Draft) -> Amount:
    """How old people are."""
    draw, steps = draft.draw, draft.steps
    draft.past = False
    people = [person(draw)]
    draft.people.append(people[0])
    n = draft.count(4 + draw.below(37))
    draft.say("timing.age", {"a": people[0].name, "n": n})
    known: list[Amount] = [n]
    way = draw.pick(("age", "in", "ago", "sum", "sum_in", "difference"))

    def used() -> int:
        ending = {"age": 0, "sum": len(people) - 1, "sum_in": len(people) + 1}
        return steps_in(*known) + ending.get(way, 1)

    while used() < steps and len(people) < 4 and not (way in ("in", "ago") and steps == 1):
        b, base = people[-1], known[-1]
        a = person(draw, tuple(people))
        move = draw.pick(("older", "younger", "times_as_old"))
        slots: dict[str, object] = {"a": a.name, "b": b.name}
        if move == "times_as_old":
            k, slots["k_times"] = draft.multiple(2 + draw.below(2))
            amount: Amount = times(k, base)
        else:
            most = int(base.value) - 2 if move == "younger" else 30
            if most < 3:
                raise UnfitError
            slots["n"] = n = draft.count(2 + draw.below(min(most - 1, 30)))
            amount = plus(base, n) if move == "older" else minus(base, n)
        people.append(a)
        draft.people.append(a)
        draft.say(f"timing.{move}", slots)
        known.append(amount)
    is_adult = any("." in one.name for one in people)
    if is_adult or max(amount.value for amount in known) > _OLDEST:
        raise UnfitError
    return _ask_for_age(draft, way, people, known)


def _ask_for_age(draft: Draft, way: str, people: list[Someone], known: list[Amount]) -> Amount:
    draw, a = draft.draw, people[-1]
    slots: dict[str, object] = {"a": a.name, "a_whose": a.whose}
    if way == "age":
        if len(people) == 1:
            raise UnfitError
        draft.ask("timing.ask_age", slots)
        return known[-1]
    if way in ("in", "ago"):
        most = int(known[-1].value) - 1 if way == "ago" else 30
        if most < 3:
            raise UnfitError
        k = draft.count(2 + draw.below(min(most - 1, 29)))
        draft.ask(f"timing.ask_age_{way}", {**slots, "k": k})
        return plus(known[-1], k) if way == "in" else minus(known[-1], k)
    if len(people) < 2:
        raise UnfitError
    if way == "difference":
        i, j = (len(people) - 1, 0) if known[-1].value > known[0].value else (0, len(people) - 1)
        draft.ask("timing.ask_age_difference", {"a": people[i].name, "b": people[j].name})
        return minus(known[i], known[j])
    if way == "sum":
        draft.ask("timing.ask_sum_of_ages", slots)
        return plus(*known)
    k = draft.count(2 + draw.below(19))
    draft.ask("timing.ask_sum_in", {**slots, "k": k})
    return plus(plus(*known), times(k, constant(len(people))))
