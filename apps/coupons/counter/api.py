"""The API of the counter: looking a code up, redeeming it, and what one redeemed today."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Header, Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.coupons.claims import request_tokens
from apps.coupons.counter import redeeming
from apps.coupons.models import VoucherOrder
from apps.web import paging
from apps.web.problems import Body, documented

router = Router()
RequestToken = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="1 to 64 letters, digits, _ or -: the same key again gets the same answer",
        examples=["b1946ac92492d2347c6235b4d2611184"],
    ),
]
_STATUS_MEMBER = {"order_status": {"type": "string", "description": "where the order stands"}}
_LOOK_UP_PROBLEMS = {
    401: ["not_logged_in"],
    403: ["forbidden", "other_shop"],
    404: ["not_found"],
    410: ["order_lost"],
    422: ["invalid"],
    429: ["too_many_requests"],
}


class RedeemIn(Body):
    """A code as it was typed or scanned: case, spaces and dashes don't count, O is 0, I and L are 1."""

    code: str = Field(min_length=1, max_length=200, examples=["7kq2-9xmw-4tbd"])


class CounterOrderOut(Schema):
    """An order at the counter: what to hand out, whose it is, and why it can't be redeemed, "" if it can."""

    id: str = Field(examples=["256884987565965345"])
    status: str
    voucher: str = Field(description="its title")
    shop: str = Field(description="its name")
    value: int = Field(description="in the smallest unit of `currency`")
    currency: str = Field(description="ISO 4217")
    rules: str
    person: str = Field(description="the nickname of the buyer, or of whom they gave it to")
    used_at: datetime | None
    reason: str = ""


class RedeemedTodayOut(Schema):
    items: list[CounterOrderOut]
    next: paging.Next = None


@router.post(
    "/orders/redeem",
    operation_id="redeemOrder",
    auth=auth.orders_bearer,
    response=CounterOrderOut,
    summary="Redeem an order in the shop",
    openapi_extra=documented.problems(
        _LOOK_UP_PROBLEMS | {400: ["invalid"], 409: ["not_possible"]}, **_STATUS_MEMBER
    ),
)
def redeem(request: HttpRequest, body: RedeemIn, idempotency_key: RequestToken = None) -> dict[str, Any]:
    """People of the order's shop only; once. `code` is the code or the whole link of its QR code: in any
    case, with spaces and dashes or without. Sent again with the same key it answers the same."""
    order = redeeming.find_order(body.code, auth.require_user(request))
    token = request_tokens.parse_or_new(idempotency_key)
    redeeming.redeem(request, order, token=token)
    order.refresh_from_db(fields=["used_at", "status"])
    return _build(order)


@router.post(
    "/orders/redeem/check",
    operation_id="checkRedeemCode",
    auth=auth.orders_bearer,
    response=CounterOrderOut,
    summary="Look a redeem code up",
    openapi_extra=documented.problems(_LOOK_UP_PROBLEMS),
)
def check(request: HttpRequest, body: RedeemIn) -> dict[str, Any]:
    """What the code is for, and in `reason` why it can't be redeemed; it changes nothing."""
    order = redeeming.find_order(body.code, auth.require_user(request))
    return _build(order, reason=redeeming.refusal_reason(order))


@router.get(
    "/orders/redeemed",
    operation_id="listRedeemedToday",
    auth=auth.orders_bearer,
    response=RedeemedTodayOut,
    summary="What I redeemed today",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_redeemed(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """The last 20, the newest first."""
    found = list(redeeming.list_today(auth.require_user(request)))
    page = paging.cut_list(found, key=lambda row: row.pk, kind="redeemed", cursor=cursor, size=size)
    return {"items": [_build(row.order) for row in page.items], "next": page.next}


def _build(order: VoucherOrder, *, reason: str = "") -> dict[str, Any]:
    voucher = order.voucher
    return {
        "id": str(order.pk),
        "status": order.status,
        "voucher": voucher.title,
        "shop": voucher.shop.name,
        "value": voucher.value,
        "currency": voucher.currency,
        "rules": voucher.rules,
        "person": order.guest.nickname,
        "used_at": order.used_at,
        "reason": reason,
    }
