"""A manager's second factor, and a new password for who has forgotten the old one."""

import re
import time
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django.fixtures import Settings

from apps.accounts import second_factor
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from tests.accounts import sms_recorder
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD, NEW_PASSWORD = "manager-password", "lamp tides volcano sixty"
PAGE = "/admin/second-factor/"


def current_code(user: User, *, steps: int = 0) -> str:
    """What the manager's authenticator shows now, or so many times 30 seconds later."""
    device = TOTPDevice.objects.get(user=user)
    totp = TOTP(device.bin_key, device.step, device.t0, device.digits)
    totp.time = time.time() + 30 * steps
    return f"{totp.token():06}"


def log_in(phone: str, code: str = "", password: str = PASSWORD) -> tuple[Client, str]:
    """A browser that has sent the admin's log-in form, and what it was told."""
    browser = Client()
    answer = browser.post("/admin/login/", {"username": phone, "password": password, "code": code})
    return browser, answer.content.decode() if answer.status_code != 302 else ""


def is_inside(browser: Client) -> bool:
    return browser.get("/admin/").status_code == 200


@pytest.fixture
def backup_codes(manager: User) -> list[str]:
    """The manager's backup codes: the second factor is in force."""
    second_factor.begin(manager)
    codes = second_factor.confirm(manager, current_code(manager))
    # A guess and the code before would have to be waited for.
    TOTPDevice.objects.update(last_t=-1)
    return codes


def test_who_has_none_is_not_asked(manager: User) -> None:
    browser, said = log_in(manager.phone)
    assert (is_inside(browser), said) == (True, "")


@pytest.mark.both_databases
def test_a_manager_sets_it_up_by_a_code_of_the_authenticator(manager: User, boss: Client) -> None:
    other, _said = log_in(manager.phone)
    raw = tokens.issue(manager, kind=AccessToken.Kind.PAGE)
    shown = boss.get(PAGE).content.decode()
    (device,) = TOTPDevice.objects.filter(user=manager, confirmed=False)
    assert second_factor.spell_secret(device) in shown
    assert "<path" in shown
    assert boss.post(PAGE, {"code": "000000"}).status_code == 422
    assert not second_factor.is_set_up(manager)
    TOTPDevice.objects.update(throttling_failure_count=0)
    done = boss.post(PAGE, {"code": current_code(manager)}).content.decode()
    codes = list(StaticToken.objects.values_list("token", flat=True))
    assert len(codes) == second_factor.BACKUP_CODES
    assert all(code in done for code in codes)
    later = boss.get(PAGE).content.decode()
    assert not any(code in later for code in codes)
    assert second_factor.spell_secret(device) not in later
    assert is_inside(boss), "the session that has set it up goes on"
    assert (is_inside(other), tokens.resolve(raw)) == (False, None)


def test_then_a_password_alone_does_not_log_in(manager: User, backup_codes: list[str]) -> None:
    browser, said = log_in(manager.phone)
    assert not is_inside(browser)
    assert "Type the code of your authenticator too." in said
    browser, _said = log_in(manager.phone, current_code(manager))
    assert is_inside(browser)


def test_a_code_is_good_once(manager: User, backup_codes: list[str]) -> None:
    code = current_code(manager)
    assert is_inside(log_in(manager.phone, code)[0])
    assert not is_inside(log_in(manager.phone, code)[0])


@pytest.mark.both_databases
def test_a_backup_code_is_good_once(manager: User, backup_codes: list[str]) -> None:
    assert is_inside(log_in(manager.phone, backup_codes[0].upper())[0])
    assert not is_inside(log_in(manager.phone, backup_codes[0])[0])
    assert second_factor.count_backup_codes(manager) == second_factor.BACKUP_CODES - 1


def test_guesses_are_slowed_down(manager: User, backup_codes: list[str]) -> None:
    for _ in range(3):
        assert second_factor.verify(manager, "000000") is None
    assert second_factor.verify(manager, current_code(manager)) is None, "a right code has to wait too"


@pytest.mark.both_databases
def test_another_manager_s_code_is_none_of_yours(manager: User, backup_codes: list[str]) -> None:
    other = UserFactory.create(superuser=True, password=PASSWORD)
    second_factor.begin(other)
    second_factor.confirm(other, current_code(other))
    assert not is_inside(log_in(other.phone, current_code(manager))[0])


