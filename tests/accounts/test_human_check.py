"""A widget before a log-in code: on the page and by the API, and its server when it is wrong or down."""

from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tests import http_double
from tests.accounts import sms_recorder
from tests.http_double import Answer, Double

PHONE = "13800000001"
pytestmark = pytest.mark.django_db


@pytest.fixture
def verifier(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    """The widget's server on loopback; the site demands its proofs."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with http_double.serve() as server:
        settings.HUMAN_CHECK, settings.HUMAN_CHECK_SITE_KEY = "turnstile", "site-key"
        settings.HUMAN_CHECK_SECRET, settings.HUMAN_CHECK_VERIFY_URL = "secret", server.url
        settings.SITE_URL = "https://savor.example"
        server.answer = lambda _request: Answer(body=b'{"success": true, "hostname": "savor.example"}')
        yield server


def test_without_the_setting_no_page_loads_a_widget(client: Client) -> None:
    page = client.get(reverse("accounts:login"))
    assert "challenges.cloudflare.com" not in page.headers["Content-Security-Policy"]
    assert "data-sitekey" not in page.content.decode()
    assert client.post(reverse("accounts:send_code"), {"phone": PHONE}).status_code == 200


def test_the_page_has_the_widget_and_may_load_it(client: Client, verifier: Double) -> None:
    page = client.get(reverse("accounts:login"))
    directives = page.headers["Content-Security-Policy"].split(";")
    policy = {name: sources for name, *sources in map(str.split, directives)}
    for directive in ("script-src", "frame-src"):
        assert {"'self'", "https://challenges.cloudflare.com"} <= set(policy[directive])
    content = page.content.decode()
    assert 'class="cf-turnstile" data-sitekey="site-key"' in content
    assert 'src="https://challenges.cloudflare.com/turnstile/v0/api.js"' in content


def test_a_good_proof_sends_a_code(client: Client, verifier: Double) -> None:
    fields = {"phone": PHONE, "cf-turnstile-response": "proof & more"}
    assert client.post(reverse("accounts:send_code"), fields).status_code == 200
    received = parse_qs(verifier.received[0].body.decode())
    assert received == {"secret": ["secret"], "response": ["proof & more"], "remoteip": ["127.0.0.1"]}
    body = {"phone": PHONE, "human_check": "proof"}
    assert client.post("/api/auth/code", body, content_type="application/json").status_code == 202
    assert len(sms_recorder.messages) == 2


@pytest.mark.parametrize(
    ("proof", "verdict"),
    [
        ("", b'{"success": true}'),
        ("x" * 5_000, b'{"success": true}'),
        ("proof", b'{"success": false, "error-codes": ["timeout-or-duplicate"]}'),
        ("proof", b'{"success": "true"}'),
        ("proof", b"[]"),
        ("proof", b'{"success": true, "hostname": "other.example"}'),
    ],
)
def test_a_bad_proof_sends_none(client: Client, verifier: Double, proof: str, verdict: bytes) -> None:
    verifier.answer = lambda _request: Answer(body=verdict)
    page = client.post(reverse("accounts:send_code"), {"phone": PHONE, "cf-turnstile-response": proof})
    assert page.status_code == 403
    assert "Please confirm first" in page.content.decode()
    assert not sms_recorder.messages


@pytest.mark.parametrize("answer", [Answer(500), Answer(200, b"<html>"), Answer(302)])
def test_without_an_answer_no_code_is_sent(client: Client, verifier: Double, answer: Answer) -> None:
    verifier.answer = lambda _request: answer
    body = {"phone": PHONE, "human_check": "proof"}
    refused = client.post("/api/auth/code", body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (503, "not_sent")
    assert not sms_recorder.messages


def test_the_api_refuses_who_has_no_proof(client: Client, verifier: Double) -> None:
    refused = client.post("/api/auth/code", {"phone": PHONE}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_human")
