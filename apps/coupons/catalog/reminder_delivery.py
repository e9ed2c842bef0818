"""Sends reminders of a sale: a delayed job for each sale, and a sweep for jobs that were lost.

The transaction that posts a message also records in the reminder which beginning it announced. So a job
that runs twice, or beside the sweep, sends nothing twice, and a sale that is moved is announced again. A sale
moved away and back has a beginning that was announced before: the message's key prevents a second one.
"""

import logging
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from apps.coupons.catalog import reminders
from apps.coupons.models import FlashSale, Reminder
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.outbox.outbox import OutgoingMessage
from apps.queues import delayed
from apps.redis_kit import client

#: tasks.tell_of_sale by its name: it imports this.
TASK_NAME = "apps.coupons.tasks.tell_of_sale"
#: Reminders in one transaction.
MAX_BATCH = 500
log = logging.getLogger(__name__)


def schedule(sale: FlashSale) -> None:
    """Schedule the reminders of a sale; replaces the job of an earlier beginning."""
    if sale.begins_at <= timezone.now():
        return
    try:
        at = sale.begins_at - reminders.LEAD_TIME
        delayed.schedule_many([delayed.Job(TASK_NAME, [sale.pk], at, f"sale:remind:{sale.pk}")])
    except client.UNAVAILABLE:
        log.warning("reminders of sale %s are left to the sweep: the broker is away", sale.pk)


def deliver_for_sale(sale_id: int) -> int:
    """Send the sale's reminders if it begins within minutes; returns how many there were."""
    delivered = 0
    while batch_size := _deliver_batch(sale_id):
        delivered += batch_size
    return delivered


def deliver_missed() -> int:
    """Send the reminders whose job was lost; returns how many there were."""
    untold = Reminder.objects.untold().filter(sale=OuterRef("pk"))
    return sum(
        deliver_for_sale(sale_id)
        for sale_id in _sales_about_to_begin().filter(Exists(untold)).values_list("pk", flat=True)
    )


def _deliver_batch(sale_id: int) -> int:
    with transaction.atomic():
        # Locked: its beginning can't be moved, nor another worker start, before these reminders are marked.
        sale = _sales_about_to_begin().select_for_update(of=("self",)).filter(pk=sale_id).first()
        if sale is None:
            return 0
        untold = Reminder.objects.untold().filter(sale=sale).select_related("user").order_by("pk")
        batch = list(untold[:MAX_BATCH])
        Reminder.objects.filter(pk__in=[reminder.pk for reminder in batch]).update(told_for=sale.begins_at)
        _post_messages(sale, [reminder for reminder in batch if reminder.user.is_active])
    return len(batch)


def _sales_about_to_begin() -> QuerySet[FlashSale]:
    now = timezone.now()
    offered = FlashSale.objects.filter(voucher__is_offered=True, voucher__shop__is_listed=True)
    near = offered.filter(begins_at__gt=now, begins_at__lte=now + reminders.LEAD_TIME)
    return near.select_related("voucher__shop")


def _post_messages(sale: FlashSale, batch: Sequence[Reminder]) -> None:
    sent_keys = outbox.existing_keys(_message_key(sale, reminder) for reminder in batch)
    new = [reminder for reminder in batch if _message_key(sale, reminder) not in sent_keys]
    notifications.notify(
        *(
            Notice(
                recipient_id=reminder.user_id,
                kind=Kind.SALE,
                target_kind="sale",
                target_id=sale.pk,
                sms=_build_message(sale, reminder),
            )
            for reminder in new
        )
    )


def _message_key(sale: FlashSale, reminder: Reminder) -> str:
    """One message for each person and beginning."""
    return f"sale:{sale.pk}:{sale.begins_at.timestamp():.6f}:{reminder.user_id}"


def _build_message(sale: FlashSale, reminder: Reminder) -> OutgoingMessage:
    with translation.override(reminder.user.message_language):
        values = {
            "title": sale.voucher.title,
            "shop": sale.voucher.shop.name,
            "time": f"{timezone.localtime(sale.begins_at):%H:%M}",
            "url": f"{settings.SITE_URL}{sale.voucher.get_absolute_url()}",
        }
        text = _("“%(title)s” at %(shop)s is on sale from %(time)s. First come, first served: %(url)s")
    # A late message is still of use: there may be stock left.
    until = sale.begins_at + reminders.LEAD_TIME
    return OutgoingMessage(
        channel=Channel.SMS,
        to=reminder.user.phone,
        text=text % values,
        key=_message_key(sale, reminder),
        until=until,
    )
