"""What a phone calls the site on its home screen."""

import json
import mimetypes
import re
from datetime import timedelta

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.backoffice import pwa
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.orders import redeem_codes
from apps.coupons.templatetags.coupons import MAX_OFFLINE_COUPONS
from apps.saves.models import Save
from apps.shops import money
from tests.coupons import buyers
from tests.factories import ShopFactory, VoucherFactory, VoucherOrderFactory

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


def read_page(user: User | None = None, *, language: str = "en") -> str:
    client = buyers.browser_client(user) if user else Client()
    answer = client.get("/offline/", headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def read_worker(client: Client) -> tuple[dict[str, object], str]:
    """What the worker knows of its release, and the script."""
    first_line, _, script = client.get("/sw.js").content.decode().partition("\n")
    return json.loads(first_line.removeprefix("const RELEASE = ").removesuffix(";")), script


def test_the_page_has_the_codes_of_coupons_that_may_be_used(alice: User, bob: User) -> None:
    soon = timezone.now() + timedelta(days=1)
    good = VoucherOrderFactory.create(user=alice, paid=True, redeem_code="7KQ29XMW4TBD", valid_until=soon)
    past = timezone.now() - timedelta(seconds=1)
    absent = [
        VoucherOrderFactory.create(user=alice, redeem_code="UNPAID00000A"),
        VoucherOrderFactory.create(user=alice, status=Status.USED, redeem_code="USED0000000A"),
        VoucherOrderFactory.create(user=alice, status=Status.REFUNDED, redeem_code="REFUNDED000A"),
        VoucherOrderFactory.create(user=alice, paid=True, valid_until=past, redeem_code="EXPIRED0000A"),
        VoucherOrderFactory.create(user=bob, paid=True, redeem_code="0THERS00000A"),
        VoucherOrderFactory.create(user=alice, holder=bob, paid=True, redeem_code="GIVENAWAY00A"),
    ]
    page = read_page(alice)
    assert "7KQ2 9XMW 4TBD" in page
    assert page.count("<svg viewBox") == 1
    assert good.voucher.title in page
    assert f'qr__worth">{money.format_amount(good.price, good.currency)}<' in page
    assert [order for order in absent if redeem_codes.spell(order.redeem_code) in page] == []


def test_a_coupon_that_was_given_is_on_the_page_of_who_has_it_now(alice: User, bob: User) -> None:
    given = VoucherOrderFactory.create(user=alice, holder=bob, paid=True, redeem_code="7KQ29XMW4TBD")
    assert "7KQ2 9XMW 4TBD" in read_page(bob)
    worth = money.format_amount(given.voucher.value, given.voucher.currency)
    assert f'qr__worth">{worth}<' in read_page(bob), "what was paid is between the giver and the shop"
    assert "7KQ2" not in read_page(alice)


def test_a_hundred_coupons_are_a_bounded_page_of_as_many_queries(alice: User) -> None:
    voucher = VoucherFactory.create()

    def count_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            read_page(alice)
        return len(queries)

    VoucherOrderFactory.create(user=alice, paid=True)
    one = count_queries()
    for _ in range(MAX_OFFLINE_COUPONS + 2):
        VoucherOrderFactory.create(user=alice, paid=True, voucher__shop=voucher.shop)
    assert count_queries() == one
    page = read_page(alice)
    newest = VoucherOrder.objects.filter(user=alice).order_by("-pk")
    assert page.count("<svg viewBox") == MAX_OFFLINE_COUPONS
    assert f'value="{newest[0].redeem_code}"' in page
    assert f'value="{newest[MAX_OFFLINE_COUPONS].redeem_code}"' not in page


def test_saved_shops_come_with_what_one_needs_to_go_there(alice: User) -> None:
    shop = ShopFactory.create(
        name_en="Lantern Street Noodles", address_en="9 Wen'er Road", phone="+86 571-1234"
    )
    gone = ShopFactory.create(name_en="Closed for good", is_listed=False)
    Save.objects.bulk_create([Save(user=alice, shop=shop), Save(user=alice, shop=gone)])
    page = read_page(alice)
    assert "Lantern Street Noodles" in page
    assert "9 Wen&#x27;er Road" in page
    assert 'href="tel:+865711234"' in page
    assert "Closed for good" not in page


def test_a_visitors_page_holds_nothing_of_a_person_and_speaks_both_languages() -> None:
    assert "You are offline" in read_page()
    chinese = read_page(language="zh-CN")
    assert "你已离线" in chinese
    assert 'data-drafts="0"' in chinese


def test_the_worker_is_told_whose_page_it_is_and_of_which_release(client: Client, alice: User) -> None:
    release, _script = read_worker(client)
    for reader, opened in (("0", client), (str(alice.pk), buyers.browser_client(alice))):
        answer = opened.get("/offline/")
        assert answer["Savor-Reader"] == reader
        assert answer["Savor-Release"] == release["name"]
        assert "no-store" in answer["Cache-Control"]


def test_a_page_without_its_coupons_is_no_page_to_keep(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    VoucherOrderFactory.create(user=alice, paid=True)
    monkeypatch.setattr("apps.coupons.orders.redeem_codes.spell", lambda _code: 1 / 0)
    opened = buyers.browser_client(alice)
    opened.raise_request_exception = False
    assert opened.get("/offline/").status_code == 500


def test_the_worker_is_a_script_at_the_root_that_browsers_ask_for_anew(client: Client) -> None:
    answer = client.get("/sw.js")
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["Cache-Control"] == "no-cache"
    assert "worker-src 'self'" in client.get("/")["Content-Security-Policy"]
    assert client.post("/sw.js").status_code == 405


def test_what_the_page_names_is_kept_with_it(client: Client, alice: User) -> None:
    release, _script = read_worker(client)
    named = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', read_page(alice)))
    assert named <= set(release["assets"])  # type: ignore[call-overload]
    assert [name for name in pwa.ASSETS if not finders.find(name)] == []


def test_a_changed_asset_makes_another_release(client: Client, settings: Settings) -> None:
    before, script = read_worker(client)
    pwa.read_release.cache_clear()
    settings.STATIC_URL = "/static/changed/"
    after, same_script = read_worker(client)
    pwa.read_release.cache_clear()
    assert script == same_script
    assert before["name"] != after["name"]
