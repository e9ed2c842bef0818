"""A walk through all pages of the demo city in both languages: each page is in one language.

Texts that people wrote stay in their words and say their language by `lang`; their names may stand anywhere,
and so may names of dishes that hold both languages, as on a menu.
"""

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import Client
from django.urls import Resolver404, resolve
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.blog.models import Dish
from apps.coupons.models import Status, VoucherOrder
from apps.demo import city, logins
from tests import page_texts
from tests.coupons import buyers

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.timeout(300)]

START = """
/ /shops/map/ /shops/?type=bar&city=shanghai /sales/ /sales/?tab=ended /sales/?tab=coming /login/ /orders/
/notes/ /feed/ /notes/new/ /notes/new/?shop=1 /people/ /sign-in/ /sign-in/leaders/ /sign-in/points/ /me/
/me/edit/ /notifications/ /notifications/preferences/ /me/sessions/ /me/notes/ /me/notes/?tab=drafts
/me/blocks/ /chats/ /chats/new/ /nowhere/
""".split()
#: Made for programs and engineers, or no page of the site's visitors. The pages of patterns show code, keys
#: and books in their own words; tests/patterns has their two languages.
LEFT_OUT = ("/api", "/admin", "/media", "/static", "/design", "/patterns")
#: Pages of one view that are opened, with each set of query parameters.
PAGES_EACH = 3


@pytest.fixture
def fresh_fragments() -> Iterator[None]:
    """Parts of pages that this process keeps are of its languages, which only tests change."""
    caches["template_fragments"].clear()
    yield
    caches["template_fragments"].clear()


def walk(client: Client, accepted: str, pages_each: int) -> Iterator[tuple[str, str, str]]:
    """(path, name of the view, HTML) of pages that can be reached by links."""
    waiting, seen, opened = [*START], set[str](), Counter[tuple[str, ...]]()
    while waiting:
        path = waiting.pop(0).partition("#")[0]
        parts = urlsplit(path)
        kind = (view_name(parts.path), *sorted(re.findall(r"(\w+)=", parts.query)))
        if (
            path in seen
            or not path.startswith("/")
            or path.startswith(LEFT_OUT)
            or opened[kind] >= pages_each
        ):
            continue
        seen.add(path)
        opened[kind] += 1
        response = client.get(path, headers={"accept-language": accepted})
        waiting += [response["Location"]] if "Location" in response else []
        if response.get("Content-Type", "").startswith("text/html"):
            html = response.content.decode()
            waiting += page_texts.read(html)[1]
            yield path, kind[0], html


def view_name(path: str) -> str:
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


def find_faults(
    client: Client, language: str, *, accepted: str = "", pages_each: int = PAGES_EACH
) -> dict[str, str]:
    """Text -> the path of the first page that has it in the wrong language or with the wrong marks.

    `accepted` is the language that the browser asks for, if it is another one.
    """
    people, dishes = (
        User.objects.values_list("nickname", flat=True),
        Dish.objects.values_list("name", flat=True),
    )
    names, faults = page_texts.compile_names(people, dishes), dict[str, str]()
    for path, view, html in walk(client, accepted or language, pages_each):
        if len(settings.LANGUAGES) == 1 and 'name="language"' in html:
            faults.setdefault("a switch of languages", path)
        for text in page_texts.find_foreign_texts(html, language, view=view, names=names):
            faults.setdefault(text, path)
    return faults


def test_every_page_is_in_one_language() -> None:
    city.seed_city(60, progress=lambda *_: None)
    customer = User.objects.get(phone=logins.CUSTOMER_PHONE)
    had = VoucherOrder.objects.filter(user=customer).values_list("status", flat=True)
    assert set(had) == {*Status} - {Status.QUEUED}
    for language, _ in settings.LANGUAGES:
        for client in (buyers.browser_client(customer), Client(headers=buyers.SAME_ORIGIN)):
            assert find_faults(client, language) == {}


@pytest.mark.usefixtures("fresh_fragments")
@pytest.mark.parametrize(("only", "other"), [("en", "zh-hans"), ("zh-hans", "en")])
def test_a_site_in_one_language_has_no_other(only: str, other: str, settings: Settings) -> None:
    """Whatever the browser asks for, and whatever language the account once chose.

    One page of a view does: its texts of rows are walked by the test above.
    """
    settings.LANGUAGES = [one for one in settings.LANGUAGES if one[0] == only]
    settings.LANGUAGE_CODE = only
    city.seed_city(60, progress=lambda *_: None)
    customer = User.objects.get(phone=logins.CUSTOMER_PHONE)
    User.objects.filter(pk=customer.pk).update(language=other)
    for client in (buyers.browser_client(customer), Client(headers=buyers.SAME_ORIGIN)):
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = other
        assert find_faults(client, only, accepted=other, pages_each=1) == {}
