"""A site in one language, and one in a language that the repository has no texts of."""

import re

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.factories import CityFactory, ShopFactory

pytestmark = pytest.mark.django_db
ENGLISH, CHINESE = {"name_en": "Third Floor", "name_zh": ""}, {"name_en": "", "name_zh": "三楼火锅"}


def set_languages(settings: Settings, *codes: str) -> None:
    settings.LANGUAGES = [(code, code) for code in codes]
    settings.LANGUAGE_CODE = codes[0]


def read_name(client: Client, path: str, accepted: str) -> tuple[str, str, str]:
    """(the page's language, that of its heading if it is marked, the heading).

    Latin letters are unmarked where the page isn't Chinese: they may be of any language.
    """
    html = client.get(path, headers={"accept-language": accepted}).content.decode()
    [page] = re.findall(r'<html[^>]* lang="([^"]+)"', html)
    heading, name = re.findall(r"<h1([^>]*)>\s*(.*?)\s*(?:<|$)", html, re.DOTALL)[0]
    own = re.findall(r'lang="([^"]+)"', heading)
    return page, own[0] if own else page, name


@pytest.mark.parametrize(
    ("languages", "texts", "expected"),
    [
        (["en"], CHINESE, ("en", "zh-Hans", "三楼火锅")),
        (["zh-hans"], ENGLISH, ("zh-hans", "en", "Third Floor")),
        (["ja", "en"], {"name_en": "Third Floor", "name_zh": "三楼火锅"}, ("ja", "ja", "Third Floor")),
        (["ja"], CHINESE, ("ja", "zh-Hans", "三楼火锅")),
    ],
)
def test_a_row_without_the_sites_language_is_read_in_the_other(
    client: Client, settings: Settings, languages: list[str], texts: dict[str, str], expected: tuple[str, ...]
) -> None:
    set_languages(settings, *languages)
    shop = ShopFactory.create(**texts)
    assert read_name(client, f"/shops/{shop.pk}/", "ja,zh-hans,en") == expected


def test_a_third_language_takes_text_by_text_what_it_has(client: Client, settings: Settings) -> None:
    """Django has Japanese words for its own; the repository's are English, those of rows too."""
    set_languages(settings, "ja", "en")
    CityFactory.create()
    html = client.get("/login/", headers={"accept-language": "ja"}).content.decode()
    assert 'lang="ja"' in html
    assert "Log in" in html
    assert "検索" in html
    refused = client.post("/login/", {"phone": ""}, headers={"accept-language": "ja"}).content.decode()
    assert re.search("[\u3040-\u30ff]", refused)
