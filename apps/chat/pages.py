"""What pages show of chats: messages with their cards, a chat's page, people that may be invited, targets."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypedDict

from django.core.files.uploadedfile import UploadedFile
from django.db.models import Count, Exists, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.relations import blocks, contacts
from apps.blog.models import Note
from apps.chat import messages, pictures
from apps.chat.chat_rows import ChatRow
from apps.chat.models import DELETE_PERIOD, MAX_MESSAGE_LENGTH, Member, Message
from apps.coupons.models import Voucher
from apps.follows import graph
from apps.mailbox.display import Target
from apps.shops import money
from apps.shops.models import Shop
from apps.web import characters

MAX_TITLE_LENGTH = 80
#: The kind of a card and its row's id.
CardKey = tuple[str, int]
PAGE_SIZE = messages.PAGE_SIZE
#: Messages that a page which lost its stream fetches at once.
MAX_MISSED = messages.MAX_PAGE_SIZE
#: People whom the list looks through, and whom it shows.
MAX_KNOWN, MAX_SHOWN = 500, 30


class CardDict(TypedDict):
    """What a card shows; `picture` is a URL."""

    title: str
    line: str
    url: str
    picture: str


@dataclass(frozen=True)
class MessageRow:
    """A message on a page.

    `day` is set where another day begins, `is_first` where another author does, `is_new` above the first
    that the reader has not seen. `card` is None for a card whose thing is gone.
    """

    message: Message
    day: date | None
    is_first: bool
    is_own: bool
    is_new: bool
    may_delete: bool
    card: CardDict | None


def build_rows(
    rows: Sequence[Message], *, viewer_id: int, seen_number: int | None = None
) -> list[MessageRow]:
    """The rows of messages in their order; one query a kind of card.

    `seen_number` is the reader's; None where no line marks the new ones.
    """
    shared = load_for(rows)
    before: Message | None = None
    built = []
    for message in rows:
        is_other_day = before is None or _day(before) != _day(message)
        is_new = seen_number is not None and _is_first_unseen(message, before, seen_number)
        built.append(
            MessageRow(
                message=message,
                day=_day(message) if is_other_day else None,
                is_first=is_other_day or is_new or not _continues(before, message),
                is_own=message.author_id == viewer_id,
                is_new=is_new,
                may_delete=may_delete(message, viewer_id),
                card=shared.get((message.card_kind, message.card_id or 0)),
            )
        )
        before = message
    return built


def may_delete(message: Message, viewer_id: int) -> bool:
    """Whether the viewer wrote the message and may still delete it."""
    is_fresh = message.created_at > timezone.now() - DELETE_PERIOD
    is_own = message.author_id == viewer_id and message.kind == Message.Kind.TEXT
    return is_own and is_fresh and not message.is_gone


def _day(message: Message) -> date:
    return timezone.localtime(message.created_at).date()


def _continues(before: Message | None, message: Message) -> bool:
    if before is None or before.kind != Message.Kind.TEXT or message.kind != Message.Kind.TEXT:
        return False
    return before.author_id == message.author_id


def _is_first_unseen(message: Message, before: Message | None, seen_number: int) -> bool:
    return message.number > seen_number and before is not None and before.number <= seen_number


def load_for(messages: Iterable[Message]) -> dict[CardKey, CardDict]:
    """The cards of messages, without those whose thing is gone; at most three queries a kind."""
    ids_by_kind: dict[str, set[int]] = defaultdict(set)
    for message in messages:
        if message.card_kind and message.card_id and not message.is_gone:
            ids_by_kind[message.card_kind].add(message.card_id)
    return {
        (kind, row_id): card
        for kind, ids in ids_by_kind.items()
        for row_id, card in _LOADERS[kind](ids).items()
    }


def load_one(kind: str, row_id: int) -> CardDict | None:
    """One card; None for an unknown kind, or when its thing is gone."""
    return _LOADERS[kind]([row_id]).get(row_id) if kind in _LOADERS else None


def _load_notes(ids: Collection[int]) -> dict[int, CardDict]:
    return {note.pk: _build_note(note) for note in Note.objects.published().with_cards().filter(pk__in=ids)}


def _load_shops(ids: Collection[int]) -> dict[int, CardDict]:
    return {shop.pk: _build_shop(shop) for shop in Shop.objects.open_to_public().filter(pk__in=ids)}


def _load_vouchers(ids: Collection[int]) -> dict[int, CardDict]:
    rows = Voucher.objects.offered().select_related("shop").filter(pk__in=ids)
    return {voucher.pk: _build_voucher(voucher) for voucher in rows}


def _build_note(note: Note) -> CardDict:
    photos = list(note.photos.all())
    return CardDict(
        title=(note.title or note.text)[:MAX_TITLE_LENGTH] or note.shop.name,
        line=f"{note.author.nickname} · {note.shop.name}",
        url=note.get_absolute_url(),
        picture=photos[0].card_url if photos else note.shop.cover_url,
    )


def _build_shop(shop: Shop) -> CardDict:
    return CardDict(title=shop.name, line=shop.place, url=shop.get_absolute_url(), picture=shop.cover_url)


def _build_voucher(voucher: Voucher) -> CardDict:
    price = money.format_amount(voucher.price, voucher.currency)
    return CardDict(
        title=voucher.title,
        line=f"{price} · {voucher.shop.name}",
        url=voucher.get_absolute_url(),
        picture=voucher.cover_url,
    )


_LOADERS: dict[str, Callable[[Collection[int]], Mapping[int, CardDict]]] = {
    Message.Card.NOTE: _load_notes,
    Message.Card.SHOP: _load_shops,
    Message.Card.SALE: _load_vouchers,
    Message.Card.VOUCHER: _load_vouchers,
}


def build_page(row: ChatRow, user_id: int, *, before: int | None = None, draft: str = "") -> dict[str, Any]:
    """A page's content: the newest messages, or those before a number; a line is drawn above unread ones."""
    seen_number = max(row.member.seen_number, row.member.joined_number) if row.unread else None
    part = build_page_part(row, user_id, before=before, seen_number=seen_number)
    partner_id = row.partner.pk if row.partner else 0
    return part | {
        "row": row,
        "draft": draft,
        "before": before,
        "max_length": MAX_MESSAGE_LENGTH,
        "is_gone": not partner_id and not row.chat.is_group,
        "is_apart": bool(partner_id) and blocks.are_apart(user_id, partner_id),
    }


