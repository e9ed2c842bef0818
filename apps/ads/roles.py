"""What roles may do with ads: managers all of it, advertisers what belongs to their own advertisers."""

from typing import Any

from django.db.models import QuerySet

from apps.adminkit.own_filter import filter_own
from apps.adminkit.roles import codenames

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
    """Whether the user sees every advertiser's rows, and not just their own."""
    return bool(user.has_perm(SEE_ALL))


def restrict(rows: QuerySet[Any], user: Any, members: str) -> QuerySet[Any]:
    """The rows that a person may see, `members` being the path to an advertiser's people."""
    return rows if sees_all(user) else filter_own(rows, {members: user.pk})
