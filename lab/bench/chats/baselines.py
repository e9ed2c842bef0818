"""Other ways to do what chats do, measured in the same run: the seed's pull model, and polling each second.

The seed (Redis in Action, section 6.5.2) keeps messages in Redis alone: sorted sets of messages and of what
each member has seen, changed under WATCH and tried again when somebody was quicker; it reads chat by chat.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import redis

THREADS = 8


class PullModel:
    """The seed's chats in Redis; `retries` counts transactions that another one was quicker than."""

    def __init__(self, connected: redis.Redis) -> None:
        self.connected, self.retries = connected, 0

    def send(self, chat: int, user_id: int, text: str) -> int:
        """Give a message the next number of its chat, and return it."""
        return self._repeat(
            f"bench:last:{chat}", lambda pipe, last: self._write(pipe, chat, last, user_id, text)
        )

    def pending(self, chats: Sequence[int], user_id: int) -> int:
        """Read what waits in each chat, and mark it as seen before anybody has it; how many there are."""
        return sum(self._read(chat, user_id) for chat in chats)

    def delete(self) -> None:
        """Delete all that this wrote."""
        for key in self.connected.scan_iter("bench:*", count=1_000):
            self.connected.delete(key)

    def _read(self, chat: int, user_id: int) -> int:
        seen = float(self.connected.zscore(f"bench:seen:{user_id}", str(chat)) or 0)
        found = self.connected.zrangebyscore(f"bench:messages:{chat}", seen, "inf", withscores=True)
        if found:
            pipe = self.connected.pipeline(transaction=True)
            pipe.zadd(f"bench:seen:{user_id}", {str(chat): found[-1][1]})
            pipe.zadd(f"bench:members:{chat}", {str(user_id): found[-1][1]})
            pipe.execute()
        return len(found)

    def _write(self, pipe: "redis.client.Pipeline", chat: int, last: int, user_id: int, text: str) -> int:
        number = last + 1
        packed = json.dumps({"number": number, "author": user_id, "text": text})
        pipe.multi()
        pipe.set(f"bench:last:{chat}", number)
        pipe.zadd(f"bench:messages:{chat}", {packed: number})
        pipe.execute()
        return number

    def _repeat(self, watched: str, act: "Callable[[redis.client.Pipeline, int], int]") -> int:
        while True:
            with self.connected.pipeline(transaction=True) as pipe:
                try:
                    pipe.watch(watched)
                    return act(pipe, int(pipe.get(watched) or 0))
                except redis.WatchError:
                    self.retries += 1


def time_of_sends(send: Callable[[int], object], each: int) -> float:
    """Milliseconds of a message when so many threads send to one chat at once."""

    def send_each(number: int) -> None:
        for _ in range(each):
            send(number)

    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(send_each, range(THREADS)))
    return (time.perf_counter() - began) * 1e3 / (THREADS * each)


class Poller:
    """A client that asks each second for the messages after its last one."""

    def __init__(self, address: tuple[str, int], token: str, chat_id: int) -> None:
        self.address, self.chat_id = address, chat_id
        host = f"host: {address[0]}:{address[1]}\r\nauthorization: Bearer {token}"
        self.head, self.last, self.delays = host, 0, list[float]()

    async def run(self, offset: float, seconds: int) -> None:
        """Ask for so long, beginning after an offset."""
        await asyncio.sleep(offset)
        reader, writer = await asyncio.open_connection(*self.address)
        for _ in range(seconds):
            began = time.monotonic()
            path = f"/api/chats/{self.chat_id}/messages?after={self.last}"
            writer.write(f"GET {path} HTTP/1.1\r\n{self.head}\r\n\r\n".encode())
            self._take(await self._read(reader))
            await asyncio.sleep(max(0, 1 - (time.monotonic() - began)))
        writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        return await reader.readexactly(int(length))

    def _take(self, body: bytes) -> None:
        for message in json.loads(body)["items"]:
            self.last = message["number"]
            self.delays.append(time.time() - float(message["text"]))
