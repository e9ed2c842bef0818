"""Telling the people who wait for a sale: a delayed job for each sale, and a sweep for jobs that were lost.

A reminder remembers the beginning that its person was told of, in the transaction that posts the message.
So a job that runs twice, or beside the sweep, tells nobody twice, and a sale that is moved is told of anew.
One that is moved away and back again has a beginning of which people were told before: the message itself
remembers that, however often its person took the wish back and asked again.
"""

import logging
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from apps.accounts.profiles import notification_counts
from apps.coupons.catalog import reminders
from apps.coupons.models import FlashSale, Reminder
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.outbox.outbox import OutgoingMessage
from apps.queues import delayed
from apps.redis_kit import client
from apps.web import on_commit

#: tasks.tell_of_sale by its name: it imports this.
TASK_NAME = "apps.coupons.tasks.tell_of_sale"
#: People in one transaction.
MAX_BATCH = 500
log = logging.getLogger(__name__)


def schedule(sale: FlashSale) -> None:
    """Have those who wait told when it is time; replaces the job of an earlier beginning."""
    if sale.begins_at <= timezone.now():
        return
    try:
        at = sale.begins_at - reminders.LEAD_TIME
        delayed.schedule_many([delayed.Job(TASK_NAME, [sale.pk], at, f"sale:remind:{sale.pk}")])
    except client.UNAVAILABLE:
        log.warning("reminders of sale %s are left to the sweep: the broker is away", sale.pk)


def deliver_for_sale(sale_id: int) -> int:
    """Tell everybody who waits for that sale if it begins within minutes; how many waited."""
    told = 0
    while some := _deliver_batch(sale_id):
        told += some
    return told


def deliver_missed() -> int:
    """Tell those whom a lost job left waiting; how many."""
    untold = Reminder.objects.untold().filter(sale=OuterRef("pk"))
    return sum(
        deliver_for_sale(sale_id)
        for sale_id in _sales_about_to_begin().filter(Exists(untold)).values_list("pk", flat=True)
    )


def _deliver_batch(sale_id: int) -> int:
    with transaction.atomic():
        # Locked: its beginning can't be moved, nor another teller begin, before these people are marked.
        sale = _sales_about_to_begin().select_for_update(of=("self",)).filter(pk=sale_id).first()
        if sale is None:
            return 0
        untold = Reminder.objects.untold().filter(sale=sale).select_related("user").order_by("pk")
        some = list(untold[:MAX_BATCH])
        Reminder.objects.filter(pk__in=[one.pk for one in some]).update(told_for=sale.begins_at)
        _post_messages(sale, [one for one in some if one.user.is_active])
    return len(some)


def _sales_about_to_begin() -> QuerySet[FlashSale]:
    now = timezone.now()
    offered = FlashSale.objects.filter(voucher__is_offered=True, voucher__shop__is_listed=True)
    near = offered.filter(begins_at__gt=now, begins_at__lte=now + reminders.LEAD_TIME)
    return near.select_related("voucher__shop")


def _post_messages(sale: FlashSale, some: Sequence[Reminder]) -> None:
    told = outbox.existing_keys(_message_key(sale, one) for one in some)
    new = [one for one in some if _message_key(sale, one) not in told]
    outbox.post_many(_build_message(sale, one) for one in new)
    on_commit.run_after_commit(_notify_mailboxes, [one.user_id for one in new])


def _message_key(sale: FlashSale, one: Reminder) -> str:
    """One message for each person and beginning."""
    return f"sale:{sale.pk}:{sale.begins_at.timestamp():.6f}:{one.user_id}"


def _build_message(sale: FlashSale, one: Reminder) -> OutgoingMessage:
    with translation.override(one.user.message_language):
        said = {
            "title": sale.voucher.title,
            "shop": sale.voucher.shop.name,
            "time": f"{timezone.localtime(sale.begins_at):%H:%M}",
            "url": f"{settings.SITE_URL}{sale.voucher.get_absolute_url()}",
        }
        text = _("“%(title)s” at %(shop)s is on sale from %(time)s. First come, first served: %(url)s") % said
    # A little late it is still of use: there may be units left.
    until = sale.begins_at + reminders.LEAD_TIME
    return OutgoingMessage(
        channel=Channel.SMS, to=one.user.phone, text=text, key=_message_key(sale, one), until=until
    )


def _notify_mailboxes(user_ids: Sequence[int]) -> None:
    for user_id in user_ids:
        notification_counts.add(user_id, notification_counts.Kind.SALE)
