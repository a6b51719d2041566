from pathlib import Path

import pytest

from scratchwork import EXTENDED, UserError, execute, output_tokens, read_problems, tokenise
from scratchwork.families import generator
from scratchwork.families.checking import check_family, find_disguises
from scratchwork.families.generator import generate, generate_one, generated_lines
from scratchwork.families.loading import FamilyError, load_families, load_topic
from scratchwork.machine.options import OptionIndex
from scratchwork.parallel import Workers

HEAD = 'topic = "trial"\n'
FAMILY = """
[[family]]
name = "cakes"
numbers = { slices = "4..12", cakes = "5..30", total = "= slices * cakes" }
ask = [
  "{name} cut {a food} into {slices} slices each and got {total} slices. How many were cut?",
  "There are {total} slices. Each {food} gives {slices}. How many {food.plural} were there?",
  "If {slices} slices make one {food}, how many do {total} slices make?",
]
steps = ["{total} / {slices} = {n = total / slices}"]
answer = "{n} {food.plural}"
wrong = ["total - slices", "n + 1", "slices"]
"""


def families_of(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "trial.toml"
    path.write_text(HEAD + text, "utf-8")
    return path


def test_problem_i_of_a_seed_is_the_same_whatever_was_made_before(tmp_path: Path) -> None:
    families = load_topic(families_of(tmp_path, FAMILY))
    made = list(generate(families, 20, seed=5))
    assert made[13] == generate_one(families, 5, 13)
    assert made[3:9] == list(generate(families, 6, seed=5, first=3))


def test_workers_give_the_same_bytes_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "_AT_ONCE", 200)
    path = families_of(tmp_path, FAMILY)
    one, two = (
        b"".join(generated_lines(path, ["cakes"], 1200, 7, None, Workers(n))) for n in (1, 2)
    )
    assert one == two
    assert one.count(b"\n") == 1200


def test_what_is_generated_reads_back_as_problems(tmp_path: Path) -> None:
    path = families_of(tmp_path, FAMILY)
    written = tmp_path / "made.jsonl"
    written.write_bytes(b"".join(generated_lines(path, ["cakes"], 30, 7, None, Workers(1))))
    problems = list(read_problems(written))
    assert len({problem.id for problem in problems}) == 30
    assert all(problem.extra["program"] and problem.origin == "generated" for problem in problems)


def test_rationale_and_program_cannot_disagree(tmp_path: Path) -> None:
    for generated in generate(load_topic(families_of(tmp_path, FAMILY)), 50, seed=1):
        trace = execute(generated.program, generated.problem, EXTENDED)
        assert list(trace.output) == output_tokens(generated.problem)
        assert trace.answer == generated.problem.correct


def test_options_hold_the_answer_once_in_its_own_format(tmp_path: Path) -> None:
    for generated in generate(load_topic(families_of(tmp_path, FAMILY)), 50, seed=2):
        problem = generated.problem
        assert len(problem.options) == 5
        assert OptionIndex(problem.options)
        nouns = {option.split(" ", 1)[1] for option in problem.options if "one" not in option}
        assert len(nouns) == 1


STEPS = "steps = [" + '"{total} / {slices} = {n = total / slices}"]'


