"""Gifts in the JSON API: a link that gives a paid coupon to a person, once."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from apps.accounts import auth
from apps.coupons import schemas
from apps.coupons.buyer import gifts, order_views
from apps.coupons.buyer.gifts import TakenGift
from apps.web.problems import RowId, documented

router = Router()

_STATUS_MEMBER = {"order_status": {"type": "string", "description": "where the order stands"}}
_OWN_PROBLEMS = {
    401: ["not_logged_in"],
    404: ["not_found"],
    409: ["given"],
    410: ["order_lost"],
    429: ["too_many_requests"],
}


@router.post(
    "/orders/{order_id}/gift",
    operation_id="makeGiftLink",
    auth=auth.orders_bearer,
    response={201: schemas.GiftLinkOut},
    summary="Make a link that gives a coupon to somebody",
    openapi_extra=documented.problems(
        _OWN_PROBLEMS | {403: ["suspended"], 409: ["given", "not_possible"], 422: ["invalid"], 503: ["busy"]},
        **_STATUS_MEMBER,
    ),
)
def make_link(
    request: HttpRequest, order_id: RowId, body: schemas.GiftIn | None = None
) -> Status[dict[str, Any]]:
    """For your own coupon, paid, unused and valid. Whoever takes it first has it, with a new code.

    Until then one may use it, get its money back, or take the link back. Asked again it is the same
    link, with the newest words.
    """
    words = body.words if body else ""
    gift = gifts.make(order_id, user=auth.require_user(request), words=words)
    link = {"token": gifts.write_token(gift.number), "url": gifts.build_link(request, gift.number)}
    return Status(201, link | {"expires_at": gift.expires_at, "words": gift.words})


@router.delete(
    "/orders/{order_id}/gift",
    operation_id="takeGiftLinkBack",
    auth=auth.orders_bearer,
    response={204: None},
    summary="Take the link of a coupon back",
    openapi_extra=documented.problems(_OWN_PROBLEMS | {503: ["busy"]}),
)
def take_link_back(request: HttpRequest, order_id: RowId) -> Status[None]:
    """So that no person can take the coupon; also fine without a link. 409: a person took it."""
    gifts.take_back(order_id, user=auth.require_user(request))
    return Status(204, None)


@router.get(
    "/gifts/{token}",
    operation_id="getGift",
    auth=auth.optional_bearer,
    response=schemas.GiftOut,
    exclude_unset=True,
    summary="What a gift is",
    openapi_extra=documented.problems({401: ["not_logged_in"], 404: ["not_found"], 410: ["gift_gone"]}),
)
def show_gift(request: HttpRequest, token: str) -> Any:
    """For everybody who has its link. 410: it was taken, taken back, used or refunded, or it is too late."""
    found = gifts.find(token, viewer_id=auth.viewer_id(request))
    if isinstance(found, TakenGift):
        return {"order_id": str(found.order_id)}
    voucher = found.voucher
    return {
        "order_id": None,
        "voucher": voucher,
        "shop": voucher.shop,
        "giver": found.order.user.nickname,
        "words": found.words,
        "valid_until": found.order.valid_until,
        "expires_at": found.expires_at,
    }


@router.post(
    "/gifts/{token}/take",
    operation_id="takeGift",
    auth=auth.orders_bearer,
    response=schemas.OrderOut,
    exclude_unset=True,
    summary="Take a gift",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 404: ["not_found"], 409: ["own_gift"], 410: ["gift_gone"]}
        | {429: ["too_many_requests"]}
    ),
)
def take(request: HttpRequest, token: str) -> order_views.OrderView:
    """The order, which is now in your own list, with a new code to redeem. Again it is the same order.

    It can't be refunded or given on; unused when it expires, its money goes back to who paid.
    """
    user = auth.require_user(request)
    return order_views.get_own(gifts.take(token, user=user), user)
