"""Drops, and a Redis that loses its subscriptions, its memory or its life while messages go through."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.chat import limits, messages
from apps.chat.models import Chat
from apps.demo import embedded_redis
from apps.redis_kit import client, limiter
from apps.web.problems import Problem
from lab.bench.chats.stream_reader import Reader

#: Messages between two drops.
MESSAGES_A_DROP = 5


class Page(Reader):
    """A reader that does what the page does: it loads from SQL what its stream is known to have missed."""

    def __init__(self, host: str, port: int, token: str, load: Callable[[int], Sequence[int]]) -> None:
        super().__init__(host, port, token)
        self._load, self.loads = load, 0
        self._loading: asyncio.Task[None] | None = None
        self._asked_again = False

    def take_number(self, number: int, sent_at: float) -> None:
        last = self.numbers[-1] if self.numbers else 0
        if self._loading or number > last + 1:
            self.catch_up()
        else:
            super().take_number(number, sent_at)

    def take_reset(self) -> None:
        super().take_reset()
        self.catch_up()

    def catch_up(self) -> None:
        """Load what comes after the last message; once more for what is told meanwhile."""
        self._asked_again = True
        self._loading = self._loading or asyncio.create_task(self._catch_up())

    async def settle(self) -> None:
        """Wait for the load under way."""
        if self._loading:
            await self._loading

    async def _catch_up(self) -> None:
        while self._asked_again:
            self._asked_again, self.loads = False, self.loads + 1
            while found := await asyncio.to_thread(self._load, self.numbers[-1] if self.numbers else 0):
                self.numbers += found
        self._loading = None


def kill_subscriptions() -> None:
    client.get().client_kill_filter(_type="pubsub")


def flush() -> None:
    client.get().flushall()


def restart() -> None:
    """End the server with SIGKILL and start it again on its file."""
    directory = Path(settings.REDIS_DIR)
    embedded_redis.adopt(directory).kill()
    embedded_redis.start(directory)


#: What happens to Redis, and after which part of the drops.
FAULTS = ((0.25, kill_subscriptions), (0.5, flush), (0.75, restart))


def post_until_accepted(user_id: int, chat_id: int, number: int) -> None:
    """Send one message, again with the same key while Redis is away, as the page does."""
    while True:
        try:
            limiter.reset(limits.MESSAGES, user_id)
            messages.post(user_id, chat_id, f"{time.time()}", client_id=f"drop-{number}")
            return
        except (*client.UNAVAILABLE, Problem):
            time.sleep(0.05)


async def measure(address: tuple[str, int], chat: Chat, people: Sequence[User], drops: int) -> list[str]:
    """So many drops of the pages of one chat; a row with what they show in the end."""
    raw = await asyncio.to_thread(tokens.issue_many, people, kind=AccessToken.Kind.API)
    pages = [
        Page(*address, token, lambda after, pk=person.pk: _numbers_after(pk, chat.pk, after))  # type: ignore[misc]
        for token, person in zip(raw, people, strict=True)
    ]
    await asyncio.gather(*(page.connect() for page in pages))
    faults = {int(part * drops): fault for part, fault in FAULTS}
    for drop in range(drops):
        page = pages[drop % len(pages)]
        await page.drop()
        posting = asyncio.create_task(_post_some(chat, people, drop))
        if drop in faults:
            # While a message is under way. In this thread, with which a server that it starts ends.
            await asyncio.sleep(0)
            faults[drop]()
        await posting
        await page.connect()
    await asyncio.sleep(3)
    return await _describe(pages, drops)


async def _post_some(chat: Chat, people: Sequence[User], drop: int) -> None:
    for number in range(drop * MESSAGES_A_DROP, (drop + 1) * MESSAGES_A_DROP):
        await asyncio.to_thread(post_until_accepted, people[number % len(people)].pk, chat.pk, number)


def _numbers_after(user_id: int, chat_id: int, after: int) -> list[int]:
    return [each.number for each in messages.history(user_id, chat_id, after=after, size=100)]


async def _describe(pages: Sequence[Page], drops: int) -> list[str]:
    told = sum(len(page.delays) for page in pages)
    for page in pages:
        await page.settle()
        await page.drop()
    wanted = list(range(1, drops * MESSAGES_A_DROP + 1))
    missing = sum(len(set(wanted) - set(page.numbers)) for page in pages)
    repeated = sum(page.repeats + len(page.numbers) - len(set(page.numbers)) for page in pages)
    disordered = sum(page.numbers != sorted(page.numbers) for page in pages)
    loads, resets = sum(page.loads for page in pages), sum(page.resets for page in pages)
    part = told / (len(wanted) * len(pages))
    return [
        f"{drops:,} drops of {len(pages)} pages during {len(wanted):,} messages; subscriptions killed, "
        "FLUSHALL, Redis killed and started again in the middle",
        f"{missing} missing, {repeated} repeated, {disordered} pages out of order; {part:.1%} by the stream, "
        f"the rest loaded ({loads} loads, {resets} resets)",
        "0, 0, 0",
    ]
