"""A whole running site for fault tests, with its books, a thousand buyers, and the checks of its promises."""

import asyncio
import itertools
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import redis
from redis.exceptions import RedisClusterException

from apps.coupons import keys
from apps.demo import embedded_redis
from tests.books import Books
from tests.crowd import people, site_setup
from tests.crowd.buyers import Crowd, Load
from tests.crowd.tally import Tally
from tests.faults.management_process import ManagementProcess
from tests.sites import Site, wait_until

PEOPLE_COUNT = 1_000
#: After faults stop, everything accepted must be a row within this.
DRAIN_SECONDS = 40.0
#: Tests end the hold of a lost sale themselves, so that a stall can't end it before all receipts are there.
HOLD_SECONDS = 600


@dataclass(frozen=True)
class BackgroundCrowd:
    """Buyers who claim in a thread of their own."""

    load: Load
    future: Future[Tally]

    def result(self) -> Tally:
        """Return all counted answers once every buyer has one."""
        return self.future.result(120)

    def wait_for(self, answers: int, *, seconds: float = 60) -> None:
        """Wait until so many answers have come; on a quick machine not many more."""
        ends = time.monotonic() + seconds
        while self.load.tally.answers < answers and not self.future.done():
            assert time.monotonic() < ends, f"{answers} answers have not come: {self.load.tally.codes}"
            time.sleep(0.002)


@dataclass
class FaultSite:
    """One site with all its processes; a test kills some, and `heal` starts them again."""

    site: Site
    clerk: ManagementProcess
    tokens: list[str] = field(default_factory=list)
    buyers: list[int] = field(default_factory=list)
    prefixes: Iterator[int] = field(default_factory=itertools.count)

    @property
    def books(self) -> Books:
        return Books(database_url=self.site.environment["DATABASE_URL"], redis_url=self.site.redis_url)

    def heal(self) -> None:
        """Start the processes that a test has left dead."""
        for name in ("web", "consumer"):
            process = self.site.processes.get(name)
            if process is None or process.poll() is not None:
                self.site.processes.pop(name, None)
                self.site.start(name)

    def crowd(self, voucher_id: int, users: int, *, connections: int = 32, base_url: str = "") -> Crowd:
        """Return a crowd of the first `users` people, with request keys that no other crowd uses.

        It sends no forms: these lead who has bought already to the order, as those who buy now.
        """
        return Crowd(
            base_url or self.site.base_url,
            voucher_id,
            self.tokens[:users],
            prefix=f"rush{next(self.prefixes)}",
            connections=connections,
            kinds=people.claims_mixed(forms=False),
        )

    @contextmanager
    def rush(self, crowd: Crowd, load: Load | None = None) -> Iterator[BackgroundCrowd]:
        """Run a crowd in the background while the test injects its faults; `load` is how it buys."""
        load = load or Load(crowd)
        with ThreadPoolExecutor(1) as pool:
            try:
                yield BackgroundCrowd(load, pool.submit(lambda: asyncio.run(load.run())))
            finally:
                load.stop()

    def sell(self, crowd: Crowd) -> Tally:
        """Run the whole crowd and return its answers."""
        with self.rush(crowd) as rush:
            return rush.result()

    def drain(self, voucher_id: int, *, seconds: float = DRAIN_SECONDS) -> float:
        """Wait until every accepted order is a row or a dead letter; return the seconds it took."""
        began = time.monotonic()
        wait_until(
            lambda: self.books.waiting(voucher_id) == 0,
            seconds=seconds,
            otherwise=f"orders still wait: {self.site.log('consumer')[-3000:]}",
        )
        return time.monotonic() - began

    def judge(self, voucher_id: int, *, stock: int, tally: Tally) -> site_setup.Verdict:
        """Return the verdict on every promise, from SQL and `reconcile`."""
        self.wait_for_loads()
        return site_setup.check_promises(
            self.clerk, self.books, voucher_ids=[voucher_id], stock=stock, tally=tally, buyers=self.buyers
        )

    def wait_for_loads(self) -> None:
        """Wait until each sale is loaded: a loader that a fault has ended leaves its own to the consumer."""
        voucher_ids = [number for (number,) in self.books.select("SELECT voucher_id FROM coupons_flashsale")]

        def all_loaded() -> bool:
            with self.books.redis() as connected:
                states = [connected.hget(keys.for_sale(each).sale, "state") for each in voucher_ids]
            return "closed" not in states

        wait_until(all_loaded, seconds=60, otherwise="the gate of a sale stays closed", every=0.2)

    def kept(self, voucher_id: int, *, stock: int, tally: Tally) -> None:
        """Drain; then assert that exactly `stock` units are sold and every promise is kept."""
        self.drain(voucher_id)
        verdict = self.judge(voucher_id, stock=stock, tally=tally)
        assert verdict.holds, verdict.broken
        assert (verdict.promises, verdict.rows) == (stock, stock)
        assert tally.gave_up == 0

    def restart_redis(self, how: signal.Signals) -> None:
        """End the server and start it again on the same directory."""
        if how is signal.SIGTERM:
            self.site.redis.stop()
        else:
            self.site.redis.kill()
        self.start_redis()

    def start_redis(self) -> None:
        """Start the server on its directory, which the test may have changed meanwhile."""
        self.site.redis = embedded_redis.start(self.site.directory / "redis")

    def end_hold(self, voucher_id: int) -> None:
        """Wait until Redis holds a lost sale, and web processes have put back theirs; then end the hold.

        No web process is missed that a test has killed.
        """
        self._wait_until_held(voucher_id)
        names = [name for (name,) in self.books.select("SELECT name FROM coupons_webprocess")]
        expected = {name for name in names if _is_running(name.split(":")[-2])}
        with self.books.sql() as cursor:
            for name in {*names} - expected:
                cursor.execute(f"DELETE FROM coupons_webprocess WHERE name = '{name}'")
        # An answer may still be on its way to a buyer: its order is known to the process alone.
        wait_until(
            lambda: expected <= self._handed_in(voucher_id) or not self.is_held(voucher_id),
            seconds=120,
            otherwise=f"not all of {expected} have put back theirs: {self._handed_in(voucher_id)}",
            every=0.2,
        )
        with self.books.redis() as connected:
            connected.hset(keys.for_sale(voucher_id).sale, "hold_until", 1)

    def end_hold_after_receipts(self, voucher_id: int, rush: BackgroundCrowd) -> None:
        """End the hold of a lost sale once every order that the crowd was promised is a row."""
        self._wait_until_held(voucher_id)

        def all_recorded() -> bool:
            promised = list(rush.load.tally.promised.values())
            return {int(order) for orders in promised for order in orders} <= {*self.books.orders(voucher_id)}

        wait_until(all_recorded, seconds=120, otherwise="promised orders don't come back by their receipts")
        self.end_hold(voucher_id)

    def is_held(self, voucher_id: int) -> bool:
        """Tell whether Redis holds a sale for receipts; False while it doesn't answer."""
        with suppress(redis.RedisError, RedisClusterException), self.books.redis() as connected:
            return bool(connected.hget(keys.for_sale(voucher_id).sale, "state") == "recovering")
        return False

    def _handed_in(self, voucher_id: int) -> set[str]:
        """The web processes that have put back what they had accepted of a lost sale."""
        with self.books.redis() as connected:
            return {*str(connected.hget(keys.for_sale(voucher_id).sale, "handed_in") or "").split()}

    def _wait_until_held(self, voucher_id: int) -> None:
        wait_until(
            lambda: self.is_held(voucher_id),
            seconds=120,
            otherwise=f"sale {voucher_id} is not held for receipts",
            every=0.2,
        )

    def dead_letters(self) -> int:
        return int(self.books.select("SELECT count(*) FROM coupons_deadletter")[0][0])

    def unfinished(self) -> int:
        """Count the entries that consumers have read and not settled; streams without a group have none."""
        with self.books.redis() as connected:
            streams = [str(key) for key in connected.scan_iter("savor:coupons:*:orders")]
            read = [name for name in streams if connected.xinfo_groups(name)]
            return sum(int(connected.xpending(name, "orders")["pending"]) for name in read)


