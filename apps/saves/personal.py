"""The parts "saved_shops" and "saved_notes" of the personal answer: which of the shown are saved."""

from collections.abc import Sequence
from typing import Any

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.redis_kit.leased_sets import COMPLETE_MARK
from apps.redis_kit.transport import Command
from apps.saves.saved_sets import SETS
from apps.saves.subjects import Kind, Subject


class SavedPart:
    """Ids of shops or of notes, from the cached set of what the person saved; SQL fills it."""

    empty, for_visitors = (), False

    def __init__(self, kind: Kind) -> None:
        self._kind, self.param = kind, f"saved_{kind}s"

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [
            ("SMISMEMBER", SETS.key(request.user_id), COMPLETE_MARK, *map(self._member, request.ids))
            for request in requests
        ]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [
            [pk for pk, is_saved in zip(request.ids, marks, strict=True) if is_saved]
            if is_complete
            else NotCached()
            for request, (is_complete, *marks) in zip(requests, replies, strict=True)
        ]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        saved = SETS.load({request.user_id for request in requests})
        return [
            [pk for pk in request.ids if self._member(pk) in saved[request.user_id]] for request in requests
        ]

    def _member(self, pk: int) -> int:
        return Subject(self._kind, pk).member
