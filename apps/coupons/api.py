"""Vouchers, claims and orders in the JSON API."""

from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Header, Query, Router, Status

from apps.accounts import auth
from apps.coupons import refusals, schemas
from apps.coupons.buyer import claim_responses, lost_orders, order_views, purchases
from apps.coupons.catalog import offers, vouchers
from apps.coupons.claims import request_tokens
from apps.coupons.gift_api import router as gifts
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.coupons.payments.api import router as payments
from apps.coupons.webhooks.api import router as webhooks
from apps.shops import access as shops_access
from apps.web import in_language, paging
from apps.web.problems import RowId, documented, json_api
from apps.web.problems.ids import MAX_ROW_ID, PlainDigits

router = Router()
router.add_router("", payments)
router.add_router("", webhooks)
router.add_router("", gifts)

StatusTab = Literal["", "unpaid", "paid", "used", "cancelled", "refunded"]
RequestToken = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="1 to 64 letters, digits, _ or -: the same key again gets the same answer",
        examples=["b1946ac92492d2347c6235b4d2611184"],
    ),
]
HowMany = Annotated[
    int,
    Query(description="coupons to buy, each an order", examples=[3]),
    Ge(1),
    Le(MAX_PER_PERSON),
    PlainDigits,
]
_LEFT_MEMBER = {"left": {"type": "integer", "description": "with too_many: how many more one may have"}}
_ORDER_ID_MEMBER = {"order_id": {"type": "string", "description": "with already_bought: the order one has"}}
_DAYS_MEMBER = {
    "days_to_go": {
        "type": "integer",
        "description": "with streak_too_short: check-ins in a row that are missing",
    }
}
_BEGINS_AT_MEMBER = {
    "begins_at": {"type": "string", "format": "date-time", "description": "with not_started: UTC"}
}
_STATUS_MEMBER = {"order_status": {"type": "string", "description": "where the order stands"}}
_COMMON_PROBLEMS = {401: ["not_logged_in"], 404: ["not_found"]}
_CHANGE_PROBLEMS = _COMMON_PROBLEMS | {409: ["not_possible", "given"], 410: ["order_lost"]}
_BUYING_PROBLEMS = _COMMON_PROBLEMS | {400: ["invalid"], 429: ["too_many_requests"]}


@router.get(
    "/shops/{shop_id}/vouchers",
    operation_id="listShopVouchers",
    response=schemas.OffersOut,
    exclude_unset=True,
    summary="What a shop offers",
    openapi_extra=documented.problems({404: ["not_found"]}),
)
@json_api.public(seconds=1)
def list_vouchers(
    request: HttpRequest,
    shop_id: RowId,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    all_languages: in_language.AllLanguages = False,
) -> dict[str, Any]:
    """Vouchers and flash sales that are not over, the newest first."""
    shops_access.shop(shop_id)
    page = offers.list_shop_page(shop_id, cursor=cursor, size=size)
    offers_now = offers.with_live_stock(page.items)
    return {
        "items": [schemas.offer_fields(one, all_languages=all_languages) for one in offers_now],
        "next": page.next,
    }


@router.get(
    "/vouchers/{voucher_id}/stock",
    operation_id="getStock",
    response=schemas.StockOut,
    summary="How many units are left",
    openapi_extra=documented.problems({404: ["not_found"]}),
)
def show_stock(request: HttpRequest, voucher_id: RowId) -> schemas.StockOut:
    """With `Accept: text/event-stream` each change follows as an event: `data: {"left": 3}`."""
    sale = getattr(vouchers.get_or_404(voucher_id), "sale", None)
    if sale is None:
        raise refusals.NOT_FOUND.problem()
    return schemas.StockOut(
        left=offers.fetch_stock([sale]).get(sale.pk, sale.stock_left), total=sale.stock_total
    )


@router.post(
    "/vouchers/{voucher_id}/seckill",
    operation_id="claimVoucher",
    auth=auth.orders_bearer_or_cookie,
    response={201: schemas.ClaimOut},
    summary="Grab one unit of a flash sale",
    openapi_extra=documented.problems(
        _BUYING_PROBLEMS
        | {400: ["invalid", "invalid_receipt"], 403: ["cross_origin", "not_your_receipt"]}
        | {
            409: [
                *("not_started", "ended", "sold_out", "already_bought", "streak_too_short"),
                *("other_voucher", "not_possible"),
            ]
        }
        | {410: ["order_lost", "receipt_expired"], 422: ["invalid"], 503: ["not_ready", "busy"]},
        **_ORDER_ID_MEMBER,
        **_BEGINS_AT_MEMBER,
        **_DAYS_MEMBER,
    )
    | {"requestBody": request_tokens.BODY_SCHEMA},
)
def seckill(request: HttpRequest, voucher_id: RowId, idempotency_key: RequestToken = None) -> HttpResponse:
    """Accepted at once; `GET /api/orders/{id}` moves from queued to unpaid when the order is recorded.

    Keep the `receipt` until then: should the order be gone, because a server lost what it had just accepted,
    the same address with `{"receipt": "…"}` brings it back under its id, once or often, as long as a unit is
    left for it. A browser's cookie is as good as a bearer token, from the site's own pages.
    """
    claim = request_tokens.read_claim(request, header=idempotency_key)
    user_id = auth.require_login(request).user_id
    receipt = lost_orders.claim_or_hand_in(claim, voucher_id=voucher_id, user_id=user_id)
    return claim_responses.accepted(receipt.json)


