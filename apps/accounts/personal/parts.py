"""The parts of the personal answer; higher apps register theirs in their provides.py.

A part answers many people's requests at once: it names the Redis commands, reads their replies, and loads
from SQL what Redis doesn't have. All parts of all people share one exchange with Redis.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from django.utils.translation import gettext as _

from apps.redis_kit.copies import LeasedSet
from apps.redis_kit.transport import Command
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id
from apps.web.registry import Registry

Ids = tuple[int, ...]
#: Ids in one parameter: the most that a page shows of a kind.
MAX_IDS = 50


class PartRequest(NamedTuple):
    """One person's request to one part; `user_id` is 0 for a visitor."""

    user_id: int
    ids: Ids


class NotCached(NamedTuple):
    """The place of an answer that SQL has to give; `known` is what Redis replied."""

    known: Any = None


class PagePart(Protocol):
    """A member of the personal answer; its name is its key in PAGE_PARTS."""

    #: The query parameter with the ids that it is about; "" for a part that is about the person alone.
    param: str
    #: The answer to a request without ids, and to a visitor unless the part is `for_visitors`.
    empty: Any
    for_visitors: bool

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        """The commands that answer these requests; each uses keys of one slot."""

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        """The answer to each request, or NotCached."""

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        """The answer to each request that was NotCached, with what is `known`; None where Redis is away."""


#: By the name of the member of the answer.
PAGE_PARTS: Registry[PagePart] = Registry("page parts")


def parse_ids(params: Mapping[str, str]) -> dict[str, Ids]:
    """The ids of each parameter of a part, none twice.

    Problem 422 for another parameter, and for a text that is no list of ids.
    """
    names = {part.param for part in PAGE_PARTS.entries() if part.param}
    for unknown in sorted(params.keys() - names):
        raise Problem(422, "invalid", _("There is no such parameter."), field=unknown)
    return {name: parse_id_list(params[name], name) for name in names if params.get(name)}


def parse_id_list(text: str, name: str) -> Ids:
    """The row ids of a parameter such as "1,2,3"; Problem 422 when one is no id or they are too many."""
    ids = tuple(dict.fromkeys(map(parse_row_id, text.split(","))))
    if 0 in ids or len(ids) > MAX_IDS:
        sentence = _("Send at most %(most)d ids, separated by commas.") % {"most": MAX_IDS}
        raise Problem(422, "invalid", sentence, field=name)
    return ids


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
