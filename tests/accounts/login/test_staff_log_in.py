from io import StringIO

import pytest
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


def test_guesses_at_a_password_are_limited(client: Client, manager: User) -> None:
    for _ in range(limits.PASSWORD_BY_PHONE.allowed):
        assert enter(client, manager.phone, "wrong") == 200
    assert enter(client, "138 0000 0009") == 200
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
