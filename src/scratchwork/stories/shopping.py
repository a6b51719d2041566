"""Stories about purchases: prices, totals, change, unit prices.

Promises: sums of money have at most two decimals; change is less than what was paid; nobody pays
with notes that do not exist.
"""

from fractions import Fraction

from scratchwork.families.words import with_article
from scratchwork.stories.amounts import (
    Amount,
    Exact,
    Known,
    UnfitError,
    minus,
    over,
    percent_of,
    plus,
    steps_in,
    times,
)
from scratchwork.stories.draft import Besides, Draft
from scratchwork.stories.outcomes import price_in_cents
from scratchwork.stories.world import Thing, another_thing, person, things

_NOTES = (5, 10, 20, 50, 100, 200, 500)
OTHER_EXPENSES = (
    *(
        ("a birthday present", 5, 40),
        ("a bus ticket", 2, 6),
        ("a haircut", 10, 35),
        ("lunch", 5, 15),
    ),
    *(("a cinema ticket", 6, 14), ("a taxi", 6, 30), ("a cup of coffee", 2, 5), ("a book", 6, 25)),
    *(("a train ticket", 5, 45), ("parking", 2, 10), ("a museum visit", 4, 16), ("a scarf", 5, 20)),
)
"""Other things that money goes on, and what they cost at least and at most."""


def _is_money(value: Exact) -> bool:
    return isinstance(value, int) or (value * 100).denominator == 1


