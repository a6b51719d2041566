from html.parser import HTMLParser

import pytest

from scratchwork import Problem
from scratchwork.auditing.audit import audit
from scratchwork.render.audit import audit_page, audit_text, summary

VOID = {"meta"}
HOSTILE = Problem(
    '<script>alert(1)</script> What of 17 & "26"?',
    ("<b>43</b>", "\"><img src=x onerror='alert(2)'>"),
    "</p></article><script>alert(3)</script> 17 + 26 = 44 \" onfocus='alert(4)' & <!-- 7919 -->",
    "A",
    id="<i>hostile</i>",
)


class Page(HTMLParser):
    """The elements of a page, their attributes and text; unbalanced tags are an error."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def numbers(self) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if "data-note" in attributes]

    def places(self) -> list[str | None]:
        return [attributes["data-at"] for _, attributes in self.elements if "data-at" in attributes]


@pytest.mark.parametrize("problems", [[], [HOSTILE], [HOSTILE, HOSTILE]])
def test_a_page_is_well_formed(problems: list[Problem]) -> None:
    page = Page(audit_page([audit(problem) for problem in problems]))
    assert [tag for tag, _ in page.elements].count("article") == len(problems)


def test_every_number_can_be_reached_with_the_keyboard_and_is_spoken(kings: Problem) -> None:
    result = audit(kings)
    page = Page(audit_page([result]))
    assert len(page.numbers()) == len(result.numbers)
    for attributes, number in zip(page.numbers(), result.numbers, strict=True):
        assert attributes["tabindex"] == "0"
        assert attributes["data-at"] == f"y{number.position}"
        assert f"n {number.status}" == attributes["class"]
        assert (attributes["aria-label"] or "").startswith(f"{number.token}: ")


def test_every_place_a_number_comes_from_is_on_the_page(kings: Problem) -> None:
    for problem in (kings, HOSTILE):
        page = Page(audit_page([audit(problem)]))
        places = page.places()
        assert len(places) == len(set(places))
        for attributes in page.numbers():
            named = (attributes["data-from"] or "").split()
            assert {place for place in named if place[0] in "xy"} <= set(places)


def test_a_note_shows_the_numbers_themselves(kings: Problem) -> None:
    notes = [attributes["data-note"] for attributes in Page(audit_page([audit(kings)])).numbers()]
    assert notes[0] == "52: copied from the problem"
    assert notes[1] == "2: a constant"
    assert notes[2] == "1326 = Choose(52, 2)"
    assert notes[3] == "2: copied from earlier in the text"
    assert notes[-1] == "1/221 = Divide(6, 1326)"


def test_nothing_in_a_problem_is_taken_for_markup() -> None:
    page = Page(audit_page([audit(HOSTILE)]))
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 1
    assert not {"img", "b", "i"} & set(tags)
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]
    shown = "".join("".join(page.text).split())
    assert "<script>alert(1)</script>" in shown
    assert "<!--7919-->" in shown
    assert "<i>hostile</i>" in shown


def test_what_is_amiss_is_said_in_words() -> None:
    result = audit(HOSTILE)
    page = Page(audit_page([result]))
    shown = "".join(page.text)
    assert "17 + 26 is 43, not 44." in result.complaints
    assert "7919 is neither in the problem" in " ".join(result.complaints)
    for sentence in result.complaints:
        assert sentence in shown
    assert summary(result) in shown
    wrong = [attributes for _, attributes in page.elements if attributes.get("class") == "false"]
    assert len(wrong) == 5


def test_a_page_needs_nothing_from_elsewhere(kings: Problem) -> None:
    page = Page(audit_page([audit(kings)]))
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object")
        assert not {"src", "href"} & set(attributes)


def test_in_the_terminal_colours_are_not_the_only_sign() -> None:
    text = audit_text(audit(Problem("[b]17[/b] and 26?", rationale="[red] so 17 + 26 = 7919")))
    assert "".join(text.plain.split()) == "[red]so17+26=7919[?]"
    assert any("underline" in str(span.style) for span in text.spans)
