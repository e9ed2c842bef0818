"""The role of advertisers: staff who enter the admin and see there what their own advertisers have."""

from typing import Any

from django.contrib.auth.models import Group, Permission

from apps.accounts.models import User

GROUP_NAME = "Advertisers"
ROLE_PERMISSIONS = (
    "view_advertiser",
    *("view_campaign", "add_campaign", "change_campaign"),
    *("view_ad", "add_ad", "change_ad"),
    *("view_charge", "export_charge"),
)
#: Without it staff see the rows of the advertisers whose members they are.
SEE_ALL = "ads.see_all_advertisers"


def prepare_group() -> Group:
    """The group with its permissions; missing parts are added, and what a manager took away comes back."""
    group, _is_new = Group.objects.get_or_create(name=GROUP_NAME)
    named = Permission.objects.filter(content_type__app_label="ads", codename__in=ROLE_PERMISSIONS)
    group.permissions.add(*named)
    return group


def grant(user: User) -> None:
    """Let a person enter the admin as an advertiser; they still need a password."""
    user.groups.add(prepare_group())
    if not user.is_staff:
        user.is_staff = True
        user.save(update_fields=["is_staff"])


def sees_all(user: Any) -> bool:
    """Whether somebody sees every advertiser's rows, and not just their own."""
    return bool(user.has_perm(SEE_ALL))
