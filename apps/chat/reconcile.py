"""Compares chats with their messages and members, and what streams were sent with what SQL has."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import chain

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef
from django.utils import timezone
from redis.exceptions import ResponseError

from apps.chat import keys, members, publishing
from apps.chat.models import Chat, Member
from apps.front.live.histories import parse_id
from apps.redis_kit import client, transport
from apps.redis_kit.findings import Finding
from apps.web import batches

BATCH_CHATS = 500
#: Chats with a message in this time may have untold ones: a web process died between the commit and Redis.
UNTOLD_PERIOD = timedelta(minutes=10)


def compare(fix: bool, after: int) -> Iterator[tuple[int, Iterator[Finding]]]:
    """Yield the last id of each batch of chats past `after`, and its differences; then those of streams."""
    for chat_ids in batches.iter_pk_chunks(Chat.objects.all(), BATCH_CHATS, after=after):
        yield chat_ids[-1], chain(_check_members(chat_ids, fix=fix), _check_numbers(chat_ids, fix=fix))
    yield after, _check_told(fix=fix)


def _check_members(chat_ids: list[int], *, fix: bool) -> Iterator[Finding]:
    """A chat without members, whose people deleted their accounts, has no last member to leave it."""
    rows = Chat.objects.filter(~Exists(Member.objects.filter(chat=OuterRef("pk"))), pk__in=chat_ids)
    for chat in rows:
        yield Finding(f"chat {chat.pk}", "members", "0", "no chat")
        if fix:
            with transaction.atomic():
                members.free(chat)


def _check_numbers(chat_ids: list[int], *, fix: bool) -> Iterator[Finding]:
    # Twice, and locked the second time: a message may be sent meanwhile.
    numbers = Chat.objects.filter(pk__in=chat_ids).annotate(
        last=Max("messages__number"), many=Count("messages")
    )
    for chat_id in [one.pk for one in numbers if not one.last_number == (one.last or 0) == one.many]:
        with transaction.atomic():
            rows = Chat.objects.select_for_update(no_key=True).filter(pk=chat_id)
            chat = rows.first()
            counted = rows.aggregate(last=Max("messages__number"), many=Count("messages"))
            last, many = counted["last"] or 0, counted["many"]
            if chat is None or chat.last_number == last == many:
                continue
            yield Finding(f"chat {chat_id}", "numbers", f"{chat.last_number}", f"{last}, of {many} messages")
            if fix:
                rows.update(last_number=last)


def _check_told(*, fix: bool) -> Iterator[Finding]:
    recent = Chat.objects.filter(last_at__gt=timezone.now() - UNTOLD_PERIOD)
    wanted = dict(recent.values_list("pk", "last_number"))
    commands = [("XREVRANGE", keys.EVENTS(chat=chat_id), "+", "-", "COUNT", 1) for chat_id in wanted]
    replies = transport.execute_many(client.get(), commands) if commands else []
    for (chat_id, last), reply in zip(wanted.items(), replies, strict=True):
        published = parse_id(reply[0][0])[0] if reply else 0
        if 0 < published < last:
            yield Finding(f"chat {chat_id}", "told", str(published), str(last))
            if fix:
                _tell(chat_id, published)


def _tell(chat_id: int, published: int) -> None:
    try:
        publishing.catch_up(chat_id, published)
    except ResponseError:
        # Entries were deleted from the stream, which takes none of their numbers again: pages load the chat.
        transport.execute(client.get(), ("DEL", keys.EVENTS(chat=chat_id)))
