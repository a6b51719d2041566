"""The reviewer's way through the workshop, in a real browser, up to the exported data set."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scratchwork.cli import collect
from scratchwork.collecting.passwords import change_password, set_disabled
from scratchwork.collecting.storing import Store
from tests.browser.conftest import PHONE, Opener
from tests.browser.using import Picture, has_no_sideways_scroll
from tests.browser.workshop import CARELESS, LAPS, ROOMY, join, log_in, workshop, write
from tests.collecting.clients import PASSWORD, ContributorClient
from tests.collecting.writing import row

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
UNLIKE = "Amber sells 12 boats for 7 pearls each and buys a lighthouse for 30; what remains to her?"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Store, str]]:
    with workshop(tmp_path / "collection") as served:
        yield served


def contributed(served: tuple[Store, str], *problems: dict[str, Any]) -> ContributorClient:
    """A contributor who hands in some problems."""
    store, url = served
    contributor = ContributorClient.invited(url, store)
    for k, problem in enumerate(problems):
        assert contributor.hand_in(problem, f"key {k}")["taken"]
    return contributor


def question(page: Any) -> str:
    return page.locator("#item-work .question").inner_text()


def verdict(page: Any, name: str) -> None:
    page.locator("#decision").get_by_text(name, exact=True).click()


def give(page: Any) -> None:
    page.get_by_role("button", name="Give the verdict").click()


def await_next(page: Any, before: str) -> None:
    page.wait_for_function(
        "before => document.querySelector('#item').hidden || "
        "document.querySelector('#item-title').textContent !== before",
        arg=before,
    )


def test_from_the_first_hand_in_to_the_exported_data_set(
    served: tuple[Store, str], open_page: Opener, picture: Picture, tmp_path: Path
) -> None:
    store, url = served
    writer = open_page(join(store), at=url, **ROOMY)
    writer.locator("#seeds > li").first.wait_for()
    writer.keyboard.press("4")
    write(writer, LAPS)
    writer.get_by_role("button", name="Hand in").click()
    writer.get_by_role("button", name="Write another").click()
    writer.locator("#seeds > li").first.wait_for()
    writer.keyboard.press("1")
    write(writer, CARELESS | {"question": UNLIKE, "options": LAPS["options"]})
    writer.get_by_role("button", name="Hand in").click()
    writer.get_by_role("heading", name="Taken. Thank you.").wait_for()
    contributed(served, row(3))

    page = open_page("review", at=url, **ROOMY)
    page.get_by_role("heading", name="Log in to review.").wait_for()
    log_in(page, store)
    done: list[str] = []
    while page.locator("#item").is_visible():
        before = page.locator("#item-title").inner_text()
        done.append(question(page))
        if done[-1] == LAPS["question"]:
            assert page.get_by_text("The audit finds nothing amiss.").is_visible()
            page.locator("#item-work .computed[data-at]").first.hover()
            assert "Multiply: 5 × 92 = 460" in page.locator("#item-work .note").inner_text()
            picture(page, "collect-review", "#item-title", "#decision")
            verdict(page, "Accept")
        elif done[-1] == UNLIKE:
            said = page.locator("#item-verdict li").all_inner_texts()
            assert "5 * 92 is 460, not 450." in said
            verdict(page, "Reject")
            page.get_by_label("Reason").fill("Nothing here follows from the question.")
        else:
            verdict(page, "Correct")
            page.locator("#corrected-rationale").fill("Six integers lead to 1022, so B.")
            page.get_by_label("B is right").check()
            page.get_by_label("What was wrong").fill("The letter was wrong.")
        give(page)
        await_next(page, before)
    assert len(done) == 3
    page.get_by_role("heading", name="Nothing waits for you.").wait_for()
    page.locator("#figures div", has_text="handed in").get_by_text("3").wait_for()
    page.locator("#figures div", has_text="to review").get_by_text("0").wait_for()

    writer.get_by_role("link", name="My problems").click()
    writer.locator("#outcomes > li[data-status=accepted]").wait_for()
    reasons = writer.locator("#outcomes > li[data-status=rejected] .reason")
    assert reasons.all_inner_texts() == ["Nothing here follows from the question."]
    picture(writer, "collect-mine", "#standing-title", "#outcomes")

    out = tmp_path / "out"
    result = CliRunner().invoke(
        collect.app, ["export", str(store.folder), "--to", str(out), "--dev", "1"]
    )
    assert result.exit_code == 0, result.output
    assert "left out: 1 rejected" in result.stdout
    rows = [
        json.loads(line)
        for part in ("train", "dev")
        for line in (out / f"{part}.jsonl").read_text("utf-8").splitlines()
    ]
    assert {r["question"] for r in rows} == {LAPS["question"], row(3)["question"]}
    assert {r["correct"] for r in rows} == {"C", "B"}
    assert "# Our problems" in (out / "README.md").read_text("utf-8")


def test_a_near_copy_is_shown_beside_what_it_copies(
    served: tuple[Store, str], open_page: Opener, picture: Picture
) -> None:
    store, url = served
    contributed(served, LAPS)
    contributed(served, LAPS | {"question": LAPS["question"].replace("Nora ran", "Olga swam")})
    page = open_page("review", at=url, **ROOMY, color_scheme="dark")
    log_in(page, store)
    if "Nora" in question(page):
        before = page.locator("#item-title").inner_text()
        verdict(page, "Accept")
        give(page)
        await_next(page, before)
    page.get_by_text("Marked for review: near copy of submission 1, by another").wait_for()
    marks = page.locator("#item-nearest mark").all_inner_texts()
    assert marks == ["Olga", "swam", "Nora", "ran"]
    verdict(page, "Reject")
    picture(page, "collect-copy", "#item-mark", "#item-nearest")


def test_every_submission_that_a_mark_names_can_be_looked_at(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    for name in ("Nora", "Olga", "Lena"):
        contributed(served, LAPS | {"question": LAPS["question"].replace("Nora", name)})
    page = open_page("review", at=url)
    log_in(page, store)
    while "Lena" not in question(page):
        before = page.locator("#item-title").inner_text()
        verdict(page, "Accept")
        give(page)
        await_next(page, before)
    page.locator("#item-nearest summary", has_text=re.compile("^Submission")).click()
    page.locator("#item-nearest mark", has_text="Nora").wait_for()
    page.locator("#item-nearest mark", has_text="Olga").wait_for()


def test_reviewing_on_a_phone(served: tuple[Store, str], open_page: Opener) -> None:
    store, url = served
    contributed(served, LAPS)
    page = open_page("review", at=url, viewport=PHONE, has_touch=True)
    log_in(page, store)
    assert has_no_sideways_scroll(page)
    verdict(page, "Correct")
    assert page.locator("#corrected-question").is_visible()
    assert has_no_sideways_scroll(page)


def test_a_wrong_password_is_told_and_logging_out_shows_nothing(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    contributed(served, LAPS)
    page = open_page("review", at=url)
    page.get_by_label("Name").fill("Emmy")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("The name or the password is wrong.").wait_for()
    log_in(page, store)
    assert question(page) == LAPS["question"]
    page.get_by_role("button", name="Log out Emmy").click()
    page.get_by_role("heading", name="Log in to review.").wait_for()
    page.reload()
    page.get_by_role("heading", name="Log in to review.").wait_for()
    assert not page.locator("#item").is_visible()


def test_a_verdict_outlives_the_end_of_the_session(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    contributed(served, LAPS)
    page = open_page("review", at=url)
    log_in(page, store)
    verdict(page, "Reject")
    page.get_by_label("Reason").fill("A long and thoughtful reason.")
    change_password(store, "Emmy", "another password")
    give(page)
    page.get_by_text("Your session has ended. Log in again; nothing is lost.").wait_for()
    page.get_by_label("Password").fill("another password")
    page.get_by_role("button", name="Log in").click()
    page.locator("#item").wait_for()
    assert page.get_by_label("Reason").input_value() == "A long and thoughtful reason."
    give(page)
    page.get_by_role("heading", name="Nothing waits for you.").wait_for()


def test_a_disabled_reviewer_gets_no_further(served: tuple[Store, str], open_page: Opener) -> None:
    store, url = served
    contributed(served, LAPS)
    page = open_page("review", at=url)
    log_in(page, store)
    verdict(page, "Accept")
    set_disabled(store, "Emmy", True)
    give(page)
    page.get_by_text("Your session has ended.").wait_for()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("The name or the password is wrong.").wait_for()


def test_hostile_work_is_shown_to_reviewers_as_text(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    hostile = LAPS | {
        "question": f"{HOSTILE} {LAPS['question']}",
        "options": [f"{HOSTILE} {k}" for k in range(5)],
        "rationale": f"{HOSTILE}\n2 + 2 = 5",
    }
    contributed(served, hostile)
    page = open_page("review", at=url)
    log_in(page, store)
    assert question(page) == hostile["question"]
    assert "<script>" in page.locator("#item-work .sheet").inner_text()
    verdict(page, "Correct")
    assert page.locator("#corrected-question").input_value() == hostile["question"]
    assert page.locator("main img, main script").count() == 0