@contextmanager
def run_fault_site(site: Site) -> Iterator[FaultSite]:
    """Run a site with a thousand people for the block; `heal` starts its processes."""
    # The default allows a batch ten seconds, too long for a test.
    site.environment["ORDER_RECLAIM_SECONDS"] = "1"
    with site, ManagementProcess(site.environment) as clerk:
        running_site = FaultSite(site, clerk, tokens=site_setup.create_people(clerk, PEOPLE_COUNT))
        running_site.buyers = running_site.books.load_people(PEOPLE_COUNT)
        yield running_site


def _is_running(pid: str) -> bool:
    """Whether a process lives; one that has ended and was not waited for has no command line."""
    with suppress(OSError):
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    return False


def child_pids(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the process ids of a process's children."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    with suppress(OSError):
        return [int(word) for word in found.read_text().split()]
    return []


def repeat_during(rush: BackgroundCrowd, act: Callable[[], object], *, pause: float) -> int:
    """Call act() again and again until all buyers are done; return how often."""
    times = 0
    while not rush.future.done():
        act()
        times += 1
        time.sleep(pause)
    return times


def final_codes(tally: Tally) -> dict[str, int]:
    """Return the counts of final answers: all but 503 and 429, which ask to wait."""
    return {code: count for code, count in tally.codes.items() if not code.startswith(("503", "429"))}


def expected_answers(tokens: Sequence[str], *, stock: int) -> dict[str, int]:
    """Return the expected counts when more people come than there is stock."""
    return {"201": stock, "409 sold_out": len(tokens) - stock}


def start_dying_worker(site: Site, crash_at: str) -> Callable[[], bool]:
    """Start a worker that dies at a place of fault_injection; returns what tells whether it has died."""
    # The site is shared: its log holds the deaths of earlier tests.
    length = len(site.log("worker"))
    site.environment["CRASH_AT"] = crash_at
    site.start("worker")
    del site.environment["CRASH_AT"]
    return lambda: "signal 9" in site.log("worker")[length:]
