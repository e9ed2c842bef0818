"""Pages of other sites read the API where API_ORIGINS names them, whoever answers; without it nobody does."""

import json

import pytest
from django.conf import settings as site_settings
from django.core.wsgi import get_wsgi_application
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from apps.front.origin import api_origin_headers
from apps.front.route import Message
from apps.monitoring.route import HealthRoute
from apps.siteconfig.maintenance.gate import MaintenanceGate
from apps.siteconfig.maintenance.switch import Announcement, switch
from tests.asgi_client import AsgiResponse
from tests.front.documents.site import behind
from tests.protocol_client import Connection

APP, OTHER = "https://app.example", "https://evil.example"
CROSS = {"sec-fetch-site": "cross-site"}


@pytest.fixture
def allowed(settings: Settings) -> Client:
    """A site whose API pages of one other site may read."""
    settings.API_ORIGINS = settings.CORS_ALLOWED_ORIGINS = [APP]
    middleware = "apps.web.cross_origin.ApiOriginsMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE[:2], middleware, *settings.MIDDLEWARE[2:]]
    return Client()


def test_it_is_off_by_default(client: Client) -> None:
    assert site_settings.API_ORIGINS == []
    answer = client.get("/api/shop-types", headers={"Origin": APP})
    assert "access-control-allow-origin" not in answer
    assert "origin" not in answer.get("Vary", "").lower()


@pytest.mark.django_db
def test_a_named_site_reads_the_api_and_no_other(allowed: Client) -> None:
    answer = allowed.get("/api/shop-types", headers={"Origin": APP})
    assert answer["access-control-allow-origin"] == APP
    assert "access-control-allow-credentials" not in answer
    assert "Retry-After" in answer["access-control-expose-headers"]
    assert "access-control-allow-origin" not in allowed.get("/api/shop-types", headers={"Origin": OTHER})
    assert "access-control-allow-origin" not in allowed.get("/", headers={"Origin": APP})


def test_a_browser_may_ask_before_it_sends(allowed: Client) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answer = allowed.options("/api/vouchers/1/seckill", headers={"Origin": APP, **asked})
    assert answer.status_code == 200
    assert "POST" in answer["access-control-allow-methods"]
    assert "authorization" in answer["access-control-allow-headers"]
    assert "access-control-allow-origin" not in allowed.options(
        "/api/vouchers/1/seckill", headers={"Origin": OTHER, **asked}
    )


@pytest.mark.django_db
@pytest.mark.parametrize(("origin", "is_allowed"), [(APP, True), (OTHER, False)])
def test_a_named_site_may_log_in_and_brings_no_cookie(allowed: Client, origin: str, is_allowed: bool) -> None:
    body = json.dumps({"phone": "13800000077"})
    headers = {"Origin": origin} | CROSS

    def post(**more: str) -> int:
        return allowed.post("/api/auth/code", body, "application/json", headers=headers | more).status_code

    assert (post() != 403) is is_allowed
    assert post(Cookie="a=b") == 403


@pytest.mark.parametrize(("origin", "is_allowed"), [(APP, True), (OTHER, False)])
async def test_the_event_loop_says_so_too(settings: Settings, origin: str, is_allowed: bool) -> None:
    settings.API_ORIGINS = [APP]
    fields = {b"origin": origin.encode()}
    found = api_origin_headers(b"/api/me/page", fields)
    assert ((b"access-control-allow-origin", origin.encode()) in found) is is_allowed
    assert (b"vary", b"origin") in found
    assert api_origin_headers(b"/sales/", fields) == []

    class ApiRoute(HealthRoute):
        """Answers an address of the API without Django."""

        def read(self, message: Message) -> bool | None:
            return super().read(message._replace(target=b"/healthz"))

    connection = Connection(ApiRoute())
    connection.send(b"GET /api/x HTTP/1.1\r\nHost: testserver\r\nOrigin: %b\r\n\r\n" % origin.encode())
    head = connection.transport.written.partition(b"\r\n\r\n")[0]
    assert (b"access-control-allow-origin" in head) is is_allowed


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("origin", "is_allowed"), [(APP, True), (OTHER, False)])
async def test_a_named_site_reads_that_the_site_is_closed(
    allowed: Client, monkeypatch: pytest.MonkeyPatch, origin: str, is_allowed: bool
) -> None:
    """By the gate of the event loop; where a browser asks first, Django says that it may send."""
    monkeypatch.setattr(switch, "closed", Announcement(since=timezone.now(), text_en="Back soon."))
    gate = MaintenanceGate(get_wsgi_application())

    async def ask(method: str, *more: str) -> AsgiResponse:
        head = [f"{method} /api/shops HTTP/1.1", "Host: testserver", f"Origin: {origin}", *more, "", ""]
        connection = Connection(HealthRoute(), application=behind, gate=gate)
        return await connection.answer("\r\n".join(head).encode())

    refused = await ask("GET")
    assert refused.status == 503
    assert "retry-after" in refused.headers
    assert (refused.headers.get("access-control-allow-origin") == APP) is is_allowed
    asked = await ask("OPTIONS", "Access-Control-Request-Method: GET")
    assert (asked.body == "behind") is is_allowed
