"""Addresses in the API's answers: whole ones, of the host that the request came to."""

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.web import request_origin
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.factories import CommentFactory, ShopFactory

ORIGIN = "https://savor.example"
ADDRESSES = ("url", "cover_url", "avatar", "picture")
NAMES = st.sampled_from(
    [*ADDRESSES, "text", 'x"url', 'x, "url', '{"avatar', 'a"b_url', "URL", "curl", "_url", "链url"]
)
PATHS = ["/", "/a", "//a", "", "https://b/", '"url":"/', '\\"url": "/a', "url", 'url": "/']
VALUES = st.recursive(
    st.none() | st.integers() | st.sampled_from(PATHS) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


def complete(part: Any) -> Any:
    """The same, member by member."""
    if isinstance(part, list):
        return [complete(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    return {name: ORIGIN + one if is_path(name, one) else complete(one) for name, one in part.items()}


def is_path(name: str, value: Any) -> bool:
    is_address = name in ADDRESSES or name.endswith("_url")
    return is_address and isinstance(value, str) and value.startswith("/") and not value.startswith("//")


@given(VALUES)
def test_members_with_paths_become_whole_and_nothing_else_changes(value: Any) -> None:
    for written in (
        json.dumps(value).encode(),
        json.dumps(value, ensure_ascii=False).encode(),
        to_json(value),
    ):
        assert json.loads(request_origin.complete_addresses(written, ORIGIN)) == complete(value)


def find_paths(part: Any) -> list[str]:
    """Texts of an answer that begin like a path."""
    if isinstance(part, str):
        return [part] if part.startswith("/") else []
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [found for each in inner for found in find_paths(each)]


@pytest.mark.django_db(transaction=True)
def test_each_host_gets_its_own_addresses_of_what_is_kept_for_all(
    settings: Settings, alice: User, bob: User
) -> None:
    settings.ALLOWED_HOSTS, settings.TRUSTED_PROXIES = ["savor.example", "m.savor.example"], 1
    note = notes.note(alice, shop=ShopFactory.create())
    CommentFactory.create(note=note, author=bob)
    me, tags = buyers.api_client(bob), set[str]()
    for path, member in (
        (f"/api/shops/{note.shop_id}", "url"),
        (f"/api/shops/{note.shop_id}", "cover_url"),
        (f"/api/notes/{note.pk}", "url"),
    ):
        for host, proto in (
            ("savor.example", "https"),
            ("m.savor.example", "http"),
            ("savor.example", "https"),
        ):
            headers = {"host": "127.0.0.1", "x-forwarded-host": host, "x-forwarded-proto": proto}
            answer = me.get(path, headers=headers)
            assert answer.json()[member].startswith(f"{proto}://{host}/")
            assert find_paths(answer.json()) == []
            tags.add(answer.get("ETag", ""))
    # A copy of one host is not good for another.
    assert len(tags - {""}) == 2


@pytest.mark.django_db
def test_a_host_with_a_port_keeps_it(client: Client) -> None:
    shop = ShopFactory.create()
    answer = client.get("/api/shops", headers={"host": "testserver:8443"}).json()
    assert answer["items"][0]["url"] == f"http://testserver:8443/shops/{shop.pk}/"
