"""Stories about lengths, rectangles and liquids.

Promises: nothing is cut off that is not there; sides, areas and pieces are what the numbers say.
"""

from scratchwork.families.words import with_article
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
from scratchwork.stories.draft import Besides, Draft
from scratchwork.stories.outcomes import divisors, price_in_cents, some_count
from scratchwork.stories.world import person

_MATERIALS = (
    *(("ribbon", "a ribbon", "bow", "bows"), ("rope", "a rope", "swing", "swings")),
    *(("wire", "a wire", "fence", "fences"), ("cloth", "a piece of cloth", "curtain", "curtains")),
    *(("string", "a string", "kite", "kites"), ("cable", "a cable", "lamp", "lamps")),
    *(
        ("lace", "a strip of lace", "dress", "dresses"),
        ("tape", "a roll of tape", "parcel", "parcels"),
    ),
    *(("silk", "a piece of silk", "scarf", "scarves"), ("pipe", "a pipe", "sink", "sinks")),
    *(("wood", "a strip of wood", "picture frame", "picture frames"),),
    *(("yarn", "a ball of yarn", "bracelet", "bracelets"),),
)
"""A material, a piece of it, and what is made with it."""
_LONG = (
    ("metres", 8, 90),
    ("feet", 10, 90),
    ("centimetres", 60, 900),
    ("yards", 8, 80),
    ("inches", 40, 400),
)
_SMALLER = {"metres": ("centimetres", 100), "feet": ("inches", 12), "yards": ("feet", 3)}
_FIELDS = (
    *("garden", "field", "playground", "lawn", "meadow", "car park", "vegetable patch", "yard"),
    *("football pitch", "courtyard", "paddock", "building plot", "schoolyard", "park"),
)
_ON_FIELDS = (
    "a pond",
    "a shed",
    "a flower bed",
    "a hut",
    "a sandpit",
    "a path",
    "a greenhouse",
    "a terrace",
)
_TANKS = (
    *(
        ("tank", "water", "litres", 50, 600, "buckets"),
        ("barrel", "rainwater", "litres", 40, 250, "watering cans"),
    ),
    *(
        ("jug", "juice", "millilitres", 500, 3000, "glasses"),
        ("pot", "soup", "millilitres", 1200, 6000, "bowls"),
    ),
    *(("can", "paint", "litres", 10, 60, "tins"), ("vat", "milk", "litres", 60, 500, "bottles")),
    *(
        ("kettle", "tea", "millilitres", 800, 3000, "cups"),
        ("drum", "oil", "litres", 40, 220, "bottles"),
    ),
    *(
        ("bowl", "punch", "millilitres", 1500, 6000, "cups"),
        ("trough", "water", "gallons", 20, 150, "buckets"),
    ),
    *(
        ("churn", "cream", "litres", 12, 80, "jars"),
        ("barrel", "cider", "litres", 40, 200, "bottles"),
    ),
)


