"""What becomes of things that somebody has: they are shared, packed, sold or compared.

Promises: `outcome` says it, asks, and gives the answer, in one step or two.
"""

from scratchwork.families.drawing import Draw
from scratchwork.families.words import with_article
from scratchwork.stories.amounts import (
    Amount,
    UnfitError,
    minus,
    over,
    plus,
    remainder,
    rounded_down,
    rounded_up,
    times,
)
from scratchwork.stories.draft import Draft
from scratchwork.stories.world import Someone, Thing, person


def divisors(value: int, least: int, most: int) -> list[int]:
    """The divisors of a number in a range, without the number itself."""
    return [k for k in range(least, min(most, value - 1) + 1) if value % k == 0]


def some_count(draw: Draw, most: int, least: int = 3) -> int:
    """A count, more often a small one."""
    top = min(most, 20) if draw.chance(0.5) else most
    return least + draw.below(max(top - least, 0) + 1)


def outcome(
    draft: Draft,
    owner: Someone,
    thing: Thing,
    container: tuple[str, str],
    amount: Amount,
    friends: str,
) -> Amount:
    """Something is done with all the things, or they are compared with others."""
    draw, now = draft.draw, int(amount.value)
    if now < 5:
        raise UnfitError
    ways = ["sell", "more_than", "fewer_than", "together", "need"]
    ways += ["pack"] * 3 if divisors(now, 2, 12) else ["pack_up", "pack_left", "pack_down"]
    if owner.gender != "it":
        ways += ["share"] * 3 if divisors(now, 3, 9) else ["share_left", "share_down"]
    way = draw.pick(ways)
    slots: dict[str, object] = {
        "thing": thing.one,
        "things": thing.plural,
        "container": container[0],
        "a_container": with_article(container[0]),
        "containers": container[1],
        "friends": friends,
    }
    answer: Amount
    if way in ("more_than", "fewer_than", "together"):
        gender = "m" if owner.gender == "f" else "f"
        other = person(draw, tuple(draft.people), gender)
        bound = 2 * now if way == "together" else now - 2
        m = draft.count(2 + draw.below(bound) + (now if way == "fewer_than" else 0))
        slots |= {"m": m, "other": other.name}
        answer = plus(amount, m)
        if way == "more_than":
            answer = minus(amount, m)
        elif way == "fewer_than":
            answer = minus(m, amount)
    elif way == "sell":
        kind = thing.kind
        cents = price_in_cents(draw, kind.cheapest, kind.dearest)
        price = draft.money(cents)
        slots["price"] = f"{draft.currency}{price}"
        answer = times(amount, price)
    elif way == "need":
        k = draft.count(now + 2 + draw.below(now))
        slots["k"] = k
        answer = minus(k, amount)
    else:
        if way in ("pack", "share"):
            k = draft.count(draw.pick(divisors(now, *((2, 12) if way == "pack" else (3, 9)))))
        else:
            k = draft.count(3 + draw.below(min(now - 3, 10)))
        slots["k"] = k
        quotient = over(amount, k)
        answer = {
            "pack": quotient,
            "share": quotient,
            "pack_up": rounded_up(quotient),
            "pack_down": rounded_down(quotient),
            "share_down": rounded_down(quotient),
            "pack_left": remainder(amount, k),
            "share_left": remainder(amount, k),
        }[way]
    slots |= draft.slots(owner)
    draft.ask(f"holding.{way}", slots)
    return answer


def price_in_cents(draw: Draw, cheapest: int, dearest: int) -> int:
    """A usual price: whole, or a multiple of 25 or 5 cents."""
    top = dearest if draw.chance(0.4) else max(cheapest + 100, dearest // 3)
    step = 100 if top >= 300 and draw.chance(0.6) else draw.pick((5, 10, 25, 50))
    return max(step, round((cheapest + draw.below(top - cheapest + 1)) / step) * step)
