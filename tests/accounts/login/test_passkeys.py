"""Passkeys, signed by a device written here, and by Chromium's own in one journey."""

import hashlib
import json
import secrets
from base64 import urlsafe_b64encode
from dataclasses import replace
from datetime import timedelta
from typing import Any

import cbor2
import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from apps.accounts import limits
from apps.accounts.deletion import own_data
from apps.accounts.login import passkeys
from apps.accounts.models import AccessToken, Passkey, User
from apps.accounts.sessions import cookies
from apps.outbox.models import Message
from apps.redis_kit import client as redis_client
from tests import chromium_pages
from tests.coupons import buyers
from tests.page_opening import open_page

pytestmark = pytest.mark.django_db(transaction=True)

HOST = "savor.example"
ORIGIN = f"http://{HOST}"


def encode(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


class Device:
    """An authenticator with one passkey; each attribute may be bent before it answers."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(32)
        self.origin, self.rp_id, self.sign_count, self.user_handle = ORIGIN, HOST, 0, ""
        #: User present, user verified.
        self.flags = 0x01 | 0x04

    def create(self, options: dict[str, Any]) -> str:
        self.user_handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        cose = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cose
        data = self._head(self.flags | 0x40) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        said = self._client_data("webauthn.create", options)
        return self._answer(clientDataJSON=said, attestationObject=attestation)

    def get(self, options: dict[str, Any]) -> str:
        self.sign_count += 1
        said, data = self._client_data("webauthn.get", options), self._head(self.flags)
        signature = self.key.sign(data + hashlib.sha256(said).digest(), ec.ECDSA(SHA256()))
        return self._answer(clientDataJSON=said, authenticatorData=data, signature=signature)

    def _head(self, flags: int) -> bytes:
        hashed = hashlib.sha256(self.rp_id.encode()).digest()
        return hashed + bytes([flags]) + self.sign_count.to_bytes(4, "big")

    def _client_data(self, kind: str, options: dict[str, Any]) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _answer(self, **parts: bytes) -> str:
        response = {name: encode(part) for name, part in parts.items()} | {"userHandle": self.user_handle}
        named = {"id": encode(self.id), "rawId": encode(self.id), "type": "public-key"}
        return json.dumps(named | {"response": response, "clientExtensionResults": {}})


@pytest.fixture(autouse=True)
def passkeys_on(settings: Settings) -> None:
    settings.LOGIN_PASSKEYS = True
    settings.ALLOWED_HOSTS = [HOST, "other.example", "127.0.0.1", "localhost"]


def browser(user: User | None = None) -> Client:
    opened = buyers.browser_client(user) if user else Client()
    opened.defaults["HTTP_HOST"] = HOST
    return opened


def ask(client: Client, path: str) -> dict[str, Any]:
    answer = client.post(path)
    assert answer.status_code == 200, answer.content
    options: dict[str, Any] = answer.json()
    return options


def add(user: User, device: Device) -> Any:
    client = browser(user)
    options = ask(client, "/me/passkeys/options/")
    return client.post("/me/passkeys/", {"credential": device.create(options)})


def log_in(device: Device, client: Client | None = None, **fields: str) -> Any:
    client = client or browser()
    options = ask(client, "/login/passkey/options/")
    return client.post("/login/passkey/", {"credential": device.get(options)} | fields)


def is_refused(response: Any) -> bool:
    """Whether the page says so and nobody is logged in: for every reason the same."""
    page = response.content.decode()
    is_out = cookies.TOKEN_COOKIE not in response.cookies
    return response.status_code == 400 and "This passkey doesn&#x27;t work here" in page and is_out


@pytest.fixture
def device(alice: User) -> Device:
    """A device with a passkey of Alice's."""
    made = Device()
    assert add(alice, made).status_code == 302
    return made


@pytest.mark.both_databases
def test_a_passkey_is_added_and_logs_in(alice: User, device: Device) -> None:
    done = log_in(device, next="/me/passkeys/")
    assert (done.status_code, done["Location"]) == (302, "/me/passkeys/")
    row = Passkey.objects.get(user=alice)
    assert (row.sign_count, row.last_used_at is not None) == (1, True)
    assert AccessToken.objects.log_ins().filter(user=alice).count() == 2
    assert "not used yet" not in browser(alice).get("/me/passkeys/").content.decode()


def test_the_person_hears_of_a_new_passkey_by_text_message(alice: User, device: Device) -> None:
    assert "new passkey" in Message.objects.get(to=alice.phone).text


def test_options_name_the_host_and_no_phone(alice: User, device: Device) -> None:
    options = ask(browser(alice), "/me/passkeys/options/")
    assert options["rp"]["id"] == HOST
    assert alice.phone not in json.dumps(options)
    assert [one["id"] for one in options["excludeCredentials"]] == [encode(device.id)]
    assert ask(browser(), "/login/passkey/options/")["allowCredentials"] == []


def test_an_answer_for_another_origin_is_refused(alice: User, device: Device) -> None:
    device.origin = "http://savor.example.evil.example"
    assert is_refused(log_in(device))
    new = Device()
    new.origin = "http://other.example"
    assert is_refused(add(alice, new))


def test_an_answer_for_another_host_of_the_site_is_refused(device: Device) -> None:
    device.rp_id = "other.example"
    assert is_refused(log_in(device))


def test_a_challenge_is_answered_once(device: Device) -> None:
    client = browser()
    answer = {"credential": device.get(ask(client, "/login/passkey/options/"))}
    assert client.post("/login/passkey/", answer).status_code == 302
    client.cookies.pop(cookies.TOKEN_COOKIE)
    assert is_refused(client.post("/login/passkey/", answer))


def test_a_refused_answer_uses_its_challenge_up(device: Device) -> None:
    client = browser()
    options = ask(client, "/login/passkey/options/")
    assert is_refused(client.post("/login/passkey/", {"credential": "{}"}))
    assert is_refused(client.post("/login/passkey/", {"credential": device.get(options)}))


def test_a_challenge_is_good_in_its_own_browser_alone(device: Device) -> None:
    options = ask(browser(), "/login/passkey/options/")
    other = browser()
    ask(other, "/login/passkey/options/")
    assert is_refused(other.post("/login/passkey/", {"credential": device.get(options)}))
    assert is_refused(browser().post("/login/passkey/", {"credential": device.get(options)}))


def test_a_challenge_of_adding_is_good_in_its_own_log_in_alone(alice: User, bob: User) -> None:
    options = ask(browser(alice), "/me/passkeys/options/")
    assert is_refused(browser(bob).post("/me/passkeys/", {"credential": Device().create(options)}))
    assert not Passkey.objects.exists()


def test_a_challenge_ends(device: Device) -> None:
    client = browser()
    options = ask(client, "/login/passkey/options/")
    (key,) = redis_client.get().keys("*passkey:*")
    left = redis_client.get().ttl(key)
    assert 0 < left <= passkeys.CHALLENGE_TTL.total_seconds()
    # Its browser forgets who asked at the same time.
    with time_machine.travel(timezone.now() + passkeys.CHALLENGE_TTL + timedelta(seconds=2)):
        assert is_refused(client.post("/login/passkey/", {"credential": device.get(options)}))


def test_a_passkey_opens_its_own_account_alone(alice: User, bob: User, device: Device) -> None:
    foreign = Device()
    assert add(bob, foreign).status_code == 302
    # Bob's device claims to be Alice's: by her handle, then by the id of her passkey.
    foreign.user_handle = device.user_handle
    assert is_refused(log_in(foreign))
    foreign.id = device.id
    assert is_refused(log_in(foreign))


def test_an_unknown_passkey_hears_what_a_wrong_one_hears(device: Device) -> None:
    stranger = Device()
    assert is_refused(log_in(stranger))


def test_a_passkey_that_is_known_already_is_refused(bob: User, device: Device) -> None:
    assert is_refused(add(bob, device))
    assert Passkey.objects.count() == 1


def test_a_counter_that_went_back_is_refused(device: Device) -> None:
    device.sign_count = 5
    assert log_in(device).status_code == 302
    device.sign_count = 3
    assert is_refused(log_in(device))


def test_a_device_that_verifies_nobody_is_refused(alice: User, device: Device) -> None:
    device.flags = 0x01
    assert is_refused(log_in(device))
    new = Device()
    new.flags = 0x01
    assert is_refused(add(alice, new))


ODD = [
    "",
    "null",
    "[]",
    "{",
    "[" * 10_000,
    '{"id": 1}',
    '{"id": "' + "A" * 2_000 + '"}',
    json.dumps({"id": "飞天\u202e😀", "response": {}}),
    json.dumps({"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": []}),
    json.dumps({"id": "AAAA\u0000", "response": {"userHandle": "\u0000"}}),
    " " * 40_000 + "{}",
]


@pytest.mark.both_databases
@pytest.mark.parametrize("credential", ODD)
def test_odd_answers_are_refused(alice: User, credential: str) -> None:
    client = browser(alice)
    ask(client, "/me/passkeys/options/")
    ask(client, "/login/passkey/options/")
    assert is_refused(client.post("/me/passkeys/", {"credential": credential}))
    assert is_refused(client.post("/login/passkey/", {"credential": credential}))


@pytest.mark.parametrize("part", ["clientDataJSON", "authenticatorData", "signature"])
@pytest.mark.parametrize("bent", ["", "AAAA", "飞天", "A" * 10_000, 7, None])
def test_odd_parts_of_a_known_passkey_are_refused(device: Device, part: str, bent: object) -> None:
    client = browser()
    answer = json.loads(device.get(ask(client, "/login/passkey/options/")))
    answer["response"][part] = bent
    assert is_refused(client.post("/login/passkey/", {"credential": json.dumps(answer)}))


def test_a_nul_is_refused(alice: User) -> None:
    assert browser(alice).post("/me/passkeys/", {"credential": "\x00"}).status_code == 422
    assert browser().post("/login/passkey/", {"credential": "\x00"}).status_code == 422


def test_without_the_setting_there_are_no_passkeys(alice: User, device: Device, settings: Settings) -> None:
    assert "/login/passkey/" in browser().get("/login/").content.decode()
    assert "/me/passkeys/" in browser(alice).get("/me/").content.decode()
    (row,) = Passkey.objects.all()
    settings.LOGIN_PASSKEYS = False
    assert "passkey" not in browser().get("/login/").content.decode()
    assert "passkey" not in browser(alice).get("/me/").content.decode()
    for path in ("/login/passkey/options/", "/login/passkey/", "/me/passkeys/options/", "/me/passkeys/"):
        assert browser(alice).post(path).status_code == 404
    assert browser(alice).post(f"/me/passkeys/{row.pk}/remove/").status_code == 404


def test_no_passkey_is_offered_at_an_address_without_a_name(alice: User) -> None:
    client = browser(alice)
    client.defaults["HTTP_HOST"] = "127.0.0.1:8000"
    assert "data-passkey" not in client.get("/me/passkeys/").content.decode()
    assert "data-passkey" not in Client(headers={"host": "127.0.0.1"}).get("/login/").content.decode()


def test_a_passkey_is_removed_by_its_person_alone(alice: User, bob: User, device: Device) -> None:
    path = f"/me/passkeys/{Passkey.objects.get().pk}/remove/"
    assert browser(bob).post(path).status_code == 404
    assert "Remove this passkey?" in browser(alice).get(path).content.decode()
    assert browser(alice).post(path).status_code == 302
    assert is_refused(log_in(device))


def test_nobody_has_passkeys_without_end(
    alice: User, monkeypatch: pytest.MonkeyPatch, device: Device
) -> None:
    client = browser(alice)
    options = ask(client, "/me/passkeys/options/")
    monkeypatch.setattr(passkeys, "MAX_PASSKEYS", 1)
    assert client.post("/me/passkeys/options/").json()["code"] == "too_many_passkeys"
    assert client.post("/me/passkeys/", {"credential": Device().create(options)}).status_code == 409
    assert Passkey.objects.count() == 1


def test_begun_log_ins_and_additions_are_limited(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CHECK_BY_SITE", "PASSKEYS"):
        monkeypatch.setattr(limits, name, replace(getattr(limits, name), allowed=1))
    for client, path in ((browser(), "/login/passkey/options/"), (browser(alice), "/me/passkeys/options/")):
        ask(client, path)
        refused = client.post(path)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
        assert "Retry-After" in refused.headers


def test_a_closed_account_stays_closed(alice: User, device: Device) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    refused = log_in(device)
    assert (refused.status_code, "This account is closed." in refused.content.decode()) == (403, True)
    assert cookies.TOKEN_COOKIE not in refused.cookies


def test_passkeys_are_in_ones_data_and_go_with_the_account(alice: User, device: Device) -> None:
    (exported,) = own_data.export(alice.pk)["passkeys"]
    assert exported.keys() == {"device", "created_at", "last_used_at"}
    own_data.purge(alice.pk)
    assert not Passkey.objects.exists()


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_a_passkey_is_added_used_and_removed_in_a_browser(
    page_at: chromium_pages.PageAt, live_server: LiveServer, alice: User, width: int
) -> None:
    page = page_at(width)
    # Browsers make passkeys for names alone.
    site = live_server.url.replace("127.0.0.1", "localhost")
    tool = page.context.new_cdp_session(page)
    tool.send("WebAuthn.enable")
    virtual = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    tool.send("WebAuthn.addVirtualAuthenticator", {"options": virtual})
    page.goto(f"{site}/healthz")
    open_page(page, alice, f"{site}/me/passkeys/")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_text("not used yet")).to_be_visible()
    page.goto(f"{site}/me/")
    page.get_by_role("button", name="Log out", exact=True).click()
    page.goto(f"{site}/login/?next=/me/passkeys/")
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_role("heading", name="Passkeys")).to_be_visible()
    expect(page.get_by_text("not used yet")).to_have_count(0)
    assert chromium_pages.horizontal_overflow(page) == 0
    page.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("That passkey opens your account no more.")).to_be_visible()
    assert not Passkey.objects.exists()
