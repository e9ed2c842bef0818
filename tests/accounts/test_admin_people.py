"""People in the admin: who is switched off is out at once, and rights are handed out by owners only."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from tests.factories import UserFactory
from tests.sample_pictures import make_picture


@pytest.fixture
def clerk(client: Client, bob: User) -> Client:
    """Bob, staff who may look at and change people."""
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(*Permission.objects.filter(codename__in=["view_user", "change_user"]))
    client.force_login(bob)
    return client


PASSWORD = "manager-password"


def log_in(user: User) -> str:
    return tokens.issue(user, kind=AccessToken.Kind.API)


def act(boss: Client, action: str, *people: User) -> Any:
    chosen = {"action": action, "_selected_action": [person.pk for person in people]}
    return boss.post("/admin/accounts/user/", chosen, follow=True)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_who_is_switched_off_is_logged_out_everywhere(boss: Client, alice: User) -> None:
    raw = log_in(alice)
    assert tokens.resolve(raw)
    act(boss, "switch_off", alice)
    alice.refresh_from_db()
    assert not alice.is_active
    assert tokens.resolve(raw) is None


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_log_out_everywhere_ends_every_log_in_and_no_account(boss: Client, alice: User, bob: User) -> None:
    hers, his = [log_in(alice), log_in(alice)], log_in(bob)
    url = f"/admin/accounts/user/{alice.pk}/log-out-everywhere/"
    boss.get(url)
    assert tokens.resolve(hers[0]), "the dialog only asks"
    boss.post(url, {"_form_submitted": "True"})
    assert [tokens.resolve(raw) for raw in hers] == [None, None]
    assert tokens.resolve(his)
    assert User.objects.get(pk=alice.pk).is_active


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_nobody_switches_themselves_off(boss: Client, manager: User) -> None:
    act(boss, "switch_off", manager)
    assert User.objects.get(pk=manager.pk).is_active


@pytest.mark.both_databases
@pytest.mark.django_db
def test_people_are_found_by_phone(boss: Client, alice: User, bob: User) -> None:
    found = boss.get("/admin/accounts/user/", {"q": "13800000001"}).context["cl"].result_list
    assert [row.pk for row in found] == [alice.pk]


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_clerk_can_not_make_owners(clerk: Client, alice: User, bob: User) -> None:
    rights = {"is_superuser": "on", "is_staff": "on", "is_active": "on"}
    for person in (alice, bob):
        form = {"phone": person.phone, "nickname": person.nickname, "city": "", "bio": ""} | rights
        clerk.post(f"/admin/accounts/user/{person.pk}/change/", form)
        assert not User.objects.get(pk=person.pk).is_superuser


@pytest.mark.django_db
def test_a_clerk_can_not_change_an_owner(clerk: Client, manager: User) -> None:
    assert clerk.post(f"/admin/accounts/user/{manager.pk}/change/", {"nickname": "x"}).status_code == 403
    assert clerk.get(f"/admin/accounts/user/{manager.pk}/password/").status_code == 403
    act(clerk, "switch_off", manager)
    assert User.objects.get(pk=manager.pk).is_active


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_log_in_shows_no_digest(boss: Client, alice: User) -> None:
    raw = log_in(alice)
    token = AccessToken.objects.get()
    for path in ("", f"{token.pk}/change/"):
        page = boss.get(f"/admin/accounts/accesstoken/{path}").content.decode()
        assert token.digest not in page
        assert raw not in page


@pytest.mark.django_db
def test_a_page_of_people_costs_the_same_for_two_as_for_twenty(
    boss: Client, django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    UserFactory.bulk_create(20)
    with django_assert_max_num_queries(10):
        boss.get("/admin/accounts/user/")


@pytest.mark.django_db(transaction=True)
def test_an_avatar_that_a_manager_sends_is_drawn_anew(boss: Client, alice: User) -> None:
    form: dict[str, Any] = {
        "phone": alice.phone,
        "nickname": "Alice",
        "is_active": "on",
        "city": "",
        "bio": "",
    }
    url = f"/admin/accounts/user/{alice.pk}/change/"
    refused = boss.post(url, form | {"avatar": SimpleUploadedFile("me.png", b"<script>", "image/png")})
    assert "This is no picture we can read" in refused.content.decode()
    sent = SimpleUploadedFile("../me.html", make_picture() + b"<script>", "text/html")
    assert boss.post(url, form | {"avatar": sent}).status_code == 302
    alice.refresh_from_db()
    assert re.fullmatch(r"avatars/[0-9a-f]{32}\.webp", str(alice.avatar))
    assert b"script" not in alice.avatar.read()
    assert boss.post(url, form | {"nickname": "Alice B"}).status_code == 302
    assert User.objects.get(pk=alice.pk).avatar, "a form without a new picture keeps the old one"


@pytest.mark.django_db(transaction=True)
def test_log_out_everywhere_ends_the_sessions_of_the_admin_too(
    client: Client, boss: Client, manager: User, bob: User
) -> None:
    """By oneself on the site or in the API, and by another manager; a password stays good."""
    for way in ("page", "api", "admin"):
        hers = Client()
        assert (
            hers.post("/admin/login/", {"username": manager.phone, "password": PASSWORD}).status_code == 302
        )
        assert hers.get("/admin/").status_code == 200
        raw = tokens.issue(manager, kind=AccessToken.Kind.PAGE)
        if way == "page":
            client.cookies["savor_token"] = raw
            client.post("/me/sessions/end/")
        elif way == "api":
            client.delete("/api/me/sessions", headers={"Authorization": f"Bearer {raw}"})
        else:
            owner = UserFactory.create(superuser=True)
            other = Client()
            other.force_login(owner)
            other.post(f"/admin/accounts/user/{manager.pk}/log-out-everywhere/", {"_form_submitted": "True"})
        assert hers.get("/admin/").status_code == 302, way
