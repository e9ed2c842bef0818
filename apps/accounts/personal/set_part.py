"""A part of the personal answer about a set of ids that Redis copies: which of the shown things are in it."""

from collections.abc import Callable, Sequence
from typing import Any

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.redis_kit.copies import LeasedSet
from apps.redis_kit.transport import Command


class SetPart:
    """Those of a request's ids that the person's set has; SQL fills a set that is absent.

    `member` makes the set's member of an id, where they are not the same.
    """

    empty, for_visitors = (), False

    def __init__(self, copy: LeasedSet, param: str, member: Callable[[int], int] | None = None) -> None:
        self._copy, self.param, self._member = copy, param, member

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [self._copy.subset_command(user_id, self._members(ids)) for user_id, ids in requests]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [
            [one for one, mark in zip(request.ids, marks, strict=True) if mark]
            if is_complete
            else NotCached()
            for request, (is_complete, *marks) in zip(requests, replies, strict=True)
        ]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        sets = self._copy.load({request.user_id for request in requests})
        return [
            [one for one, member in zip(ids, self._members(ids), strict=True) if member in sets[user_id]]
            for user_id, ids in requests
        ]

    def _members(self, ids: Sequence[int]) -> Sequence[int]:
        return list(map(self._member, ids)) if self._member else ids
