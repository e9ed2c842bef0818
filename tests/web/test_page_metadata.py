"""Open Graph and JSON-LD of shared pages, as machines read them."""

import json
import re
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from apps.accounts.models import User
from apps.web.page_metadata import PageMetadata, render
from tests.blog import makers as notes
from tests.factories import VoucherFactory
from tests.shops import makers as shops

DATA = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.S)
PROPERTY = re.compile(r'<meta (?:property="og|name="twitter):(\w+)" content="([^"]*)">')


def read_metadata(client: Client, path: str) -> tuple[dict[str, str], dict[str, Any]]:
    """The Open Graph properties and the JSON-LD of a page."""
    html = client.get(path).content.decode()
    data = DATA.search(html)
    return dict(PROPERTY.findall(html)), json.loads(data[1]) if data else {}


def test_what_people_wrote_ends_no_script() -> None:
    about = PageMetadata(title='"><b>', data={"name": "</script><!-- & \u2028", "url": "/x/"})
    html = render(about, url="http://t/x/", build_url=lambda path: f"http://t{path}")
    data = DATA.search(html)
    assert data
    assert not re.search("[<>&\u2028]", data[1])
    assert json.loads(data[1]) == {
        "@context": "https://schema.org",
        "name": "</script><!-- & \u2028",
        "url": "http://t/x/",
    }
    assert '"><b>' not in html


@pytest.mark.django_db
def test_a_shop_says_where_it_is_and_how_it_is_rated(client: Client) -> None:
    shop = shops.shop(rating=43, reviews=7)
    properties, data = read_metadata(client, shop.get_absolute_url())
    assert properties["title"] == data["name"] == shop.name
    assert properties["url"] == data["url"] == f"http://testserver{shop.get_absolute_url()}"
    assert (data["aggregateRating"]["ratingValue"], data["aggregateRating"]["reviewCount"]) == (4.3, 7)
    assert data["image"].startswith("http://testserver/")


@pytest.mark.django_db
def test_a_note_is_an_article_about_its_shop(client: Client, alice: User) -> None:
    note = notes.note(alice, title="Soup & bread")
    properties, data = read_metadata(client, note.get_absolute_url())
    assert (properties["type"], data["@type"], data["headline"]) == ("article", "Article", "Soup & bread")
    assert data["author"]["name"] == alice.nickname
    assert data["about"]["url"] == f"http://testserver{note.shop.get_absolute_url()}"


@pytest.mark.django_db
def test_what_is_shared_has_a_whole_preview_with_a_picture_that_previews_show(
    client: Client, alice: User
) -> None:
    note = notes.note(alice, photos=0, title="", text="Soup.")
    voucher = VoucherFactory.create(shop=note.shop)
    for row in (note.shop, note, voucher):
        path = row.get_absolute_url()
        properties, _data = read_metadata(client, path)
        assert properties["title"]
        assert properties["description"]
        assert (properties["url"], properties["card"]) == (f"http://testserver{path}", "summary_large_image")
        assert properties["image"] == f"http://testserver/covers/{note.shop.pk}.png"
    drawn = client.get(f"/covers/{note.shop.pk}.png")
    assert Image.open(BytesIO(drawn.getvalue())).size == (1200, 900)
    assert (
        client.get(f"/covers/{note.shop.pk}.png", headers={"If-None-Match": drawn["ETag"]}).status_code == 304
    )
    properties, _data = read_metadata(client, f"/people/{alice.pk}/")
    assert alice.nickname in properties["description"]
    assert properties["image"].endswith("/preview.png")
    assert properties["card"] == "summary"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/sales/", "/notes/", "/people/{}/"])
def test_lists_have_a_preview(client: Client, alice: User, path: str) -> None:
    properties, data = read_metadata(client, path.format(alice.pk))
    assert properties["title"]
    assert properties["url"] == f"http://testserver{path.format(alice.pk)}"
    assert data == {}
