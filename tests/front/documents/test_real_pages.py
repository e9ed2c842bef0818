"""Each shared page of the site: the same bytes for three people, and a document that readers hit."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from apps.accounts.models import User
from apps.blog import likes
from apps.coupons.catalog import reminders
from apps.follows import graph
from apps.front.documents.pages import is_shared_page
from apps.front.documents.route import DocumentRoute
from apps.front.documents.store import STALE_SECONDS
from apps.shops import changes
from apps.shops.geo.location import COOKIE_NAME
from apps.shops.models import Shop
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale, make_sale
from tests.coupons.conftest import shop as sale_shop
from tests.front.documents import site
from tests.uv.browsing import AGENT

__all__ = ["make_sale", "sale_shop"]
pytestmark = pytest.mark.django_db(transaction=True)
#: By the name of the view: the argument of its URL, which `city` knows.
PAGES = {
    "home": "",
    "coupons:sales": "",
    "coupons:sale": "voucher",
    "shops:detail": "shop",
    "rankings:index": "",
    "rankings:type": "type",
    "blog:hot": "",
    "blog:note": "note",
    "accounts:person": "person",
    "backoffice:help": "",
    "backoffice:privacy": "",
    "backoffice:terms": "",
    "backoffice:imprint": "",
}
LANGUAGES = {"en": "en", "zh-hans": "zh-CN,zh;q=0.9"}


@pytest.fixture
def shop(sale_shop: Any) -> Any:
    return sale_shop


@pytest.fixture
def city(shop: Any, make_sale: MakeSale, alice: User, bob: User) -> dict[str, Any]:
    """Things that are different for alice, who wrote, bought, liked and follows, and for bob."""
    sale, coming, note = make_sale(), make_sale(begins_in=3_600), notes.note(alice, shop=shop)
    buyers.create_order(sale, alice)
    reminders.add(coming.pk, alice.pk)
    likes.like(note.pk, bob.pk)
    graph.follow(bob.pk, alice.pk)
    about = {"shop": shop.pk, "type": shop.type.slug}
    return about | {"voucher": sale.pk, "note": note.pk, "person": alice.pk}


def page_path(name: str, city: dict[str, Any]) -> str:
    return reverse(name, args=[city[PAGES[name]]] if PAGES[name] else [])


def iter_shared_views(resolver: URLResolver, namespace: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from iter_shared_views(entry, f"{entry.namespace}:" if entry.namespace else namespace)
        elif isinstance(entry, URLPattern) and is_shared_page(entry.callback):
            yield f"{namespace}{entry.name}"


def test_every_shared_page_is_tested_here() -> None:
    assert set(iter_shared_views(get_resolver())) == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("language", ["en", pytest.param("zh-hans", marks=pytest.mark.wide)])
def test_three_people_get_the_same_bytes(
    city: dict[str, Any], alice: User, bob: User, name: str, language: str
) -> None:
    headers = {"accept-language": LANGUAGES[language], "user-agent": AGENT}
    path = page_path(name, city)
    people = [Client(), buyers.browser_client(alice), buyers.browser_client(bob)]
    for person in people:
        # Without it the pages of a city are for their address alone.
        person.cookies[COOKIE_NAME] = "hangzhou"
    responses = [person.get(path, headers=headers) for person in people for _ in range(2)]
    assert {response.status_code for response in responses} == {200}
    assert len({response.content for response in responses}) == 1
    for response in responses[1::2]:
        assert response.headers["Cache-Control"] == "no-cache"
        assert "Cookie" not in response.headers["Vary"]
        assert response.headers["Content-Language"] == language


@pytest.mark.parametrize("name", PAGES)
def test_the_next_reader_hits_the_document(city: dict[str, Any], alice: User, name: str) -> None:
    path, cookie = page_path(name, city), buyers.browser_client(alice).cookies.output(header="").strip()

    async def read() -> tuple[DocumentRoute, list[site.Response]]:
        documents = DocumentRoute(WSGIHandler())
        first = await site.fetch(documents, path)
        site.age(documents, -100)
        second = await site.fetch(documents, path, cookie=cookie.partition(";")[0])
        # So old that the reader waits for the new one, however slow the machine is.
        site.age(documents, 100 + STALE_SECONDS)
        third = await site.fetch(documents, path, if_none_match=first.headers["etag"])
        return documents, [first, second, third]

    documents, responses = asyncio.run(read())
    assert [response.status for response in responses] == [200, 200, 304]
    assert responses[0] == responses[1]
    assert documents.store.outcomes == {"miss": 2, "hit": 1}
    assert responses[0].body == Client().get(path, SAVOR_STREAMS="1").content


@pytest.mark.parametrize("name", ["coupons:sale", "shops:detail"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unlisted_shop_is_refused_as_django_refuses_it(
    city: dict[str, Any], alice: User, shop: Any, name: str, language: str
) -> None:
    changes.update(Shop.objects.filter(pk=shop.pk), is_listed=False)
    path, browser = page_path(name, city), buyers.browser_client(alice)
    cookie = browser.cookies.output(header="").strip().partition(";")[0]
    said = {"accept_language": LANGUAGES[language]}

    async def read() -> list[site.Response]:
        documents = DocumentRoute(WSGIHandler())
        return [await site.fetch(documents, path, **said, **who) for who in ({"cookie": cookie}, {}, {})]

    expected = browser.get(path, headers={"accept-language": LANGUAGES[language]}, SAVOR_STREAMS="1")
    assert expected.status_code == 404
    for answer in asyncio.run(read()):
        assert (answer.status, answer.body) == (404, expected.content)
        assert answer.headers["content-language"] == language
