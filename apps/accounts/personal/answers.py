"""Builds personal answers for any number of people: one exchange with Redis, then SQL for what it lacks."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from apps.accounts.personal.parts import PAGE_PARTS, Ids, NotCached, PagePart, PartRequest
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command

#: The values of the parts by name.
Answer = dict[str, Any]


class Query(NamedTuple):
    """Who asks (0: a visitor), and the ids by parameter."""

    user_id: int
    ids: Mapping[str, Ids]


@dataclass
class _PartCall:
    """One part, with the requests to it and the answers of the people who asked."""

    name: str
    part: PagePart
    #: Of the queries, in `Gathering`'s order.
    indexes: list[int]
    requests: list[PartRequest]
    answers: list[Answer]
    commands: Sequence[Command] = ()
    #: Positions of the requests that SQL has to answer, with what Redis said of them.
    misses: dict[int, Any] = field(default_factory=dict)

    def read(self, replies: Sequence[Any] | None) -> None:
        """Fill the answers from Redis's replies; None: it is away."""
        is_broken = replies is None or any(isinstance(reply, Exception) for reply in replies)
        values = (
            [NotCached()] * len(self.requests) if is_broken else self.part.parse(self.requests, replies or ())
        )
        for position, value in enumerate(values):
            if isinstance(value, NotCached):
                self.misses[position] = value.known
            else:
                self.answers[position][self.name] = value

    def load(self) -> None:
        """Fill the other answers from SQL."""
        if self.misses:
            requests = [self.requests[position] for position in self.misses]
            values = self.part.load(requests, list(self.misses.values()))
            for position, value in zip(self.misses, values, strict=True):
                self.answers[position][self.name] = value

    def leave_out(self, indexes: Container[int]) -> None:
        """Load nothing for these queries."""
        self.misses = {
            position: known
            for position, known in self.misses.items()
            if self.indexes[position] not in indexes
        }


class Gathering:
    """The personal answers to some queries, in their order: send `commands`, then `read`, then `load`."""

    def __init__(self, queries: Sequence[Query]) -> None:
        items = PAGE_PARTS.items()
        self.answers: list[Answer] = [{name: part.empty for name, part in items} for _ in queries]
        planned = [self._plan(name, part, queries) for name, part in items]
        self._calls = [call for call in planned if call.requests]
        for call in self._calls:
            call.commands = call.part.commands(call.requests)
        self.commands = [command for call in self._calls for command in call.commands]

    def read(self, replies: Sequence[Any] | None, *, leave_out: Container[int] = ()) -> bool:
        """Fill the answers from the replies to `commands`; returns whether nothing is left to `load`.

        None: Redis is away. Queries whose indexes are in `leave_out` need no answer.
        """
        unread = iter(replies or ())
        for call in self._calls:
            call.read(None if replies is None else list(islice(unread, len(call.commands))))
            call.leave_out(leave_out)
        return not any(call.misses for call in self._calls)

    def load(self) -> None:
        """Fill what Redis doesn't have from SQL, a few queries a part for any number of people."""
        for call in self._calls:
            call.load()

    def _plan(self, name: str, part: PagePart, queries: Sequence[Query]) -> _PartCall:
        indexes = [
            index
            for index, query in enumerate(queries)
            if (query.user_id or part.for_visitors) and (not part.param or part.param in query.ids)
        ]
        requests = [
            PartRequest(queries[index].user_id, queries[index].ids.get(part.param, ())) for index in indexes
        ]
        return _PartCall(name, part, indexes, requests, [self.answers[index] for index in indexes])


def build(query: Query) -> Answer:
    """The personal answer to one query."""
    gathering = Gathering([query])
    try:
        replies = transport.execute_many(client.get(), gathering.commands, raise_on_error=False)
    except client.UNAVAILABLE:
        replies = None
    if not gathering.read(replies):
        gathering.load()
    return gathering.answers[0]