def cutting(draft: Draft) -> Amount:
    """Something long, from which pieces are cut."""
    draw = draft.draw
    material, a_piece, purpose, purposes = draw.pick(_MATERIALS)
    unit, low, high = draw.pick(_LONG)
    who = person(draw)
    fixed: dict[str, object] = {
        "material": material,
        "a_piece": a_piece,
        "purpose": with_article(purpose),
        "purposes": purposes,
        "unit": unit,
    }

    def slots() -> dict[str, object]:
        return {**fixed, **draft.slots(who)}

    other = draw.pick([name for name, *_ in _MATERIALS if name != material])
    draft.besides = Besides("material", {"material": other, "unit": unit}, low, high)
    way = draw.pick(("left", "left", "pieces", "equal", "small"))
    last = 0 if way == "left" else 1
    if draft.steps - last >= 1 and draw.chance(0.35):
        k, n = draft.count(2 + draw.below(7)), draft.count(low + draw.below(high // 3))
        draft.say("measuring.lengths", {**slots(), "k": k, "n": n}, who)
        amount: Amount = times(k, n)
    else:
        n = draft.count(low + draw.below(high - low + 1))
        draft.say("measuring.length", {**slots(), "n": n}, who)
        amount = n
    while (left := draft.steps - last - steps_in(amount)) > 0 and len(draft.sentences) < 5:
        now = int(amount.value)
        if now < 8:
            raise UnfitError
        shares = divisors(now, 2, 5)
        if left >= 2 and shares and draw.chance(0.35):
            part, text = draft.part(1, draw.pick(shares))
            rest = material if len(draft.sentences) == 1 else f"remaining {material}"
            draft.say("measuring.cut_share", {**slots(), "part": text, "material": rest}, who)
            amount = minus(amount, times(part, amount))
        elif left >= 2 and draw.chance(0.7):
            k = draft.count(2 + draw.below(min(8, now // 4)))
            most = (now - 2) // int(k.value)
            if most < 2:
                raise UnfitError
            n = draft.count(2 + draw.below(most - 1))
            draft.say("measuring.cut_pieces", {**slots(), "k": k, "n": n}, who)
            amount = minus(amount, times(k, n))
        else:
            n = draft.count(some_count(draw, now - 2, 2))
            draft.say("measuring.cut_off", {**slots(), "n": n}, who)
            amount = minus(amount, n)
    if way == "left":
        if not steps_in(amount) or len(draft.sentences) < 2:
            raise UnfitError
        draft.ask("measuring.ask_left", slots())
        return amount
    if way == "small":
        if unit not in _SMALLER:
            raise UnfitError
        small, factor = _SMALLER[unit]
        if len(draft.sentences) > 1:
            draft.say("measuring.the_rest", slots(), who)
            fixed["material"] = f"remaining {material}"
        draft.ask("measuring.ask_small", {**slots(), "small": small})
        return times(amount, constant(factor))
    fitting = divisors(int(amount.value), 2, 40 if way == "pieces" else 12)
    if not fitting:
        raise UnfitError
    if len(draft.sentences) > 1:
        fixed["material"] = f"remaining {material}"
    k = draft.count(draw.pick(fitting))
    draft.ask(f"measuring.ask_{way}", {**slots(), "k": k})
    return over(amount, k)


def rectangles(draft: Draft) -> Amount:
    """A field or a garden: its sides, its area, the way around it, what they cost."""
    draw, steps = draft.draw, draft.steps
    field = draw.pick(_FIELDS)
    unit = draw.pick(("metres", "metres", "feet", "yards"))
    one = {"metres": "metre", "feet": "foot", "yards": "yard"}[unit]
    a_field = f"a rectangular {field}"
    fixed: dict[str, object] = {
        "field": field,
        "a_field": a_field,
        "unit": unit,
        "one_unit": one,
    }
    if steps <= 3 and draw.chance(0.25):
        return _missing_side(draft, fixed)
    if draw.chance(0.2):
        a_square = f"a square {field}"
        a = b = draft.count(4 + draw.below(60))
        draft.say(
            "measuring.square",
            {**fixed, "a": a, "a_square": a_square},
        )
        length: Amount = a
        around: Amount = times(constant(4), a)
    else:
        b = draft.count(4 + draw.below(40))
        shape = (
            draw.pick(("rectangle", "rectangle_more", "rectangle_times"))
            if steps >= 2
            else "rectangle"
        )
        if shape == "rectangle":
            # The longer side is called the length.
            a = draft.count(int(b.value) + 1 + draw.below(40))
            draft.say("measuring.rectangle", {**fixed, "a": a, "b": b})
            length = a
        elif shape == "rectangle_more":
            n = draft.count(2 + draw.below(25))
            draft.say("measuring.rectangle_more", {**fixed, "b": b, "n": n})
            length = plus(b, n)
        else:
            k, text = draft.multiple(2 + draw.below(3))
            draft.say("measuring.rectangle_times", {**fixed, "b": b, "k_times": text})
            length = times(k, b)
        around = times(constant(2), plus(length, b))
    area = times(length, b)
    return _ask_about_field(draft, fixed, area, around)


def _missing_side(draft: Draft, fixed: dict[str, object]) -> Amount:
    """Area or perimeter is told, and one side is asked for."""
    draw = draft.draw
    b = draft.count(3 + draw.below(30))
    length = int(b.value) + 1 + draw.below(40)
    if draft.steps == 1:
        n = draft.count(length * int(b.value))
        draft.say("measuring.area_given", {**fixed, "b": b, "n": n})
        draft.ask("measuring.ask_length", fixed)
        return over(n, b)
    n = draft.count(2 * (length + int(b.value)))
    draft.say("measuring.perimeter_given", {**fixed, "b": b, "n": n})
    side = minus(over(n, constant(2)), b)
    if draft.steps == 2:
        draft.ask("measuring.ask_length", fixed)
        return side
    draft.ask("measuring.ask_area", fixed)
    return times(side, b)


def _ask_about_field(
    draft: Draft, fixed: dict[str, object], area: Amount, around: Amount
) -> Amount:
    draw, steps = draft.draw, draft.steps
    ways = ["area", "perimeter", "fence", "floor", "rounds", "free", "tiles"]
    extra = {"area": area, "perimeter": around, "fence": around, "rounds": around}
    fitting = [
        way
        for way in ways
        if steps_in(extra.get(way, area)) + (way not in ("area", "perimeter")) == steps
    ]
    if steps >= 3 and not fitting:
        fitting = ["free_floor"] if steps_in(area) + 2 == steps else []
    if not fitting:
        raise UnfitError
    way = draw.pick(fitting)
    if way in ("area", "perimeter"):
        draft.ask(f"measuring.ask_{way}", fixed)
        return area if way == "area" else around
    if way == "rounds":
        k = draft.count(2 + draw.below(9))
        who = person(draw)
        draft.ask("measuring.ask_rounds", {**fixed, **draft.slots(who), "k": k})
        return times(k, around)
    if way == "tiles":
        pieces = divisors(int(area.value), 2, 50)
        if not pieces:
            raise UnfitError
        k = draft.count(draw.pick(pieces))
        draft.ask("measuring.ask_tiles", {**fixed, "k": k})
        return over(area, k)
    if way in ("free", "free_floor"):
        thing = draw.pick(_ON_FIELDS)
        n = draft.count(2 + draw.below(int(area.value) // 3))
        slots = {**fixed, "n": n, "thing_there": thing}
        draft.say("measuring.without_part", slots)
        area = minus(area, n)
        if way == "free":
            draft.ask("measuring.ask_free_area", fixed)
            return area
    price = draft.money(price_in_cents(draw, 200, 3000))
    move = "fence_cost" if way == "fence" else "rest_cost" if way == "free_floor" else "floor_cost"
    draft.ask(f"measuring.ask_{move}", {**fixed, "price": f"{draft.currency}{price}"})
    return times(around if way == "fence" else area, price)


def pouring(draft: Draft) -> Amount:
    """A tank or a jug: what is poured in and out."""
    draw = draft.draw
    tank, liquid, unit, low, high, cups = draw.pick(_TANKS)
    who = person(draw)
    step = 50 if unit == "millilitres" else 1
    fixed: dict[str, object] = {
        "tank": tank,
        "a_tank": with_article(tank),
        "liquid": liquid,
        "unit": unit,
        "cups": cups,
    }

    def slots() -> dict[str, object]:
        return {**fixed, **draft.slots(who, pronoun=0.5)}

    n = draft.count((low + draw.below(high - low + 1)) // step * step)
    draft.say("measuring.full", {**fixed, "n": n})
    amount: Amount = n
    another = draw.pick([one for one in _TANKS if tank != one[0] and liquid != one[1]])
    details = {"tank": with_article(another[0]), "liquid": another[1], "unit": another[2]}
    draft.besides = Besides("liquid", details, another[3], another[4])
    asks_cups = draft.steps > 1 and draw.chance(0.4)
    while (left := draft.steps - asks_cups - steps_in(amount)) > 0 and len(draft.sentences) < 5:
        now = int(amount.value)
        if now < 8 * step:
            raise UnfitError
        if left >= 2 and draw.chance(0.5):
            k = draft.count(2 + draw.below(7))
            most = (now // step - 2) // int(k.value)
            if most < 2:
                raise UnfitError
            n = draft.count(
                step * (1 + draw.below(min(most, 20)))
                if step > 1
                else 2 + draw.below(min(most - 1, 20))
            )
            draft.say("measuring.poured_cups", {**slots(), "k": k, "n": n}, who)
            amount = minus(amount, times(k, n))
        elif draw.chance(0.55):
            n = draft.count(step * (2 + draw.below(now // step - 3)))
            draft.say("measuring.poured_out", {**slots(), "n": n}, who)
            amount = minus(amount, n)
        else:
            n = draft.count(step * (2 + draw.below(max(high // step // 4, 2))))
            draft.say("measuring.poured_in", {**slots(), "n": n}, who)
            amount = plus(amount, n)
    if not asks_cups:
        draft.ask("measuring.ask_liquid", slots())
        return amount
    fitting = [k for k in divisors(int(amount.value), 2 * step, 60 * step) if k % step == 0]
    fitting = [k for k in fitting if amount.value / k <= 60]
    if not fitting:
        raise UnfitError
    k = draft.count(draw.pick(fitting))
    draft.ask("measuring.ask_cups", {**slots(), "k": k})
    return over(amount, k)
