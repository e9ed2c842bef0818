"""Events reach a shop's program once, signed; who is slow, wrong, down or endless harms nobody else."""

import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings
from pytest_django.fixtures import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.coupons.models import VoucherOrder, Webhook, WebhookDelivery, WebhookEvent
from apps.coupons.orders import lifecycle
from apps.coupons.webhooks import deliveries, endpoints
from apps.mailbox.models import Notification
from apps.outbox.models import Message, State
from apps.web import outgoing_http, public_addresses
from tests import http_double
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.coupons.webhooks.conftest import send_waiting
from tests.http_double import Answer, Double, Received
from tests.nginx_proxy import make_certificate

pytestmark = pytest.mark.django_db(transaction=True)


def verify(secret: str, received: Received) -> bool:
    """What docs/webhooks.md has a receiver do by hand."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{received.headers['webhook-id']}.{received.headers['webhook-timestamp']}.".encode()
    expected = hmac.new(key, signed + received.body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(expected).decode()}" in received.headers["webhook-signature"].split()


def rest_over() -> None:
    """The pause after a failure is over, of webhooks and messages."""
    Webhook.objects.update(rests_until=None)
    Message.objects.waiting().update(next_try_at=timezone.now())


def test_the_signature_is_the_one_of_the_standard_s_own_library() -> None:
    """Computed with standardwebhooks 1.1.0 for Python."""
    made = deliveries.build_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        seconds=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert made["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.both_databases
def test_a_paid_order_is_told_once_and_signed(
    webhook: Webhook, order: VoucherOrder, receiver: Double
) -> None:
    lifecycle.mark_paid(order)
    send_waiting()
    [received] = receiver.received
    body = json.loads(received.body)
    assert (received.method, received.path, body["type"]) == ("POST", "/hook", "order.paid")
    assert body["data"]["order_id"] == str(order.pk)
    assert verify(webhook.secret, received)
    assert not verify(deliveries.new_secret(), received)
    assert abs(int(received.headers["webhook-timestamp"]) - time.time()) < 60
    assert order.user.phone not in received.body.decode()
    assert order.redeem_code not in received.body.decode()
    delivery = WebhookDelivery.objects.get()
    assert (delivery.status, delivery.message.state) == (200, State.SENT)


@pytest.mark.both_databases
def test_each_change_of_an_order_has_its_event(
    webhook: Webhook, make_sale: MakeSale, alice: User, charlie: User, manager: User
) -> None:
    sale = make_sale()
    used, refunded, expired = (buyers.create_order(sale, user) for user in (alice, charlie, manager))
    for each in (used, refunded, expired):
        lifecycle.mark_paid(each)
    lifecycle.redeem(used)
    lifecycle.mark_refunded(refunded)
    VoucherOrder.objects.filter(pk=expired.pk).update(valid_until=timezone.now())
    lifecycle.expire_batch()
    events = WebhookDelivery.objects.exclude(event=WebhookEvent.PAID).values_list("event", "order_id")
    assert set(events) == {
        ("order.used", used.pk),
        ("order.refunded", refunded.pk),
        ("order.expired", expired.pk),
    }


def test_a_change_that_is_rolled_back_tells_nobody(webhook: Webhook, order: VoucherOrder) -> None:
    with transaction.atomic():
        lifecycle.mark_paid(order)
        transaction.set_rollback(True)
    assert not WebhookDelivery.objects.exists()
    assert not Message.objects.filter(channel="hook").exists()


def test_another_shop_s_orders_and_events_not_chosen_are_not_told(
    webhook: Webhook, order: VoucherOrder
) -> None:
    endpoints.change(webhook, User.objects.get(nickname="Bob"), events=["order.used"])
    lifecycle.mark_paid(order)
    assert not WebhookDelivery.objects.exists()


def test_a_shop_without_webhooks_costs_one_query(
    order: VoucherOrder, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assert order.voucher.shop_id
    with django_assert_num_queries(1):
        deliveries.publish([order], WebhookEvent.PAID)


def test_many_orders_cost_as_many_queries_as_one(
    webhook: Webhook, make_sale: MakeSale, alice: User, charlie: User, manager: User
) -> None:
    from_one = count_queries([buyers.create_order(make_sale(), alice)])
    sale = make_sale()
    many = [buyers.create_order(sale, user) for user in (alice, charlie, manager)]
    assert count_queries(many) == from_one


def count_queries(orders: list[VoucherOrder]) -> int:
    fresh = list(VoucherOrder.objects.filter(pk__in=[order.pk for order in orders]))
    with CaptureQueriesContext(connection) as queries:
        deliveries.publish(fresh, WebhookEvent.PAID)
    return len(queries)


WRONG: dict[str, Answer] = {
    "an error": Answer(500),
    "not found": Answer(404, b"<html>" + b"x" * 200_000),
    "a redirect inside": Answer(302, headers={"Location": "http://127.0.0.1:1/secret"}),
    "a permanent redirect": Answer(308, headers={"Location": "/other"}),
    "a length that isn't true": Answer(200, b"x", {"Content-Length": "-7"}),
}


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG)
def test_a_wrong_answer_is_tried_again_and_no_redirect_is_followed(
    webhook: Webhook, order: VoucherOrder, receiver: Double, answer: Answer
) -> None:
    receiver.answer = lambda _request: answer
    lifecycle.mark_paid(order)
    assert send_waiting() == 0
    message = WebhookDelivery.objects.get().message
    assert (message.state, message.attempts) == (State.WAITING, 1)
    receiver.answer = lambda _request: Answer(204)
    rest_over()
    assert send_waiting() == 1
    assert [each.path for each in receiver.received] == ["/hook", "/hook"]
    assert len({each.headers["webhook-id"] for each in receiver.received}) == 1
    assert Webhook.objects.get().failing_since is None


@pytest.mark.parametrize("answer", [Answer(silent=True), Answer(drip=True)], ids=["silent", "dripping"])
def test_a_slow_receiver_is_left_at_the_deadline(
    webhook: Webhook,
    order: VoucherOrder,
    receiver: Double,
    answer: Answer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deliveries, "EXCHANGE_SECONDS", 0.3)
    receiver.answer = lambda _request: answer
    lifecycle.mark_paid(order)
    began = time.monotonic()
    assert send_waiting() == 0
    # The rest is a stalled machine's; without a deadline the answer would never end.
    assert time.monotonic() - began < 20
    delivery = WebhookDelivery.objects.get()
    assert (delivery.status, delivery.message.last_error) == (None, "no answer within 0.3 seconds")


def test_a_receiver_that_is_down_is_tried_once_whatever_waits_for_it(
    webhook: Webhook, make_sale: MakeSale, alice: User, charlie: User, receiver: Double
) -> None:
    receiver.answer = lambda _request: Answer(503)
    sale = make_sale()
    for user in (alice, charlie):
        lifecycle.mark_paid(buyers.create_order(sale, user))
    send_waiting()
    assert len(receiver.received) == 1
    assert sorted(Message.objects.filter(channel="hook").values_list("attempts", flat=True)) == [0, 1]


def test_a_webhook_has_one_delivery_at_a_time(
    webhook: Webhook, order: VoucherOrder, receiver: Double
) -> None:
    Webhook.objects.update(rests_until=timezone.now() + timedelta(seconds=5))
    lifecycle.mark_paid(order)
    assert send_waiting() == 0
    assert receiver.received == []
    assert WebhookDelivery.objects.get().message.attempts == 0
    rest_over()
    assert send_waiting() == 1


def test_after_days_of_failures_it_is_switched_off_and_the_owner_hears(
    webhook: Webhook, owner: User, order: VoucherOrder, receiver: Double
) -> None:
    receiver.answer = lambda _request: Answer(500)
    Webhook.objects.update(failing_since=timezone.now() - deliveries.SWITCH_OFF_AFTER, failures=70)
    lifecycle.mark_paid(order)
    send_waiting()
    assert not Webhook.objects.get().is_on
    notice = Notification.objects.get(recipient=owner)
    assert (notice.target_kind, notice.target_id, notice.text) == ("webhook", webhook.pk, "webhook_off")
    rest_over()
    send_waiting()
    assert WebhookDelivery.objects.get().message.state == State.FAILED
    endpoints.change(webhook, owner, is_on=True)
    receiver.answer = lambda _request: Answer()
    endpoints.send_again(webhook, WebhookDelivery.objects.get().pk, owner)
    assert send_waiting() == 1


def test_after_all_its_tries_a_delivery_is_a_failed_message(
    webhook: Webhook, order: VoucherOrder, receiver: Double
) -> None:
    receiver.answer = lambda _request: Answer(500)
    lifecycle.mark_paid(order)
    for _ in range(deliveries.MAX_TRIES + 1):
        rest_over()
        send_waiting()
    message = WebhookDelivery.objects.get().message
    assert (message.state, message.attempts) == (State.FAILED, deliveries.MAX_TRIES)
    assert len(receiver.received) == deliveries.MAX_TRIES


HOSTS = {
    "127.0.0.1": False,
    "localhost": False,
    "10.0.0.7": False,
    "172.16.5.5": False,
    "192.168.1.1": False,
    "169.254.169.254": False,
    "100.64.0.1": False,
    "0.0.0.0": False,
    "224.0.0.1": False,
    "255.255.255.255": False,
    "2130706433": False,
    "0x7f.1": False,
    "127.1": False,
    "::1": False,
    "::ffff:127.0.0.1": False,
    "::ffff:8.8.8.8": False,
    "fe80::1": False,
    "fc00::1": False,
    "2002:7f00:1::": False,
    "64:ff9b::7f00:1": False,
    "8.8.8.8": True,
    "2606:4700:4700::1111": True,
}


@pytest.mark.parametrize(("host", "is_public"), HOSTS.items(), ids=HOSTS)
def test_a_webhook_reaches_public_addresses_alone(settings: Settings, host: str, is_public: bool) -> None:
    settings.DEMO = False
    if is_public:
        assert public_addresses.resolve(host, seconds=5) == host
    else:
        with pytest.raises(public_addresses.Unreachable):
            public_addresses.resolve(host, seconds=5)


def test_a_name_that_leads_inside_later_is_not_connected_to(
    webhook: Webhook, order: VoucherOrder, receiver: Double, settings: Settings
) -> None:
    lifecycle.mark_paid(order)
    settings.DEMO = False
    Webhook.objects.update(url="https://localhost:8443/hook")
    assert send_waiting() == 0
    assert receiver.received == []
    assert "public internet" in WebhookDelivery.objects.get().message.last_error


def test_a_look_up_that_hangs_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def hang(*_arguments: object, **_options: object) -> list[object]:
        released.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with pytest.raises(public_addresses.Unreachable):
        public_addresses.resolve("slow.example", seconds=0.05)
    released.set()


def test_the_connection_goes_to_the_address_that_was_checked(
    webhook: Webhook, order: VoucherOrder, receiver: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name has no server: only the address that resolve returned leads to the receiver."""
    port = receiver.server_port
    Webhook.objects.update(url=f"http://shop.invalid:{port}/hook")
    monkeypatch.setattr(public_addresses, "_look_up", lambda _host, _seconds: ["127.0.0.1"])
    lifecycle.mark_paid(order)
    assert send_waiting() == 1
    assert receiver.received[0].headers["host"] == f"shop.invalid:{port}"


