"""Requests are measured by route, whoever answers them."""

import pytest
from django.test import Client

from apps.metrics import gathering


@pytest.fixture(autouse=True)
def _observed(gathers: None) -> None:
    """Requests are gathered."""


def routes() -> list[tuple[str, int]]:
    return [(sample.name, sample.status) for sample in gathering.take().samples if sample.status]


def test_a_view_has_its_routes_name_and_a_page_that_is_none_has_none() -> None:
    client = Client()
    client.get("/healthz")
    client.get("/no/such/page/")
    assert routes() == [("monitoring:alive", 200), ("none", 404)]


@pytest.mark.django_db
def test_paths_with_ids_share_a_route() -> None:
    client = Client()
    for number in (1, 2):
        client.get(f"/api/shops/{number}")
    assert routes() == [("api:read_shop", 404), ("api:read_shop", 404)]
