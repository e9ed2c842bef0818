"""A sale whose buyers keep their receipts, sold while the test does something to Redis."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.crowd import site_setup
from tests.crowd.buyers import ReceiptKeepers
from tests.faults.fault_site import BackgroundCrowd, FaultSite

STOCK, PEOPLE = 300, 600


@dataclass
class Sale:
    """An open sale; `run` sells it, and faults that leave it on another server call `end_hold`."""

    running_site: FaultSite
    voucher_id: int

    def run(self, fault: Callable[[BackgroundCrowd], object], *, after: int = 50) -> None:
        """Sell to everybody, with the fault after so many answers; then drain and judge every promise."""
        crowd = self.running_site.crowd(self.voucher_id, PEOPLE, connections=16)
        buyers = ReceiptKeepers(crowd)
        with self.running_site.rush(crowd, buyers) as rush:
            rush.wait_for(after)
            with ThreadPoolExecutor(1) as thread:
                paused = thread.submit(_longest_pause, rush)
                # Here, and not in the thread: servers that it starts end with the thread that started them.
                try:
                    fault(rush)
                except BaseException:
                    # Else the thread waits for the end of a sale that the fault has left without a server.
                    rush.load.stop()
                    raise
                pause = paused.result()
            tally = rush.result()
        print(
            f"\n{dict(tally.codes)}, {tally.lost} without answer; longest time without a sale {pause:.1f} s"
        )
        print(f"{len(tally.promised)} promised, {buyers.handed_in} handed in, refused: {buyers.refused[:3]}")
        assert buyers.refused == []
        assert not [code for code in tally.codes if code.startswith("5") and not code.startswith("503")]
        self.running_site.kept(self.voucher_id, stock=STOCK, tally=tally)

    def end_hold(self, rush: BackgroundCrowd) -> None:
        """Sell on, on another server, once every promised order is a row."""
        self.running_site.end_hold_after_receipts(self.voucher_id, rush)


def open_sale(running_site: FaultSite) -> Sale:
    return Sale(running_site, site_setup.create_sale(running_site.clerk, stock=STOCK))


def _longest_pause(rush: BackgroundCrowd) -> float:
    """Wait until the sale is over; return the longest time in seconds between two accepted claims."""
    count, since, longest = 0, time.monotonic(), 0.0
    while not rush.future.done():
        accepted = rush.load.tally.codes["201"]
        if accepted != count:
            longest, since, count = max(longest, time.monotonic() - since), time.monotonic(), accepted
        time.sleep(0.01)
    return longest
