import pytest

from scratchwork import EXTENDED
from scratchwork.families.family import Family
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import load_families
from scratchwork.induction.lattice import induce
from tests.induction.gold import gold_numbers, is_hidden, is_in_lattice

TOPICS = sorted({family.topic for family in load_families()})


@pytest.mark.parametrize("topic", TOPICS)
def test_the_gold_program_of_every_family_is_in_the_lattice(topic: str) -> None:
    families: list[Family] = [family for family in load_families() if family.topic == topic]
    for k, family in enumerate(families):
        style = family.drawn_styles[k % len(family.drawn_styles)]
        generated = generate_one([family], 5, 0, style)
        lattice = induce(generated.problem, EXTENDED)
        for position, number in gold_numbers(generated.program, lattice).items():
            if style == "terse" and is_hidden(number):
                continue
            where = f"{family.name}, {style}: {lattice.output[position - 1]} by {number}"
            assert is_in_lattice(lattice, position, number), where
