"""A second factor guards permissions in the admin, on pages and by the API; a code is good for hours."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib import admin
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django.fixtures import Settings

from apps.accounts import auth, second_factor
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies, tokens
from config.api import api
from tests.accounts.login.test_second_factor import PAGE, PASSWORD, current_code
from tests.factories import CommentFactory, NoteFactory

pytestmark = pytest.mark.django_db(transaction=True)
SITE_PAGE = "/me/second-factor/"
#: What ends the log-in, what only the deleter may restore, and what is slow and for everybody.
NOT_WALKED = re.compile("logout|sessions|/restore|/search|/suggest|^/patterns|^/live")
LATER = second_factor.PROOF_AGE + timedelta(minutes=1)
SITE_ADDRESSES = {
    "/redeem/",
    "/redeem/scan/",
    "/lens/",
    "/comments/{comment_id}/delete/",
    "/shops/{shop_id}/people/",
}


def set_up(user: User) -> None:
    second_factor.begin(user)
    second_factor.confirm(user, current_code(user))
    allow_next_code()


def allow_next_code() -> None:
    """Let the code before count again, and no wrong one slow the next down."""
    TOTPDevice.objects.update(last_t=-1, throttling_failure_count=0, throttling_failure_timestamp=None)


def site_browser(user: User) -> Client:
    """A browser that is logged in to the site by a code sent to the phone."""
    return Client(
        headers={"Cookie": f"{cookies.TOKEN_COOKIE}={tokens.issue(user, kind=AccessToken.Kind.PAGE)}"}
    )


def program(user: User) -> Client:
    return Client(headers={"Authorization": f"Bearer {tokens.issue(user, kind=AccessToken.Kind.API)}"})


def site_paths(resolver: URLResolver | None = None, prefix: str = "/") -> Iterator[str]:
    """The addresses of the site but for the admin's and the API's, with {names} in them."""
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(entry.pattern)).removeprefix("^")
        if isinstance(entry, URLResolver):
            yield from site_paths(entry, path)
        elif isinstance(entry, URLPattern) and not path.startswith(("/admin/", "/api/")):
            yield path


@pytest.fixture
def ids(alice: User) -> Any:
    """What stands for each {name} of an address: rows that only staff may touch, and 1 for all others."""
    comment = CommentFactory.create(note=NoteFactory.create(author=alice), author=alice)
    return {"shop_id": comment.note.shop_id, "comment_id": comment.pk}


def fill(path: str, ids: dict[str, int]) -> str:
    return re.sub(r"\{(\w+)\}", lambda name: str(ids.get(name[1], 1)), path)


def answers(browser: Client, asked: list[tuple[str, str]], ids: dict[str, int]) -> list[Any]:
    browser.raise_request_exception = False
    return [browser.generic(method, fill(path, ids)) for method, path in asked]


def find_staff_only(staff: Any, stranger: Any) -> set[int]:
    """The places of answers that staff get and strangers are refused."""
    pairs = enumerate(zip(staff, stranger, strict=True))
    refused = {place for place, (yes, no) in pairs if no.status_code in {403, 404} != yes.status_code}
    return {place for place in refused if staff[place].status_code not in {403, 404}}


def test_no_page_is_staff_s_without_the_second_factor(
    manager: User, charlie: User, ids: Any, settings: Settings
) -> None:
    settings.DEMO = False
    other = User.objects.create_superuser("+8613800000077")
    set_up(manager)
    asked = [(method, path) for path in site_paths() for method in ("GET", "POST")]
    asked = [each for each in asked if not NOT_WALKED.search(each[1])]
    strangers, staff = answers(site_browser(charlie), asked, ids), answers(site_browser(other), asked, ids)
    found = [asked[place] for place in sorted(find_staff_only(staff, strangers))]
    assert {path for _method, path in found} >= SITE_ADDRESSES
    mine = answers(site_browser(manager), found, ids)
    led = {each: answer.headers.get("Location", "") for each, answer in zip(found, mine, strict=True)}
    assert not {each: where for each, where in led.items() if not where.startswith(SITE_PAGE)}


def api_operations() -> list[tuple[str, str, Any]]:
    """(method, path, operation) of every operation."""
    found = []
    for prefix, router in api._routers:
        for path, view in router.path_operations.items():
            full = "/api" + prefix + re.sub(r"\{(?:\w+:)?(\w+)\}", r"{\1}", path)
            for operation in view.operations:
                found += [(method, full, operation) for method in operation.methods]
    return found


def test_no_operation_of_the_api_is_staff_s_without_the_second_factor(
    manager: User, charlie: User, ids: Any
) -> None:
    other = User.objects.create_superuser("+8613800000077")
    set_up(manager)
    operations = [each for each in api_operations() if not NOT_WALKED.search(each[1])]
    asked = [(method, path) for method, path, _operation in operations]
    strangers, staff = answers(program(charlie), asked, ids), answers(program(other), asked, ids)
    for_staff = {
        place
        for place, (_method, _path, operation) in enumerate(operations)
        if any(isinstance(each, auth.StaffBearer) for each in operation.auth_callbacks)
    }
    assert len(for_staff) >= 3
    found = [asked[place] for place in sorted(find_staff_only(staff, strangers) | for_staff)]
    assert {path for _method, path in found} >= {"/api/comments/{comment_id}", "/api/uv"}
    mine = answers(program(manager), found, ids)
    codes = {
        each: (answer.status_code, answer.json().get("code"))
        for each, answer in zip(found, mine, strict=True)
    }
    assert set(codes.values()) == {(403, "second_factor_required")}, codes


def test_no_address_of_the_admin_is_open_once_the_code_is_old(manager: User) -> None:
    set_up(manager)
    browser = Client()
    browser.post(
        "/admin/login/", {"username": manager.phone, "password": PASSWORD, "code": current_code(manager)}
    )
    addresses = [reverse("admin:index")]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
        addresses.append(reverse(name))
    assert browser.get(addresses[-1]).status_code == 200
    with time_machine.travel(timezone.now() + LATER, tick=True):
        for address in addresses:
            for answer in (browser.get(address), browser.post(address)):
                assert answer.headers["Location"].startswith(PAGE)
        assert browser.get("/admin/", headers={"HX-Request": "true"}).headers["HX-Redirect"].startswith(PAGE)


def test_the_admin_goes_on_where_it_was_by_the_next_code(manager: User) -> None:
    set_up(manager)
    browser = Client()
    browser.post(
        "/admin/login/", {"username": manager.phone, "password": PASSWORD, "code": current_code(manager)}
    )
    with time_machine.travel(timezone.now() + LATER, tick=True):
        where = browser.get("/admin/redis/").headers["Location"]
        assert 'value="/admin/redis/"' in browser.get(where).content.decode()
        assert browser.post(f"{PAGE}prove/", {"code": "000000", "next": "/admin/redis/"}).status_code == 422
        assert browser.get("/admin/redis/").status_code == 302
        allow_next_code()
        form = {"code": current_code(manager), "next": "/admin/redis/"}
        assert browser.post(f"{PAGE}prove/", form).headers["Location"] == "/admin/redis/"
        assert browser.get("/admin/redis/").status_code == 200


def test_an_old_session_can_t_replace_the_second_factor(manager: User) -> None:
    set_up(manager)
    second_factor.begin(manager)
    browser = Client()
    browser.force_login(manager)
    pending = TOTPDevice.objects.get(user=manager, confirmed=False)
    TOTPDevice.objects.filter(user=manager, confirmed=True).update(last_t=-1)
    browser.post(PAGE, {"code": "123456"})
    pending.refresh_from_db()
    assert not pending.confirmed
    assert second_factor.is_set_up(manager)
    assert browser.get("/admin/").status_code == 302


@pytest.mark.both_databases
def test_a_code_opens_the_api_to_one_log_in_for_twelve_hours(manager: User) -> None:
    set_up(manager)
    one, another = program(manager), program(manager)
    refused = one.get("/api/moderation/cases").json()
    assert (refused["code"], refused["prove_at"]) == ("second_factor_required", "/api/auth/second-factor")
    assert give_code(one, "000000").json()["code"] == "wrong_code"
    allow_next_code()
    given = give_code(one, current_code(manager))
    assert (given.status_code, list(given.json())) == (200, ["proven_until"])
    assert one.get("/api/moderation/cases").status_code == 200
    assert another.get("/api/moderation/cases").status_code == 403
    with time_machine.travel(timezone.now() + LATER, tick=True):
        assert one.get("/api/moderation/cases").status_code == 403


def give_code(client: Client, code: str) -> Any:
    return client.post("/api/auth/second-factor", {"code": code}, content_type="application/json")


def test_a_code_opens_the_pages_and_leads_back(manager: User) -> None:
    set_up(manager)
    browser = site_browser(manager)
    where = browser.get("/redeem/").headers["Location"]
    assert where == f"{SITE_PAGE}?next=/redeem/".replace("/redeem/", "%2Fredeem%2F")
    assert 'value="/redeem/"' in browser.get(where).content.decode()
    wrong = browser.post(SITE_PAGE, {"code": "000000", "next": "/redeem/"})
    assert (wrong.status_code, "This code is wrong" in wrong.content.decode()) == (400, True)
    allow_next_code()
    done = browser.post(SITE_PAGE, {"code": current_code(manager), "next": "/redeem/"})
    assert done.headers["Location"] == "/redeem/"
    assert browser.get("/redeem/").status_code == 200


def test_staff_without_one_go_on_as_before(manager: User) -> None:
    assert program(manager).get("/api/moderation/cases").status_code == 200
    assert site_browser(manager).get("/redeem/").status_code == 200
    assert give_code(program(manager), "123456").json()["code"] == "no_second_factor"


def test_a_site_that_demands_one_does_so_everywhere(manager: User, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = True
    refused = program(manager).get("/api/moderation/cases").json()
    assert (refused["code"], refused["prove_at"]) == ("second_factor_required", PAGE)
    browser = site_browser(manager)
    led = browser.get(browser.get("/redeem/").headers["Location"]).content.decode()
    assert f'href="{PAGE}"' in led


def test_what_everybody_may_do_asks_for_no_code(manager: User) -> None:
    set_up(manager)
    note = NoteFactory.create(author=manager)
    browser = site_browser(manager)
    assert browser.get("/me/").status_code == 200
    assert browser.get("/notes/999999999/").status_code == 404
    assert program(manager).delete(f"/api/notes/{note.pk}").status_code == 204
