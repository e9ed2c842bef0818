"""Writes the deliveries of an event, in the transaction that changes the orders."""

import json
import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import prefetch_related_objects
from django.utils import timezone

from apps.coupons.models import VoucherOrder, Webhook, WebhookDelivery, WebhookEvent
from apps.outbox import outbox
from apps.outbox.models import Channel, Message
from apps.outbox.outbox import OutgoingMessage
from apps.queues.delayed import Priority

#: An event with its key among those of a webhook, its order, and its body.
_Event = tuple[str, int | None, str]


def publish(orders: Sequence[VoucherOrder], event: WebhookEvent) -> None:
    """Write a delivery for each order and each webhook of its shop that hears of the event.

    One query where no shop has a webhook and the orders know their vouchers, a constant number else.
    """
    prefetch_related_objects(orders, "voucher")
    by_shop: dict[int, list[VoucherOrder]] = {}
    for order in orders:
        by_shop.setdefault(order.voucher.shop_id, []).append(order)
    for webhook in Webhook.objects.switched_on().filter(shop__in=by_shop):
        if event in webhook.event_list:
            _post(webhook, event, [_build_event(event, order) for order in by_shop[webhook.shop_id]])


def publish_test(webhook: Webhook) -> WebhookDelivery:
    """Write a delivery without an order, which only says that the way is open."""
    body, key = _render(WebhookEvent.TEST, {"shop_id": webhook.shop_id}), f"test:{secrets.token_hex(8)}"
    with transaction.atomic():
        _post(webhook, WebhookEvent.TEST, [(key, None, body)])
        return WebhookDelivery.objects.get(message__key=_key(webhook, key))


def _build_event(event: WebhookEvent, order: VoucherOrder) -> _Event:
    return f"{event}:{order.pk}", order.pk, _render(event, _describe(order))


def _key(webhook: Webhook, key: str) -> str:
    return f"hook:{webhook.pk}:{key}"


def _post(webhook: Webhook, event: WebhookEvent, events: Sequence[_Event]) -> None:
    keys = [_key(webhook, key) for key, _order_id, _body in events]
    outbox.post_many(
        OutgoingMessage(
            channel=Channel.WEBHOOK, to=str(webhook.pk), text=body, key=key, priority=Priority.LOW
        )
        for key, (_key, _order_id, body) in zip(keys, events, strict=True)
    )
    ids = dict(Message.objects.filter(key__in=keys).values_list("key", "pk"))
    rows = [
        WebhookDelivery(webhook=webhook, message_id=ids[key], event=event, order_id=order_id)
        for key, (_key, order_id, _body) in zip(keys, events, strict=True)
    ]
    WebhookDelivery.objects.bulk_create(rows, ignore_conflicts=True)


def _render(event: WebhookEvent, data: dict[str, object]) -> str:
    about = {"type": event.value, "timestamp": timezone.now().isoformat(), "data": data}
    return json.dumps(about, ensure_ascii=False, separators=(",", ":"))


def _describe(order: VoucherOrder) -> dict[str, object]:
    """What a shop's program hears of an order: nothing of its buyer, and no code that is worth money."""
    times = {name: getattr(order, name) for name in ("paid_at", "used_at", "refunded_at")}
    return {
        "order_id": str(order.pk),
        "status": order.status,
        "shop_id": order.voucher.shop_id,
        "voucher_id": order.voucher_id,
        "voucher_title": order.voucher.title,
        "price": order.price,
        "currency": order.currency,
        **{name: at.isoformat() if at else None for name, at in times.items()},
    }
