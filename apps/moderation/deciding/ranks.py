"""Which staff may decide about which author: only people of a lower rank, and never themselves."""

from enum import IntEnum

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.adminkit.roles import Role
from apps.web.problems import Problem

PERMISSION = "moderation.decide_report"
#: Roles of people who don't work for the site: to a moderator they are people like all others.
OUTSIDE_ROLES = frozenset({Role.SHOP_OWNER, Role.CASHIER, Role.ADVERTISER})


class Rank(IntEnum):
    """The ranks, the lowest first; an owner is a superuser."""

    PERSON = 0
    EMPLOYEE = 1
    MANAGER = 2
    OWNER = 3


def find_rank(user: User) -> Rank:
    """The rank of a person; one query for all but owners."""
    if user.is_superuser:
        return Rank.OWNER
    roles = set(user.groups.values_list("name", flat=True))
    if Role.MANAGER in roles:
        return Rank.MANAGER
    is_inside = user.is_staff and not roles & OUTSIDE_ROLES
    is_employed = is_inside or bool(roles & {Role.MODERATOR, Role.SUPPORT}) or user.has_perm(PERMISSION)
    return Rank.EMPLOYEE if is_employed else Rank.PERSON


def explain_refusal(staff: User, author: User | None) -> str:
    """Why this member of staff may not decide about what the author wrote; "" if they may.

    Owners decide about everybody but themselves.
    """
    if author is None:
        return ""
    if author.pk == staff.pk:
        return _("Nobody decides about their own things: somebody above you does.")
    rank = find_rank(author)
    if rank == Rank.PERSON or (own := find_rank(staff)) == Rank.OWNER or own > rank:
        return ""
    return _("Its author works here, and not below you: somebody above them decides.")


def require_above(staff: User, author: User | None) -> None:
    """Problem 403 forbidden unless the member of staff may decide about what the author wrote."""
    if sentence := explain_refusal(staff, author):
        raise Problem(403, "forbidden", sentence)
