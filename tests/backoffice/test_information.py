"""Help, privacy, terms and imprint."""

import re
from datetime import timedelta

import pytest
from django.conf import settings as config
from django.test import Client
from pytest_django.fixtures import Settings

from apps.backoffice import information
from apps.mailbox import copies

pytestmark = pytest.mark.django_db


def test_every_link_of_the_pages_leads_somewhere(client: Client) -> None:
    for path in ("/help/", "/privacy/", "/terms/", "/imprint/"):
        page = client.get(path)
        main = page.content.decode().partition("<main")[2].partition("</main>")[0]
        assert page.status_code == 200
        for link in re.findall(r'href="(/[^"]*)"', main):
            assert client.get(link).status_code in {200, 302}, link


def test_the_privacy_page_says_what_the_code_does(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "90 days" in client.get("/privacy/").content.decode()
    monkeypatch.setattr(copies, "RETENTION", timedelta(days=77))
    assert "77 days" in client.get("/privacy/", headers={"hx-request": "true"}).content.decode()


def test_every_cookie_of_the_site_is_named(client: Client) -> None:
    named = {cookie.name for cookie in information.list_cookies()}
    client.post("/i18n/setlang/", {"language": "en", "next": "/"})
    client.get("/shops/?city=hangzhou")
    assert client.cookies.keys() <= named
    assert config.SESSION_COOKIE_NAME in named


def test_help_names_the_ways_in_that_are_on(client: Client, settings: Settings) -> None:
    """Who has lost their phone logs in by e-mail or passkey, where the operator has these."""
    lines = {"LOGIN_EMAIL": "log in by e-mail", "LOGIN_PASSKEYS": "A passkey on another device"}
    for on in (True, False):
        for name, line in lines.items():
            setattr(settings, name, on)
            assert (line in client.get("/help/", headers={"hx-request": "true"}).content.decode()) is on


def test_the_imprint_names_who_runs_the_site(client: Client, settings: Settings) -> None:
    assert "nobody has written here yet" in client.get("/imprint/").content.decode()
    settings.OPERATOR_NAME, settings.OPERATOR_ADDRESS = "Savor Ltd", ["1 Nanshan Road", "Hangzhou"]
    page = client.get("/imprint/", headers={"hx-request": "true"}).content.decode()
    assert "Savor Ltd" in page
    assert "Hangzhou" in page
