"""People who buy as pages and apps do: they repeat a claim, look, hand receipts in, pay, cancel."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlencode, urlsplit

from lab.campaign.bank import Bank
from lab.campaign.ledger import Ledger, Promise
from lab.campaign.web_client import WebClient, json_body
from tests.crowd.http_connection import Reply

#: A person goes on so long after the last fault; whoever then has no answer keeps the last one.
PERSISTENCE = 60.0
LOOK_SECONDS = 0.4
#: Of those whose order is recorded.
PAYING, CANCELLING = 0.2, 0.08
WAITING = {429, 503}
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Person:
    """A log-in: the user's id and token."""

    user_id: int
    token: str


@dataclass
class Buyers:
    """The people of one sale; `ledger` is what they were told."""

    base_url: str
    voucher_id: int
    people: Sequence[Person]
    chance: Random
    ledger: Ledger = field(default_factory=Ledger)
    #: The monotonic times of accepted claims, and whether one was told that nothing is left.
    sold: list[float] = field(default_factory=list)
    sold_out: bool = False
    closing: float = float("inf")

    async def come(self, rate: int, burst: int, *, connections: int) -> None:
        """People come at this rate, after a burst all at once, until `closing`; then wait for their ends."""
        self.client = WebClient(self.base_url, connections)
        self.bank = Bank(self.client, self.ledger)
        people = iter(enumerate(self.people))
        async with asyncio.TaskGroup() as crowd:
            for number, person in people:
                crowd.create_task(self._live(number, person))
                if number >= burst:
                    await asyncio.sleep(1 / rate)
                if time.monotonic() >= self.closing:
                    break
        await self.bank.tell_again()
        self.client.close()

    @property
    def _over(self) -> bool:
        return time.monotonic() > self.closing + PERSISTENCE

    async def _live(self, number: int, person: Person) -> None:
        found = await self._claim(person, key=f"campaign-{self.voucher_id}-{number}")
        if found and await self._watch(person, found):
            await self._act(person, found)
        elif found and found.told == "lost" and self.chance.random() < 0.5:
            again = await self._claim(person, key=f"again-{self.voucher_id}-{number}")
            if again:
                await self._watch(person, again)

    async def _claim(self, person: Person, *, key: str) -> Promise | None:
        path = f"/api/vouchers/{self.voucher_id}/seckill"
        while not self._over:
            reply = await self._ask("claim", person, "POST", path, {"Idempotency-Key": key})
            if reply and reply.status == 201:
                self.sold.append(time.monotonic())
                told = reply.json
                return self.ledger.promise(int(told["order_id"]), person.user_id, str(told["receipt"]))
            if reply and reply.order_id:
                return self.ledger.promise(int(reply.order_id), person.user_id)
            if reply and reply.status not in WAITING and reply.code != "not_started":
                self.sold_out |= reply.code in {"sold_out", "ended"}
                return None
            await self._wait(reply)
        return None

    async def _watch(self, person: Person, one: Promise) -> bool:
        """Look until the order is recorded, hand the receipt in while it is gone; whether it is there."""
        while not self._over:
            await asyncio.sleep(LOOK_SECONDS * self.chance.uniform(0.7, 1.3))
            reply = await self._ask("look", person, "GET", f"/api/orders/{one.order_id}")
            if reply is None or reply.status in WAITING:
                await self._wait(reply)
            elif reply.status == 200:
                one.told = str(reply.json["status"])
                if one.told not in {"queued", "cancelled"}:
                    one.recorded = True
                if one.told != "queued":
                    return one.recorded
            else:
                one.told = "lost" if reply.status == 410 else "gone"
                if not one.receipt or not await self._hand_in(person, one):
                    return False
        return False

    async def _hand_in(self, person: Person, one: Promise) -> bool:
        """Whether to look on: the order is back, or it can't be said yet."""
        path = f"/api/vouchers/{self.voucher_id}/seckill"
        reply = await self._ask("hand in", person, "POST", path, JSON, json_body(receipt=one.receipt))
        if reply is None or reply.status in WAITING:
            await self._wait(reply)
            return True
        if reply.status == 201:
            self.ledger.handed_in += 1
            if int(reply.order_id) != one.order_id:
                one.told = "already_bought"
                other = self.ledger.promise(int(reply.order_id), person.user_id, one.receipt)
                await self._watch(person, other)
                return False
            return True
        one.told = {"order_lost": "lost", "not_possible": "cancelled"}.get(reply.code, reply.code)
        if reply.code == "already_bought" and reply.order_id:
            await self._watch(person, self.ledger.promise(int(reply.order_id), person.user_id))
        return False

    async def _act(self, person: Person, one: Promise) -> None:
        turn = self.chance.random()
        if turn < PAYING:
            await self._pay(person, one)
        elif turn < PAYING + CANCELLING:
            await self._insist("cancel", person, f"/api/orders/{one.order_id}/cancel")

    async def _pay(self, person: Person, one: Promise) -> None:
        begun = await self._insist("pay", person, f"/api/orders/{one.order_id}/pay")
        if begun is None or begun.status != 200:
            return
        page = urlsplit(str(begun.json["pay_url"])).path
        press = urlencode({"press": self.chance.choice(["pay", "pay", "twice", "late"])}).encode()
        pressed = await self._insist("bank", person, page, FORM, press)
        if pressed is None or pressed.status >= 400:
            return
        one.paid = True
        if self.chance.random() < 0.2:
            # The site's own bank tells the shop, by its worker.
            return
        reference, about = page.rstrip("/").rpartition("/")[2], begun.json
        await self.bank.tell(reference, int(about["price"]), str(about["currency"]))

    async def _insist(
        self, asked: str, person: Person, path: str, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> Reply | None:
        """The first answer to a POST that doesn't ask to wait."""
        while not self._over:
            reply = await self._ask(asked, person, "POST", path, headers, body)
            if reply and reply.status not in WAITING:
                return reply
            await self._wait(reply)
        return None

    async def _ask(
        self, asked: str, person: Person, method: str, path: str, headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> Reply | None:  # fmt: skip
        known = {"Authorization": f"Bearer {person.token}", **(headers or {})}
        reply = await self.client.ask(method, path, headers=known, body=body)
        if reply:
            self.ledger.answer(asked, reply.status, reply.code, waits=reply.retry_after > 0)
        return reply

    async def _wait(self, reply: Reply | None) -> None:
        asked = reply.retry_after if reply else 0.0
        await asyncio.sleep(min(max(asked, 0.1), 1.0) * self.chance.uniform(0.7, 1.3))
