"""Sends, lists and deletes messages. Their rows are in SQL; live streams get them after the commit."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.profiles import suspensions
from apps.accounts.relations import blocks
from apps.blog.models import Note
from apps.chat import access, limits, members, mentions, publishing
from apps.chat.models import DELETE_PERIOD, Member, Message, Picture
from apps.coupons.models import FlashSale, Voucher
from apps.follows.models import Follow
from apps.queues import owed
from apps.shops.models import Shop
from apps.web import characters, paging
from apps.web.compiled_queries import CompiledQuery
from apps.web.problems import Problem

#: Messages of a page of history, and the most that a program may ask for.
PAGE_SIZE, MAX_PAGE_SIZE = 30, 100


@dataclass(frozen=True)
class Card:
    """A note, a shop, a voucher or a flash sale (its voucher's id) that a message shows."""

    kind: str
    id: int


def post(
    user_id: int,
    chat_id: int,
    text: str = "",
    *,
    client_id: str = "",
    picture_id: int | None = None,
    card: Card | None = None,
    mention_ids: Collection[int] = (),
) -> Message:
    """Send a message; the same `client_id` again gives the message that it made first.

    `mention_ids` are the people picked for names in the text (accounts.mentions); members alone are linked.
    Problem 403 blocked or suspended, 404, 429; ValidationError for what can't be sent.
    """
    message = _build(text, client_id, picture_id, card)
    sender = _load_sender(user_id, chat_id, client_id)
    if sender.repeated_id:
        return _load_own(sender.repeated_id)
    suspensions.require_may_write(sender.user)
    if sender.is_apart:
        raise Problem(403, "blocked", _("You can't write to this person."))
    if sender.partner_id is None and not sender.chat.is_group:
        raise Problem(403, "blocked", _("This person deleted their account."))
    limits.charge_message(user_id, to_stranger=sender.partner_id is not None and not sender.is_followed)
    _require_parts(user_id, message)
    try:
        return _save(message, sender, mention_ids)
    except IntegrityError:
        # The same request, sent again before the first was answered.
        known = Message.objects.filter(chat=chat_id, author=user_id, client_id=client_id).first()
        if known is None or not client_id:
            raise
        return _load_own(known.pk)


def history(
    user_id: int, chat_id: int, *, before: int | None = None, after: int | None = None, size: int = PAGE_SIZE
) -> list[Message]:
    """Messages of a chat, the oldest first: the newest ones, those before a number, or those after one."""
    member = access.member(user_id, chat_id)
    rows = Message.objects.read_by(user_id).filter(chat=chat_id, number__gt=member.joined_number)
    if after is not None:
        found = list(rows.filter(number__gt=after).order_by("number")[:size])
    else:
        rows = rows.filter(number__lt=before) if before is not None else rows
        found = list(rows.order_by("-number")[:size])[::-1]
    mentions.attach(found)
    return found


def list_page(
    user_id: int,
    chat_id: int,
    *,
    before: int | None = None,
    after: int | None = None,
    cursor: str = "",
    size: int = PAGE_SIZE,
) -> paging.Page[Message]:
    """A page of `history`, the oldest first, whose cursor leads on in the same direction; BadCursor."""
    kind = f"messages:{chat_id}:{'older' if after is None else 'newer'}"
    if cursor:
        (number,) = paging.decode(cursor, [int], kind=kind)
        before, after = (int(number), None) if after is None else (None, max(after, int(number)))
    found = history(user_id, chat_id, before=before, after=after, size=size + 1)
    if len(found) <= size:
        return paging.Page(found, None)
    page = found[-size:] if after is None else found[:size]
    last = page[0] if after is None else page[-1]
    return paging.Page(page, paging.encode(last.number, kind=kind))


def delete(user_id: int, chat_id: int, number: int) -> None:
    """Delete a message of the person's own, with what it says; again is fine. Problem 404, 409 too_late."""
    member = access.member(user_id, chat_id)
    found = Message.objects.filter(
        chat=chat_id, number=number, author=user_id, kind=Message.Kind.TEXT, number__gt=member.joined_number
    ).first()
    if found is None:
        raise Problem(404, "not_found", _("There is no such message of yours."))
    if found.deleted_at:
        return
    if timezone.now() - found.created_at > DELETE_PERIOD:
        raise Problem(409, "too_late", _("You can delete a message within 10 minutes."))
    _erase(found)


def _build(text: str, client_id: str, picture_id: int | None, card: Card | None) -> Message:
    message = Message(text=text, client_id=client_id, picture_id=picture_id)
    if card:
        message.card_kind, message.card_id = card.kind, card.id
    message.clean_fields(exclude={"chat", "number", "author", "subject", "picture"})
    if not (picture_id or card or characters.has_visible_characters(message.text)):
        raise ValidationError({"text": _("Write a few words.")})
    return message


def _load_sender(user_id: int, chat_id: int, client_id: str) -> Any:
    """The sender's membership with chat and person, and what decides about the message; Problem 404."""
    for found in _query_sender(user_id, chat_id, client_id):
        return found
    raise access.not_found()


@CompiledQuery
def _query_sender(user_id: int, chat_id: int, client_id: str) -> QuerySet[Any]:
    partner = OuterRef("partner")
    repeated = Message.objects.filter(chat=chat_id, author=user_id, client_id=client_id)
    rows = Member.objects.filter(chat=chat_id, user=user_id).select_related("chat", "user")
    return rows.annotate(
        is_apart=blocks.is_apart(user_id, partner),
        is_followed=Exists(Follow.objects.filter(follower=partner, followee=user_id)),
        is_partner_there=Exists(Member.objects.filter(chat=chat_id, user=partner)),
        repeated_id=Subquery(repeated.exclude(client_id="").values("pk")[:1]),
    )


def _require_parts(user_id: int, message: Message) -> None:
    """ValidationError unless the picture is the sender's and free, and the card shows something public."""
    if message.picture_id:
        rows = Picture.objects.filter(pk=message.picture_id, owner=user_id, message=None)
        message.picture = rows.first()
        if message.picture is None:
            raise ValidationError({"picture_id": _("This picture is not there, or was sent already.")})
    if message.card_kind and not _is_public(message.card_kind, message.card_id or 0):
        raise ValidationError({"card": _("This can't be shared: it is no longer there.")})


def _is_public(kind: str, row_id: int) -> bool:
    if kind == Message.Card.NOTE:
        return Note.objects.published().filter(pk=row_id).exists()
    if kind == Message.Card.SHOP:
        return Shop.objects.filter(pk=row_id).exists()
    if kind == Message.Card.VOUCHER:
        return Voucher.objects.offered().filter(pk=row_id).exists()
    return FlashSale.objects.filter(pk=row_id, voucher__is_offered=True).exists()


def _save(message: Message, sender: Any, mention_ids: Collection[int]) -> Message:
    chat = sender.chat
    with transaction.atomic():
        number = members.take_numbers(chat.pk, sender.user_id)
        message.chat, message.author, message.number, message.subject = chat, sender.user, number, None
        message.save(force_insert=True)
        if sender.partner_id and not sender.is_partner_there:
            members.bring_back(chat.pk, sender.partner_id, partner_id=sender.user_id, before=number)
        mentions.record(message, mention_ids)
        quiet = message.created_at - chat.last_at > publishing.SENDING_PERIOD
        is_alone = number == 1 or (quiet and number == chat.last_number + 1)
        at_once = partial(_tell, message, is_alone=is_alone, written_to=sender.partner_id)
        owed.run_after_commit(tell_again, message.pk, chat.pk, at_once=at_once)
    chat.last_number, chat.last_at = number, message.created_at
    return message


def tell_again(message_id: int, chat_id: int) -> bool:
    """Publish a message that open pages lack, and push the chat's news; False without a broker."""
    members.publish_lines([message_id])
    return publishing.announce(chat_id)


def _tell(message: Message, *, is_alone: bool, written_to: int | None) -> bool:
    publishing.publish(message, is_alone=is_alone, written_to=written_to)
    return publishing.announce(message.chat_id)


def _load_own(message_id: int) -> Message:
    found = Message.objects.with_people().get(pk=message_id)
    mentions.attach([found])
    return found


def _erase(message: Message) -> None:
    with transaction.atomic():
        mentions.take_back(message)
        Message.objects.filter(pk=message.pk).update(
            deleted_at=timezone.now(), text="", card_kind="", card_id=None, picture=None
        )
        change = {"kind": "deleted", "number": message.number}
        owed.run_after_commit(publishing.publish_change, message.chat_id, change)
