import re
from xml.etree import ElementTree

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.backoffice import sitemap
from apps.blog.models import Note
from tests.blog import makers as notes
from tests.factories import VoucherFactory
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db


def addresses(client: Client, path: str) -> list[str]:
    """The paths of a sitemap's <loc> elements."""
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/xml")
    assert "public" in answer["Cache-Control"]
    found = ElementTree.fromstring(answer.content).iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    return [str(one.text).removeprefix("http://testserver") for one in found]


@pytest.mark.both_databases
def test_the_sitemap_leads_to_everything_that_is_public(client: Client, alice: User) -> None:
    shop, hidden = shops.shop(), shops.shop(is_listed=False)
    note, draft = notes.note(alice, shop=shop), notes.note(alice, shop=shop, status=Note.Status.DRAFT)
    voucher = VoucherFactory.create(shop=shop)
    found = [path for part in addresses(client, "/sitemap.xml") for path in addresses(client, part)]
    assert {shop.get_absolute_url(), note.get_absolute_url(), voucher.get_absolute_url()} <= set(found)
    assert {hidden.get_absolute_url(), draft.get_absolute_url()}.isdisjoint(found)
    assert {"/", "/sales/", "/notes/"} <= set(found)
    for path in found:
        assert client.get(path).status_code == 200


@pytest.mark.both_databases
def test_a_part_is_a_range_of_ids(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(sitemap, "PART_SIZE", 2)
    made = [shops.shop() for _ in range(5)]
    parts = [path for path in addresses(client, "/sitemap.xml") if "shops" in path]
    assert parts[-1] == f"/sitemap/shops-{-(-made[-1].pk // 2)}.xml"
    with django_assert_num_queries(1):
        addresses(client, parts[-1])
    assert addresses(client, "/sitemap/shops-999999.xml") == []
    assert client.get("/sitemap/people-1.xml").status_code == 404


def test_robots_leave_alone_what_is_somebodys_own(client: Client) -> None:
    text = client.get("/robots.txt").content.decode()
    assert "Sitemap: http://testserver/sitemap.xml" in text
    for path in re.findall(r"Disallow: (\S+)", text):
        assert path == "/api/" or client.get(path).status_code in (301, 302, 404, 200)
    assert "Disallow: /orders/\n" in text