@router.post(
    "/vouchers/{voucher_id}/buy",
    operation_id="buyVoucher",
    auth=auth.orders_bearer,
    response={201: schemas.PurchaseOut},
    summary="Buy an ordinary voucher",
    openapi_extra=documented.problems(
        _BUYING_PROBLEMS | {409: ["already_bought", "too_many"], 503: ["busy"]},
        **_ORDER_ID_MEMBER,
        **_LEFT_MEMBER,
    ),
)
def buy(
    request: HttpRequest, voucher_id: RowId, count: HowMany = 1, idempotency_key: RequestToken = None
) -> Status[dict[str, Any]]:
    """An unpaid order for each coupon, all or none; 404 for a flash sale, which is grabbed instead.

    A person may have as many as the voucher's `per_person` says, used ones too; then 409. Several are paid at
    once by `POST /api/checkouts`.
    """
    token, user = request_tokens.parse_or_new(idempotency_key), auth.require_user(request)
    bought = list(map(str, purchases.buy(voucher_id, user=user, request_token=token, count=count)))
    return Status(201, {"order_id": bought[0], "order_ids": bought})


@router.get(
    "/orders",
    operation_id="listMyOrders",
    auth=auth.orders_bearer,
    response=schemas.OrdersOut,
    exclude_unset=True,
    summary="My orders",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_orders(
    request: HttpRequest,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    status: Annotated[StatusTab, Query()] = "",
    all_languages: in_language.AllLanguages = False,
) -> dict[str, Any]:
    """The newest first; an order that is still queued is only at its own address."""
    found, following = order_views.list_page(auth.require_user(request), tab=status, cursor=cursor, size=size)
    for order in found if all_languages else ():
        schemas.add_order_texts(order)
    return {"items": found, "next": following}


@router.get(
    "/orders/{order_id}",
    operation_id="getOrder",
    auth=auth.orders_bearer,
    response=schemas.OrderOut,
    exclude_unset=True,
    summary="One of my orders",
    openapi_extra=documented.problems(_COMMON_PROBLEMS | {410: ["order_lost"], 503: ["busy"]}),
)
def show_order(
    request: HttpRequest, order_id: RowId, all_languages: in_language.AllLanguages = False
) -> order_views.OrderView:
    """Queued, recorded, or set aside; others' orders are not found. 410: hand in its receipt, or grab again.

    With `Accept: text/event-stream` each change follows as an event: `data: {"status": "unpaid"}`.
    """
    order = order_views.get_own(order_id, auth.require_user(request))
    if all_languages:
        schemas.add_order_texts(order)
    return order


@router.post(
    "/orders/{order_id}/pay",
    operation_id="payOrder",
    auth=auth.orders_bearer,
    response=schemas.PayOut,
    exclude_unset=True,
    summary="Begin to pay, or go on paying",
    openapi_extra=documented.problems(
        _COMMON_PROBLEMS
        | {409: ["not_possible", "being_confirmed"], 410: ["order_lost"], 503: ["no_payments", "busy"]},
        **_STATUS_MEMBER,
    ),
)
def pay(request: HttpRequest, order_id: RowId) -> order_views.OrderView:
    """While it is queued or unpaid and its `pay_deadline` is ahead. Send the buyer to `pay_url`.

    Pressed again it is the same payment, until the provider has refused it or five minutes are over. The
    provider tells us what became of it, and the order moves from unpaid to paid: ask `GET /api/orders/{id}`.
    Money that comes too late goes back by itself.
    """
    back = request.build_absolute_uri(reverse("coupons:returned", args=[order_id]))
    return purchases.pay(order_id, user=auth.require_user(request), return_url=back)


@router.post(
    "/checkouts",
    operation_id="payOrders",
    auth=auth.orders_bearer,
    response=schemas.CheckoutOut,
    summary="Begin to pay several orders at once",
    openapi_extra=documented.problems(
        _COMMON_PROBLEMS
        | {409: ["not_possible", "being_confirmed", "not_together"], 410: ["order_lost"]}
        | {503: ["no_payments", "busy"]},
        **_STATUS_MEMBER,
    ),
)
def pay_together(request: HttpRequest, checkout: schemas.CheckoutIn) -> dict[str, Any]:
    """Unpaid orders of one voucher, with one payment of their sum; pressed again it is the same payment.

    The money of an order that can't be paid any more goes back, and a refund of one returns its own money. An
    order that is begun to be paid otherwise, alone or with others, leaves the payment of before.
    """
    numbers = [min(int(number), MAX_ROW_ID) for number in checkout.order_ids]
    back = request.build_absolute_uri(reverse("coupons:returned", args=numbers[:1]))
    url = purchases.pay_together(numbers, user=auth.require_user(request), return_url=back)
    return {"order_ids": list(map(str, numbers)), "pay_url": url}


@router.post(
    "/orders/{order_id}/cancel",
    operation_id="cancelOrder",
    auth=auth.orders_bearer,
    response=schemas.OrderOut,
    exclude_unset=True,
    summary="Cancel an order that isn't paid",
    openapi_extra=documented.problems(_CHANGE_PROBLEMS, **_STATUS_MEMBER),
)
def cancel(request: HttpRequest, order_id: RowId) -> order_views.OrderView:
    """Also while it is queued; its unit goes back on sale, and one may buy again."""
    return purchases.cancel(order_id, user=auth.require_user(request))


@router.post(
    "/orders/{order_id}/refund",
    operation_id="refundOrder",
    auth=auth.orders_bearer,
    response=schemas.OrderOut,
    exclude_unset=True,
    summary="Get the money of a paid order back",
    openapi_extra=documented.problems(_CHANGE_PROBLEMS, **_STATUS_MEMBER),
)
def refund(request: HttpRequest, order_id: RowId) -> order_views.OrderView:
    """Until it is used or given away; its unit goes back on sale, and one may buy again."""
    return purchases.refund(order_id, user=auth.require_user(request))
