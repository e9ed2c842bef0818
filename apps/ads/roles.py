"""What roles may do with ads: managers all of it, advertisers what belongs to their own advertisers."""

from typing import Any

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames

ADVERTISER_PERMISSIONS = (
    "view_advertiser",
    *codenames("view add change", "campaign", "ad"),
    *codenames("view export", "charge"),
)
MANAGER_PERMISSIONS = (
    *ADVERTISER_PERMISSIONS,
    *("add_advertiser", "change_advertiser", "see_all_advertisers", "view_refusedcharge"),
)
#: Without it staff see the rows of the advertisers whose members they are.
SEE_ALL = "ads.see_all_advertisers"


def sees_all(user: Any) -> bool:
    """Whether somebody sees every advertiser's rows, and not just their own."""
    return bool(user.has_perm(SEE_ALL))


def register() -> None:
    """Give the roles their permissions on ads; called when the app is ready."""
    roles.register("ads", {Role.ADVERTISER: ADVERTISER_PERMISSIONS, Role.MANAGER: MANAGER_PERMISSIONS})
