"""A scarce sale of a site with several web processes, whose Redis is emptied while people buy."""

import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from apps.coupons import keys
from tests.crowd import site_setup
from tests.crowd.buyers import Load, ReceiptKeepers
from tests.faults.fault_site import FaultSite, child_pids
from tests.sites import wait_until

STOCK, PEOPLE = 300, 600
#: Seconds after the claim at which late buyers look.
LATE_SECONDS = 15
#: When others have had the held units for long.
TOO_LATE_SECONDS = 60
ENVIRONMENT = {
    "WEB_WORKERS": "2",
    "SALE_HOLD_SECONDS": "5",
    # The time that web processes take to start decides nothing: tests end this hold themselves.
    "SALE_LONG_HOLD_SECONDS": "600",
    "PAY_WITHIN_SECONDS": "86400",
}


@dataclass(frozen=True)
class FlushedSale:
    """What came of it; `lost` are accepted orders without a row, `oversold` rows past the stock.

    `refused` has what their buyers were answered when they showed a receipt that brought no order back.
    """

    accepted: int
    handed_in: int
    lost: int
    oversold: int
    refused: list[str]
    is_clean_at_once: bool

    def __str__(self) -> str:
        look = "clean" if self.is_clean_at_once else "NOT CLEAN"
        return (
            f"{self.accepted} accepted, {self.handed_in} handed in, {self.lost} lost, "
            f"{self.oversold} oversold, reconcile at once: {look}, refused: {dict(Counter(self.refused))}"
        )


def sell_and_flush(
    running_site: FaultSite, *, late: float | None, kill: Callable[[FaultSite], object] | None = None
) -> FlushedSale:
    """Sell to a crowd, empty Redis meanwhile; buyers look `late` seconds after their claim, None: never.

    `kill` kills web processes: then the sale is held until all receipts are in, unless they come too late.
    """
    sale = site_setup.create_sale(running_site.clerk, stock=STOCK)
    crowd = running_site.crowd(sale, PEOPLE, connections=16)
    buyers = ReceiptKeepers(crowd, late=late) if late is not None else Load(crowd)
    with running_site.rush(crowd, buyers) as rush:
        rush.wait_for(100)
        flush(running_site)
        if kill:
            kill(running_site)
        first_look = site_setup.reconcile(running_site.clerk)
        running_site.heal()
        if kill and late == TOO_LATE_SECONDS:
            running_site.end_hold(sale)
        elif kill:
            running_site.end_hold_after_receipts(sale, rush)
        tally = rush.result()
    running_site.drain(sale)
    rows, promised = running_site.books.orders(sale), tally.promised.values()
    flushed = FlushedSale(
        accepted=len(tally.promised),
        handed_in=getattr(buyers, "handed_in", 0),
        lost=sum(not {int(order) for order in orders} <= {*rows} for orders in promised),
        oversold=max(0, len(rows) - STOCK),
        refused=getattr(buyers, "refused", []),
        is_clean_at_once=bool(first_look["clean"]),
    )
    print(f"\n{flushed}; {dict(tally.codes)}; {first_look['left'][:3]}")
    return flushed


def flush(running_site: FaultSite) -> None:
    """Empty every master."""
    with running_site.books.redis() as connected:
        connected.flushall()


def kill_a_web_process(running_site: FaultSite) -> None:
    """Kill one of the web processes; its supervisor starts another."""
    os.kill(_web_processes(running_site)[0], signal.SIGKILL)


def kill_all_web_processes(running_site: FaultSite) -> None:
    """Kill them and their supervisor; `heal` starts all anew."""
    running_site.site.kill("web")


def wait_for_web_processes(running_site: FaultSite) -> None:
    """Wait until every web process has said that it accepts claims."""

    def are_there() -> bool:
        rows = running_site.books.select("SELECT name FROM coupons_webprocess")
        alive = {f":{pid}:" for pid in _web_processes(running_site)}
        return len(alive) == int(ENVIRONMENT["WEB_WORKERS"]) and all(
            any(pid in name for (name,) in rows) for pid in alive
        )

    wait_until(are_there, seconds=60, otherwise="web processes don't say that they live")


def is_open(running_site: FaultSite, voucher_id: int) -> bool:
    """Whether Redis sells the sale."""
    with running_site.books.redis() as connected:
        return bool(connected.hget(keys.for_sale(voucher_id).sale, "state") == "open")


def _web_processes(running_site: FaultSite) -> list[int]:
    """The process ids of uvicorn's workers; its other child tracks resources."""
    children = child_pids(running_site.site.processes["web"])
    return [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
