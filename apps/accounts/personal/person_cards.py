"""The parts of accounts: "person", kept in Redis until the profile changes, and "unread" notifications."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypedDict

from apps.accounts import keys
from apps.accounts.models import User
from apps.accounts.personal.parts import NotCached, PartRequest
from apps.accounts.relations import blocks
from apps.mailbox import copies
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command

#: A change forgets the card; one that a load wrote in the same moment is wrong for no longer than this.
CARD_TTL = timedelta(minutes=5)


class PersonCard(TypedDict):
    """A person as the header shows them; `avatar` is a URL.

    `blocked` and `blocked_by` are ids of people on either side of a block; pages hide what is theirs.
    """

    id: int
    nickname: str
    avatar: str | None
    is_staff: bool
    blocked: list[int]
    blocked_by: list[int]


class PersonPart:
    """The person's own card; None when the account is disabled."""

    param, empty, for_visitors = "", None, False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [("GET", keys.CARD(user=request.user_id)) for request in requests]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [json.loads(reply) if reply else NotCached() for reply in replies]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        people = User.objects.filter(is_active=True).in_bulk([request.user_id for request in requests])
        apart = blocks.load_for(people)
        cards = {user_id: build_card(user, *apart.get(user_id, ([], []))) for user_id, user in people.items()}
        _fill(cards)
        return [cards.get(request.user_id) for request in requests]


def build_card(user: User, blocked: list[int], blocked_by: list[int]) -> PersonCard:
    """The card of a user, with the ids on either side of their blocks."""
    return PersonCard(
        id=user.pk,
        nickname=user.nickname,
        avatar=user.avatar.url if user.avatar else None,
        is_staff=user.is_staff,
        blocked=blocked,
        blocked_by=blocked_by,
    )


def forget(user_id: int) -> None:
    """Forget a person's card, after the commit of a change; without Redis it expires soon."""
    try:
        client.get().delete(keys.CARD(user=user_id))
    except client.UNAVAILABLE:
        return


def forget_both(user_id: int, other_id: int) -> None:
    """Forget the cards of two people, as a block and its end do."""
    forget(user_id)
    forget(other_id)


def _fill(cards: dict[int, PersonCard]) -> None:
    seconds = int(CARD_TTL.total_seconds())
    commands = [
        ("SET", keys.CARD(user=user_id), json.dumps(card), "EX", seconds) for user_id, card in cards.items()
    ]
    try:
        transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        return


class UnreadPart:
    """Notifications and broadcasts together; SQL counts them where Redis doesn't know."""

    param, empty, for_visitors = "", 0, False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return copies.unread_commands([request.user_id for request in requests])

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [NotCached() if count is None else count for count in copies.parse_unread(replies)]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        counts = copies.load_unread({request.user_id for request in requests})
        return [counts[request.user_id] for request in requests]
