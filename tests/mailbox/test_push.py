"""Notifications in browsers: what a local push service gets and a browser decrypts, whose, and what fails."""

import base64
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import jwt
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.mailbox import listing, notifications, push, vapid
from apps.mailbox.models import Notification, Preferences, PushSubscription
from apps.mailbox.notices import Delivery, Kind, Notice
from apps.outbox import sending
from apps.outbox.models import Channel, Message, State
from tests import http_double
from tests.coupons import buyers
from tests.factories import PushSubscriptionFactory, VoucherOrderFactory
from tests.http_double import Answer, Double

pytestmark = pytest.mark.django_db(transaction=True)


def encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)


@dataclass
class Browser:
    """A browser's keys; it decrypts by RFC 8291, written beside the library that encrypts."""

    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    secret: bytes = field(default_factory=lambda: os.urandom(16))

    @property
    def public(self) -> bytes:
        return self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def keys(self) -> dict[str, str]:
        return {"p256dh": encode(self.public), "secret": encode(self.secret)}

    def decrypt(self, body: bytes) -> dict[str, Any]:
        salt, length = body[:16], body[20]
        sender, ciphertext = body[21 : 21 + length], body[21 + length :]
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.private.exchange(ec.ECDH(), point)
        secret = derive(shared, self.secret, b"WebPush: info\0" + self.public + sender, 32)
        key = derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        text = AESGCM(key).decrypt(nonce, ciphertext, None)
        found: dict[str, Any] = json.loads(text.rstrip(b"\0").removesuffix(b"\2"))
        return found


@pytest.fixture
def service() -> Iterator[Double]:
    """A push service."""
    with http_double.serve() as server:
        yield server


@pytest.fixture(autouse=True)
def key(settings: Settings) -> vapid.Key:
    """The site has a key, and may send to this machine, as in the demo."""
    settings.VAPID_KEY = made = vapid.parse(vapid.make())
    settings.OPERATOR_EMAIL = "operator@savor.example"
    settings.DEMO = True
    return made


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture
def subscription(alice: User, service: Double, browser: Browser) -> PushSubscription:
    """Alice's browser."""
    return PushSubscriptionFactory.create(
        login__user=alice, endpoint=f"{service.url}/send/1", **browser.keys()
    )


def notify(user: User, kind: Kind = Kind.ORDER) -> None:
    with transaction.atomic():
        order = VoucherOrderFactory.create(user=user, paid=True)
        notice = Notice(recipient_id=user.pk, kind=kind, target_kind="order", target_id=order.pk, text="paid")
        notifications.notify(notice)


def pushes() -> list[Message]:
    return list(Message.objects.filter(channel=Channel.PUSH).order_by("pk"))


def send() -> int:
    """Send the waiting pushes, as a worker does."""
    return sending.send([message.key for message in pushes()])


def test_an_orders_change_is_decrypted_by_its_browser_alone(
    alice: User, subscription: PushSubscription, service: Double, browser: Browser, key: vapid.Key
) -> None:
    notify(alice)
    assert send() == 1
    [received] = service.received
    payload = browser.decrypt(received.body)
    number = Notification.objects.get().pk
    assert payload["url"] == f"/notifications/{number}/"
    assert payload["body"] == "Your order of Noodles for two is paid: show its code in the shop"
    with pytest.raises(InvalidTag):
        Browser().decrypt(received.body)
    assert received.headers["content-encoding"] == "aes128gcm"
    assert 0 < int(received.headers["ttl"]) <= 4 * 3_600
    scheme, token, public = received.headers["authorization"].replace(",", "").split()
    assert (scheme, public) == ("vapid", f"k={key.public_text}")
    claims = jwt.decode(token.removeprefix("t="), key.public_pem, algorithms=["ES256"], audience=service.url)
    assert claims["sub"] == "mailto:operator@savor.example"


def test_the_outbox_keeps_no_word_of_it(alice: User, subscription: PushSubscription) -> None:
    notify(alice)
    [message] = pushes()
    assert message.text == json.dumps(
        [alice.pk, "order", "order", VoucherOrderFactory._meta.model.objects.get().pk]
    )


def test_the_words_are_in_the_readers_language(
    alice: User, subscription: PushSubscription, service: Double, browser: Browser
) -> None:
    User.objects.filter(pk=alice.pk).update(language="zh-hans")
    notify(alice)
    send()
    payload = browser.decrypt(service.received[0].body)
    assert payload["lang"] == "zh-hans"
    assert "到店出示" in payload["body"]