@pytest.mark.parametrize(
    ("old", "new", "line", "complaint"),
    [
        ('name = "cakes"', 'name = "Cakes!"', 4, "lower-case words"),
        ('"4..12"', '"4.."', 5, "not a range"),
        ("slices * cakes", "slices * pies", 5, "uses a number not yet named"),
        ("{a food}", "{a fodo}", 6, "neither a number of the family nor a word list"),
        ("{food.plural} were", "{food.he} were", 6, "no form 'he'"),
        ("{slices} slices each", "{slices slices each", 6, "brace"),
        (STEPS, 'steps = ["{n = total / cakes}"]', 11, "cakes is used before"),
        (STEPS, 'steps = ["{total} = 21 * {n = total / slices}"]', 11, "21 is not a constant"),
        (STEPS, 'steps = ["{n = (total + slices) * 2 / slices}"]', 11, "3 operations away"),
        (STEPS, 'steps = ["{total} slices"]', 12, "neither a number"),
        (STEPS, 'steps = { loud = ["{n = total / slices}"] }', 11, "there is no style 'loud'"),
        ('answer = "{n}', 'answer = "{m}', 12, "neither a number"),
        ('"slices"]', '"sliced"]', 13, "unknown number"),
        ('"slices"]', '"slices"]\ncolour = "red"', 14, "no key 'colour'"),
        ('"slices"]', '"slices"]\ndecimals = 9', 14, "0 to 6"),
        ('"slices"]', '"slices"]\nwhere = ["n > "]', 14, "missing"),
    ],
)
def test_a_wrong_family_is_told_with_file_line_and_name(
    tmp_path: Path, old: str, new: str, line: int, complaint: str
) -> None:
    assert old in FAMILY
    path = families_of(tmp_path, FAMILY.replace(old, new, 1))
    with pytest.raises(FamilyError) as error:
        load_topic(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert complaint in str(error.value)


def test_a_file_that_is_no_toml_is_told_with_its_line(tmp_path: Path) -> None:
    path = families_of(tmp_path, '\n[[family]\nname = "x"')
    with pytest.raises(FamilyError, match=r"trial.toml:3: not TOML"):
        load_topic(path)


def test_two_families_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FamilyError, match="two families are called cakes"):
        load_families(families_of(tmp_path, FAMILY + FAMILY))


def test_conditions_that_cannot_be_met_are_told(tmp_path: Path) -> None:
    text = FAMILY.replace("wrong =", 'where = ["slices > 50"]\nwrong =')
    with pytest.raises(UserError, match="cakes: its conditions were not met"):
        generate_one(load_topic(families_of(tmp_path, text)), 0, 0)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"4..12", cakes = "5..30"', '"4..5", cakes = "5..6"', "problems are different"),
        ("got {total} slices.", "got {total}  slices.", "space"),
        ('steps = ["{total} / {slices} = {n = total / slices}"]', None, "different answers"),
    ],
)
def test_the_check_finds_what_is_wrong(
    tmp_path: Path, old: str, new: str | None, complaint: str
) -> None:
    other = (
        '[family.steps]\nspelled = ["{n = total / slices}"]\nalgebra = ["x = {n = total * slices}"]'
    )
    text = FAMILY.replace(old, new) if new else FAMILY.replace(old, "") + other
    (family,) = load_topic(families_of(tmp_path, text))
    assert complaint in " ".join(map(str, check_family(family, 100)))


def test_a_good_family_passes_the_check(tmp_path: Path) -> None:
    (family,) = load_topic(families_of(tmp_path, FAMILY))
    assert list(check_family(family, 100)) == []


def test_the_same_problem_in_disguise_is_found(tmp_path: Path) -> None:
    other = FAMILY.replace('"cakes"', '"pies"').replace("were cut", "got cut")
    families = load_topic(families_of(tmp_path, FAMILY + other))
    assert "pies in disguise" in " ".join(map(str, find_disguises(families)))


def test_spoken_numbers_are_constants_of_the_program(tmp_path: Path) -> None:
    text = FAMILY.replace("{slices}", "{slices:word}", 4).replace('"4..12"', '"4..12"')
    text = text.replace("{total} / {slices:word}", "{total} / {slices}")
    for generated in generate(load_topic(families_of(tmp_path, text)), 20, seed=3):
        assert not any(t.isdigit() and int(t) < 13 for t in tokenise(generated.problem.question))
        trace = execute(generated.program, generated.problem, EXTENDED)
        assert trace.answer == generated.problem.correct


@pytest.mark.parametrize("topic", sorted({family.topic for family in load_families()}))
def test_every_family_of_the_bank_is_in_order(topic: str) -> None:
    families = [family for family in load_families() if family.topic == topic]
    assert [c for family in families for c in check_family(family, 20)] == []


def test_no_two_families_of_the_bank_are_one_in_disguise() -> None:
    assert list(find_disguises(load_families())) == []
