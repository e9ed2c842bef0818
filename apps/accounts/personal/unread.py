"""The part "unread": how many notifications the person has not read."""

from collections.abc import Sequence
from typing import Any

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.mailbox.copies import unread
from apps.redis_kit.transport import Command


class UnreadPart:
    """Notifications and broadcasts together; SQL counts them where Redis doesn't know."""

    param, empty, for_visitors = "", 0, False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return unread.commands([request.user_id for request in requests])

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [NotCached() if count is None else count for count in unread.parse(replies)]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        counts = unread.load({request.user_id for request in requests})
        return [counts[request.user_id] for request in requests]
