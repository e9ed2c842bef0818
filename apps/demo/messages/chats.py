"""Makes the demo customer's chats: with two people, and a group; some messages are unread."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from apps.accounts.pictures import files as picture_files
from apps.blog.models import Note
from apps.chat import pictures
from apps.chat.models import Chat, Member, Message, Picture, build_pair
from apps.coupons.models import FlashSale
from apps.demo import photographs, texts
from apps.demo.people import CHINESE_EVERY
from apps.demo.social import roles
from apps.shops.models import Shop

#: Stands for the customer among the speakers of a chat, whose others are numbered from 1.
ME = 0


@dataclass(frozen=True)
class DemoMessage:
    """What a person said so many minutes ago; `shows` is a card's kind, or "picture"."""

    speaker: int
    minutes: int
    text: str = ""
    shows: str = ""


FRIEND, NEIGHBOUR, DINNER = (
    [DemoMessage(**line) for line in texts.read("chats")[name]] for name in ("friend", "neighbour", "dinner")
)


def make() -> int:
    """Make the customer's chats unless there are some; returns how many messages are new."""
    circle = roles.Roles.load()
    if Member.objects.filter(user=circle.customer_id).exists():
        return 0
    english = [each for place, each in enumerate(circle.regulars, start=1) if place % CHINESE_EVERY]
    chinese = [each for place, each in enumerate(circle.regulars, start=1) if not place % CHINESE_EVERY]
    me = circle.customer_id
    with transaction.atomic():
        _make_chat([me, english[0]], FRIEND, unread=2)
        _make_chat([me, chinese[0]], NEIGHBOUR, unread=0)
        _make_chat([me, english[1], english[2], chinese[1]], DINNER, unread=3, name="Friday dinner")
    return len(FRIEND) + len(NEIGHBOUR) + len(DINNER) + 1


def _make_chat(people: Sequence[int], lines: Sequence[DemoMessage], *, unread: int, name: str = "") -> None:
    first, last = (timezone.now() - timedelta(minutes=line.minutes) for line in (lines[0], lines[-1]))
    chat = Chat(name=name, creator_id=people[1], created_at=first, last_at=last)
    chat.pair = None if name else build_pair(*people)
    chat.save(force_insert=True)
    rows = [_build(chat, people, line, number) for number, line in enumerate(lines, start=2 if name else 1)]
    if name:
        opened = Message(chat=chat, number=1, author_id=people[1], kind=Message.Kind.JOINED, created_at=first)
        rows.insert(0, opened)
    Message.objects.bulk_create(rows)
    count = len(rows)
    Chat.objects.filter(pk=chat.pk).update(last_number=count)
    for place, user_id in enumerate(people):
        partner = None if name else people[1 - place]
        seen = count if place else count - unread
        Member.objects.create(
            chat=chat, user_id=user_id, partner_id=partner, seen_number=seen, joined_at=first
        )


def _build(chat: Chat, people: Sequence[int], line: DemoMessage, number: int) -> Message:
    message = Message(chat=chat, number=number, author_id=people[line.speaker], text=line.text)
    message.created_at = timezone.now() - timedelta(minutes=line.minutes)
    if line.shows == "picture":
        message.picture = _store_picture(people[line.speaker])
    elif line.shows:
        message.card_kind, message.card_id = line.shows, _find_card(line.shows, people)
    return message


def _find_card(kind: str, people: Sequence[int]) -> int | None:
    """The id of something to share: a good shop, a note of one of the given people, the next sale."""
    if kind == Message.Card.SHOP:
        return Shop.objects.open_to_public().order_by("-rating", "pk").values_list("pk", flat=True).first()
    if kind == Message.Card.NOTE:
        notes = Note.objects.published().filter(author__in=people[1:]).order_by("-likes", "pk")
        return notes.values_list("pk", flat=True).first()
    later = FlashSale.objects.filter(begins_at__gt=timezone.now(), voucher__is_offered=True)
    return later.order_by("begins_at").values_list("pk", flat=True).first()


def _store_picture(owner_id: int) -> Picture:
    drawn = photographs.prepare(photographs.of_theme("noodles")[0])
    row = Picture.objects.create(owner_id=owner_id, width=drawn.width, height=drawn.height)
    for name, content in ((row.name, drawn.large), (f"{row.name}-card", drawn.card)):
        default_storage.save(picture_files.file_path(pictures.FOLDER, name), ContentFile(content))
    return row
