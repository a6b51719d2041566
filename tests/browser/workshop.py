"""A collection for the browser tests, and what people write into its pages."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scratchwork import generate, load_families
from scratchwork.collecting.inviting import invite
from scratchwork.collecting.passwords import add_reviewer
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.storing import Store
from scratchwork.families.loading import TOPICS_FOLDER
from tests.browser.conftest import IS_PICTURED
from tests.collecting.clients import PASSWORD, serving

ROOMY: dict[str, Any] = {
    "viewport": {"width": 1060, "height": 900},
    "device_scale_factor": 1.4 if IS_PICTURED else 1,
}
"""For pages with two columns; their pictures would be large at twice the size."""
TOPICS = ("percent", "trains", "ages", "averages")

LAPS: dict[str, Any] = {
    "question": "Nora ran 5 laps in 92 seconds each on average. In how many seconds on average "
    "must she run the 3 laps that are left, to come to an average of 86 seconds?",
    "options": ["80", "89", "76", "78", "74"],
    "rationale": "So far she ran for 5 * 92 = 460 seconds.\n"
    "All 5 + 3 = 8 laps may take 8 * 86 = 688 seconds.\n"
    "That leaves 688 - 460 = 228 seconds.\n"
    "For each lap it is 228 / 3 = 76 seconds.\nThe answer is C.",
    "correct": "C",
}
CARELESS = LAPS | {
    "options": ["80", "89", "76", "80", "74"],
    "rationale": "So far she ran for 5 * 92 = 450 seconds.\n"
    "All 5 + 3 = 8 laps may take 8 * 86 = 688 seconds.\n"
    "Minus 391 for the start, 688 - 460 = 228 seconds.\n"
    "For each lap it is 228 / 3 = 76 seconds.\nThe answer is A.",
    "correct": "A",
}
"""A false equation, a number from nowhere, options that repeat, a letter that does not follow."""


@contextmanager
def workshop(folder: Path) -> Generator[tuple[Store, str]]:
    """A collection with generated seeds, and the address of its server."""
    files = [TOPICS_FOLDER / f"{topic}.toml" for topic in TOPICS]
    families = [family for file in files for family in load_families(file)]
    seeds = [made.problem for made in generate(families, 40, 5)]
    settings = CollectionSettings(title="Our problems", randomness=7)
    with Store.create(folder, seeds, settings) as store, serving(store) as url:
        yield store, f"{url}/"


def join(store: Store, name: str = "Mira") -> str:
    """The path of a new contributor's link."""
    return f"join/{invite(store, name).token}"


def write(page: Any, problem: dict[str, Any], prefix: str = "problem") -> None:
    """Fill in the form."""
    page.locator(f"#{prefix}-question").fill(problem["question"])
    for letter, option in zip("ABCDE", problem["options"], strict=True):
        page.get_by_label(f"Option {letter}").fill(option)
    page.locator(f"#{prefix}-rationale").fill(problem["rationale"])
    page.get_by_label(f"{problem['correct']} is right").check()


def log_in(page: Any, store: Store, name: str = "Emmy") -> None:
    """Add a reviewer, who logs in."""
    add_reviewer(store, name, PASSWORD)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.locator("#item-title:visible, #nothing-title:visible").first.wait_for()
