"""What a page of hits tells people: that signs alone are nothing to search for, and where its pages end."""

from itertools import product

import pytest
from django.test import Client

from apps.search.index import rebuilding
from apps.search.query import ordering
from tests.blog import makers
from tests.search import corpora

pytestmark = pytest.mark.django_db

SIGNS = [
    "🍜",
    "🩷",
    "!!!",
    "“”",
    "—",
    "♥ ☕️",
    "$€¥",
    "（）",
    "\u200b\u3164",
    "🍜🍜 🍜",
    '"',
    '""',
    "-",
    "+ -",
    "。，",
    "…",
]


@pytest.mark.parametrize(("text", "kind"), [*product(SIGNS, ["notes"]), ("🍜", "shops"), ("🍜", "")])
def test_signs_alone_are_nothing_to_search_for(client: Client, text: str, kind: str) -> None:
    makers.shop("Lakeside Noodle House")
    rebuilding.rebuild()
    for language, beginning in (("en", "Signs and pictures alone"), ("zh-hans", "只有符号")):
        found = client.get(
            "/api/search", {"q": text, "kind": kind}, headers={"accept-language": language}
        ).json()
        assert (found["total"], found["items"], set(found["kinds"].values())) == (0, [], {0})
        assert found["notice"].startswith(beginning), found["notice"]
        page = client.get("/search/", {"q": text, "kind": kind}, headers={"accept-language": language})
        assert found["notice"] in page.content.decode()
    assert client.get("/api/search", {"q": f"{text} noodle", "kind": "shops"}).json()["notice"] == ""


def test_what_is_past_the_last_page_is_said(client: Client) -> None:
    count = ordering.MAX_RANKED + 5
    with corpora.indexed({number: f"noodle {number}" for number in range(1, count + 1)}):
        found = client.get("/api/search", {"q": "noodle", "kind": corpora.NAME, "size": "50"}).json()
        assert (found["total"], found["reachable"]) == (count, ordering.MAX_RANKED)
        assert found["notice"].startswith("You can see the first 1,000 of 1,005 results.")
        seen = list(found["items"])
        while found["next"]:
            wanted = {
                "q": "noodle",
                "kind": corpora.NAME,
                "size": "50",
                "cursor": found["next"],
            }
            found = client.get("/api/search", wanted).json()
            seen += found["items"]
        assert (len(seen), found["reachable"]) == (ordering.MAX_RANKED, ordering.MAX_RANKED)
        page = client.get("/search/", {"q": "noodle", "kind": corpora.NAME}).content.decode()
        assert "You can see the first 1,000 of 1,005 results." in page
        page = client.get("/search/", {"q": "noodle 77", "kind": corpora.NAME}).content.decode()
        assert "You can see the first" not in page
