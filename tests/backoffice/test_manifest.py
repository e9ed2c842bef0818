"""What a phone calls the site on its home screen."""

import json
import mimetypes
import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from pytest_django.fixtures import Settings

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("language", "description"),
    [("en", "Shops near you, and coupons worth running for."), ("zh-hans", "附近好店，值得一抢的优惠券。")],
)
def test_the_manifest_says_the_sites_name_and_language(
    client: Client, settings: Settings, language: str, description: str
) -> None:
    settings.SITE_NAME, settings.LANGUAGE_CODE = '大阪 "Life"', language
    [link] = re.findall(r'<link rel="manifest" href="([^"]+)">', client.get("/").content.decode())
    answer = client.get(link, headers={"accept-language": "de"})
    assert answer["Content-Type"] == "application/manifest+json"
    assert answer["Cache-Control"] == "public, max-age=86400"
    written = json.loads(answer.content)
    assert (written["name"], written["short_name"]) == ('大阪 "Life"',) * 2
    assert (written["lang"], written["description"]) == (language, description)
    assert written["start_url"] == "/"


def test_the_page_of_the_api_has_the_sites_name(client: Client, settings: Settings) -> None:
    """Swagger UI and the document are English, whatever the language around them."""
    settings.SITE_NAME = "大阪 Life"
    html = client.get("/api/docs", headers={"accept-language": "zh-hans"}).content.decode()
    assert html.count("大阪 Life") == 2
    assert "Savor" not in html
    assert re.search(r'<main\s+id="swagger-ui"\s+lang="en"', html)


def test_the_icons_of_the_manifest_are_there(client: Client) -> None:
    icons = client.get("/site.webmanifest").json()["icons"]
    assert [icon.get("purpose", "any") for icon in icons] == ["any", "maskable"]
    for icon in icons:
        file = finders.find(icon["src"].removeprefix("/static/"))
        assert file
        assert mimetypes.guess_type(file)[0] == icon["type"]
