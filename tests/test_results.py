"""The figures in README, docs and model cards are those in results/, which say how they came to be.

A claim is a piece of a page in which `{path:form}` stands for a figure: the path leads through the
JSON of a result, the form is one of Python's, or `%` for a share in per cent. A claim fails if the
page or the result says something else.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
RESULTS = sorted((ROOT / "results").glob("*.json"))
WHERE = re.compile(r"\{([^{}]+):([^{}:]+)\}")


class Claim(NamedTuple):
    page: str
    result: str
    text: str
    at: str = ""
    """Where all paths begin."""


DEV, HELD_OUT = "aqua/dev.json", "mathqa/heldout.jsonl.gz"
RATIONALES, FORMULAS = "aqua/train-rationale.jsonl.gz", "aqua/train-formula.jsonl.gz"
GSM8K = "extra/gsm8k-train.jsonl.gz"


def papers_claims() -> Iterator[Claim]:
    """The paper's model and its baselines."""
    names = "sequence to sequence", "+ copying from the input", "+ copying from the output"
    plain = (
        "{perplexity>sentence_average:.1f} | {bleu>cased>score:.1f} | "
        "{letters>share:pc} ± {letters>standard_error:pc} |"
    )
    for k, name in enumerate(names):
        yield Claim("README.md", "paper-table", f"| {name} | {plain}", f"reports>{k}")
    bold = plain.replace(
        "{perplexity>sentence_average:.1f}", "**{perplexity>sentence_average:.1f}**"
    )
    bold = bold.replace("{bleu>cased>score:.1f}", "**{bleu>cased>score:.1f}**")
    yield Claim("README.md", "paper-table", f"| programs (the paper's model) | {bold}", "reports>3")
    always = "Always answering A is right in {letters>always_a:%}."
    yield Claim("README.md", "paper-table", always, "reports>3")
    row = (
        "| {model:s} | {perplexity>sentence_average:.1f} | "
        "{perplexity>sentence_average_interval>0:.1f} to "
        "{perplexity>sentence_average_interval>1:.1f} | {perplexity>all_tokens:.1f} | "
        "{perplexity>unknown_share:%} | {bleu>cased>score:.1f} | {letters>share:pc} ± "
        "{letters>standard_error:pc} | {letters>interval>0:pc} to {letters>interval>1:pc} | "
        "{letters>answered>problems:d} |"
    )
    wide = (
        "| {letters>share:pc} ± {letters>standard_error:pc} | {letters>interval>0:pc} to "
        "{letters>interval>1:pc} |"
    )
    for k in range(4):
        yield Claim("docs/results.md", "paper-table", row, f"reports>{k}")
        yield Claim("docs/results.md", "paper-table-beam-200", wide, f"reports>{k}")
    right = "{letters>answered>right:d} are right ("
    yield Claim("docs/results.md", "paper-table", right, "reports>3")
    card = "src/scratchwork/weights/paper/README.md"
    interval = "({perplexity>sentence_average_interval>0:.1f} to "
    interval += "{perplexity>sentence_average_interval>1:.1f})"
    for text in (
        "| {perplexity>sentence_average:.1f} " + interval,
        "over all tokens {perplexity>all_tokens:.1f}; {perplexity>unknown_share:%} unknown",
        "| {bleu>cased>score:.1f} |",
        "| {letters>share:%} ({letters>interval>0:pc} to {letters>interval>1:pc}); "
        "always A is {letters>always_a:%} |",
    ):
        yield Claim(card, "paper-table", text, "reports>3")


def induction_claims() -> Iterator[Claim]:
    """What induction and the audit find."""
    page, result = "docs/induction.md", "induction"
    for file, sizes in (
        (DEV, "{rationales:d}"),
        (HELD_OUT, "{rationales:d}"),
        (RATIONALES, "{rationales:,} of 23,063"),
        (GSM8K, "{rationales:,} of 7,473"),
    ):
        name = file.removesuffix(".gz").removesuffix("l").removesuffix(".json")
        both = [
            "{coverage>numbers_with_path:%} of {coverage>numbers_with_path>n:,} | "
            "{coverage>rationales_explained:%} of {coverage>rationales_explained>n:,} | ",
            "{coverage>numbers_with_path:%} | {coverage>rationales_explained:%} | ",
        ]
        letters = "{coverage>letters_by_check:%}"
        ends = [letters + " of {coverage>letters_by_check>n:,} |", letters + " |"]
        if file == GSM8K:
            ends = ["no options |"] * 2
        heads = [f"| `{name}` | {sizes} | paper | ", "| | | extended | "]
        for operations, head, row, end in zip(
            ("paper", "extended"), heads, both, ends, strict=True
        ):
            text = (head + row + end).replace("coverage>", f"{operations}>")
            yield Claim(page, result, text, f"coverage>{file}")
        follow = "{letters_follow:%} of {letters_follow>n:d} |"
        yield Claim(
            page,
            result,
            f"| `{name}` | "
            + "{rationales:d} | {numbers_supported:%} of {numbers_supported>n:,} | "
            "{equations_true:%} of {equations_true>n:,} | "
            + ("no options |" if file == GSM8K else follow),
            f"audit>{file}",
        )
        yield Claim(
            page,
            result,
            f"| `{name}` | " + "{with_path>n:,} | {with_path:%} | {supported:%} | "
            "{supported_and_no_false_equation:%} | "
            "{results_of_equations>false_equation:%} of "
            "{results_of_equations>false_equation>n:,} |",
            f"audit>{file}>wrong_numbers",
        )
    for kind, name in (("1", "1"), ("2", "2"), ("one_or_two", "1 or 2"), ("3+", "3 or more")):
        counts = "| {otherwise>other numbers:d} | {otherwise>copied:d} | {otherwise>constant:d} |"
        row = "{from_the_same_numbers>n:,} | {from_the_same_numbers:%} "
        yield Claim(page, result, f"| {name} | {row}{counts}", f"calculator>{kind}")
    for kind in ("result of an equation", "operand in an equation", "outside equations"):
        row = "{caught>n:,} | {caught:%} | {false_equation:,} | {unsupported_number:d} | "
        row += "{letter_does_not_follow:d} |"
        yield Claim(page, result, f"| {kind} | {row}", f"planted>{kind}")
    unchanged = "| none | {unchanged_accused>n:,} | {unchanged_accused:%} (wrongly) |"
    yield Claim(page, result, unchanged, "planted")
    for file in (HELD_OUT, RATIONALES, FORMULAS):
        row = "{translated>n:,} | {translated:%} | {yields_label:%} | "
        row += "{translated_to>another letter:d} | {translated_to>no letter:,} |"
        name = file.removesuffix(".jsonl.gz")
        yield Claim(page, result, f"| `{name}` | {row}", f"formulas>{file}")


