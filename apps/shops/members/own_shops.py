"""Whose rows a person sees and changes: every shop's, or those of the shops they work at.

The admin, the API and the site's pages ask these functions, so that they all have one rule.
"""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from apps.accounts.models import User
from apps.adminkit.own_filter import filter_own
from apps.shops.models import Shop, ShopMember

#: Without it staff see the rows of the shops that they own.
SEE_ALL = "shops.see_all_shops"


def sees_all(user: Any) -> bool:
    """Whether the user sees the rows of every shop."""
    return bool(user.is_staff and user.has_perm(SEE_ALL))


def owner_lookups(user_id: int | None, path: str = "") -> dict[str, object]:
    """The lookups that match rows of shops that the person owns; `path` leads from the row to its shop."""
    members = f"{path}__members" if path else "members"
    return {f"{members}__user": user_id, f"{members}__role": ShopMember.Role.OWNER}


def restrict(rows: QuerySet[Any], user: Any, path: str = "") -> QuerySet[Any]:
    """The rows that a person may see in the admin; `path` leads from a row to its shop."""
    return rows if sees_all(user) else filter_own(rows, owner_lookups(user.pk, path))


def list_memberships(user_id: int) -> list[ShopMember]:
    """The shops that a person works at, each with its type; one query."""
    rows = ShopMember.objects.filter(user=user_id).select_related("shop__type")
    return list(rows.order_by("role", "pk"))


def works_at(user: User, shop_id: int) -> bool:
    """Whether a person works at a shop, as its owner or as a cashier."""
    return ShopMember.objects.filter(user=user, shop=shop_id).exists()


def owns(user: User, shop_id: int) -> bool:
    """Whether a person is an owner of a shop."""
    rows = ShopMember.objects.filter(user=user, shop=shop_id, role=ShopMember.Role.OWNER)
    return rows.exists()


def owned_shop(shop_id: int, user: Any) -> Shop | None:
    """The shop if the person may say who works there; None for everybody else."""
    allowed: QuerySet[Shop] = Shop.objects.all()
    if not (sees_all(user) and user.has_perm("shops.change_shopmember")):
        allowed = filter_own(allowed, owner_lookups(user.pk))
    return allowed.filter(pk=shop_id).first()


def require_owned_shop(shop_id: int, user: User) -> Shop:
    """The shop whose people this person may see and change: 403 for its cashiers, 404 for strangers."""
    shop = owned_shop(shop_id, user)
    if shop is None and works_at(user, shop_id):
        raise PermissionDenied
    if shop is None:
        raise Http404
    return shop
