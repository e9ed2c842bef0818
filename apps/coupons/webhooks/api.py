"""The API of a shop's webhooks, for its owners."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.coupons.models import Webhook, WebhookDelivery
from apps.coupons.webhooks import deliveries, endpoints
from apps.shops.members import own_shops
from apps.web import paging, public_addresses
from apps.web.problems import Body, RowId, documented

router = Router()
_PROBLEMS = {401: ["not_logged_in"], 403: ["forbidden"], 404: ["not_found"]}
_CHANGE_PROBLEMS = _PROBLEMS | {422: ["invalid", "bad_address"], 429: ["too_many_requests"]}
_SEND_PROBLEMS = _PROBLEMS | {409: ["switched_off", "waiting"], 429: ["too_many_requests"]}
Url = Annotated[
    str,
    Field(min_length=1, max_length=public_addresses.MAX_URL_LENGTH, examples=["https://example.org/hook"]),
]
EventName = Literal["order.paid", "order.used", "order.refunded", "order.expired"]
Events = Annotated[
    list[EventName], Field(min_length=1, max_length=len(endpoints.EVENTS), description="what it hears of")
]


class WebhookIn(Body):
    url: Url
    events: Events


class WebhookChange(Body):
    """What is left out stays."""

    url: Url | None = None
    events: Annotated[Events | None, Field(description="what it hears of from now on")] = None
    is_on: bool | None = Field(None, description="whether events are sent there")


class WebhookOut(Schema):
    id: int
    url: str
    events: list[EventName] = Field(validation_alias="event_list", description="what it hears of")
    is_on: bool = Field(description="false: by an owner, or after days without a success")
    failing_since: datetime | None = Field(description="UTC; null after a success")
    created_at: datetime = Field(description="UTC")


class NewWebhookOut(WebhookOut):
    secret: str = Field(description="verifies the signatures of deliveries; this answer alone has it")


class WebhooksOut(Schema):
    items: list[WebhookOut]
    next: paging.Next = None


class WebhookDeliveryOut(Schema):
    id: int
    webhook_id: str = Field(description="the header `webhook-id`, the same in each try")
    event: EventName | Literal["test"] = Field(description="what it is about")
    order_id: str | None = Field(description="null in a test")
    state: Literal["waiting", "sent", "failed"] = Field(description="whether it has arrived")
    attempts: int = Field(description="tries so far")
    status: int | None = Field(description="the HTTP status of the last answer; null without one")
    milliseconds: int | None = Field(description="that the last try took")
    error: str = Field(description="why the last try failed")
    created_at: datetime = Field(description="UTC")
    next_try_at: datetime | None = Field(description="UTC; null unless it waits")


class WebhookDeliveriesOut(Schema):
    items: list[WebhookDeliveryOut]
    next: paging.Next


@router.get(
    "/shops/{shop_id}/webhooks",
    operation_id="listShopWebhooks",
    auth=auth.orders_bearer,
    response=WebhooksOut,
    summary="The webhooks of my shop",
    openapi_extra=documented.problems(_PROBLEMS | {422: ["invalid", "bad_cursor"]}),
)
def list_webhooks(
    request: HttpRequest, shop_id: RowId, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """For its owners only; 10 at most."""
    found = list(endpoints.list_of(own_shops.require_owned_shop(shop_id, auth.require_user(request))))
    kind = f"webhooks:{shop_id}"
    page = paging.cut_list(found, key=lambda row: row.pk, kind=kind, cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.post(
    "/shops/{shop_id}/webhooks",
    operation_id="createWebhook",
    auth=auth.orders_bearer,
    response={201: NewWebhookOut},
    summary="Register a webhook for my shop",
    openapi_extra=documented.problems(_CHANGE_PROBLEMS | {409: ["too_many_webhooks"]}),
)
def create_webhook(request: HttpRequest, shop_id: RowId, body: WebhookIn) -> Status[Webhook]:
    """Each event is sent as a POST, signed as Standard Webhooks says: see docs/webhooks.md.

    The address is public, with https and port 443 or 8443.
    """
    user = auth.require_user(request)
    shop = own_shops.require_owned_shop(shop_id, user)
    return Status(201, endpoints.register(shop, user, url=body.url, events=body.events))


@router.patch(
    "/shops/{shop_id}/webhooks/{webhook_id}",
    operation_id="changeWebhook",
    auth=auth.orders_bearer,
    response=WebhookOut,
    summary="Change a webhook, or switch it on or off",
    openapi_extra=documented.problems(_CHANGE_PROBLEMS),
)
def change_webhook(request: HttpRequest, shop_id: RowId, webhook_id: RowId, change: WebhookChange) -> Webhook:
    """Its secret stays, and what is left out; it needs an address, events, and to be on or off."""
    sent = change.dict(exclude_unset=True)
    if missing := [name for name, value in sent.items() if value is None]:
        raise ValidationError(dict.fromkeys(missing, str(forms.Field.default_error_messages["required"])))
    return endpoints.change(_find(request, shop_id, webhook_id), auth.require_user(request), **sent)


@router.delete(
    "/shops/{shop_id}/webhooks/{webhook_id}",
    operation_id="removeWebhook",
    auth=auth.orders_bearer,
    response={204: None},
    summary="Remove a webhook",
    openapi_extra=documented.problems(_PROBLEMS),
)
def remove_webhook(request: HttpRequest, shop_id: RowId, webhook_id: RowId) -> Status[None]:
    """What waits for it is not sent any more."""
    endpoints.remove(_find(request, shop_id, webhook_id), auth.require_user(request))
    return Status(204, None)


@router.post(
    "/shops/{shop_id}/webhooks/{webhook_id}/test",
    operation_id="testWebhook",
    auth=auth.orders_bearer,
    response={202: WebhookDeliveryOut},
    summary="Send a test event",
    openapi_extra=documented.problems(_SEND_PROBLEMS),
)
def test_webhook(request: HttpRequest, shop_id: RowId, webhook_id: RowId) -> Status[dict[str, Any]]:
    """Of the type `test`; its result is listed among the deliveries seconds later."""
    found = endpoints.send_test(_find(request, shop_id, webhook_id), auth.require_user(request))
    return Status(202, _build_delivery(found))


@router.get(
    "/shops/{shop_id}/webhooks/{webhook_id}/deliveries",
    operation_id="listWebhookDeliveries",
    auth=auth.orders_bearer,
    response=WebhookDeliveriesOut,
    summary="What was sent to a webhook",
    openapi_extra=documented.problems(_PROBLEMS | {422: ["invalid", "bad_cursor"]}),
)
def list_deliveries(
    request: HttpRequest,
    shop_id: RowId,
    webhook_id: RowId,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
) -> dict[str, Any]:
    """The newest first; sent ones are kept for ninety days."""
    webhook = _find(request, shop_id, webhook_id)
    page = endpoints.list_deliveries(webhook, cursor=cursor, size=size)
    return {"items": list(map(_build_delivery, page.items)), "next": page.next}


@router.post(
    "/shops/{shop_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/resend",
    operation_id="resendWebhookDelivery",
    auth=auth.orders_bearer,
    response={202: WebhookDeliveryOut},
    summary="Send a delivery again",
    openapi_extra=documented.problems(_SEND_PROBLEMS),
)
def resend_delivery(
    request: HttpRequest, shop_id: RowId, webhook_id: RowId, delivery_id: RowId
) -> Status[dict[str, Any]]:
    """With the same `webhook-id`, also when it had arrived."""
    webhook = _find(request, shop_id, webhook_id)
    found = endpoints.send_again(webhook, delivery_id, auth.require_user(request))
    return Status(202, _build_delivery(found))


def _find(request: HttpRequest, shop_id: int, webhook_id: int) -> Webhook:
    return endpoints.get(own_shops.require_owned_shop(shop_id, auth.require_user(request)), webhook_id)


def _build_delivery(delivery: WebhookDelivery) -> dict[str, Any]:
    message = delivery.message
    return {
        "id": delivery.pk,
        "webhook_id": deliveries.message_id(message),
        "event": delivery.event,
        "order_id": str(delivery.order_id) if delivery.order_id else None,
        "state": message.state,
        "attempts": message.attempts,
        "status": delivery.status,
        "milliseconds": delivery.milliseconds,
        "error": message.last_error,
        "created_at": delivery.created_at,
        "next_try_at": message.next_try_at if message.state == "waiting" else None,
    }
