"""GET /api/search."""

import pytest
from django.test import Client

from apps.search.index import rebuilding
from tests.blog import makers

pytestmark = pytest.mark.django_db


def test_the_api_finds_and_marks(client: Client) -> None:
    makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    found = client.get("/api/search", {"q": "noodle", "city": "hangzhou"}).json()
    assert found["total"] == 1
    assert found["kind"] == "shops"
    assert found["items"][0]["title"] == "Lakeside Noodle House"
    assert {"text": "Noodle", "is_marked": True} in found["items"][0]["title_parts"]
    assert found["facets"]["city"] == [
        {"value": "Hangzhou|", "label": "Hangzhou", "count": 1, "is_chosen": True}
    ]


@pytest.mark.parametrize(
    "text", ['"', "+-", "-" * 500, "a" * 2_000, '"""', "😀", "(){}[]*?^$", "的", "+的 -"]
)
def test_no_text_is_an_error(client: Client, text: str) -> None:
    makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    assert client.get("/api/search", {"q": text}).status_code == 200


@pytest.mark.parametrize(
    ("wanted", "status", "code"),
    [
        ({"cursor": "forged"}, 422, "bad_cursor"),
        ({"kind": "orders"}, 422, "unknown_kind"),
        ({"sort": "colour"}, 422, "unknown_order"),
        ({"sort": "distance"}, 422, "unknown_order"),
        ({"size": "99999999999999999999"}, 422, "invalid"),
    ],
)
def test_bad_parameters_have_codes(client: Client, wanted: dict[str, str], status: int, code: str) -> None:
    makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    answer = client.get("/api/search", {"q": "noodle", **wanted})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_without_an_index_it_says_so_once_there_is_something_to_find(client: Client) -> None:
    makers.shop("Lakeside Noodle House")
    for wanted in ({}, {"kind": "shops"}):
        answer = client.get("/api/search", {"q": "noodle", **wanted})
        assert (answer.status_code, answer.json()["code"]) == (503, "busy")


def test_a_new_site_finds_nothing(client: Client) -> None:
    for wanted in ({"q": "noodle"}, {"q": "noodle", "kind": "notes"}, {"kind": "shops"}):
        found = client.get("/api/search", wanted)
        assert (found.status_code, found.json()["total"], found.json()["items"]) == (200, 0, [])


@pytest.mark.usefixtures("redis_away")
def test_without_redis_search_asks_to_come_back(client: Client) -> None:
    answer = client.get("/api/search", {"q": "noodle"})
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert answer["Retry-After"]
