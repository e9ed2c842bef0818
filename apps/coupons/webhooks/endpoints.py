"""What owners do with the webhooks of their shop: register, change, try, send again, remove."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.adminkit import history
from apps.coupons.models import Webhook, WebhookDelivery, WebhookEvent, WebhookQuerySet
from apps.coupons.webhooks import deliveries
from apps.outbox import sending
from apps.outbox.models import Message, State
from apps.redis_kit.limiter import Limit
from apps.shops.models import Shop
from apps.web import paging, public_addresses, rate_limits
from apps.web.paging import Page
from apps.web.problems import Problem

#: Of one shop.
MAX_WEBHOOKS = 10
EVENTS = [event for event in WebhookEvent if event != WebhookEvent.TEST]
#: Registered, tried and sent again, by one person.
CHANGES = Limit(name="webhooks", family="coupons", allowed=60, period=timedelta(minutes=10))


def list_of(shop: Shop) -> WebhookQuerySet:
    """The webhooks of a shop, the oldest first."""
    return Webhook.objects.filter(shop=shop).order_by("pk")


def get(shop: Shop, webhook_id: int) -> Webhook:
    """A webhook of the shop; Http404 for another's."""
    return get_object_or_404(list_of(shop), pk=webhook_id)


def register(shop: Shop, user: User, *, url: str, events: Sequence[str]) -> Webhook:
    """Register an address; the row has the secret, which is not shown again.

    Problem 422 bad_address, 409 too_many_webhooks, 429.
    """
    charge(user)
    public_addresses.require_reachable(url, seconds=deliveries.LOOK_UP_SECONDS)
    with transaction.atomic():
        # One after another: two requests at once don't both find the last place free.
        Shop.objects.select_for_update().get(pk=shop.pk)
        if list_of(shop).count() >= MAX_WEBHOOKS:
            text = _("A shop has at most %(count)d webhooks. Remove one first.")
            raise Problem(409, "too_many_webhooks", text % {"count": MAX_WEBHOOKS})
        made = Webhook.objects.create(
            shop=shop, url=url.strip(), secret=deliveries.new_secret(), events=_join(events)
        )
        history.record_event(user.pk, str(shop), _("registered the webhook %(url)s") % {"url": made.url})
        return made


def change(
    webhook: Webhook,
    user: User,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    is_on: bool | None = None,
) -> Webhook:
    """Change what is given; switched on again, it begins without failures. Problem 422 bad_address, 429."""
    charge(user)
    if url is not None:
        public_addresses.require_reachable(url, seconds=deliveries.LOOK_UP_SECONDS)
        webhook.url = url.strip()
    if events is not None:
        webhook.events = _join(events)
    if is_on is not None:
        webhook.switched_off_at = None if is_on else webhook.switched_off_at or timezone.now()
        webhook.failing_since, webhook.failures, webhook.rests_until = None, 0, None
    webhook.save()
    return webhook


def remove(webhook: Webhook, user: User) -> None:
    """Remove a webhook with its deliveries; what waits for it is not sent any more."""
    with transaction.atomic():
        text = _("removed the webhook %(url)s") % {"url": webhook.url}
        history.record_event(user.pk, str(webhook.shop), text)
        # Their messages of the outbox take the deliveries with them.
        Message.objects.filter(webhook_delivery__webhook=webhook).delete()
        webhook.delete()


def send_test(webhook: Webhook, user: User) -> WebhookDelivery:
    """Send a test event at once; Problem 409 switched_off, 429."""
    charge(user)
    _require_on(webhook)
    return deliveries.publish_test(webhook)


def list_deliveries(
    webhook: Webhook, *, cursor: str = "", size: int = paging.PAGE_SIZE
) -> Page[WebhookDelivery]:
    """A page of deliveries, the newest first; BadCursor for a bad cursor."""
    rows: QuerySet[WebhookDelivery] = webhook.deliveries.select_related("message")
    return paging.fetch_page(rows, order=["-id"], types=[int], cursor=cursor, size=size)


def send_again(webhook: Webhook, delivery_id: int, user: User) -> WebhookDelivery:
    """Send a delivery again under its id; Http404 for another's, Problem 409 waiting or switched_off, 429."""
    charge(user)
    _require_on(webhook)
    delivery = get_object_or_404(webhook.deliveries.select_related("message"), pk=delivery_id)
    if not sending.resend([delivery.message], also_sent=True):
        raise Problem(409, "waiting", _("This delivery is on its way already."))
    delivery.message.state, delivery.message.attempts = State.WAITING, 0
    return delivery


def charge(user: User) -> None:
    """Count a change of webhooks by a person; Problem 429 past the limit."""
    rate_limits.charge([(CHANGES, user.pk)], _("That was a lot at once. Wait a few minutes, then go on."))


def _require_on(webhook: Webhook) -> None:
    if not webhook.is_on:
        raise Problem(409, "switched_off", _("Switch the webhook on first."))


def _join(events: Sequence[str]) -> str:
    return " ".join(event for event in EVENTS if event in set(events))
