"""Measures what each persistence setting costs and loses: claims on a server of its own, then kill -9.

The claims go as on the site: the same script, through the event loop's transport, from CALLERS at once.
"""

import asyncio
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from apps.coupons import keys
from apps.coupons.claims import loading, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.terms import Rules
from apps.monitoring.persistence import Measurement
from apps.redis_kit import client
from lab.bench.persistence.scratch_server import ScratchServer

AOF = {"appendonly": "yes", "save": ""}
OPTIONS = {
    "none": {"appendonly": "no", "save": ""},
    # The server's own rule for a busy site, and one snapshot at half time.
    "rdb": {"appendonly": "no", "save": "60 10000"},
    "no": AOF | {"appendfsync": "no"},
    "everysec": AOF | {"appendfsync": "everysec"},
    "always": AOF | {"appendfsync": "always"},
}
#: Callers that wait for one claim each, as buyers do.
CALLERS = 64
#: Sales, one in each partition, and the units of each: more than anybody claims.
VOUCHER_IDS = range(1, keys.PARTITIONS + 1)
UNITS = 100_000_000
DAY_MS = 86_400_000
#: Names that the claims use, and that go to the scratch server meanwhile.
CONNECTIONS = ("default", "gateway")


class Crowd:
    """Callers that claim until the time is over; what they were answered and how long they waited."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.accepted = seconds, 0
        self._latencies: list[float] = []
        self._buyers = itertools.count(1)
        self._is_over = False

    @property
    def p99_ms(self) -> float:
        ordered = sorted(self._latencies)
        return ordered[int(len(ordered) * 0.99)] * 1000 if ordered else 0.0

    async def run(self, at_half_time: Callable[[], object]) -> None:
        """Claim for half of `seconds`, while something is called, and the other half; sets what it took."""
        began = time.perf_counter()
        callers = [asyncio.create_task(self._claim_on()) for _ in range(CALLERS)]
        await asyncio.sleep(self.seconds / 2)
        await asyncio.to_thread(at_half_time)
        await asyncio.sleep(self.seconds / 2)
        self._is_over = True
        await asyncio.gather(*callers)
        self.seconds = time.perf_counter() - began
        await client.aclose_all()

    async def _claim_on(self) -> None:
        transport = client.async_transport("gateway")
        while not self._is_over:
            began, buyer = time.perf_counter(), next(self._buyers)
            call = seckill.build_call(VOUCHER_IDS[buyer % len(VOUCHER_IDS)], [(buyer, str(buyer))])
            ((result,),) = await seckill.CLAIM.acall_many(transport, [call])
            self._latencies.append(time.perf_counter() - began)
            self.accepted += result.outcome is Outcome.ACCEPTED


def measure(mode: str, *, seconds: float, directory: Path | None = None) -> Measurement:
    """The measurement of one of OPTIONS, in a scratch folder inside `directory` (else the system's)."""
    with tempfile.TemporaryDirectory(prefix="savor-", dir=directory) as folder:
        server = ScratchServer(Path(folder), OPTIONS[mode])
        with _claims_go_to(server):
            _open_sales()
            crowd = Crowd(seconds)
            asyncio.run(crowd.run(_snapshot if mode == "rdb" else lambda: None))
            server.kill()
            client.close_all()
            server.start()
            kept = sum(client.get().hlen(keys.for_sale(voucher_id).buyers) for voucher_id in VOUCHER_IDS)
    return Measurement(
        mode, crowd.accepted / crowd.seconds, crowd.p99_ms, crowd.accepted, crowd.accepted - kept
    )


@contextmanager
def _claims_go_to(server: ScratchServer) -> Iterator[None]:
    try:
        server.start()
        for name in CONNECTIONS:
            client.move(name, server.url)
        yield
    finally:
        for name in CONNECTIONS:
            client.move(name, "")
        server.kill()


def _open_sales() -> None:
    """Open the sales in the server alone, without rows in SQL."""
    now = int(time.time() * 1000)
    for voucher_id in VOUCHER_IDS:
        partition = keys.partition_of(voucher_id)
        staged = [
            declared(partition=partition, voucher=voucher_id)
            for declared in (keys.NEXT_BUYERS, keys.NEXT_RELEASED)
        ]
        sale_keys, rules = keys.for_sale(voucher_id), Rules(now - DAY_MS, now + DAY_MS)
        args = [UNITS, 1, 0, 0, 0, 1, (now + DAY_MS) // 1000, *rules.pairs]
        opened = [*sale_keys.of_sale_alone, sale_keys.ids, *staged]
        loading.OPEN_GATE(client.get(), keys=opened, args=args)


def _snapshot() -> None:
    """A snapshot in the background; returns when it is on the disk, however busy the machine is."""
    client.get().bgsave()
    while client.get().info("persistence")["rdb_bgsave_in_progress"]:
        time.sleep(0.01)