@pytest.mark.both_databases
def test_it_is_turned_off_by_a_code_only(manager: User, backup_codes: list[str]) -> None:
    browser, _said = log_in(manager.phone, current_code(manager))
    assert browser.post(f"{PAGE}remove/", {"code": "no-code"}).status_code == 422
    assert second_factor.is_set_up(manager)
    # Who guesses waits longer each time; this one is allowed another try.
    StaticDevice.objects.update(throttling_failure_count=0)
    assert browser.post(f"{PAGE}remove/", {"code": backup_codes[3]}).status_code == 302
    assert not second_factor.is_set_up(manager)


@pytest.mark.both_databases
def test_an_owner_takes_it_away_from_who_lost_it(manager: User, boss: Client) -> None:
    other = UserFactory.create(superuser=True, password=PASSWORD)
    second_factor.begin(other)
    second_factor.confirm(other, current_code(other))
    boss.post(f"/admin/accounts/user/{other.pk}/remove-second-factor/", {"_form_submitted": "True"})
    assert is_inside(log_in(other.phone)[0])


def test_nobody_reads_secrets_in_the_admin(boss: Client) -> None:
    for path in ("otp_totp/totpdevice/", "otp_static/staticdevice/"):
        assert boss.get(f"/admin/{path}").status_code == 404


@pytest.mark.both_databases
def test_a_site_may_demand_it(settings: Settings, manager: User) -> None:
    settings.STAFF_SECOND_FACTOR = True
    browser, _said = log_in(manager.phone)
    for path in ("/admin/", "/admin/accounts/user/", "/admin/redis/"):
        assert browser.get(path).headers["Location"] == f"{PAGE}?next={quote(path, safe='')}"
    assert browser.get(PAGE).status_code == 200
    assert browser.post(PAGE, {"code": current_code(manager)}).status_code == 200
    assert is_inside(browser)
    assert Client().get("/login/").status_code == 200


def send_code(phone: str, browser: Client) -> str:
    """The code that was sent for a new password."""
    page = browser.post("/admin/new-password/", {"phone": phone})
    assert page.status_code == 200
    assert re.search(r'name="sent_code"', page.content.decode())
    return sms_recorder.last_code(phone)


def set_password(phone: str, browser: Client, sent_code: str = "", **fields: str) -> Any:
    """The answer to the last step, in the browser that asked for the code, which is sent if none is given."""
    form = {"phone": phone, "sent_code": sent_code or send_code(phone, browser)}
    form |= {"password": NEW_PASSWORD, "again": NEW_PASSWORD}
    return browser.post("/admin/new-password/set/", form | fields)


@pytest.mark.both_databases
def test_a_forgotten_password_is_replaced_by_a_code(manager: User) -> None:
    assert "/admin/new-password/" in Client().get("/admin/login/").content.decode()
    inside, _said = log_in(manager.phone)
    assert set_password(manager.phone, Client()).status_code == 302
    assert not is_inside(log_in(manager.phone)[0])
    assert is_inside(log_in(manager.phone, password=NEW_PASSWORD)[0])
    assert not is_inside(inside), "whoever knew the old one is out"


def test_a_new_password_needs_the_second_factor_too(manager: User, backup_codes: list[str]) -> None:
    refused = set_password(manager.phone, Client())
    assert refused.status_code == 422
    assert is_inside(log_in(manager.phone, current_code(manager))[0]), "the old one is still good"
    assert set_password(manager.phone, Client(), code=backup_codes[0]).status_code == 302


@pytest.mark.parametrize(
    "fields", [{"password": "short", "again": "short"}, {"again": "lamp tides volcano sixteen"}]
)
def test_a_weak_or_mistyped_password_keeps_the_code(manager: User, fields: dict[str, str]) -> None:
    browser = Client()
    code = send_code(manager.phone, browser)
    assert set_password(manager.phone, browser, code, **fields).status_code == 422
    assert set_password(manager.phone, browser, code).status_code == 302


def test_only_managers_get_a_password_and_nobody_learns_who_is_one(manager: User, alice: User) -> None:
    wrong = set_password(manager.phone, Client(), "000000").content.decode()
    stranger = set_password(alice.phone, Client()).content.decode()
    assert "Wrong or expired code." in wrong
    assert "Wrong or expired code." in stranger
    alice.refresh_from_db()
    assert not alice.has_usable_password()
