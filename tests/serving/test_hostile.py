"""Whatever is sent, the answer is right or a clear refusal."""

import json
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from scratchwork.serving.limits import LARGEST_BODY, LONGEST_TEXT

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ROUTES = ("/solve", "/audit", "/execute", "/generate")
HOSTILE = (
    "<script>alert(1)</script>",
    "\x00\x01\x1b[31m",
    "\u202e\u200f 12 \u2066",
    "9" * 9_000,
    "1" + "0" * 400 + " / 3 = 7",
    "\ud800",
    "(" * LONGEST_TEXT,
    "= " * (LONGEST_TEXT // 2),
    "\\frac{" * 1_600,
    "1/0 = 0/0",
    "9^9^9^9^9 = 170!",
    " \n\t\u00a0",
    "",
    "a" * (LONGEST_TEXT + 1),
    "7 " * 400,
)

texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=60),
    st.text("0123456789.,/-+*=()%^! \n", max_size=60),
)
odd = st.one_of(st.none(), st.integers(), st.floats(), st.lists(st.none(), max_size=2))
bodies = st.fixed_dictionaries(
    {"question": texts | odd},
    optional={
        "options": st.lists(texts, max_size=11) | odd,
        "rationale": texts | odd,
        "correct": texts | odd,
        "program": texts | odd,
        "seed": odd,
        "topic": texts | odd,
        "count": odd,
    },
)


def check(response: httpx.Response) -> None:
    assert response.status_code == 200 or 400 <= response.status_code < 500, response.text
    if response.status_code != 200:
        (sentence,) = response.json().values()
        assert sentence
        assert "\n" not in sentence


def send(client: httpx.Client, path: str, body: object) -> httpx.Response:
    content = json.dumps(body)
    return client.post(path, content=content, headers={"Content-Type": "application/json"})


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(ROUTES), body=bodies)
def test_odd_bodies_never_break_the_server(client: httpx.Client, path: str, body: object) -> None:
    check(send(client, path, body))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_texts_in_every_field(client: httpx.Client, text: str) -> None:
    check(send(client, "/solve", {"question": text, "options": [text, "4"]}))
    check(send(client, "/audit", {"question": text or "q", "rationale": text, "correct": "A"}))
    check(send(client, "/execute", {"question": text or "q", "program": text}))
    quoted = f"Id({json.dumps(text)}) -> y"
    check(send(client, "/execute", {"question": "q", "program": quoted}))
    check(send(client, "/generate", {"topic": text}))


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"\xff\xfe", 422),
        (b'{"question": ' + b"9" * 10_000 + b"}", 400),
        (b"[" * 60_000, 400),
        (b'{"question": NaN}', 422),
        (b'{"question": "q", "options": 1e999}', 422),
        (b" " * (LARGEST_BODY + 1), 413),
    ],
    ids=["empty", "broken", "bytes", "digits", "nested", "nan", "infinite", "large"],
)
@pytest.mark.parametrize("path", ROUTES)
def test_bodies_that_are_no_requests(
    client: httpx.Client, path: str, content: bytes, status: int
) -> None:
    response = client.post(path, content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == status
    check(response)


def test_a_body_that_does_not_tell_its_length_is_bounded_too(client: httpx.Client) -> None:
    response = client.post("/audit", content=(b" " * 1024 for _ in range(70)))
    assert response.status_code == 413


def test_other_methods_and_kinds_of_content_are_refused(client: httpx.Client) -> None:
    assert client.get("/solve").status_code == 405
    check(client.put("/audit"))
    check(
        client.post("/audit", content=b'{"question": "q"}', headers={"Content-Type": "text/html"})
    )


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_the_api_does_nothing_that_its_description_leaves_out(
    client: httpx.Client, mode: GenerationMode
) -> None:
    schema = schemathesis.openapi.from_url(str(client.base_url.join("/openapi.json")))
    names: list[str] = []
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        names.append(operation.label)
        if mode == GenerationMode.NEGATIVE and operation.method == "get":
            continue

        @settings(
            max_examples=25,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            database=None,
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def conforms(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(checks=CHECKS, timeout=30)

        conforms()
    assert len(names) == 9