@pytest.mark.program("openssl", "apt-get install openssl")
@pytest.mark.parametrize(
    ("name", "authority", "is_delivered"),
    [("localhost", "its own", True), ("shop.invalid", "its own", False), ("localhost", "another", False)],
)
def test_a_certificate_is_checked_by_its_authority_and_by_the_name(
    webhook: Webhook,
    order: VoucherOrder,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    authority: str,
    is_delivered: bool,
) -> None:
    """The connection goes to an address; the certificate is good for it too, and that is not enough."""
    folders = {"its own": tmp_path / "own", "another": tmp_path / "another"}
    for folder in folders.values():
        folder.mkdir()
        make_certificate(folder)
    monkeypatch.setenv("SSL_CERT_FILE", str(folders[authority] / "fullchain.pem"))
    monkeypatch.setattr(outgoing_http, "_tls", httpx.create_ssl_context)
    monkeypatch.setattr(public_addresses, "_look_up", lambda _host, _seconds: ["127.0.0.1"])
    lifecycle.mark_paid(order)
    with http_double.serve(folders["its own"]) as receiver:
        Webhook.objects.update(url=f"https://{name}:{receiver.server_port}/hook")
        send_waiting()
        assert [verify(webhook.secret, one) for one in receiver.received] == [True] * is_delivered
    delivery = WebhookDelivery.objects.get()
    assert delivery.status == (200 if is_delivered else None)
    assert ("certificate verify failed" in delivery.message.last_error) != is_delivered


def test_a_repeated_event_is_one_delivery(webhook: Webhook, order: VoucherOrder) -> None:
    for _ in range(2):
        deliveries.publish([order], WebhookEvent.PAID)
    assert WebhookDelivery.objects.count() == 1


def test_a_removed_webhook_leaves_nothing_to_send(
    webhook: Webhook, owner: User, order: VoucherOrder, receiver: Double
) -> None:
    lifecycle.mark_paid(order)
    endpoints.remove(webhook, owner)
    assert send_waiting() == 0
    assert (receiver.received, WebhookDelivery.objects.count()) == ([], 0)


def test_an_address_that_is_allowed_no_longer_is_a_failure(
    webhook: Webhook, order: VoucherOrder, receiver: Double, settings: Settings
) -> None:
    lifecycle.mark_paid(order)
    settings.DEMO = False
    assert send_waiting() == 0
    assert receiver.received == []
    assert "https://" in WebhookDelivery.objects.get().message.last_error
    assert Webhook.objects.get().failing_since
