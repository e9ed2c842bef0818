"""Buyers who claim over keep-alive connections, each request with its own person.

In closed loops the next one waits for an answer; with a rate they come when they are due, whoever waits (the
open model). A buyer without a final answer retries with the same Idempotency-Key, as an app would.
"""

import asyncio
import itertools
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.crowd import http_connection, people
from tests.crowd.request_templates import Crowd as HonestCrowd
from tests.crowd.request_templates import request_key
from tests.crowd.tally import Tally

#: Statuses that ask the buyer to retry later instead of deciding the claim.
RETRY_STATUSES = {429, 503}
#: Wait before a retry: also without a Retry-After, and even if that asks for more.
MIN_WAIT_SECONDS, MAX_WAIT_SECONDS = 0.05, 1.0
#: Seconds between two looks at an order.
LOOK_SECONDS = 0.5
#: How many of the buyers look at the same time.
MAX_CONCURRENT = 8
#: Share of the bots' requests that come with a forged token.
FORGED_SHARE = 0.2


@dataclass(frozen=True)
class Crowd:
    """Who buys what where. `first` numbers the buyers; each has a key of prefix and number."""

    base_url: str
    voucher_id: int
    tokens: Sequence[str]
    first: int = 0
    prefix: str = "load"
    connections: int = 64
    #: Seconds to keep asking, over and over the same people; None asks each once.
    duration: float | None = None
    #: Seconds to wait for one answer, and for a final one.
    patience: float = 10.0
    persistence: float = 60.0
    #: More sales: every other person wants `voucher_id`, the rest are spread over these.
    others: Sequence[int] = ()
    #: Bots never wait, and each of their requests is a new one; some show a token that is none.
    bots: bool = False
    #: Requests a second that begin whether or not others were answered; 0: a closed loop a connection.
    rate: float = 0.0
    #: What the people are: the n-th is of the n-th kind, counted round.
    kinds: HonestCrowd = field(default_factory=people.claims_mixed)

    def request(self, number: int) -> bytes:
        """Return the bytes of one person's claim, the same again unless they are a bot's."""
        token, person = self.tokens[number], self.first + number
        key = request_key(self.prefix, person)
        if self.bots:
            key = request_key(self.prefix, random.getrandbits(40))
            token = token[::-1] if random.random() < FORGED_SHARE else token
        template = self.kinds[person % len(self.kinds)][0]
        host, sale = urlsplit(self.base_url).netloc, self.wanted(number)
        return template.fill(host, sale=sale, token=token, person=person, key=key)

    def wanted(self, number: int) -> int:
        """Return the sale that a person wants, always the same one."""
        turn = self.first + number
        return self.others[turn // 2 % len(self.others)] if self.others and turn % 2 else self.voucher_id

    def turns(self) -> Iterator[int]:
        """Yield the numbers of the buyers in the order of their requests."""
        if self.duration is None:
            return iter(range(len(self.tokens)))
        if self.rate:
            return itertools.islice(
                itertools.cycle(range(len(self.tokens))), round(self.rate * self.duration)
            )
        ends = time.monotonic() + self.duration
        return itertools.takewhile(
            lambda _: time.monotonic() < ends, itertools.cycle(range(len(self.tokens)))
        )


@dataclass
class Load:
    """A running crowd; `tally` may be read at any time, `stop()` ends it after the pending answers."""

    crowd: Crowd
    tally: Tally = field(default_factory=Tally)
    in_flight: int = 0
    stopping: bool = False
    #: Connections of the open model that carry no request, and how many more may be open.
    _idle: list[http_connection.HttpConnection] = field(default_factory=list)
    _lines: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._lines = asyncio.Semaphore(self.crowd.connections)

    def stop(self) -> None:
        """Send no further requests."""
        self.stopping = True

    async def run(self, each: Callable[[], object] | None = None) -> Tally:
        """Run until everybody has asked (or the time is over); `each` is called about four times a second."""
        turns = self.crowd.turns()
        if self.crowd.rate:
            buyers = [asyncio.create_task(self._send_when_due(turns))]
        else:
            buyers = [asyncio.create_task(self._buy(turns)) for _ in range(self.crowd.connections)]
        while not all(buyer.done() for buyer in buyers):
            await asyncio.wait(buyers, timeout=0.25)
            if each:
                each()
        for buyer in buyers:
            buyer.result()
        return self.tally

    async def _buy(self, turns: Iterator[int]) -> None:
        line: http_connection.HttpConnection | None = None
        for number in turns:
            if self.stopping:
                break
            line = await self._insist(line, number)
        if line:
            line.close()

    async def _send_when_due(self, turns: Iterator[int]) -> None:
        """The open model: each request's time counts from when it was due, also while it waits to be sent.

        Else a site that stalls would delay the requests that would have shown it (coordinated omission).
        """
        began, sent = time.perf_counter(), set[asyncio.Task[None]]()
        for index, number in enumerate(turns):
            due = began + index / self.crowd.rate
            if (early := due - time.perf_counter()) > 0:
                await asyncio.sleep(early)
            if self.stopping:
                break
            task = asyncio.create_task(self._answer_due(number, due))
            sent.add(task)
            task.add_done_callback(sent.discard)
        await asyncio.gather(*sent)
        while self._idle:
            self._idle.pop().close()

    async def _answer_due(self, number: int, due: float) -> None:
        """Claim by a connection that is free, or that others free."""
        async with self._lines:
            line = await self._insist(self._idle.pop() if self._idle else None, number, due)
            if line:
                self._idle.append(line)

    async def _insist(
        self, line: http_connection.HttpConnection | None, number: int, due: float = 0.0
    ) -> http_connection.HttpConnection | None:
        """Claim until there is a final answer; return the connection if it can still be used.

        The first try's time counts from `due`, unless that is 0.
        """
        request, gives_up = self.crowd.request(number), time.monotonic() + self.crowd.persistence
        while time.monotonic() < gives_up and not self.stopping:
            line, reply = await self._once(line, request, due)
            due = 0.0
            if reply and (self._note(number, reply) or self.crowd.bots):
                return line
            wait = max(reply.retry_after if reply else 0.0, MIN_WAIT_SECONDS)
            await asyncio.sleep(min(wait, MAX_WAIT_SECONDS) * random.uniform(0.5, 1))
        self.tally.gave_up += 1
        return line

    async def _once(
        self, line: http_connection.HttpConnection | None, request: bytes, due: float = 0.0
    ) -> tuple[http_connection.HttpConnection | None, http_connection.Reply | None]:
        self.in_flight += 1
        began = due or time.perf_counter()
        try:
            line = line or await self._open()
            reply = await line.ask(request, seconds=self.crowd.patience)
        except http_connection.ConnectionLost:
            self.tally.lost += 1
            return None, None
        finally:
            self.in_flight -= 1
        self.tally.add(_code(reply), time.perf_counter() - began)
        alive = line.transport is not None and not line.transport.is_closing()
        return (line if alive else None), reply

    async def _open(self) -> http_connection.HttpConnection:
        return await http_connection.HttpConnection.open_url(self.crowd.base_url)

    def _note(self, number: int, reply: http_connection.Reply) -> bool:
        """Record a promised order (already_bought repeats one); return whether the answer is final."""
        if reply.order_id:
            self.tally.promise(self.crowd.first + number, reply.order_id)
        return reply.claim_status not in RETRY_STATUSES


@dataclass
class ReceiptKeepers(Load):
    """A crowd; whoever is promised an order looks at it until it is a row, and hands the receipt in if not.

    `handed_in` counts receipts whose order was gone, `refused` has the answers that brought none back. `late`
    is how many seconds after the claim a buyer first looks.
    """

    late: float = LOOK_SECONDS
    handed_in: int = 0
    refused: list[str] = field(default_factory=list)
    _keepers: list["asyncio.Task[None]"] = field(default_factory=list)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_CONCURRENT))

    async def run(self, *arguments: Any) -> Any:
        """Run until everybody has asked, and every promised order is a row or refused."""
        tally = await super().run(*arguments)
        await asyncio.gather(*self._keepers)
        return tally

    def _note(self, number: int, reply: http_connection.Reply) -> bool:
        receipt = reply.json.get("receipt")
        if reply.claim_status == 201 and receipt:
            self._keepers.append(asyncio.create_task(self._keep(number, reply.order_id, receipt)))
        return super()._note(number, reply)

    async def _keep(self, number: int, order_id: str, receipt: str) -> None:
        await asyncio.sleep(self.late)
        looks_on = True
        while looks_on:
            # A site that doesn't answer is asked again, as an app does.
            with suppress(http_connection.ConnectionLost):
                looks_on = await self._look(number, order_id, receipt)
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, number: int, order_id: str, receipt: str) -> bool:
        """Whether to look on: the order isn't recorded yet."""
        found = await self._ask(number, "GET", f"/api/orders/{order_id}")
        if found.status == 200 and found.json["status"] != "queued":
            if found.json["status"] != "unpaid":
                self.refused.append(f"{order_id} is {found.json['status']}")
            return False
        return found.status not in {404, 410} or await self._hand_in(number, receipt)

    async def _hand_in(self, number: int, receipt: str) -> bool:
        """Whether to look on: the order is back, or it can't be said yet."""
        path = f"/api/vouchers/{self.crowd.voucher_id}/seckill"
        said = await self._ask(number, "POST", path, json.dumps({"receipt": receipt}))
        self.handed_in += said.status == 201
        if said.status in {201, 429, 503}:
            return True
        self.refused.append(f"{said.status} {said.code}")
        return False

    async def _ask(self, number: int, method: str, path: str, body: str = "") -> http_connection.Reply:
        address = urlsplit(self.crowd.base_url)
        head = f"{method} {path} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n"
        head += f"Authorization: Bearer {self.crowd.tokens[number]}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        async with self._turn:
            line = await http_connection.HttpConnection.open(address.hostname or "", address.port or 80)
            return await line.ask((head + body).encode(), seconds=20)


def _code(reply: http_connection.Reply) -> str:
    """Return "201", also for a form's way to its order; or the status with the problem's stable code."""
    status = reply.claim_status
    return "201" if status == 201 else f"{status} {reply.code}".strip()
