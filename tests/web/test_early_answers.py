"""Who may not send a file is answered before it is read: strangers, wrong methods, people without a right."""

import asyncio
import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.front.wsgi_bridge import MAX_UNASKED_BYTES, WsgiBridge
from apps.redis_kit import client as redis_client
from apps.web.body_limits import FILE_PAGES, IMPORTS, max_body_bytes
from tests import asgi_client
from tests.checks.sources import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
MEGABYTE = 1024 * 1024
#: It takes larger files than other forms.
IMPORT, IMPORT_FORM = "/admin/shops/shop/import/", "admin/imports/upload.html"
#: The templates of forms with files, and where each sends them.
FORMS = {
    "accounts/edit.html": ["/me/edit/"],
    "accounts/welcome.html": ["/welcome/"],
    "admin/coupons/new_flash_sale.html": ["/admin/coupons/flashsale/new-flash-sale/"],
    "blog/compose.html": ["/notes/new/", "/notes/1/edit/", "/notes/photos/"],
    "chat/_composer.html": ["/chats/1/messages/"],
    "coupons/_counter_entry.html": ["/redeem/scan/"],
    "shops/claim.html": ["/shops/1/claim/", "/shops/propose/"],
    "shops/edit.html": ["/shops/1/photos/add/"],
}
#: Forms that Django's admin makes.
ADMIN_FORMS = ["/admin/ads/ad/add/", "/admin/shops/shop/1/change/", "/admin/accounts/user/1/change/"]
PAGES = [path for paths in FORMS.values() for path in paths]
EVERY = [*PAGES, *ADMIN_FORMS, IMPORT, *sorted(settings.API_UPLOAD_PATHS)]
REFUSALS = {301, 302, 303, 401, 403, 404, 405}
FORGED = "csrftoken=" + "a" * 32 + "; sessionid=" + "b" * 32


def ask(path: str, *, method: str = "POST", cookie: str = "", bearer: str = "") -> int | None:
    """The status of the answer to a head that announces a long body; None when the body is waited for."""
    headers = {
        "host": "testserver",
        "content-type": "multipart/form-data; boundary=x",
        "content-length": str(MAX_UNASKED_BYTES + 1),
        "sec-fetch-site": "same-origin",
        "cookie": cookie,
        "authorization": f"Bearer {bearer}" if bearer else "",
    }
    given = [(name, value) for name, value in headers.items() if value]
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    async def run() -> None:
        bridge = WsgiBridge(WSGIHandler(), threads=1, max_body_bytes=max_body_bytes)
        await bridge(asgi_client._build_scope(method, path, "", given), receive, send)
        await redis_client.aclose_all()

    asyncio.run(run())
    return int(said[0]["status"]) if said else None


def log_in(person: User) -> str:
    return f"savor_token={tokens.issue(person, kind=AccessToken.Kind.PAGE)}"


def session_of(person: User) -> str:
    """The cookies of a session of the admin, with the token that a form would have."""
    browser = Client()
    browser.force_login(person)
    browser.get("/admin/")
    return "; ".join(f"{name}={browser.cookies[name].value}" for name in browser.cookies)


@pytest.mark.parametrize("cookie", ["", FORGED], ids=["no cookie", "forged cookies"])
@pytest.mark.parametrize("path", EVERY)
def test_a_strangers_file_is_refused_by_its_head(path: str, cookie: str) -> None:
    assert ask(path, cookie=cookie) in REFUSALS


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "BREW"])
@pytest.mark.parametrize("path", EVERY)
def test_another_method_is_refused_by_its_head(path: str, method: str, manager: User) -> None:
    cookie = session_of(manager) if path.startswith("/admin/") else log_in(manager)
    assert ask(path, method=method, cookie=cookie) in REFUSALS


def test_who_may_not_import_is_refused_by_the_head(alice: User, manager: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    alice.refresh_from_db()
    alice.user_permissions.add(Permission.objects.get(codename="view_shop"))
    assert ask(IMPORT, cookie=session_of(alice)) == 403
    assert ask(IMPORT, cookie=log_in(manager)) in REFUSALS, "a person's log-in opens no admin"
    assert ask("/redeem/scan/", cookie=log_in(alice)) in REFUSALS


def test_who_may_send_a_file_is_waited_for(alice: User, manager: User) -> None:
    assert ask(IMPORT, cookie=session_of(manager)) is None
    assert ask("/me/edit/", cookie=log_in(alice)) is None
    assert ask("/api/photos", bearer=tokens.issue(alice, kind=AccessToken.Kind.API)) is None


def test_every_form_with_files_is_known() -> None:
    """A new one is a line here and in FILE_PAGES."""
    found = {
        str(path.relative_to(ROOT / "templates"))
        for path in (ROOT / "templates").rglob("*.html")
        if "multipart/form-data" in path.read_text()
    }
    assert found == {*FORMS, IMPORT_FORM}
    assert {max_body_bytes(path) for path in PAGES + ADMIN_FORMS} == {settings.MAX_BODY_BYTES}


def test_other_forms_take_little() -> None:
    others = [
        "/",
        "/login/",
        "/notes/1/comments/",
        "/shops/1/edit/",
        "/admin/",
        "/admin/login/",
        "/me/phone/",
    ]
    assert {max_body_bytes(path) for path in others} == {settings.MAX_FORM_BYTES}


def test_nginx_has_the_same_limits() -> None:
    text = (ROOT / "deploy/nginx.conf").read_text()
    places = dict(re.findall(r"location ~ (\S+) \{\n +client_max_body_size (\w+);", text))
    uploads = "^/api/(photos|me/avatar|chat-pictures)$"
    assert places == {FILE_PAGES: "12m", IMPORTS: "64m", uploads: "12m"}
    assert {path for path in settings.API_UPLOAD_PATHS if not re.search(uploads, path)} == set()
    assert settings.MAX_BODY_BYTES == 12 * MEGABYTE
    assert settings.MAX_IMPORT_BYTES == 64 * MEGABYTE
    assert settings.MAX_FORM_BYTES == MEGABYTE
    assert re.findall(r"^ {8}client_max_body_size (\w+);", text, re.MULTILINE) == ["1m"]
