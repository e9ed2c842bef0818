"""Scripts: a Lua file becomes a typed Python call.

    CLAIM = scripts.Script("claim", package="apps.coupons.claims", reply=Claims.parse)
    CLAIM(client.get(), keys=[...], args=[...]) -> Claims

The file is read at import and sent at the first call; nothing connects before that. Its header says
how many KEYS it takes, and a call with another number fails before it leaves the process.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, Generic, TypeVar

import redis
import redis.asyncio as aredis
from redis.client import Pipeline
from redis.exceptions import NoScriptError

from apps.redis_kit import transport
from apps.redis_kit.transport import Arg as Arg
from apps.redis_kit.transport import AsyncTransport, Command, Steps

Reply = TypeVar("Reply")
Value = TypeVar("Value")
#: (keys, args) of one call of a script.
Call = tuple[Sequence[str], Sequence[Arg]]

#: Names by SHA-1, for whoever reads what was sent.
NAMES_BY_SHA: dict[str, str] = {}

_DECLARED_KEY = re.compile(r"^-- KEYS\[(\d+)(?:\.\.)?\]", re.MULTILINE)


class Script(Generic[Reply]):
    """`<package>/lua/<name>.lua`; `reply` turns the server's answer into the caller's type.

    It may call its `parts` as functions by their names, with KEYS and ARGV of its choice.
    """

    def __init__(
        self,
        name: str,
        *,
        package: str,
        reply: Callable[[Any], Reply],
        parts: "Sequence[Script[Any]]" = (),
    ) -> None:
        self.name = name
        own = files(package).joinpath("lua", f"{name}.lua").read_text()
        functions = (f"local function {part.name}(KEYS, ARGV)\n{part.text}end\n" for part in parts)
        self.text: str = "".join(functions) + own
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        NAMES_BY_SHA[self.sha] = name
        self.key_count = len(set(_DECLARED_KEY.findall(own)))
        self.many_keys = f"-- KEYS[{self.key_count}..]" in own
        self._reply = reply

    def __call__(self, connected: redis.Redis, *, keys: Sequence[str], args: Sequence[Arg] = ()) -> Reply:
        try:
            raw = transport.execute(connected, self._command("EVALSHA", self.sha, keys, args))
        except NoScriptError:
            # The server refused before running anything, so this is the first run, not a second one.
            raw = transport.execute(connected, self._command("EVAL", self.text, keys, args))
        return self._reply(raw)

    async def acall(self, connected: aredis.Redis, *, keys: Sequence[str], args: Sequence[Arg] = ()) -> Reply:
        """Run the script on an async client."""
        self._check(keys)
        target = await _target_of(connected, keys)
        try:
            raw = await connected.execute_command("EVALSHA", self.sha, len(keys), *keys, *args, **target)
        except NoScriptError:
            raw = await connected.execute_command("EVAL", self.text, len(keys), *keys, *args, **target)
        return self._reply(raw)

    async def acall_many(self, transport: AsyncTransport, calls: Sequence[Call]) -> list[Reply]:
        """Run the script once per (keys, args) in one exchange; not a transaction. Raises the first error."""
        return raise_errors(await self.acall_each(transport, calls))

    async def acall_each(self, transport: AsyncTransport, calls: Sequence[Call]) -> list[Reply | Exception]:
        """Run the script once per (keys, args) in one exchange; an error is a value among the replies."""
        raw = await transport.execute_many([self._command("EVALSHA", self.sha, *call) for call in calls])
        for index, answer in enumerate(raw):
            if isinstance(answer, NoScriptError):
                # Refused before anything ran, so this is its first run.
                command = self._command("EVAL", self.text, *calls[index])
                (raw[index],) = await transport.execute_many([command])
        return [answer if isinstance(answer, Exception) else self._reply(answer) for answer in raw]

    def queue(self, pipe: Pipeline, *, keys: Sequence[str], args: Sequence[Arg] = ()) -> None:
        """Add the call to a pipeline; `parse` gives the typed form of its reply in `pipe.execute()`.

        The text travels along (EVAL): inside a pipeline a NOSCRIPT reply could not be repaired without
        running the commands around it twice.
        """
        self._check(keys)
        pipe.execute_command("EVAL", self.text, len(keys), *keys, *args)

    def call_many(
        self,
        connected: redis.Redis,
        calls: Sequence[Call],
        *,
        also: Sequence[Command] = (),
    ) -> tuple[list[Reply], list[Any]]:
        """Run the script once per (keys, args) in one round trip, together with the commands of `also`.

        Returns the calls' typed replies, and the commands' replies as the server sends them. It is not a
        transaction. A call that was refused with NOSCRIPT has not run, so it alone runs again.
        """
        commands = [self._command("EVALSHA", self.sha, keys, args) for keys, args in calls]
        raw = transport.execute_many(connected, [*commands, *also], raise_on_error=False)
        for answer in raw:
            if isinstance(answer, Exception) and not isinstance(answer, NoScriptError):
                raise answer
        replies = [
            self(connected, keys=keys, args=args)
            if isinstance(answer, NoScriptError)
            else self._reply(answer)
            for answer, (keys, args) in zip(raw, calls, strict=False)
        ]
        return replies, raw[len(calls) :]

    def steps(
        self, calls: Sequence[Call], *, also: Sequence[Command] = ()
    ) -> Steps[tuple[list[Reply], list[Any]]]:
        """What `call_many` does, as the steps of a verb (transport.run_together)."""
        raw = yield [*(self._command("EVALSHA", self.sha, *call) for call in calls), *also]
        for place, call in enumerate(calls):
            if isinstance(raw[place], NoScriptError):
                (raw[place],) = yield [self._command("EVAL", self.text, *call)]
        raise_errors(raw)
        return [self._reply(answer) for answer in raw[: len(calls)]], raw[len(calls) :]

    def command(self, *, keys: Sequence[str], args: Sequence[Arg] = ()) -> Command:
        """The call as a command for an exchange with others; its reply may be a NoScriptError."""
        return self._command("EVALSHA", self.sha, keys, args)

    def parse(self, raw: Any) -> Reply:
        """The typed form of a reply that came out of a pipeline."""
        return self._reply(raw)

    def _command(self, name: str, script: str, keys: Sequence[str], args: Sequence[Arg]) -> Sequence[Arg]:
        self._check(keys)
        return (name, script, len(keys), *keys, *args)

    def _check(self, keys: Sequence[str]) -> None:
        fits = len(keys) >= self.key_count if self.many_keys else len(keys) == self.key_count
        if not fits:
            raise TypeError(f"{self.name}.lua takes {self.key_count} keys, not {len(keys)}")


#: The clock of the server that holds a key: (unix seconds, microseconds), also inside a Cluster's pipeline.
READ_TIME = Script("read_time", package="apps.redis_kit", reply=lambda raw: (int(raw[0]), int(raw[1])))


def raise_errors(replies: Sequence[Value | Exception]) -> list[Value]:
    """The replies; raises the first error among them."""
    values: list[Value] = []
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
        values.append(reply)
    return values


async def _target_of(connected: object, keys: Sequence[str]) -> dict[str, Any]:
    """The node of a script's first key: redis-py's own policy sends an EVALSHA to any node of a Cluster."""
    if not isinstance(connected, aredis.RedisCluster) or not keys:
        return {}
    await connected.initialize()
    return {"target_nodes": connected.get_node_from_key(keys[0])}