class Purchase:
    """The scene in the making."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.draw = draft, draft.draw
        self.who = person(self.draw)
        thing = self.draw.pick(things())
        self.things = [thing]
        self.shop = f"the {self.draw.pick(thing.kind.shops)}"
        self.prices: list[Amount] = []
        self.wish = ""
        """What somebody saves for."""
        self.modified: set[str] = set()
        self.quantities: list[Known | None] = []
        """How many of each thing are bought; None for a single one."""

    def another(self) -> Thing:
        thing = another_thing(self.draw, self.things[0], same_kind=True)
        if thing in self.things:
            raise UnfitError
        self.things.append(thing)
        return thing

    def tell_besides(self) -> None:
        """Let something be told of a thing that is not bought."""
        other = another_thing(self.draw, self.things[0], same_kind=True)
        if other not in self.things:
            cents = self.cents(other)
            self.draft.besides = Besides("price", self.price_slots(other), cents, cents, True)

    def cents(self, thing: Thing) -> int:
        return price_in_cents(self.draw, thing.kind.cheapest, thing.kind.dearest)

    def say(self, move: str, **slots: object) -> None:
        """Say something about who buys, in a wording of a move."""
        self.draft.say(f"shopping.{move}", {**self.slots(self.things[0]), **slots}, self.who)

    def sign(self, sum_of_money: Known) -> str:
        return f"{self.draft.currency}{sum_of_money}"

    def slots(self, thing: Thing, *, pronoun: float = 0.7) -> dict[str, object]:
        return {**self.draft.slots(self.who, pronoun=pronoun), **self.price_slots(thing)}

    def price(self, thing: Thing, budget: int) -> tuple[Amount, str]:
        """The price of a thing, and the sentence that tells it."""
        draw, draft = self.draw, self.draft
        ways = ["price"] * 3
        if budget and self.prices:
            ways += ["price_more", "price_less", "price_times"] * 2
        if budget:
            ways.append("price_pack")
        way = draw.pick(ways)
        slots = self.price_slots(thing)
        if way in ("price", "price_pack"):
            cents = self.cents(thing)
            if way == "price":
                known = draft.money(cents)
                return known, draft.write("shopping.price", {**slots, "price": self.sign(known)})
            k = draft.count(2 + draw.below(9))
            known = draft.money(cents * int(k.value))
            text = draft.write("shopping.price_pack", {**slots, "k": k, "price": self.sign(known)})
            return over(known, k), text
        earlier = draw.below(len(self.prices))
        other, base = self.things[earlier], self.prices[earlier]
        b_thing = with_article(other.one)
        slots |= {"b_thing": b_thing}
        if way == "price_times":
            k, slots["k_times"] = draft.multiple(2 + draw.below(3))
            amount: Amount = times(k, base)
        else:
            base_cents = int(base.value * 100)
            step = 100 if base_cents % 100 == 0 and base_cents >= 300 else 10
            most = base_cents // step - 1 if way == "price_less" else 2 * base_cents // step
            if most < 2:
                raise UnfitError
            known = draft.money(step * (1 + draw.below(min(most, 30))))
            slots["price"] = self.sign(known)
            amount = plus(base, known) if way == "price_more" else minus(base, known)
        return amount, draft.write(f"shopping.{way}", slots)

    def price_slots(self, thing: Thing) -> dict[str, object]:
        """The slots for a sentence about a thing's price."""
        article = with_article(thing.one)
        return {
            "shop": self.shop,
            "thing": thing.one,
            "things": thing.plural,
            "a_thing": article,
        }

    def note(self, value: Exact) -> Known:
        """Money that is enough to pay a sum, as people have it."""
        larger = [note for note in _NOTES if note > value]
        if not larger:
            raise UnfitError
        note = self.draw.pick(larger[:2])
        return self.draft.money(100 * note)

    def lines(self, budget: int) -> list[Amount]:
        """What is bought, and what each line costs."""
        draw, draft = self.draw, self.draft
        count = 1 if budget <= 1 else 2 if budget <= 4 else 2 + draw.below(2)
        single = budget == 1 and draw.chance(0.4)
        if single:
            count = 2
        quantities = self.quantities
        told: list[str] = []
        for line in range(count):
            thing = self.things[0] if line == 0 else self.another()
            spare = budget - (2 * count - 1) - steps_in(*self.prices)
            amount, text = self.price(thing, 0 if single else max(spare, 0))
            self.prices.append(amount)
            told.append(text)
            one = single or (line > 0 and draw.chance(0.25))
            quantities.append(None if one else draft.count(2 + draw.below(9)))
        named = [
            with_article(thing.one) if n is None else f"{n} {thing.plural}"
            for n, thing in zip(quantities, self.things, strict=True)
        ]
        if all(isinstance(price, Known) for price in self.prices) and draw.chance(0.4):
            priced = [
                f"{name} for {self.sign(price)}" + ("" if n is None else " each")
                for name, price, n in zip(named, self.prices, quantities, strict=True)
                if isinstance(price, Known)
            ]
            slots = {**self.slots(self.things[0]), "priced_list": _listed(priced)}
            draft.say("shopping.buy_priced", slots, self.who)
        else:
            buys_first = draw.chance(0.35)
            move = "buy" if self.things[0].kind.moves else "buy_large"
            text = draft.write(
                f"shopping.{move}", {**self.slots(self.things[0]), "list": _listed(named)}
            )
            if buys_first:
                draft.add(text, self.who)
            for fact in told:
                draft.add(fact)
            if not buys_first:
                draft.add(text, self.who)
        return [
            price if n is None else times(n, price)
            for n, price in zip(quantities, self.prices, strict=True)
        ]

    def modify(self, total: Amount, budget: int) -> Amount:
        """Something that makes the total larger or smaller."""
        draw, draft = self.draw, self.draft
        slots = self.slots(self.things[0])
        way = draw.pick(("coupon", "delivery", "spent_before", "discount", "discount", "tax"))
        if budget < 2 and way in ("discount", "tax"):
            way = "delivery"
        if way in self.modified:
            raise UnfitError
        self.modified.add(way)
        if way in ("discount", "tax"):
            rate, slots["rate"] = draft.rate(
                draw.pick((5, 10, 15, 20, 25, 30, 40, 50) if way == "discount" else (5, 8, 10, 20))
            )
            draft.say(f"shopping.{way}", slots, self.who)
            part = percent_of(rate, total)
            return minus(total, part) if way == "discount" else plus(total, part)
        slots["gift"], least, most = draw.pick(OTHER_EXPENSES)
        if way != "spent_before":
            least, most = 1, min(12, int(total.value / 2))
        if most < 2:
            raise UnfitError
        known = draft.money(100 * (least + draw.below(most - least + 1)))
        slots["amount"] = self.sign(known)
        draft.say(f"shopping.{way}", slots, self.who)
        return minus(total, known) if way == "coupon" else plus(total, known)


def _listed(items: list[str]) -> str:
    return ", ".join(items[:-1]) + (" and " if len(items) > 1 else "") + items[-1]


