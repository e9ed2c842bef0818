from io import StringIO

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from apps.accounts import limits
from apps.accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "manager-password"


def enter(client: Client, phone: str, password: str = PASSWORD) -> int:
    return client.post("/admin/login/", {"username": phone, "password": password}).status_code


@pytest.mark.parametrize("phone", ["+8613800000009", "138 0000 0009", "0086-13800000009"])
def test_staff_log_in_with_phone_and_password(client: Client, manager: User, phone: str) -> None:
    assert "Phone" in client.get("/admin/login/").content.decode()
    assert enter(client, phone) == 302


@pytest.mark.parametrize("phone", ["", "x", "1" * 300, "\x00"])
def test_a_wrong_phone_is_refused(client: Client, manager: User, phone: str) -> None:
    assert enter(client, phone) in {200, 400}


def test_people_who_are_not_staff_stay_outside(client: Client, alice: User) -> None:
    alice.set_password(PASSWORD)
    alice.save()
    assert enter(client, alice.phone) == 200


def test_guesses_at_a_password_are_limited_and_shut_nobody_out_elsewhere(
    client: Client, manager: User
) -> None:
    for _ in range(limits.PASSWORD_BY_PHONE_AND_SITE.allowed):
        assert enter(client, manager.phone, "wrong") == 200
    assert enter(client, "138 0000 0009") == 200
    assert "_auth_user_id" not in client.session
    assert enter(Client(REMOTE_ADDR="198.51.100.7"), manager.phone) == 302


def test_guesses_from_many_places_are_limited_together(client: Client, manager: User) -> None:
    for place in range(limits.PASSWORD_BY_PHONE.allowed):
        limits.charge_password(manager.phone, ip=f"198.51.{place}.7")
    assert enter(client, manager.phone) == 200
    assert "_auth_user_id" not in client.session


def test_without_redis_the_admin_is_closed_not_broken(
    client: Client, manager: User, redis_away: None
) -> None:
    assert enter(client, manager.phone) == 503


def test_createsuperuser_takes_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", interactive=False, phone="138 0000 0009", stdout=StringIO())
    made = User.objects.get()
    assert (made.phone, made.is_staff, made.is_superuser) == ("+8613800000009", True, True)
    assert made.nickname
    with pytest.raises(CommandError):
        call_command("createsuperuser", interactive=False, phone="nobody", stdout=StringIO())


@pytest.mark.parametrize(
    ("password", "is_taken"),
    [
        ("short-1!Xy", False),
        ("password1234", False),
        ("qwertyuiop[]", False),
        ("123456789012", False),
        ("Manager2026!", False),
        ("+8613800000009", False),
        ("savor-savor-savor", False),
        ("correct-horse-battery", True),
        ("lamp tides volcano sixty", True),
        ("k" * 20 + "Zq8#vv!Lp0xw" * 20, True),
    ],
)
def test_a_password_that_is_easy_to_guess_is_refused(manager: User, password: str, is_taken: bool) -> None:
    if is_taken:
        validate_password(password, manager)
        return
    with pytest.raises(ValidationError):
        validate_password(password, manager)


@pytest.mark.both_databases
def test_log_ins_and_refusals_of_managers_are_in_the_audit_log(
    client: Client, manager: User, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="apps.accounts.staff.audit"):
        enter(client, manager.phone, "wrong-secret")
        enter(client, "+8613999999999", "wrong-secret")
    assert [record.getMessage() for record in caplog.records if "refused" in record.getMessage()] == [
        "a log-in to the admin was refused: phone …0009, from 127.0.0.1, invalid_login",
        "a log-in to the admin was refused: phone …9999, from 127.0.0.1, invalid_login",
    ]
    assert "wrong-secret" not in caplog.text
    enter(client, manager.phone)
    page = client.get("/admin/admin/logentry/").content.decode()
    assert "logged in to the admin from 127.0.0.1" in page
    assert "was refused at the admin&#x27;s log-in, from 127.0.0.1 (invalid_login)" in page
    refused = client.get("/admin/admin/logentry/?did=3").content.decode()
    assert "logged in to the admin" not in refused
    assert client.post(f"/admin/admin/logentry/{LogEntry.objects.latest('id').pk}/delete/").status_code == 403


def test_a_clerk_does_not_read_the_audit_log(client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get("/admin/admin/logentry/").status_code == 403
