"""A load on a site of which the lab sees nothing but its answers: tokens from a file, sales that are there.

Nobody looks into its SQL and Redis: each promised order is asked for by its buyer, until it is recorded.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lab.load import ceiling, crowd_processes, plan
from lab.load.load_run import DRAIN_SECONDS, LoadRun, OnReading, PrintLine
from lab.load.options import Options, Refusal
from lab.load.result import Result
from tests import sites
from tests.crowd import http_connection, people
from tests.crowd.buyers import Crowd
from tests.crowd.site_setup import Sales, Verdict
from tests.crowd.tally import Tally

#: Buyers who look at their orders at the same time, and seconds until they look again.
LOOKERS, LOOK_SECONDS = 8, 0.5


class UnseenBooks:
    """In place of a site's books: nothing is known."""

    def stock(self, *_voucher_ids: int) -> int | None:
        return None

    def rows(self, *_voucher_ids: int) -> int:
        return 0

    def waiting(self, *_voucher_ids: int) -> int:
        return 0

    def queued(self, *_voucher_ids: int) -> int:
        return 0


class VisibleRun(LoadRun):
    """One load on a site that the lab can't look into."""

    def _open_books(self) -> UnseenBooks:
        return UnseenBooks()

    def _crowd(self, share: float, duration: float | None) -> Crowd:
        """Apps with bearer tokens: a browser's cookie has another name where https is demanded."""
        return replace(super()._crowd(share, duration), kinds=people.claims_app())

    def judged(self, top: float) -> Result:
        """Return the result, once every promised order is recorded, or DRAIN_SECONDS are over."""
        began, tally = time.perf_counter(), Tally()
        for part in self.parts:
            tally += part.tally
        promised = {order: buyer for buyer, orders in tally.promised.items() for order in orders}
        looks = _OrderLooks(self.target.base_url, self.tokens)
        missing = asyncio.run(looks.find_missing(promised))
        verdict = Verdict(promises=len(promised), rows=len(promised) - len(missing))
        verdict.broken += self._broken_promises(tally, missing)
        verdict.oversold = max(0, len(promised) - self.options.stock * len(self.sales.voucher_ids))
        if verdict.oversold:
            verdict.broken.append(f"oversold: {len(promised)} orders were promised")
        return self._result(tally, verdict, drained=time.perf_counter() - began, top=top)

    def _broken_promises(self, tally: Tally, missing: Sequence[str]) -> list[str]:
        broken = []
        # A person wants one sale, so two orders of theirs are one too many.
        if twice := [buyer for buyer, orders in tally.promised.items() if len(orders) > 1]:
            broken.append(f"{len(twice)} buyers were promised two orders")
        if missing:
            broken.append(f"{len(missing)} promised orders are not recorded, such as {missing[0]}")
        return broken


def run_load(options: Options, *, say: PrintLine, watch: OnReading) -> Result:
    """Do the whole run; the first Ctrl-C ends the load early, and the verdict covers what was done."""
    assert options.url
    assert options.tokens
    tokens = _read_tokens(options.tokens, options.users)
    site = sites.Site(Path("var"))
    site.base_url = options.url.rstrip("/")
    say("Measuring the generator alone …")
    top = ceiling.measure(processes=options.processes, connections=options.concurrency)
    phases = plan.phases(options.duration, options.profile) if options.duration else [plan.ONCE]
    made = Sales(list(options.vouchers), time.time())
    say(f"Driving {options.url} with {len(tokens):,} people …")
    ran = VisibleRun(options, site, tokens, made, watch)
    with crowd_processes.start_many(options.processes, len(phases)) as ready:
        ran.drive(phases, ready, None)
    say("Asking for every promised order …")
    return ran.judged(top)


def _read_tokens(path: Path, count: int) -> list[str]:
    try:
        tokens = path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError) as why:
        raise Refusal(f"{path} can't be read as a file of tokens: {why}") from None
    if not tokens:
        raise Refusal(f"{path} has no token: one a line")
    return tokens[:count]


class _OrderLooks:
    """Buyers who ask for their orders."""

    def __init__(self, base_url: str, tokens: Sequence[str]) -> None:
        self._url, self._tokens = base_url, tokens
        self._ends = time.monotonic() + DRAIN_SECONDS
        self._turn = asyncio.Semaphore(LOOKERS)

    async def find_missing(self, promised: dict[str, int]) -> list[str]:
        """Return the orders (id: buyer) that are not recorded in time, or are not their buyer's."""
        are_there = await asyncio.gather(*(self._is_recorded(*each) for each in promised.items()))
        return [order for order, is_there in zip(promised, are_there, strict=True) if not is_there]

    async def _is_recorded(self, order: str, buyer: int) -> bool:
        while True:
            try:
                reply = await self._look(order, buyer)
                if reply.status == 200 and reply.json.get("status") != "queued":
                    return True
            except http_connection.ConnectionLost:
                pass
            if time.monotonic() > self._ends:
                return False
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, order: str, buyer: int) -> http_connection.Reply:
        host = self._url.partition("://")[2]
        head = f"GET /api/orders/{order} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
        head += f"Authorization: Bearer {self._tokens[buyer]}\r\n\r\n"
        async with self._turn:
            line = await http_connection.HttpConnection.open_url(self._url)
            return await line.ask(head.encode(), seconds=10)