def families_claims() -> Iterator[Claim]:
    """How near the generated questions come to real ones."""
    page = "docs/families.md"
    for source, text in (
        ("nearest_generated", "| 200,000 generated questions |"),
        ("nearest_real", "| 46,040 real training questions |"),
    ):
        shares = " {50:%} | {60:%} | {70:%} |"
        yield Claim(page, "families", text + shares, source)
    yield Claim(page, "families", "a bank of {families:,} families")
    copies = "Of {generated:,} generated questions, {near_copies:d} are near copies"
    yield Claim(page, "families", copies, "near_copies")
    yield Claim(page, "equations", "{families:d} families in {topics:d} topics have this style")
    again = "in {found_again:%} of {problems:,} problems, three of each family"
    yield Claim(page, "equations", again)
    yield Claim("CHANGELOG.md", "equations", "{families:d} of them are solved with an unknown")


def quantities_claims() -> Iterator[Claim]:
    """For how many numbers a unit is known, and how often units clash."""
    page = "docs/quantities.md"
    for text in (
        "known as mere numbers | {numbers_with_unit:%} | {numbers_with_unit>n:,} |",
        "| {answers_with_unit:%} | {answers_with_unit>n:,} |",
        "| {asked_known:%} | {asked_known>n:,} |",
        "| {clash_in_right_plans:%} | {clash_in_right_plans>n:,} |",
        "| changed plans with a clash | {clash_in_changed_plans:%} | "
        "{clash_in_changed_plans>n:,} |",
        "with a clash | {clash_in_changed_plans_with_another_option:%} | "
        "{clash_in_changed_plans_with_another_option>n:,} |",
        "{clash_in_right_plans>n:,} training problems were drawn by seed {seed:d}",
    ):
        yield Claim(page, "quantities", text)


def stories_claims() -> Iterator[Claim]:
    """How many shapes the stories' plans have, and how fast they are made."""
    page = "docs/stories.md"
    for text in (
        "| shapes of plans among the first 10,000 stories | {shapes>10000:d} |",
        "| among the first 100,000 | {shapes>100000:,}, of which {seen_ten_times:d} are there",
        "| with a number that is not needed | {with_a_number_not_needed:%} |",
        "| stories made in a second of one core | {stories_a_second:,} |",
    ):
        yield Claim(page, "stories", text)


CLAIMS = [
    *papers_claims(),
    *induction_claims(),
    *families_claims(),
    *quantities_claims(),
    *stories_claims(),
]


@cache
def result_named(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_text("utf-8"))


@cache
def text_of(page: str) -> str:
    return " ".join((ROOT / page).read_text("utf-8").split())


def found(at: Any, path: str) -> Any:
    for key in path.split(">") if path else ():
        at = at[int(key)] if isinstance(at, list) else at[key]
    return at


def written(figure: Any, form: str) -> str:
    """A figure as pages write it."""
    if form not in ("%", "pc"):
        return format(figure, form.strip())
    if isinstance(figure, dict):
        # From the counts, since the share itself is rounded.
        figure = round(figure["share"] * figure["n"]) / figure["n"]
    number = "100" if figure == 1 else f"{100 * figure:.1f}"
    return number + form.strip("pc")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}-{claim.at}")
def test_pages_say_what_was_measured(claim: Claim) -> None:
    figures = found(result_named(claim.result), claim.at)
    assert WHERE.search(claim.text)
    text = WHERE.sub(lambda match: written(found(figures, match[1]), match[2]), claim.text)
    assert text in text_of(claim.page)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_results_say_how_they_came_to_be(path: Path) -> None:
    result = json.loads(path.read_text("utf-8"))
    script = re.match(r"python scripts/(\w+\.py) ", result["command"])
    assert script
    assert (ROOT / "scripts" / script[1]).is_file()
    assert re.fullmatch("[0-9a-f]{7,40}", result["commit"])
    assert result["data"]
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in result["data"].values())


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_shares_have_their_intervals(path: Path) -> None:
    shares = [one for one in objects(json.loads(path.read_text("utf-8"))) if "share" in one]
    for one in shares:
        if one["share"] is not None:
            low, high = one["interval"]
            assert low <= one["share"] <= high


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects within a JSON value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from objects(one)
