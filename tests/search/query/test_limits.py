"""What searches may take from others: claims of the same Redis go first."""

from collections.abc import Iterator

import pytest
from django.test import Client

from apps.redis_kit import limiter
from apps.search import keys, limits
from apps.search.index import rebuilding
from apps.search.query.search import SearchRequest, search
from apps.web import client_address
from apps.web.problems import Problem
from tests.search import corpora

pytestmark = pytest.mark.django_db


@pytest.fixture
def noodles(db: None) -> Iterator[None]:
    """Forty documents."""
    with corpora.indexed({number: f"noodle {number}" for number in range(1, 41)}):
        yield


def test_on_a_filled_server_a_search_has_its_first_page_alone(
    noodles: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = SearchRequest(text="noodle", kind=corpora.NAME, size=10)
    assert search(wanted).next
    monkeypatch.setattr(keys.SEARCHES_BUDGET, "is_spent", True)
    page = search(wanted)
    assert (len(page.hits), page.total, page.next) == (10, 40, None)


def test_on_a_full_server_no_search_begins(noodles: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys.STEPS_BUDGET, "is_spent", False)
    keys.STEPS_BUDGET.judge(0.81)
    with pytest.raises(Problem) as refused:
        search(SearchRequest(text="noodle", kind=corpora.NAME))
    assert (refused.value.status, refused.value.code, refused.value.retry_after) == (503, "busy", 30)


@pytest.mark.parametrize("path", ["/api/search?q=noodle", "/search/?q=noodle"])
def test_an_address_that_searches_on_and_on_waits(client: Client, path: str) -> None:
    rebuilding.rebuild()
    assert client.get(path).status_code == 200
    for _ in range(limits.SEARCHES_OF_ADDRESS.allowed):
        limiter.hit([(limits.SEARCHES_OF_ADDRESS, client_address.site_network("127.0.0.1"))])
    refused = client.get(path)
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 10
    assert client.get(path, REMOTE_ADDR="203.0.113.9").status_code == 200
