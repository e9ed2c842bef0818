"""The prepared roles as groups: made and completed after each migration, given to people and taken back."""

from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.accounts.personal import person_cards
from apps.adminkit import roles
from apps.adminkit.roles import ROLES_WITHOUT_ADMIN, Role
from apps.queues import owed


def prepare_all() -> dict[Role, int]:
    """Make and complete the group of every role; returns how many permissions each one was missing."""
    return {role: _complete(role)[1] for role in Role}


def prepare(role: Role) -> Group:
    """The role's group; it has at least the role's permissions: a removed permission comes back."""
    return _complete(role)[0]


@transaction.atomic
def grant(user: User, role: Role) -> None:
    """Give a person a role; one with pages in the admin lets them in there once they have a password."""
    user.groups.add(prepare(role))
    if role not in ROLES_WITHOUT_ADMIN:
        _set_staff(user, is_staff=True)


@transaction.atomic
def withdraw(user: User, role: Role) -> None:
    """Take a role back; who is left without any right in the admin doesn't enter it any more."""
    user.groups.remove(*Group.objects.filter(name=role))
    others = user.groups.exclude(name__in=ROLES_WITHOUT_ADMIN)
    if not (user.is_superuser or others.exists() or user.user_permissions.exists()):
        _set_staff(user, is_staff=False)


def _complete(role: Role) -> tuple[Group, int]:
    group, _is_new = Group.objects.get_or_create(name=role.value)
    wanted = Q(pk__in=[])
    for app_label, by_role in roles.PERMISSIONS.items():
        wanted |= Q(content_type__app_label=app_label, codename__in=by_role.get(role, ()))
    missing = list(Permission.objects.filter(wanted).exclude(group=group))
    group.permissions.add(*missing)
    return group, len(missing)


def _set_staff(user: User, *, is_staff: bool) -> None:
    if user.is_staff != is_staff:
        user.is_staff = is_staff
        user.save(update_fields=["is_staff"])
        owed.run_after_commit(person_cards.forget, user.pk)
