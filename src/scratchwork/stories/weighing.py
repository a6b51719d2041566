"""Stories about prices by weight, about coins, and about numbers that grow by a percentage.

Promises: sums of money have at most two decimals, and numbers of people or animals are whole.
"""

from fractions import Fraction

from scratchwork.stories.amounts import (
    Amount,
    Exact,
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
from scratchwork.stories.outcomes import price_in_cents
from scratchwork.stories.world import Goods, goods, growing_numbers, person

_NOTES = (5, 10, 20, 50, 100, 200)
_CURRENCIES = {
    "$": ("dollars", "cents", (5, 10, 25, 50)),
    "£": ("pounds", "pence", (2, 5, 10, 20, 50)),
    "€": ("euros", "cents", (2, 5, 10, 20, 50)),
}
"""What a currency and its hundredths are called, and which coins of these there are."""


def _is_money(value: Exact) -> bool:
    return (Fraction(value) * 100).denominator == 1


def weighing(draft: Draft) -> Amount:
    """Something is bought by weight or volume."""
    draw = draft.draw
    order = draw.shuffled(goods())
    who = person(draw)

    def slots(one: Goods, **more: object) -> dict[str, object]:
        words = {"goods": one.name}
        units = {"one_unit": one.unit, "unit": one.units}
        return {**words, **units, **draft.slots(who), **more}

    def cost(price: Known) -> str:
        return f"{draft.currency}{price}"

    first = order[0]
    if draft.steps <= 2 and draw.chance(0.5):
        cents = price_in_cents(draw, first.cheapest, first.dearest)
        k = 2 + draw.below(8)
        if draft.steps == 1 and draw.chance(0.5):
            price = draft.money(cents)
            draft.say("weighing.price_per", slots(first, price=cost(price)))
            money = draft.money(cents * k)
            draft.ask("weighing.ask_weight", slots(first, money=cost(money)))
            return over(money, price)
        n, price = draft.count(k), draft.money(cents * k)
        draft.say("weighing.paid_for", slots(first, n=n, price=cost(price)), who)
        if draft.steps == 1:
            draft.ask("weighing.ask_per_unit", slots(first))
            return over(price, n)
        m = draft.count(2 + draw.below(12))
        draft.ask("weighing.ask_other_amount", slots(first, m=m))
        return times(m, over(price, n))
    changes = draft.steps % 2 == 0
    count = (draft.steps + 1) // 2
    if count > 3:
        raise UnfitError
    lines: list[Amount] = []
    listed: list[str] = []
    for one in order[:count]:
        price = draft.money(price_in_cents(draw, one.cheapest, one.dearest))
        draft.say("weighing.price_per", slots(one, price=cost(price)))
        halves = 3 + draw.below(9)
        weight = (
            draft.decimal(Fraction(halves, 2))
            if draw.chance(0.3)
            else draft.count(2 + draw.below(7))
        )
        listed.append(f"{weight} {one.units} of {one.name}")
        lines.append(times(weight, price))
    joined = ", ".join(listed[:-1]) + (" and " if count > 1 else "") + listed[-1]
    draft.say("weighing.buys", slots(first, list=joined), who)
    total = plus(*lines)
    if not _is_money(total.value):
        raise UnfitError
    if not changes:
        draft.ask("weighing.ask_total", slots(first))
        return total
    notes = [note for note in _NOTES if note > total.value]
    if not notes:
        raise UnfitError
    note = draft.money(100 * notes[0])
    draft.ask("weighing.ask_change", slots(first, money=cost(note)))
    return minus(note, total)


def counting_coins(draft: Draft) -> Amount:
    """What coins are worth."""
    draw = draft.draw
    who = person(draw)
    if draft.steps > 5:
        raise UnfitError
    in_money = draft.steps % 2 == 0
    currency, cents, coins = _CURRENCIES[draft.currency]
    kinds = draw.shuffled(coins)[: (draft.steps + 1) // 2]
    sums: list[Amount] = []
    listed: list[str] = []
    for value in kinds:
        n, worth = draft.count(2 + draw.below(14)), draft.known(value, str(value))
        listed.append(f"{n} coins of {worth} {cents} each")
        sums.append(times(n, worth))
    joined = ", ".join(listed[:-1]) + (" and " if len(kinds) > 1 else "") + listed[-1]
    draft.say("weighing.coins", {**draft.slots(who), "list": joined}, who)
    total = plus(*sums)
    slots = {**draft.slots(who), "currency": currency, "cents": cents}
    if not in_money:
        draft.ask("weighing.ask_cents", slots)
        return total
    draft.ask("weighing.ask_money", slots)
    return over(total, constant(100))


def growing(draft: Draft) -> Amount:
    """A number rises or falls by a percentage, perhaps more than once."""
    draw = draft.draw
    draft.past = True
    place, members = draw.pick(growing_numbers())
    thing = place.partition(" ")[2]
    name = f"the {thing.partition(' ')[2]}"
    n = draft.count(20 * (2 + draw.below(60)))
    fixed: dict[str, object] = {"thing": thing, "members": members, "it": name, "place": place}
    draft.say("weighing.was", {**fixed, "n": n})
    amount: Amount = n
    while (left := draft.steps - steps_in(amount)) > 0:
        if len(draft.sentences) > 4:
            raise UnfitError
        rises = draw.chance(0.6)
        if left == 1 and steps_in(amount):
            m = draft.count(2 + draw.below(int(amount.value) // 4))
            draft.say("weighing.joined" if rises else "weighing.left", {**fixed, "m": m})
            amount = plus(amount, m) if rises else minus(amount, m)
            continue
        rate, written = draft.rate(draw.pick((5, 10, 15, 20, 25, 30, 40, 50)))
        draft.say("weighing.rises" if rises else "weighing.falls", {**fixed, "rate": written})
        part = percent_of(rate, amount)
        if not isinstance(part.value, int):
            raise UnfitError
        if draft.steps == 1:
            draft.ask("weighing.ask_by_how_many", fixed)
            return part
        amount = plus(amount, part) if rises else minus(amount, part)
    draft.ask("weighing.ask_number", fixed)
    return amount
