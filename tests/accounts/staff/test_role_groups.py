"""The prepared roles: complete after each migration, given and taken back with the way into the admin."""

from io import StringIO

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from apps.accounts.models import User
from apps.accounts.staff import role_groups
from apps.adminkit import roles
from apps.adminkit.roles import ROLES_WITHOUT_ADMIN, Role

pytestmark = pytest.mark.django_db


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


def names(role: Role) -> set[tuple[str, str]]:
    found = Group.objects.get(name=role).permissions
    return set(found.values_list("content_type__app_label", "codename"))


def test_every_permission_of_a_role_exists() -> None:
    role_groups.prepare_all()
    for role in Role:
        registered = {
            (app_label, codename)
            for app_label, by_role in roles.PERMISSIONS.items()
            for codename in by_role.get(role, ())
        }
        assert registered, role
        assert names(role) == registered


def test_a_migration_prepares_the_roles() -> None:
    Group.objects.all().delete()
    call_command("migrate", verbosity=0)
    assert ("coupons", "redeem_order") in names(Role.CASHIER)


def test_a_database_from_before_the_first_release_is_refused() -> None:
    MigrationRecorder(connection).record_unapplied("shops", "0011_shop_claims")
    with pytest.raises(CommandError, match=r"older than release 0.1.0 \(shops lacks 0011_shop_claims\)"):
        call_command("migrate", verbosity=0)


def test_what_was_taken_away_comes_back_and_what_was_added_stays() -> None:
    support = role_groups.prepare(Role.SUPPORT)
    added = Permission.objects.get(codename="view_note")
    before = names(Role.SUPPORT)
    support.permissions.remove(Permission.objects.get(codename="view_voucherorder"))
    support.permissions.add(added)
    told = StringIO()
    call_command("prepare_roles", stdout=told)
    assert names(Role.SUPPORT) == before | {("blog", "view_note")}
    assert "Support: 1 permissions added" in told.getvalue()


@pytest.mark.parametrize("role", Role)
def test_a_role_lets_into_the_admin_and_is_taken_back(role: Role, alice: User) -> None:
    role_groups.grant(alice, role)
    assert fresh(alice).is_staff == (role not in ROLES_WITHOUT_ADMIN)
    assert fresh(alice).get_all_permissions()
    role_groups.withdraw(alice, role)
    assert (fresh(alice).is_staff, fresh(alice).get_all_permissions()) == (False, set())


def test_who_has_another_role_stays_staff(alice: User) -> None:
    for role in (Role.SUPPORT, Role.SHOP_OWNER):
        role_groups.grant(alice, role)
    role_groups.withdraw(alice, Role.SHOP_OWNER)
    assert fresh(alice).is_staff


def test_nobody_changes_a_person_who_may_do_more(client: Client, alice: User, bob: User) -> None:
    """A manager could otherwise set the password of staff with other rights, and be them."""
    role_groups.grant(alice, Role.MANAGER)
    client.force_login(fresh(alice))
    paths = [f"/admin/accounts/user/{bob.pk}/{page}/" for page in ("change", "password")]
    role_groups.grant(bob, Role.SUPPORT)
    assert [client.get(path).status_code for path in paths] == [200, 200]
    bob.user_permissions.add(Permission.objects.get(codename="change_settings"))
    assert client.post(paths[0], {"phone": "+8613800000055"}).status_code == 403
    assert client.get(paths[1]).status_code == 403


def test_support_sees_people_and_none_of_their_secrets(client: Client, alice: User, bob: User) -> None:
    role_groups.grant(alice, Role.SUPPORT)
    bob.set_password("a-long-password")
    bob.save()
    client.force_login(fresh(alice))
    page = client.get(f"/admin/accounts/user/{bob.pk}/change/").content.decode()
    assert bob.phone in page
    assert "pbkdf2" not in page
    assert "argon" not in page
    assert client.post(f"/admin/accounts/user/{bob.pk}/change/", {"nickname": "x"}).status_code == 403
