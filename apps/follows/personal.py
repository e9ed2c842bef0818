"""The part "followed" of the personal answer: which of the shown people the person follows."""

from collections.abc import Sequence
from typing import Any

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.follows import following_sets, keys
from apps.redis_kit.leased_sets import COMPLETE_MARK
from apps.redis_kit.transport import Command


class FollowedPart:
    """User ids, from the cached set of whom the person follows; SQL fills it."""

    param, empty, for_visitors = "people", (), False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [
            ("SMISMEMBER", keys.FOLLOWING(user=user_id), COMPLETE_MARK, *ids) for user_id, ids in requests
        ]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [
            [user_id for user_id, followed in zip(request.ids, marks, strict=True) if followed]
            if is_complete
            else NotCached()
            for request, (is_complete, *marks) in zip(requests, replies, strict=True)
        ]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        followed = following_sets.SETS.load({request.user_id for request in requests})
        return [[one for one in request.ids if one in followed[request.user_id]] for request in requests]
