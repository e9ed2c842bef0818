"""What owners do with webhooks, on pages and by the API; strangers and cashiers do nothing."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from apps.accounts.models import User
from apps.accounts.programs import program_tokens
from apps.coupons.models import VoucherOrder, Webhook, WebhookDelivery
from apps.coupons.orders import lifecycle
from apps.coupons.webhooks import endpoints
from apps.outbox.models import Message
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.coupons.webhooks.conftest import send_waiting
from tests.factories import ShopMemberFactory
from tests.http_double import Double

pytestmark = pytest.mark.django_db(transaction=True)
EVENTS = ["order.paid", "order.used"]


@pytest.fixture
def api(owner: User) -> Client:
    return buyers.api_client(owner)


@pytest.fixture
def browser(owner: User) -> Client:
    return buyers.browser_client(owner)


def post(client: Client, path: str, body: Any = None) -> Any:
    return client.post(path, body or {}, content_type="application/json")


@pytest.mark.both_databases
def test_the_api_registers_tries_lists_changes_and_removes(
    api: Client, shop: Shop, receiver: Double, local_addresses: None
) -> None:
    root = f"/api/shops/{shop.pk}/webhooks"
    made = post(api, root, {"url": receiver.url, "events": EVENTS})
    assert made.status_code == 201
    assert made.json()["secret"].startswith("whsec_")
    one = f"{root}/{made.json()['id']}"
    assert api.get(root).json()["items"] == [
        {name: value for name, value in made.json().items() if name != "secret"}
    ]
    assert post(api, f"{one}/test").json()["state"] == "waiting"
    send_waiting()
    [delivery] = api.get(f"{one}/deliveries").json()["items"]
    assert (delivery["event"], delivery["state"], delivery["status"]) == ("test", "sent", 200)
    assert delivery["webhook_id"] == receiver.received[0].headers["webhook-id"]
    again = post(api, f"{one}/deliveries/{delivery['id']}/resend")
    assert (again.status_code, again.json()["state"]) == (202, "waiting")
    assert post(api, f"{one}/deliveries/{delivery['id']}/resend").json()["code"] == "waiting"
    changed = api.patch(one, {"is_on": False}, content_type="application/json").json()
    assert (changed["is_on"], changed["events"]) == (False, EVENTS)
    assert post(api, f"{one}/test").json()["code"] == "switched_off"
    assert api.delete(one).status_code == 204
    assert (Webhook.objects.count(), Message.objects.filter(channel="hook").count()) == (0, 0)


def test_deliveries_come_by_pages(api: Client, webhook: Webhook, owner: User) -> None:
    for _ in range(3):
        endpoints.send_test(webhook, owner)
    path = f"/api/shops/{webhook.shop_id}/webhooks/{webhook.pk}/deliveries"
    first = api.get(f"{path}?size=2").json()
    second = api.get(f"{path}?size=2&cursor={first['next']}").json()
    ids = [each["id"] for each in first["items"] + second["items"]]
    assert (len(ids), ids, second["next"]) == (3, sorted(ids, reverse=True), None)
    assert api.get(f"{path}?cursor=x").json()["code"] == "bad_cursor"


BAD_URLS = {
    "http": "http://example.org/",
    "another scheme": "gopher://example.org/",
    "no scheme": "example.org",
    "this machine": "https://127.0.0.1/",
    "its name": "https://localhost/",
    "a network of one's own": "https://192.168.1.1/",
    "a cloud's secrets": "https://169.254.169.254/latest/meta-data",
    "a mail server's port": "https://8.8.8.8:25/",
    "no port": "https://8.8.8.8:0x1/",
    "past any port": "https://8.8.8.8:99999/",
    "a password": "https://me:secret@8.8.8.8/",
    "a fragment": "https://8.8.8.8/#x",
    "a backslash": "https://8.8.8.8\\@127.0.0.1/",
    "a line": "https://8.8.8.8/\r\nHost: inside",
    "a space": "https://8.8.8.8/a b",
    "NUL": "https://8.8.8.8/\x00",
    "other letters": "https://exämple.org/",
    "no host": "https:///x",
    "a bracket": "https://[::1/",
    "long": "https://8.8.8.8/" + "x" * 500,
    "empty": "",
}


@pytest.mark.parametrize("url", BAD_URLS.values(), ids=BAD_URLS)
def test_an_address_that_a_webhook_may_not_have_is_refused(
    api: Client, shop: Shop, settings: Settings, url: str
) -> None:
    settings.DEMO = False
    answer = post(api, f"/api/shops/{shop.pk}/webhooks", {"url": url, "events": EVENTS})
    assert answer.status_code in {400, 422}
    assert answer.json()["code"] in {"bad_address", "invalid"}
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("events", [[], ["order.lost"], ["test"], "order.paid", None])
def test_other_events_are_refused(api: Client, shop: Shop, events: Any, local_addresses: None) -> None:
    body = {"url": "https://8.8.8.8/", "events": events}
    assert post(api, f"/api/shops/{shop.pk}/webhooks", body).status_code == 422


def requests_of(shop: Shop, webhook: Webhook) -> Iterator[tuple[str, str]]:
    """Every request about webhooks, as (method, path)."""
    api, page = f"/api/shops/{shop.pk}/webhooks", f"/shops/{shop.pk}/webhooks/"
    for root in (api, f"{api}/{webhook.pk}/deliveries"):
        yield "GET", root
    for root in (api, f"{api}/{webhook.pk}/test", f"{api}/{webhook.pk}/deliveries/1/resend"):
        yield "POST", root
    yield "PATCH", f"{api}/{webhook.pk}"
    yield "DELETE", f"{api}/{webhook.pk}"
    for root in (page, f"{page}{webhook.pk}/"):
        yield "GET", root
    for root in ("test/", "switch/", "remove/", "deliveries/1/"):
        yield "POST", f"{page}{webhook.pk}/{root}"


def test_strangers_find_nothing_and_cashiers_may_not(
    shop: Shop, webhook: Webhook, charlie: User, alice: User
) -> None:
    ShopMemberFactory.create(shop=shop, user=alice)
    body = {"url": "https://8.8.8.8/", "events": EVENTS}
    for user, status in ((charlie, 404), (alice, 403)):
        for method, path in requests_of(shop, webhook):
            make = buyers.api_client if path.startswith("/api") else buyers.browser_client
            answer = make(user).generic(method, path, json.dumps(body), "application/json")
            assert answer.status_code == status, (method, path)
    assert Webhook.objects.get().is_on


def test_another_shop_s_webhook_is_404(api: Client, webhook: Webhook, owner: User, shop: Shop) -> None:
    other = ShopMemberFactory.create(user=owner, role="owner").shop
    assert api.delete(f"/api/shops/{other.pk}/webhooks/{webhook.pk}").status_code == 404


def test_a_program_needs_the_scope_orders(shop: Shop, owner: User) -> None:
    raw = program_tokens.make(owner, name="Till", scopes=["read", "write"], days=1)[1]
    client = Client(headers={"Authorization": f"Bearer {raw}"})
    assert client.get(f"/api/shops/{shop.pk}/webhooks").json()["scope"] == "orders"


def test_a_shop_has_ten(
    shop: Shop, owner: User, receiver: Double, local_addresses: None, api: Client
) -> None:
    for _ in range(endpoints.MAX_WEBHOOKS):
        endpoints.register(shop, owner, url=receiver.url, events=EVENTS)
    answer = post(api, f"/api/shops/{shop.pk}/webhooks", {"url": receiver.url, "events": EVENTS})
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_webhooks")


def test_the_pages_do_the_same(
    browser: Client, shop: Shop, receiver: Double, local_addresses: None, order: VoucherOrder
) -> None:
    root = f"/shops/{shop.pk}/webhooks/"
    assert root in browser.get("/me/").content.decode()
    made = browser.post(root, {"url": receiver.url, "events": EVENTS})
    assert re.search(r'value="whsec_[^"]+"', made.content.decode())
    assert "whsec_" not in browser.get(root).content.decode()
    page = f"{root}{Webhook.objects.get().pk}/"
    assert browser.post(f"{page}test/").status_code == 302
    lifecycle.mark_paid(order)
    while send_waiting():
        pass
    html = browser.get(page).content.decode()
    assert str(order.pk) in html
    assert browser.post(f"{page}deliveries/{WebhookDelivery.objects.earliest('pk').pk}/").status_code == 302
    assert Message.objects.waiting().filter(channel="hook").count() == 1
    browser.post(f"{page}switch/", {"on": "0"})
    assert not Webhook.objects.get().is_on
    assert browser.post(page, {"url": "nonsense", "events": EVENTS}).status_code == 422
    assert browser.post(page, {"url": f"{receiver.url}/x", "events": EVENTS}).status_code == 302
    assert Webhook.objects.get().url.endswith("/x")
    assert browser.post(f"{page}remove/").status_code == 302
    assert not Webhook.objects.exists()
