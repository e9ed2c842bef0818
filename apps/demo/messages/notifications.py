"""The customer's notifications in the demo city, of several kinds and partly unread."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from apps.accounts.models import User
from apps.blog.models import Comment, Like, Note
from apps.chat.models import Member
from apps.coupons.models import Status, VoucherOrder
from apps.demo import logins
from apps.follows.models import Follow
from apps.mailbox import broadcasts
from apps.mailbox.models import (
    MAX_NAMES,
    MAX_TEXT_LENGTH,
    NEVER,
    Audience,
    Broadcast,
    Notification,
    NotificationActor,
)
from apps.mailbox.notices import Kind

#: What is older has been read.
READ_AFTER = timedelta(days=2)
#: What the site says of an order in each status.
ORDER_TEXTS = {
    Status.PAID: "paid",
    Status.USED: "used",
    Status.CANCELLED: "timed-out",
    Status.REFUNDED: "refunded",
}
#: A person, and when they did it.
Share = tuple[int, datetime]


def make() -> int:
    """Notify the customer of all that happened, unless that was done; how many notifications there are."""
    customer = User.objects.get(phone=logins.CUSTOMER_PHONE)
    if Notification.objects.filter(recipient=customer).exists():
        return 0
    made = [
        *_tell_of_likes(customer),
        *_tell_of_comments(customer),
        *_tell_of_followers(customer),
        *_tell_of_orders(customer),
        *_tell_of_chats(customer),
    ]
    _write_from_site(customer)
    return len(made)


def _tell_of_likes(customer: User) -> Iterator[Notification]:
    for note in Note.objects.published().filter(author=customer):
        likes = Like.objects.filter(note=note).order_by("-created_at").values_list("user", "created_at")
        shares = [(user_id, at) for user_id, at in likes if user_id != customer.pk]
        yield from _tell(customer, Kind.LIKE, "note", note.pk, shares)


def _tell_of_comments(customer: User) -> Iterator[Notification]:
    rows = Comment.objects.visible().filter(note__author=customer, note__status=Note.Status.PUBLISHED)
    for comment in rows.exclude(author=customer):
        share = (comment.author_id, comment.created_at)
        yield from _tell(customer, Kind.COMMENT, "comment", comment.pk, [share], comment.text)


def _tell_of_followers(customer: User) -> Iterator[Notification]:
    follows = Follow.objects.filter(followee=customer).order_by("-created_at")
    yield from _tell(customer, Kind.FOLLOW, "", 0, list(follows.values_list("follower", "created_at")))


def _tell_of_orders(customer: User) -> Iterator[Notification]:
    """What became of each order, as the site tells it when it happens."""
    for order in VoucherOrder.objects.filter(user=customer).exclude(status=Status.UNPAID):
        at = order.refunded_at or order.cancelled_at or order.used_at or order.paid_at or order.accepted_at
        is_refund = order.status == Status.REFUNDED
        text = "expired" if is_refund and order.has_lapsed else ORDER_TEXTS[Status(order.status)]
        yield Notification.objects.create(
            recipient=customer,
            kind=Kind.REFUND if is_refund else Kind.ORDER,
            target_kind="order",
            target_id=order.pk,
            text=text,
            latest_at=at,
            read_to=_read_to(at),
        )


def _tell_of_chats(customer: User) -> Iterator[Notification]:
    for row in Member.objects.filter(user=customer, chat__pair=None).select_related("chat"):
        share = (row.chat.creator_id or 0, row.joined_at)
        yield from _tell(customer, Kind.CHAT, "chat", row.chat_id, [share])


def _read_to(latest: datetime) -> datetime:
    return latest if latest < timezone.now() - READ_AFTER else NEVER


def _tell(
    customer: User,
    kind: Kind,
    target_kind: str,
    target_id: int,
    shares: Sequence[Share],
    text: str = "",
) -> Iterator[Notification]:
    """Write a notification of the given people, the latest first; none without people."""
    if not shares:
        return
    latest = shares[0][1]
    row = Notification.objects.create(
        recipient=customer,
        kind=kind,
        target_kind=target_kind,
        target_id=target_id,
        text=text[:MAX_TEXT_LENGTH],
        actor_count=len(shares),
        recent_actors=",".join(str(user_id) for user_id, _at in shares[:MAX_NAMES]),
        latest_at=latest,
        read_to=_read_to(latest),
    )
    NotificationActor.objects.bulk_create(
        NotificationActor(notification=row, actor_id=user_id, at=at) for user_id, at in shares
    )
    yield row


def _write_from_site(customer: User) -> None:
    """A message of the site, which a list of one person gets."""
    found = Broadcast.objects.create(
        title_en="Welcome to Savor",
        title_zh="欢迎来到 Savor",
        text_en="Here you read who liked your notes, and what became of your orders.",
        text_zh="谁赞了你的笔记，订单有什么进展，都在这里。",
        path="/sales/",
        audience=Audience.LIST,
        people=[customer.pk],
        people_count=1,
    )
    broadcasts.send(found.pk)
    broadcasts.work_on(found.pk)