def shopping(draft: Draft) -> Amount:
    """A purchase: what it costs, the change, what is missing, the share of each."""
    draw = draft.draw
    scene = Purchase(draft)
    way = draw.pick(("total", "total", "change", "change", "short", "split", "difference"))
    last = 0 if way == "total" else 1
    budget = draft.steps - last
    if budget < 1 or (way == "difference" and budget < 2):
        return _from_unit_price(draft)
    spare = draw.below(3) if budget >= 4 else draw.below(2) if budget >= 2 else 0
    if way == "difference":
        spare = 0
    lines = scene.lines(budget - spare)
    if way == "difference":
        if len(lines) != 2:
            raise UnfitError
        return _ask_difference(scene, lines)
    total = plus(*lines)
    while (left := budget - steps_in(total)) > 0:
        total = scene.modify(total, left)
        if len(draft.sentences) > 7:
            raise UnfitError
    if not _is_money(total.value):
        raise UnfitError
    return _ask_shopping(scene, way, total)


def _ask_difference(scene: Purchase, lines: list[Amount]) -> Amount:
    a, b = (0, 1) if lines[0].value > lines[1].value else (1, 0)
    slots = {**scene.slots(scene.things[a]), "others": scene.things[b].plural}
    if None in scene.quantities:
        raise UnfitError
    scene.draft.ask("shopping.ask_difference", slots)
    return minus(lines[a], lines[b])


def _ask_shopping(scene: Purchase, way: str, total: Amount) -> Amount:
    draft, draw = scene.draft, scene.draw
    scene.tell_besides()
    slots = scene.slots(scene.things[0])
    elsewhere = "spent_before" in scene.modified
    if way == "total":
        draft.ask("shopping.ask_spent" if elsewhere else "shopping.ask_total", slots)
        return total
    if way == "change" and elsewhere:
        has = scene.note(total.value)
        draft.ask("shopping.ask_kept", {**slots, "money": scene.sign(has)})
        return minus(has, total)
    if elsewhere:
        raise UnfitError
    if way == "change":
        note = scene.note(total.value)
        bill = f"a {scene.sign(note)} note" if draw.chance(0.4) else scene.sign(note)
        draft.ask("shopping.ask_change", {**slots, "money": bill})
        return minus(note, total)
    if way == "short":
        most = int(total.value) - 1
        if most < 2:
            raise UnfitError
        known = draft.money(100 * (1 + draw.below(most)))
        draft.ask("shopping.ask_short", {**slots, "money": scene.sign(known)})
        return minus(total, known)
    shares = [k for k in range(3, 9) if _is_money(Fraction(total.value) / k)]
    if not shares:
        raise UnfitError
    k = draft.count(draw.pick(shares))
    draft.ask("shopping.ask_split", {**slots, "k": k})
    return over(total, k)


def _from_unit_price(draft: Draft) -> Amount:
    """The price of some things is told; what one costs, or so many, or how many one gets."""
    draw = draft.draw
    scene = Purchase(draft)
    thing = scene.things[0]
    cents = scene.cents(thing)
    if draft.steps == 1 and draw.chance(0.4):
        price = draft.money(cents)
        draft.add(
            draft.write("shopping.price", {**scene.price_slots(thing), "price": scene.sign(price)})
        )
        k = 2 + draw.below(12)
        money = draft.money(cents * k)
        draft.ask("shopping.ask_how_many", {**scene.slots(thing), "money": scene.sign(money)})
        return over(money, price)
    k = draft.count(2 + draw.below(9))
    price = draft.money(cents * int(k.value))
    slots = {**scene.slots(thing), "k": k, "price": scene.sign(price)}
    draft.say("shopping.paid_for", slots, scene.who)
    unit = over(price, k)
    if draft.steps == 1:
        draft.ask("shopping.ask_unit", scene.slots(thing))
        return unit
    if draw.chance(0.5):
        money = draft.money(cents * (2 + draw.below(15)))
        draft.ask("shopping.ask_how_many", {**scene.slots(thing), "money": scene.sign(money)})
        return over(money, unit)
    m = draft.count(2 + draw.below(15))
    draft.ask("shopping.ask_so_many", {**scene.slots(thing), "m": m})
    return times(m, unit)