def build_page_part(
    row: ChatRow,
    user_id: int,
    *,
    before: int | None = None,
    after: int | None = None,
    seen_number: int | None = None,
) -> dict[str, Any]:
    """A list of messages: the newest ones, those before a number, or those after one."""
    size = PAGE_SIZE if after is None else MAX_MISSED
    found = messages.history(user_id, row.chat.pk, before=before, after=after, size=size)
    has_older = after is None and len(found) == PAGE_SIZE and found[0].number > row.member.joined_number + 1
    return {
        "chat": row.chat,
        "rows": build_rows(found, viewer_id=user_id, seen_number=seen_number),
        "older": found[0].number if has_older else None,
    }


def send(
    user: User,
    chat_id: int,
    *,
    text: str,
    client_id: str,
    picture: "UploadedFile[bytes] | None",
    mention_ids: Collection[int] = (),
) -> Message:
    """Send what the form holds; ValidationError, and the problems of messages.post and pictures.upload."""
    known = Message.objects.with_people().filter(chat=chat_id, author=user, client_id=client_id)
    if client_id and picture and (sent := known.first()):
        # Sent again because its answer was lost: the picture is there already.
        return sent
    kept = pictures.upload(user, picture) if picture else None
    picture_id = kept.pk if kept else None
    return messages.post(
        user.pk, chat_id, text, client_id=client_id, picture_id=picture_id, mention_ids=mention_ids
    )


