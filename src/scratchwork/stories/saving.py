"""Stories about money that is saved, earned or gained by trading.

Promises: who has spent something had it before; what is saved for costs more than is there already.
"""

from scratchwork.families.words import with_article
from scratchwork.stories.amounts import (
    Amount,
    Known,
    UnfitError,
    minus,
    over,
    plus,
    steps_in,
    times,
)
from scratchwork.stories.draft import Draft
from scratchwork.stories.shopping import OTHER_EXPENSES, Purchase

_WANTED = (
    *(
        "bicycle",
        "guitar",
        "skateboard",
        "camera",
        "tent",
        "games console",
        "telescope",
        "drum kit",
    ),
    *("phone", "laptop", "violin", "sewing machine", "drone", "watch", "printer", "kayak"),
    *("sleeping bag", "scooter", "microscope", "camping stove", "chess computer", "tablet"),
)


def saving(draft: Draft) -> Amount:
    """Somebody saves or earns money, often to buy something."""
    draw, scene = draft.draw, Purchase(draft)
    works = draw.chance(0.5)
    way = draw.pick(("sum", "sum", "time", "still"))
    has = _savings(scene) if draft.steps >= 2 and draw.chance(0.6) else None
    wage = 50 * (8 + draw.below(40)) if works else 100 * (2 + draw.below(18))
    rate = draft.money(wage)
    scene.say("earns" if works else "saves", amount=scene.sign(rate))
    if has is not None and steps_in(has) < draft.steps - 3 and draw.chance(0.7):
        has = _spend(scene, has)
    if way == "time":
        return _ask_for_time(scene, rate, has, works=works)
    if works:
        gained = _hours(scene, rate)
    else:
        weeks = draft.count(2 + draw.below(11))
        gained = times(rate, weeks)
        if way == "still":
            scene.say("for_weeks", k=weeks)
        elif has is None and draft.steps > 1:
            raise UnfitError
        else:
            draft.ask("shopping.ask_savings", {**scene.slots(scene.things[0]), "k": weeks})
            return gained if has is None else plus(has, gained)
    total = gained if has is None else plus(has, gained)
    if way == "still":
        return _ask_still(scene, total)
    draft.ask(
        "shopping.ask_earned" if has is None else "shopping.ask_owned", scene.slots(scene.things[0])
    )
    return total


def _savings(scene: Purchase) -> Amount:
    known = scene.draft.money(100 * (10 + scene.draw.below(90)))
    scene.say("has_saved", amount=scene.sign(known))
    return known


def _spend(scene: Purchase, has: Amount) -> Amount:
    """Some of the savings is spent first."""
    if has.value < 8:
        raise UnfitError
    gift, least, most = scene.draw.pick(OTHER_EXPENSES)
    known = scene.draft.money(100 * (least + scene.draw.below(most - least + 1)))
    scene.say("spends_savings", amount=scene.sign(known), gift=gift)
    return minus(has, known)


def _hours(scene: Purchase, wage: Known) -> Amount:
    draft, draw = scene.draft, scene.draw
    k = draft.count(2 + draw.below(7))
    if draft.steps >= 2 and draw.chance(0.6):
        m = draft.count(2 + draw.below(9))
        scene.say("works", k=k, m=m)
        return times(wage, times(k, m))
    scene.say("works_hours", k=k)
    return times(wage, k)


def _ask_for_time(scene: Purchase, rate: Known, has: Amount | None, *, works: bool) -> Amount:
    """The price of what is wanted is told, and how long it takes is asked for."""
    draft = scene.draft
    cents = int(rate.value * 100) * (3 + scene.draw.below(15))
    owned = 0 if has is None else int(has.value * 100)
    price = draft.money(cents + owned)
    _say_wish(scene, price)
    draft.ask(
        "shopping.ask_hours" if works else "shopping.ask_weeks",
        {**scene.slots(scene.things[0]), "thing": scene.wish},
    )
    return over(price if has is None else minus(price, has), rate)


def _say_wish(scene: Purchase, price: Known) -> None:
    """Say what the money is for."""
    wish = scene.draw.pick(_WANTED)
    slots = {
        "thing": wish,
        "a_thing": with_article(wish),
    }
    scene.say("wants", price=scene.sign(price), **slots)
    scene.wish = wish


def _ask_still(scene: Purchase, has: Amount) -> Amount:
    draft = scene.draft
    known = draft.money(100 * (int(has.value) + 2 + scene.draw.below(60)))
    _say_wish(scene, known)
    draft.ask("shopping.ask_still", scene.slots(scene.things[0]))
    return minus(known, has)


def trading(draft: Draft) -> Amount:
    """Somebody buys things to sell them for more."""
    draw, scene = draft.draw, Purchase(draft)
    thing = scene.things[0]
    k = draft.count(3 + draw.below(40))
    cents = scene.cents(thing)
    paid, more = draft.money(cents), 25 * (1 + draw.below(max(2, cents // 40)))
    scene.say("bought_to_sell", k=k, price=scene.sign(paid))
    got = draft.money(cents + more)
    scene.say("sold_again", price=scene.sign(got))
    profit: Amount = times(k, minus(got, paid))
    if draft.steps > 2:
        most = int(profit.value) - 1
        if most < 3:
            raise UnfitError
        fee = draft.money(100 * (1 + draw.below(min(most, 40))))
        scene.say("fee", amount=scene.sign(fee))
        profit = minus(profit, fee)
    draft.ask("shopping.ask_profit", scene.slots(thing))
    return profit
