"""The crowd itself: no two requests are alike, and lengths are right."""

from collections.abc import Callable

import pytest

from tests.crowd import agents, people
from tests.crowd.parsed_request import ParsedRequest
from tests.crowd.request_templates import Crowd

HOST = "127.0.0.1:8000"
CLAIMS: list[Callable[[], Crowd]] = [
    people.claims_json,
    people.claims_app,
    people.claims_script,
    people.claims_browser,
    people.claims_form,
    people.claims_mixed,
]


def token(person: int) -> str:
    return f"{person:043d}"


def requests_of(crowd: Crowd, person: int, turn: int) -> list[bytes]:
    kind = crowd[person % len(crowd)]
    return [template.fill(HOST, token=token(person), sale=7, person=person, turn=turn) for template in kind]


@pytest.mark.parametrize("make", [*CLAIMS, people.personal, people.journey, people.journey_before])
def test_requests_are_whole_and_no_two_are_alike(make: Callable[[], Crowd]) -> None:
    crowd = make()
    sent = [requests_of(crowd, person, turn=person)[0] for person in range(200)]
    assert len(set(sent)) == len(sent)
    for raw in sent:
        parsed = ParsedRequest(raw)
        assert parsed.is_complete
        assert "<<" not in raw.decode()
        assert len(parsed.body) == int(parsed.headers.get("content-length", "0"))


def test_the_mixed_crowd_is_browsers_apps_and_scripts() -> None:
    sent = [ParsedRequest(requests_of(people.claims_mixed(), person, turn=1)[0]) for person in range(100)]
    seen = {one.headers["user-agent"] for one in sent}
    assert {browser.agent for browser in agents.BROWSERS} <= seen
    assert len(seen) > len(agents.BROWSERS) + 3
    assert len({one.headers.get("accept-language") for one in sent}) > 4
    assert {"close", "keep-alive"} <= {one.headers.get("connection") for one in sent}
    assert {one.path for one in sent} == {"/api/vouchers/7/seckill", "/vouchers/7/grab/"}


@pytest.mark.parametrize("make", [people.claims_browser, people.claims_form])
def test_a_browser_says_where_its_request_comes_from(make: Callable[[], Crowd]) -> None:
    for person in range(20):
        headers = ParsedRequest(requests_of(make(), person, turn=1)[0]).headers
        assert (headers["origin"], headers["sec-fetch-site"]) == (f"http://{HOST}", "same-origin")
        assert token(person) in headers["cookie"]
        assert "authorization" not in headers


def test_a_person_keeps_to_their_agent() -> None:
    crowd = people.claims_app()
    first, again = (ParsedRequest(requests_of(crowd, 3, turn)[0]) for turn in (1, 2))
    assert first.headers["user-agent"] == again.headers["user-agent"]
    assert first.headers != again.headers or first.body != again.body