@pytest.mark.parametrize(
    ("kind", "delivery", "count"),
    [
        (Kind.ORDER, None, 1),
        (Kind.SALE, Delivery.SITE, 1),
        (Kind.CHAT, None, 1),
        (Kind.ORDER, Delivery.OFF, 0),
        (Kind.REPORT, None, 0),
    ],
)
def test_preferences_decide(
    alice: User, subscription: PushSubscription, kind: Kind, delivery: Delivery | None, count: int
) -> None:
    if delivery is not None:
        Preferences.objects.choose(alice.pk, {kind.value: delivery.value})
    notify(alice, kind)
    assert len(pushes()) == count


def test_quiet_hours_put_it_off_and_drop_what_is_over_by_then(
    alice: User, subscription: PushSubscription
) -> None:
    hour = timezone.localtime().hour
    Preferences.objects.choose(alice.pk, {}, quiet_from=hour, quiet_until=(hour + 3) % 24)
    notify(alice)
    [message] = pushes()
    assert message.next_try_at > timezone.now() + timedelta(minutes=59)
    assert message.until
    assert message.until > message.next_try_at
    assert send() == 0


def test_what_was_read_or_taken_back_until_then_is_not_sent(
    alice: User, subscription: PushSubscription, service: Double
) -> None:
    notify(alice)
    listing.mark_all_read(alice.pk)
    send()
    notify(alice)
    Notification.objects.all().delete()
    send()
    assert service.received == []


def end_log_in(subscription: PushSubscription) -> None:
    tokens.revoke(AccessToken.objects.filter(pk=subscription.login_id))


def suspend(subscription: PushSubscription) -> None:
    User.objects.filter(pk=subscription.login.user_id).update(is_active=False)


@pytest.mark.parametrize("end", [end_log_in, suspend])
def test_a_log_out_ends_it_also_for_what_waits(
    alice: User,
    subscription: PushSubscription,
    service: Double,
    end: Callable[[PushSubscription], None],
) -> None:
    notify(alice)
    end(subscription)
    send()
    notify(alice)
    assert service.received == []
    assert len(pushes()) == 1


def test_an_erased_log_in_takes_its_browsers_along(subscription: PushSubscription) -> None:
    AccessToken.objects.filter(pk=subscription.login_id).delete()
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_gone_is_forgotten(
    alice: User, subscription: PushSubscription, service: Double, status: int
) -> None:
    service.answer = lambda _request: Answer(status)
    notify(alice)
    send()
    assert not PushSubscription.objects.exists()
    assert not Message.objects.failed().exists()
    notify(alice)
    assert len(pushes()) == 1


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Answer(500), State.WAITING),
        (Answer(429), State.WAITING),
        (Answer(silent=True), State.WAITING),
        (Answer(drip=True), State.WAITING),
        (Answer(413), State.FAILED),
        (Answer(302, headers={"Location": "http://127.0.0.1:1/"}), State.FAILED),
    ],
)
def test_a_service_in_trouble_is_tried_again_and_a_refusal_is_final(
    alice: User,
    subscription: PushSubscription,
    service: Double,
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
    state: State,
) -> None:
    monkeypatch.setattr(push, "EXCHANGE_SECONDS", 0.5)
    service.answer = lambda _request: answer
    notify(alice)
    assert send() == 0
    [message] = pushes()
    assert message.state == state
    assert message.last_error
    assert PushSubscription.objects.exists()
    assert len(service.received) == 1


def test_a_service_that_comes_back_gets_it(
    alice: User, subscription: PushSubscription, service: Double, browser: Browser
) -> None:
    there = subscription.endpoint
    PushSubscription.objects.update(endpoint="http://127.0.0.1:1/away")
    notify(alice)
    assert send() == 0
    PushSubscription.objects.update(endpoint=there)
    Message.objects.update(next_try_at=timezone.now())
    assert send() == 1
    assert browser.decrypt(service.received[0].body)["tag"].startswith("order:")


def test_a_name_that_points_into_the_sites_network_is_never_reached(
    alice: User, subscription: PushSubscription, service: Double, settings: Settings
) -> None:
    notify(alice)
    settings.DEMO = False
    PushSubscription.objects.update(endpoint="https://127.0.0.1:443/send")
    assert send() == 0
    assert service.received == []


def subscribe(client: Client, **fields: str) -> int:
    return client.post("/notifications/push/", fields).status_code


