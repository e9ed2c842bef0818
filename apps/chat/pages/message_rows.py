"""Messages as one reader's page shows them: by day, with cards, and what the reader may do with each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils import timezone

from apps.chat.models import DELETE_PERIOD, Message
from apps.chat.pages import cards
from apps.chat.pages.cards import CardDict


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


def build(rows: Sequence[Message], *, viewer_id: int, seen_number: int | None = None) -> list[MessageRow]:
    """The rows of messages in their order; one query a kind of card.

    `seen_number` is the reader's; None where no line marks the new ones.
    """
    shared = cards.load_for(rows)
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