@dataclass(frozen=True)
class Choice:
    """A person with a box to tick."""

    person: User
    is_picked: bool


def list_choices(
    user_id: int, *, words: str = "", picked: Sequence[int] = (), without: Collection[int] = ()
) -> list[Choice]:
    """Picked people, then known ones whose name has these words; `without` are those in the chat already."""
    left_out = {user_id, *without, *blocks.apart_from(user_id)}
    chosen = [each for each in dict.fromkeys(picked) if each not in left_out]
    known = [each for each in _known_ids(user_id) if each not in left_out and each not in chosen]
    people = User.objects.listed().in_bulk([*chosen, *known[:MAX_KNOWN]])
    typed = characters.fold(words)
    named = [each for each in known if each in people and typed in characters.fold(people[each].nickname)]
    picks = [Choice(people[each], is_picked=True) for each in chosen if each in people]
    return picks + [Choice(people[each], is_picked=False) for each in named[:MAX_SHOWN]]


def _known_ids(user_id: int) -> list[int]:
    """The ids of recent contacts, then of followed people."""
    return list(dict.fromkeys([*contacts.recent(user_id), *sorted(graph.followed_ids(user_id))]))


class ChatTargets:
    """Chats that the reader is in."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        rows = _load_memberships(ids, reader_id)
        titles = _build_titles(rows)
        return {row.chat_id: Target(titles[row.chat_id], _build_url(row.chat_id)) for row in rows}


class MessageTargets:
    """Messages that the reader may see: they bear the title of their chat."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Three queries."""
        found = [message for message in Message.objects.filter(pk__in=ids) if not message.is_gone]
        rows = _load_memberships({message.chat_id for message in found}, reader_id)
        titles, memberships = _build_titles(rows), {row.chat_id: row for row in rows}
        return {
            message.pk: Target(titles[message.chat_id], _build_message_url(message, row))
            for message in found
            if (row := memberships.get(message.chat_id)) and message.number > row.joined_number
        }


class NewsTargets:
    """Chats with news that the reader has not seen, unless they muted them; the title says so."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        news = Exists(Message.objects.news_of_outer_member())
        rows = list(_query_memberships(ids, reader_id).filter(news, is_muted=False))
        titles = _build_titles(rows)
        return {
            row.chat_id: Target(_("New messages: %s") % titles[row.chat_id], _build_url(row.chat_id))
            for row in rows
        }


def _query_memberships(chat_ids: Collection[int], reader_id: int) -> QuerySet[Member]:
    return Member.objects.filter(user=reader_id, chat__in=chat_ids).select_related("chat", "partner")


def _load_memberships(chat_ids: Collection[int], reader_id: int) -> list[Member]:
    return list(_query_memberships(chat_ids, reader_id))


def _build_titles(rows: Collection[Member]) -> dict[int, str]:
    """{chat id: the group's name, the other person's, or how many people are in it}."""
    counted = Member.objects.filter(chat__in=[row.chat_id for row in rows]).values("chat")
    counts = dict(counted.annotate(many=Count("pk")).values_list("chat", "many"))
    return {row.chat_id: _build_title(row, counts[row.chat_id]) for row in rows}


def _build_title(row: Member, member_count: int) -> str:
    if row.chat.name or row.partner:
        return row.chat.name or (row.partner.nickname if row.partner else "")
    words = ngettext("a group of %(n)d person", "a group of %(n)d people", member_count)
    return words % {"n": member_count}


def _build_message_url(message: Message, row: Member) -> str:
    """The chat at this message: its page, or for one before the newest the older ones up to it."""
    is_new = message.number > row.chat.last_number - messages.PAGE_SIZE
    query = "" if is_new else f"?before={message.number + 1}"
    return f"{_build_url(message.chat_id)}{query}#m-{message.number}"


def _build_url(chat_id: int) -> str:
    return reverse("chat:show", args=[chat_id])
