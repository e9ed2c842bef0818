"""The one cookie by which a browser is the same visitor tomorrow."""

import re

import pytest
from django.test import Client
from pytest_django import Settings

from apps.accounts.models import User
from apps.uv import visitors
from tests.uv.browsing import new_browser, read_counts

pytestmark = pytest.mark.django_db


def test_the_first_view_gives_it_and_the_second_does_not() -> None:
    person = new_browser()
    first, second = person.get("/login/"), person.get("/login/")
    given = first.cookies[visitors.COOKIE_NAME]
    assert re.fullmatch(r"[\w-]{22}\.[0-9a-f]{8}\.[\w-]{22}", given.value)
    assert (given["httponly"], given["samesite"], given["max-age"], given["secure"]) == (
        True,
        "Lax",
        365 * 86_400,
        "",
    )
    assert visitors.COOKIE_NAME not in second.cookies


def test_it_is_secure_where_the_site_is(settings: Settings) -> None:
    settings.SESSION_COOKIE_SECURE = True
    assert new_browser().get("/login/").cookies[visitors.COOKIE_NAME]["secure"] is True


@pytest.mark.both_databases
def test_a_page_that_gives_it_is_kept_from_shared_caches() -> None:
    answer = new_browser().get("/shops/")
    assert "private" in answer["Cache-Control"]
    assert "Cookie" in answer["Vary"]


def test_a_persons_page_stays_as_private_as_it_was(alice: User) -> None:
    person = new_browser(alice)
    person.get("/me/")
    assert {"private", "no-cache"} <= set(person.get("/shops/")["Cache-Control"].split(", "))


@pytest.mark.parametrize(
    "forged",
    [
        *("", "x", "x" * 5_000, "<script>alert(1)</script>", "é" * 22, "a b" * 7 + "a"),
        *("a" * 22, f"{'a' * 22}.67e1c000.{'a' * 22}", f"{'a' * 22}.67e1c000.{'é' * 22}"),
    ],
)
def test_what_we_never_gave_is_replaced(client: Client, forged: str) -> None:
    person = new_browser()
    person.cookies[visitors.COOKIE_NAME] = forged
    answer = person.get("/login/")
    assert answer.status_code == 200
    assert answer.cookies[visitors.COOKIE_NAME].value != forged
    assert read_counts() == (1, 1)


def test_digests_tell_visitors_apart_and_depend_on_the_secret(settings: Settings) -> None:
    one, other = visitors.digest("a" * 22), visitors.digest("b" * 22)
    assert one != other
    settings.SECRET_KEY = "another" * 10
    assert visitors.digest("a" * 22) != one


def test_nobody_changes_when_they_were_first_seen(settings: Settings) -> None:
    given = visitors.new_value(at=1_742_848_000)
    assert (visitors.valid_value(given), visitors.first_seen(given)) == (given, 1_742_848_000)
    earlier = given.replace(f"{1_742_848_000:08x}", f"{1_742_840_000:08x}")
    assert visitors.valid_value(earlier) == ""
    settings.SECRET_KEY = "another" * 10
    assert visitors.valid_value(given) == ""
