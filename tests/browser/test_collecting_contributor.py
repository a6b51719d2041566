"""The contributor's way through the workshop, in a real browser: from the link to the standing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from scratchwork.collecting.inviting import revoke_invitation
from scratchwork.collecting.schema import Refusal, Submission
from scratchwork.collecting.storing import Store
from tests.browser.conftest import PHONE, Opener
from tests.browser.using import Picture, has_no_sideways_scroll
from tests.browser.workshop import CARELESS, LAPS, ROOMY, join, workshop, write

NAME_OF_FOCUS = "document.activeElement.ariaLabel || document.activeElement.id"
HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script> \u202e \'); DROP TABLE seeds;--'


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Store, str]]:
    with workshop(tmp_path / "collection") as served:
        yield served


def questions_in(store: Store) -> list[str]:
    rows = store.read(lambda s: list(s.scalars(select(Submission.problem).order_by(Submission.id))))
    return [row["question"] for row in rows]


def chosen(page: Any, key: str = "4") -> None:
    """Choose a seed by its digit."""
    page.locator("#seeds > li").first.wait_for()
    page.keyboard.press(key)
    page.locator("#problem-question").wait_for()


def hand_in(page: Any) -> None:
    page.get_by_role("button", name="Hand in").click()


def test_from_the_link_to_the_standing(
    served: tuple[Store, str], open_page: Opener, picture: Picture
) -> None:
    store, url = served
    page = open_page(join(store), at=url, **ROOMY)
    page.locator("#seeds > li").first.wait_for()
    assert page.url == f"{url}work"
    assert page.locator("#seeds > li").count() == 5
    assert page.get_by_role("heading", name="Our problems").is_visible()
    picture(page, "collect-seeds", "#choosing-title", "#seeds > li:nth-child(4)")

    chosen(page)
    assert page.locator("#problem-question").input_value() == ""
    write(page, CARELESS)
    page.get_by_text("The audit finds 4 things amiss.").wait_for()
    said = page.locator("#audit-sentences li").all_inner_texts()
    assert said == [
        "Options A and D are the same.",
        "The working comes to 76, which is option C, not A.",
    ]
    lines = page.locator("#audit-lines .amiss .remark").all_inner_texts()
    assert lines[0] == "5 * 92 is 460, not 450."
    assert lines[1].startswith("391 is neither in the problem nor")
    picture(page, "collect-writing", "#writing-title", "#problem")

    seed = page.locator("#chosen .question").inner_text()
    write(page, LAPS | {"question": seed})
    hand_in(page)
    page.get_by_role("heading", name="Sent back.").wait_for()
    page.get_by_text("The question is nearly that of one of the seeds").wait_for()
    texts = page.locator("#sent-back .card").all_inner_texts()
    assert texts == [seed, seed]
    assert questions_in(store) == []

    answer = page.locator("#chosen .right").text_content().split(") ")[1].removesuffix(" (right)")
    write(page, LAPS | {"options": ["80", "89", answer, "78", "74"]})
    hand_in(page)
    page.get_by_text("is that of the problem you chose; change it").wait_for()
    write(page, LAPS)
    page.get_by_text("The audit finds nothing amiss.").wait_for()
    hand_in(page)
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    assert page.get_by_text("It counts as an original.").is_visible()

    page.get_by_role("button", name="Write another").click()
    chosen(page, "1")
    changed = LAPS["question"].replace("5 laps", "6 laps").replace("92", "95")
    write(page, LAPS | {"question": changed})
    hand_in(page)
    page.get_by_text("It is labelled a replica").wait_for()
    page.get_by_role("link", name="See all your problems").click()
    page.locator("#outcomes > li").first.wait_for()
    assert page.locator("#outcomes .prose").all_inner_texts() == [changed, LAPS["question"]]
    assert questions_in(store) == [LAPS["question"], changed]


def test_what_is_nearly_a_seed_is_shown_beside_it(
    served: tuple[Store, str], open_page: Opener, picture: Picture
) -> None:
    store, url = served
    page = open_page(join(store), at=url, **ROOMY)
    chosen(page)
    seed = page.locator("#chosen .question").inner_text()
    words = seed.split(" ")
    write(page, LAPS | {"question": " ".join(["Hello,", *words[:-1], "please", words[-1]])})
    hand_in(page)
    page.locator("#sent-back").wait_for()
    assert page.locator("#sent-back mark").all_inner_texts() == ["Hello,", "please"]
    picture(page, "collect-sent-back", "#sent-back")


def test_a_draft_outlives_the_tab_and_goes_when_handed_in(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    page = open_page(join(store), at=url)
    chosen(page)
    write(page, LAPS)
    page.reload()
    page.get_by_text("Your draft is still there.").wait_for()
    assert page.locator("#problem-rationale").input_value() == LAPS["rationale"]
    assert page.get_by_label("Option C").input_value() == "76"
    assert page.get_by_label("C is right").is_checked()
    hand_in(page)
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    assert page.evaluate("Object.keys(localStorage).filter((k) => k.includes('draft'))") == []


def test_what_is_written_is_kept_when_other_seeds_are_asked_for(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    page = open_page(join(store), at=url)
    chosen(page)
    write(page, LAPS)
    page.get_by_role("button", name="Choose another of the five").click()
    page.get_by_text("What you have written so far is kept.").wait_for()
    before = page.locator("#seeds").inner_text()
    page.get_by_role("button", name="Show five others").click()
    page.wait_for_function(
        "text => document.querySelector('#seeds').innerText !== text", arg=before
    )
    chosen(page, "2")
    assert page.locator("#problem-question").input_value() == LAPS["question"]
    hand_in(page)
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()


def lose(route: Any) -> None:
    """Let a request arrive, and its answer get lost."""
    route.fetch()
    route.abort()


def test_an_answer_that_is_lost_is_asked_for_again_and_hands_in_once(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    page = open_page(join(store), at=url, expected=("net::ERR_FAILED",))

    page.route("**/api/hand-in", lose, times=1)
    chosen(page)
    write(page, LAPS)
    hand_in(page)
    page.get_by_text("The server cannot be reached.").wait_for()
    assert page.locator("#problem-question").input_value() == LAPS["question"]
    hand_in(page)
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    assert len(questions_in(store)) == 1


def test_a_text_changed_after_a_lost_answer_is_not_taken_for_the_first_and_is_kept(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    page = open_page(join(store), at=url, expected=("net::ERR_FAILED",))

    page.route("**/api/hand-in", lose, times=1)
    chosen(page)
    write(page, LAPS)
    hand_in(page)
    page.get_by_text("Your text is still here.").wait_for()
    page.locator("#problem-rationale").fill(LAPS["rationale"] + " Quite so.")
    hand_in(page)
    page.get_by_text("This task is handed in already").wait_for()
    page.get_by_role("button", name="Go on to the next task").click()
    page.locator("#seeds > li").first.wait_for()
    kept = store.read(lambda s: list(s.scalars(select(Refusal.problem))))
    assert [row["rationale"].endswith("Quite so.") for row in kept] == [True]


def test_a_database_that_is_away_is_told_and_the_text_stays(
    served: tuple[Store, str], open_page: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scratchwork.collecting.failures import StoreError

    store, url = served
    page = open_page(join(store), at=url, expected=("status of 503",))
    chosen(page)
    write(page, LAPS)

    def away(*_: object, **__: object) -> None:
        raise StoreError("/secret/path cannot be reached", may_pass=True)

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", away)
        hand_in(page)
        page.get_by_text("nothing is lost, try again. Your text is still here.").wait_for()
    assert "/secret/path" not in page.content()
    hand_in(page)
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    assert len(questions_in(store)) == 1


def test_a_double_click_hands_in_once(served: tuple[Store, str], open_page: Opener) -> None:
    store, url = served
    page = open_page(join(store), at=url)
    chosen(page)
    write(page, LAPS)
    page.get_by_role("button", name="Hand in").dblclick()
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    assert len(questions_in(store)) == 1


def test_two_windows_of_one_contributor_hand_in_once(
    served: tuple[Store, str], open_page: Opener
) -> None:
    store, url = served
    path = join(store)
    one, other = open_page(path, at=url), open_page(path, at=url)
    for page in (one, other):
        chosen(page)
        write(page, LAPS)
    hand_in(one)
    one.get_by_role("heading", name="Taken. Thank you.").wait_for()
    hand_in(other)
    other.get_by_text("This task is handed in already").wait_for()
    assert len(questions_in(store)) == 1


def test_links_that_do_not_work_say_why(served: tuple[Store, str], open_page: Opener) -> None:
    store, url = served
    path = join(store)
    page = open_page(path, at=url)
    page.locator("#seeds > li").first.wait_for()
    revoke_invitation(store, 1)
    page.reload()
    page.get_by_text("This link was revoked; ask those who sent it.").wait_for()
    page.goto(url + path)
    page.get_by_text("This link was revoked; ask those who sent it.").wait_for()
    page.goto(f"{url}{path}x")
    page.get_by_text("This link is not valid; check that it was copied whole.").wait_for()
    stranger = open_page("work", at=url)
    stranger.get_by_text("Open the link of your invitation again").wait_for()


def test_writing_on_a_phone_and_in_the_dark(
    served: tuple[Store, str], open_page: Opener, picture: Picture
) -> None:
    store, url = served
    page = open_page(join(store), at=url, viewport=PHONE, has_touch=True, color_scheme="dark")
    page.locator("#seeds > li").first.wait_for()
    assert has_no_sideways_scroll(page)
    page.get_by_role("button", name="Choose 2").tap()
    write(page, CARELESS)
    page.locator("#audit-lines .amiss").first.wait_for()
    assert has_no_sideways_scroll(page)
    picture(page, "collect-phone", "label[for=problem-rationale]", "#hand-in")
    write(page, LAPS)
    hand_in(page)
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    page.get_by_role("link", name="My problems").tap()
    page.locator("#outcomes > li").first.wait_for()
    assert has_no_sideways_scroll(page)


def test_writing_by_keyboard(served: tuple[Store, str], open_page: Opener) -> None:
    store, url = served
    page = open_page(join(store), at=url)
    chosen(page, "3")
    press = page.keyboard.press

    def tab_to(name: str) -> None:
        for _ in range(20):
            press("Tab")
            if page.evaluate(NAME_OF_FOCUS) == name:
                return
        raise AssertionError(f"the Tab key does not lead to {name}")

    page.keyboard.type(LAPS["question"])
    tab_to("A is right")
    press("ArrowDown")
    press("ArrowDown")
    assert page.get_by_label("C is right").is_checked()
    press("Shift+Tab")
    press("Shift+Tab")
    press("Shift+Tab")
    for letter, option in zip("ABCDE", LAPS["options"], strict=True):
        tab_to(f"Option {letter}")
        page.keyboard.type(option)
    tab_to("problem-rationale")
    page.keyboard.type(LAPS["rationale"])
    tab_to("hand-in")
    press("Enter")
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    assert page.evaluate("document.activeElement.id") == "taken-title"


def test_hostile_text_is_shown_as_text(served: tuple[Store, str], open_page: Opener) -> None:
    store, url = served
    page = open_page(join(store), at=url)
    chosen(page)
    hostile = LAPS | {
        "question": HOSTILE + LAPS["question"],
        "options": [f"{HOSTILE} {k}" for k in range(5)],
        "rationale": f"{HOSTILE}\n2 + 2 = 5",
    }
    write(page, hostile)
    page.locator("#audit-lines .amiss").wait_for()
    assert "<script>" in page.locator("#audit-lines").inner_text()
    hand_in(page)
    page.get_by_role("heading", name="Taken. Thank you.").wait_for()
    page.get_by_role("link", name="My problems").click()
    page.locator("#outcomes > li").first.wait_for()
    assert page.locator("#outcomes .prose").text_content() == hostile["question"]
    assert page.locator("main img, main script").count() == 0
