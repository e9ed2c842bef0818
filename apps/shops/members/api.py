"""The API of the people who work at shops."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.shops.members import membership, own_shops
from apps.shops.models import ShopMember
from apps.web import paging
from apps.web.problems import Body, RowId, documented

router = Router()
_PROBLEMS = {401: ["not_logged_in"], 403: ["forbidden"], 404: ["not_found"]}
ShopRole = Literal["owner", "cashier"]


class ShopPersonOut(Schema):
    id: int
    nickname: str
    phone: str
    role: ShopRole
    since: datetime


class ShopPeopleOut(Schema):
    items: list[ShopPersonOut]
    next: paging.Next = None


class ShopPersonIn(Body):
    phone: Annotated[str, Field(max_length=64, examples=["13800138000"])]


class OwnShopOut(Schema):
    id: int
    name: str
    role: ShopRole


class OwnShopsOut(Schema):
    items: list[OwnShopOut]
    next: paging.Next = None


@router.get(
    "/me/shops",
    operation_id="listMyShops",
    auth=auth.bearer,
    response=OwnShopsOut,
    summary="The shops I work at",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_own_shops(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """Owners run a shop here and say who redeems its coupons; cashiers redeem them."""
    rows = own_shops.list_memberships(auth.require_login(request).user_id)
    page = paging.cut_list(list(rows), key=lambda row: row.shop_id, kind="my shops", cursor=cursor, size=size)
    items = [{"id": row.shop_id, "name": row.shop.name, "role": row.role} for row in page.items]
    return {"items": items, "next": page.next}


@router.get(
    "/shops/{shop_id}/people",
    operation_id="listShopPeople",
    auth=auth.bearer,
    response=ShopPeopleOut,
    summary="The people of a shop",
    openapi_extra=documented.problems(_PROBLEMS),
)
def list_people(
    request: HttpRequest, shop_id: RowId, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """For its owners only."""
    shop = own_shops.require_owned_shop(shop_id, auth.require_user(request))
    found, kind = list(membership.list_people(shop)), f"people:{shop_id}"
    page = paging.cut_list(found, key=lambda row: row.user_id, kind=kind, cursor=cursor, size=size)
    return {"items": [_build_person(row) for row in page.items], "next": page.next}


@router.post(
    "/shops/{shop_id}/people",
    operation_id="addCashier",
    auth=auth.bearer,
    response={201: ShopPersonOut},
    summary="Let a person redeem coupons of a shop",
    openapi_extra=documented.problems(
        _PROBLEMS
        | {409: ["is_owner"], 422: ["bad_phone", "no_account", "too_many_people", "invalid"]}
        | {429: ["too_many_requests"], 503: ["busy"]}
    ),
)
def add_cashier(request: HttpRequest, shop_id: RowId, sent: ShopPersonIn) -> Status[dict[str, Any]]:
    """By the phone that they log in with; 422 no_account until they have logged in once. Again is fine."""
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    return Status(201, _build_person(membership.add_cashier(shop, sent.phone, added_by=user)))


@router.delete(
    "/shops/{shop_id}/people/{user_id}",
    operation_id="removeCashier",
    auth=auth.bearer,
    response={204: None},
    summary="End a cashier's work at a shop",
    openapi_extra=documented.problems(_PROBLEMS | {409: ["is_owner"]}),
)
def remove_cashier(request: HttpRequest, shop_id: RowId, user_id: RowId) -> Status[None]:
    """Repeating it changes nothing."""
    user = auth.require_user(request)
    membership.remove_cashier(own_shops.require_owned_shop(shop_id, user), user_id, removed_by=user)
    return Status(204, None)


def _build_person(row: ShopMember) -> dict[str, Any]:
    return {
        "id": row.user_id,
        "nickname": row.user.nickname,
        "phone": row.user.phone,
        "role": row.role,
        "since": row.created_at,
    }