def test_a_browser_subscribes_and_ends_it(alice: User, service: Double, browser: Browser) -> None:
    client, endpoint = buyers.browser_client(alice), f"{service.url}/send/7"
    for _ in range(2):
        assert subscribe(client, endpoint=endpoint, **browser.keys()) == 204
    assert PushSubscription.objects.live().get().login.user == alice
    assert client.post("/notifications/push/end/", {"endpoint": endpoint}).status_code == 204
    assert not PushSubscription.objects.exists()


def test_the_next_person_in_the_browser_takes_it_over(
    alice: User, bob: User, service: Double, browser: Browser
) -> None:
    fields = {"endpoint": f"{service.url}/send/7"} | browser.keys()
    for person in (alice, bob):
        assert subscribe(buyers.browser_client(person), **fields) == 204
    assert PushSubscription.objects.get().login.user == bob
    # What is another's is not ended.
    buyers.browser_client(alice).post("/notifications/push/end/", {"endpoint": fields["endpoint"]})
    assert PushSubscription.objects.exists()


def test_a_log_in_keeps_a_few(alice: User, service: Double, browser: Browser) -> None:
    client = buyers.browser_client(alice)
    for number in range(7):
        assert subscribe(client, endpoint=f"{service.url}/{number}", **browser.keys()) == 204
    kept = PushSubscription.objects.order_by("pk").values_list("endpoint", flat=True)
    assert list(kept) == [f"{service.url}/{number}" for number in range(2, 7)]


@pytest.mark.parametrize(
    "fields",
    [
        {"endpoint": ""},
        {"endpoint": "https://10.0.0.7/send"},
        {"endpoint": "http://push.example/send"},
        {"endpoint": "https://127.0.0.1:6379/"},
        {"endpoint": "javascript:alert(1)"},
        {"endpoint": "https://push.example/" + "x" * 600},
        {"endpoint": "https://push.example/\0"},
        {"p256dh": "short"},
        {"p256dh": "é" * 87},
        {"p256dh": encode(b"\4" + b"\1" * 64)},
        {"secret": encode(b"x" * 15)},
        {"secret": ""},
    ],
)
def test_addresses_and_keys_that_are_none_are_refused(
    alice: User, browser: Browser, settings: Settings, monkeypatch: pytest.MonkeyPatch, fields: dict[str, str]
) -> None:
    settings.DEMO = False
    if "endpoint" not in fields:
        monkeypatch.setattr("apps.web.public_addresses._look_up", lambda _host, _seconds: ["93.184.216.34"])
    sent = {"endpoint": "https://push.example/send"} | browser.keys() | fields
    assert subscribe(buyers.browser_client(alice), **sent) == 422
    assert not PushSubscription.objects.exists()


def test_without_a_key_nothing_is_offered_asked_or_sent(
    alice: User,
    subscription: PushSubscription,
    browser: Browser,
    settings: Settings,
) -> None:
    client = buyers.browser_client(alice)
    assert "data-push" in client.get("/notifications/preferences/").content.decode()
    settings.VAPID_KEY = None
    assert "data-push" not in client.get("/notifications/preferences/").content.decode()
    assert subscribe(client, endpoint=subscription.endpoint, **browser.keys()) == 404
    notify(alice)
    assert pushes() == []


def test_many_recipients_cost_one_query_more(
    alice: User,
    bob: User,
    subscription: PushSubscription,
    settings: Settings,
    django_assert_max_num_queries: Any,
) -> None:
    PushSubscriptionFactory.create(login__user=bob)
    orders = [VoucherOrderFactory.create(user=person, paid=True) for person in (alice, bob)]
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        notifications.notify(
            *(
                Notice(recipient_id=order.user_id, kind=Kind.ORDER, target_kind="order", target_id=order.pk)
                for order in orders
            )
        )
    assert sum("mailbox_pushsubscription" in query["sql"] for query in queries.captured_queries) == 1
    assert {message.to for message in pushes()} == {str(one.pk) for one in PushSubscription.objects.all()}


def test_the_command_makes_keys_that_the_settings_take(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("make_vapid_key")
    name, _, value = capsys.readouterr().out.strip().partition("=")
    assert name == "VAPID_PRIVATE_KEY"
    assert len(base64.urlsafe_b64decode(vapid.parse(value).public_text + "=")) == 65


def test_a_key_of_the_rfc_is_read_as_it_is_written() -> None:
    # RFC 8291, section 5: the application server's keys.
    private = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    public = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    assert vapid.parse(private).public_text == public
