"""The part "chats" of the personal answer: which of a person's chats have news."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Exists, Q

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.chat import keys
from apps.chat.models import Member, Message
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command

#: A message that comes meanwhile is not counted by a page that opens then, unless its stream tells of it.
UNREAD_TTL = timedelta(seconds=10)
#: Chats of each kind in one answer.
MAX_CHATS = 100
Counted = dict[str, list[int]]


class UnreadChatsPart:
    """The ids of chats with news ("unread"), and of muted chats, whose news are not counted ("muted")."""

    param, empty, for_visitors = "", None, False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [("GET", keys.UNREAD(user=request.user_id)) for request in requests]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [json.loads(reply) if reply else NotCached() for reply in replies]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        counted = _load({request.user_id for request in requests})
        _fill(counted)
        return [counted[request.user_id] for request in requests]


def forget(user_id: int) -> None:
    """Forget what was counted for a person, after the commit of a change; without Redis it expires soon."""
    try:
        client.get().delete(keys.UNREAD(user=user_id))
    except client.UNAVAILABLE:
        return


def forget_both(user_id: int, other_id: int) -> None:
    """Forget what was counted for two people, as a block and its end do."""
    forget(user_id)
    forget(other_id)


def _load(user_ids: Collection[int]) -> dict[int, Counted]:
    news = Exists(Message.objects.news_of_outer_member())
    rows = Member.objects.filter(Q(is_muted=True) | news, user__in=user_ids)
    counted: dict[int, Counted] = defaultdict(lambda: {"unread": [], "muted": []})
    for user_id, chat_id, is_muted in rows.values_list("user_id", "chat_id", "is_muted"):
        ids = counted[user_id]["muted" if is_muted else "unread"]
        if len(ids) < MAX_CHATS:
            ids.append(chat_id)
    return {user_id: counted[user_id] for user_id in user_ids}


def _fill(counted: dict[int, Counted]) -> None:
    seconds = int(UNREAD_TTL.total_seconds())
    commands = [
        ("SET", keys.UNREAD(user=user_id), json.dumps(value), "EX", seconds)
        for user_id, value in counted.items()
    ]
    try:
        transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        return
