"""Deliveries of webhooks: written in the transaction that changes the orders, signed, and sent one at a time.

They are signed as Standard Webhooks 1.0 says, so that its libraries verify them
(https://www.standardwebhooks.com). After a failure the webhook rests, twice as long each time, and all its
deliveries wait: so a receiver that is down costs one try a rest, whatever waits for it. After
SWITCH_OFF_AFTER without a success it is switched off, and the shop's owners hear of it.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, prefetch_related_objects
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons.models import VoucherOrder, Webhook, WebhookDelivery, WebhookEvent
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.outbox import outbox, sending
from apps.outbox.failures import NotSent, PermanentlyRefused, Postponed
from apps.outbox.models import Channel, Message
from apps.outbox.outbox import OutgoingMessage
from apps.queues.delayed import Priority
from apps.shops.models import ShopMember
from apps.web import outgoing_http, public_addresses
from apps.web.problems import Problem
from apps.web.stored_texts import Template

#: An event with its key among those of a webhook, its order, and its body.
_Event = tuple[str, int | None, str]
SECRET_PREFIX, SECRET_BYTES = "whsec_", 32
#: For the look-up of the name, and for the exchange after it.
LOOK_UP_SECONDS, EXCHANGE_SECONDS = 2.0, 5.0
#: With the pauses of the outbox these tries take about eleven hours.
MAX_TRIES = 20
SWITCH_OFF_AFTER = timedelta(days=3)
#: How long a delivery waits for another one to the same address.
BUSY_PAUSE = timedelta(seconds=1)
USER_AGENT = "Savor-Webhooks/1"
#: What notifications are about.
TARGET_KIND = "webhook"
SWITCHED_OFF = Template(gettext_noop("The webhook is switched off."))


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


def new_secret() -> str:
    """A secret that no person can guess."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def build_headers(secret: str, *, message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """The headers of a delivery: its id, the same in each try, the moment of this try, and the signature."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = b"%b.%d.%b" % (message_id.encode(), seconds, body)
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{signature}",
    }


def deliver(message: Message) -> None:
    """Deliver a message of the outbox; raises NotSent, PermanentlyRefused or Postponed."""
    delivery = WebhookDelivery.objects.select_related("webhook").filter(message=message).first()
    if delivery is None or not delivery.webhook.is_on:
        raise PermanentlyRefused(SWITCHED_OFF.fill())
    _occupy(delivery.webhook)
    began = time.monotonic()
    status, reason = _send(delivery.webhook, message)
    _record(delivery, status, began)
    if reason:
        _rest(delivery.webhook)
        raise NotSent(reason)
    Webhook.objects.filter(pk=delivery.webhook_id).update(failing_since=None, failures=0, rests_until=None)


def message_id(message: Message) -> str:
    """The id by which a receiver knows a delivery again, however often it is tried."""
    return f"msg_{hashlib.sha256(message.key.encode()).hexdigest()[:32]}"


def _occupy(webhook: Webhook) -> None:
    """Take the webhook for one delivery; Postponed while it rests or another has it."""
    now = timezone.now()
    lease = timedelta(seconds=LOOK_UP_SECONDS + EXCHANGE_SECONDS + 1)
    free = Webhook.objects.filter(Q(rests_until=None) | Q(rests_until__lte=now), pk=webhook.pk)
    if not free.update(rests_until=now + lease):
        row = Webhook.objects.get(pk=webhook.pk)
        # Without a failure another delivery is on its way, which takes milliseconds and not its whole lease.
        until = row.rests_until if row.failing_since else None
        raise Postponed(max(now + BUSY_PAUSE, until or now))


def _send(webhook: Webhook, message: Message) -> tuple[int | None, str]:
    """(status of the answer, why the delivery failed); None without an answer, "" when it succeeded."""
    body = message.text.encode()
    headers = build_headers(
        webhook.secret, message_id=message_id(message), seconds=int(time.time()), body=body
    )
    try:
        host = public_addresses.parse(webhook.url).hostname or ""
        answer = outgoing_http.exchange(
            "POST",
            webhook.url,
            seconds=EXCHANGE_SECONDS,
            headers={"Content-Type": "application/json", "User-Agent": USER_AGENT} | headers,
            body=body,
            address=public_addresses.resolve(host, seconds=LOOK_UP_SECONDS),
        )
    except (public_addresses.Unreachable, outgoing_http.NoAnswer) as error:
        return None, str(error)
    except Problem as refusal:
        # Good once, as on a demo, and no longer.
        return None, str(refusal.detail)
    if answer.is_success:
        return answer.status, ""
    # A redirect is none: nobody has checked where it leads.
    return answer.status, outgoing_http.ANSWERED.fill(status=answer.status)


def _record(delivery: WebhookDelivery, status: int | None, began: float) -> None:
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        status=status, milliseconds=int(1_000 * (time.monotonic() - began)), tried_at=timezone.now()
    )


def _rest(webhook: Webhook) -> None:
    """Let a webhook rest after a failure, or switch it off after days of them."""
    now = timezone.now()
    failing_since = webhook.failing_since or now
    rows = Webhook.objects.filter(pk=webhook.pk)
    rests_until = now + sending.retry_delay(webhook.failures + 1)
    rows.update(failures=F("failures") + 1, failing_since=failing_since, rests_until=rests_until)
    if now - failing_since >= SWITCH_OFF_AFTER:
        _switch_off(webhook, now)


def _switch_off(webhook: Webhook, now: datetime) -> None:
    with transaction.atomic():
        if Webhook.objects.switched_on().filter(pk=webhook.pk).update(switched_off_at=now):
            owners = ShopMember.objects.filter(shop=webhook.shop_id, role=ShopMember.Role.OWNER)
            notifications.notify(
                *(
                    Notice(
                        recipient_id=user_id,
                        kind=Kind.REPORT,
                        target_kind=TARGET_KIND,
                        target_id=webhook.pk,
                        text="webhook_off",
                        is_site_only=True,
                    )
                    for user_id in owners.values_list("user", flat=True)
                )
            )
